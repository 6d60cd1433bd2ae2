/* The vertices of triangles, and their numbers: a table of the positions that were met, by the hash of each. */
#include "native.h"

#include <string.h>

static int same(const struct vertices *v, size_t known, size_t position)
{
    if (v->given.single) {
        const float *p = (const float *)v->known + 3 * known, *q = (const float *)v->given.corners + 3 * position;
        return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
    }
    const double *p = (const double *)v->known + 3 * known, *q = (const double *)v->given.corners + 3 * position;
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

size_t massprops_vertices(struct vertices *v, const uint64_t keys[6], int32_t *numbers)
{
    enum { TOGETHER = 24 }; /* their places in the table come into the cache at the same time */
    size_t places[TOGETHER], all = v->given.count, bytes = v->given.single ? 12 : 24, done, here;
    for (done = 0; done < all; done += here) {
        here = all - done < TOGETHER ? all - done : TOGETHER;
        if (v->count + here > v->room)
            break;
        for (size_t i = 0; i < here; i++) {
            places[i] = massprops_hash(&v->given, done + i, keys) & (v->size - 1);
            PREFETCH(&v->table[places[i]]);
        }
        for (size_t i = 0; i < here; i++)
            PREFETCH((const char *)v->known + bytes * (v->table[places[i]] < v->count ? v->table[places[i]] : 0));
        for (size_t i = 0; i < here; i++) {
            size_t tries = 0; /* another thread may change the table, but no place in memory and no end depends on it */
            uint32_t number;
            while ((number = v->table[(places[i] + tries) & (v->size - 1)]) < v->count && !same(v, number, done + i) && tries < v->size)
                tries++;
            if (number >= v->count) {
                number = (uint32_t)v->count++;
                v->table[(places[i] + tries) & (v->size - 1)] = number;
                memcpy((char *)v->known + bytes * number, (const char *)v->given.corners + bytes * (done + i), bytes);
            }
            numbers[done + i] = (int32_t)number;
        }
    }
    return done;
}
