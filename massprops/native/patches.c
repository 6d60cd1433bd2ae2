/* Patches: facets that are known to have nothing in common but the corners and edges that they share, as they are seen once from a direction
 * or a point. The theorem and its proof: docs/patches.md. */
#include "proof.h"

/* Directions near no plane of coordinates, and within 28° of any other one. */
const int8_t massprops_axes[AXES][3] = {{-12, 4, 16}, {5, -19, 7}, {-6, 15, 14}, {16, 13, 4},   {14, 3, 15}, {-18, -7, 9}, {17, -10, 8}, {-4, -5, 20},
                                     {-8, -14, 13}, {7, -10, 17}, {21, 2, 3}, {3, 6, 20}, {-11, 17, 3}, {6, 17, 11},  {-19, 7, 6},  {-6, -20, 2}};

/* The ways to grow a patch, in the order in which they are tried: a closed part seen from a point; a wall seen from a point of its axis, found by
 * facets square to that; and what one direction sees. */
enum { BALL, ROUND, ALONG, WAYS, SQUARE };

/* Facets of a patch along a direction, on average, below which patches do not pay; facets after which that is judged; facets of a patch
 * at first, and of one that is not made smaller; rows of facets of a wall at most. */
enum { PAYING = 48, JUDGED = 300, FIRST = 1024, SMALL = 64, ROWS = 8 };

/* Cosine of an angle with the direction up to which a facet is seen well: a patch of a torus that is seen aslant overlaps itself. */
#define SEEN_WELL 0.35f

/* An edge of an outline, and the next one in a list. */
struct edge {
    int32_t from, to, next;
};

/* How facets are seen: along a direction, or from a point, ahead; axes of the picture, and the one ahead; the side that facets show. */
struct view {
    int is_point, side;
    double direction[3], point[3], axes[3][3]; /* the point is the origin where there is none */
};

/* How far off a place in a picture may be. */
#define ROOM 0x1p-36

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
    uint32_t *well; /* the directions that a facet shows its front to well */
    int32_t *queue;
    uint8_t *tried;        /* the ways by which a facet was in a patch that failed */
    int32_t *first, *path; /* of each point: the first of the edges from it, or NONE; where on a path it is, from 1 on */
    struct list edges, rings;
    struct view view;
    size_t lost; /* facets that were tried in vain, one way */
};

int massprops_connect(struct patched *s)
{
    static const size_t after[4] = {1, 2, 0, 0};
    const int32_t *corners = s->of.corners;
    size_t size = 1;
    while (size < s->points)
        size *= 2;
    int32_t *first = massprops_room(&s->pool, size, sizeof *first); /* of the open edges that have a place in common: −2 − (4 f + i) */
    int closed = 1;
    if (!first)
        return -1;
    memset(first, 0xff, size * sizeof *first);
    for (size_t f = 0; f < s->of.count; f++)
        for (size_t i = 0; i < 3; i++) {
            int32_t a = corners[3 * f + i], b = corners[3 * f + after[i]], higher = a > b ? a : b;
            int32_t *head = &first[((size_t)a + (size_t)b + 2 * (size_t)higher) & (size - 1)], *found = NULL; /* branches would be guessed wrongly */
            for (int32_t *at = head; *at != NONE;) {
                size_t e = (size_t)(-2 - *at), g = e / 4, j = e % 4;
                if (a == corners[3 * g + after[j]] && b == corners[3 * g + j])
                    found = at; /* the first facet of several */
                at = &s->across[g][j];
            }
            if (found) {
                size_t e = (size_t)(-2 - *found);
                int32_t *open = &s->across[e / 4][e % 4];
                *found = *open, *open = (int32_t)f, s->across[f][i] = (int32_t)(e / 4);
            } else
                s->across[f][i] = *head, *head = -2 - (int32_t)(4 * f + i);
        }
    for (size_t f = 0; f < s->of.count; f++)
        for (size_t i = 0; i < 3; i++)
            if (s->across[f][i] < 0) {
                size_t a = (size_t)corners[3 * f + i], b = (size_t)corners[3 * f + (i + 1) % 3];
                closed &= a >= s->of.own && b >= s->of.own, s->across[f][i] = NONE;
            }
    return closed;
}

/* Boxes of facets, and the directions that they show their front to well. */
TARGETS static void see(const Row *restrict c, int32_t *restrict well, float (*restrict box)[LANES])
{
    float n[3][LANES], far[LANES];
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
        float bound = (float)((size * (LARGEST * PLANE_BOUND * 2) + LARGEST * UNDERFLOW_ROOM) * scale) + LARGEST * 0x1p-20f;
        far[l] = bound + SEEN_WELL * LARGEST * sqrtf(n[0][l] * n[0][l] + n[1][l] * n[1][l] + n[2][l] * n[2][l]);
        well[l] = 0;
    }
    for (int j = 0; j < AXES; j++) {
        float x = massprops_axes[j][0], y = massprops_axes[j][1], z = massprops_axes[j][2];
        for (int l = 0; l < LANES; l++) {
            float value = n[0][l] * x + n[1][l] * y + n[2][l] * z;
            well[l] |= (-(value > far[l]) & (int32_t)(1u << j)) | (-(value < -far[l]) & (int32_t)(0x10000u << j));
        }
    }
}

static void see_all(struct growth *g)
{
    const struct facets *of = &g->s->of;
    for (size_t f = 0; f < of->count; f += LANES) {
        Row c[9];
        int32_t well[LANES];
        float box[6][LANES];
        for (size_t l = 0; l < LANES; l++)
            for (size_t i = 0; i < 9; i++)
                c[i][l] = of->points[3 * (size_t)of->corners[3 * (f + l < of->count ? f + l : f) + i / 3] + i % 3];
        see((const Row *)c, well, box);
        for (size_t l = 0; l < LANES && f + l < of->count; l++) {
            g->well[f + l] = (uint32_t)well[l];
            for (int k = 0; k < 6; k++)
                g->s->boxes[f + l][k] = box[k][l];
        }
    }
}

static const double *corner_of(const struct patched *s, int32_t facet, int i) { return s->of.points + 3 * (size_t)s->of.corners[3 * (size_t)facet + (size_t)i]; }

/* How three points turn in a view: 1 where they turn left. */
static int turn_in(const struct view *v, const double *a, const double *b, const double *c)
{
    const double *from = v->is_point ? v->point : a;
    double x[3], y[3], z[3];
    struct plane p;
    between(from, b, x), between(from, c, y), between(from, a, z), plane_of(x, y, &p);
    return side(&p, v->is_point ? z : v->direction);
}

static int turn_of_facet(const struct growth *g, int32_t f) { return turn_in(&g->view, corner_of(g->s, f, 0), corner_of(g->s, f, 1), corner_of(g->s, f, 2)); }

static void place_in(const struct view *v, const double *p, double out[2])
{
    double w[3];
    between(v->point, p, w);
    double ahead = v->is_point ? dot(v->axes[2], w) : 1;
    out[0] = dot(v->axes[0], w) / ahead, out[1] = dot(v->axes[1], w) / ahead;
}

/* Whether two edges of an outline have no point in common in the view, or an end. */
static int are_edges_apart(const struct outline *o, const struct edge *e, const struct edge *f)
{
    const double *a = o->points + 3 * (size_t)e->from, *b = o->points + 3 * (size_t)e->to, *c = o->points + 3 * (size_t)f->from, *d = o->points + 3 * (size_t)f->to;
    if (a == c || a == d || b == c || b == d)
        return 1;
    int turned = turn_in(o->view, a, b, c);
    if (turned && turn_in(o->view, a, b, d) == turned)
        return 1;
    turned = turn_in(o->view, c, d, a);
    return turned && turn_in(o->view, c, d, b) == turned;
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

/* Whether no two edges of an outline without a common end have a point in common in the view; −1 where memory is exhausted. */
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

/* Puts the edges of an outline in the order of closed walks without repeated vertices; whether just one turns as the facets do. */
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
            turn = turn_of(g, ring, size), left += turn == g->view.side;
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
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = massprops_axes[direction % AXES][k] * (direction < AXES ? 1 : -1);
    /* exact, and so turned that what turns left round the direction turns left in the picture */
    *v = (struct view){.side = 1, .direction = {d[0], d[1], d[2]}, .axes = {{d[1], -d[0], 0}, {d[0] * d[2] / 16, d[1] * d[2] / 16, -(d[0] * d[0] + d[1] * d[1]) / 16}}};
}

/* Whether the facets of the queue are covered once in a view that all of them show one side to; −1 where memory is exhausted. */
static int are_seen_once(struct growth *g, size_t count)
{
    struct patched *s = g->s;
    g->edges.count = 0;
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

/* The normal of a facet, of length 1. */
static void normal_of(const struct patched *s, int32_t f, double n[3])
{
    double u[3], v[3];
    between(corner_of(s, f, 0), corner_of(s, f, 1), u), between(corner_of(s, f, 0), corner_of(s, f, 2), v), cross(u, v, n);
    double scale = 1 / (sqrt(dot(n, n)) + UNDERFLOW_ROOM);
    for (int k = 0; k < 3; k++)
        n[k] *= scale;
}

/* Whether a facet is about square to the axis of the view. */
static int is_square(const struct growth *g, int32_t f)
{
    double n[3];
    normal_of(g->s, f, n);
    return fabs(dot(n, g->view.axes[2])) < 0.3;
}

/* Whether a facet is well ahead in the view from a point, and shows the side of that. */
static int is_shown(const struct growth *g, int32_t f)
{
    int ahead = 1;
    for (int i = 0; i < 3; i++) {
        double w[3];
        between(g->view.point, corner_of(g->s, f, i), w);
        ahead &= dot(g->view.axes[2], w) * 16 > fabs(w[0]) + fabs(w[1]) + fabs(w[2]) + 0x1p-400;
    }
    return ahead && turn_of_facet(g, f) == g->view.side;
}

/* Takes the facets of the queue out of the patch. */
static void dissolve(struct growth *g, size_t count)
{
    for (size_t at = 0; at < count; at++)
        g->s->patch[g->queue[at]] = NONE;
}

/* Gives a patch to facets that are connected with a seed, are in none, and can be in one with it, and puts them in the queue; how many, at most
 * so many. ALONG: a direction sees all of them, the lowest of those that are left. BALL: it ends with the first open edge. SQUARE: none, where
 * they are no strip. */
static size_t flood(struct growth *g, int32_t seed, int way, size_t most)
{
    struct patched *s = g->s;
    uint32_t directions = g->well[seed];
    size_t end = 1, rim = 0;
    s->patch[seed] = (int32_t)s->patches, g->queue[0] = seed;
    for (size_t at = 0; at < end && (way != BALL || !rim); at++) {
        if (way == SQUARE && at > FIRST && at > ROWS * rim)
            return g->lost += end, dissolve(g, end), 0;
        for (int i = 0; i < 3; i++) {
            int32_t f = s->across[g->queue[at]][i];
            if (f != NONE && (s->patch[f] != NONE || end == most))
                continue;
            if (f == NONE || (way == ALONG && !(directions & g->well[f])) || (way == SQUARE && !is_square(g, f)) || (way == ROUND && !is_shown(g, f)))
                rim++;
            else
                directions &= g->well[f], s->patch[f] = (int32_t)s->patches, g->queue[end++] = f;
        }
    }
    g->lost += end;
    if (way == ALONG && directions)
        look_along(&g->view, (uint32_t)massprops_lowest(directions));
    return end;
}

/* The middle of the corners of the facets in the queue. */
static void middle_of(const struct growth *g, size_t count, double o[3])
{
    o[0] = o[1] = o[2] = 0;
    for (size_t i = 0; i < 3 * count; i++)
        for (int k = 0; k < 3; k++)
            o[k] += corner_of(g->s, g->queue[i / 3], (int)(i % 3))[k] / (3 * (double)count);
}

/* Whether the facets of the queue are a whole closed part that is seen from its middle, all with one side, and once. */
static int are_a_ball(struct growth *g, size_t count)
{
    const struct patched *s = g->s;
    struct view *v = &g->view;
    double ray[3];
    size_t passed = 0;
    for (size_t i = 0; i < 3 * count; i++)
        if (s->across[g->queue[i / 3]][i % 3] == NONE || s->patch[s->across[g->queue[i / 3]][i % 3]] != (int32_t)s->patches)
            return 0;
    v->is_point = 1, middle_of(g, count, v->point), v->side = turn_of_facet(g, g->queue[0]);
    for (int k = 0; k < 3; k++)
        ray[k] = 0.45 * corner_of(s, g->queue[0], 0)[k] + 0.31 * corner_of(s, g->queue[0], 1)[k] + 0.24 * corner_of(s, g->queue[0], 2)[k];
    for (size_t at = 0; at < count; at++) {
        int32_t f = g->queue[at];
        if (!v->side || turn_of_facet(g, f) != v->side)
            return 0;
        int beside = 0, unsure = 0;
        for (int i = 0; i < 3 && !beside; i++) {
            int turn = turn_in(v, ray, corner_of(s, f, i), corner_of(s, f, (i + 1) % 3));
            beside = turn == -v->side, unsure |= !turn;
        }
        if (!beside && (unsure || passed++)) /* the ray must surely pass one facet, and surely all others beside */
            return 0;
    }
    return 1;
}

/* Axes of a picture square to one ahead. */
static void turn_ahead(struct view *v, const double ahead[3])
{
    double scale = 1 / (sqrt(dot(ahead, ahead)) + UNDERFLOW_ROOM), other[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        v->axes[2][k] = scale * ahead[k];
    other[fabs(ahead[0]) < fabs(ahead[1]) ? 0 : 1] = 1; /* not along it */
    cross(other, v->axes[2], v->axes[0]), cross(v->axes[2], v->axes[0], v->axes[1]);
}

/* Looks from a point on the axis of a wall, behind it, if a facet may be of one: long and thin, and bent against one beside it. */
static int look_round(struct growth *g, int32_t seed)
{
    const struct patched *s = g->s;
    struct view *v = &g->view;
    double *axis = v->axes[2], n[3], m[3], x[3], y[3], z[3], bent = 1e-6, longest = 0, shortest = 8, low = 4, high = -4;
    for (int i = 0; i < 3; i++) {
        between(corner_of(s, seed, i), corner_of(s, seed, (i + 1) % 3), x);
        longest = most(longest, dot(x, x)), shortest = least(shortest, dot(x, x));
    }
    normal_of(s, seed, n);
    for (int i = 0; i < 3 && longest > 9 * shortest; i++) {
        if (s->across[seed][i] == NONE)
            continue;
        normal_of(s, s->across[seed][i], m), cross(n, m, x);
        if (dot(n, m) > 0.4 && dot(x, x) > bent)
            bent = dot(x, x), memcpy(y, x, sizeof x);
    }
    if (bent == 1e-6)
        return 0;
    turn_ahead(v, y);
    size_t count = flood(g, seed, SQUARE, SIZE_MAX);
    if (!count)
        return 0;
    /* of a cylinder or a cone, the differences of normals are square to the axis */
    normal_of(s, g->queue[count / 3], m), between(n, m, y), normal_of(s, g->queue[2 * count / 3], m), between(n, m, z), cross(y, z, x);
    if (dot(x, x) > 1e-4)
        turn_ahead(v, x);
    middle_of(g, count, v->point);
    for (size_t i = 0; i < 3 * count; i++) {
        between(v->point, corner_of(s, g->queue[i / 3], (int)(i % 3)), x);
        low = least(low, dot(axis, x)), high = most(high, dot(axis, x)), longest = most(longest, dot(x, x));
    }
    for (int i = 0; i < 3; i++)
        v->point[i] += axis[i] * (low - 0.3 * sqrt(longest));
    dissolve(g, count);
    v->is_point = 1, v->side = turn_of_facet(g, seed);
    return v->side && is_shown(g, seed);
}

/* Grows patches one way from all facets that are in none; −1 where memory is exhausted. */
static int grow_all(struct growth *g, int way)
{
    struct patched *s = g->s;
    size_t count = s->of.count, begun = s->patches, won = 0, left = 0, most = way == ALONG ? FIRST : SIZE_MAX, rise = 1;
    g->lost = 0;
    for (size_t f = 0; f < count && (way == ALONG ? won + left < JUDGED || (s->patches - begun) * PAYING < won : g->lost < won + count / (way == BALL ? 16 : 128) + 64);) {
        if (s->patch[f] != NONE || g->tried[f] >> way & 1 || (way == ROUND && !look_round(g, (int32_t)f))) {
            f += way == ROUND ? 8 : 1; /* a wall that pays has more */
            continue;
        }
        size_t size = flood(g, (int32_t)f, way, most);
        int valid = size < 2 ? 0 : way == BALL ? are_a_ball(g, size) : are_seen_once(g, size);
        if (valid < 0)
            return -1;
        if (valid) {
            s->patches++, won += size, g->lost -= size, most += way == ALONG && most < count ? most / rise : 0;
            continue;
        }
        dissolve(g, size);
        if (way == ALONG && size > SMALL)
            most = size / 4 > SMALL ? size / 4 : SMALL, rise = 24;
        else
            for (size_t at = 0; at < size; at++, left++)
                g->tried[g->queue[at]] |= (uint8_t)(1 << way);
    }
    return 0;
}

int massprops_patch(struct patched *s)
{
    size_t count = s->of.count;
    struct growth g = {.s = s};
    struct pool pool = {.count = 0};
    s->boxes = massprops_room(&s->pool, count, sizeof *s->boxes), s->patch = massprops_room(&s->pool, count, sizeof *s->patch), s->stars = massprops_room(&s->pool, s->points, 1);
    g.well = massprops_room(&pool, count, sizeof *g.well);
    g.queue = massprops_room(&pool, count, sizeof *g.queue), g.tried = massprops_room(&pool, count, 1);
    g.first = massprops_room(&pool, s->points, sizeof *g.first), g.path = massprops_room(&pool, s->points, sizeof *g.path);
    int failed = s->pool.failed || pool.failed ? -1 : 0;
    if (!failed) {
        memset(s->patch, 0xff, count * sizeof *s->patch), memset(g.first, 0xff, s->points * sizeof *g.first);
        memset(g.path, 0, s->points * sizeof *g.path), memset(g.tried, 0, count);
        see_all(&g);
    }
    for (int way = 0; way < WAYS && !failed; way++) {
        failed = grow_all(&g, way);
        if (way == BALL && !failed)
            failed = massprops_find_stars(s, MANY);
    }
    massprops_free(&pool), free(g.edges.items), free(g.rings.items);
    return failed;
}
