"""From the rings of a file to one section: join loose pieces, judge, nest, sum; and the parts of a composite section.

Sections so thin that the sums of doubles lose them are summed without rounding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops.errors import InvalidGeometry, needing
from massprops.findings import Finding
from massprops.grades import Grade, worst
from massprops.moments.arrays import sum_of
from massprops.moments.exact import polygon_moments
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import U
from massprops.section.crossings import Index
from massprops.section.curves import Curve, Polyline
from massprops.section.outline import Outline
from massprops.section.plastic import Placed
from massprops.section.properties import Section
from massprops.section.rings import PlanarSource, Ring, Role
from massprops.section.topology import Defect, Rule, Topology, collinear, spikes, topology, winding
from massprops.wording import plural


@dataclass(frozen=True, eq=False)
class Assembled:
    """A section in the units and axes of the file, the outlines that bound it, and what had to be said about it."""

    section: Section
    outlines: tuple[Outline, ...]
    grade: Grade
    findings: tuple[Finding, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """One part of a section, by name, in metres, with its own unit scale."""

    name: str
    assembled: Assembled
    scale: float

    @property
    def section(self) -> Section:
        """In metres."""
        return self.assembled.section.scaled(self.scale)


@dataclass(frozen=True)
class Drawing:
    """What is asked of a file: its name and unit for messages, the rule for insides, and how far apart ends may be that meet.

    Attributes
    ----------
    name : str
    scale : float
        The length unit of the file in metres.
    size : float
        The longest side of the drawing's bounds, in units of the file.
    rule : {"evenodd", "nonzero", "orientation"}
    gap : float or None
        In units of the file.
    """

    name: str
    scale: float
    size: float
    rule: Rule
    gap: float | None = None

    def at(self, point: Sequence[float] | Array) -> tuple[float, ...]:
        """A point in metres."""
        return tuple(float(x) * self.scale for x in point)

    def shown(self, point: Sequence[float] | Array) -> str:
        """A point in metres, as messages show it."""
        return "(" + ", ".join(f"{x:.6g}" for x in self.at(point)) + ")"

    def refusal(
        self, code: str, message: str, hint: str, where: Sequence[float] | Array | None = None
    ) -> InvalidGeometry:
        """The error that says that there is no section."""
        finding = Finding(code, "error", message, where=None if where is None else self.at(where))
        return InvalidGeometry(f"{self.name}: {code}: {message}", code=code, hint=hint, findings=[finding])


# --- loose pieces, joined where their ends meet ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Chains:
    """What loose pieces make.

    Attributes
    ----------
    loops : list of Outline
        Closed within the tolerance.
    loose : list of tuple of ndarray
        The two ends of every chain that does not close.
    widest : float
        The largest gap that was closed.
    """

    loops: list[Outline]
    loose: list[tuple[Array, Array]]
    widest: float


def chained(pieces: Sequence[Ring], tolerance: float) -> Chains:
    """Pieces joined at ends that are within `tolerance` of each other, layer by layer, in the order of the file."""
    loops: list[Outline] = []
    loose: list[tuple[Array, Array]] = []
    widest = 0.0
    for layer in dict.fromkeys(p.layer for p in pieces):
        for chain in _chains([p for p in pieces if p.layer == layer], tolerance):
            gaps = chain.gaps()
            if gaps[-1] <= tolerance:
                loops.append(Outline(chain.curves, chain.place, layer, joint=tolerance))
                widest = max(widest, *gaps)
            else:
                loose.append((chain.curves[0].start, chain.curves[-1].end))
    return Chains(loops, loose, widest)


@dataclass(frozen=True, eq=False)
class _Chain:
    curves: tuple[Curve, ...]
    place: str

    def gaps(self) -> list[float]:
        """Between each curve's end and the next one's start; the last: back to the first."""
        ends = np.array([c.end for c in self.curves])
        starts = np.array([c.start for c in self.curves])
        return [float(np.hypot(*g)) for g in np.roll(starts, -1, axis=0) - ends]


def _chains(pieces: Sequence[Ring], tolerance: float) -> list[_Chain]:
    """Walks from piece to piece; a walk begins at a loose end where there is one, so that a chain is found whole."""
    ends = np.array([[p.curves[0].start, p.curves[-1].end] for p in pieces])
    node = _nodes(ends.reshape(-1, 2), tolerance).reshape(-1, 2)
    at: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for i, pair in enumerate(node.tolist()):
        for side, n in enumerate(pair):
            at[n].append((i, side))
    unused = set(range(len(pieces)))
    beginnings = [entry for n in sorted(at) if len(at[n]) % 2 for entry in at[n]]
    found = []
    for first, side in [*beginnings, *((i, 0) for i in range(len(pieces)))]:
        if first in unused:
            found.append(_walk(pieces, node, at, unused, first, side))
    return found


def _walk(
    pieces: Sequence[Ring],
    node: NDArray[np.intp],
    at: dict[int, list[tuple[int, int]]],
    unused: set[int],
    first: int,
    side: int,
) -> _Chain:
    """From piece to unused piece, until back at the beginning or at a loose end."""
    curves: list[Curve] = []
    beginning, step = int(node[first, side]), (first, side)
    while True:
        i, side = step
        unused.remove(i)
        forward = pieces[i].curves
        curves += forward if side == 0 else [c.reversed() for c in reversed(forward)]
        here = int(node[i, 1 - side])
        following = next((entry for entry in at[here] if entry[0] in unused), None)
        if here == beginning or following is None:
            return _Chain(tuple(curves), pieces[first].place)
        step = following


def _nodes(points: Array, tolerance: float) -> NDArray[np.intp]:
    """A number for each point, the same for points within `tolerance`: neighbours are looked for along x."""
    order = np.argsort(points[:, 0], kind="stable")
    x = points[order, 0]
    parent = list(range(len(points)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    last = np.searchsorted(x, x + tolerance, side="right")
    for k, end in enumerate(last.tolist()):
        near = order[k + 1 : end]
        gap = points[near] - points[order[k]]
        for j in near[np.hypot(gap[:, 0], gap[:, 1]) <= tolerance].tolist():
            parent[root(j)] = root(int(order[k]))
    return np.array([root(i) for i in range(len(points))])


# --- rings that cross, resolved: the region that they wind round, as rings that do not; asked for by name only ------------------

#: How closely curves are flattened before they are cut, in sizes of the drawing.
FLATNESS = 1e-7


def united(drawing: Drawing, outlines: list[Outline]) -> tuple[list[Outline], Finding]:
    """The rings of the region where the winding number is not zero, and the remark on what was done.

    Raises
    ------
    MissingExtra
        If shapely is not installed.
    """
    with needing("planar", "rings that cross are resolved with shapely, which is not installed"):
        import shapely
    rings = [o.flattened(FLATNESS * drawing.size) for o in outlines]
    lines = shapely.node(shapely.MultiLineString([np.vstack([r, r[:1]]) for r in rings]))
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    points = np.array([f.representative_point().coords[0] for f in faces])
    wound = sum(winding(points, ring) for ring in rings)
    polygons = shapely.get_parts(shapely.union_all(faces[wound != 0]))
    resolved = [ring for polygon in polygons for ring in (polygon.exterior, *polygon.interiors)]
    found = [Outline((Polyline(np.array(ring.coords)),), "the resolved ring") for ring in resolved]
    bent = sum(o.length() for o in outlines if not o.straight)
    area = bent * FLATNESS * drawing.size * drawing.scale**2
    curved = f"; curves were flattened, which changes the area by up to {area:.3g} m²" if bent else ""
    message = f"{len(outlines)} rings that cross were resolved into {len(found)} around what they wind round{curved}"
    # the points where edges cross are rounded: by some units in the last place of the coordinates
    largest = max(float(np.abs(r).max()) for r in rings)
    area += 16 * U * largest * sum(o.length() for o in outlines) * drawing.scale**2
    return found, Finding("rings-united", "warning", message, value=area)


# --- from rings to a section ----------------------------------------------------------------------------------------------------


def exact_polygon_moments(rings: Iterable[tuple[Array, int]]) -> Moments:
    """Moments of closed polygons (n, 2), each counted with its sign (±1, 0); every integral is the double nearest to the truth.

    They are taken about the double nearest to the centroid.
    """
    own = [(polygon_moments(points), sign) for points, sign in rings if sign]
    total = sum_of(m.times(sign if m.measure > 0 else -sign) for m, sign in own)
    return total.rounded() if total.measure else Moments.zero(np.zeros(2))


#: Ends of loose pieces that are so close, in sizes of the drawing, are the same point: CAD programs write six digits and more.
CHAIN_TOLERANCE = 1e-6
#: How closely curves are flattened to see which rings meet, in sizes of the drawing; the finer one is used before anything is refused.
COARSE, FINE = 1e-4, 1e-7
#: A ring encloses nothing if its area is below this share of perimeter times size: the rounding of a sum of cancelling terms.
ZERO_AREA = 1e-13
#: Fourth powers of a length must stay double precision numbers.
SMALLEST_SIZE, LARGEST_SIZE = 1e-50, 1e50
_SHOWN = 5
#: Roundings that a moment can have suffered, in units of U and of the magnitude of its terms: those of a solid, which has more factors.
ROUNDINGS = 82
#: And a point on a curve, in units of U and of the size of coordinates: its centre, two products with a sine and a cosine, two sums.
POINT_ROUNDINGS = 16
#: Polygons are summed again without rounding where it can have cost more than this share of a number.
POOR = 1e-11
#: Extents below this share of the coordinates have lost most of their digits before they are read.
THINNEST = 1e-13


def assemble(
    source: PlanarSource, rings: Sequence[Ring], scale: float, rule: Rule, gap: float | None = None
) -> Assembled:
    """The section that rings of a source bound.

    Parameters
    ----------
    source : PlanarSource
        Where they come from.
    rings : sequence of Ring
        Those to be measured, at least one.
    scale : float
        The length unit of the file in metres, for messages.
    rule : {"evenodd", "nonzero", "orientation"}
        What is inside: what an odd number of rings goes round; what the rings wind round at all; counter-clockwise rings less
        clockwise ones.
    gap : float, optional
        Ends of loose pieces within this distance, in units of the file, are the same point; by default `CHAIN_TOLERANCE` of the size.

    Raises
    ------
    InvalidGeometry
        If there is no single area.
    """
    drawing = Drawing(source.name, scale, _size(source.name, rings), rule, gap)
    outlines, findings = _closed(drawing, rings)
    _check_points(drawing, outlines)
    found = _topology(drawing, outlines)
    if found.crossings and rule != "nonzero":
        raise _crossing_refusal(drawing, outlines, found.crossings)
    _check_areas(drawing, outlines)  # after the crossings: a ring that looks flat in its own size may cross the others
    findings += [f for o in outlines for f in (*_duplicates(drawing, o), *_spikes(drawing, o))]
    if found.crossings:
        outlines, remark = united(drawing, outlines)
        found = _topology(drawing, outlines)
        findings.append(remark)
    if found.crossings:
        raise _crossing_refusal(drawing, outlines, found.crossings)
    signs = found.signs(rule).tolist()
    findings += _touching(drawing, outlines, found)
    if rule == "evenodd":
        _check_roles(drawing, outlines, signs)
    if rule == "orientation":
        _check_orientation(drawing, outlines, found)
    findings += _stated_fill(source, found, signs) or _painted_over(drawing, source, outlines, found, signs)
    return _summed(drawing, outlines, signs, findings)


def _size(name: str, rings: Sequence[Ring]) -> float:
    boxes = np.array([c.bounds() for r in rings for c in r.curves])
    with np.errstate(over="ignore", invalid="ignore"):
        size = float((boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0)).max())
    largest = float(np.abs(boxes).max())
    if not ((size == 0 or size > SMALLEST_SIZE) and largest < LARGEST_SIZE):
        raise InvalidGeometry(
            f"{name}: the section is {size:.3g} units across and {largest:.3g} units from the origin: "
            "second moments of area need fourth powers, which leave double precision",
            code="implausible-size",
            hint="scale or move the coordinates",
        )
    return size


# ---- closing ---------------------------------------------------------------------------------------------------------


def _closed(drawing: Drawing, rings: Sequence[Ring]) -> tuple[list[Outline], list[Finding]]:
    closed = [r for r in rings if r.closing != "open"]
    pieces = [r for r in rings if r.closing == "open"]
    findings = [f for r in closed if r.closing == "implied" for f in _implied(drawing, r)]
    outlines = [Outline.of(r) for r in closed]
    if pieces:
        loops, found = _chained(drawing, pieces)
        outlines, findings = outlines + loops, findings + found
    return outlines, findings


def _implied(drawing: Drawing, ring: Ring) -> list[Finding]:
    first, last = ring.curves[0].start, ring.curves[-1].end
    width = float(np.hypot(*(first - last))) * drawing.scale
    if width == 0:
        return []
    message = f"{ring.place} ends {width:.3g} m from where it begins, near {drawing.shown(last)} m; closed with a straight edge"
    return [Finding("gap-closed", "info", message, value=width, where=drawing.at(last))]


def _chained(drawing: Drawing, pieces: Sequence[Ring]) -> tuple[list[Outline], list[Finding]]:
    tolerance = CHAIN_TOLERANCE * drawing.size if drawing.gap is None else drawing.gap
    chains = chained(pieces, tolerance)
    if chains.loose:
        raise _loose_ends(drawing, chains.loose, tolerance)
    widest, limit = chains.widest * drawing.scale, tolerance * drawing.scale
    rings = plural(len(chains.loops), "ring")
    message = f"{len(pieces)} loose pieces were joined to {rings}; the widest gap is {widest:.3g} m"
    return chains.loops, [Finding("pieces-joined", "info", message, value=widest, limit=limit)]


def _loose_ends(drawing: Drawing, loose: list[tuple[Array, Array]], tolerance: float) -> InvalidGeometry:
    shown = ", ".join(f"{drawing.shown(a)} and {drawing.shown(b)}" for a, b in loose[:_SHOWN])
    more = f" and {len(loose) - _SHOWN} more" if len(loose) > _SHOWN else ""
    chains = "1 chain does" if len(loose) == 1 else f"{len(loose)} chains do"
    return drawing.refusal(
        "open-ring",
        f"{chains} not close within {tolerance * drawing.scale:.3g} m; loose ends at {shown} m{more}",
        "close the outline, leave other layers out with --layer, or widen --gap",
        loose[0][0],
    )


# ---- single rings ----------------------------------------------------------------------------------------------------


def _check_points(drawing: Drawing, outlines: list[Outline]) -> None:
    """Refuse a ring of fewer than three distinct points: it has no edges that could be judged."""
    for o in outlines:
        # what lies in one point has no size for a tolerance
        points = o.flattened(COARSE * drawing.size) if drawing.size else o.bounds
        if len(points) < 3:
            n = len(np.unique(points, axis=0)) or 1
            raise _no_area(drawing, o, f"has {plural(n, 'distinct point')}, a ring needs at least 3")


def _check_areas(drawing: Drawing, outlines: list[Outline]) -> None:
    """Refuse a ring that encloses no area: it is not left out, since nobody knows what it should have been."""
    for o in outlines:
        if o.straight and collinear(o.corners):
            raise _no_area(drawing, o, "has all its points on one line, to the rounding of its coordinates")
        size = float(np.ptp(o.bounds, axis=0).max())
        if not o.straight and abs(o.own_moments.measure) <= ZERO_AREA * o.length() * size:
            raise _no_area(drawing, o, "encloses no area")


def _no_area(drawing: Drawing, outline: Outline, message: str) -> InvalidGeometry:
    where = outline.corners[0]
    message = f"{outline.place} {message}, near {drawing.shown(where)} m"
    return drawing.refusal("zero-area", message, "correct or remove the ring", where)


def _duplicates(drawing: Drawing, outline: Outline) -> list[Finding]:
    """Points that are there twice in a row; the first again at the end is how formats close a ring."""
    if not outline.straight or len(outline.curves) > 1:
        return []
    p = outline.corners
    same = np.flatnonzero((p[1:] == p[:-1]).all(axis=1))
    if not len(same):
        return []
    message = f"{outline.place} has {plural(len(same), 'point')} twice in a row, first {drawing.shown(p[same[0]])} m"
    return [Finding("duplicate-points", "info", message, value=float(len(same)), where=drawing.at(p[same[0]]))]


def _spikes(drawing: Drawing, outline: Outline) -> list[Finding]:
    if not outline.straight:
        return []
    tips = spikes(outline.flattened(0.0))
    if not len(tips):
        return []
    message = f"{outline.place} turns back on itself at {plural(len(tips), 'point')}, first {drawing.shown(tips[0])} m"
    message += "; a spike has no area, but a length"
    return [Finding("spike", "warning", message, value=float(len(tips)), where=drawing.at(tips[0]))]


# ---- rings together --------------------------------------------------------------------------------------------------


def _topology(drawing: Drawing, outlines: list[Outline]) -> Topology:
    """As the flattened rings lie: before curves are said to meet, they are looked at more finely."""
    turns = [1 if o.own_moments.measure > 0 else -1 for o in outlines]
    straight = all(o.straight for o in outlines)
    found = topology([o.flattened(COARSE * drawing.size) for o in outlines], turns, drawing.name)
    if straight or not (found.crossings or found.touching):
        return found
    return topology([o.flattened(FINE * drawing.size) for o in outlines], turns, drawing.name)


_CROSSINGS = {
    "self-crossing": "{0} crosses itself near {where} m, so that it has no single area",
    "rings-cross": "{0} and {1} cross near {where} m, so that their areas overlap",
    "duplicate-rings": "{0} and {1} are the same ring, near {where} m",
}
_TOUCHING = {"self-touching": "{0} touches itself near {where} m", "rings-touch": "{0} and {1} touch near {where} m"}


def _crossing_refusal(drawing: Drawing, outlines: list[Outline], defects: list[Defect]) -> InvalidGeometry:
    first = defects[0]
    more = f" (and {plural(len(defects) - 1, 'more place')})" if len(defects) > 1 else ""
    hint = "correct the outline" if drawing.rule == "nonzero" else "correct the outline, or use --rings nonzero"
    return drawing.refusal(first.code, _sentence(_CROSSINGS, drawing, outlines, first) + more, hint, first.where)


def _sentence(sentences: dict[str, str], drawing: Drawing, outlines: list[Outline], d: Defect) -> str:
    one, other = (outlines[i].place for i in d.rings)
    return sentences[d.code].format(one, other, where=drawing.shown(d.where))


def _touching(drawing: Drawing, outlines: list[Outline], found: Topology) -> list[Finding]:
    """One finding for each pair of rings that touch."""
    firsts = {d.rings: d for d in reversed(found.touching)}
    return [
        Finding(d.code, "warning", _sentence(_TOUCHING, drawing, outlines, d), where=drawing.at(d.where))
        for d in firsts.values()
    ]


def _check_orientation(drawing: Drawing, outlines: list[Outline], found: Topology) -> None:
    """Refuse rings that count more than once, or less than nothing, in either sense."""
    outside, inside = (w.tolist() for w in found.windings())
    sense = 1 if sum(found.turns[k] for k, w in enumerate(outside) if w == 0) > 0 else -1
    bad = next((k for k, pair in enumerate(zip(outside, inside, strict=True)) if not {*pair} <= {0, sense}), None)
    if bad is None:
        return
    where = found.rings[bad][0]
    message = f"by their orientation, rings count {inside[bad]} times inside of {outlines[bad].place}, near {drawing.shown(where)} m"
    raise drawing.refusal("rings-overlap", message, "see --rings evenodd or --rings nonzero", where)


_MISPLACED: dict[tuple[Role | None, int], tuple[str, str]] = {
    ("hole", 1): ("hole-outside", "a hole that lies in no outer ring"),
    ("outer", -1): ("rings-overlap", "an outer ring inside of another"),
}


def _check_roles(drawing: Drawing, outlines: list[Outline], signs: list[int]) -> None:
    for outline, sign in zip(outlines, signs, strict=True):
        if (outline.role, sign) in _MISPLACED:
            code, what = _MISPLACED[outline.role, sign]
            where = outline.corners[0]
            message = f"{outline.place} is {what}, near {drawing.shown(where)} m"
            raise drawing.refusal(code, message, "correct the outline, or use --rings nonzero", where)


def _stated_fill(source: PlanarSource, found: Topology, signs: list[int]) -> list[Finding]:
    """Where the file states another rule, and it would make a difference."""
    if source.fill is None or found.signs(source.fill).tolist() == signs:
        return []
    message = (
        f"the file fills by the {source.fill} rule, by which other rings would be holes; see --rings {source.fill}"
    )
    return [Finding("fill-rule", "warning", message)]


def _painted_over(
    drawing: Drawing, source: PlanarSource, outlines: list[Outline], found: Topology, signs: list[int]
) -> list[Finding]:
    """The first ring that counts as a hole, where the file paints its inside: it is not one of its own shape."""
    if not source.painted:
        return []
    polygons = np.array([-1 if o.polygon is None else o.polygon for o in outlines])
    own = found.count_around(polygons[found.inner] == polygons[found.outer]) % 2 == 1
    over = next((k for k, sign in enumerate(signs) if sign < 0 and not own[k]), None)
    if over is None:
        return []
    where = found.rings[over][0]
    message = f"{outlines[over].place} counts as a hole, and the file paints it over another shape, near {drawing.shown(where)} m"
    return [Finding("fill-rule", "warning", f"{message}; see --rings nonzero", where=drawing.at(where))]


#: Findings by which a polygon may be bounded once, and yet be another than the one that is meant.
_NOT_CERTIFIED = ("self-touching", "rings-touch", "fill-rule")


def _summed(drawing: Drawing, outlines: list[Outline], signs: list[int], findings: list[Finding]) -> Assembled:
    boxes = np.array([o.bounds for o in outlines])
    bounds = np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
    middle = bounds.mean(axis=0)
    moments = [o.own_moments.about(middle) for o in outlines]
    turns = [1] * len(outlines)
    if drawing.rule != "orientation":
        turns = [sign if m.measure > 0 else -sign for m, sign in zip(moments, signs, strict=True)]
    total = sum_of(m.times(turn) for m, turn in zip(moments, turns, strict=True) if turn)
    if total.measure < 0:  # all rings clockwise, by orientation
        total, turns = -total, [-turn for turn in turns]
    reach = np.abs(bounds - middle).max(axis=0)
    # terms of the area are products of a coordinate and an edge, x Δy − y Δx; a curve's points are rounded where they are
    terms = sum(float((reach * o.variation()[::-1]).sum()) for o in outlines) / 2
    bent = sum(o.length() for o in outlines if not o.straight)
    rounding = U * (ROUNDINGS * terms + POINT_ROUNDINGS * float(np.abs(bounds).max()) * bent)
    straight = all(o.straight for o in outlines)
    if straight and _share_of_rounding(total, rounding, reach) > POOR:
        outer = [int(np.sign(o.own_moments.measure)) for o in outlines] if drawing.rule == "orientation" else signs
        total = exact_polygon_moments(zip((o.corners for o in outlines), outer, strict=True))
        total = -total if total.measure < 0 else total
        rounding = 0.0  # what is rounded once is counted with the roundings of the unit
    thin = np.ptp(bounds, axis=0) <= THINNEST * np.abs(bounds).max(axis=0)
    if thin.any() or not _share_of_rounding(total, rounding, reach) < 0.5:
        raise drawing.refusal(
            "zero-area",
            f"the section is too thin: its area of {total.measure * drawing.scale**2:.3g} m² or a second moment is lost "
            "in the rounding of its coordinates",
            "move it to the origin, or correct the outline",
            middle,
        )
    error = sum(o.slivers.error for o in outlines)
    if error > 1e-12 * total.measure:
        area = error * drawing.scale**2
        message = f"the integrals over curves may be off by {area:.3g} m² of area"
        findings = [*findings, Finding("quadrature", "warning", message, value=area)]
    used = tuple(o for o, s in zip(outlines, signs, strict=True) if s)
    perimeter = sum(o.length() for o in used)
    exact = straight and not any(f.code in _NOT_CERTIFIED for f in findings)
    repaired = any(f.code == "rings-united" for f in findings)
    grade: Grade = "repaired" if repaired else "certified" if exact else "closed"
    # each length has the rounding of two differences, of squares and root, of the unit, and of what is added after it
    edges = sum(len(o.corners) for o in used) if straight else 0
    off = (edges + 16) * U * perimeter if straight else None
    placed = tuple(Placed(o, 1.0, float(turn)) for o, turn in zip(outlines, turns, strict=True) if turn)
    section = Section(total, total.measure, perimeter, bounds, rounding, perimeter_error=off, outlines=placed)
    return Assembled(section, used, grade, tuple(findings))


def _share_of_rounding(total: Moments, rounding: float, reach: Array) -> float:
    """The bound on the error of the area over the area, or that of a second moment if it is larger; infinite where one is 0."""
    if total.measure <= 0:
        return np.inf
    second = total.central_second().diagonal()
    if (second <= 0).any():
        return np.inf
    return float(max(rounding / total.measure, (4 * rounding * reach**2 / second).max()))


def joined(parts: Sequence[Assembled]) -> Assembled:
    """Parts of a composite section as one."""
    section = sum_of(p.section for p in parts)
    outlines = tuple(o for p in parts for o in p.outlines)
    return Assembled(section, outlines, worst(*(p.grade for p in parts)), tuple(f for p in parts for f in p.findings))


# --- do the parts of a composite section lie on each other? They may (bars in concrete), but it is said -------------------------

#: Two parts, and a point that both have.
Shared = tuple[int, int, tuple[float, float]]


def overlap_findings(parts: Sequence[Part]) -> list[Finding]:
    """A warning for the first two parts that share area, with a point near where they do; nothing for parts side by side."""
    outlines = [(k, p, o) for k, p in enumerate(parts) for o in p.assembled.outlines]
    size = max(float(np.ptp(o.bounds, axis=0).max()) * p.scale for _, p, o in outlines)
    rings = [o.flattened(FINE * size / p.scale) * p.scale for _, p, o in outlines]
    found = topology(rings, [1 if o.own_moments.measure > 0 else -1 for _, _, o in outlines])
    owner = np.array([k for k, _, _ in outlines])
    shared = _crossing(found, owner) or _covering(found, owner)
    if shared is None:
        return []
    one, other, where = shared
    place = ", ".join(f"{x:.6g}" for x in where)
    message = f"{parts[one].name!r} and {parts[other].name!r} overlap near ({place}) m; the shared area counts for both"
    return [Finding("parts-overlap", "warning", message, where=where)]


def _crossing(found: Topology, owner: Index) -> Shared | None:
    """Two parts whose outlines cross, or are the same."""
    for d in found.crossings:
        one, other = (int(owner[i]) for i in d.rings)
        if one != other:
            return one, other, d.where
    return None


def _covering(found: Topology, owner: Index) -> Shared | None:
    """Two parts of which one has a ring in the area of the other: inside of an odd number of its rings."""
    for part in np.unique(owner).tolist():
        inside = found.count_around(owner[found.outer] == part) % 2 == 1
        ring = next(iter(np.flatnonzero(inside & (owner != part)).tolist()), None)
        if ring is not None:
            x, y = found.rings[ring][0].tolist()
            return part, int(owner[ring]), (x, y)
    return None
