"""Exact integrals over the faces of a solid whose surfaces and trimming curves are functions (B-rep), as Open CASCADE holds them.

Over a face with the surface S(u, v), trimmed by curves (u(t), v(t)) in the plane of its parameters, by Green

    ∫∫ g du dv = ∮ G(u(t), v(t)) v'(t) dt,     G(u, v) = ∫ g(s, v) ds from a fixed u₀ to u

with g = q(S) (S − r)·(S_u × S_v) / (k + 3) for the integral of a monomial q of degree k over the solid: the divergence theorem, r a
point near the body. Both integrals are Gauss sums over the spans of the surface and of the curve; a span is halved until sums of
different order agree, and the differences that remain are the stated error.

On surfaces of revolution, and on planes and extruded surfaces, the inner integral runs along a circle or a straight line, so that
one point of the surface is evaluated for each line.

The integrals that the kernel offers (GProp) are not used. Its fixed rule is off by up to 1 % on lofted faces. Its adaptive rule controls
the volume only: where 1e-10 is asked for, the inertia of bodies of revolution is off by up to 2e-3 (docs/step.md).

Tests: `tests/formats/mesh/test_step.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from massprops.formats import OptionalPackage
from massprops.moments.arrays import Array
from massprops.section.curves.quadrature import unit_rule

#: The kernel.
ocp = OptionalPackage("OCP")
#: Lists of the kernel by their names since its version 8, and before that: CadQuery is made for version 7.
LISTS = {
    "Array1_double": "TColStd TColStd_Array1OfReal",
    "Sequence_TCollection_AsciiString": "TColStd TColStd_SequenceOfAsciiString",
    "Sequence_TDF_Label": "TDF TDF_LabelSequence",
}

#: Gauss nodes along a span of a trimming curve, and along a line inside a face: the sums of lower and of higher order.
_OUTER, _INNER = (14, 20), (14, 20)
#: A span is halved until its sums agree within this share of the size of the face, to the power of the integral's dimension in lengths;
#: the area, which is not smooth where a surface is degenerate, within less.
_AGREE = np.array([1e-14] * 3 + [1e-8] + [1e-14] * 10 + [1e-8] * 9)
_DEEPEST = 10
#: Pieces of lines that are evaluated at a time: what they need stays in the processor's cache.
_PIECES = 512
#: So many more spans of a curve are halved no further: a damaged surface has no smooth parts.
_MOST = 100
#: Over each face: the vector area (3), the area, over its cone to the reference point 1, x, y, z, xx, xy, xz, yy, yz, zz, and over the face
#: itself x, y … zz.
_POWERS = np.array([2, 2, 2, 2, 3, 4, 4, 4, 5, 5, 5, 5, 5, 5, 3, 3, 3, 4, 4, 4, 4, 4, 4])
_DEGREES = _POWERS[4:14]
#: How many integrals.
INTEGRALS = len(_POWERS)
_ROWS, _COLUMNS = [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]


@cache
def kernel_list(name: str) -> Any:
    """A class of the kernel for lists, in `LISTS`."""
    with suppress(ImportError):
        return getattr(ocp.collections, name)
    module, older = LISTS[name].split()
    return getattr(getattr(ocp, module), older)


def face_integrals(face: Any, reference: Array) -> tuple[Array, Array]:
    """The integrals over an oriented face, shape (INTEGRALS,), and the differences that remain between sums of different order."""
    forward = ocp.TopoDS.TopoDS.Face(face.Oriented(ocp.TopAbs.TopAbs_Orientation.TopAbs_FORWARD))
    surface = _Surface(forward, reference)
    sums, errors = np.zeros(INTEGRALS), np.zeros(INTEGRALS)
    for curve, ends, sign in _trimming(forward):
        spans = surface.spans(curve, ends)
        most = _MOST + 2 * len(spans)
        for depth in range(_DEEPEST):
            low, high = (surface.along(curve, spans, *order) for order in zip(_OUTER, _INNER, strict=True))
            off = np.abs(high - low)
            last = depth == _DEEPEST - 1 or len(spans) > most
            done = (off <= _AGREE * surface.size**_POWERS).all(axis=1) | last
            sums += sign * high[done].sum(axis=0)
            errors += off[done].sum(axis=0)
            spans = spans[~done]
            if not len(spans):
                break
            middle = spans.mean(axis=1)
            spans = np.concatenate([np.stack([spans[:, 0], middle], 1), np.stack([middle, spans[:, 1]], 1)])
    if sense(face) < 0:
        sums[[0, 1, 2, *range(4, 14)]] *= -1
    return sums, errors


def _trimming(face: Any) -> list[tuple[Any, tuple[float, float], int]]:
    """The curves that bound a face in the plane of its parameters, with their ends and the sense in which they are run through."""
    curves = []
    for edge in within(face, "EDGE"):
        if sign := sense(edge):
            curve = ocp.BRepAdaptor.BRepAdaptor_Curve2d(ocp.TopoDS.TopoDS.Edge(edge), face)
            curves.append((curve, (curve.FirstParameter(), curve.LastParameter()), sign))
    return curves


def within(shape: Any, of: str, avoid: str = "SHAPE") -> Iterator[Any]:
    """The shapes of a kind (``FACE``) in a shape, except those in one of the kind `avoid`."""
    kinds = (getattr(ocp.TopAbs.TopAbs_ShapeEnum, f"TopAbs_{kind}") for kind in (of, avoid))
    found = ocp.TopExp.TopExp_Explorer(shape, *kinds)
    while found.More():
        yield found.Current()
        found.Next()


def sense(shape: Any) -> int:
    """Sense in which a face or its border has its surface or curve, 1 or −1; 0 of an edge inside a face."""
    known = ocp.TopAbs.TopAbs_Orientation
    return {known.TopAbs_FORWARD: 1, known.TopAbs_REVERSED: -1}.get(shape.Orientation(), 0)


class _Surface:
    """The surface of a face, evaluated along lines: in the direction v on planes and extruded surfaces, else in the direction u."""

    def __init__(self, face: Any, reference: Array) -> None:
        self.reference = reference
        self.surface = s = ocp.BRepAdaptor.BRepAdaptor_Surface(face)
        kind, Kind = s.GetType(), ocp.GeomAbs.GeomAbs_SurfaceType  # noqa: N806  # an enumeration
        self.straight = kind in (Kind.GeomAbs_Plane, Kind.GeomAbs_SurfaceOfExtrusion)
        axes = {
            Kind.GeomAbs_Cylinder: lambda: s.Cylinder().Axis(),
            Kind.GeomAbs_Cone: lambda: s.Cone().Axis(),
            Kind.GeomAbs_Sphere: lambda: s.Sphere().Position().Axis(),
            Kind.GeomAbs_Torus: lambda: s.Torus().Axis(),
            Kind.GeomAbs_SurfaceOfRevolution: lambda: s.AxeOfRevolution(),
        }
        axis = axes[kind]() if kind in axes else None
        self.axis = None if axis is None else (_xyz(axis.Location()), _xyz(axis.Direction()))
        self.spline = _Spline(s.BSpline()) if kind == Kind.GeomAbs_BSplineSurface else None
        ranges = (s.FirstUParameter(), s.LastUParameter()), (s.FirstVParameter(), s.LastVParameter())
        self.start = ranges[1 if self.straight else 0][0]
        u, v = self.breaks("U"), self.breaks("V")
        self.inner, self.outer = (v, u) if self.straight else (u, v)
        middle = np.array([np.mean(r) for r in ranges])
        grid = [(u, v) for u in (*ranges[0], middle[0]) for v in (*ranges[1], middle[1])]
        points = self.points(*np.array(grid).T)[0]
        self.size = float(np.abs(points - reference).max())

    def breaks(self, direction: str) -> Array:
        """Parameters between which the surface is smooth, without the ends."""
        count, fill = (getattr(self.surface, f"{prefix}{direction}Intervals") for prefix in ("Nb", ""))
        return _intervals(count, fill)[1:-1]

    def points(self, u: Array, v: Array) -> tuple[Array, Array, Array]:
        """S, S_u and S_v, shape (n, 3), one call of the kernel for each."""
        p, du, dv, d1 = ocp.gp.gp_Pnt(), ocp.gp.gp_Vec(), ocp.gp.gp_Vec(), self.surface.D1
        found = np.empty((len(u), 9))
        for i, (a, b) in enumerate(zip(u.tolist(), v.tolist(), strict=True)):
            d1(a, b, p, du, dv)
            found[i] = p.X(), p.Y(), p.Z(), du.X(), du.Y(), du.Z(), dv.X(), dv.Y(), dv.Z()
        return found[:, :3], found[:, 3:6], found[:, 6:]

    def spans(self, curve: Any, ends: tuple[float, float]) -> Array:
        """Intervals of a trimming curve, shape (n, 2), in which it and the surface are smooth."""
        cuts = {*ends, *_intervals(curve.NbIntervals, curve.Intervals).tolist()}
        cuts = {t for t in cuts if ends[0] <= t <= ends[1]}
        if len(self.outer):
            t = np.unique(np.concatenate([np.linspace(a, b, 9) for a, b in pairwise(sorted(cuts))]))
            v = _on_curve(curve, t)[0][:, 0 if self.straight else 1]
            for level in self.outer:
                for i in np.flatnonzero((v[:-1] - level) * (v[1:] - level) < 0):
                    cuts.add(self._crossing(curve, level, t[i], t[i + 1]))
        found = np.array(sorted(cuts))
        return np.stack([found[:-1], found[1:]], axis=1)

    def _crossing(self, curve: Any, level: float, a: float, b: float) -> float:
        """Parameter between a and b at which a trimming curve crosses the border of a span of the surface."""
        column = 0 if self.straight else 1
        below = _on_curve(curve, np.array([a]))[0][0, column] < level
        for _ in range(45):
            middle = (a + b) / 2
            inside = (_on_curve(curve, np.array([middle]))[0][0, column] < level) == below
            a, b = (middle, b) if inside else (a, middle)
        return (a + b) / 2

    def along(self, curve: Any, spans: Array, outer: int, inner: int) -> Array:
        """∮ G dv over each span of a trimming curve (−∮ H du on planes and extruded surfaces), shape (n, INTEGRALS)."""
        nodes, weights = unit_rule(outer)
        length = spans[:, 1] - spans[:, 0]
        t = (spans[:, :1] + length[:, np.newaxis] * nodes).ravel()
        at, slope = _on_curve(curve, t)
        a, b = (1, 0) if self.straight else (0, 1)
        factor = (length[:, np.newaxis] * weights).ravel() * slope[:, b] * (-1 if self.straight else 1)
        if not factor.any():
            return np.zeros((len(spans), INTEGRALS))
        lines = self.lines(at[:, a], at[:, b], inner)
        sums: Array = (lines * factor[:, np.newaxis]).reshape(len(spans), outer, INTEGRALS).sum(axis=1)
        return sums

    def lines(self, ends: Array, other: Array, order: int) -> Array:
        """∫ g along lines from `start` to `ends`, shape (n, INTEGRALS); `other` is the parameter that is fixed on each."""
        x, w = unit_rule(order)
        knots = np.concatenate([[-np.inf], self.inner, [np.inf]])
        low, high = (np.clip(s, knots[:-1], knots[1:]) for s in (self.start, ends[:, np.newaxis]))
        line, span = np.nonzero(high - low)
        low, length = low[span][:, np.newaxis], (high[line, span] - low[span])[:, np.newaxis]
        total = np.zeros((len(ends), INTEGRALS))
        for start in range(0, len(line), _PIECES):
            some = slice(start, start + _PIECES)
            g = self.integrands(*self.on_lines(low[some] + length[some] * x, other[line[some]]))
            np.add.at(total, line[some], (g * (length[some] * w)[:, :, np.newaxis]).sum(axis=1))
        return total

    def on_lines(self, s: Array, other: Array) -> tuple[Array, Array, Array]:
        """S, S_u and S_v at the parameters s, shape (n, m), along n lines: shape (n, m, 3) each."""
        start = np.full_like(other, self.start)
        if self.straight:
            point, du, dv = (a[:, np.newaxis] for a in self.points(other, start))
            p = point + (s - self.start)[:, :, np.newaxis] * dv
            return p, np.broadcast_to(du, p.shape), np.broadcast_to(dv, p.shape)
        if self.spline is not None:
            return self.spline.on_lines(s, other)
        if self.axis is None:
            found = self.points(s.ravel(), np.repeat(other, s.shape[1]))
            return found[0].reshape(*s.shape, 3), found[1].reshape(*s.shape, 3), found[2].reshape(*s.shape, 3)
        origin, direction = self.axis
        point, du, dv = self.points(start, other)
        sense = np.sign((np.cross(direction, point - origin) * du).sum()) or 1.0  # a frame can be left-handed
        angles = sense * (s - self.start)
        p = _turned(point - origin, direction, angles)
        return origin + p, sense * np.cross(direction, p), _turned(dv, direction, angles)

    def integrands(self, p: Array, pu: Array, pv: Array) -> Array:
        """The functions whose integrals over u and v are those of the face, shape (..., INTEGRALS)."""
        normal, arm = np.cross(pu, pv), p - self.reference
        cone = (normal * arm).sum(axis=-1, keepdims=True)
        monomials = np.concatenate([np.ones_like(cone), arm, arm[..., _ROWS] * arm[..., _COLUMNS]], axis=-1)
        area = np.sqrt((normal * normal).sum(axis=-1, keepdims=True))
        return np.concatenate([normal, area, cone * monomials / _DEGREES, area * monomials[..., 1:]], axis=-1)


class _Spline:
    """A rational B-spline surface, evaluated by numpy: a line has one v, for which the poles are combined first."""

    def __init__(self, surface: Any) -> None:
        surface = surface.Copy()
        periodic = (getattr(surface, f"Is{d}Periodic")() for d in "UV")
        self.periods = [getattr(surface, f"{d}Period")() if p else None for d, p in zip("UV", periodic, strict=True)]
        surface.SetUNotPeriodic()
        surface.SetVNotPeriodic()
        u, v = range(1, surface.NbUPoles() + 1), range(1, surface.NbVPoles() + 1)
        poles = [[(p.X(), p.Y(), p.Z(), 1.0) for p in (surface.Pole(i, j) for j in v)] for i in u]
        weights = [[surface.Weight(i, j) for j in v] for i in u]
        self.poles: Array = np.array(poles) * np.array(weights)[:, :, np.newaxis]
        self.degrees = surface.UDegree(), surface.VDegree()
        self.knots = tuple(np.array(list(k)) for k in (surface.UKnotSequence(), surface.VKnotSequence()))

    def on_lines(self, s: Array, other: Array) -> tuple[Array, Array, Array]:
        """S, S_u and S_v at u = s, shape (n, m), and v = other, shape (n,): shape (n, m, 3) each."""
        first, *of_v = self.basis(1, other)
        near = self.poles[:, first[:, np.newaxis] + np.arange(self.degrees[1] + 1)]  # (poles in u, n, degree + 1, 4)
        rows, slopes = (np.einsum("inqx,nq->nix", near, b) for b in of_v)
        first, *of_u = (a.reshape(*s.shape, *a.shape[1:]) for a in self.basis(0, s.ravel()))
        line = np.arange(len(s))[:, np.newaxis, np.newaxis]
        found = first[:, :, np.newaxis] + np.arange(self.degrees[0] + 1)
        rows, slopes = rows[line, found], slopes[line, found]  # (n, m, degree + 1, 4)
        h, hu, hv = (np.einsum("nmpx,nmp->nmx", r, b) for r, b in ((rows, of_u[0]), (rows, of_u[1]), (slopes, of_u[0])))
        w = h[..., 3:]
        p = h[..., :3] / w
        return p, (hu[..., :3] - hu[..., 3:] * p) / w, (hv[..., :3] - hv[..., 3:] * p) / w

    def basis(self, direction: int, t: Array) -> tuple[Array, Array, Array]:
        """First pole that counts for each parameter, and the basis functions and their derivatives (Cox and de Boor)."""
        knots, degree, period = self.knots[direction], self.degrees[direction], self.periods[direction]
        if period is not None:
            t = knots[degree] + (t - knots[degree]) % period
        span = np.clip(np.searchsorted(knots, t, side="right") - 1, degree, len(knots) - degree - 2)
        values, slopes = np.ones((len(t), 1)), np.zeros((len(t), 1))
        for k in range(1, degree + 1):
            right = knots[span[:, np.newaxis] + np.arange(1, k + 1)]
            left = knots[span[:, np.newaxis] + np.arange(1 - k, 1)]
            share = values / (right - left)
            x, nothing = t[:, np.newaxis], np.zeros((len(t), 1))
            values = np.hstack([(right - x) * share, nothing]) + np.hstack([nothing, (x - left) * share])
            slopes = k * (np.hstack([nothing, share]) - np.hstack([share, nothing]))
        return span - degree, values, slopes


def _turned(vectors: Array, axis: Array, angles: Array) -> Array:
    """Vectors (n, 3) turned about an axis through the origin by angles (n, m): Rodrigues, shape (n, m, 3)."""
    along = (vectors @ axis)[:, np.newaxis] * axis
    across, ahead = vectors - along, np.cross(axis, vectors)
    cosine, sine = np.cos(angles)[:, :, np.newaxis], np.sin(angles)[:, :, np.newaxis]
    return along[:, np.newaxis] + cosine * across[:, np.newaxis] + sine * ahead[:, np.newaxis]


def _on_curve(curve: Any, t: Array) -> tuple[Array, Array]:
    """Points and derivatives of a curve in the plane of the parameters, shape (n, 2) each."""
    p, d, d1 = ocp.gp.gp_Pnt2d(), ocp.gp.gp_Vec2d(), curve.D1
    found = np.empty((len(t), 4))
    for i, s in enumerate(t.tolist()):
        d1(s, p, d)
        found[i] = p.X(), p.Y(), d.X(), d.Y()
    return found[:, :2], found[:, 2:]


def _intervals(count: Any, fill: Any) -> Array:
    """Parameters between which a curve or surface is smooth, with the ends."""
    smooth = ocp.GeomAbs.GeomAbs_Shape.GeomAbs_CN
    ends = kernel_list("Array1_double")(1, count(smooth) + 1)
    fill(ends, smooth)
    return np.array([ends.Value(i) for i in range(1, ends.Length() + 1)])


def _xyz(p: Any) -> Array:
    return np.array([p.X(), p.Y(), p.Z()])
