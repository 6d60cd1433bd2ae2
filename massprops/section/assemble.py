"""One section from the rings of a file: they are closed, checked, nested and summed.

Sections so thin that the sums of doubles lose them are summed without rounding: coordinates are whole multiples of a common power of
two, so the sums of products are whole numbers.

Tests: `tests/measurement/test_section.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, Remedy, spell
from massprops.findings import Finding, count_finding
from massprops.grades import Grade, worst
from massprops.moments.arrays import Index, sum_of
from massprops.moments.exact import ExactMoments, polygon_moments
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import U
from massprops.section.chaining import chain_pieces
from massprops.section.curves.base import Polyline, box
from massprops.section.outline import COARSE, FINE, ROUNDINGS, Outline
from massprops.section.parts import Assembled, Drawing
from massprops.section.plastic import PlacedOutline
from massprops.section.properties import Section
from massprops.section.rings import PlanarSource, Ring, Role
from massprops.section.topology import Defect, Rule, Topology, collinear, spikes, topology
from massprops.wording import plural

#: Ends of loose pieces that are so close, in sizes of the drawing, are the same point: CAD programs write six digits and more.
CHAIN_TOLERANCE = 1e-6
#: A ring encloses nothing if its area is below this share of perimeter times size: the rounding of a sum of cancelling terms.
ZERO_AREA = 1e-13
#: Area, in edges, sizes and largest coordinates, below which a polygon may have all its points on one line.
_FLAT = 1e-13
#: Fourth powers of a length must stay double precision numbers.
SMALLEST_SIZE, LARGEST_SIZE = 1e-50, 1e50
#: Rings, and points of flattened curves.
MOST_RINGS, MOST_POINTS = 30_000, 1_000_000
_SHOWN = 5
#: Roundings of a point on a curve, in units of U and of the size of coordinates: its centre, two products with sine and cosine, two sums.
POINT_ROUNDINGS = 16
#: Polygons are summed again without rounding where it can have cost more than this share of a number.
POOR = 1e-11
#: Extents below this share of the coordinates have lost most of their digits before they are read.
THINNEST = 1e-13


def assemble(
    source: PlanarSource,
    rings: Sequence[Ring],
    scale: float,
    rule: Rule | None,
    gap: float | None = None,
    *,
    exact: bool = False,
    wall: float = 0.0,
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
    rule : {"evenodd", "nonzero", "orientation"} or None
        What is inside: what an odd number of rings goes round; what the rings wind round at all; counter-clockwise rings less
        clockwise ones. None: what an odd number of polygons covers, each by the rule that the file states for it, or else even-odd.
    gap : float, optional
        Ends of loose pieces within this distance, in units of the file, are the same point; by default `CHAIN_TOLERANCE` of the size.
    exact : bool
        Whether the integrals are summed as fractions.
    wall : float
        Thickness of the walls whose centre lines all rings are, in units of the file; 0: rings are outlines, or have their own width.

    Raises
    ------
    InvalidInput
        If `exact` is asked for, and the outlines are not polygons with the coordinates of the file.
    InvalidGeometry
        If there is no single area.
    """
    drawing = Drawing(source.name, scale, _size(source.name, rings), rule or "evenodd", gap, exact, wall)
    outlines, findings = _closed(drawing, rings)
    if rule is None and _are_walls(outlines, findings):  # they are all of matter: what two of them cover counts once
        drawing, rule = replace(drawing, rule="nonzero"), "nonzero"
    by_stated_rules, rule = rule is None, drawing.rule
    if exact:
        _check_exact(drawing, outlines, findings)
    if len(outlines) > MOST_RINGS:
        what = f"{source.name}: {len(outlines):,} rings, more than {MOST_RINGS:,}"
        raise InvalidGeometry(what, code="too-many-rings", hint="measure the file in parts, for example by layer")
    _check_points(drawing, outlines)
    found = _topology(drawing, outlines)
    _check_crossings(drawing, outlines, found)
    _check_areas(drawing, outlines)  # after the crossings: a ring that looks flat in its own size may cross the others
    findings += [f for o in outlines for f in _oddities(drawing, o)]
    if found.crossings:
        from massprops.section.union import unite

        outlines, remark = unite(drawing, outlines)
        found = _topology(drawing, outlines)
        findings.append(remark)
        if found.crossings:
            raise _crossing_refusal(drawing, outlines, found.crossings)
    if rule == "nonzero":  # a hole winds the other way than an outline, however the file has it
        roles = {"outer": 1, "hole": -1, None: 0}
        found.turns = np.array([roles[o.role] or turn for o, turn in zip(outlines, found.turns.tolist(), strict=True)])
    stated = _stated_signs(found, outlines)
    signs = stated if by_stated_rules else found.signs(rule).tolist()
    findings += _touching(drawing, outlines, found)
    if rule == "orientation":
        _check_orientation(drawing, outlines, found)
    else:
        _check_roles(drawing, outlines, found, signs)
    findings += _stated_fill(stated, signs, outlines) or _painted_over(drawing, source, outlines, found, signs)
    findings += _holes_of_layers(outlines, found, signs)
    return _summed(drawing, outlines, signs, findings)


def _check_exact(drawing: Drawing, outlines: Sequence[Outline], findings: Sequence[Finding]) -> None:
    """Refuse what has no exact integrals: curves, joints over a gap, and coordinates that are not those of the file."""
    for o in outlines:
        if (curve := next((c for c in o.curves if not isinstance(c, Polyline)), None)) is not None:
            what = f"{o.place} has a curve, near {drawing.point_text(curve.start)}, whose integrals are rounded"
            raise _no_exact_results(drawing, what, "export it as a polygon, or leave out {}")
        if o.is_rounded:
            what = f"the coordinates of {o.place} are rounded: by a transform, the scale of the page, relative steps or a wall"
            raise _no_exact_results(drawing, what, "export it with absolute coordinates, or leave out {}")
    gap = max((f.value or 0.0 for f in findings if f.code == "pieces-joined"), default=0.0)
    if gap:
        what = f"loose pieces were joined over gaps of up to {gap:.3g}\xa0m"
        raise _no_exact_results(drawing, what, "close the outline, or leave out {}")


def _no_exact_results(drawing: Drawing, what: str, remedy: str) -> InvalidInput:
    return InvalidInput(f"no exact results: {what}", place=drawing.name, hint=Remedy(remedy, "exact"))


def _size(name: str, rings: Sequence[Ring]) -> float:
    corners = np.concatenate([c.bounds() for r in rings for c in r.curves])
    with np.errstate(over="ignore", invalid="ignore"):
        size, largest = float(np.ptp(corners, axis=0).max()), float(np.abs(corners).max())
    if not ((size == 0 or size > SMALLEST_SIZE) and largest < LARGEST_SIZE):
        what = f"{name}: the section is {size:.3g} units across and {largest:.3g} units from the origin"
        what += ": second moments of area need fourth powers, which leave double precision"
        raise InvalidGeometry(what, code="implausible-size", hint="scale or move the coordinates")
    return size


# ---- closing ---------------------------------------------------------------------------------------------------------


def _closed(drawing: Drawing, rings: Sequence[Ring]) -> tuple[list[Outline], list[Finding]]:
    closed = [r for r in rings if r.closing != "open"]
    pieces = [r for r in rings if r.closing == "open"]
    if drawing.wall:
        return _all_walls(drawing, closed, pieces)
    findings = [f for r in closed if r.closing == "implied" for f in _implied(drawing, r)]
    outlines = [Outline.of(r) for r in closed]
    if pieces:
        loops, found = _chained(drawing, pieces)
        outlines, findings = outlines + loops, findings + found
    wide = sum(o.width > 0 for o in outlines)
    what = (
        f"{plural(wide, 'outline has', 'outlines have')} a line width, which is not measured; see {spell('kind=wall')}"
    )
    return outlines, findings + count_finding(wide, "wide-polylines", "warning", what)


def _all_walls(drawing: Drawing, closed: Sequence[Ring], pieces: Sequence[Ring]) -> tuple[list[Outline], list[Finding]]:
    """Walls whose centre lines are all rings and loose pieces."""
    tolerance = CHAIN_TOLERANCE * drawing.size if drawing.gap is None else drawing.gap
    loops, loose, _ = chain_pieces(pieces, tolerance)
    lines = [*((r, r.closing == "closed") for r in closed), *((r, True) for r in loops), *((r, False) for r in loose)]
    outlines = [o for ring, is_closed in lines for o in _walls(drawing, ring, drawing.wall, closed=is_closed)]
    return outlines, [_wall_finding(drawing, len(lines), {drawing.wall})]


def _walls(drawing: Drawing, ring: Ring, thickness: float, *, closed: bool) -> list[Outline]:
    from massprops.section.walls import NoWall, walls

    try:
        return walls(ring.curves, thickness, ring.place, ring.layer, closed=closed)
    except NoWall as error:
        message = f"{ring.place} is no centre line of a wall of {thickness * drawing.scale:.6g}\xa0m: {error}"
        message += f", near {drawing.point_text(error.where)}"
        raise drawing.refusal("no-wall", message, "draw the outline of the wall", error.where) from error


def _wall_finding(drawing: Drawing, count: int, widths: set[float]) -> Finding:
    thick = " and ".join(f"{width * drawing.scale:.6g}\xa0m" for width in sorted(widths))
    message = f"{plural(count, 'centre line')} of walls, {thick} thick: mitred corners, square ends"
    return Finding("walls", "info", message, value=float(count))


def _are_walls(outlines: Sequence[Outline], findings: Sequence[Finding]) -> bool:
    """Whether all outlines are those of walls."""
    lines = next((f.value or 0.0 for f in findings if f.code == "walls"), 0.0)
    return bool(lines) and len({o.place for o in outlines}) <= lines


def _implied(drawing: Drawing, ring: Ring) -> list[Finding]:
    first, last = ring.curves[0].start, ring.curves[-1].end
    width = float(np.hypot(*(first - last))) * drawing.scale
    message = f"{ring.place} ends {width:.3g}\xa0m from where it begins, near {drawing.point_text(last)}; closed with a straight edge"
    return [Finding("gap-closed", "info", message, value=width, where=drawing.at(last))] if width else []


def _chained(drawing: Drawing, pieces: Sequence[Ring]) -> tuple[list[Outline], list[Finding]]:
    tolerance = CHAIN_TOLERANCE * drawing.size if drawing.gap is None else drawing.gap
    loops, loose, gap = chain_pieces(pieces, tolerance)
    if open_ends := [ring for ring in loose if not ring.width]:
        raise _loose_ends(drawing, open_ends, tolerance)
    own = [o for ring in loose for o in _walls(drawing, ring, ring.width, closed=False)]
    found = [_wall_finding(drawing, len(loose), {ring.width for ring in loose})] if loose else []
    if loops:
        widest, limit = gap * drawing.scale, tolerance * drawing.scale
        count = len(pieces) - len(loose)
        message = (
            f"{count} loose pieces were joined to {plural(len(loops), 'ring')}; the widest gap is {widest:.3g}\xa0m"
        )
        found.append(Finding("pieces-joined", "info", message, value=widest, limit=limit))
    return [*loops, *own], found


def _loose_ends(drawing: Drawing, loose: Sequence[Ring], tolerance: float) -> InvalidGeometry:
    ends = [(ring.curves[0].start, ring.curves[-1].end) for ring in loose]
    layers = [layer for layer in dict.fromkeys(ring.layer for ring in loose) if layer]
    which = "layer" if len(layers) == 1 else "layers"
    named = f" on the {which} {', '.join(map(repr, layers[:_SHOWN]))}" if layers else ""
    shown = ", ".join(f"{drawing.point_text(a)} and {drawing.point_text(b)}" for a, b in ends[:_SHOWN])
    more = f" and {len(loose) - _SHOWN} more" if len(loose) > _SHOWN else ""
    chains = f"1 chain{named} does" if len(loose) == 1 else f"{len(loose)} chains{named} do"
    message = f"{chains} not close within {tolerance * drawing.scale:.3g}\xa0m; loose ends at {shown}{more}"
    hint = Remedy("close the outline, leave other layers out with {}, or widen {}", "layers", "gap")
    return drawing.refusal("open-ring", message, hint, ends[0][0])


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
        size, area = float(np.ptp(o.bounds, axis=0).max()), abs(o.own_moments.measure)
        # n edges of at most 1.5 sizes, 32 roundings beside a line, enclose less, with what rounds their area
        least = _FLAT * len(o.corners) * size * float(np.abs(o.bounds).max())
        if o.straight and area <= least and collinear(o.corners):
            raise _no_area(drawing, o, "has all its points on one line, to the rounding of its coordinates")
        if not o.straight and area <= ZERO_AREA * o.length() * size:
            raise _no_area(drawing, o, "encloses no area")


def _no_area(drawing: Drawing, outline: Outline, message: str) -> InvalidGeometry:
    where = outline.corners[0]
    message = f"{outline.place} {message}, near {drawing.point_text(where)}"
    return drawing.refusal("zero-area", message, "correct or remove the ring", where)


def _oddities(drawing: Drawing, outline: Outline) -> Iterator[Finding]:
    """Points that are there twice in a row (the first again at the end is how formats close a ring), and spikes."""
    if not outline.straight:
        return
    p = outline.corners
    repeated = len(p) - len(outline.flattened(0.0)) - bool((p[0] == p[-1]).all())
    if len(outline.curves) == 1 and repeated:
        same = p[1:][(p[1:] == p[:-1]).all(axis=1)]
        n = len(same)
        message = f"{outline.place} has {plural(n, 'point')} twice in a row, first {drawing.point_text(same[0])}"
        yield Finding("duplicate-points", "info", message, value=float(n), where=drawing.at(same[0]))
    tips = spikes(outline.flattened(0.0))
    if n := len(tips):
        message = f"{outline.place} turns back on itself at {plural(n, 'point')}, first {drawing.point_text(tips[0])}"
        message += "; a spike has no area, but a length"
        yield Finding("spike", "warning", message, value=float(n), where=drawing.at(tips[0]))


# ---- rings together --------------------------------------------------------------------------------------------------


def _topology(drawing: Drawing, outlines: list[Outline]) -> Topology:
    """Topology of the flattened rings; where curves seem to meet, they are flattened more finely first."""
    turns = [1 if o.own_moments.measure > 0 else -1 for o in outlines]
    for tolerance in (COARSE, FINE):
        found = topology([*_polygons(drawing, outlines, tolerance)], turns, drawing.name)
        if all(o.straight for o in outlines) or not (found.crossings or found.touching):
            break
    return found


def _polygons(drawing: Drawing, outlines: list[Outline], tolerance: float) -> Iterator[Array]:
    points = 0
    for outline in outlines:
        yield (ring := outline.flattened(tolerance * drawing.size))
        points += 0 if outline.straight else len(ring)
        if points > MOST_POINTS:
            what = "whether its curves meet would take more than"
            what = f"{drawing.name}: {what} {MOST_POINTS:,} points on them: many are large, or lie on each other"
            hint = Remedy("remove copies, or measure the file in parts with {}", "layers")
            raise InvalidGeometry(what, code="too-many-rings", hint=hint)


_CROSSINGS = {
    "self-crossing": "{0} crosses itself near {where}, so that it has no single area",
    "rings-cross": "{0} and {1} cross near {where}, so that their areas overlap",
    "duplicate-rings": "{0} and {1} are the same ring, near {where}",
}
_NONZERO = Remedy("correct the outline, or use {}", "rings=nonzero")
_TOUCHING = {"self-touching": "{0} touches itself near {where}", "rings-touch": "{0} and {1} touch near {where}"}


def _check_crossings(drawing: Drawing, outlines: list[Outline], found: Topology) -> None:
    """Refuse rings that cross, but those that are to be united; a hole that the file states would be filled by that."""
    if found.crossings and (drawing.rule != "nonzero" or _has_holes(outlines)):
        raise _crossing_refusal(drawing, outlines, found.crossings)
    if found.crossings and drawing.exact:
        what = "rings cross, and the points where they do would be rounded"
        raise _no_exact_results(drawing, what, "unite them in the drawing, or leave out {}")


def _crossing_refusal(drawing: Drawing, outlines: list[Outline], defects: list[Defect]) -> InvalidGeometry:
    first = defects[0]
    more = f" (and {plural(len(defects) - 1, 'more place')})" if len(defects) > 1 else ""
    hint = "correct the outline" if drawing.rule == "nonzero" or _has_holes(outlines) else _NONZERO
    return drawing.refusal(first.code, _sentence(_CROSSINGS, drawing, outlines, first) + more, hint, first.where)


def _has_holes(outlines: Sequence[Outline]) -> bool:
    return any(o.role == "hole" for o in outlines)


def _sentence(sentences: dict[str, str], drawing: Drawing, outlines: list[Outline], d: Defect) -> str:
    one, other = (outlines[i].place for i in d.rings)
    return sentences[d.code].format(one, other, where=drawing.point_text(d.where))


def _touching(drawing: Drawing, outlines: list[Outline], found: Topology) -> list[Finding]:
    """One finding for each pair of rings that touch."""
    firsts = {d.rings: d for d in reversed(found.touching)}
    said = ((d, _sentence(_TOUCHING, drawing, outlines, d)) for d in firsts.values())
    return [Finding(d.code, "warning", message, where=drawing.at(d.where)) for d, message in said]


def _check_orientation(drawing: Drawing, outlines: list[Outline], found: Topology) -> None:
    """Refuse rings that count more than once, or less than nothing, in either sense."""
    outside, inside = (w.tolist() for w in found.windings())
    sense = 1 if sum(found.turns[k] for k, w in enumerate(outside) if w == 0) > 0 else -1
    bad = next((k for k, pair in enumerate(zip(outside, inside, strict=True)) if not {*pair} <= {0, sense}), None)
    if bad is None:
        return
    where = found.rings[bad][0]
    message = f"by their orientation, rings count {inside[bad]} times inside of {outlines[bad].place}, near {drawing.point_text(where)}"
    raise drawing.refusal("rings-overlap", message, Remedy("", see=("rings=evenodd", "rings=nonzero")), where)


_MISPLACED: dict[tuple[Role | None, int], tuple[str, str]] = {
    ("hole", 1): ("hole-outside", "a hole that lies in no outer ring, or in another hole"),
    ("outer", -1): ("rings-overlap", "an outer ring inside of another"),
}


def _check_roles(drawing: Drawing, outlines: list[Outline], found: Topology, signs: list[int]) -> None:
    """Refuse rings that are not where the role is possible that the file states for them."""
    polygons = _polygon_numbers(outlines)
    in_own = found.count_around(polygons[found.inner] == polygons[found.outer])
    for outline, sign, own in zip(outlines, signs, in_own.tolist(), strict=True):
        misplaced = _MISPLACED.get((outline.role, sign))
        if misplaced is None and outline.role == "hole" and not own:
            misplaced = "hole-outside", "a hole that does not lie in the outer ring of its own polygon"
        if misplaced is not None:
            code, what = misplaced
            where = outline.corners[0]
            message = f"{outline.place} is {what}, near {drawing.point_text(where)}"
            raise drawing.refusal(code, message, "correct the outline" if outline.role == "hole" else _NONZERO, where)


def _stated_signs(found: Topology, outlines: Sequence[Outline]) -> list[int]:
    """Weights of the rings by the rules that the file states for its polygons."""
    nonzero = np.array([o.fill == "nonzero" for o in outlines], dtype=bool)
    signs: list[int] = found.stated_signs(_polygon_numbers(outlines), nonzero).tolist()
    return signs


def _polygon_numbers(outlines: Sequence[Outline]) -> Index:
    return np.array([-1 if o.polygon is None else o.polygon for o in outlines], dtype=np.intp)


def _stated_fill(stated: list[int], signs: list[int], outlines: Sequence[Outline]) -> list[Finding]:
    """The warning where the file states other rules than the one that was asked for, and they would make a difference."""
    rules = [o.fill for o in outlines if o.fill is not None]
    if not rules or stated == signs:
        return []
    message = f"the file fills by the {' and the '.join(sorted(set(rules)))} rule, by which other rings would be holes"
    return [Finding("fill-rule", "warning", f"{message}; leave out {spell('rings')}")]


def _painted_over(
    drawing: Drawing, source: PlanarSource, outlines: list[Outline], found: Topology, signs: list[int]
) -> list[Finding]:
    """The first ring that counts as a hole, where the file paints its inside: it is not one of its own shape."""
    if not source.painted:
        return []
    polygons = _polygon_numbers(outlines)
    own = found.count_around(polygons[found.inner] == polygons[found.outer]) % 2 == 1
    over = next((k for k, sign in enumerate(signs) if sign < 0 and not own[k]), None)
    if over is None:
        return []
    where = found.rings[over][0]
    message = f"{outlines[over].place} counts as a hole, and the file paints it over another shape, near {drawing.point_text(where)}"
    return [Finding("fill-rule", "warning", f"{message}; see {spell('rings=nonzero')}", where=drawing.at(where))]


def _holes_of_layers(outlines: Sequence[Outline], found: Topology, signs: Sequence[int]) -> list[Finding]:
    """Rings that count as holes in what another layer bounds: they may be another material."""
    depth = np.bincount(found.inner, minlength=len(outlines))
    order = np.argsort(depth[found.outer], kind="stable")  # of the rings around one, the innermost is the last
    around = dict(zip(found.inner[order].tolist(), found.outer[order].tolist(), strict=True))
    holes = [(outlines[k].layer, outlines[around[k]].layer) for k, sign in enumerate(signs) if sign < 0 and k in around]
    others = f"see {spell('materials')}, {spell('ratios')}, {spell('layers')}"
    messages = [
        f"{plural(count, f'ring of layer {own!r} is', f'rings of layer {own!r} are')} taken as "
        f"{'a hole' if count == 1 else 'holes'} in {outer!r}; {others}"
        for (own, outer), count in Counter(holes).items()
        if own != outer
    ]
    return [Finding("hole-of-layer", "info", message) for message in messages]


#: Findings by which a polygon may be bounded once, and yet be another than the one that is meant.
_NOT_CERTIFIED = ("self-touching", "rings-touch", "fill-rule")


def _summed(drawing: Drawing, outlines: list[Outline], signs: list[int], findings: list[Finding]) -> Assembled:
    bounds = box(np.concatenate([o.bounds for o in outlines]))
    middle = bounds.mean(axis=0)
    moments = [o.own_moments.about(middle) for o in outlines]
    turns = [1] * len(outlines)
    if drawing.rule != "orientation":
        turns = [sign if m.measure > 0 else -sign for m, sign in zip(moments, signs, strict=True)]
    total = sum_of(m.times(turn) for m, turn in zip(moments, turns, strict=True) if turn)
    if total.measure < 0:  # all rings clockwise, by orientation
        total, turns = -total, [-turn for turn in turns]
    reach = np.abs(bounds - middle).max(axis=0)
    # each is summed about its own middle, and they are added up; computed points are rounded where they are
    terms = ROUNDINGS * sum(o.terms() for o in outlines)
    terms += len(outlines) * sum(abs(m.measure) for m in moments)
    shifts = [U * _point_roundings(o) * float(np.abs(bounds).max()) for o in outlines]
    of_points = sum(shift * o.length() for shift, o in zip(shifts, outlines, strict=True))
    rounding = U * terms + of_points
    straight = all(o.straight for o in outlines)
    exact = None
    if drawing.exact or (straight and _share_of_rounding(total, rounding, reach) > POOR):
        exact = _exact_moments(zip((o.corners for o in outlines), signs, strict=True))
        total = exact.rounded() if exact.measure else Moments.zero(np.zeros(2))
        rounding = of_points  # what is rounded once is counted with the roundings of the unit
    thin = np.ptp(bounds, axis=0) <= THINNEST * np.abs(bounds).max(axis=0)
    if thin.any() or not _share_of_rounding(total, rounding, reach) < 0.5:
        what = f"the section is too thin: its area of {total.measure * drawing.scale**2:.3g}\xa0m²"
        what += " or a second moment is lost in the rounding of its coordinates"
        raise drawing.refusal("zero-area", what, "move it to the origin, or correct the outline", middle)
    error = sum(o.slivers.error for o in outlines)
    if error > 1e-12 * total.measure:
        area = error * drawing.scale**2
        message = f"the integrals over curves may be off by {area:.3g}\xa0m² of area"
        findings = [*findings, Finding("quadrature", "warning", message, value=area)]
    used = tuple(o for o, s in zip(outlines, signs, strict=True) if s)
    perimeter = sum(o.length() for o in used)
    once = straight and not any(f.code in _NOT_CERTIFIED for f in findings)
    repaired = any(f.code == "rings-united" for f in findings)
    grade: Grade = "repaired" if repaired else "certified" if once else "closed"
    # each length has the rounding of two differences, of squares and root, of the unit, and of what is added after it
    edges = sum(len(o.corners) for o in used) if straight else 0
    off = (edges + 16) * U * perimeter + 2 * edges * max(shifts) if straight else None
    placed = tuple(PlacedOutline(o, 1.0, float(turn)) for o, turn in zip(outlines, turns, strict=True) if turn)
    section = Section(total, total.measure, perimeter, bounds, rounding, perimeter_error=off, outlines=placed)
    section = replace(section, exact=exact) if drawing.exact else section
    return Assembled(section, used, grade, tuple(findings))


def _point_roundings(outline: Outline) -> int:
    """Roundings of a point of an outline, in units of U and of the size of coordinates; steps from point to point have one each."""
    if not outline.straight:
        return POINT_ROUNDINGS
    return POINT_ROUNDINGS + len(outline.corners) if outline.is_rounded else 0


def _exact_moments(polygons: Iterable[tuple[Array, int]]) -> ExactMoments:
    """Moments of closed polygons (n, 2), as fractions: each counts with its sign (±1, 0), whichever way it runs; together positive."""
    own = [(polygon_moments(points), sign) for points, sign in polygons if sign]
    total = sum_of(m.times(sign if m.measure > 0 else -sign) for m, sign in own)
    return -total if total.measure < 0 else total


def _share_of_rounding(total: Moments, rounding: float, reach: Array) -> float:
    """The bound on the error of the area over the area, or that of a second moment if it is larger; infinite where one is 0."""
    if total.measure <= 0:
        return np.inf
    second = total.central_second().diagonal()
    if (second <= 0).any():
        return np.inf
    return float(max(rounding / total.measure, (4 * rounding * reach**2 / second).max()))


def join(parts: Sequence[Assembled]) -> Assembled:
    """Parts of a composite section as one."""
    section = sum_of(p.section for p in parts)
    outlines = tuple(o for p in parts for o in p.outlines)
    return Assembled(section, outlines, worst(*(p.grade for p in parts)), tuple(f for p in parts for f in p.findings))
