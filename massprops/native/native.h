/* What the files of the compiled core share. Nothing here knows of Python but module.c. */
#ifndef MASSPROPS_NATIVE_H
#define MASSPROPS_NATIVE_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sums in another order, of other operations or with more digits have other bits than those of numpy: then there is no core, and numpy
 * does the work. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(_M_FP_FAST) || FLT_EVAL_METHOD != 0
#error "massprops needs IEEE 754 arithmetic: compile without -ffast-math, -Ofast and /fp:fast, with SSE2 instead of x87"
#endif
#ifdef _MSC_VER
#pragma fp_contract(off)
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

/* The same source for the processor at hand: wider registers, but never a fused multiply-add, which would give other bits. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define TARGETS __attribute__((target_clones("avx2", "default")))
#else
#define TARGETS
#endif

#ifdef __GNUC__
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

static inline double least(double a, double b) { return a < b ? a : b; }
static inline double most(double a, double b) { return a > b ? a : b; }

/* Items of one type, in memory that grows. */
struct list {
    void *items;
    size_t count, room;
};

/* Room for one item more, of this size; NULL where memory is exhausted. */
static inline void *massprops_next(struct list *l, size_t size)
{
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 256;
        void *items = room > SIZE_MAX / size ? NULL : realloc(l->items, room * size);
        if (!items)
            return NULL;
        l->items = items, l->room = room;
    }
    return (char *)l->items + size * l->count++;
}

/* Corners of triangles, [facet][corner][axis], contiguous, finite: float if `single`, else double. With `numbers`, those of the corners among
 * so many points, [][axis]: three uint32_t for every `step` bytes, at any address; the hashes of the points are given if they are known. */
struct triangles {
    const void *corners;
    size_t count;
    int single;
    const char *numbers;
    size_t step, points;
    const uint64_t *hashes;
};

static inline uint32_t massprops_number_of(const struct triangles *t, size_t n, size_t corner)
{
    uint32_t number;
    memcpy(&number, t->numbers + n * t->step + 4 * corner, 4);
    return number;
}

/* Where a corner of triangle n is, counted through all points. Another thread may have changed its number since it was checked. */
static inline size_t massprops_point(const struct triangles *t, size_t n, size_t corner, int indexed)
{
    size_t number = indexed ? massprops_number_of(t, n, corner) : 3 * n + corner;
    return !indexed || number < t->points ? number : 0;
}

/* Rounding of determinants of differences as a share of the sizes of their terms (Shewchuk 1997), and room for underflow. */
#define LINE_BOUND ((3 + 16 * 0x1p-53) * 0x1p-53)
#define PLANE_BOUND ((7 + 56 * 0x1p-53) * 0x1p-53)
#define UNDERFLOW_ROOM 0x1p-1000

/* Triangles are worked on in groups, in columns: nine rows of corner and axis. */
enum { LANES = 8 };
typedef double Row[LANES];

/* The group of triangles from `first` on; beyond the last, points. */
static inline void massprops_columns_of(const struct triangles *t, size_t first, Row c[9], int single, int indexed)
{
    size_t lanes = t->count - first < LANES ? t->count - first : LANES;
    for (size_t l = 0; l < lanes; l++)
        for (size_t corner = 0; corner < 3; corner++) {
            size_t at = 3 * massprops_point(t, first + l, corner, indexed);
            for (size_t i = 0; i < 3; i++)
                c[3 * corner + i][l] = single ? (double)((const float *)t->corners)[at + i] : ((const double *)t->corners)[at + i];
        }
    for (size_t l = lanes; l < LANES; l++)
        for (int i = 0; i < 9; i++)
            c[i][l] = c[i % 3][0];
}

/* Triangles of which sums are taken on their own, and added up in pairs: SUMMED of massprops/mesh/source.py. */
enum { SUMMED = 8192 };

/* Sums as massprops.mesh.surface takes them: of the solid (10), of the sheet (10), of the sizes of the solid's terms; and the words of the
 * boundary. */
struct surface {
    double sums[21], low[3], high[3];
    uint64_t words[2];
};

/* Bounds of every `size` triangles, a multiple of LANES, or somewhat larger: low and high, [][6]. */
struct extents {
    float *bounds;
    size_t size;
};

/* Gathers sums and words, and boxes where they are wanted. */
void massprops_surface(const struct triangles *t, const double reference[3], const uint64_t keys[6], const struct extents *boxes,
                       struct surface *out);

/* The hash of a corner's position, counted through all triangles: massprops/mesh/boundary.py. */
uint64_t massprops_hash(const struct triangles *t, size_t corner, const uint64_t keys[6]);

/* Positions, each once, and a table of their numbers by their hashes: what is no number of one is free, more than half of it. `given` are
 * points, no triangles, of the same type. */
struct vertices {
    struct triangles given;
    void *known;
    size_t count, room;
    uint32_t *table;
    size_t size; /* a power of two */
};

/* Numbers the positions that are given, and adds those that are new, in their order, while there is room for a few dozen; how many have
 * numbers. */
size_t massprops_vertices(struct vertices *v, const uint64_t keys[6], int32_t *numbers);

/* Lines along axis k = 0, 1, 2 of a lattice of n × n cells, one in each: coordinates along the axes k + 1 and k + 2, places[k][2][n * n]. */
struct lattice {
    const double *linear;  /* [3][3]: from the file to cells */
    const double *low;     /* [3]: in cells */
    const double *places;
    size_t lines;
};

struct crossing {
    int64_t line, facet;
    double depth;
    int64_t change;
};

/* Adds the crossings of every family; 0, or −1 where memory is exhausted. `number` is that of the first triangle in the file; where boxes
 * are given, the triangles in those that no line may pass are not looked at. */
int massprops_crossings(const struct triangles *t, int64_t number, const struct lattice *lattice, const struct extents *boxes, struct list out[3]);

/* Facets by the numbers of their corners, [facet][3], all below the number of points; points [][3] of at most 1. */
struct facets {
    const double *points;
    const int32_t *corners;
    size_t count;
};

/* Corners of facets that there may be. */
enum { MOST_CORNERS = INT32_MAX };

/* Two facets that are not known to be apart, and how they stand to each other. */
struct meeting {
    int64_t one, other, relation;
};

/* How two facets stand to each other: −1, 0 or 1; and whether they lie on both sides of an edge. `beside` is whether the other is known to
 * lie on one side of the plane of the one, but for common corners; `axis`: along which that one is large. */
int massprops_relation(const struct facets *facets, int64_t one, int64_t other, int beside, int axis, int *neighbours);

/* The facet that stands for the part of one: the first of those that are known to be connected. */
static inline int32_t massprops_root(int32_t *part, int32_t facet)
{
    while (part[facet] != facet)
        facet = part[facet] = part[part[facet]];
    return facet;
}

static inline void massprops_join(int32_t *part, int32_t one, int32_t other)
{
    int32_t a = massprops_root(part, one), b = massprops_root(part, other);
    part[a > b ? a : b] = a > b ? b : a;
}

/* Which of the points have a star: their facets have nothing in common but what they share, and are joined to one part. 0, or −1 where
 * memory is exhausted; `closed`: whether every edge is cancelled by its reverse. */
int massprops_stars(const struct facets *facets, size_t points, uint8_t *stars, int32_t *part, int *closed);

/* All pairs of facets that are not known to be apart, and the first facet of the connected part of each; 0, −1 where memory is exhausted,
 * or 1 where more than `most` pairs have boxes that meet. `fan`: the first facet of the fan of each, whose facets are known to be apart and
 * connected; NULL where each is one of its own. `closed`: whether every edge is cancelled by its reverse. */
int massprops_meetings(const struct facets *facets, size_t points, const int64_t *fan, int64_t most, struct list *out, int32_t *part, int *closed);

#endif
