"""A closed surface under the X-ray: certified, mended by a named policy, estimated, or refused with what is wrong and where."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops.errors import InvalidGeometry, MissingExtra, Remedy, result_or_error, spell
from massprops.findings import Finding, point_text
from massprops.grades import worst
from massprops.mesh.box_tree import TooManyPairs
from massprops.mesh.components import LabelledMesh, Role, SurfacePart, body_parts, bounds_of_union, describe, roles
from massprops.mesh.connectivity import components
from massprops.mesh.enclosed_solid import EnclosedSolid, MeshSurface, NotedStep, RepairStep
from massprops.mesh.opposite_facets import opposite_facets
from massprops.mesh.policies import Policies
from massprops.mesh.xray.line_crossings import Crossings, xray
from massprops.mesh.xray.line_grid import Lattice
from massprops.mesh.xray.verdict import Verdict, WindingViolation, hidden_volume, judge
from massprops.moments.arrays import sum_of
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Change, Spread, hidden, merge_spreads
from massprops.values import dataclass
from massprops.wording import percent, plural

#: Overlaps of a smaller share of the volume are remarked on and integrated as they are: a tenth of what the tessellation of a
#: cylinder into 32 facets changes.
OVERLAP_LIMIT = 1e-3
#: Where the X-ray can have missed more than this share of the volume, it certifies nothing.
CERTIFIABLE = 0.05
#: A shell that looks inward and has more than the second share of its faces in others can be a body inside out, or a cavity that breaks out
#: of them; with less it is in contact. With more than the first share there, a body is left out, and a cavity of the body around it is one.
_MOSTLY, _PARTLY = 0.5, 0.02
#: Fewer places at which lines cross a shell do not tell where it lies.
_FEW_PLACES = 20
#: Pairs of boxes are compared: their number is the square of this.
_MOST_PARTS = 3000
#: Telling parts apart takes a hundred bytes a facet: beyond this the memory of a large file shall not grow for it.
_MOST_FACETS = 300_000


class UnknownNesting(InvalidGeometry):
    """Shells lie in others of their orientation: part of them, or their opposite, whose `change` is this, in cubed units of the file."""

    change: Change = (0.0, 0.0)


def resolve_winding(surface: MeshSurface, policies: Policies, depth_tolerance: float) -> EnclosedSolid | None:
    """X-ray a closed surface and decide what its integral is worth; None if it encloses nothing.

    Parameters
    ----------
    surface : MeshSurface
        The surface.
    policies : Policies
        What the caller allows.
    depth_tolerance : float
        Lengths below it are rounding, in file units.

    Raises
    ------
    InvalidGeometry
        If the winding number leaves {0, 1} and the policies do not say what to do about it.
    """
    gathered = surface.gathered
    lattice = Lattice.affordable(gathered.bounds, gathered.sheet.measure, policies.lines, gathered.seed)
    families = surface.cached(("crossings", policies.lines), lambda: xray(surface.mesh, lattice))
    verdict = surface.cached(("verdict", policies.lines), lambda: judge(families, lattice, depth_tolerance))
    if verdict.empty and not gathered.encloses:  # a needle is not nothing, even if no line meets it
        return None
    if verdict.hidden > CERTIFIABLE * abs(gathered.solid.measure):
        groups = surface.cached("groups", lambda: _groups(surface))
        if len(groups) > 1:  # lines over the box of all of them would be far apart
            return _join([_examine_group(group, policies, depth_tolerance) for group in groups])
    if verdict.valid and gathered.solid.measure <= 0:
        return None
    if verdict.valid:
        coarse = _too_coarse(verdict, gathered.solid) if verdict.hidden > CERTIFIABLE * gathered.solid.measure else ()
        found = surface.solid("closed" if coarse else "certified", coarse)
        found = replace(found, sources={"xray": hidden(gathered.solid, gathered.bounds, verdict.hidden)})
        return without_sheets(surface, found) if verdict.folds else found
    if verdict.uniform and policies.on_overlap == "error":  # whole copies, whatever the parts are
        findings = [f for f, _ in _overlaps(surface, verdict, parts=1)]
        raise surface.refusal(findings, Remedy("mend the export", see="on_overlap"))
    parts = surface.cached("parts", lambda: LabelledMesh.of(surface.mesh, gathered.solid.reference))
    try:
        return _mend(_Case(surface, policies, depth_tolerance, lattice, families, parts))
    except TooManyPairs:
        findings = [f for f, _ in _overlaps(surface, verdict, parts.count)]
        raise surface.refusal(
            findings, "mend the export: too many bodies lie on each other to tell them apart"
        ) from None


def without_sheets(surface: MeshSurface, found: EnclosedSolid) -> EnclosedSolid:
    """The solid without the area of facets that lie back to back, and with the finding."""
    from massprops.mesh.repair.ladder import one_side

    paired, _ = opposite_facets(surface.mesh.chunks)
    if not paired.any():
        return found
    _, lost = one_side(surface.indexed)
    if len(lost.faces):
        text = "every facet of a body near {} is there twice, once for each side, so that the body counts nothing"
        finding = _fault(surface, "double-sided", text, lost.corners[0].mean(axis=0).tolist(), 0)
        raise surface.refusal([finding], Remedy("export one side only", see="repair"))
    labelled = LabelledMesh(surface.mesh, paired.astype(np.intp), surface.gathered.solid.reference)
    area = labelled.surface(np.array([False, True])).sheet.measure
    value, pairs = area * surface.scale**2, plural(int(paired.sum()) // 2, "pair")
    message = f"{pairs} of facets lie back to back inside the body: {value:.4g}\xa0m² are left out of the area"
    sheets = Finding("internal-sheets", "warning", message, value=value, limit=0)
    return replace(found, area=surface.gathered.sheet.measure - area, findings=(*found.findings, sheets))


def _too_coarse(verdict: Verdict, solid: Moments) -> tuple[Finding]:
    share = verdict.hidden / solid.measure
    message = (
        f"no line of the X-ray met an overlap, but an overlap of up to {percent(share, 2)} of the volume could lie between the "
        f"{verdict.lines} lines of so thin a body: see {spell('lines')}"
    )
    return (Finding("coarse-xray", "info", message, value=share, limit=CERTIFIABLE),)


def _groups(surface: MeshSurface) -> list[MeshSurface]:
    """Parts whose boxes are apart from those of all others cannot overlap them: each group of the others by itself."""
    if surface.gathered.facets > _MOST_FACETS:
        return []
    parts = LabelledMesh.of(surface.mesh, surface.gathered.solid.reference)
    if not 1 < parts.count <= _MOST_PARTS:
        return []
    low, high = parts.bounds().transpose(1, 0, 2)
    meet = ((low[:, None] <= high) & (low <= high[:, None])).all(axis=2)  # boxes with a point in common, shape (n, n)
    groups = components(parts.count, *np.nonzero(meet))
    members = [groups == group for group in np.unique(groups)]
    return [replace(surface, mesh=parts.weighted(m.astype(np.int8)), gathered=parts.surface(m)) for m in members]


def _examine_group(surface: MeshSurface, policies: Policies, depth_tolerance: float) -> EnclosedSolid:
    """The solid of one group of parts, by itself."""
    done: list[NotedStep] = []
    if surface.gathered.solid.measure < 0:
        volume = surface.gathered.solid.measure * surface.scale**3
        text = f"a body is inside out: {volume:.6g}\xa0m³, near {{}}"
        middle = surface.gathered.bounds.mean(axis=0).tolist()
        done = _turn(surface, policies, _fault(surface, "inverted-surface", text, middle, volume), "its")
        surface = surface.flipped()
    found = resolve_winding(surface, policies, depth_tolerance) or surface.solid("closed")
    grade = "repaired" if done and found.grade == "certified" else found.grade
    return replace(found, grade=grade).after(done)


def _fault(
    surface: MeshSurface, code: str, text: str, place: Sequence[float], value: float, limit: float = 0
) -> Finding:
    """Finding of a fault at a place, which stands in the text."""
    where = surface.in_metres(place)
    return Finding(code, "error", text.format(point_text(where)), value, limit, where)


def _turn(surface: MeshSurface, policies: Policies, finding: Finding, whose: str) -> list[NotedStep]:
    """Bodies that look inward: refused, or turned round if that is allowed."""
    if policies.on_inverted == "error":
        raise surface.refusal([finding], Remedy(f"turn {whose} faces round in the export", see="on_inverted"))
    return [_noted_step(finding, "turn", f"; {whose} faces were turned round")]


def _noted_step(finding: Finding, step: str, done: str = "") -> NotedStep:
    where = finding.where if isinstance(finding.where, tuple) else None
    return replace(finding, severity="warning", message=finding.marked + done), RepairStep(step, 1, where)


def _join(groups: Sequence[EnclosedSolid]) -> EnclosedSolid:
    """Groups that are apart from each other, as one body: as good as the worst of them."""
    whole = sum_of(g.moments for g in groups)
    sources: dict[str, Spread] = {}
    for g in groups:
        sources = merge_spreads(sources, {name: spread.within(g.moments, whole) for name, spread in g.sources.items()})
    meshes = [g.mesh for g in groups if g.mesh is not None]
    mesh = None
    if len(meshes) == len(groups):
        mesh = meshes[0].altered(lambda: itertools.chain.from_iterable(m.chunks() for m in meshes))
    areas = [g.area for g in groups if g.area is not None]
    return EnclosedSolid(
        "exact",
        worst(*(g.grade for g in groups)),
        whole,
        tuple(f for g in groups for f in g.findings),
        sources,
        mesh,
        sum(areas) if len(areas) == len(groups) else None,
        tuple(step for g in groups for step in g.repairs),
    )


@dataclass(frozen=True, eq=False)
class _Case:
    """A surface that is not valid as it is, with all that is known about it."""

    surface: MeshSurface
    policies: Policies
    depth_tolerance: float
    lattice: Lattice
    families: list[Crossings]
    parts: LabelledMesh

    def volume(self, parts: Sequence[SurfacePart]) -> float:
        """Signed volume of some parts together, m³."""
        members = np.isin(np.arange(self.parts.count), [p.label for p in parts])
        return self.parts.surface(members).solid.measure * self.surface.scale**3

    def of_several_pieces(self) -> NDArray[np.intp]:
        """Numbers of the parts that hold together only along edges of more than two facets: each may be several shells."""
        piece = self.surface.indexed.pieces()
        pieces = np.bincount(self.parts.labels[piece == np.arange(len(piece))])
        return np.flatnonzero(pieces > 1)

    def united(
        self, counted: Moments, factors: NDArray[np.int8], parts: Sequence[SurfacePart]
    ) -> tuple[Moments, Spread]:
        """Estimate of the union of the bodies, after parts were turned or left out; refused where it is more than these, or less."""
        from massprops.mesh.repair.solid_union import estimate_union

        volumes, labels = self.parts.volumes() * factors, self.parts.labels
        bodies = body_parts(labels, parts, volumes)
        mesh, gathered = self.surface.mesh, self.surface.gathered
        union, spread = self.surface.cached(
            ("union", *(x.tobytes() for x in (factors, bodies.body, bodies.sign))),
            lambda: estimate_union(mesh, gathered, counted, factors[labels], parts=bodies),
        )
        least, most = bounds_of_union(bodies, parts, volumes)
        room = spread.volume + hidden_volume(self.lattice)
        if not least - room <= union.measure <= most + room:
            value, least, most = (v * self.surface.scale**3 for v in (union.measure, least, most))
            bounds = f"but has at least {least:.4g}\xa0m³ and at most {most:.4g}\xa0m³"
            what = f"the union of the bodies is estimated as {value:.4g}\xa0m³, {bounds}"
            finding = Finding("overlapping-bodies", "error", what, value=value, limit=most)
            raise self.surface.refusal([finding], Remedy("mend the export", see="on_overlap"))
        return union, spread


_UNKNOWN = Remedy("mend the export: which of its parts are inside out is not known")


def _mend(case: _Case) -> EnclosedSolid | None:
    """Turn round or leave out whole parts where the policies say so; then see whether that was all. None if nothing is left."""
    gathered, labels = case.surface.gathered, case.parts.labels
    parts = describe(case.families, labels, case.lattice, case.depth_tolerance)
    known, factors = roles(parts), np.ones(case.parts.count, dtype=np.int8)
    for p in parts:  # every shell as what it is, whatever its orientation
        factors[p.label] = known[p.label][1] * (1 if p.outward else -1)
    wrong = [p for p in parts if known[p.label][0] == "body" and not p.outward]
    doubtful = _doubtful(case, parts, known)
    breaking = [p for p in doubtful if p.covered > _MOSTLY and p in wrong]
    told = _breaking(case, breaking, factors)
    wrong = [p for p in wrong if p not in breaking]
    inner = [(p, known[p.label][1]) for p in parts if known[p.label][0] == "nested"]
    done = [*told, *_inside_out(case, wrong), *_nested(case, inner, factors)]
    solid = case.parts.weighted_solid(gathered.solid, factors)
    area = case.parts.weighted_area(gathered.sheet.measure, factors)
    found = EnclosedSolid("exact", "repaired", solid, mesh=case.parts.weighted(factors), area=area)
    verdict = judge([c.weighted(factors[labels]) for c in case.families], case.lattice, case.depth_tolerance)
    if not verdict.valid:
        found = _without_overlaps(case, found, verdict, factors, parts)
    elif solid.measure <= 0:
        return None
    else:
        found = replace(found, sources={"xray": hidden(solid, gathered.bounds, verdict.hidden)})
    # shells that look inward and that no line has met
    unseen = -float(np.delete(case.parts.volumes(), [p.label for p in parts]).clip(max=0).sum())
    if doubtful or unseen:
        cavities = [p for p in doubtful if known[p.label][0] == "cavity"]
        low = _size_of(case, [p for p in doubtful if p.tangled or p not in cavities])
        high = _size_of(case, [p for p in doubtful if p.tangled or p in breaking or p in cavities])
        off = hidden(found.moments, gathered.bounds, _size_of(case, doubtful) + unseen)
        off = replace(off, signed=(-low - unseen, high + unseen))
        found = replace(found, sources={**found.sources, "inverted": off})
    if undecided := [p for p in doubtful if p not in breaking]:
        note, _ = _noted_step(_doubt(case, undecided, "in or on"), "turn", "; both are within the ±")
        found = replace(found, findings=(*found.findings, note))
    return found.after(done)


def _doubtful(case: _Case, parts: Sequence[SurfacePart], known: Mapping[int, tuple[Role, int]]) -> list[SurfacePart]:
    """Shells that look inward and can be bodies, or cavities that break out of the bodies that they are in or on."""
    low, high = case.parts.bounds().transpose(1, 0, 2)
    found = [p for p in parts if not p.outward and known[p.label][0] != "nested"]
    alone = [p for p in found if known[p.label][0] == "cavity" and p.covered > _MOSTLY + p.places**-0.5]
    found = [p for p in found if p.places < _FEW_PLACES or (p.sunk > _PARTLY and p not in alone)]
    meeting = [((low <= high[p.label]) & (low[p.label] <= high)).all(axis=1).sum() for p in found]  # its own box, too
    return [p for p, boxes in zip(found, meeting, strict=True) if boxes > 1]


def _size_of(case: _Case, breaking: Sequence[SurfacePart]) -> float:
    """Volume that parts can have at most, file units: what crosses itself is less than its box."""
    box, size = np.ptp(case.parts.bounds(), axis=1).prod(axis=1), np.abs(case.parts.volumes())
    return sum(float((box if p.tangled else size)[p.label]) for p in breaking)


def _breaking(case: _Case, parts: Sequence[SurfacePart], factors: NDArray[np.int8]) -> list[NotedStep]:
    """Bodies that are inside out and mostly in others, which are left out: as bodies or as cavities they change as much."""
    if not parts:
        return []
    fault = _doubt(case, parts, "and mostly in")
    if case.policies.on_inverted == "error" or case.policies.on_overlap == "error":
        raise case.surface.refusal([fault], _UNKNOWN)
    factors[[p.label for p in parts]] = 0
    return [_noted_step(fault, "turn", "; left out, and both are within the ±")]


def _doubt(case: _Case, parts: Sequence[SurfacePart], place: str) -> Finding:
    number = "a body is" if len(parts) == 1 else f"{len(parts)} bodies are"
    size = _size_of(case, parts) * case.surface.scale**3
    text = f"{number} inside out {place} another, near {{}}: up to {size:.4g}\xa0m³ of material, or cavities that break out of it"
    return _fault(case.surface, "inverted-surface", text, parts[0].inside, parts[0].covered, _MOSTLY)


def _without_overlaps(
    case: _Case, found: EnclosedSolid, verdict: Verdict, factors: NDArray[np.int8], parts: Sequence[SurfacePart]
) -> EnclosedSolid:
    """The solid where parts overlap: united, counted or taken as it is where the policies say so; else refused."""
    surface, solid = case.surface, found.moments
    overlaps = _overlaps(surface, verdict, len(parts))
    inside_out = verdict.negative is not None and verdict.negative.share > OVERLAP_LIMIT
    tangled = [p.label for p in parts if p.tangled]
    if inside_out and tangled and np.isin(tangled, case.of_several_pieces()).any():
        raise surface.refusal([finding for finding, _ in overlaps], _UNKNOWN)
    told = [_noted_step(finding, step) for finding, step in overlaps]
    if case.policies.on_overlap == "union" and not verdict.uniform:
        try_exact = verdict.negative is None
        return _unite(case, solid, factors, parts, try_exact=try_exact).after(told)
    if case.policies.on_overlap == "union":
        once, area = solid.divided(verdict.copies), (found.area or 0.0) / verdict.copies
        sources = {"xray": hidden(once, surface.gathered.bounds, verdict.hidden)}
        return EnclosedSolid("exact", "repaired", once, sources=sources, area=area).after(told)
    counted = replace(found, grade="closed", findings=tuple(finding for finding, _ in told))
    if case.policies.on_overlap == "count":
        return counted
    if max(f.value or 0.0 for f, _ in overlaps) <= OVERLAP_LIMIT:
        off, share = _counted_wrongly(case, solid, factors, parts)
        if share <= OVERLAP_LIMIT:
            return replace(counted, sources={"overlap": off})
    raise surface.refusal([finding for finding, _ in overlaps], Remedy("mend the export", see="on_overlap"))


def _counted_wrongly(
    case: _Case, counted: Moments, factors: NDArray[np.int8], parts: Sequence[SurfacePart]
) -> tuple[Spread, float]:
    """How far the integral is from that of the union, with the estimate's own ±, and the share of the volume that this is.

    A few lines that met an overlap say little of its size: many more are shot before it is believed to be small.
    """
    union, spread = case.united(counted, factors, parts)
    off = Spread.between(counted, union) + spread
    low, high = off.change
    off = replace(off, signed=(min(low, 0.0), max(high, 0.0)))  # what was counted stays between them
    return off, off.volume / union.measure


def _unite(
    case: _Case, counted: Moments, factors: NDArray[np.int8], parts: Sequence[SurfacePart], *, try_exact: bool
) -> EnclosedSolid:
    """The union: exact where manifold3d is installed and agrees with the estimate, else the estimate."""
    from massprops.mesh.repair.solid_union import exact_union

    mesh, labels = case.surface.mesh, case.parts.labels
    estimate, spread = case.united(counted, factors, parts)
    key = "exact union", factors.tobytes()
    exact = (
        case.surface.cached(key, lambda: result_or_error(exact_union, mesh, labels, factors, counted.reference))
        if try_exact
        else None
    )
    if (
        isinstance(exact, tuple)
        and abs(exact.moments.measure - estimate.measure) <= spread.volume + exact.spread.volume
    ):
        united = mesh.altered(exact.mesh.read_chunks(), len(exact.mesh.faces))
        what = "the union was computed by manifold3d and agrees with an estimate by lines"
        note = Finding("united-bodies", "info", what)
        return EnclosedSolid(
            "exact", "repaired", exact.moments, (note,), {"estimate": exact.spread}, united, exact.area
        )
    notes: tuple[Finding, ...] = ()
    if isinstance(exact, MissingExtra):
        notes = (Finding("united-bodies", "info", f"the union is an estimate by lines; {exact}"),)
    return EnclosedSolid("exact", "estimated", estimate, notes, {"estimate": spread})


def _inside_out(case: _Case, wrong: Sequence[SurfacePart]) -> list[NotedStep]:
    """Bodies that look inward: refused, or turned round, with their cavities, if that is allowed."""
    if not wrong:
        return []
    volume = case.volume(wrong)
    bodies = f"{len(wrong)} of {case.parts.count} bodies {'is' if len(wrong) == 1 else 'are'} inside out"
    text = f"{bodies}: {volume:.6g}\xa0m³, near {{}}"
    finding = _fault(case.surface, "inverted-surface", text, wrong[0].inside, volume)
    return _turn(case.surface, case.policies, finding, "their")


def _nested(case: _Case, inner: Sequence[tuple[SurfacePart, int]], factors: NDArray[np.int8]) -> list[NotedStep]:
    """Shells in others of their orientation, each with its sign as the opposite: that or part of them, as the caller says; else asked."""
    if not inner:
        return []
    without = factors.copy()
    without[[p.label for p, _ in inner]] = 0
    scale, gathered = case.surface.scale, case.surface.gathered.solid
    size = np.abs(case.parts.volumes())
    low, high = (sum(float(size[p.label]) for p, sign in inner if sign == way) for way in (-1, 1))
    volume, solid, hollow = (
        (low + high) * scale**3,
        *(case.parts.weighted_solid(gathered, f).measure * scale**3 for f in (without, factors)),
    )
    bodies = "a body lies" if len(inner) == 1 else f"{len(inner)} bodies lie"
    wound = f"{'is' if len(inner) == 1 else 'are'} wound the same way"
    text = f"{bodies} inside another and {wound}: {volume:.6g}\xa0m³ of {solid:.6g}\xa0m³, near {{}}"
    if not low:
        text = text.replace("another", "a cavity")
    finding = _fault(case.surface, "nested-bodies", text, inner[0][0].inside, volume)
    if case.policies.nested == "ask":
        hint = Remedy(f"{{}} for {hollow:.6g}\xa0m³, {{}} for {solid:.6g}\xa0m³", "nested=cavity", "nested=body")
        unknown = case.surface.refusal([finding], hint, kind=UnknownNesting)
        unknown.change = -low, high
        raise unknown
    if case.policies.nested == "body":
        for p, sign in inner:  # what is around it has it already, but where a cavity, or another body, is in its place
            factors[p.label] = 0 if p.enclosed == (sign < 0) else 1 if p.outward else -1
    done = "taken as a cavity" if case.policies.nested == "cavity" else "taken as part of the solid around it"
    if not low:
        done = "turned round" if case.policies.nested == "cavity" else "taken as part of it"
    return [_noted_step(finding, "nest", f"; {done}")]


def _overlaps(surface: MeshSurface, verdict: Verdict, parts: int) -> list[tuple[Finding, str]]:
    """Each way in which w is wrong, and the repair step that a union is for it."""
    wrong: list[tuple[str, str, str, WindingViolation]] = []
    if verdict.multiple is not None:
        code, step = "overlapping-bodies", "union"
        cause = "bodies overlap" if parts > 1 else "the surface overlaps itself"
        if verdict.copies > 1:
            code, step, cause = "duplicate-facets", "drop", f"the whole surface is there {verdict.copies} times"
        how = f"counted {verdict.multiple.extreme} times at worst"
        wrong.append((code, step, f"{cause}: {{}} of the volume is {how}", verdict.multiple))
    if verdict.negative is not None:
        text = "the surface is partly inside out: {} of the volume is counted negatively"
        wrong.append(("inverted-surface", "union", text, verdict.negative))
    found = []
    for code, step, text, violation in wrong:
        regions, of_volume = plural(len(violation.regions), "region"), text.format(percent(violation.share))
        text = f"{of_volume}, in {regions}, the largest near {{}}"
        place = violation.regions[0].place
        found.append((_fault(surface, code, text, place, violation.share, OVERLAP_LIMIT), step))
    return found
