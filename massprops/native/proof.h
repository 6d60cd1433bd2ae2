/* What the files of the proof share: near_pairs.c, patches.c, stars.c, box_tree.c. */
#ifndef MASSPROPS_PROOF_H
#define MASSPROPS_PROOF_H

#include "native.h"

#include <math.h>

/* No facet, no patch, no edge. */
enum { NONE = -1 };

/* LANES boxes in columns: single precision, rounded outwards. */
struct boxes {
    float low[3][LANES], high[3][LANES];
};

/* Boxes in an order that keeps neighbours together, LANES to a group; then those round each group or node of the level before; the last
 * level is one node. */
struct tree {
    struct boxes *levels[12];
    int32_t *patch[12]; /* of each group and node: the patch that all of it belong to, or NONE */
    size_t sizes[12], count;
    int height, failed; /* −1 where memory is exhausted, 1 where there is no need to go on */
    void (*compare)(struct tree *, size_t one, size_t other);               /* two groups, or one with itself */
    int (*are_settled)(struct tree *, int32_t patch, int32_t other); /* whether two patches need no comparison; or NULL */
    void *memory;
};

/* Room for the tree over so many boxes, of no patch yet; −1 where memory is exhausted. */
int massprops_plan(struct tree *t, size_t count);

/* No box: it meets none. */
static inline void massprops_no_box(struct boxes *b, int lane)
{
    for (int k = 0; k < 3; k++)
        b->low[k][lane] = 3e38f, b->high[k][lane] = -3e38f;
}

/* The levels above the groups, and then all pairs of groups with boxes that meet, but for those of one patch. */
void massprops_compare_all(struct tree *t);

/* The bounds of triangles along three axes, whose parts are at most 1, rounded outwards. */
void massprops_bound_along(const Row *corners, const double axes[3][3], struct boxes *out);

/* Which boxes of a group meet the one in a lane of another, bit by bit. */
unsigned massprops_meets(const struct boxes *group, const struct boxes *other, int lane);

static inline int massprops_lowest(unsigned bits)
{
#ifdef __GNUC__
    return __builtin_ctz(bits);
#else
    int place = 0;
    while (!(bits >> place & 1))
        place++;
    return place;
#endif
}

/* Less than x by one rounding of a float at least; −beyond(−x) is more. */
static inline float beyond(double x) { return (float)(x - (fabs(x) * 0x1p-22 + 0x1p-126)); }

static inline double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The vector from one point to another. */
static inline void between(const double from[3], const double to[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = to[k] - from[k];
}

static inline void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0, i = 1, j = 2; k < 3; k++, i = j, j = (j + 1) % 3)
        out[k] = a[i] * b[j] - a[j] * b[i];
}

/* −1, 1, or 0 where rounding leaves it open. */
static inline int sign(double value, double bound) { return (value > bound) - (value < -bound); }

/* A plane through the origin: its normal u × v, and the sizes of the normal's terms. */
struct plane {
    double normal[3], size[3];
};

static inline void plane_of(const double u[3], const double v[3], struct plane *p)
{
    for (int k = 0, i = 1, j = 2; k < 3; k++, i = j, j = (j + 1) % 3) {
        double one = u[i] * v[j], two = u[j] * v[i];
        p->normal[k] = one - two, p->size[k] = fabs(one) + fabs(two);
    }
}

/* The sign of det [u, v, w]. */
static inline int side(const struct plane *p, const double w[3])
{
    return sign(dot(w, p->normal), PLANE_BOUND * (fabs(w[0]) * p->size[0] + fabs(w[1]) * p->size[1] + fabs(w[2]) * p->size[2]) + UNDERFLOW_ROOM);
}

/* Memory that is given back together. */
struct pool {
    void *items[24];
    int count, failed;
};

void *massprops_room(struct pool *p, size_t count, size_t size);
void massprops_free(struct pool *p);

/* A surface of which some facets are known to have nothing in common but the corners and edges that they share. */
struct patched {
    struct facets of; /* in an order along a curve */
    size_t points;
    int32_t (*across)[3]; /* the facets across the edges, or NONE */
    float (*boxes)[6];    /* low and high, rounded outwards */
    int32_t *patch;       /* that a facet belongs to, or NONE */
    uint8_t *stars;       /* of each point: 1 where its facets are one ring that is seen once */
    size_t patches, fans[2]; /* the first of those round points, whose facets need not be connected, and the one after these */
    struct pool pool;
};

/* Directions that patches are seen along, and as many reverses: whole numbers, so that they are exact. */
enum { AXES = 16, LARGEST = 21 };
extern const int8_t massprops_axes[AXES][3];

/* Finds the facets across the edges; whether every edge at the tile's own points is cancelled by its reverse, −1 where memory is
 * exhausted. */
int massprops_connect(struct patched *s);

/* Finds boxes and patches; −1 where memory is exhausted. */
int massprops_patch(struct patched *s);

/* Facets of a star from which on they are made a patch before others grow. */
enum { MANY = 128 };

/* Finds the points that have a star of so many facets at least, and makes patches of those with many; −1 where memory is exhausted. */
int massprops_find_stars(struct patched *s, int32_t least);

#endif
