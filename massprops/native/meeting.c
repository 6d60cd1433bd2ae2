/* Do two facets meet but at what they share? massprops/mesh/proof/meeting.py in floating point, sign for sign: −1 where they cross, 1 where
 * they are apart, 0 where rounding or contact leaves it open. */
#include "native.h"

#include <math.h>

typedef const double *Point;
typedef Point Facet[3];

/* −1, 1, or 0 where rounding leaves it open. */
static int sign(double value, double bound)
{
    return (value > bound) - (value < -bound);
}

static void subtract(Point p, Point from, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = p[k] - from[k];
}

/* A plane through the origin: its normal u × v, and the sizes of the normal's terms. */
struct plane {
    double normal[3], size[3];
};

static void plane_of(const double u[3], const double v[3], struct plane *p)
{
    for (int k = 0; k < 3; k++) {
        double one = u[(k + 1) % 3] * v[(k + 2) % 3], two = u[(k + 2) % 3] * v[(k + 1) % 3];
        p->normal[k] = one - two, p->size[k] = fabs(one) + fabs(two);
    }
}

/* The sign of det [u, v, w]. */
static int side(const struct plane *p, const double w[3])
{
    double value = w[0] * p->normal[0] + w[1] * p->normal[1] + w[2] * p->normal[2];
    return sign(value, PLANE_BOUND * (fabs(w[0]) * p->size[0] + fabs(w[1]) * p->size[1] + fabs(w[2]) * p->size[2]) + UNDERFLOW_ROOM);
}

static void plane_through(Facet f, struct plane *p)
{
    double u[3], v[3];
    subtract(f[1], f[0], u);
    subtract(f[2], f[0], v);
    plane_of(u, v, p);
}

static int side_of_plane(Point a, const struct plane *p, Point d)
{
    double w[3];
    subtract(d, a, w);
    return side(p, w);
}

/* On which side of the line from a to b lies c, seen along the axis k. */
static int side_of_line(Point a, Point b, Point c, int k)
{
    int x = (k + 1) % 3, y = (k + 2) % 3;
    double left = (b[x] - a[x]) * (c[y] - a[y]), right = (b[y] - a[y]) * (c[x] - a[x]);
    return sign(left - right, LINE_BOUND * (fabs(left) + fabs(right)) + UNDERFLOW_ROOM);
}

/* Facets o, b, c and o, d, e: apart but for the corner unless their angles there have a ray in common. See meeting.at_corner. */
static int at_corner(Facet f, Facet g, const struct plane *one, const struct plane *other, int axis)
{
    double b[3], c[3], d[3], e[3];
    subtract(f[1], f[0], b);
    subtract(f[2], f[0], c);
    subtract(g[1], f[0], d);
    subtract(g[2], f[0], e);
    int sd = side(one, d), se = side(one, e), sb = side(other, b), sc = side(other, c);
    if (sd * se > 0) return 1;
    if (sb * sc > 0 || sd * sb > 0 || se * sb < 0 || sd * sc < 0 || se * sc > 0) return 1;
    if (se * sb > 0 && sd * sc > 0 && sb * sc < 0) return -1;
    static const double zero[3] = {0, 0, 0};
    for (int i = 0, k = axis; i < 3; i++, k = (k + 1) % 3) {
        int own = side_of_line(zero, b, c, k), its = side_of_line(zero, d, e, k);
        int bd = side_of_line(zero, b, d, k), be = side_of_line(zero, b, e, k), cd = side_of_line(zero, c, d, k), ce = side_of_line(zero, c, e, k);
        if ((bd * own < 0 || cd * own > 0) && (be * own < 0 || ce * own > 0) && (bd * its > 0 || be * its < 0) && (cd * its > 0 || ce * its < 0))
            return 1;
    }
    return 0;
}

/* Whether a projection of the edge p q and of the facet has a line between them along a side of one. */
static int apart_in_a_plane(Point p, Point q, Facet f, int first_axis)
{
    for (int j = 0, k = first_axis; j < 3; j++, k = (k + 1) % 3) {
        int first = side_of_line(p, q, f[0], k);
        if (first && side_of_line(p, q, f[1], k) == first && side_of_line(p, q, f[2], k) == first) return 1;
        for (int i = 0; i < 3; i++) {
            Point a = f[i], b = f[(i + 1) % 3];
            int inside = side_of_line(a, b, f[(i + 2) % 3], k);
            if (inside && side_of_line(a, b, p, k) == -inside && side_of_line(a, b, q, k) == -inside) return 1;
        }
    }
    return 0;
}

/* An edge between points on the given sides of a facet's plane, passing its edges on the sides `lines`: as below. */
static int edge_and_facet(Point p, Point q, int of_p, int of_q, const int lines[3], Facet f, int axis)
{
    if (of_p * of_q > 0) return 1;
    int left = 0, right = 0;
    for (int i = 0; i < 3; i++)
        left += lines[i] > 0, right += lines[i] < 0;
    if (of_p * of_q < 0 && (left == 3 || right == 3)) return -1;
    if (left && right) return 1;
    return apart_in_a_plane(p, q, f, axis);
}

static int is_of(Point p, Facet f) { return p == f[0] || p == f[1] || p == f[2]; }

/* Whether all corners of g but common ones are on one side of the plane of f. */
static int beside_plane(Facet f, const struct plane *p, Facet g)
{
    int above = 1, below = 1;
    for (int i = 0; i < 3 && (above || below); i++)
        if (!is_of(g[i], f)) {
            int at = side_of_plane(f[0], p, g[i]);
            above &= at > 0, below &= at < 0;
        }
    return above || below;
}

/* Whether in a projection all corners of g but those of a side of f are beyond that side. */
static int beyond_a_side(Facet f, Facet g, int k)
{
    for (int i = 0; i < 3; i++) {
        Point a = f[i], b = f[(i + 1) % 3];
        int outside = 0, all = 1;
        for (int j = 0; j < 3 && all; j++)
            if (g[j] != a && g[j] != b) {
                int at = side_of_line(a, b, g[j], k);
                all = at != 0 && at != -outside;
                outside = at;
            }
        if (all && side_of_line(a, b, f[(i + 2) % 3], k) == -outside) return 1;
    }
    return 0;
}

/* Facets without a common corner: apart unless an edge of one meets the other. */
static int elsewhere(Facet f, Facet g, const struct plane *mine, const struct plane *its, int axis)
{
    int of_g[3], of_f[3], passing[3][3], result = 1;
    for (int i = 0; i < 3; i++)
        of_g[i] = side_of_plane(f[0], mine, g[i]), of_f[i] = side_of_plane(g[0], its, f[i]);
    for (int i = 0; i < 3; i++) {
        double edge[3], to[3][3];
        subtract(f[(i + 1) % 3], f[i], edge);
        for (int j = 0; j < 3; j++)
            subtract(g[j], f[i], to[j]);
        for (int j = 0; j < 3; j++) {
            struct plane p;
            plane_of(edge, to[j], &p);
            passing[i][j] = side(&p, to[(j + 1) % 3]);
        }
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, across[3] = {passing[0][k], passing[1][k], passing[2][k]};
        int one = edge_and_facet(g[k], g[next], of_g[k], of_g[next], across, f, axis);
        int other = edge_and_facet(f[k], f[next], of_f[k], of_f[next], passing[k], g, axis);
        if (one < 0 || other < 0) return -1;
        if (!one || !other) result = 0;
    }
    return result;
}

int massprops_relation(const struct facets *s, int64_t one, int64_t other, int beside, int axis, int *neighbours)
{
    const int64_t *mine = s->corners + 3 * one, *theirs = s->corners + 3 * other;
    int shared = 0, in_mine = 0, in_theirs = 0; /* sums of the places of shared corners */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int same = mine[i] == theirs[j];
            shared += same, in_mine += same * i, in_theirs += same * j;
        }
    if (shared == 2) in_mine = (6 - in_mine) % 3, in_theirs = (6 - in_theirs) % 3; /* the corner unlike the two others */
    if (shared > 2) in_mine = in_theirs = 0;
    Facet f, g;
    for (int i = 0; i < 3; i++) {
        f[i] = s->points + 3 * mine[(in_mine + i) % 3];
        g[i] = s->points + 3 * theirs[(in_theirs + i) % 3];
    }
    *neighbours = shared == 2 && f[1] == g[2];
    if (shared > 2 || (shared == 2 && !*neighbours)) return 0; /* an edge that both have in the same direction */
    if (beside) return 1;
    struct plane own, its;
    plane_through(g, &its);
    if ((shared < 2 && beside_plane(g, &its, f)) || beyond_a_side(f, g, axis) || beyond_a_side(g, f, axis)) return 1;
    int result = 0;
    if (shared < 2) {
        plane_through(f, &own);
        result = shared ? at_corner(f, g, &own, &its, axis) : elsewhere(f, g, &own, &its, axis);
    }
    for (int k = 0; k < 3 && !result; k++)
        result = beyond_a_side(f, g, k) || beyond_a_side(g, f, k);
    return result;
}
