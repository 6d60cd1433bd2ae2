/* Pairs of facets that are not known to be apart: those whose boxes meet, but for those of one patch (patches.c). massprops/mesh/box_tree.py. */
#include "proof.h"

/* A group of facets in columns, some of which may be none: they are the first one again, which its box leaves out. Corners [corner][axis] and
 * bounds along the diagonals x + y, x − y, y + z … where `located`; the numbers of those that have a star, else NONE, [corner]. */
struct group {
    Row corners[9];
    int32_t numbers[3][LANES], hubs[3][LANES], patch[LANES];
    uint8_t before[LANES];
    struct boxes bounds[2];
    size_t number;
    int located;
};

/* x + y, x − y, y + z, y − z, z + x and z − x. */
static const double diagonals[2][3][3] = {{{1, 1, 0}, {1, -1, 0}, {0, 1, 1}}, {{0, 1, -1}, {1, 0, 1}, {-1, 0, 1}}};

enum { KNOWN = 64 };

/* Two patches: how many pairs of their facets were met; whether all of them have been compared. */
struct two {
    int32_t one, other;
    uint32_t met, settled;
};

/* Facets by patch, each of more than two groups from a group of its own on. */
struct placed {
    struct tree tree;
    struct patched of;
    const uint8_t *before; /* of each facet in the file's order, or NULL */
    uint32_t *original;    /* numbers of the facets */
    uint32_t *order;       /* facets in their places in the tree, or NOBODY */
    size_t *begins, *sizes; /* of patches: the first place, and how many facets; 0 where it has no groups of its own */
    struct two *twos; /* where the numbers of two patches lead; one takes the place of another */
    size_t two_count; /* a power of two */
    struct group known[KNOWN + 1]; /* groups that were compared last; the last one where two have one place */
    size_t outlined; /* edges of facets in outlines of patches, or of none */
    int32_t *part;
    struct list *out;
    int64_t left; /* pairs that may still be compared */
};

/* Facets of two patches in boxes along other axes. */
struct frame {
    struct tree tree;
    struct placed *of;
    double axes[3][3];
    size_t groups, first[2]; /* how many there are of the one patch; the first group of each */
};

#define NOBODY UINT32_MAX

static uint64_t spread(double x)
{
    uint64_t w = (uint64_t)(x > 0 ? x < 2047 ? x : 2047 : 0);
    w = (w | w << 16) & 0xFF0000FF;
    w = (w | w << 8) & 0xF00F00F00F;
    w = (w | w << 4) & 0xC30C30C30C3;
    return (w | w << 2) & 0x249249249249;
}

/* Puts codes in order, eleven bits of a digit at a time, with room for as many. */
static void sort(uint64_t *codes, uint64_t *room, size_t count, int lowest)
{
    enum { DIGIT = 11, FEW = 256 };
    for (size_t i = 1; i < count && count < FEW; i++) {
        uint64_t code = codes[i];
        size_t at = i;
        for (; at && codes[at - 1] > code; at--)
            codes[at] = codes[at - 1];
        codes[at] = code;
    }
    for (int shift = lowest; shift < 64 && count >= FEW; shift += DIGIT) {
        size_t begin[(1 << DIGIT) + 1] = {0};
        for (size_t i = 0; i < count; i++)
            begin[(codes[i] >> shift & ((1 << DIGIT) - 1)) + 1]++;
        for (int i = 0; i < 1 << DIGIT; i++)
            begin[i + 1] += begin[i];
        for (size_t i = 0; i < count; i++)
            room[begin[codes[i] >> shift & ((1 << DIGIT) - 1)]++] = codes[i];
        memcpy(codes, room, count * sizeof *codes);
    }
}

static void widen(double box[2][3], const double *p)
{
    for (int k = 0; k < 3; k++)
        box[0][k] = least(box[0][k], p[k]), box[1][k] = most(box[1][k], p[k]);
}

/* Puts facets in order along a curve that keeps neighbours together: by 33 bits of the middles of their boxes, which are in a common one, and
 * where more than a group have those in common by the same among them. Codes: those bits, and the number of the facet. */
static void arrange(const struct facets *s, uint32_t *order, size_t count, uint64_t *codes, uint64_t *room, const double box[2][3])
{
    enum { FACET_BITS = 31 };
    double size = most(most(box[1][0] - box[0][0], box[1][1] - box[0][1]), box[1][2] - box[0][2]), scale = 1024 / size;
    if (!(size > 0x1p-900))
        return;
    for (size_t i = 0; i < count; i++) {
        const int32_t *n = s->corners + 3 * (size_t)order[i];
        const double *a = s->points + 3 * (size_t)n[0], *b = s->points + 3 * (size_t)n[1], *c = s->points + 3 * (size_t)n[2];
        uint64_t code = 0;
        for (int k = 0; k < 3; k++)
            code |= spread((least(least(a[k], b[k]), c[k]) + most(most(a[k], b[k]), c[k]) - 2 * box[0][k]) * scale) << k;
        codes[i] = code << FACET_BITS | order[i];
    }
    sort(codes, room, count, FACET_BITS);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)(codes[i] & (((uint64_t)1 << FACET_BITS) - 1));
    for (size_t first = 0, next; first < count; first = next) {
        double own[2][3] = {{3, 3, 3}, {-3, -3, -3}};
        for (next = first + 1; next < count && codes[next] >> FACET_BITS == codes[first] >> FACET_BITS;)
            next++;
        if (next - first <= LANES || next - first == count)
            continue;
        for (size_t i = 3 * first; i < 3 * next; i++)
            widen(own, s->points + 3 * (size_t)s->corners[3 * (size_t)order[i / 3] + i % 3]);
        arrange(s, order + first, next - first, codes + first, room + first, (const double (*)[3])own);
    }
}

/* A group, in another place than one that is in use. */
static struct group *gathered(struct placed *s, size_t group, const struct group *busy)
{
    struct group *g = &s->known[group % KNOWN];
    g = g == busy ? &s->known[KNOWN] : g;
    if (g->number == group)
        return g;
    g->number = group, g->located = 0;
    for (size_t l = 0; l < LANES; l++) {
        size_t at = group * LANES + l;
        uint32_t facet = s->order[at < s->tree.count && s->order[at] != NOBODY ? at : group * LANES];
        g->before[l] = s->before ? s->before[s->original[facet]] & 7 : 0;
        g->patch[l] = s->of.patch[facet];
        for (int i = 0; i < 3; i++) {
            int32_t n = s->of.of.corners[3 * (size_t)facet + (size_t)i];
            g->numbers[i][l] = n, g->hubs[i][l] = s->of.stars[n] == 1 ? n : NONE;
        }
    }
    return g;
}

/* The corners of a group, and its bounds along the diagonals. */
static void locate(const struct placed *s, struct group *g)
{
    for (int l = 0; l < LANES && !g->located; l++)
        for (int i = 0; i < 9; i++)
            g->corners[i][l] = s->of.of.points[3 * (size_t)g->numbers[i / 3][l] + (size_t)(i % 3)];
    for (int i = 0; i < 2 && !g->located; i++)
        massprops_bound_along((const Row *)g->corners, diagonals[i], &g->bounds[i]);
    g->located = 1;
}

/* Which facets of a group have a star or the patch in common with the one in a lane of another, bit by bit. */
TARGETS static unsigned are_known(const struct group *restrict g, const struct group *restrict other, int lane)
{
    int32_t same[LANES];
    unsigned bits = 0;
    int32_t patch = other->patch[lane] == NONE ? NONE - 1 : other->patch[lane];
    for (int l = 0; l < LANES; l++)
        same[l] = g->patch[l] == patch;
    for (int i = 0; i < 3; i++) {
        int32_t hub = other->hubs[i][lane] == NONE ? NONE - 1 : other->hubs[i][lane];
        for (int l = 0; l < LANES; l++)
            same[l] |= (g->hubs[0][l] == hub) | (g->hubs[1][l] == hub) | (g->hubs[2][l] == hub);
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
static void compare(struct placed *s, uint32_t one, uint32_t other, int beside, int axis)
{
    int neighbours, relation = massprops_relation(&s->of.of, one, other, beside, axis, &neighbours);
    uint32_t mine = s->original[one], its = s->original[other];
    if (neighbours)
        massprops_join(s->part, (int32_t)mine, (int32_t)its);
    if (relation == 1)
        return;
    struct meeting *found = massprops_next(s->out, sizeof *found);
    if (found)
        *found = (struct meeting){mine, its, relation};
    else
        s->tree.failed = -1;
}

/* Which boxes of a group meet those of another, one number for each of the one; how many pairs there are. */
static int meet_all(const struct tree *t, size_t one, size_t other, unsigned hits[LANES])
{
    int met = 0;
    unsigned near = massprops_meets(&t->levels[0][one], &t->levels[1][other / LANES], (int)(other % LANES));
    memset(hits, 0, LANES * sizeof *hits);
    for (; near; near &= near - 1) {
        int i = massprops_lowest(near);
        hits[i] = massprops_meets(&t->levels[0][other], &t->levels[0][one], i) & (one == other ? ~1u << i : ~0u);
        for (unsigned left = hits[i]; left; left &= left - 1)
            met++;
    }
    return met;
}

/* Whether two facets have a corner of the tile in common. */
static int share_own(const struct placed *s, const struct group *g, int i, const struct group *h, int l)
{
    int shared = 0;
    for (int k = 0; k < 9; k++)
        shared |= g->numbers[k / 3][i] == h->numbers[k % 3][l] && (size_t)g->numbers[k / 3][i] < s->of.of.own;
    return shared;
}

/* Compares pairs of facets of two groups, given by those of the other that each one of the first meets. */
static void compare_pairs(struct placed *s, size_t one, size_t other, unsigned hits[LANES])
{
    struct group *own = gathered(s, one, NULL), *its = one == other ? own : gathered(s, other, own);
    int left = 0;
    for (int i = 0; i < LANES; i++) {
        for (int l = 0; l < LANES && own->before[i] && hits[i]; l++)
            hits[i] &= ~((unsigned)((own->before[i] & its->before[l]) && !share_own(s, own, i, its, l)) << l);
        hits[i] &= hits[i] ? ~are_known(its, own, i) : 0;
        for (unsigned open = hits[i]; open; open &= open - 1)
            left++;
    }
    s->left -= left;
    if (s->left < 0)
        s->tree.failed = 1;
    if (!left)
        return;
    locate(s, own), locate(s, its);
    for (int i = 0; i < LANES; i++) {
        int axis;
        for (int d = 0; d < 2 && hits[i]; d++)
            hits[i] &= massprops_meets(&its->bounds[d], &own->bounds[d], i);
        unsigned several, clear = hits[i] ? beside(its, own, i, &several, &axis) : 0;
        for (unsigned open = hits[i] ? hits[i] & (several | ~clear) : 0; open && !s->tree.failed; open &= open - 1) {
            int lane = massprops_lowest(open);
            compare(s, s->order[one * LANES + (size_t)i], s->order[other * LANES + (size_t)lane], clear >> lane & 1, axis);
        }
    }
}

/* What is known of two patches. */
static struct two *two_of(struct placed *s, int32_t one, int32_t other)
{
    uint64_t word = (uint64_t)(one < other ? one : other) << 32 | (uint64_t)(one < other ? other : one);
    struct two *two = s->twos + (word * 0x9E3779B97F4A7C15u >> 32 & (s->two_count - 1));
    if (two->one != (int32_t)(word >> 32) || two->other != (int32_t)word)
        *two = (struct two){(int32_t)(word >> 32), (int32_t)word, 0, 0};
    return two;
}

static int are_settled(struct tree *t, int32_t one, int32_t other) { return two_of((struct placed *)t, one, other)->settled; }

/* Makes the sum of the sizes of a vector's parts 1; a vector too short becomes that along an axis. */
static void shorten(double v[3], int axis)
{
    double size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
    for (int k = 0; k < 3; k++)
        v[k] = size > 0x1p-500 ? v[k] / size : k == axis;
}

/* Axes along which facets are likely to be slim: the longest of edges that are not the longest of their facets (the longest is a diagonal,
 * often), the normal of that facet, and square to both. So of some places in the tree, from one to another. */
static void look_along(const struct placed *s, size_t at, size_t end, size_t step, double axes[3][3], double *longest)
{
    for (; at < end; at += step) {
        double edges[3][3], sizes[3];
        const int32_t *n = s->of.of.corners + 3 * (size_t)s->order[s->order[at] == NOBODY ? at - at % LANES : at];
        for (int k = 0; k < 3; k++) {
            between(s->of.of.points + 3 * (size_t)n[k], s->of.of.points + 3 * (size_t)n[(k + 1) % 3], edges[k]);
            sizes[k] = dot(edges[k], edges[k]);
        }
        double middle = most(least(sizes[0], sizes[1]), least(most(sizes[0], sizes[1]), sizes[2]));
        for (int k = 0; k < 3; k++)
            if (sizes[k] == middle && middle > *longest)
                *longest = middle, memcpy(axes[0], edges[k], sizeof edges[k]), cross(edges[0], edges[1], axes[1]);
    }
}

/* Makes axes of the two that were found. */
static void square(double axes[3][3])
{
    shorten(axes[0], 0), shorten(axes[1], 1), cross(axes[0], axes[1], axes[2]), shorten(axes[2], 2);
}

/* The boxes of the facets in a group along some axes. */
static void bound(struct placed *s, size_t group, const double axes[3][3], struct boxes *out)
{
    struct group *g = gathered(s, group, NULL);
    locate(s, g);
    massprops_bound_along((const Row *)g->corners, axes, out);
    for (size_t l = 0; l < LANES && group * LANES + l < s->tree.count; l++)
        if (s->order[group * LANES + l] == NOBODY)
            massprops_no_box(out, (int)l);
}

static double volume_of(const struct boxes *b, int lane)
{
    return ((double)b->high[0][lane] - b->low[0][lane]) * ((double)b->high[1][lane] - b->low[1][lane]) * ((double)b->high[2][lane] - b->low[2][lane]);
}

/* Whether boxes along other axes are far slimmer than those along the coordinates, nine in ten of some groups', and these fill space several
 * times: long facets turned off the coordinates, side by side or in each other. */
static int are_slimmer(struct placed *s, double axes[3][3])
{
    size_t step = s->tree.sizes[0] / 64 + 16, count = 0, slim = 0;
    double longest = -1, filled = 0, all[2][3] = {{3, 3, 3}, {-3, -3, -3}};
    look_along(s, 0, s->tree.count, s->tree.count / 256 + 16, axes, &longest), square(axes);
    double units = sqrt(dot(axes[0], axes[0]) * dot(axes[1], axes[1]) * dot(axes[2], axes[2]));
    for (size_t n = 0; n < s->tree.sizes[0]; n += step) {
        const struct boxes *b = &s->tree.levels[0][n];
        struct boxes other;
        bound(s, n, (const double (*)[3])axes, &other);
        for (int l = 0; l < LANES && n * LANES + (size_t)l < s->tree.count; l++)
            if (b->low[0][l] <= b->high[0][l]) {
                double volume = volume_of(b, l);
                count++, filled += volume, slim += 4 * volume_of(&other, l) < volume * units;
                widen(all, (double[3]){b->low[0][l], b->low[1][l], b->low[2][l]});
                widen(all, (double[3]){b->high[0][l], b->high[1][l], b->high[2][l]});
            }
    }
    double space = (all[1][0] - all[0][0]) * (all[1][1] - all[0][1]) * (all[1][2] - all[0][2]);
    return 10 * slim >= 9 * count && filled * (double)step > 4 * space;
}

static void compare_in_frame(struct tree *t, size_t one, size_t other)
{
    struct frame *f = (struct frame *)t;
    unsigned hits[LANES];
    if (meet_all(t, one, other, hits))
        compare_pairs(f->of, f->first[0] + one, f->first[1] + other - f->groups, hits);
    t->failed = f->of->tree.failed;
}

/* Compares all facets of two patches, by boxes along axes of their own. */
static void compare_patches(struct placed *s, int32_t one, int32_t other)
{
    int32_t patches[2] = {one, other};
    struct frame f = {.tree = {.compare = compare_in_frame}, .of = s, .groups = (s->sizes[one] + LANES - 1) / LANES};
    size_t all = f.groups + (s->sizes[other] + LANES - 1) / LANES;
    if (massprops_plan(&f.tree, all * LANES)) {
        s->tree.failed = -1;
        return;
    }
    double longest = -1;
    for (int i = 0; i < 2; i++)
        look_along(s, s->begins[patches[i]], s->begins[patches[i]] + s->sizes[patches[i]], 3, f.axes, &longest);
    square(f.axes);
    f.first[0] = s->begins[one] / LANES, f.first[1] = s->begins[other] / LANES;
    for (size_t n = 0; n < all; n++) {
        size_t at = n < f.groups ? f.first[0] + n : f.first[1] + n - f.groups;
        f.tree.patch[0][n] = n < f.groups ? one : other;
        bound(s, at, (const double (*)[3])f.axes, &f.tree.levels[0][n]);
    }
    massprops_compare_all(&f.tree);
    free(f.tree.memory);
}

/* Compares the facets of two groups; where many of two patches have met, all of those. */
static void compare_groups(struct tree *t, size_t one, size_t other)
{
    struct placed *s = (struct placed *)t;
    unsigned hits[LANES];
    int met = meet_all(t, one, other, hits);
    if (!met)
        return;
    int32_t p = t->patch[0][one], q = t->patch[0][other];
    if (p != NONE && q != NONE) { /* not the same one */
        struct two *two = two_of(s, p, q);
        two->met += (uint32_t)met;
        if (two->met > s->sizes[p] + s->sizes[q]) {
            two->settled = 1;
            compare_patches(s, p < q ? p : q, p < q ? q : p);
            return;
        }
    }
    compare_pairs(s, one, other, hits);
}

/* Whether facets have the same corners. */
static int are_twins(const int32_t *f, const int32_t *g)
{
    int same = 0;
    for (int i = 0; i < 9; i++)
        same += f[i / 3] == g[i % 3];
    return same == 3;
}

/* Joins facets across edges: those of each patch at once, but for patches round points; −1 where memory is exhausted. */
static int join_parts(struct placed *s)
{
    size_t count = s->of.of.count;
    int32_t *heads = massprops_room(&s->of.pool, s->of.patches, sizeof *heads), *part = s->part;
    if (!heads)
        return -1;
    memset(heads, 0xff, s->of.patches * sizeof *heads);
    for (size_t f = 0; f < count; f++) {
        int32_t p = s->of.patch[f], own = (int32_t)s->original[f];
        if (p != NONE && ((size_t)p < s->of.fans[0] || (size_t)p >= s->of.fans[1]) && (heads[p] == NONE || own < heads[p]))
            heads[p] = own;
    }
    for (size_t f = 0; f < count; f++)
        part[s->original[f]] = s->of.patch[f] == NONE || heads[s->of.patch[f]] == NONE ? (int32_t)s->original[f] : heads[s->of.patch[f]];
    for (size_t f = 0; f < count; f++)
        for (int i = 0; i < 3; i++) {
            int32_t other = s->of.across[f][i], p = s->of.patch[f];
            int within = other != NONE && p != NONE && p == s->of.patch[other];
            s->outlined += !within;
            if (other > (int32_t)f && !(within && heads[p] != NONE) && !are_twins(s->of.of.corners + 3 * f, s->of.of.corners + 3 * (size_t)other))
                massprops_join(part, (int32_t)s->original[f], (int32_t)s->original[other]);
        }
    return 0;
}

/* Puts the facets in their places in the tree: those of each patch of more than two groups, then the others; −1 where memory is exhausted. */
static int place_all(struct placed *s)
{
    size_t count = s->of.of.count, patches = s->of.patches, places = 0, large = 0, rest;
    s->begins = massprops_room(&s->of.pool, patches + 1, sizeof *s->begins), s->sizes = massprops_room(&s->of.pool, patches, sizeof *s->sizes);
    s->order = massprops_room(&s->of.pool, count + LANES * patches, sizeof *s->order);
    if (s->of.pool.failed)
        return -1;
    memset(s->sizes, 0, patches * sizeof *s->sizes), memset(s->order, 0xff, (count + LANES * patches) * sizeof *s->order);
    for (size_t f = 0; f < count; f++)
        if (s->of.patch[f] != NONE)
            s->sizes[s->of.patch[f]]++;
    for (size_t p = 0; p < patches; p++) {
        s->sizes[p] = s->sizes[p] > 2 * LANES ? s->sizes[p] : 0;
        large += s->sizes[p] > 0;
        s->begins[p] = places, places += (s->sizes[p] + LANES - 1) / LANES * LANES;
    }
    rest = places;
    for (size_t f = 0; f < count; f++) {
        int32_t p = s->of.patch[f];
        s->order[p == NONE || !s->sizes[p] ? rest++ : s->begins[p]++] = (uint32_t)f;
    }
    for (size_t p = 0; p < patches; p++)
        s->begins[p] -= s->sizes[p];
    for (s->two_count = 64; s->two_count < 32 * large && s->two_count < 1 << 18;)
        s->two_count *= 2;
    s->twos = massprops_room(&s->of.pool, s->two_count, sizeof *s->twos);
    if (!s->twos || massprops_plan(&s->tree, rest))
        return -1;
    memset(s->twos, 0xff, s->two_count * sizeof *s->twos);
    for (size_t i = 0; i < rest; i++) {
        uint32_t f = s->order[i];
        struct boxes *b = &s->tree.levels[0][i / LANES];
        if (f == NOBODY)
            massprops_no_box(b, (int)(i % LANES));
        else
            for (int k = 0; k < 3; k++)
                b->low[k][i % LANES] = s->of.boxes[f][k], b->high[k][i % LANES] = s->of.boxes[f][3 + k];
        if (i < places && !(i % LANES))
            s->tree.patch[0][i / LANES] = s->of.patch[f];
    }
    double axes[3][3];
    size_t turned = are_slimmer(s, axes) ? s->tree.sizes[0] : 0;
    for (size_t n = 0; n < turned; n++)
        bound(s, n, (const double (*)[3])axes, &s->tree.levels[0][n]);
    return 0;
}

/* Puts the facets in order along a curve, and finds those across their edges, and patches; −1 where memory is exhausted. */
static int prepare(struct placed *s, const struct facets *facets, size_t points, int *closed)
{
    size_t count = facets->count;
    double box[2][3] = {{3, 3, 3}, {-3, -3, -3}};
    uint64_t *codes = malloc(2 * count * sizeof *codes + 1);
    int32_t *corners = massprops_room(&s->of.pool, 3 * count, sizeof *corners);
    s->original = massprops_room(&s->of.pool, count, sizeof *s->original);
    s->of.across = massprops_room(&s->of.pool, count, sizeof *s->of.across);
    if (s->of.pool.failed || !codes)
        return free(codes), -1;
    for (size_t f = 0; f < count; f++)
        s->original[f] = (uint32_t)f;
    for (size_t p = 0; p < points; p++)
        widen(box, facets->points + 3 * p);
    arrange(facets, s->original, count, codes, codes + count, (const double (*)[3])box), free(codes);
    for (size_t f = 0; f < count; f++)
        memcpy(corners + 3 * f, facets->corners + 3 * (size_t)s->original[f], 3 * sizeof *corners);
    s->of.of = (struct facets){facets->points, corners, count, NULL, facets->own}, s->of.points = points;
    *closed = massprops_connect(&s->of);
    if (*closed < 0 || massprops_patch(&s->of) || join_parts(s))
        return -1;
    /* where outlines are long, stars settle more than they cost */
    return s->outlined * 20 > count * 7 && massprops_find_stars(&s->of, 3) ? -1 : place_all(s);
}

int massprops_meetings(const struct facets *facets, size_t points, int64_t *most, struct list *out, int32_t *part, int *closed)
{
    struct placed s = {.tree = {.compare = compare_groups, .are_settled = are_settled}, .before = facets->before, .part = part, .out = out, .left = *most};
    for (int i = 0; i <= KNOWN; i++)
        s.known[i].number = SIZE_MAX;
    int failed = prepare(&s, facets, points, closed);
    if (!failed)
        massprops_compare_all(&s.tree), failed = s.tree.failed;
    for (size_t f = 0; f < facets->count && failed >= 0; f++)
        part[f] = massprops_root(part, (int32_t)f);
    free(s.tree.memory), massprops_free(&s.of.pool);
    *most = s.left;
    return failed;
}
