/* Patches: facets that are known to have nothing in common but the corners and edges that they share, as they are seen once from a direction
 * or a point. The theorem and its proof: docs/patches.md. */
#include "proof.h"

/* Directions that patches are seen along, and their reverses: whole numbers, so that they are exact, near no plane of coordinates, within 28°
 * of any other direction. */
enum { AXES = 16, LARGEST = 21, DIRECTIONS = 2 * AXES };
static const int8_t axes[AXES][3] = {{-12, 4, 16}, {5, -19, 7}, {-6, 15, 14}, {16, 13, 4},   {14, 3, 15}, {-18, -7, 9}, {17, -10, 8}, {-4, -5, 20},
                                     {-8, -14, 13}, {7, -10, 17}, {21, 2, 3}, {3, 6, 20}, {-11, 17, 3}, {6, 17, 11},  {-19, 7, 6},  {-6, -20, 2}};

/* The ways to grow a patch, in the order in which they are tried: a closed part seen from a point; all that is seen well from a direction; all
 * that is seen, up to so many facets; and up to fewer. */
enum { BALL, WIDE, CAPPED, SMALL, WAYS };
static const size_t caps[WAYS] = {1 << 14, SIZE_MAX, 512, 64};

/* Facets of a patch, on average, below which a way to grow does not pay. */
enum { PAYING = 48 };

/* Cosine of an angle with the direction up to which a facet is seen well: a patch of a torus that is seen aslant overlaps itself. */
#define SEEN_WELL 0.35f

/* An edge of an outline, and the next one in a list. */
struct edge {
    int32_t from, to, next;
};

/* A direction that facets are seen along, and axes square to it. */
struct view {
    double direction[3], axes[2][3];
};

/* How far off a place in a view may be. */
#define ROOM 0x1p-40

/* An outline, as its edges are compared. */
struct outline {
    struct tree tree;
    const struct view *view;
    const double *points;
    const struct edge *edges;
};

/* A surface while patches grow on it. */
struct growth {
    struct patched *s;
    uint32_t *well, *seen; /* the directions that a facet shows its front to, a bit for each: well, or at all */
    int32_t *queue;
    uint8_t *tried;        /* the ways by which a facet was in a patch that failed */
    int32_t *first, *path; /* of each point: the first of the edges from it, or NONE; where on a path it is, from 1 on */
    struct list edges, rings;
    struct view view;
};

int massprops_connect(struct patched *s)
{
    size_t budget = 64 * s->of.count + (1 << 20); /* steps in lists: no more than a few each, but for thousands of facets at one edge */
    const int32_t *corners = s->of.corners;
    int32_t *first = massprops_room(&s->pool, s->points, sizeof *first); /* of the open edges with this lower end: −2 − (4 f + i) */
    int closed = 1;
    if (!first)
        return -1;
    memset(first, 0xff, s->points * sizeof *first);
    for (size_t f = 0; f < s->of.count; f++)
        for (size_t i = 0; i < 3; i++) {
            int32_t a = corners[3 * f + i], b = corners[3 * f + (i + 1) % 3], *at = &first[a < b ? a : b];
            for (; *at != NONE && budget; budget--) {
                size_t e = (size_t)(-2 - *at), g = e / 4, j = e % 4;
                if (a == corners[3 * g + (j + 1) % 3] && b == corners[3 * g + j])
                    break;
                at = &s->across[g][j];
            }
            if (*at != NONE && budget) {
                size_t e = (size_t)(-2 - *at);
                int32_t *open = &s->across[e / 4][e % 4];
                *at = *open, *open = (int32_t)f, s->across[f][i] = (int32_t)(e / 4);
            } else {
                int32_t *head = &first[a < b ? a : b];
                s->across[f][i] = *head, *head = -2 - (int32_t)(4 * f + i);
            }
        }
    for (size_t p = 0; p < s->points; p++) {
        closed &= first[p] == NONE || p >= s->of.own;
        while (first[p] != NONE) {
            size_t e = (size_t)(-2 - first[p]);
            first[p] = s->across[e / 4][e % 4], s->across[e / 4][e % 4] = NONE;
        }
    }
    return budget ? closed : UNCOUNTED;
}

/* Boxes of facets, and the directions that they show their front to, surely: well, or at all. */
TARGETS static void see(const Row *restrict c, int32_t *restrict well, int32_t *restrict seen, float (*restrict box)[LANES])
{
    float n[3][LANES], bound[LANES], far[LANES];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < LANES; l++) {
            double low = least(least(c[k][l], c[3 + k][l]), c[6 + k][l]), high = most(most(c[k][l], c[3 + k][l]), c[6 + k][l]);
            box[k][l] = (float)(low - (fabs(low) * 0x1p-22 + 0x1p-126)), box[3 + k][l] = (float)(high + (fabs(high) * 0x1p-22 + 0x1p-126));
        }
    for (int l = 0; l < LANES; l++) {
        double ux = c[3][l] - c[0][l], uy = c[4][l] - c[1][l], uz = c[5][l] - c[2][l];
        double vx = c[6][l] - c[0][l], vy = c[7][l] - c[1][l], vz = c[8][l] - c[2][l];
        double a = uy * vz, b = uz * vy, d = uz * vx, e = ux * vz, f = ux * vy, g = uy * vx;
        double size = fabs(a) + fabs(b) + fabs(d) + fabs(e) + fabs(f) + fabs(g), x = a - b, y = d - e, z = f - g;
        /* so that single precision neither overflows nor underflows */
        double scale = 1 / (fabs(x) + fabs(y) + fabs(z) + size * 0x1p-40 + UNDERFLOW_ROOM);
        n[0][l] = (float)(x * scale), n[1][l] = (float)(y * scale), n[2][l] = (float)(z * scale);
        bound[l] = (float)((size * (LARGEST * PLANE_BOUND * 2) + LARGEST * UNDERFLOW_ROOM) * scale) + LARGEST * 0x1p-20f;
        far[l] = bound[l] + SEEN_WELL * LARGEST * sqrtf(n[0][l] * n[0][l] + n[1][l] * n[1][l] + n[2][l] * n[2][l]);
        well[l] = seen[l] = 0;
    }
    for (int j = 0; j < AXES; j++) {
        float x = axes[j][0], y = axes[j][1], z = axes[j][2];
        for (int l = 0; l < LANES; l++) {
            float value = n[0][l] * x + n[1][l] * y + n[2][l] * z;
            well[l] |= (-(value > far[l]) & (int32_t)(1u << j)) | (-(value < -far[l]) & (int32_t)(0x10000u << j));
            seen[l] |= (-(value > bound[l]) & (int32_t)(1u << j)) | (-(value < -bound[l]) & (int32_t)(0x10000u << j));
        }
    }
}

static void see_all(struct growth *g)
{
    const struct facets *of = &g->s->of;
    for (size_t f = 0; f < of->count; f += LANES) {
        Row c[9];
        int32_t well[LANES], seen[LANES];
        float box[6][LANES];
        for (size_t l = 0; l < LANES; l++)
            for (size_t i = 0; i < 9; i++)
                c[i][l] = of->points[3 * (size_t)of->corners[3 * (f + l < of->count ? f + l : f) + i / 3] + i % 3];
        see((const Row *)c, well, seen, box);
        for (size_t l = 0; l < LANES && f + l < of->count; l++) {
            g->well[f + l] = (uint32_t)well[l], g->seen[f + l] = (uint32_t)seen[l];
            for (int k = 0; k < 6; k++)
                g->s->boxes[f + l][k] = box[k][l];
        }
    }
}

static const double *corner_of(const struct patched *s, int32_t facet, int i) { return s->of.points + 3 * (size_t)s->of.corners[3 * (size_t)facet + (size_t)i]; }

/* How three points turn as a point sees them. */
static int turn_seen_from(const double o[3], const double *a, const double *b, const double *c)
{
    double u[3], v[3], w[3];
    struct plane p;
    between(o, a, u), between(o, b, v), between(o, c, w), plane_of(v, w, &p);
    return side(&p, u);
}

/* How they turn in a view: 1 where they turn left. */
static int turn_in(const struct view *v, const double *a, const double *b, const double *c)
{
    double x[3], y[3];
    struct plane p;
    between(a, b, x), between(a, c, y), plane_of(x, y, &p);
    return side(&p, v->direction);
}

static void place_in(const struct view *v, const double *p, double out[2]) { out[0] = dot(v->axes[0], p), out[1] = dot(v->axes[1], p); }

/* Whether two edges of an outline have no point in common in the view but an end that they share. */
static int are_edges_apart(const struct outline *o, const struct edge *e, const struct edge *f)
{
    const double *a = o->points + 3 * (size_t)e->from, *b = o->points + 3 * (size_t)e->to, *c = o->points + 3 * (size_t)f->from, *d = o->points + 3 * (size_t)f->to;
    int same = (e->from == f->from) + (e->from == f->to) + (e->to == f->from) + (e->to == f->to), turned;
    if (same > 1)
        return 0;
    if (!same) {
        turned = turn_in(o->view, a, b, c);
        if (turned && turn_in(o->view, a, b, d) == turned)
            return 1;
        turned = turn_in(o->view, c, d, a);
        return turned && turn_in(o->view, c, d, b) == turned;
    }
    const double *at = e->from == f->from || e->from == f->to ? a : b, *x = at == a ? b : a, *y = at == c ? d : c;
    if (turn_in(o->view, at, x, y))
        return 1;
    double p[3][2]; /* or they are opposite, or nearly so */
    place_in(o->view, at, p[0]), place_in(o->view, x, p[1]), place_in(o->view, y, p[2]);
    double ux = p[1][0] - p[0][0], uy = p[1][1] - p[0][1], vx = p[2][0] - p[0][0], vy = p[2][1] - p[0][1];
    return ux * vx + uy * vy < -4 * ROOM * (fabs(ux) + fabs(uy) + fabs(vx) + fabs(vy) + 4 * ROOM);
}

static void compare_edges(struct tree *t, size_t one, size_t other)
{
    const struct outline *o = (const struct outline *)t;
    for (int i = 0; i < LANES && one * LANES + (size_t)i < t->count; i++) {
        unsigned hits = massprops_meets(&t->levels[0][other], &t->levels[0][one], i) & (one == other ? ~1u << i : ~0u);
        for (; hits && !t->failed; hits &= hits - 1)
            t->failed = !are_edges_apart(o, o->edges + one * LANES + i, o->edges + other * LANES + massprops_lowest(hits));
    }
}

/* Whether no two edges of an outline have a point in common in the view but an end that they share; −1 where memory is exhausted. */
static int is_simple(const struct growth *g, const struct edge *edges, size_t count)
{
    struct outline o = {.tree = {.compare = compare_edges}, .view = &g->view, .points = g->s->of.points, .edges = edges};
    if (massprops_plan(&o.tree, count))
        return -1;
    for (size_t i = 0; i < count; i++) {
        double p[2], q[2];
        struct boxes *b = &o.tree.levels[0][i / LANES];
        place_in(o.view, o.points + 3 * (size_t)edges[i].from, p), place_in(o.view, o.points + 3 * (size_t)edges[i].to, q);
        for (int k = 0, l = (int)(i % LANES); k < 2; k++)
            b->low[k][l] = beyond(least(p[k], q[k]) - ROOM), b->high[k][l] = -beyond(-most(p[k], q[k]) - ROOM);
        b->low[2][i % LANES] = b->high[2][i % LANES] = 0;
    }
    massprops_compare_all(&o.tree);
    free(o.tree.memory);
    return !o.tree.failed;
}

/* How a closed walk without repeated vertices turns in a view, given from its last edge to its first: 1 where it turns left, 0 where rounding
 * leaves it open. */
static int turn_of(const struct growth *g, const struct edge *ring, size_t count)
{
    double o[2], p[2], q[2], area = 0, bound = 0, size = 0;
    place_in(&g->view, g->s->of.points + 3 * (size_t)ring[0].to, o), q[0] = q[1] = 0;
    for (size_t i = 0; i < count; i++, q[0] = p[0], q[1] = p[1]) {
        place_in(&g->view, g->s->of.points + 3 * (size_t)ring[i].from, p);
        p[0] -= o[0], p[1] -= o[1];
        double one = p[0] * q[1], two = p[1] * q[0];
        area += one - two, size += fabs(one) + fabs(two);
        bound += 4 * ROOM * (fabs(p[0]) + fabs(p[1]) + fabs(q[0]) + fabs(q[1]) + 4 * ROOM);
    }
    bound = 2 * bound + (double)count * 0x1p-50 * size;
    return sign(area, bound);
}

/* Puts the edges of an outline in the order of closed walks without repeated vertices; whether just one turns left, the others right. */
static int is_ringed(struct growth *g, struct edge *edges, struct edge *rings, size_t count)
{
    size_t done = 0, open = 0; /* edges of walks at the beginning, and of the path at the end, the last one first */
    int left = 0, turn = 1;
    for (size_t i = 0; i < count; i++)
        edges[i].next = g->first[edges[i].from], g->first[edges[i].from] = (int32_t)i;
    for (size_t i = 0; i < count && turn; i++)
        for (int32_t at = edges[i].from; g->first[at] != NONE && turn;) {
            const struct edge *e = edges + g->first[at];
            g->first[at] = e->next, g->path[at] = (int32_t)++open;
            rings[count - open] = *e, at = e->to;
            if (!g->path[at])
                continue;
            const struct edge *ring = rings + count - open;
            size_t size = open - (size_t)g->path[at] + 1;
            turn = turn_of(g, ring, size), left += turn > 0;
            for (size_t k = 0; k < size; k++)
                g->path[ring[k].from] = 0;
            memmove(rings + done, ring, size * sizeof *ring), done += size, open -= size;
        }
    for (size_t i = 0; i < count; i++)
        g->first[edges[i].from] = NONE, g->path[edges[i].from] = 0;
    return turn && !open && left == 1;
}

static void look_along(struct view *v, uint32_t direction)
{
    double *d = v->direction;
    for (int k = 0; k < 3; k++)
        d[k] = direction < AXES ? axes[direction][k] : -axes[direction - AXES][k];
    /* exact, and so turned that what turns left round the direction turns left in them */
    memcpy(v->axes, (double[2][3]){{d[1], -d[0], 0}, {d[0] * d[2] / 16, d[1] * d[2] / 16, -(d[0] * d[0] + d[1] * d[1]) / 16}}, sizeof v->axes);
}

/* Whether the facets of the queue are covered once along a direction that all of them show their front to; −1 where memory is exhausted. */
static int are_seen_once(struct growth *g, size_t count, uint32_t direction)
{
    struct patched *s = g->s;
    g->edges.count = 0, look_along(&g->view, direction);
    for (size_t at = 0; at < count; at++)
        for (int i = 0; i < 3; i++) {
            int32_t f = g->queue[at], other = s->across[f][i];
            if (other != NONE && s->patch[other] == (int32_t)s->patches)
                continue;
            const int32_t *n = s->of.corners + 3 * (size_t)f;
            struct edge *e = massprops_next(&g->edges, sizeof *e);
            if (!e)
                return -1;
            *e = (struct edge){n[i], n[(i + 1) % 3], NONE};
        }
    if (g->rings.room < g->edges.room) {
        free(g->rings.items);
        g->rings = (struct list){malloc(g->edges.room * sizeof(struct edge)), 0, g->edges.room};
        if (!g->rings.items)
            return g->rings.room = 0, -1;
    }
    return is_ringed(g, g->edges.items, g->rings.items, g->edges.count) ? is_simple(g, g->rings.items, g->edges.count) : 0;
}

/* The direction next to the normal of a facet and those across its edges, of those that it shows its front to; DIRECTIONS where there is none. */
static uint32_t direction_near(const struct patched *s, int32_t facet, uint32_t seen)
{
    double sum[3] = {0, 0, 0}, best = 0;
    uint32_t result = DIRECTIONS;
    for (int i = 0; i < 4; i++) {
        double u[3], v[3], n[3];
        int32_t f = i < 3 ? s->across[facet][i] : facet;
        if (f == NONE)
            continue;
        between(corner_of(s, f, 0), corner_of(s, f, 1), u), between(corner_of(s, f, 0), corner_of(s, f, 2), v), cross(u, v, n);
        double scale = 1 / (sqrt(dot(n, n)) + UNDERFLOW_ROOM);
        for (int k = 0; k < 3; k++)
            sum[k] += n[k] * scale;
    }
    for (uint32_t j = 0; j < AXES; j++) {
        const int8_t *d = axes[j];
        double along = sum[0] * d[0] + sum[1] * d[1] + sum[2] * d[2], square = along * along / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        uint32_t direction = along > 0 ? j : j + AXES;
        if (square > best && seen >> direction & 1)
            best = square, result = direction;
    }
    return result;
}

/* Gives a patch to all facets that are connected with a seed and in none, of those that show their front to a direction if one is given; how
 * many are in the queue, at most so many. */
static size_t flood(struct growth *g, int32_t seed, const uint32_t *seen, uint32_t direction, size_t most)
{
    struct patched *s = g->s;
    size_t end = 1;
    s->patch[seed] = (int32_t)s->patches, g->queue[0] = seed;
    for (size_t at = 0; at < end; at++)
        for (int i = 0; i < 3; i++) {
            int32_t other = s->across[g->queue[at]][i];
            if (other != NONE && s->patch[other] == NONE && end < most && (!seen || seen[other] >> direction & 1))
                s->patch[other] = (int32_t)s->patches, g->queue[end++] = other;
        }
    return end;
}

/* Whether the facets of the queue are a whole closed part that is seen from the middle of its corners, all with one side, and once. */
static int are_a_ball(const struct growth *g, size_t count)
{
    const struct patched *s = g->s;
    double o[3] = {0, 0, 0}, ray[3];
    size_t passed = 0;
    for (size_t at = 0; at < count; at++)
        for (int i = 0; i < 3; i++) {
            int32_t other = s->across[g->queue[at]][i];
            if (other == NONE || s->patch[other] != (int32_t)s->patches)
                return 0;
            for (int k = 0; k < 3; k++)
                o[k] += corner_of(s, g->queue[at], i)[k] / (3 * (double)count);
        }
    const double *p = corner_of(s, g->queue[0], 0), *q = corner_of(s, g->queue[0], 1), *r = corner_of(s, g->queue[0], 2);
    int own = turn_seen_from(o, p, q, r);
    for (int k = 0; k < 3; k++)
        ray[k] = 0.45 * p[k] + 0.31 * q[k] + 0.24 * r[k];
    for (size_t at = 0; at < count; at++) {
        const double *a = corner_of(s, g->queue[at], 0), *b = corner_of(s, g->queue[at], 1), *c = corner_of(s, g->queue[at], 2);
        int one, two, three;
        if (!own || turn_seen_from(o, a, b, c) != own)
            return 0;
        if ((one = turn_seen_from(o, ray, a, b)) == -own || (two = turn_seen_from(o, ray, b, c)) == -own || (three = turn_seen_from(o, ray, c, a)) == -own)
            continue; /* the ray passes beside it, surely; else it must be sure that it does not */
        if (!one || !two || !three || passed++)
            return 0;
    }
    return 1;
}

/* Whether facets here and there show the same side to the middle of their corners: then all of them may be one ball. */
static int is_round(const struct patched *s)
{
    size_t step = s->of.count / 32 + 1, count = (s->of.count + step - 1) / step;
    double o[3] = {0, 0, 0};
    int sides = 0;
    for (size_t f = 0; f < s->of.count; f += step)
        for (int k = 0; k < 3; k++)
            o[k] += corner_of(s, (int32_t)f, (int)(f / step % 3))[k] / (double)count;
    for (size_t f = 0; f < s->of.count; f += step)
        sides += turn_seen_from(o, corner_of(s, (int32_t)f, 0), corner_of(s, (int32_t)f, 1), corner_of(s, (int32_t)f, 2));
    return 4 * (size_t)abs(sides) > 3 * count;
}

/* Whether most facets are seen from other directions than their neighbours: then large patches fail. */
static int is_rough(const struct growth *g)
{
    size_t equal = 0, all = 1;
    for (size_t f = 0; f < g->s->of.count; f += 16)
        for (int i = 0; i < 3; i++) {
            int32_t other = g->s->across[f][i];
            all += other != NONE, equal += other != NONE && g->well[f] == g->well[other];
        }
    return equal * 5 < all * 2;
}

/* Whether a facet across an edge could be in a patch of a facet's. */
static int has_company(const struct patched *s, size_t facet, const uint32_t *seen)
{
    int found = 0;
    for (int i = 0; i < 3; i++) {
        int32_t other = s->across[facet][i];
        found |= other != NONE && s->patch[other] == NONE && (!seen || seen[facet] & seen[other]);
    }
    return found;
}

/* Grows patches one way from all facets that are in none; 1 where no other way pays any more, −1 where memory is exhausted. */
static int grow_all(struct growth *g, int way)
{
    struct patched *s = g->s;
    size_t count = s->of.count, won = 0, lost = 0, made = 0, cap = way == BALL && is_round(s) ? count : caps[way];
    const uint32_t *seen = way == BALL ? NULL : way == WIDE ? g->well : g->seen;
    for (size_t f = 0; f < count; f++) {
        if (s->patch[f] != NONE || g->tried[f] >> way & 1 || !has_company(s, f, seen))
            continue;
        if (way == BALL ? lost > count / 32 + 64 : way == WIDE && lost > 4096 && lost > 2 * won)
            return 0;
        if (way != BALL && won > 256 && made * PAYING > won)
            return 1;
        uint32_t direction = seen ? direction_near(s, (int32_t)f, seen[f]) : 0;
        size_t size = flood(g, (int32_t)f, seen, direction, direction < DIRECTIONS ? cap : 1);
        int valid = size == 1 ? 0 : seen ? are_seen_once(g, size, direction) : are_a_ball(g, size);
        if (valid < 0)
            return -1;
        if (valid) {
            s->outlined += (seen ? g->edges.count : 0) - 3 * size;
            s->patches++, made++, won += size;
            continue;
        }
        for (size_t at = 0; at < size; at++)
            s->patch[g->queue[at]] = NONE, g->tried[g->queue[at]] |= (uint8_t)(1 << way);
        lost += size;
    }
    return 0;
}

int massprops_patch(struct patched *s)
{
    size_t count = s->of.count;
    struct growth g = {.s = s};
    struct pool pool = {.count = 0};
    s->boxes = massprops_room(&s->pool, count, sizeof *s->boxes), s->patch = massprops_room(&s->pool, count, sizeof *s->patch);
    g.well = massprops_room(&pool, count, sizeof *g.well), g.seen = massprops_room(&pool, count, sizeof *g.seen);
    g.queue = massprops_room(&pool, count, sizeof *g.queue), g.tried = massprops_room(&pool, count, 1);
    g.first = massprops_room(&pool, s->points, sizeof *g.first), g.path = massprops_room(&pool, s->points, sizeof *g.path);
    int failed = s->pool.failed || pool.failed ? -1 : 0;
    if (!failed) {
        memset(s->patch, 0xff, count * sizeof *s->patch), memset(g.first, 0xff, s->points * sizeof *g.first);
        memset(g.path, 0, s->points * sizeof *g.path), memset(g.tried, 0, count);
        see_all(&g), s->outlined = 3 * count;
        failed = grow_all(&g, BALL);
    }
    for (int way = failed || !is_rough(&g) ? WIDE : CAPPED; way < WAYS && !failed; way++)
        failed = grow_all(&g, way);
    massprops_free(&pool), free(g.edges.items), free(g.rings.items);
    return failed < 0 ? -1 : 0;
}
