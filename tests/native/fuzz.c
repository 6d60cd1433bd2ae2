/* Random input for the compiled core, in memory of exactly its size, so that a sanitizer sees the first byte beyond it.
 *
 * See sanitize.sh. Arguments: how many inputs, the seed, and perhaps the place of one function in `targets`. */
#include "../../massprops/native/native.h"
#include "../../massprops/native/ply.h"
#include "../../massprops/native/text.h"

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

/* The same, or of its points some by their numbers, a few of which are those of none. */
static struct triangles some_indexed(void)
{
    struct triangles t = some_triangles();
    t.points = 3 * t.count;
    if (!t.count || below(2))
        return t;
    t.count = below(40);
    uint32_t *numbers = malloc(12 * t.count + 1);
    for (size_t i = 0; i < 3 * t.count; i++)
        numbers[i] = below(99) ? (uint32_t)below(t.points) : (uint32_t)word();
    t.numbers = numbers;
    return t;
}

static void fuzz_surface(void)
{
    struct triangles t = some_indexed();
    double *reference = numbers(3);
    uint64_t keys[6];
    struct surface out;
    for (int i = 0; i < 6; i++)
        keys[i] = word() | 1;
    massprops_surface(&t, reference, keys, &out);
    free((void *)t.corners), free((void *)t.numbers), free(reference);
}

static void fuzz_crossings(void)
{
    struct triangles t = some_indexed();
    size_t lines = 1 + below(below(64) ? 4 : 40);
    double *axes = numbers(9), *origin = numbers(3), *places = numbers(6 * lines * lines);
    struct lattice at = {axes, origin, places, lines};
    struct list found[3] = {{0}};
    for (size_t cell = 0; cell < lines * lines && below(16); cell++) /* nearly always as Lattice places them: one in each cell */
        for (size_t k = 0; k < 3; k++) {
            places[2 * k * lines * lines + cell] = (double)(cell / lines) + (double)(word() >> 11) * 0x1p-53;
            places[(2 * k + 1) * lines * lines + cell] = (double)(cell % lines) + (double)(word() >> 11) * 0x1p-53;
        }
    if (massprops_crossings(&t, (int64_t)word(), &at, found))
        abort();
    for (int k = 0; k < 3; k++)
        free(found[k].items);
    free((void *)t.corners), free((void *)t.numbers), free(axes), free(origin), free(places);
}

/* Every corner is given a vertex that comes no later. */
static void fuzz_vertices(void)
{
    struct triangles t = some_triangles();
    uint64_t keys[6];
    struct list first = {0};
    int64_t *found = malloc(3 * t.count * sizeof *found + 1);
    for (int i = 0; i < 6; i++)
        keys[i] = word() | 1;
    if (massprops_vertices(&t, keys, &first, found))
        abort();
    for (size_t i = 0; i < 3 * t.count; i++)
        if (found[i] < 0 || (size_t)found[i] >= first.count || ((int64_t *)first.items)[found[i]] > (int64_t)i)
            abort();
    free((void *)t.corners), free(first.items), free(found);
}

/* Points of a coarse lattice half of the time, so that facets touch and lie in planes. */
static void fuzz_meetings(void)
{
    size_t points = 3 + below(30), count = below(64) ? below(24) : below(300);
    double *places = malloc(3 * points * sizeof *places);
    int64_t *corners = malloc(3 * count * sizeof *corners + 1), *part = malloc(count * sizeof *part + 1), *fan = malloc(count * sizeof *fan + 1);
    int coarse = (int)below(2);
    for (size_t i = 0; i < 3 * points; i++)
        places[i] = coarse ? (double)below(5) / 2 - 1 : 2 * ((double)(word() >> 11) * 0x1p-53) - 1;
    for (size_t i = 0; i < 3 * count; i++)
        corners[i] = (int64_t)below(points);
    for (size_t i = 0; i < count; i++)
        fan[i] = i && below(2) ? fan[below(i)] : (int64_t)i;
    struct facets facets = {places, corners, count};
    struct list found = {0};
    if (massprops_meetings(&facets, below(2) ? fan : NULL, below(2) ? (int64_t)below(1000) : INT64_MAX, &found, part) < 0)
        abort();
    for (size_t i = 0; i < count; i++)
        if (part[i] < 0 || part[i] > (int64_t)i || part[part[i]] != part[i])
            abort();
    free(places), free(corners), free(part), free(fan), free(found.items);
}

/* Words of mesh files, numbers and damage; the length is that of the text, and behind it is a zero byte. */
static char *some_text(size_t *length, int numbers_alone)
{
    static const char *const words[] = {
        "v ", "f ", "vn ", "vt 0 1", "g a\\\n", "usemtl x", "# c\n", "facet", " normal", " outer loop ", "vertex ", "endloop ", "ENDFACET\n", "nan ",
        "\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 4.5 -6e7 .8\nvertex 0 0 1\nendloop\nendfacet\n", "\nv 1 2 3\nv 4 5 6\nv 7 8 9\nf 1 2 3\n",
        "-1/2/3 ", "1//2 ", "/", "\n", " ", "\t", "\r\n", "-", "+", ".", "e", "e-30", "e308", "1e999 ", "0x1p3 ", "1_0 ", "3 0 1 2\n"};
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

/* How many numbers were left to the caller, as they lie next to the middle between two doubles. */
static size_t undecided;

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
    undecided += good && !end && (expected > 5e-324 || expected < -5e-324);
    if (end && (!good || end != text + length || memcmp(&value, &expected, sizeof value))) {
        printf("%s\n", ended);
        abort();
    }
    free(text);
}

static void fuzz_text(void)
{
    size_t length, most = below(8) ? 2000 : below(40);
    char *text = some_text(&length, 0);
    double *values = malloc(8 * most + 1);
    int32_t *lengths = malloc(4 * most + 1), *corners = malloc(4 * most + 1);
    const char *(*const scanners[])(const char *, const char *, struct scanned *) = {massprops_rows, massprops_obj, massprops_facets, massprops_ply_rows};
    struct column columns[2] = {{1, 1, (int32_t)below(2)}, {0, 1 + (int32_t)below(3), (int32_t)below(2)}};
    for (int i = 0; i < 4; i++) {
        struct scanned s = {{values, most, 0}, {lengths, most, 0}, {corners, most, 0}, (int64_t)below(5), {columns, 1 + below(2), 0}};
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

static void (*const targets[])(void) = {fuzz_surface, fuzz_crossings, fuzz_numbers, fuzz_text, fuzz_vertices, fuzz_meetings, fuzz_ply};

int main(int count, char **arguments)
{
    size_t inputs = count > 1 ? strtoull(arguments[1], NULL, 10) : 100000, kinds = sizeof targets / sizeof *targets;
    uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    for (size_t i = 0; i < inputs; i++) {
        state = (seed << 40 ^ i) * 0x9E3779B97F4A7C15 | 1; /* any input can be repeated alone */
        targets[count > 3 ? strtoull(arguments[3], NULL, 10) % kinds : i % kinds]();
    }
    printf("%zu inputs, seed %llu: no error; %zu numbers not decided\n", inputs, (unsigned long long)seed, undecided);
    return undecided > inputs / 1000;
}
