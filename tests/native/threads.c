/* Tiles of a surface compared in several threads, under ThreadSanitizer: see sanitize.sh. What threads share is read alone, and the parts of all
 * tiles are one, closed, without a pair that meets. Arguments: how many threads, and facets along a side. */
#include "../../massprops/native/native.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { TILES = 64 };

static struct division surface;
static uint16_t *tile;
static int64_t begins[TILES + 2];
static int32_t *order, *heads;
static uint8_t *before;
static atomic_int next, met, open_edges, failed;

/* Takes one tile after another, as massprops/mesh/proof/tiles.py does it in each thread. */
static void *compare(void *unused)
{
    (void)unused;
    int32_t *place = malloc(surface.count * sizeof *place);
    memset(place, 0xff, surface.count * sizeof *place);
    for (int t; (t = atomic_fetch_add(&next, 1)) < TILES;) {
        size_t first = (size_t)begins[t], count = (size_t)begins[t + 1] - first, sizes[2];
        int32_t *corners = malloc(12 * count + 1);
        double *points = malloc(72 * count + 1);
        failed |= massprops_cut(&surface, order + first, count, tile, (uint16_t)t, place, corners, points, sizes);
        struct facets facets = {points, corners, count, before + first, sizes[0]};
        struct list found = {0};
        int64_t most = INT64_MAX;
        int closed;
        failed |= massprops_meetings(&facets, sizes[1], &most, &found, heads + first, &closed);
        met += (int)found.count;
        open_edges += !closed;
        free(corners), free(points), free(found.items);
    }
    free(place);
    return NULL;
}

static uint8_t axes[TILES];
static double places[TILES];

/* Halves of a box, of halves, along one axis after another. */
static void halve(int node, int axis, const double low[3], const double high[3])
{
    if (node >= TILES)
        return;
    double lower[3], upper[3];
    memcpy(lower, low, sizeof lower), memcpy(upper, high, sizeof upper);
    axes[node] = (uint8_t)axis, places[node] = lower[axis] = upper[axis] = (low[axis] + high[axis]) / 2;
    halve(2 * node, (axis + 1) % 3, low, upper), halve(2 * node + 1, (axis + 1) % 3, lower, high);
}

int main(int count, char **arguments)
{
    size_t threads = count > 1 ? strtoull(arguments[1], NULL, 10) : 4, side = count > 2 ? strtoull(arguments[2], NULL, 10) : 150, facets = 2 * side * side;
    double *points = malloc(3 * side * side * sizeof *points);
    int32_t *corners = malloc(3 * facets * sizeof *corners), *part = malloc(facets * sizeof *part);
    pthread_t started[64];
    for (size_t i = 0; i < side * side; i++) { /* a torus */
        double u = (double)(i / side) * 2 * acos(-1) / (double)side, v = (double)(i % side) * 2 * acos(-1) / (double)side, far = 0.7 + 0.25 * cos(v);
        points[3 * i] = far * cos(u), points[3 * i + 1] = far * sin(u), points[3 * i + 2] = 0.25 * sin(v);
        int32_t a = (int32_t)i, b = (int32_t)((i / side + 1) % side * side + i % side), up = (int32_t)((i % side + 1) % side) - (int32_t)(i % side);
        int32_t two[6] = {a, b, b + up, a, b + up, a + up};
        memcpy(corners + 6 * i, two, sizeof two);
    }
    halve(1, 0, (double[3]){-1, -1, -1}, (double[3]){1, 1, 1});
    surface = (struct division){points, 0, side * side, 1, corners};
    struct halves tree = {axes, places, TILES};
    tile = malloc(side * side * sizeof *tile);
    uint16_t *home = malloc(facets * sizeof *home);
    massprops_locate(&surface, &tree, tile);
    massprops_divide(&surface, &tree, facets, 0, tile, home, begins + 1, NULL, NULL, 0);
    int64_t next[TILES] = {0};
    for (size_t t = 1; t <= TILES; t++)
        begins[t] += begins[t - 1], next[t - 1] = begins[t - 1];
    size_t all = (size_t)begins[TILES];
    order = malloc(all * sizeof *order), before = malloc(all), heads = malloc(all * sizeof *heads);
    massprops_divide(&surface, &tree, facets, 0, tile, home, next, order, before, all);
    for (size_t i = 0; i < threads && i < 64; i++)
        pthread_create(&started[i], NULL, compare, NULL);
    for (size_t i = 0; i < threads && i < 64; i++)
        pthread_join(started[i], NULL);
    for (size_t f = 0; f < facets; f++)
        part[f] = (int32_t)f;
    for (size_t t = 0; t < TILES; t++)
        for (int64_t i = begins[t]; i < begins[t + 1]; i++)
            massprops_join(part, order[i], order[begins[t] + heads[i]]);
    size_t parts = 0;
    for (size_t f = 0; f < facets; f++)
        parts += part[f] == (int32_t)f;
    printf("%zu facets in %d tiles, %zu threads: %zu part, %d pairs meet, %d tiles are open\n", facets, TILES, threads, parts, met, open_edges);
    free(points), free(corners), free(part), free(tile), free(home), free(order), free(before), free(heads);
    return failed || met || open_edges || parts != 1;
}
