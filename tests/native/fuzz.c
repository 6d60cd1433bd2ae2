/* Random input for the compiled core, in memory of exactly its size, so that a sanitizer sees the first byte beyond it.
 *
 * See sanitize.sh. Arguments: how many inputs, the seed, and perhaps the place of one function in `targets`. */
#include "../../massprops/native/native.h"
#include "../../massprops/native/ply.h"
#include "../../massprops/native/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t word(void) /* xorshift64* */
{
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return state * 0x2545F4914F6CDD1D;
}

static size_t below(size_t n) { return (size_t)(word() % n); }

/* Mostly numbers like those of a part; some of any bits: NaN, infinities, denormals, either zero, huge ones. */
static double number(void)
{
    static const double odd[] = {0, -0.0, 1, -1, 0.5, 5e-324, 1e-300, 1e300, 1.7e308, -1.7e308, 12, 39.999999};
    double value;
    uint64_t bits = word();
    switch (below(16)) {
    case 0: memcpy(&value, &bits, sizeof value); return value;
    case 1: return odd[below(sizeof odd / sizeof *odd)];
    default: return (double)(bits >> 11) * 0x1p-53 * 14 - 1;
    }
}

static double *numbers(size_t count)
{
    double *all = malloc(count * sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = number();
    return all;
}

static struct triangles some_triangles(void)
{
    struct triangles t = {.count = below(8) ? below(11) : below(64) ? below(40) : below(300), .single = (int)below(2)};
    double *wide = numbers(9 * t.count);
    t.corners = wide;
    if (t.single) {
        float *narrow = malloc(9 * t.count * sizeof *narrow);
        for (size_t i = 0; i < 9 * t.count; i++) {
            uint32_t bits = (uint32_t)word();
            memcpy(&narrow[i], &bits, sizeof bits);
            if (below(16) && wide[i] > -1e30 && wide[i] < 1e30)
                narrow[i] = (float)wide[i];
        }
        free(wide);
        t.corners = narrow;
    }
    return t;
}

/* Triangles, and what was allocated for their numbers. */
struct input {
    struct triangles t;
    char *rows;
};

/* The same, or of its points some by their numbers, a few of which are those of none: side by side or not, at any address. Seldom more
 * of them than are summed on their own. */
static struct input some_input(void)
{
    struct input in = {some_triangles(), NULL};
    size_t points = 3 * in.t.count, step = 12 + below(2) * below(20), before = below(9);
    if (!points || below(2))
        return in;
    size_t count = below(16) ? below(40) : below(256) ? below(600) : below(30000);
    in.rows = malloc(before + (count ? (count - 1) * step + 12 : 0));
    for (size_t i = 0; i < 3 * count; i++) {
        uint32_t number = below(99) ? (uint32_t)below(points) : (uint32_t)word();
        memcpy(in.rows + before + i / 3 * step + i % 3 * 4, &number, 4);
    }
    in.t = (struct triangles){in.t.corners, count, in.t.single, in.rows + before, step, points, NULL};
    return in;
}

static double coordinate(const struct triangles *t, size_t n, size_t i)
{
    size_t at = 3 * massprops_point(t, n, i / 3, t->numbers != NULL) + i % 3;
    return t->single ? (double)((const float *)t->corners)[at] : ((const double *)t->corners)[at];
}

/* The same triangles without numbers; the caller frees their corners. */
static struct triangles plain(const struct triangles *t)
{
    size_t size = t->single ? 12 : 24;
    char *corners = malloc(3 * size * t->count);
    for (size_t i = 0; i < 3 * t->count; i++)
        memcpy(corners + size * i, (const char *)t->corners + size * massprops_point(t, i / 3, i % 3, t->numbers != NULL), size);
    return (struct triangles){.corners = corners, .count = t->count, .single = t->single};
}

static uint64_t *some_keys(uint64_t keys[6])
{
    for (int i = 0; i < 6; i++)
        keys[i] = word() | 1;
    return keys;
}

/* Bounds hold all triangles that are finite; numbers and hashes change nothing. */
static void fuzz_surface(void)
{
    struct input in = some_input();
    struct triangles *t = &in.t, all = plain(t);
    double *reference = numbers(3);
    uint64_t keys[6], *hashes = malloc(t->points * sizeof *hashes);
    struct surface out, other;
    int finite = 1;
    some_keys(keys);
    for (size_t i = 0; i < t->points; i++)
        hashes[i] = massprops_hash(t, i, keys);
    t->hashes = t->numbers && below(2) ? hashes : NULL;
    massprops_surface(t, reference, keys, &out);
    massprops_surface(&all, reference, keys, &other);
    for (size_t i = 0; i < 9 * t->count; i++)
        finite &= isfinite(coordinate(t, i / 9, i % 9));
    for (int i = 0; i < 3; i++)
        if (finite && (out.low[i] != other.low[i] || out.high[i] != other.high[i]))
            abort();
    if (memcmp(out.sums, other.sums, sizeof out.sums) || memcmp(out.words, other.words, sizeof out.words))
        abort();
    for (size_t i = 0; i < 9 * t->count && finite; i++) {
        double x = coordinate(t, i / 9, i % 9);
        if (x < out.low[i % 3] || x > out.high[i % 3])
            abort();
    }
    free((void *)t->corners), free((void *)all.corners), free(in.rows), free(reference), free(hashes);
}

/* Numbers change no crossing. */
static void fuzz_crossings(void)
{
    struct input in = some_input();
    struct triangles *t = &in.t, all = plain(t);
    size_t lines = 1 + below(below(64) ? 4 : 40);
    double *axes = numbers(9), *origin = numbers(3), *places = numbers(6 * lines * lines);
    struct lattice at = {axes, origin, places, lines};
    struct list found[2][3] = {{{0}}};
    int64_t number = (int64_t)word();
    for (size_t cell = 0; cell < lines * lines && below(16); cell++) /* nearly always as Lattice places them: one in each cell */
        for (size_t k = 0; k < 3; k++) {
            places[2 * k * lines * lines + cell] = (double)(cell / lines) + (double)(word() >> 11) * 0x1p-53;
            places[(2 * k + 1) * lines * lines + cell] = (double)(cell % lines) + (double)(word() >> 11) * 0x1p-53;
        }
    if (massprops_crossings(t, number, &at, found[0]) || massprops_crossings(&all, number, &at, found[1]))
        abort();
    for (int k = 0; k < 3; k++)
        if (found[1][k].count != found[0][k].count ||
            (found[0][k].count && memcmp(found[1][k].items, found[0][k].items, found[0][k].count * sizeof(struct crossing))))
            abort();
    for (int i = 0; i < 6; i++)
        free(found[i / 3][i % 3].items);
    free((void *)t->corners), free((void *)all.corners), free(in.rows);
    free(axes), free(origin), free(places);
}

/* Every corner has the number of a vertex in its place, whatever the table holds before. */
static void fuzz_vertices(void)
{
    struct triangles t = some_triangles();
    uint64_t keys[6];
    struct vertices v = {t, NULL, 0, below(3 * t.count + 60), NULL, 128};
    v.given.count *= 3;
    while (v.size < 2 * v.room)
        v.size *= 2;
    int32_t *found = malloc(v.given.count * sizeof *found);
    int whole = below(8) != 0;
    v.known = malloc((v.room + 1) * 24), v.table = malloc(v.size * sizeof *v.table);
    for (size_t i = 0; i < v.size; i++)
        v.table[i] = whole ? UINT32_MAX : (uint32_t)below(v.room + 2);
    size_t done = massprops_vertices(&v, some_keys(keys), found);
    if (v.count > v.room || done > v.given.count || (done < v.given.count && v.count + 24 < v.room))
        abort();
    for (size_t i = 0; i < done; i++) {
        struct triangles known = {.corners = v.known, .single = t.single};
        if (found[i] < 0 || (size_t)found[i] >= v.count)
            abort();
        for (size_t k = 0; k < 3 && whole; k++) {
            double x = coordinate(&t, i / 3, i % 3 * 3 + k);
            if (x == x && coordinate(&known, (size_t)found[i] / 3, (size_t)found[i] % 3 * 3 + k) != x)
                abort();
        }
    }
    free((void *)t.corners), free(v.known), free(v.table), free(found);
}

/* Points of a coarse lattice half of the time, so that facets touch and lie in planes. */
static void fuzz_meetings(void)
{
    size_t points = 3 + below(30), count = below(64) ? below(24) : below(below(4) ? 300 : 1000);
    double *places = malloc(3 * points * sizeof *places);
    int32_t *corners = malloc(3 * count * sizeof *corners);
    int32_t *part = malloc(count * sizeof *part);
    int coarse = (int)below(2);
    for (size_t i = 0; i < 3 * points; i++)
        places[i] = coarse ? (double)below(5) / 2 - 1 : 2 * ((double)(word() >> 11) * 0x1p-53) - 1;
    for (size_t i = 0; i < 3 * count; i++)
        corners[i] = (int32_t)below(points);
    static const int faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    for (size_t i = 0; i + 12 <= 3 * count && count % 2; i += 12) { /* closed: tetrahedra */
        int32_t first[4] = {corners[i], corners[i + 1], corners[i + 2], corners[i + 3]};
        for (int k = 0; k < 12; k++)
            corners[i + (size_t)k] = first[faces[k]];
    }
    uint8_t *before = malloc(count + 1);
    for (size_t i = 0; i < count; i++)
        before[i] = (uint8_t)below(8);
    struct facets facets = {places, corners, count, below(2) ? before : NULL, below(points + 2)};
    int64_t most = below(2) ? (int64_t)below(1000) : INT64_MAX;
    struct list found = {0};
    int closed;
    if (massprops_meetings(&facets, points, &most, &found, part, &closed) < 0)
        abort();
    for (size_t i = 0; i < count; i++)
        if (part[i] < 0 || part[i] > (int32_t)i || part[part[i]] != part[i])
            abort();
    free(places), free(corners), free(part), free(before), free(found.items);
}

/* Whole numbers below 2¹⁰, so that all that follows is exact. */
typedef int64_t Whole[3];

static void product(const Whole u, const Whole v, Whole out)
{
    for (int k = 0; k < 3; k++)
        out[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
}

static int64_t inner(const Whole u, const Whole v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; }

/* Whether all of one triangle comes before all of another along a direction, or after it. */
static int are_parted(const Whole f[3], const Whole g[3], const Whole along)
{
    int before = 1, after = 1;
    for (int i = 0; i < 9; i++) {
        int64_t step = inner(along, g[i % 3]) - inner(along, f[i / 3]);
        before &= step > 0, after &= step < 0;
    }
    return before || after;
}

/* The edges of a triangle, and its normal. */
static void sides_of(const Whole f[3], Whole out[4])
{
    for (int i = 0; i < 9; i++)
        out[i / 3][i % 3] = f[(i / 3 + 1) % 3][i % 3] - f[i / 3][i % 3];
    product(out[0], out[1], out[3]);
}

/* Whether two triangles, one of which may be a segment with a corner twice, have no point in common: then they are parted along a normal, or
 * square to two edges, or to an edge and a normal. */
static int are_apart(const Whole f[3], const Whole g[3])
{
    static const Whole axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Whole sides[8], along;
    for (int k = 0; k < 3; k++) /* most of them */
        if (are_parted(f, g, axes[k]))
            return 1;
    sides_of(f, sides), sides_of(g, sides + 4);
    int apart = are_parted(f, g, sides[3]) || are_parted(f, g, sides[7]);
    for (int i = 0; i < 64 && !apart; i++)
        product(sides[i / 8], sides[i % 8], along), apart = are_parted(f, g, along);
    return apart;
}

/* Whether facets with an area have a point in common outside of the corners and the edge that they share, or an edge in the same direction. */
static int do_touch(const Whole *points, const int32_t *f, const int32_t *g)
{
    Whole p[2][3], sides[2][4], from;
    int shared = 0, mine = 0, its = 0; /* sums of the places of common corners */
    for (int i = 0; i < 9; i++) {
        int same = f[i / 3] == g[i % 3];
        shared += same, mine += same * (i / 3), its += same * (i % 3);
    }
    for (int i = 0; i < 9; i++)
        p[0][i / 3][i % 3] = points[f[i / 3]][i % 3], p[1][i / 3][i % 3] = points[g[i / 3]][i % 3];
    if (!shared)
        return !are_apart(p[0], p[1]);
    if (shared == 1) { /* what they have in common reaches from the corner to the edge across of one of them */
        Whole one[3], other[3];
        for (int i = 0; i < 9; i++)
            one[i / 3][i % 3] = p[0][(mine + 1 + i / 6) % 3][i % 3], other[i / 3][i % 3] = p[1][(its + 1 + i / 6) % 3][i % 3];
        return !are_apart(one, p[1]) || !are_apart(p[0], other);
    }
    mine = 3 - mine, its = 3 - its; /* the corners unlike the two others */
    if (shared == 3 || f[(mine + 1) % 3] == g[(its + 1) % 3])
        return 1;
    sides_of(p[0], sides[0]), sides_of(p[1], sides[1]);
    for (int k = 0; k < 3; k++)
        from[k] = p[1][its][k] - p[0][mine][k];
    return !inner(from, sides[0][3]) && inner(sides[0][3], sides[1][3]) < 0;
}

/* Points of a lattice in rows, and facets between them: a sheet, a wall whose rows go round an axis, once or twice, or a ball; some facets
 * are divided on one side of an edge alone, left out, doubled or turned. How many. */
static size_t some_surface(Whole *points, int32_t (*facets)[3], size_t *count)
{
    static const int8_t round[12][2] = {{5, 0}, {4, 3}, {3, 4}, {0, 5}, {-3, 4}, {-4, 3}, {-5, 0}, {-4, -3}, {-3, -4}, {0, -5}, {3, -4}, {4, -3}};
    size_t closed = below(3), rows = 2 + below(3), columns = closed ? 3 + below(10) : 2 + below(4), n = 0, twice = 1 + !below(3), wide[5], total = rows * columns;
    int flat = (int)below(2), rough = (int)below(5);
    for (size_t r = 0; r < rows; r++)
        wide[r] = 1 + below(4);
    for (size_t i = 0; i < total; i++) {
        size_t r = i / columns, at = i % columns * 12 * twice / columns % 12;
        int64_t high = (int64_t)(4 * r), far = (int64_t)wide[r] * 2 + (int64_t)(i % columns * 2 / columns && twice == 2);
        Whole sheet = {6 * (int64_t)(i % columns), 6 * (int64_t)r, flat ? 0 : (int64_t)below(4)}, wall = {far * round[at][0], far * round[at][1], high};
        for (int k = 0; k < 3; k++)
            points[i][k] = (closed ? wall : sheet)[k] + (rough ? 0 : (int64_t)below(3) - 1);
    }
    *count = total;
    for (size_t r = 0; r + 1 < rows; r++)
        for (size_t c = 0; c + !closed < columns; c++) {
            int32_t a = (int32_t)(r * columns + c), b = (int32_t)(r * columns + (c + 1) % columns), up = (int32_t)columns;
            int32_t two[2][3] = {{a, b, b + up}, {a, b + up, a + up}};
            memcpy(facets[n], two, sizeof two), n += 2;
        }
    for (size_t end = 0; end < 2 && closed == 2; end++, ++*count) {
        Whole top = {0, 0, end ? 4 * (int64_t)rows : -4 - (int64_t)below(9)};
        memcpy(points[*count], top, sizeof top);
        for (size_t c = 0; c < columns; c++) {
            int32_t first = (int32_t)(end ? total - columns : 0), a = first + (int32_t)c, b = first + (int32_t)((c + 1) % columns);
            int32_t one[3] = {(int32_t)*count, end ? a : b, end ? b : a};
            memcpy(facets[n++], one, sizeof one);
        }
    }
    for (size_t changes = below(3) ? below(6) : 0; changes-- && n > 2; ) {
        int32_t *f = facets[below(n)], *last = facets[n - 1];
        switch (below(8)) {
        case 0: memcpy(facets[n++], f, sizeof *facets); break;
        case 1: f[0] ^= f[1], f[1] ^= f[0], f[0] ^= f[1]; break;
        case 2: case 3: case 4: memmove(f, last, sizeof *facets), n--; break;
        default: /* by a point of an edge, or near it */
            for (int k = 0; k < 3; k++)
                points[*count][k] = (points[f[0]][k] + points[f[1]][k]) / 2;
            memcpy(facets[n], f, sizeof *facets), facets[n++][0] = (int32_t)*count, f[1] = (int32_t)(*count)++;
        }
    }
    return n;
}

/* No pair of facets of a surface that touch or cross is left out, however patches were chosen. */
static void fuzz_patches(void)
{
    enum { MOST = 250 };
    Whole points[MOST];
    int32_t facets[MOST][3], part[MOST];
    double *places = malloc(3 * MOST * sizeof *places);
    static char met[MOST][MOST];
    size_t count, n = some_surface(points, facets, &count), move = below(40);
    for (size_t i = n; i > 1; i--) { /* in any order, from any corner on */
        int32_t *f = facets[i - 1], *g = facets[below(i)], first = (int32_t)below(3), old[2][3];
        memcpy(old[0], f, sizeof *facets), memcpy(old[1], g, sizeof *facets), memcpy(g, old[0], sizeof *facets);
        for (int k = 0; k < 3; k++)
            f[k] = old[1][(k + first) % 3];
    }
    if (below(2)) /* askew */
        for (size_t i = 0; i < count; i++)
            points[i][0] += points[i][1] / 2 + points[i][2], points[i][1] -= points[i][2] * 2, points[i][2] += points[i][0];
    for (size_t i = 0; i < 3 * count; i++)
        places[i] = (double)(points[i / 3][i % 3] += (int64_t)move) / 1024;
    struct facets given = {places, facets[0], n, NULL, SIZE_MAX};
    struct list found = {0};
    int64_t most = INT64_MAX;
    int closed;
    if (massprops_meetings(&given, count, &most, &found, part, &closed))
        abort();
    int flat[MOST];
    for (size_t i = 0; i < n; i++) {
        Whole f[3], sides[4];
        for (int k = 0; k < 9; k++)
            f[k / 3][k % 3] = points[facets[i][k / 3]][k % 3];
        sides_of(f, sides), flat[i] = !inner(sides[3], sides[3]);
        memset(met[i], 0, n);
    }
    for (size_t i = 0; i < found.count; i++) {
        struct meeting m = ((struct meeting *)found.items)[i];
        met[m.one][m.other] = met[m.other][m.one] = 1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (!met[i][j] && !flat[i] && !flat[j] && do_touch(points, facets[i], facets[j]))
                abort();
    free(places), free(found.items);
}

/* Points and corners of any numbers in any halves of space: facets in order of the tiles, each in the tiles of its corners, and those of a tile
 * cut out with their points. */
static void fuzz_tiles(void)
{
    size_t points = 1 + below(40), count = below(60), tiles = (size_t)1 << below(4), sizes[2], all;
    double *places = numbers(3 * points), *at = numbers(tiles);
    uint8_t *axes = malloc(tiles), *before;
    int32_t *corners = malloc(3 * count * sizeof *corners), *place = malloc(points * sizeof *place), *order, *own;
    uint16_t *tile = malloc(points * sizeof *tile), *home = malloc(count * sizeof *home);
    int64_t *begins = calloc(tiles + 1, sizeof *begins), *next = malloc(tiles * sizeof *next);
    size_t half = below(count + 1);
    struct division d = {places, 0, points, 0.25, corners};
    struct halves tree = {axes, at, tiles};
    for (size_t i = 0; i < 3 * count; i++)
        corners[i] = below(99) ? (int32_t)below(points) : (int32_t)word();
    for (size_t i = 0; i < tiles; i++)
        axes[i] = (uint8_t)(below(9) ? below(3) : word());
    struct division rest = d; /* two parts of the facets, one after the other */
    rest.corners = corners + 3 * half;
    massprops_locate(&d, &tree, tile);
    massprops_divide(&d, &tree, half, 0, tile, home, begins + 1, NULL, NULL, 0);
    massprops_divide(&rest, &tree, count - half, half, tile, home + half, begins + 1, NULL, NULL, 0);
    for (size_t t = 1; t <= tiles; t++)
        begins[t] += begins[t - 1];
    memcpy(next, begins, tiles * sizeof *next);
    all = (size_t)begins[tiles];
    if (all < count || all > tiles * count)
        abort();
    order = malloc(all * sizeof *order), before = malloc(all), own = malloc(3 * all * sizeof *own);
    double *out = malloc(9 * all * sizeof *out);
    massprops_divide(&d, &tree, half, 0, tile, home, next, order, before, all);
    massprops_divide(&rest, &tree, count - half, half, tile, home + half, next, order, before, all);
    if (memcmp(next, begins + 1, tiles * sizeof *next))
        abort();
    for (size_t t = 0; t < tiles; t++) {
        size_t first = (size_t)begins[t], its = (size_t)begins[t + 1] - first;
        for (size_t i = 1; i < its; i++)
            if (order[first + i] <= order[first + i - 1])
                abort();
        memset(place, 0xff, points * sizeof *place);
        int failed = massprops_cut(&d, order + first, its, tile, (uint16_t)t, place, own, out, sizes), wrong = 0;
        for (size_t i = 0; i < 3 * its; i++)
            wrong |= (size_t)corners[3 * (size_t)order[first + i / 3] + i % 3] >= points;
        if (failed != wrong || (!failed && (sizes[0] > sizes[1] || sizes[1] > points)))
            abort();
        for (size_t i = 0; i < 3 * its && !failed; i++)
            if (own[i] < 0 || (size_t)own[i] >= sizes[1])
                abort();
    }
    free(places), free(at), free(axes), free(before), free(corners), free(place), free(order), free(own), free(tile), free(home), free(begins), free(next), free(out);
}

/* Words of mesh files, numbers and damage; the length is that of the text, and behind it is a zero byte. */
static char *some_text(size_t *length, int numbers_alone)
{
    static const char *const words[] = {
        "v ", "f ", "vn ", "vt 0 1", "g a\\\n", "usemtl x", "# c\n", "facet", " normal", " outer loop ", "vertex ", "endloop ", "ENDFACET\n", "nan ",
        "\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 4.5 -6e7 .8\nvertex 0 0 1\nendloop\nendfacet\n", "\nv 1 2 3\nv 4 5 6\nv 7 8 9\nf 1 2 3\n",
        "-1/2/3 ", "1//2 ", "/", "\n", " ", "\t", "\r\n", "-", "+", ".", "e", "e-30", "e308", "1e999 ", "0x1p3 ", "1_0 ", "3 0 1 2\n", "1, 2 ,3\n", ",", " ;"};
    static char text[4096];
    size_t at = 0, parts = below(40);
    while (parts-- && at < sizeof text - 1000) {
        size_t kind = numbers_alone ? 7 : below(12);
        if (kind < 5)
            at += (size_t)sprintf(text + at, "%s", words[below(sizeof words / sizeof *words)]);
        else if (kind == 5)
            text[at++] = (char)word();
        else if (kind == 6)
            at += (size_t)sprintf(text + at, "%d ", (int)below(12) - 2);
        else if (kind == 7)
            for (size_t digits = below(16) ? below(24) : below(900), point = below(30); digits--; point--) {
                text[at++] = (char)('0' + (below(3) ? below(10) : 9 * below(2)));
                if (!point)
                    text[at++] = '.';
            }
        else
            at += (size_t)sprintf(text + at, below(2) ? "%.*g " : "%.*e\n", (int)below(20), number());
        if (numbers_alone && below(2)) {
            at += (size_t)sprintf(text + at, "e%d", (int)below(800) - 400);
            break;
        }
    }
    char *exact = malloc(at + 1);
    memcpy(exact, text, at), exact[at] = 0;
    *length = at;
    return exact;
}

/* Numbers against the C library's, bit for bit. */
static void fuzz_numbers(void)
{
    size_t length;
    char *text = some_text(&length, 1), ended[4096], *after;
    double value, expected;
    memcpy(ended, text, length);
    ended[length] = 0;
    expected = strtod(ended, &after);
    const char *end = massprops_number(text, text + length, &value);
    int good = length && after == ended + length && expected <= 1.7976931348623157e308;
    if (end ? !good || end != text + length || memcmp(&value, &expected, sizeof value) : good) {
        printf("%s\n", ended);
        abort();
    }
    free(text);
}

static void fuzz_text(void)
{
    size_t length, most = below(8) ? 2000 : below(40);
    char *text = some_text(&length, 0);
    double *values = malloc(8 * most);
    int32_t *lengths = malloc(4 * most), *corners = malloc(4 * most);
    const char *(*const scanners[])(const char *, const char *, struct scanned *) = {massprops_rows, massprops_obj, massprops_facets, massprops_ply_rows};
    struct column columns[2] = {{1, 1, (int32_t)below(2)}, {0, 1 + (int32_t)below(3), (int32_t)below(2)}};
    for (int i = 0; i < 4; i++) {
        struct scanned s = {{values, most, 0}, {lengths, most, 0}, {corners, most, 0}, (int64_t)below(5), {columns, 1 + below(2), 0}, ",;\0"[below(3)]};
        const char *end = scanners[i](text, text + length, &s);
        if ((end ? end < text || end > text + length : i == 2) || s.values.count > most || s.lengths.count > most || s.corners.count > most)
            abort();
    }
    free(text), free(values), free(lengths), free(corners);
}

/* Rows of any columns in any bytes, most of them small, with room for some. */
static void fuzz_ply(void)
{
    size_t size = below(300), rows = below(40), room[2] = {below(300), below(300)};
    struct layout layout = {.count = 1 + below(4), .big = (int)below(2)};
    struct column *columns = malloc(layout.count * sizeof *columns);
    unsigned char *data = malloc(size);
    struct kept to[2] = {{malloc(room[0]), room[0], 0}, {malloc(room[1]), room[1], 0}};
    int32_t *lengths = malloc(4 * rows);
    layout.columns = columns;
    for (size_t i = 0; i < layout.count; i++)
        columns[i] = (struct column){below(2) ? (int32_t)below(17) - 8 : 0, below(20) ? 1 + (int32_t)below(12) : INT32_MAX, (int32_t)below(2)};
    if (below(2))
        layout.count = 1, columns[0] = (struct column){below(2) ? 1 : -1, 4, 1};
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)(below(3) ? below(4) * below(2) : word());
    if (massprops_ply(data, size, &layout, to, lengths, &rows) > size || to[1].count > room[1])
        abort();
    free(columns), free(data), free(to[0].bytes), free(to[1].bytes), free(lengths);
}

/* Rows of three numbers, mostly; the largest of them, if they are all so. */
static void fuzz_triples(void)
{
    size_t size = below(2) ? 13 * below(20) : below(270);
    unsigned char *rows = malloc(size);
    int damaged = size % 13 != 0;
    int64_t largest = 0;
    for (size_t i = 0; i < size; i++)
        rows[i] = i % 13 || !below(200) ? (unsigned char)(below(3) ? below(2) : word()) : 3;
    for (size_t i = 0; i < size; i += 13)
        damaged |= rows[i] != 3;
    for (size_t i = 1; i < size && !damaged; i += i % 13 == 9 ? 5 : 4) {
        uint32_t number;
        memcpy(&number, rows + i, 4);
        largest = number > largest ? number : largest;
    }
    if (massprops_triples(rows, size) != (damaged ? -1 : largest))
        abort();
    free(rows);
}

/* Facets, cut off anywhere: whole ones with white space behind them are read, up to the word that begins the next one. */
static void fuzz_facets(void)
{
    static const char *const words[] = {"facet", "normal", "0", "-nan", "1e-3", "outer", "loop", "vertex", "1", "-2.5", "3e4", "vertex", "-.5",
                                        "+6.", "700000000000000000000", "vertex", "0", "-0", "1.23456789012345678", "endloop", "endfacet"};
    static const char *const spaces[] = {" ", "\n", "\r\n", "\t  ", "\v\f"};
    size_t facets = below(6), room = below(4) ? 9 * facets : below(70), length = 0, cut, ends[6], starts[6], expected = 0;
    char text[4096];
    for (size_t f = 0; f < facets; f++) {
        starts[f] = length;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            ends[f] = length + strlen(words[i]);
            length += (size_t)sprintf(text + length, "%s%s", words[i], spaces[below(sizeof spaces / sizeof *spaces)]);
        }
    }
    cut = below(2) ? length : below(length + 1);
    while (expected < facets && ends[expected] < cut && 9 * (expected + 1) <= room)
        expected++;
    char *exact = malloc(cut + 1);
    memcpy(exact, text, cut), exact[cut] = 0;
    struct scanned s = {.values = {malloc(room * sizeof(double)), room, 0}};
    const char *end = massprops_facets(exact, exact + cut, &s);
    size_t next = !expected ? 0 : expected < facets && starts[expected] < cut ? starts[expected] : cut;
    if (s.values.count != 9 * expected || end != exact + next || (expected && s.values.all[9 * expected - 1] != 1.23456789012345678))
        abort();
    free(exact), free(s.values.all);
}

static void (*const targets[])(void) = {fuzz_surface, fuzz_crossings, fuzz_numbers, fuzz_text,  fuzz_vertices,
                                        fuzz_meetings, fuzz_ply,      fuzz_triples, fuzz_facets, fuzz_tiles, fuzz_patches};

int main(int count, char **arguments)
{
    size_t inputs = count > 1 ? strtoull(arguments[1], NULL, 10) : 100000, kinds = sizeof targets / sizeof *targets;
    uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    massprops_begin_numbers();
    for (size_t i = 0; i < inputs; i++) {
        state = (seed << 40 ^ i) * 0x9E3779B97F4A7C15 | 1; /* any input can be repeated alone */
        targets[count > 3 ? strtoull(arguments[3], NULL, 10) % kinds : i % kinds]();
    }
    printf("%zu inputs, seed %llu: no error\n", inputs, (unsigned long long)seed);
    return 0;
}
