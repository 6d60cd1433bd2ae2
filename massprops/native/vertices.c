/* The vertices of triangles, and their numbers: a table of the positions that were met, by the hash of each. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

static int same(const struct triangles *t, size_t a, size_t b)
{
    const float *p = t->corners;
    const double *q = t->corners;
    a *= 3, b *= 3;
    return t->single ? p[a] == p[b] && p[a + 1] == p[b + 1] && p[a + 2] == p[b + 2] : q[a] == q[b] && q[a + 1] == q[b + 1] && q[a + 2] == q[b + 2];
}

/* In place of a number in a table: no position is known there. */
#define NONE UINT32_MAX

/* A larger table of the positions that are known; NULL where memory is exhausted. */
static uint32_t *grown(const struct triangles *t, const uint64_t keys[6], const struct list *first, size_t size)
{
    uint32_t *table = size > SIZE_MAX / sizeof *table ? NULL : malloc(size * sizeof *table);
    if (!table)
        return NULL;
    memset(table, 0xff, size * sizeof *table);
    for (size_t n = 0; n < first->count; n++) {
        size_t at = massprops_hash(t, (size_t)((int64_t *)first->items)[n], keys) & (size - 1);
        while (table[at] != NONE)
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)n;
    }
    return table;
}

int massprops_vertices(const struct triangles *t, const uint64_t keys[6], struct list *first, int64_t *numbers)
{
    enum { TOGETHER = 24 }; /* their places in the table come into the cache at the same time */
    size_t size = 128, places[TOGETHER], all = 3 * t->count, here;
    uint32_t *table = all < NONE ? grown(t, keys, first, size) : NULL; /* numbers of vertices; more than half of it is free */
    for (size_t corner = 0; table && corner < all; corner += here) {
        if (2 * (first->count + TOGETHER) >= size) {
            free(table);
            if (!(table = grown(t, keys, first, size *= 4)))
                return -1;
        }
        here = all - corner < TOGETHER ? all - corner : TOGETHER;
        for (size_t i = 0; i < here; i++) {
            places[i] = massprops_hash(t, corner + i, keys) & (size - 1);
            PREFETCH(&table[places[i]]);
        }
        for (size_t i = 0; i < here; i++) {
            size_t at = places[i];
            while (table[at] != NONE && !same(t, (size_t)((int64_t *)first->items)[table[at]], corner + i))
                at = (at + 1) & (size - 1);
            if (table[at] == NONE) {
                int64_t *next = massprops_next(first, sizeof *next);
                if (!next) {
                    free(table);
                    return -1;
                }
                *next = (int64_t)(corner + i), table[at] = (uint32_t)first->count - 1;
            }
            numbers[corner + i] = table[at];
        }
    }
    int failed = !table;
    free(table);
    return -failed;
}
