/* Pairs of facets whose boxes meet, by an implicit tree over boxes in Morton order: massprops/mesh/proof/near_pairs.py. */
#include "native.h"

#include <math.h>
#include <stdlib.h>

/* A box round facets: single precision, rounded outwards. */
struct box {
    float low[3], high[3];
};

/* Boxes of facets in Morton order, and those round two of each level before; the lowest first. */
struct tree {
    const struct facets *facets;
    struct box *levels[64];
    int64_t *order, *part;
    struct list *out;
    int64_t left; /* pairs that may still be compared */
    int failed;   /* −1 where memory is exhausted, 1 where there are more pairs */
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

static struct box box_of(const struct facets *s, int64_t facet)
{
    struct box box;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3; i++) {
            double x = s->points[3 * s->corners[3 * facet + i] + k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        box.low[k] = nextafterf((float)low, -INFINITY);
        box.high[k] = nextafterf((float)high, INFINITY);
    }
    return box;
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

static int meet(const struct box *a, const struct box *b)
{
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
           a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/* The facet that stands for the part of one: the first of those that are known to be connected. */
static int64_t root(int64_t *part, int64_t facet)
{
    while (part[facet] != facet)
        facet = part[facet] = part[part[facet]];
    return facet;
}

/* Compares the facets under one node with those under another of the same level; their boxes meet. */
static void compare(struct tree *tree, int level, size_t a, size_t b)
{
    if (tree->failed)
        return;
    if (level == 0) {
        if (tree->left-- <= 0) {
            tree->failed = 1;
            return;
        }
        int64_t one = tree->order[a], other = tree->order[b];
        int neighbours, relation = massprops_relation(tree->facets, one, other, &neighbours);
        if (neighbours) {
            int64_t a_root = root(tree->part, one), b_root = root(tree->part, other);
            tree->part[a_root > b_root ? a_root : b_root] = a_root > b_root ? b_root : a_root;
        }
        struct meeting *found = relation < 1 ? massprops_next(tree->out, sizeof *found) : NULL;
        if (found)
            *found = (struct meeting){one, other, relation};
        tree->failed = relation < 1 && !found ? -1 : 0;
        return;
    }
    const struct box *below = tree->levels[level - 1];
    for (size_t i = 2 * a; i < 2 * a + 2; i++)
        for (size_t j = 2 * b; j < 2 * b + 2; j++)
            if (meet(below + i, below + j))
                compare(tree, level - 1, i, j);
}

static struct box round_both(const struct box *a, const struct box *b)
{
    struct box box;
    for (int k = 0; k < 3; k++) {
        box.low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
        box.high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
    }
    return box;
}

/* The order of the facets; −1 where memory is exhausted. */
static int arrange(struct tree *tree)
{
    size_t count = tree->facets->count;
    struct code *codes = malloc(2 * count * sizeof *codes);
    tree->order = malloc(count * sizeof *tree->order);
    if (codes && tree->order) {
        for (size_t f = 0; f < count; f++) {
            struct box box = box_of(tree->facets, (int64_t)f);
            codes[f] = (struct code){0, (int64_t)f};
            for (int k = 0; k < 3; k++)
                codes[f].word |= spread(((double)box.low[k] + box.high[k]) / 2) << k;
        }
        sort(codes, codes + count, count); /* an even number of passes ends where it began */
        for (size_t f = 0; f < count; f++)
            tree->order[f] = codes[f].facet;
    }
    int failed = !codes || !tree->order;
    free(codes);
    return -failed;
}

int massprops_meetings(const struct facets *facets, int64_t most, struct list *out, int64_t *part)
{
    static const struct box nothing = {{2, 2, 2}, {-2, -2, -2}}; /* fills levels up to an even number */
    struct tree tree = {.facets = facets, .out = out, .part = part, .left = most};
    size_t count = facets->count, all = 0, sizes[64] = {0};
    int top = 0;
    for (size_t f = 0; f < count; f++)
        part[f] = (int64_t)f;
    if (count < 2)
        return 0;
    for (size_t size = count; size > 1; size = sizes[top++] / 2)
        all += sizes[top] = size + size % 2;
    tree.failed = arrange(&tree);
    struct box *boxes = malloc(all * sizeof *boxes);
    if (boxes && !tree.failed) {
        struct box *level = boxes;
        for (int l = 0; l < top; level += sizes[l++]) {
            size_t filled = l ? sizes[l - 1] / 2 : count;
            tree.levels[l] = level;
            for (size_t i = 0; i < sizes[l]; i++)
                level[i] = i >= filled ? nothing : l ? round_both(&tree.levels[l - 1][2 * i], &tree.levels[l - 1][2 * i + 1]) : box_of(facets, tree.order[i]);
        }
        for (int l = 0; l < top; l++)
            for (size_t i = 0; i < sizes[l]; i += 2) /* two under one node: every pair of facets has one such node */
                if (meet(&tree.levels[l][i], &tree.levels[l][i + 1]))
                    compare(&tree, l, i, i + 1);
    }
    for (size_t f = 0; f < count; f++)
        part[f] = root(part, (int64_t)f);
    int failed = boxes ? tree.failed : -1;
    free(boxes);
    free(tree.order);
    return failed;
}
