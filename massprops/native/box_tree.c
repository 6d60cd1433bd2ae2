/* An implicit tree of boxes, eight to a node, and the pairs of its groups that meet: of facets, of edges of an outline, of facets along other
 * axes. massprops/mesh/box_tree.py. */
#include "proof.h"

TARGETS unsigned massprops_meets(const struct boxes *restrict group, const struct boxes *restrict other, int lane)
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

TARGETS void massprops_bound_along(const Row *restrict c, const double axes[3][3], struct boxes *restrict out)
{
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < LANES; l++) {
            double x = axes[k][0] * c[0][l] + axes[k][1] * c[1][l] + axes[k][2] * c[2][l];
            double y = axes[k][0] * c[3][l] + axes[k][1] * c[4][l] + axes[k][2] * c[5][l];
            double z = axes[k][0] * c[6][l] + axes[k][1] * c[7][l] + axes[k][2] * c[8][l];
            double low = least(least(x, y), z), high = most(most(x, y), z);
            out->low[k][l] = (float)(low - (fabs(low) * 0x1p-22 + 0x1p-40)), out->high[k][l] = (float)(high + (fabs(high) * 0x1p-22 + 0x1p-40));
        }
}

int massprops_plan(struct tree *t, size_t count)
{
    size_t all = 0;
    t->count = count, t->height = 0, t->failed = 0;
    for (size_t size = count; t->height < 2 || size > 1; t->height++)
        all += t->sizes[t->height] = size = (size + LANES - 1) / LANES;
    struct boxes *boxes = t->memory = malloc(all * (sizeof *boxes + sizeof **t->patch) + 1);
    int32_t *patch = (int32_t *)(boxes + all);
    if (!boxes)
        return -1;
    for (size_t i = 0; i < all; i++)
        patch[i] = NONE;
    for (int l = 0; l < t->height; l++)
        t->levels[l] = boxes, boxes += t->sizes[l], t->patch[l] = patch, patch += t->sizes[l];
    return 0;
}

/* The box round those of a node into a lane of the one above. */
TARGETS static void enclose(const struct boxes *restrict b, struct boxes *restrict up, int lane)
{
    for (int k = 0; k < 3; k++) {
        float low[LANES], high[LANES];
        memcpy(low, b->low[k], sizeof low), memcpy(high, b->high[k], sizeof high);
        for (int half = LANES / 2; half; half /= 2)
            for (int l = 0; l < half; l++) {
                low[l] = low[l + half] < low[l] ? low[l + half] : low[l];
                high[l] = high[l + half] > high[l] ? high[l + half] : high[l];
            }
        up->low[k][lane] = low[0], up->high[k][lane] = high[0];
    }
}

static void stack(struct tree *t)
{
    for (size_t i = t->count; i < t->sizes[0] * LANES; i++)
        massprops_no_box(&t->levels[0][i / LANES], (int)(i % LANES));
    for (int level = 1; level < t->height; level++) {
        size_t below = t->sizes[level - 1];
        for (size_t i = 0; i < t->sizes[level] * LANES; i++) {
            int lane = (int)(i % LANES);
            int32_t *patch = &t->patch[level][i / LANES];
            if (i < below) {
                enclose(&t->levels[level - 1][i], &t->levels[level][i / LANES], lane);
                *patch = !lane || *patch == t->patch[level - 1][i] ? t->patch[level - 1][i] : NONE;
            } else
                massprops_no_box(&t->levels[level][i / LANES], lane);
        }
    }
}

/* Pairs of groups under two nodes, the same or an earlier and a later one. */
static void descend(struct tree *t, int level, size_t one, size_t other)
{
    if (!level) {
        t->compare(t, one, other);
        return;
    }
    const struct boxes *mine = &t->levels[level][one], *theirs = &t->levels[level][other];
    const int32_t *patch = t->patch[level - 1];
    for (int i = 0; i < LANES && one * LANES + (size_t)i < t->sizes[level - 1] && !t->failed; i++) {
        size_t child = one * LANES + (size_t)i;
        unsigned hits = massprops_meets(theirs, mine, i) & (one == other ? ~0u << i : ~0u);
        for (; hits && !t->failed; hits &= hits - 1) {
            size_t its = other * LANES + (size_t)massprops_lowest(hits);
            int32_t p = patch[child], q = patch[its];
            if (p == NONE || q == NONE || (p != q && !(t->are_settled && t->are_settled(t, p, q))))
                descend(t, level - 1, child, its);
        }
    }
}

void massprops_compare_all(struct tree *t)
{
    stack(t);
    if (t->count && t->patch[t->height - 1][0] == NONE)
        descend(t, t->height - 1, 0, 0);
}

void *massprops_room(struct pool *p, size_t count, size_t size)
{
    void *items = malloc(count * size + 1);
    p->failed |= !items;
    return p->items[p->count++] = items;
}

void massprops_free(struct pool *p)
{
    while (p->count)
        free(p->items[--p->count]);
}
