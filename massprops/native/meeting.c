/* Do two facets meet but at what they share? massprops/mesh/proof/meeting.py in floating point, sign for sign: −1 where they cross, 1 where
 * they are apart, 0 where rounding or contact leaves it open. */
#include "native.h"

#include <math.h>

typedef const double *Point;
typedef Point Facet[3];

/* Rounding of determinants of differences as a share of the sizes of their terms (Shewchuk 1997), and room for underflow. */
static const double UNDERFLOW_ROOM = 0x1p-1000;
static const double LINE_BOUND = (3 + 16 * 0x1p-53) * 0x1p-53, PLANE_BOUND = (7 + 56 * 0x1p-53) * 0x1p-53;

/* −1, 1, or 0 where rounding leaves it open. */
static int sign(double value, double bound)
{
    return (value > bound) - (value < -bound);
}

static int turn(const double u[3], const double v[3], const double w[3])
{
    double yz = v[1] * w[2], zy = v[2] * w[1], zx = v[2] * w[0], xz = v[0] * w[2], xy = v[0] * w[1], yx = v[1] * w[0];
    double value = u[0] * (yz - zy) + u[1] * (zx - xz) + u[2] * (xy - yx);
    double size = fabs(u[0]) * (fabs(yz) + fabs(zy)) + fabs(u[1]) * (fabs(zx) + fabs(xz)) + fabs(u[2]) * (fabs(xy) + fabs(yx));
    return sign(value, PLANE_BOUND * size + UNDERFLOW_ROOM);
}

static void subtract(Point p, Point from, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = p[k] - from[k];
}

static int side_of_plane(Point a, Point b, Point c, Point d)
{
    double u[3], v[3], w[3];
    subtract(b, a, u);
    subtract(c, a, v);
    subtract(d, a, w);
    return turn(u, v, w);
}

/* On which side of the line from a to b lies c, seen along the axis k. */
static int side_of_line(Point a, Point b, Point c, int k)
{
    int x = (k + 1) % 3, y = (k + 2) % 3;
    double left = (b[x] - a[x]) * (c[y] - a[y]), right = (b[y] - a[y]) * (c[x] - a[x]);
    return sign(left - right, LINE_BOUND * (fabs(left) + fabs(right)) + UNDERFLOW_ROOM);
}

/* Facets a, b, c and b, a, d: apart but for the edge unless one is folded onto the other. */
static int across_edge(Point a, Point b, Point c, Point d)
{
    if (side_of_plane(a, b, c, d)) return 1;
    for (int k = 0; k < 3; k++)
        if (side_of_line(a, b, c, k) * side_of_line(a, b, d, k) < 0) return 1;
    return 0;
}

/* Facets o, b, c and o, d, e: apart but for the corner unless their angles there have a ray in common. See meeting.at_corner. */
static int at_corner(Point o, Point pb, Point pc, Point pd, Point pe)
{
    double b[3], c[3], d[3], e[3];
    subtract(pb, o, b);
    subtract(pc, o, c);
    subtract(pd, o, d);
    subtract(pe, o, e);
    int sd = turn(b, c, d), se = turn(b, c, e);
    if (sd * se > 0) return 1;
    int sb = turn(d, e, b), sc = turn(d, e, c);
    if (sb * sc > 0 || sd * sb > 0 || se * sb < 0 || sd * sc < 0 || se * sc > 0) return 1;
    if (se * sb > 0 && sd * sc > 0 && sb * sc < 0) return -1;
    static const double zero[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        int own = side_of_line(zero, b, c, k), its = side_of_line(zero, d, e, k);
        int bd = side_of_line(zero, b, d, k), be = side_of_line(zero, b, e, k), cd = side_of_line(zero, c, d, k), ce = side_of_line(zero, c, e, k);
        if ((bd * own < 0 || cd * own > 0) && (be * own < 0 || ce * own > 0) && (bd * its > 0 || be * its < 0) && (cd * its > 0 || ce * its < 0))
            return 1;
    }
    return 0;
}

/* Whether a projection of the edge p q and of the facet has a line between them along a side of one. */
static int apart_in_a_plane(Point p, Point q, Facet f)
{
    for (int k = 0; k < 3; k++) {
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
static int edge_and_facet(Point p, Point q, int of_p, int of_q, const int lines[3], Facet f)
{
    if (of_p * of_q > 0) return 1;
    int left = 0, right = 0;
    for (int i = 0; i < 3; i++)
        left += lines[i] > 0, right += lines[i] < 0;
    if (of_p * of_q < 0 && (left == 3 || right == 3)) return -1;
    if (left && right) return 1;
    return apart_in_a_plane(p, q, f);
}

/* Whether in a projection all of g is beyond a side of f. */
static int beyond_a_side(Facet f, Facet g)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            Point a = f[i], b = f[(i + 1) % 3];
            int inside = side_of_line(a, b, f[(i + 2) % 3], k);
            if (inside && side_of_line(a, b, g[0], k) == -inside && side_of_line(a, b, g[1], k) == -inside && side_of_line(a, b, g[2], k) == -inside)
                return 1;
        }
    return 0;
}

/* Facets without a common corner: apart unless an edge of one meets the other. */
static int elsewhere(Facet f, Facet g)
{
    int of_g[3], of_f[3], passing[3][3], result = 1;
    for (int i = 0; i < 3; i++)
        of_g[i] = side_of_plane(f[0], f[1], f[2], g[i]);
    if (of_g[0] * of_g[1] > 0 && of_g[1] * of_g[2] > 0)
        return 1;
    if (!of_g[0] && !of_g[1] && !of_g[2] && (beyond_a_side(f, g) || beyond_a_side(g, f))) /* in one plane */
        return 1;
    for (int i = 0; i < 3; i++)
        of_f[i] = side_of_plane(g[0], g[1], g[2], f[i]);
    if (of_f[0] * of_f[1] > 0 && of_f[1] * of_f[2] > 0)
        return 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) passing[i][j] = side_of_plane(f[i], f[(i + 1) % 3], g[j], g[(j + 1) % 3]);
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, across[3] = {passing[0][k], passing[1][k], passing[2][k]};
        int one = edge_and_facet(g[k], g[next], of_g[k], of_g[next], across, f);
        int other = edge_and_facet(f[k], f[next], of_f[k], of_f[next], passing[k], g);
        if (one < 0 || other < 0) return -1;
        if (!one || !other) result = 0;
    }
    return result;
}

int massprops_relation(const struct facets *s, int64_t one, int64_t other, int *neighbours)
{
    const int64_t *mine = s->corners + 3 * one, *theirs = s->corners + 3 * other;
    int shared = 0, in_mine = 0, in_theirs = 0; /* sums of the places of shared corners */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (mine[i] == theirs[j]) shared++, in_mine += i, in_theirs += j;
    int at = shared == 1 ? in_mine : 3 - in_mine, its = shared == 1 ? in_theirs : 3 - in_theirs; /* the corner unlike the two others */
    if (shared == 0) at = its = 0;
    *neighbours = shared == 2 && mine[(at + 1) % 3] == theirs[(its + 2) % 3];
    if (shared > 2 || (shared == 2 && !*neighbours)) return 0; /* an edge that both have in the same direction */
    Facet f, g;
    for (int i = 0; i < 3; i++) {
        f[i] = s->points + 3 * mine[(at + i) % 3];
        g[i] = s->points + 3 * theirs[(its + i) % 3];
    }
    if (shared == 0) return elsewhere(f, g);
    return shared == 1 ? at_corner(f[0], f[1], f[2], g[1], g[2]) : across_edge(f[1], f[2], f[0], g[0]);
}

