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

/* The tile of each point. One is mostly in that of the one before. */
static void locate(const struct division *d, const struct halves *tree, uint16_t *tile)
{
    double low[3], high[3] = {-INFINITY, -INFINITY, -INFINITY};
    size_t node = 1;
    for (size_t v = 0; v < d->count; v++) {
        double x[3] = {coordinate(d, 3 * v), coordinate(d, 3 * v + 1), coordinate(d, 3 * v + 2)};
        if (!(x[0] < high[0] && x[1] < high[1] && x[2] < high[2] && x[0] >= low[0] && x[1] >= low[1] && x[2] >= low[2])) {
            for (int k = 0; k < 3; k++)
                low[k] = -INFINITY, high[k] = INFINITY;
            for (node = 1; node < tree->count;) {
                size_t axis = tree->axes[node] % 3;
                double at = tree->places[node];
                int above = x[axis] >= at;
                *(above ? &low[axis] : &high[axis]) = at;
                node = 2 * node + (size_t)above;
            }
        }
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
        give(p, node - p->tree->count, before);
        return;
    }
    size_t axis = p->tree->axes[node] % 3;
    double at = p->tree->places[node];
    if (!(box[0][axis] >= at))
        spread(p, box, 2 * node, before);
    if (box[1][axis] >= at)
        spread(p, box, 2 * node + 1, before | (box[0][axis] >= at ? 0 : 1 << axis));
}

/* The tile that all corners of a facet are in, or UINT16_MAX. */
static uint16_t home_of(const struct division *d, const uint16_t *tile, size_t f)
{
    uint16_t one = tile[corner_of(d, 3 * f)];
    return tile[corner_of(d, 3 * f + 1)] == one && tile[corner_of(d, 3 * f + 2)] == one ? one : UINT16_MAX;
}

void massprops_divide(const struct division *d, const struct halves *tree, size_t facets, uint16_t *tile, uint16_t *home, int64_t *begins, int32_t *order, uint8_t *before,
                      size_t room)
{
    struct placing p = {tree, (uint64_t *)begins + (order ? 1 : 2), order, 0, before, order ? room : 0};
    if (!order) {
        memset(begins, 0, (tree->count + 2) * sizeof *begins);
        locate(d, tree, tile);
    }
    for (size_t f = 0; f < facets; f++) {
        uint16_t one = order ? home[f] : (home[f] = home_of(d, tile, f));
        p.facet = (int32_t)f;
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
    for (size_t t = 2; t < tree->count + 2 && !order; t++)
        begins[t] += begins[t - 1];
}

int massprops_cut(const struct division *d, const int32_t *facets, size_t count, const uint16_t *tile, uint16_t number, int32_t *place, int32_t *corners,
                  double *out, size_t sizes[2])
{
    int32_t *used = malloc(3 * count * sizeof *used + 1);
    size_t all = 0;
    int wrong = 0;
    for (size_t i = 0; i < 3 * count; i++)
        corners[i] = d->corners[3 * (size_t)facets[i / 3] + i % 3], wrong |= (size_t)corners[i] >= d->count;
    if (!used || wrong)
        return free(used), used ? 1 : -1;
    for (int pass = 0; pass < 2; pass++) { /* the points of the tile, then others */
        for (size_t i = 0; i < 3 * count; i++) {
            int32_t v = corners[i];
            if (place[v] < 0 && (pass || tile[v] == number) && all < 3 * count)
                place[v] = (int32_t)all, used[all++] = v;
        }
        sizes[pass] = all;
    }
    for (size_t i = 0; i < 3 * count; i++)
        corners[i] = place[corners[i]], wrong |= (size_t)corners[i] >= all; /* another thread may have changed it */
    for (size_t i = 0; i < all; i++) {
        place[used[i]] = -1;
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] = coordinate(d, 3 * (size_t)used[i] + k);
    }
    free(used);
    return wrong;
}
