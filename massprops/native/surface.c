/* One pass over triangles: the integrals of the solid and of the sheet, bounds, the size of all terms, and the words of the boundary.
 *
 * The formulas, the order of the operations on one triangle and the order of the sums are those of massprops/mesh/surface.py and
 * mesh/boundary.py with numpy: the results are equal to the bit. */
#include "native.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 128 };

/* Sums, as Surface reads them: of solid and sheet the measure, first (3) and second moments (xx xy xz yy yz zz), and the size of the terms. */
enum { TERMS = 21 };

/* One group of triangles, in columns: nine rows of corner and axis, in the coordinates of the file. Written out, as compilers need it
 * to work on all lanes at once. */
TARGETS static void add_group(const Row *restrict c, const double *restrict r, Row *restrict sums)
{
    for (int l = 0; l < LANES; l++) {
        double ax = c[0][l], ay = c[1][l], az = c[2][l], bx = c[3][l], by = c[4][l], bz = c[5][l], cx = c[6][l], cy = c[7][l], cz = c[8][l];
        double ux = bx - ax, uy = by - ay, uz = bz - az, vx = cx - ax, vy = cy - ay, vz = cz - az;
        double yz = uy * vz, zy = uz * vy, zx = uz * vx, xz = ux * vz, xy = ux * vy, yx = uy * vx;
        double nx = yz - zy, ny = zx - xz, nz = xy - yx;
        ax -= r[0], ay -= r[1], az -= r[2], bx -= r[0], by -= r[1], bz -= r[2], cx -= r[0], cy -= r[1], cz -= r[2];
        double volume = (ax * nx + ay * ny + az * nz) / 6, area = sqrt(nx * nx + ny * ny + nz * nz) / 2;
        double size = fabs(ax) * (fabs(yz) + fabs(zy)) + fabs(ay) * (fabs(zx) + fabs(xz)) + fabs(az) * (fabs(xy) + fabs(yx));
        double sx = ax + bx + cx, sy = ay + by + cy, sz = az + bz + cz;
        double qxx = sx * sx + ax * ax + bx * bx + cx * cx, qxy = sx * sy + ax * ay + bx * by + cx * cy;
        double qxz = sx * sz + ax * az + bx * bz + cx * cz, qyy = sy * sy + ay * ay + by * by + cy * cy;
        double qyz = sy * sz + ay * az + by * bz + cy * cz, qzz = sz * sz + az * az + bz * bz + cz * cz;
        sums[0][l] += volume, sums[1][l] += sx * volume, sums[2][l] += sy * volume, sums[3][l] += sz * volume;
        sums[4][l] += qxx * volume, sums[5][l] += qxy * volume, sums[6][l] += qxz * volume;
        sums[7][l] += qyy * volume, sums[8][l] += qyz * volume, sums[9][l] += qzz * volume;
        sums[10][l] += area, sums[11][l] += sx * area, sums[12][l] += sy * area, sums[13][l] += sz * area;
        sums[14][l] += qxx * area, sums[15][l] += qxy * area, sums[16][l] += qxz * area;
        sums[17][l] += qyy * area, sums[18][l] += qyz * area, sums[19][l] += qzz * area;
        sums[20][l] += size;
    }
}

/* Adds the bounds of some groups, lane by lane. */
TARGETS static void add_bounds(const Row (*restrict c)[9], size_t groups, Row *restrict low, Row *restrict high)
{
    for (size_t n = 0; n < groups; n++)
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < LANES; l++) {
                low[i % 3][l] = least(low[i % 3][l], c[n][i][l]);
                high[i % 3][l] = most(high[i % 3][l], c[n][i][l]);
            }
}

static inline uint64_t fold(uint64_t h, int shift) { return h ^ (h >> shift); }

/* As hash_positions of mesh/boundary.py. */
static inline uint64_t hash_at(const struct triangles *t, size_t point, const uint64_t k[6], int single)
{
    uint64_t x[3];
    for (size_t i = 0; i < 3; i++) {
        float narrow = single ? ((const float *)t->corners)[3 * point + i] + 0.0f : 0; /* −0.0 + 0.0 = 0.0: one point, one hash */
        double wide = single ? 0 : ((const double *)t->corners)[3 * point + i] + 0.0;
        uint32_t bits;
        memcpy(&bits, &narrow, 4), memcpy(&x[i], &wide, 8);
        x[i] = single ? bits : fold(x[i], 32);
    }
    uint64_t h = fold(x[0] * k[0], 32);
    h = fold(fold(h, 29) * k[4], 32) + x[1] * k[1];
    h = fold(fold(h, 29) * k[2], 32);
    h = fold(fold(h, 29) * k[5], 32) + x[2] * k[3];
    return fold(fold(h, 29) * k[4], 32);
}

uint64_t massprops_hash(const struct triangles *t, size_t corner, const uint64_t keys[6]) { return hash_at(t, corner, keys, t->single); }

/* What the pass is given, and where it gathers what is no sum. */
struct pass {
    const struct triangles *t;
    const double *reference;
    const uint64_t *keys;
    struct surface *out;
    Row low[3], high[3];
};

/* A block of triangles in groups, and the hashes of its corners. All are fetched before any is used: a row that was just written, lane by
 * lane, cannot be read at once yet. */
struct block {
    Row corners[BLOCK / LANES][9];
    uint64_t hashes[BLOCK][3];
};

static inline void fetch(const struct pass *p, size_t first, size_t count, struct block *b, int single, int indexed)
{
    const struct triangles *t = p->t;
    for (size_t n = 0; n < count; n += LANES)
        massprops_columns_of(t, first + n, b->corners[n / LANES], single, indexed);
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < 3; i++) {
            size_t point = massprops_point(t, first + n, i, indexed);
            b->hashes[n][i] = indexed && t->hashes ? t->hashes[point] : hash_at(t, point, p->keys, single);
        }
}

/* Adds the words of a block: Boundary of mesh/boundary.py. */
static void add_words(struct pass *p, size_t count, const struct block *b)
{
    uint64_t one = 0, other = 0, g[3], key = p->keys[5];
    for (size_t n = 0; n < count; n++) {
        const uint64_t *h = b->hashes[n];
        for (int i = 0; i < 3; i++)
            g[i] = fold(h[i] * key, 32);
        one += (h[1] - h[0]) * (h[2] - h[0]) * (h[2] - h[1]);
        other += (g[1] - g[0]) * (g[2] - g[0]) * (g[2] - g[1]);
    }
    p->out->words[0] += one, p->out->words[1] += other;
}

static void fetch_any(const struct pass *p, size_t first, size_t count, struct block *b)
{
    int indexed = p->t->numbers != NULL;
    if (p->t->single)
        indexed ? fetch(p, first, count, b, 1, 1) : fetch(p, first, count, b, 1, 0);
    else
        indexed ? fetch(p, first, count, b, 0, 1) : fetch(p, first, count, b, 0, 0);
}

/* The sums over `count` triangles, in the order in which numpy adds the terms of an array: halves, down to blocks of BLOCK; in a block
 * LANES columns, then these in pairs, then what is left of the block, one by one. More than SUMMED are added in pairs of so many. */
static void add_range(struct pass *p, size_t first, size_t count, double total[TERMS])
{
    if (count > BLOCK) {
        double rest[TERMS];
        size_t half = count / 2 - count / 2 % LANES;
        if (count > SUMMED)
            for (half = SUMMED; half < count - half;)
                half *= 2;
        add_range(p, first, half, total);
        add_range(p, first + half, count - half, rest);
        for (int k = 0; k < TERMS; k++)
            total[k] += rest[k];
        return;
    }
    struct block b;
    Row s[TERMS] = {{0}};
    size_t left = count % LANES, last = count - left;
    fetch_any(p, first, count, &b);
    add_words(p, count, &b);
    add_bounds((const Row (*)[9])b.corners, (count + LANES - 1) / LANES, p->low, p->high);
    for (size_t n = 0; n < last; n += LANES)
        add_group(b.corners[n / LANES], p->reference, s);
    for (int k = 0; k < TERMS; k++)
        total[k] = ((s[k][0] + s[k][1]) + (s[k][2] + s[k][3])) + ((s[k][4] + s[k][5]) + (s[k][6] + s[k][7]));
    if (!left)
        return;
    memset(s, 0, sizeof s);
    add_group(b.corners[last / LANES], p->reference, s);
    for (int k = 0; k < TERMS; k++)
        for (size_t l = 0; l < left; l++)
            total[k] += s[k][l];
}

void massprops_surface(const struct triangles *t, const double reference[3], const uint64_t keys[6], struct surface *out)
{
    struct pass p = {t, reference, keys, out, {{0}}, {{0}}};
    for (int i = 0; i < 3 * LANES; i++)
        p.low[i / LANES][i % LANES] = INFINITY, p.high[i / LANES][i % LANES] = -INFINITY;
    *out = (struct surface){.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    add_range(&p, 0, t->count, out->sums);
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < LANES; l++)
            out->low[i] = least(out->low[i], p.low[i][l]), out->high[i] = most(out->high[i], p.high[i][l]);
}
