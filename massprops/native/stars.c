/* The facets round each corner: whether every edge is cancelled by its reverse, and which corners have a star, whose facets have nothing in
 * common but what they share. */
#include "native.h"

#include <math.h>

/* Facets round one corner that are looked at; a corner of more has no star. */
enum { MOST_SPOKES = 1 << 16 };

/* A facet as its corner sees it: the two others, the normal, and the sums of their coordinates' sizes. */
struct spoke {
    double next[3], last[3], normal[3], next_size, last_size;
};

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Whether two lists have the same numbers, each as often; they are put in order. */
static int are_equal(int32_t *one, int32_t *other, size_t count)
{
    if (count > 64) {
        qsort(one, count, sizeof *one, ascending), qsort(other, count, sizeof *other, ascending);
        return !memcmp(one, other, count * sizeof *one);
    }
    for (size_t i = 0, j; i < count; i++) {
        for (j = i; j < count && other[j] != one[i]; j++)
            ;
        if (j == count)
            return 0;
        int32_t found = other[j];
        other[j] = other[i], other[i] = found;
    }
    return 1;
}

static double seen_from(const double *o, const double *p, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = p[k] - o[k];
    return fabs(out[0]) + fabs(out[1]) + fabs(out[2]);
}

static void cross(const double u[3], const double v[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
}

static double dot(const double u[3], const double v[3]) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; }

/* Rounding of a determinant as a share of the product of the sizes, which is no less than the sum of its terms' sizes. */
#define STAR_BOUND (8 * 0x1p-53)

/* Whether the facets of a corner, a closed ring, are seen from a direction all with their front and go round it once: then the plane is
 * covered once. massprops/mesh/proof/fans.py. */
static int is_star(const struct spoke *spokes, size_t count)
{
    double direction[3] = {0, 0, 0}, ray[3], across[3];
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (spokes[i].next_size * spokes[i].last_size);
        for (int k = 0; k < 3; k++)
            direction[k] += weight * spokes[i].normal[k];
    }
    for (int k = 0; k < 3; k++)
        ray[k] = spokes->next[k] + 0.375 * (spokes->last[k] - spokes->next[k]);
    cross(direction, ray, across);
    double size = STAR_BOUND * (fabs(direction[0]) + fabs(direction[1]) + fabs(direction[2])), turns = 0;
    double across_size = size * (fabs(ray[0]) + fabs(ray[1]) + fabs(ray[2]));
    int good = size < INFINITY;
    for (size_t i = 0; i < count && good; i++) {
        const struct spoke *s = spokes + i;
        double before = dot(s->next, across), after = dot(s->last, across);
        good = dot(s->normal, direction) > size * s->next_size * s->last_size + UNDERFLOW_ROOM;
        good &= fabs(before) > across_size * s->next_size + UNDERFLOW_ROOM && fabs(after) > across_size * s->last_size + UNDERFLOW_ROOM;
        turns += before < 0 && after > 0;
    }
    return good && turns == 1;
}

/* The corners, [3 count], in the order of their points: those of point p from begin[p] on, corner i of facet f as 4 f + i. */
static void arrange(const struct facets *s, size_t points, uint32_t *begin, uint32_t *corners)
{
    size_t all = 3 * s->count;
    memset(begin, 0, (points + 2) * sizeof *begin);
    for (size_t i = 0; i < all; i++)
        begin[s->corners[i] + 2]++;
    for (size_t p = 2; p < points + 2; p++)
        begin[p] += begin[p - 1];
    for (size_t f = 0; f < s->count; f++)
        for (uint32_t i = 0; i < 3; i++)
            corners[begin[s->corners[3 * f + i] + 1]++] = 4 * (uint32_t)f + i;
}

int massprops_stars(const struct facets *s, size_t points, uint8_t *stars, int32_t *part, int *closed)
{
    uint32_t *begin = malloc((points + 2) * sizeof *begin), *corners = malloc((3 * s->count + 1) * sizeof *corners);
    struct spoke *spokes = malloc(MOST_SPOKES * sizeof *spokes);
    size_t most = 1;
    *closed = 1;
    int result = begin && corners && spokes ? 0 : -1;
    if (!result) {
        arrange(s, points, begin, corners);
        for (size_t p = 0; p < points; p++)
            most = begin[p + 1] - begin[p] > most ? begin[p + 1] - begin[p] : most;
    }
    int32_t *next = malloc(most * sizeof *next), *last = malloc(most * sizeof *last);
    result = next && last ? result : -1;
    for (size_t p = 0; p < points && !result; p++) {
        size_t count = begin[p + 1] - begin[p];
        const uint32_t *own = corners + begin[p];
        int looked_at = count > 2 && count <= MOST_SPOKES;
        for (size_t i = 0; i < count; i++) {
            const int32_t *facet = s->corners + 3 * (size_t)(own[i] / 4);
            next[i] = facet[own[i] % 4 == 2 ? 0 : own[i] % 4 + 1], last[i] = facet[own[i] % 4 ? own[i] % 4 - 1 : 2];
            if (!looked_at)
                continue;
            struct spoke *spoke = spokes + i;
            spoke->next_size = seen_from(s->points + 3 * p, s->points + 3 * next[i], spoke->next);
            spoke->last_size = seen_from(s->points + 3 * p, s->points + 3 * last[i], spoke->last);
            cross(spoke->next, spoke->last, spoke->normal);
        }
        int is_ring = are_equal(next, last, count);
        *closed &= is_ring || p >= s->own;
        stars[p] = looked_at && is_ring && is_star(spokes, count);
        for (size_t i = 1; i < count && stars[p]; i++)
            massprops_join(part, (int32_t)(own[0] / 4), (int32_t)(own[i] / 4));
    }
    free(begin), free(corners), free(spokes), free(next), free(last);
    return result;
}
