/* Which points have a star: all their facets, one ring, have nothing in common but what they share. */
#include "proof.h"

/* A facet as its corner sees it: the two others, the normal, and the sums of their coordinates' sizes. */
struct spoke {
    double next[3], last[3], normal[3], next_size, last_size;
};

static double seen_from(const double *o, const double *p, double out[3])
{
    between(o, p, out);
    return fabs(out[0]) + fabs(out[1]) + fabs(out[2]);
}

/* Rounding of a determinant as a share of the product of the sizes, which is no less than the sum of its terms' sizes. */
#define STAR_BOUND (8 * 0x1p-53)

/* Whether the facets of a corner, a closed ring, are seen from a direction all with their front and go round it once: then the plane is
 * covered once. docs/patches.md. */
static int is_star(const struct spoke *spokes, size_t count)
{
    double direction[3] = {0, 0, 0}, ray[3], across[3];
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (spokes[i].next_size * spokes[i].last_size);
        for (int k = 0; k < 3; k++)
            direction[k] += weight * spokes[i].normal[k];
    }
    for (int k = 0; k < 3; k++)
        ray[k] = spokes->next[k] + 0.375 * (spokes->last[k] - spokes->next[k]);
    cross(direction, ray, across);
    double size = STAR_BOUND * (fabs(direction[0]) + fabs(direction[1]) + fabs(direction[2])), turns = 0;
    double across_size = size * (fabs(ray[0]) + fabs(ray[1]) + fabs(ray[2]));
    int good = size < INFINITY;
    for (size_t i = 0; i < count && good; i++) {
        const struct spoke *s = spokes + i;
        double before = dot(s->next, across), after = dot(s->last, across);
        good = dot(s->normal, direction) > size * s->next_size * s->last_size + UNDERFLOW_ROOM;
        good &= fabs(before) > across_size * s->next_size + UNDERFLOW_ROOM && fabs(after) > across_size * s->last_size + UNDERFLOW_ROOM;
        turns += before < 0 && after > 0;
    }
    return good && turns == 1;
}

int massprops_has_star(const struct patched *s, struct stars *stars, int32_t point, int32_t facet)
{
    enum { UNKNOWN, STAR, PLAIN };
    const double *points = s->of.points, *o = points + 3 * (size_t)point;
    int32_t f = facet;
    if (!stars->degrees || stars->known[point] != UNKNOWN)
        return stars->degrees && stars->known[point] == STAR;
    stars->known[point] = PLAIN, stars->spokes.count = 0;
    do {
        const int32_t *n = s->of.corners + 3 * (size_t)f;
        int i = n[0] == point ? 0 : n[1] == point ? 1 : 2, last = i ? i - 1 : 2;
        struct spoke *spoke = stars->spokes.count < stars->degrees[point] ? massprops_next(&stars->spokes, sizeof *spoke) : NULL;
        if (!spoke)
            return 0;
        spoke->next_size = seen_from(o, points + 3 * (size_t)n[(i + 1) % 3], spoke->next);
        spoke->last_size = seen_from(o, points + 3 * (size_t)n[last], spoke->last);
        cross(spoke->next, spoke->last, spoke->normal);
        f = s->across[f][last];
    } while (f != NONE && f != facet);
    if (f != NONE && stars->spokes.count > 2 && stars->spokes.count == stars->degrees[point] && is_star(stars->spokes.items, stars->spokes.count))
        stars->known[point] = STAR;
    return stars->known[point] == STAR;
}
