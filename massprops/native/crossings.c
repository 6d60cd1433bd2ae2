/* Where lines cross triangles: the arithmetic of massprops/mesh/xray/line_crossings.py, triangle by triangle, to the same bit.
 *
 * An edge counts exactly opposite for its reverse, since both products are rounded before they are subtracted: so no line leaks through
 * a shared edge, as long as no multiplication is fused with a subtraction (-ffp-contract=off). */
#include "native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A group of triangles in cells of the lattice, in columns: corners [corner][axis], their bounds, and the cells of these; bit k of
 * `near`: whether a line of family k may meet the triangle. */
struct group {
    Row q[9], low[3], high[3];
    int32_t first[3][LANES], last[3][LANES];
    int64_t near[LANES];
};

/* How the winding number changes where a line, at the origin of u and v, passes the triangle; `area` is opposite to each corner. */
static int winding(const double u[3], const double v[3], double area[3])
{
    int count = 0;
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        double one = u[a] * v[b], other = v[a] * u[b];
        area[i] = one - other;
        count += v[b] > 0 && !(v[a] > 0) && area[i] > 0;
        count -= v[a] > 0 && !(v[b] > 0) && area[i] < 0;
    }
    return count;
}

static double depth_of(const double d[3], const double area[3], double low, double high)
{
    double inside = ((d[0] * area[0] + d[1] * area[1]) + d[2] * area[2]) / ((area[0] + area[1]) + area[2]);
    if (!isfinite(inside))
        inside = ((d[0] + d[1]) + d[2]) / 3; /* seen edge-on: anywhere on the edge */
    return inside < low ? low : inside > high ? high : inside;
}

TARGETS static void place(const Row *restrict c, const struct lattice *restrict at, struct group *restrict g)
{
    const double *m = at->linear, *origin = at->low, last_cell = (double)(at->lines - 1);
    for (int corner = 0; corner < 9; corner += 3)
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < LANES; l++)
                g->q[corner + i][l] =
                    ((c[corner][l] * m[3 * i] + c[corner + 1][l] * m[3 * i + 1]) + c[corner + 2][l] * m[3 * i + 2]) - origin[i];
    for (int i = 0; i < 3; i++) {
        for (int l = 0; l < LANES; l++) {
            g->low[i][l] = least(g->q[i][l], least(g->q[3 + i][l], g->q[6 + i][l]));
            g->high[i][l] = most(g->q[i][l], most(g->q[3 + i][l], g->q[6 + i][l]));
        }
        for (int l = 0; l < LANES; l++)
            g->first[i][l] = (int32_t)least(most(g->low[i][l], 0), last_cell);
        for (int l = 0; l < LANES; l++)
            g->last[i][l] = (int32_t)least(most(g->high[i][l], 0), last_cell);
    }
    memset(g->near, 0, sizeof g->near);
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        const double *along_u = at->places + (size_t)k * 2 * at->lines * at->lines, *along_v = along_u + at->lines * at->lines;
        int32_t lines = (int32_t)at->lines;
        Row x, y;
        for (int l = 0; l < LANES; l++) {
            int32_t line = g->first[u][l] * lines + g->first[v][l];
            x[l] = along_u[line], y[l] = along_v[line];
        }
        for (int l = 0; l < LANES; l++) {
            int inside = (g->low[u][l] <= x[l]) & (x[l] <= g->high[u][l]) & (g->low[v][l] <= y[l]) & (y[l] <= g->high[v][l]);
            g->near[l] |= (inside | (g->first[u][l] != g->last[u][l]) | (g->first[v][l] != g->last[v][l])) << k;
        }
    }
}

/* Triangle `l` of a group against the lines along axis k. */
static int meet(const struct group *g, int l, int k, int64_t facet, const struct lattice *at, struct list *out)
{
    int u = (k + 1) % 3, v = (k + 2) % 3;
    size_t n = at->lines;
    const double *along_u = at->places + (size_t)k * 2 * n * n, *along_v = along_u + n * n;
    for (size_t i = (size_t)g->first[u][l]; i <= (size_t)g->last[u][l]; i++)
        for (size_t line = i * n + (size_t)g->first[v][l]; line <= i * n + (size_t)g->last[v][l]; line++) {
            double x = along_u[line], y = along_v[line], area[3];
            if (!(g->low[u][l] <= x && x <= g->high[u][l] && g->low[v][l] <= y && y <= g->high[v][l]))
                continue;
            double us[3] = {g->q[u][l] - x, g->q[3 + u][l] - x, g->q[6 + u][l] - x};
            double vs[3] = {g->q[v][l] - y, g->q[3 + v][l] - y, g->q[6 + v][l] - y};
            int count = winding(us, vs, area);
            if (!count)
                continue;
            double depths[3] = {g->q[k][l], g->q[3 + k][l], g->q[6 + k][l]};
            /* along an axis one leaves where the normal points ahead */
            struct crossing *found = massprops_next(out, sizeof *found);
            if (!found)
                return -1;
            *found = (struct crossing){(int64_t)line, facet, depth_of(depths, area, g->low[k][l], g->high[k][l]), -count};
        }
    return 0;
}

int massprops_crossings(const struct triangles *t, int64_t number, const struct lattice *at, struct list out[3])
{
    for (size_t first = 0; first < t->count; first += LANES) {
        Row corners[9];
        struct group g;
        massprops_columns_of(t, first, corners, t->single, t->numbers != NULL);
        place(corners, at, &g);
        for (size_t l = 0; l < LANES && first + l < t->count; l++)
            for (int k = 0; g.near[l] && k < 3; k++)
                if (g.near[l] >> k & 1 && meet(&g, (int)l, k, (int64_t)((uint64_t)number + first + l), at, &out[k]))
                    return -1;
    }
    return 0;
}
