/* Which points have a star: their facets, one closed ring, show their front to a direction and go round it once, so that they have nothing in
 * common but what they share. docs/patches.md. */
#include "proof.h"

/* On which side of a plane an edge of a facet leads, from one of its corners on: the plane has the direction in it, and no axis. */
static int side_of_edge(const struct patched *s, uint32_t direction, int32_t from, int32_t to)
{
    const int8_t *d = massprops_axes[direction % AXES];
    double normal[3] = {d[1] * 21 + d[2] * 13, d[2] * 8 - d[0] * 21, -d[0] * 13 - d[1] * 8}, edge[3], size = 0; /* square to it */
    between(s->of.points + 3 * (size_t)from, s->of.points + 3 * (size_t)to, edge);
    for (int k = 0; k < 3; k++)
        size += fabs(normal[k] * edge[k]);
    return sign(dot(normal, edge), 0x1p-50 * size + UNDERFLOW_ROOM);
}

int massprops_find_stars(struct patched *s)
{
    uint32_t *common = massprops_room(&s->pool, s->points, sizeof *common); /* directions that all facets of a point show their front to */
    s->stars = massprops_room(&s->pool, s->points, 1);
    if (s->pool.failed)
        return -1;
    memset(common, 0xff, s->points * sizeof *common), memset(s->stars, 0, s->points);
    for (int pass = 0; pass < 2; pass++)
        for (size_t f = 0; f < s->of.count; f++)
            for (int i = 0; i < 3; i++) {
                int next = i < 2 ? i + 1 : 0, last = i ? i - 1 : 2;
                const int32_t *n = s->of.corners + 3 * f;
                if (!pass)
                    common[n[i]] &= s->across[f][i] == NONE || s->across[f][last] == NONE ? 0 : s->seen[f];
                else if (common[n[i]]) { /* how often they go round, or more than once where a sign is not sure */
                    uint32_t direction = (uint32_t)massprops_lowest(common[n[i]]);
                    int before = side_of_edge(s, direction, n[i], n[next]), after = side_of_edge(s, direction, n[i], n[last]), turns = s->stars[n[i]];
                    s->stars[n[i]] = (uint8_t)(!before || !after || turns > 1 ? 2 : turns + (before < 0 && after > 0));
                }
            }
    return 0;
}
