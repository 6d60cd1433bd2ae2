/* Tiles of space: massprops/mesh/proof/tiles.py. */
#include "native.h"

#include <math.h>

static double coordinate(const struct division *d, size_t at)
{
    return d->factor * (d->single ? (double)((const float *)d->points)[at] : ((const double *)d->points)[at]);
}

/* The number of a corner. Another thread may change it at any time. */
static size_t corner_of(const struct division *d, size_t at)
{
    size_t number = (size_t)d->corners[at];
    return number < d->count ? number : 0;
}

void massprops_locate(const struct division *d, const struct halves *tree, uint16_t *tile)
{
    for (size_t v = 0; v < d->count; v++) {
        double x[3] = {coordinate(d, 3 * v), coordinate(d, 3 * v + 1), coordinate(d, 3 * v + 2)};
        size_t node = 1;
        while (node < tree->count)
            node = 2 * node + (size_t)(x[tree->axes[node] % 3] >= tree->places[node]);
        tile[v] = (uint16_t)(node - tree->count);
    }
}

/* Where facets are counted, and then placed. */
struct placing {
    const struct halves *tree;
    uint64_t *next; /* of each tile */
    int32_t *order, facet;
    uint8_t *before;
    size_t room;
};

static void give(struct placing *p, size_t tile, int before)
{
    size_t at = (size_t)p->next[tile]++;
    if (at < p->room)
        p->order[at] = p->facet, p->before[at] = (uint8_t)before;
}

/* Gives a facet to all tiles below a node that its box, low and high, meets. */
static void spread(struct placing *p, const double box[2][3], size_t node, int before)
{
    if (node >= p->tree->count) {
        give(p, node - p->tree->count, before | 1 << 3);
        return;
    }
    size_t axis = p->tree->axes[node] % 3;
    double at = p->tree->places[node];
    if (!(box[0][axis] >= at))
        spread(p, box, 2 * node, before);
    if (box[1][axis] >= at)
        spread(p, box, 2 * node + 1, before | (box[0][axis] >= at ? 0 : 1 << axis));
}

/* The tile that all corners of a facet are in, or UINT16_MAX; `flattened` counts facets that have a point twice. */
static uint16_t home_of(const struct division *d, const uint16_t *tile, size_t f, size_t *flattened)
{
    size_t a = corner_of(d, 3 * f), b = corner_of(d, 3 * f + 1), c = corner_of(d, 3 * f + 2);
    *flattened += a == b || b == c || c == a;
    return tile[a] == tile[b] && tile[b] == tile[c] ? tile[a] : UINT16_MAX;
}

size_t massprops_divide(const struct division *d, const struct halves *tree, size_t facets, size_t first, const uint16_t *tile, uint16_t *home, int64_t *next,
                      int32_t *order, uint8_t *before, size_t room)
{
    struct placing p = {tree, (uint64_t *)next, order, 0, before, order ? room : 0};
    size_t flattened = 0;
    for (size_t f = 0; f < facets; f++) {
        uint16_t one = order ? home[f] : (home[f] = home_of(d, tile, f, &flattened));
        p.facet = (int32_t)(first + f);
        if (one < tree->count) {
            give(&p, one, 0);
            continue;
        }
        double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (size_t k = 0; k < 9; k++) {
            double x = coordinate(d, 3 * corner_of(d, 3 * f + k / 3) + k % 3);
            box[0][k % 3] = least(box[0][k % 3], x), box[1][k % 3] = most(box[1][k % 3], x);
        }
        spread(&p, box, 1, 0);
    }
    return flattened;
}

int massprops_cut(const struct division *d, const int32_t *facets, size_t count, const uint16_t *tile, uint16_t number, int32_t *place, int32_t *corners,
                  double *out, size_t sizes[2])
{
    int32_t *used = malloc(3 * count * sizeof *used + 1);
    size_t all = 0;
    int wrong = 0;
    if (!used)
        return -1;
    for (size_t i = 0; i < 3 * count; i++) { /* the points of the tile */
        if (i % 3 == 0 && i / 3 + 32 < count)
            PREFETCH(d->corners + 3 * (size_t)facets[i / 3 + 32]);
        int32_t v = corners[i] = d->corners[3 * (size_t)facets[i / 3] + i % 3];
        if ((size_t)v >= d->count)
            wrong = 1;
        else if (place[v] < 0 && tile[v] == number && all < 3 * count)
            place[v] = (int32_t)all, used[all++] = v;
    }
    sizes[0] = all;
    for (size_t i = 0; i < 3 * count && !wrong; i++) { /* then others */
        int32_t v = corners[i], at = place[v];
        if (at < 0 && all < 3 * count)
            place[v] = at = (int32_t)all, used[all++] = v;
        corners[i] = at, wrong |= (size_t)at >= all; /* another thread may have changed it */
    }
    sizes[1] = all;
    for (size_t i = 0; i < all; i++) {
        place[used[i]] = -1;
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] = coordinate(d, 3 * (size_t)used[i] + k);
    }
    free(used);
    return wrong;
}
