/* Pairs of facets whose boxes meet, by an implicit tree over groups of facets in Morton order: massprops/mesh/box_tree.py. */
#include "native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LANES boxes in columns: single precision, rounded outwards. */
struct boxes {
    float low[3][LANES], high[3][LANES];
};

/* The hull of three boxes, round those corners of a group that are next to each corner of one facet. Facets that are long and thin, or large
 * and parallel, make a slim bundle, and two bundles are known to be apart where the boxes round all their facets are not: their facets are
 * not compared. */
struct bundle {
    float low[3][3], high[3][3];
    int slender, known;
};

/* Boxes of facets in Morton order, then those round each group of the level before; the last level is one group. */
struct tree {
    const struct facets *facets;
    const int64_t *fan; /* of each facet, NULL where there are none */
    uint8_t *stars;     /* of each point: stars.c */
    struct boxes *levels[22];
    struct bundle *bundles[22]; /* of each group, then of each node of the levels above; NULL where there are none */
    size_t sizes[22];           /* how many groups and nodes there are */
    int credit;                 /* for looks at bundles: earned by comparisons of groups, spent by looks in vain */
    uint32_t *order;
    int32_t *part;
    struct list *out;
    double low[3], scale; /* of the bounds, to 1 */
    int64_t left;         /* pairs that may still be compared */
    int failed;           /* −1 where memory is exhausted, 1 where there are more pairs */
};

/* Facets, pairs of them in two groups, and comparisons of a group, from which on it pays to look at bundles; how many times longer than
 * wide one of two is; and for how many comparisons a look stands. */
enum { BUNDLES_FROM = 4096, BUNDLED_PAIRS = 12, MANY_VISITS = 48, SLENDER = 4, LOOK = 16 };

/* A group of facets in columns: corners [corner][axis] where `located`, and then their bounds along the diagonals x + y, x − y, y + z …; the numbers of those that have a star, else NONE, [corner]. */
struct group {
    Row corners[9];
    int32_t numbers[3][LANES], hubs[3][LANES];
    int64_t fan[LANES];
    uint8_t before[LANES];
    float low[6][LANES], high[6][LANES];
    int located;
};

enum { NONE = -1 };

static uint64_t spread(double x)
{
    uint64_t w = (uint64_t)(x > 0 ? x < 1 ? x * 0x1p21 : 0x1fffff : 0);
    w = (w | w << 32) & 0x1F00000000FFFF;
    w = (w | w << 16) & 0x1F0000FF0000FF;
    w = (w | w << 8) & 0x100F00F00F00F00F;
    w = (w | w << 4) & 0x10C30C30C30C30C3;
    return (w | w << 2) & 0x1249249249249249;
}

/* Less than x by one rounding of a float at least; −beyond(−x) is more. */
static float beyond(double x) { return (float)(x - (fabs(x) * 0x1p-22 + 0x1p-126)); }

/* Puts the box of a facet into a lane. */
static void box_of(const struct facets *s, size_t facet, struct boxes *boxes, int lane)
{
    const int32_t *corners = s->corners + 3 * facet;
    const double *a = s->points + 3 * corners[0], *b = s->points + 3 * corners[1], *c = s->points + 3 * corners[2];
    for (int k = 0; k < 3; k++) {
        boxes->low[k][lane] = beyond(least(least(a[k], b[k]), c[k]));
        boxes->high[k][lane] = -beyond(-most(most(a[k], b[k]), c[k]));
    }
}

/* Where a facet stands along a curve that keeps neighbours together; of the members of a fan in full, that of its head goes before. */
static uint64_t place_of(const struct tree *tree, size_t facet)
{
    uint64_t word = 0;
    const int32_t *corners = tree->facets->corners + 3 * facet;
    const double *a = tree->facets->points + 3 * corners[0], *b = tree->facets->points + 3 * corners[1], *c = tree->facets->points + 3 * corners[2];
    for (int k = 0; k < 3; k++)
        word |= spread(((least(least(a[k], b[k]), c[k]) + most(most(a[k], b[k]), c[k])) / 2 - tree->low[k]) * tree->scale) << k;
    if (tree->fan && tree->fan[facet] != (int64_t)facet)
        word = (place_of(tree, (size_t)tree->fan[facet]) & 0x7FFFFFFFFF000000) | word >> 39;
    return word;
}

struct place {
    uint64_t word;
    uint32_t facet;
};

static int ascending(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->word != y->word ? (x->word > y->word) - (x->word < y->word) : (x->facet > y->facet) - (x->facet < y->facet);
}

/* Puts facets with the same beginning of their places in order. */
static int refine(struct tree *tree, uint32_t *order, size_t count)
{
    struct place *places = malloc(count * sizeof *places);
    for (size_t i = 0; i < count && places; i++)
        places[i] = (struct place){place_of(tree, order[i]), order[i]};
    if (places)
        qsort(places, count, sizeof *places, ascending);
    for (size_t i = 0; i < count && places; i++)
        order[i] = places[i].facet;
    int failed = !places;
    free(places);
    return failed;
}

enum { DIGIT = 11, FACET_BITS = 31 }; /* of a code: three digits of the place stand before the number of the facet */

/* The order of the facets: by the first half of their places, eleven bits at a time, and where more than a group have that in common by
 * the whole. −1 where memory is exhausted. */
static int arrange(struct tree *tree)
{
    size_t count = tree->facets->count;
    uint64_t *codes = malloc(2 * count * sizeof *codes), *from = codes, *to = codes + count;
    int failed = !codes;
    for (size_t f = 0; f < count && !failed; f++)
        codes[f] = place_of(tree, f) >> (63 - 3 * DIGIT) << FACET_BITS | f;
    for (int shift = FACET_BITS; shift < 64 && !failed; shift += DIGIT) {
        size_t begin[(1 << DIGIT) + 1] = {0};
        for (size_t i = 0; i < count; i++)
            begin[(from[i] >> shift & ((1 << DIGIT) - 1)) + 1]++;
        for (int i = 0; i < 1 << DIGIT; i++)
            begin[i + 1] += begin[i];
        for (size_t i = 0; i < count; i++)
            to[begin[from[i] >> shift & ((1 << DIGIT) - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to, to = swap;
    }
    for (size_t i = 0; i < count && !failed; i++)
        tree->order[i] = (uint32_t)(from[i] & (((uint64_t)1 << FACET_BITS) - 1));
    for (size_t first = 0, next; first < count && !failed; first = next) {
        for (next = first + 1; next < count && from[next] >> FACET_BITS == from[first] >> FACET_BITS;)
            next++;
        if (next - first > LANES)
            failed = refine(tree, tree->order + first, next - first);
    }
    free(codes);
    return -failed;
}

/* Which boxes of a group meet the one in a lane of another, bit by bit. */
TARGETS static unsigned meets(const struct boxes *restrict group, const struct boxes *restrict other, int lane)
{
    unsigned hits = 0;
    int32_t hit[LANES];
    for (int l = 0; l < LANES; l++)
        hit[l] = (group->low[0][l] <= other->high[0][lane]) & (other->low[0][lane] <= group->high[0][l]) &
                 (group->low[1][l] <= other->high[1][lane]) & (other->low[1][lane] <= group->high[1][l]) &
                 (group->low[2][l] <= other->high[2][lane]) & (other->low[2][lane] <= group->high[2][l]);
    for (int l = 0; l < LANES; l++)
        hits |= (unsigned)hit[l] << l;
    return hits;
}

static size_t facet_at(const struct tree *tree, size_t group, int lane)
{
    size_t at = group * LANES + (size_t)lane;
    return tree->order[at < tree->facets->count ? at : group * LANES];
}

/* The numbers of a group. */
static void gather(const struct tree *tree, size_t group, struct group *g)
{
    g->located = 0;
    for (int l = 0; l < LANES; l++) {
        size_t facet = facet_at(tree, group, l);
        const int32_t *corners = tree->facets->corners + 3 * facet;
        g->fan[l] = tree->fan ? tree->fan[facet] : (int64_t)facet;
        g->before[l] = tree->facets->before ? tree->facets->before[facet] : 0;
        for (int i = 0; i < 3; i++)
            g->numbers[i][l] = corners[i], g->hubs[i][l] = tree->stars[corners[i]] ? corners[i] : NONE;
    }
}

/* Finds the bounds along the diagonals. */
TARGETS static void bound_diagonals(struct group *restrict g)
{
    for (int d = 0; d < 6; d++)
        for (int l = 0; l < LANES; l++) {
            double sign = d % 2 ? -1 : 1;
            const Row *x = g->corners + d / 2, *y = g->corners + (d / 2 + 1) % 3;
            double a = x[0][l] + sign * y[0][l], b = x[3][l] + sign * y[3][l], c = x[6][l] + sign * y[6][l];
            g->low[d][l] = (float)least(least(a, b), c), g->high[d][l] = (float)most(most(a, b), c);
        }
}

/* The corners of a group. */
static void locate(const struct tree *tree, struct group *g)
{
    if (g->located)
        return;
    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                g->corners[3 * i + k][l] = tree->facets->points[3 * g->numbers[i][l] + k];
    bound_diagonals(g);
    g->located = 1;
}

/* More than all roundings of sums of two coordinates to single precision, and of their difference. */
#define DIAGONAL_ROOM 0x1p-20f

/* Which facets of a group may meet the one in a lane of another by their bounds along the diagonals, bit by bit.
 * massprops/mesh/proof/meeting.py. */
TARGETS static unsigned meet_diagonally(const struct group *restrict g, const struct group *restrict other, int lane)
{
    unsigned bits = 0;
    int32_t hit[LANES];
    for (int l = 0; l < LANES; l++)
        hit[l] = -1;
    for (int d = 0; d < 6; d++) {
        float low = other->low[d][lane], high = other->high[d][lane];
        for (int l = 0; l < LANES; l++)
            hit[l] &= -((g->low[d][l] - high <= DIAGONAL_ROOM) & (low - g->high[d][l] <= DIAGONAL_ROOM));
    }
    for (int l = 0; l < LANES; l++)
        bits |= (unsigned)(hit[l] & 1) << l;
    return bits;
}

/* Which facets of a group have a corner with a star in common with the one in a lane of another, bit by bit. */
TARGETS static unsigned share_a_star(const struct group *restrict g, const struct group *restrict other, int lane)
{
    int32_t same[LANES] = {0};
    unsigned bits = 0;
    for (int i = 0; i < 3; i++) {
        int32_t number = other->hubs[i][lane] == NONE ? NONE - 1 : other->hubs[i][lane];
        for (int l = 0; l < LANES; l++)
            same[l] |= (g->hubs[0][l] == number) | (g->hubs[1][l] == number) | (g->hubs[2][l] == number);
    }
    for (int l = 0; l < LANES; l++)
        bits |= (unsigned)same[l] << l;
    return bits;
}

/* Which facets of a group have all corners, but for common ones, on one side of the plane of the facet in a lane of another, bit by bit;
 * `neighbours`: which have two corners in common with it; `axis`: along which that is largest. massprops/mesh/proof/embedding.py. */
TARGETS static unsigned beside(const struct group *restrict g, const struct group *restrict other, int lane, unsigned *neighbours, int *axis)
{
    double p[9], u[3], v[3], n[3], size[3];
    for (int i = 0; i < 9; i++)
        p[i] = other->corners[i][lane];
    for (int k = 0; k < 3; k++)
        u[k] = p[3 + k] - p[k], v[k] = p[6 + k] - p[k];
    for (int k = 0; k < 3; k++) {
        double one = u[(k + 1) % 3] * v[(k + 2) % 3], two = u[(k + 2) % 3] * v[(k + 1) % 3];
        n[k] = one - two, size[k] = fabs(one) + fabs(two);
    }
    int64_t above[LANES], below[LANES], common[LANES];
    memset(common, 0, sizeof common);
    for (int l = 0; l < LANES; l++)
        above[l] = below[l] = 1;
    for (int i = 0; i < 3; i++) {
        int32_t a = other->numbers[0][lane], b = other->numbers[1][lane], c = other->numbers[2][lane];
        for (int l = 0; l < LANES; l++) {
            double x = g->corners[3 * i][l] - p[0], y = g->corners[3 * i + 1][l] - p[1], z = g->corners[3 * i + 2][l] - p[2];
            double value = x * n[0] + y * n[1] + z * n[2];
            double bound = PLANE_BOUND * (fabs(x) * size[0] + fabs(y) * size[1] + fabs(z) * size[2]) + UNDERFLOW_ROOM;
            int64_t shared = (g->numbers[i][l] == a) | (g->numbers[i][l] == b) | (g->numbers[i][l] == c);
            above[l] &= shared | (value > bound);
            below[l] &= shared | (value < -bound);
            common[l] += shared;
        }
    }
    double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
    *axis = x > y ? x > z ? 0 : 2 : y > z ? 1 : 2;
    int64_t bits = 0, several = 0;
    for (int l = 0; l < LANES; l++)
        bits |= (above[l] | below[l]) << l, several |= (int64_t)(common[l] > 1) << l;
    *neighbours = (unsigned)several;
    return (unsigned)bits;
}

/* Compares two facets. */
static void compare(struct tree *tree, int64_t one, int64_t other, int beside, int axis)
{
    int neighbours, relation = massprops_relation(tree->facets, one, other, beside, axis, &neighbours);
    if (neighbours)
        massprops_join(tree->part, (int32_t)one, (int32_t)other);
    if (relation == 1)
        return;
    struct meeting *found = massprops_next(tree->out, sizeof *found);
    if (found)
        *found = (struct meeting){one, other, relation};
    else
        tree->failed = -1;
}

/* How many of LANES bits are set. */
static int count_of(unsigned bits)
{
    bits -= bits >> 1 & 0x55;
    bits = (bits & 0x33) + (bits >> 2 & 0x33);
    return (int)((bits + (bits >> 4)) & 0xf);
}

/* Whether all facets of a group and of another belong to one fan. */
static int are_one_fan(const struct tree *tree, const struct group *own, size_t other)
{
    for (size_t l = 0, i = other * LANES; tree->fan && l < LANES && i < tree->facets->count; l++, i++)
        if (own->fan[l] != own->fan[0] || tree->fan[tree->order[i]] != own->fan[0])
            return 0;
    return tree->fan != NULL;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The vector from one point to another. */
static void between(const double from[3], const double to[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = to[k] - from[k];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0, i = 1, j = 2; k < 3; k++, i = (i + 1) % 3, j = (j + 1) % 3)
        out[k] = a[i] * b[j] - a[j] * b[i];
}

/* Which of three numbers is the least. */
static int64_t least_of(double a, double b, double c) { return b < a ? c < b ? 2 : 1 : c < a ? 2 : 0; }

TARGETS static void bundle_of(const struct group *g, struct bundle *out)
{
    int64_t next[3][LANES];
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < LANES; l++) {
            double far[3] = {0, 0, 0};
            for (int b = 0; b < 3; b++)
                for (int k = 0; k < 3; k++)
                    far[b] += (g->corners[3 * i + k][l] - g->corners[3 * b + k][0]) * (g->corners[3 * i + k][l] - g->corners[3 * b + k][0]);
            next[i][l] = least_of(far[0], far[1], far[2]);
        }
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < 3; b++) {
            Row low, high;
            for (int l = 0; l < LANES; l++)
                low[l] = high[l] = g->corners[3 * b + k][0];
            for (int i = 0; i < 3; i++)
                for (int l = 0; l < LANES; l++) {
                    double x = next[i][l] == b ? g->corners[3 * i + k][l] : g->corners[3 * b + k][0];
                    low[l] = x < low[l] ? x : low[l], high[l] = x > high[l] ? x : high[l];
                }
            for (int l = 1; l < LANES; l++)
                low[0] = low[l] < low[0] ? low[l] : low[0], high[0] = high[l] > high[0] ? high[l] : high[0];
            out->low[b][k] = beyond(low[0]), out->high[b][k] = -beyond(-high[0]);
        }
}

/* Twice the middle of a box of a bundle. */
static void middle_of(const struct bundle *b, int box, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (double)b->low[box][k] + b->high[box][k];
}

/* Adds each box of a bundle to that one of another which is next to it. */
static void join_bundle(struct bundle *all, const struct bundle *b)
{
    double at[3][3], its[3], far[3], way[3];
    for (int i = 0; i < 3; i++)
        middle_of(all, i, at[i]);
    for (int i = 0; i < 3; i++) {
        middle_of(b, i, its);
        for (int j = 0; j < 3; j++)
            between(at[j], its, way), far[j] = dot(way, way);
        for (int64_t k = 0, to = least_of(far[0], far[1], far[2]); k < 3; k++) {
            all->low[to][k] = b->low[i][k] < all->low[to][k] ? b->low[i][k] : all->low[to][k];
            all->high[to][k] = b->high[i][k] > all->high[to][k] ? b->high[i][k] : all->high[to][k];
        }
    }
}

/* The bundle of a group, or of a node of a level above, which is made when first asked for. */
static const struct bundle *bundled(const struct tree *tree, int level, size_t node)
{
    struct bundle *b = tree->bundles[level] + node;
    double length = 0, width = 0;
    if (b->known)
        return b;
    if (!level) {
        struct group g;
        gather(tree, node, &g), locate(tree, &g), bundle_of(&g, b);
    } else {
        *b = *bundled(tree, level - 1, node * LANES);
        for (size_t i = node * LANES + 1; i < (node + 1) * LANES && i < tree->sizes[level - 1]; i++)
            join_bundle(b, bundled(tree, level - 1, i));
    }
    for (int i = 0; i < 3; i++) {
        double one[3], other[3];
        middle_of(b, i, one), middle_of(b, (i + 1) % 3, other);
        for (int k = 0; k < 3; k++)
            width = fmax(width, (double)b->high[i][k] - b->low[i][k]), length = fmax(length, fabs(one[k] - other[k]) / 2);
    }
    b->slender = length > SLENDER * width, b->known = 1;
    return b;
}

/* Whether all of one bundle lies beyond all of another along some axis. The axes: square to the longest edges of both, from one's middle to
 * the other's, square to either edge, and square to either's three boxes. */
static int are_apart(const struct bundle *one, const struct bundle *other)
{
    const struct bundle *bundles[2] = {one, other};
    if (!bundles[0]->slender && !bundles[1]->slender)
        return 0;
    double at[2][3][3], size[2][3][3], edge[2][3] = {{0}}, middle[2][3], way[3], axes[5][3]; /* twice what they are */
    for (int b = 0; b < 2; b++) {
        for (int i = 0; i < 3; i++) {
            middle_of(bundles[b], i, at[b][i]);
            for (int k = 0; k < 3; k++)
                size[b][i][k] = (double)bundles[b]->high[i][k] - bundles[b]->low[i][k];
        }
        double sides[3][3];
        for (int i = 0; i < 3; i++) {
            between(at[b][i], at[b][(i + 1) % 3], sides[i]);
            for (int k = 0, longer = dot(sides[i], sides[i]) > dot(edge[b], edge[b]) || !i; k < 3 && longer; k++)
                edge[b][k] = sides[i][k], middle[b][k] = at[b][i][k] + at[b][(i + 1) % 3][k];
        }
        cross(sides[0], sides[1], axes[b]);
    }
    cross(edge[0], edge[1], axes[4]), between(middle[0], middle[1], way);
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++)
            axes[2 + b][k] = way[k] * dot(edge[b], edge[b]) - edge[b][k] * dot(way, edge[b]);
    for (int n = 0; n < 5; n++) {
        double sizes[3] = {fabs(axes[n][0]), fabs(axes[n][1]), fabs(axes[n][2])}, low[2], high[2];
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < 3; i++) {
                double x = dot(axes[n], at[b][i]), reach = dot(sizes, size[b][i]);
                low[b] = !i || x - reach < low[b] ? x - reach : low[b];
                high[b] = !i || x + reach > high[b] ? x + reach : high[b];
            }
        double room = (sizes[0] + sizes[1] + sizes[2]) * 0x1p-40 + UNDERFLOW_ROOM;
        if (low[0] - high[1] > room || low[1] - high[0] > room)
            return 1;
    }
    return 0;
}

/* Compares the facets of one group with those of the same or a later one. */
static void compare_groups(struct tree *tree, struct group *own, size_t one, size_t other)
{
    struct group g, *its = one == other ? own : &g;
    const struct boxes *boxes = tree->levels[0];
    unsigned hits[LANES], any = 0, near = meets(&boxes[one], &tree->levels[1][other / LANES], (int)(other % LANES));
    if (!near || are_one_fan(tree, own, other))
        return;
    for (int i = 0; i < LANES; i++) {
        hits[i] = near >> i & 1 ? meets(&boxes[other], &boxes[one], i) & (one == other ? ~1u << i : ~0u) : 0;
        any |= hits[i];
    }
    if (!any)
        return;
    if (one != other)
        gather(tree, other, its);
    int64_t met = 0;
    int left = 0;
    for (int i = 0; i < LANES; i++) {
        for (int l = 0; l < LANES && hits[i] && tree->fan; l++)
            hits[i] &= ~((unsigned)(own->fan[i] == its->fan[l]) << l);
        for (int l = 0; l < LANES && hits[i] && own->before[i]; l++)
            hits[i] &= ~((unsigned)((own->before[i] & its->before[l]) != 0) << l);
        met += count_of(hits[i]);
        hits[i] &= hits[i] ? ~share_a_star(its, own, i) : 0;
        left += count_of(hits[i]);
    }
    if (left)
        locate(tree, own), locate(tree, its);
    if (left >= BUNDLED_PAIRS && one != other && tree->bundles[0] && are_apart(bundled(tree, 0, one), bundled(tree, 0, other)))
        return;
    tree->left -= met;
    if (tree->left < 0)
        tree->failed = 1;
    for (int i = 0; i < LANES && left; i++) {
        int axis;
        hits[i] &= hits[i] ? meet_diagonally(its, own, i) : 0;
        unsigned several, clear = hits[i] ? beside(its, own, i, &several, &axis) : 0;
        for (unsigned open = hits[i] ? hits[i] & (several | ~clear) : 0; open && !tree->failed; open &= open - 1) {
            int lane = count_of((open & -open) - 1);
            compare(tree, tree->order[one * LANES + (size_t)i], tree->order[other * LANES + (size_t)lane], clear >> lane & 1, axis);
        }
    }
}

/* Compares a group with all later ones under a node whose boxes meet its own. */
static void descend(struct tree *tree, struct group *own, size_t group, int level, size_t node)
{
    unsigned hits = meets(&tree->levels[level][node], &tree->levels[1][group / LANES], (int)(group % LANES));
    for (; hits && !tree->failed; hits &= hits - 1) {
        size_t child = node * LANES + (size_t)count_of((hits & -hits) - 1);
        if ((child + 1) << 3 * (level - 1) <= group)
            continue;
        if (tree->credit > MANY_VISITS && tree->bundles[0]) {
            int apart = are_apart(bundled(tree, 0, group), bundled(tree, level - 1, child));
            tree->credit += apart ? LOOK / 2 : -LOOK;
            if (apart)
                continue;
        }
        if (level > 1)
            descend(tree, own, group, level - 1, child);
        else
            tree->credit++, compare_groups(tree, own, group, child);
    }
}

static void fill(struct tree *tree, int level, size_t count, size_t groups)
{
    for (size_t i = 0; i < groups * LANES; i++) {
        struct boxes *boxes = &tree->levels[level][i / LANES];
        int lane = (int)(i % LANES);
        if (i < count && !level) {
            box_of(tree->facets, tree->order[i], boxes, lane);
            continue;
        }
        for (int k = 0; k < 3; k++) { /* round none: nothing meets it */
            boxes->low[k][lane] = 2, boxes->high[k][lane] = -2;
            for (int l = 0; l < LANES && i < count; l++) {
                const struct boxes *below = &tree->levels[level - 1][i];
                boxes->low[k][lane] = below->low[k][l] < boxes->low[k][lane] ? below->low[k][l] : boxes->low[k][lane];
                boxes->high[k][lane] = below->high[k][l] > boxes->high[k][lane] ? below->high[k][l] : boxes->high[k][lane];
            }
        }
    }
}

/* Finds the bounds of all points. */
static void bound(struct tree *tree, size_t points)
{
    double high[3] = {-1, -1, -1}, size = 0x1p-1000;
    for (int k = 0; k < 3; k++)
        tree->low[k] = 1;
    for (size_t i = 0; i < 3 * points; i++) {
        tree->low[i % 3] = least(tree->low[i % 3], tree->facets->points[i]);
        high[i % 3] = most(high[i % 3], tree->facets->points[i]);
    }
    for (int k = 0; k < 3; k++)
        size = most(size, high[k] - tree->low[k]);
    tree->scale = 1 / size;
}

int massprops_meetings(const struct facets *facets, size_t points, const int64_t *fan, int64_t *most, struct list *out, int32_t *part, int *closed)
{
    struct tree tree = {.facets = facets, .fan = fan, .out = out, .part = part, .left = *most, .stars = malloc(points + 1)};
    tree.order = malloc(facets->count * sizeof *tree.order + 1); /* before what is freed again, so that it leaves no gap */
    size_t count = facets->count, all = 0, *sizes = tree.sizes;
    int levels = 0;
    for (size_t f = 0; f < count; f++)
        part[f] = (int32_t)(fan ? fan[f] : (int64_t)f);
    tree.failed = tree.stars && tree.order ? massprops_stars(facets, points, tree.stars, part, closed) : -1;
    for (size_t size = count; levels < 2 || size > 1; levels++)
        all += sizes[levels] = size = (size + LANES - 1) / LANES;
    bound(&tree, points);
    if (!tree.failed && count)
        tree.failed = arrange(&tree);
    struct boxes *boxes = malloc(all * sizeof *boxes + 1);
    int bundles = fan || count >= BUNDLES_FROM;
    tree.bundles[0] = bundles ? calloc(all + 1, sizeof *tree.bundles[0]) : NULL;
    if (!boxes || (bundles && !tree.bundles[0]))
        tree.failed = -1;
    if (!tree.failed && count) {
        struct group own;
        for (int l = 0; l < levels; l++) {
            tree.levels[l] = l ? tree.levels[l - 1] + sizes[l - 1] : boxes;
            tree.bundles[l] = l && bundles ? tree.bundles[l - 1] + sizes[l - 1] : tree.bundles[0];
            fill(&tree, l, l ? sizes[l - 1] : count, sizes[l]);
        }
        for (size_t group = 0; group < sizes[0] && !tree.failed; group++) {
            gather(&tree, group, &own), tree.credit /= 2; /* the next one meets as many */
            descend(&tree, &own, group, levels - 1, 0);
        }
    }
    for (size_t f = 0; f < count; f++)
        part[f] = massprops_root(part, (int32_t)f);
    free(boxes);
    free(tree.bundles[0]);
    free(tree.order);
    free(tree.stars);
    *most = tree.left;
    return tree.failed;
}
