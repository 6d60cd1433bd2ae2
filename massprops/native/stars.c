/* Which points have a star: their facets, one closed ring, show their front to a direction and go round it once, so that they have nothing in
 * common but what they share. docs/patches.md. */
#include "proof.h"

/* Rounding of a determinant as a share of the product of the lengths, which is no less than half the sum of its terms' sizes. */
#define STAR_BOUND (32 * 0x1p-53)

/* A facet: its edges, each from its corner on, their lengths, and its normal. */
struct spokes {
    double edges[3][3], sizes[3], normal[3];
};

/* The length of a vector; more if its square underflows. */
static double size_of(const double v[3]) { return sqrt(dot(v, v)) + 0x1p-500; }

static void spokes_of(const struct patched *s, size_t f, struct spokes *out)
{
    const int32_t *n = s->of.corners + 3 * f;
    for (int i = 0; i < 3; i++)
        between(s->of.points + 3 * (size_t)n[i], s->of.points + 3 * (size_t)n[(i + 1) % 3], out->edges[i]), out->sizes[i] = size_of(out->edges[i]);
    cross(out->edges[0], out->edges[1], out->normal);
}

/* How often the facets of a corner go round its direction, with one more; 2 where a sign is not sure, or a facet shows its back. */
static int turns_with(const struct spokes *s, int i, const double direction[3], int turns)
{
    static const double ray[3] = {0.37, -0.21, 0.42};
    double across[3], size = STAR_BOUND * size_of(direction);
    const double *next = s->edges[i], *last = s->edges[i ? i - 1 : 2]; /* towards the corner */
    cross(direction, ray, across);
    int before = sign(dot(next, across), size * s->sizes[i] + UNDERFLOW_ROOM), after = -sign(dot(last, across), size * s->sizes[i ? i - 1 : 2] + UNDERFLOW_ROOM);
    int front = dot(s->normal, direction) > size * s->sizes[0] * s->sizes[1] + UNDERFLOW_ROOM;
    return !front || !before || !after || turns > 1 ? 2 : turns + (before < 0 && after > 0);
}

/* Makes facets in no patch one where many are round a point with a star, or round one outside of the tile: pairs of these are compared in its
 * tile, or in that of another corner that they share and that is in more facets. */
static void gather_stars(struct patched *s, const int32_t *counts, int32_t *patches)
{
    memset(patches, 0xff, s->points * sizeof *patches), s->fans[0] = s->patches;
    for (size_t f = 0; f < s->of.count; f++) {
        const int32_t *n = s->of.corners + 3 * f;
        int32_t hub = counts[n[1]] > counts[n[0]] ? n[1] : n[0];
        hub = counts[n[2]] > counts[hub] ? n[2] : hub;
        if (s->patch[f] == NONE && counts[hub] >= 2 * MANY && ((size_t)hub >= s->of.own || s->stars[hub] == 1))
            s->patch[f] = patches[hub] = patches[hub] == NONE ? (int32_t)s->patches++ : patches[hub];
    }
    s->fans[1] = s->patches;
}

int massprops_find_stars(struct patched *s, int32_t least)
{
    struct pool pool = {.count = 0};
    double(*directions)[3] = massprops_room(&pool, s->points, sizeof *directions);
    int32_t *counts = massprops_room(&pool, s->points, sizeof *counts); /* twice how many facets there are, and one more in the tile */
    int failed = pool.failed ? -1 : 0, found = 0;
    if (!failed)
        memset(s->stars, 0, s->points), memset(counts, 0, s->points * sizeof *counts);
    for (size_t i = 0; i < 3 * s->of.count && !failed; i++)
        counts[s->of.corners[i]] = (counts[s->of.corners[i]] + 2) | ((size_t)s->of.corners[i] < s->of.own);
    for (size_t p = 0; p < s->points && !failed && !found; p++)
        found = counts[p] >= 2 * least;
    if (found)
        memset(directions, 0, s->points * sizeof *directions);
    for (int pass = 0; pass < 2 && found; pass++)
        for (size_t f = 0; f < s->of.count; f++) {
            struct spokes facet;
            const int32_t *n = s->of.corners + 3 * f;
            if (counts[n[0]] < 2 * least && counts[n[1]] < 2 * least && counts[n[2]] < 2 * least)
                continue;
            spokes_of(s, f, &facet);
            for (int i = 0; i < 3; i++) {
                int last = i ? i - 1 : 2;
                double weight = 1 / (facet.sizes[i] * facet.sizes[last]);
                for (int k = 0; k < 3 && !pass; k++)
                    directions[n[i]][k] += weight * facet.normal[k];
                if (counts[n[i]] < 2 * least || s->across[f][i] == NONE || s->across[f][last] == NONE)
                    s->stars[n[i]] = 2;
                else if (pass && s->stars[n[i]] < 2)
                    s->stars[n[i]] = (uint8_t)turns_with(&facet, i, directions[n[i]], s->stars[n[i]]);
            }
        }
    if (found)
        gather_stars(s, counts, (int32_t *)directions);
    massprops_free(&pool);
    return failed;
}
