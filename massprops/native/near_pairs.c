/* Pairs of facets whose boxes meet, by an implicit tree over groups of facets in Morton order: massprops/mesh/box_tree.py. */
#include "native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LANES boxes in columns: single precision, rounded outwards. */
struct boxes {
    float low[3][LANES], high[3][LANES];
};

/* The hull of two boxes, round the corners of a group at either end of a long edge. A bundle of long thin facets lies in it, and two bundles
 * are known to be apart where the boxes round all their facets are not: their facets are not compared. */
struct bundle {
    float low[2][3], high[2][3];
    int slender;
};

/* Boxes of facets in Morton order, then those round each group of the level before; the last level is one group. */
struct tree {
    const struct facets *facets;
    const int64_t *fan; /* of each facet, NULL where there are none */
    struct boxes *levels[22];
    struct bundle *bundles; /* of each group, NULL where there are none */
    int64_t *order, *part;
    struct list *out;
    int64_t left; /* pairs that may still be compared */
    int failed;   /* −1 where memory is exhausted, 1 where there are more pairs */
};

/* Facets from which on it pays to look at bundles; how many times longer than wide one of two is. */
enum { BUNDLES_FROM = 4096, SLENDER = 4 };

/* A group of facets in columns: corners [corner][axis] and their numbers, [corner]. */
struct group {
    Row corners[9];
    int64_t numbers[3][LANES], fan[LANES];
};

static uint64_t spread(double x)
{
    uint64_t w = (uint64_t)(x > -1 ? x < 1 ? (x + 1) * 0x1p20 : 0x1fffff : 0);
    w = (w | w << 32) & 0x1F00000000FFFF;
    w = (w | w << 16) & 0x1F0000FF0000FF;
    w = (w | w << 8) & 0x100F00F00F00F00F;
    w = (w | w << 4) & 0x10C30C30C30C30C3;
    return (w | w << 2) & 0x1249249249249249;
}

/* Less than x by one rounding of a float at least; −beyond(−x) is more. */
static float beyond(double x) { return (float)(x - (fabs(x) * 0x1p-22 + 0x1p-126)); }

/* Puts the box of a facet into a lane; the middle of that box along each axis is `middle`. */
static void box_of(const struct facets *s, int64_t facet, struct boxes *boxes, int lane, double middle[3])
{
    const int64_t *corners = s->corners + 3 * facet;
    const double *a = s->points + 3 * corners[0], *b = s->points + 3 * corners[1], *c = s->points + 3 * corners[2];
    for (int k = 0; k < 3; k++) {
        double low = a[k] < b[k] ? a[k] : b[k], high = a[k] > b[k] ? a[k] : b[k];
        boxes->low[k][lane] = beyond(low < c[k] ? low : c[k]);
        boxes->high[k][lane] = -beyond(-(high > c[k] ? high : c[k]));
        middle[k] = ((double)boxes->low[k][lane] + boxes->high[k][lane]) / 2;
    }
}

struct code {
    uint64_t word;
    int64_t facet;
};

/* The facets along a curve that keeps neighbours together: by their words, eight bits at a time. */
static void sort(struct code *codes, struct code *other, size_t count)
{
    for (int shift = 0; shift < 64; shift += 8) {
        size_t begin[257] = {0};
        for (size_t i = 0; i < count; i++)
            begin[(codes[i].word >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++)
            begin[i + 1] += begin[i];
        for (size_t i = 0; i < count; i++)
            other[begin[codes[i].word >> shift & 255]++] = codes[i];
        struct code *swap = codes;
        codes = other, other = swap;
    }
}

/* The order of the facets; −1 where memory is exhausted. */
static int arrange(struct tree *tree)
{
    size_t count = tree->facets->count;
    struct code *codes = malloc(2 * count * sizeof *codes);
    tree->order = malloc(count * sizeof *tree->order);
    if (codes && tree->order) {
        for (size_t f = 0; f < count; f++) {
            struct boxes box;
            double middle[3];
            box_of(tree->facets, (int64_t)f, &box, 0, middle);
            codes[f] = (struct code){spread(middle[0]) | spread(middle[1]) << 1 | spread(middle[2]) << 2, (int64_t)f};
            if (tree->fan && tree->fan[f] != (int64_t)f) /* a fan stands together */
                codes[f].word = (codes[tree->fan[f]].word & 0x7FFFFFFFFF000000) | codes[f].word >> 39;
        }
        sort(codes, codes + count, count); /* an even number of passes ends where it began */
        for (size_t f = 0; f < count; f++)
            tree->order[f] = codes[f].facet;
    }
    int failed = !codes || !tree->order;
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

static void gather(const struct tree *tree, size_t group, struct group *g)
{
    size_t first = group * LANES, left = tree->facets->count - first;
    for (int l = 0; l < LANES; l++) {
        int64_t facet = tree->order[first + ((size_t)l < left ? (size_t)l : 0)];
        const int64_t *corners = tree->facets->corners + 3 * facet;
        g->fan[l] = tree->fan ? tree->fan[facet] : facet;
        for (int i = 0; i < 3; i++) {
            g->numbers[i][l] = corners[i];
            for (int k = 0; k < 3; k++)
                g->corners[3 * i + k][l] = tree->facets->points[3 * corners[i] + k];
        }
    }
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
        int64_t a = other->numbers[0][lane], b = other->numbers[1][lane], c = other->numbers[2][lane];
        for (int l = 0; l < LANES; l++) {
            double x = g->corners[3 * i][l] - p[0], y = g->corners[3 * i + 1][l] - p[1], z = g->corners[3 * i + 2][l] - p[2];
            double value = x * n[0] + y * n[1] + z * n[2];
            double bound = PLANE_BOUND * (fabs(x) * size[0] + fabs(y) * size[1] + fabs(z) * size[2]) + UNDERFLOW_ROOM;
            int64_t number = g->numbers[i][l], shared = (number == a) | (number == b) | (number == c);
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

/* The facet that stands for the part of one: the first of those that are known to be connected. */
static int64_t root(int64_t *part, int64_t facet)
{
    while (part[facet] != facet)
        facet = part[facet] = part[part[facet]];
    return facet;
}

/* Compares two facets. */
static void compare(struct tree *tree, int64_t one, int64_t other, int beside, int axis)
{
    int neighbours, relation = massprops_relation(tree->facets, one, other, beside, axis, &neighbours);
    if (neighbours) {
        int64_t a = root(tree->part, one), b = root(tree->part, other);
        tree->part[a > b ? a : b] = a > b ? b : a;
    }
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

TARGETS static void bundle_of(const struct group *g, struct bundle *out)
{
    double edges[3][3], ends[2][3];
    int longest = 0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            edges[i][k] = g->corners[3 * i + k][0] - g->corners[3 * ((i + 2) % 3) + k][0];
        if (dot(edges[i], edges[i]) > dot(edges[longest], edges[longest]))
            longest = i;
    }
    const double *edge = edges[longest], half = dot(edge, edge) / 2;
    for (int k = 0; k < 3; k++)
        ends[1][k] = g->corners[3 * longest + k][0], ends[0][k] = ends[1][k] - edge[k];
    int64_t far[3][LANES];
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < LANES; l++) {
            double x = ends[1][0] - g->corners[3 * i][l], y = ends[1][1] - g->corners[3 * i + 1][l], z = ends[1][2] - g->corners[3 * i + 2][l];
            far[i][l] = x * edge[0] + y * edge[1] + z * edge[2] < half;
        }
    double length = 0, width = 0, at[2];
    for (int k = 0; k < 3; k++) {
        for (int b = 0; b < 2; b++) {
            Row low, high;
            for (int l = 0; l < LANES; l++)
                low[l] = high[l] = ends[b][k];
            for (int i = 0; i < 3; i++)
                for (int l = 0; l < LANES; l++) {
                    double x = far[i][l] == b ? g->corners[3 * i + k][l] : ends[b][k];
                    low[l] = x < low[l] ? x : low[l], high[l] = x > high[l] ? x : high[l];
                }
            for (int l = 1; l < LANES; l++)
                low[0] = low[l] < low[0] ? low[l] : low[0], high[0] = high[l] > high[0] ? high[l] : high[0];
            float below = beyond(low[0]), above = -beyond(-high[0]);
            out->low[b][k] = below, out->high[b][k] = above;
            at[b] = (double)below + above, width = fmax(width, (double)above - below);
        }
        length = fmax(length, fabs(at[1] - at[0]) / 2);
    }
    out->slender = length > SLENDER * width;
}

/* Whether all of one bundle lies beyond all of another along some axis. The axes: square to the edges of both, and from one's middle to the
 * other's, square to either edge. */
static int are_apart(const struct bundle *bundles[2])
{
    if (!bundles[0]->slender && !bundles[1]->slender)
        return 0;
    double at[2][2][3], size[2][2][3], edge[2][3], middle[2][3], way[3], axes[3][3]; /* twice what they are */
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 2; i++) {
                at[b][i][k] = (double)bundles[b]->low[i][k] + bundles[b]->high[i][k];
                size[b][i][k] = (double)bundles[b]->high[i][k] - bundles[b]->low[i][k];
            }
            edge[b][k] = at[b][1][k] - at[b][0][k], middle[b][k] = at[b][0][k] + at[b][1][k];
        }
    for (int k = 0, i = 1, j = 2; k < 3; k++, i = (i + 1) % 3, j = (j + 1) % 3)
        axes[0][k] = edge[0][i] * edge[1][j] - edge[0][j] * edge[1][i], way[k] = middle[1][k] - middle[0][k];
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++)
            axes[1 + b][k] = way[k] * dot(edge[b], edge[b]) - edge[b][k] * dot(way, edge[b]);
    for (int n = 0; n < 3; n++) {
        double sizes[3] = {fabs(axes[n][0]), fabs(axes[n][1]), fabs(axes[n][2])}, low[2], high[2];
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < 2; i++) {
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
static void compare_groups(struct tree *tree, const struct group *own, size_t one, size_t other)
{
    struct group g;
    if (are_one_fan(tree, own, other))
        return;
    if (tree->bundles && one != other && are_apart((const struct bundle *[]){tree->bundles + one, tree->bundles + other}))
        return;
    int gathered = one == other;
    const struct boxes *boxes = tree->levels[0];
    for (int i = 0; i < LANES && one * LANES + (size_t)i < tree->facets->count && !tree->failed; i++) {
        unsigned several, hits = meets(&boxes[other], &boxes[one], i) & (one == other ? ~1u << i : ~0u);
        if (!hits)
            continue;
        if (!gathered)
            gather(tree, other, &g), gathered = 1;
        const struct group *its = one == other ? own : &g;
        for (int l = 0; l < LANES; l++)
            hits &= ~((unsigned)(own->fan[i] == its->fan[l]) << l);
        int axis;
        unsigned clear = beside(its, own, i, &several, &axis);
        tree->left -= count_of(hits);
        if (tree->left < 0)
            tree->failed = 1;
        for (unsigned open = hits & (several | ~clear); open && !tree->failed; open &= open - 1) {
            int lane = count_of((open & -open) - 1);
            compare(tree, tree->order[one * LANES + (size_t)i], tree->order[other * LANES + (size_t)lane], clear >> lane & 1, axis);
        }
    }
}

/* Compares a group with all later ones under a node whose boxes meet its own. */
static void descend(struct tree *tree, const struct group *own, size_t group, int level, size_t node)
{
    unsigned hits = meets(&tree->levels[level][node], &tree->levels[1][group / LANES], (int)(group % LANES));
    for (; hits && !tree->failed; hits &= hits - 1) {
        size_t child = node * LANES + (size_t)count_of((hits & -hits) - 1);
        if ((child + 1) << 3 * (level - 1) <= group)
            continue;
        if (level > 1)
            descend(tree, own, group, level - 1, child);
        else
            compare_groups(tree, own, group, child);
    }
}

static void fill(struct tree *tree, int level, size_t count, size_t groups)
{
    double middle[3];
    for (size_t i = 0; i < groups * LANES; i++) {
        struct boxes *boxes = &tree->levels[level][i / LANES];
        int lane = (int)(i % LANES);
        if (i < count && !level) {
            box_of(tree->facets, tree->order[i], boxes, lane, middle);
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

int massprops_meetings(const struct facets *facets, const int64_t *fan, int64_t most, struct list *out, int64_t *part)
{
    struct tree tree = {.facets = facets, .fan = fan, .out = out, .part = part, .left = most};
    size_t count = facets->count, all = 0, sizes[22];
    int levels = 0;
    for (size_t f = 0; f < count; f++)
        part[f] = fan ? fan[f] : (int64_t)f;
    if (count < 2)
        return 0;
    for (size_t size = count; levels < 2 || size > 1; levels++)
        all += sizes[levels] = size = (size + LANES - 1) / LANES;
    tree.failed = arrange(&tree);
    struct boxes *boxes = malloc(all * sizeof *boxes);
    int bundles = fan || count >= BUNDLES_FROM;
    tree.bundles = bundles ? malloc(sizes[0] * sizeof *tree.bundles) : NULL;
    if (!boxes || (bundles && !tree.bundles))
        tree.failed = -1;
    if (!tree.failed) {
        struct group own;
        for (int l = 0; l < levels; l++) {
            tree.levels[l] = l ? tree.levels[l - 1] + sizes[l - 1] : boxes;
            fill(&tree, l, l ? sizes[l - 1] : count, sizes[l]);
        }
        for (size_t group = sizes[0]; group-- && !tree.failed;) { /* a bundle is known before those that it is compared with */
            gather(&tree, group, &own);
            if (tree.bundles)
                bundle_of(&own, tree.bundles + group);
            descend(&tree, &own, group, levels - 1, 0);
        }
    }
    for (size_t f = 0; f < count; f++)
        part[f] = root(part, (int64_t)f);
    free(boxes);
    free(tree.bundles);
    free(tree.order);
    return tree.failed;
}
