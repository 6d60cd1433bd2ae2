/* What massprops/mesh/proof/tiles.py does with every point and facet. */
#include "native.h"

enum { SLABS = 64, INTERVALS = 1 << 16 };

static double coordinate(const struct division *d, size_t at)
{
    return d->factor * (d->single ? (double)((const float *)d->points)[at] : ((const double *)d->points)[at]);
}

/* The number of a corner. Another thread may have changed it since it was checked. */
static size_t corner_of(const struct division *d, size_t at) { return (size_t)d->corners[at] < d->count ? (size_t)d->corners[at] : 0; }

int massprops_divide(const struct division *d, const double places[6], const uint8_t *tables, const uint16_t *numbers, size_t tiles, size_t facets,
                     uint16_t *tile, int64_t *begins, int32_t *order)
{
    size_t *begin = calloc(tiles + 3, sizeof *begin);
    for (size_t v = 0; v < d->count && begin; v++) {
        size_t cell = 0;
        for (size_t k = 0; k < 3; k++) {
            double x = (coordinate(d, 3 * v + k) - places[k]) * places[3 + k];
            size_t interval = x > 0 ? x < INTERVALS - 1 ? (size_t)x : INTERVALS - 1 : 0;
            cell = cell * SLABS + tables[k * INTERVALS + interval] % SLABS;
        }
        tile[v] = numbers[cell] < tiles ? numbers[cell] : 0;
    }
    for (int pass = 0; pass < 2 && begin; pass++) { /* count, then place */
        for (size_t f = 0; f < facets; f++) {
            size_t a = tile[corner_of(d, 3 * f)], b = tile[corner_of(d, 3 * f + 1)], c = tile[corner_of(d, 3 * f + 2)];
            size_t of = a == b && a == c && a < tiles ? a : tiles, at = pass ? begin[of + 1]++ : begin[of + 2]++;
            if (pass && at < facets)
                order[at] = (int32_t)f;
        }
        for (size_t t = 2; t < tiles + 3 && !pass; t++)
            begin[t] += begin[t - 1];
    }
    for (size_t t = 0; t < tiles + 2 && begin; t++)
        begins[t] = (int64_t)begin[t];
    free(begin);
    return begin ? 0 : -1;
}

int massprops_cut(const struct division *d, const int32_t *facets, size_t count, const uint16_t *tile, uint16_t number, int32_t *place, int32_t *corners,
                  double *out, size_t sizes[2])
{
    int32_t *used = malloc(3 * count * sizeof *used + 1);
    size_t all = 0;
    for (int pass = 0; pass < 2 && used; pass++) { /* the points of the tile, then others */
        for (size_t i = 0; i < 3 * count; i++) {
            size_t v = corner_of(d, 3 * (size_t)facets[i / 3] + i % 3);
            if (place[v] < 0 && (pass || tile[v] == number) && all < 3 * count)
                place[v] = (int32_t)all, used[all++] = (int32_t)v;
        }
        sizes[pass] = all;
    }
    for (size_t i = 0; i < 3 * count && used; i++)
        corners[i] = place[corner_of(d, 3 * (size_t)facets[i / 3] + i % 3)];
    for (size_t i = 0; i < all; i++) {
        place[used[i]] = -1;
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] = coordinate(d, 3 * (size_t)used[i] + k);
    }
    free(used);
    return used ? 0 : -1;
}
