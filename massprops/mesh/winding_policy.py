"""A closed surface under the X-ray: certified, mended by a named policy, estimated, or refused with what is wrong and where."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from massprops.errors import InvalidGeometry
from massprops.findings import Finding, in_words, point_text
from massprops.grades import Grade, worst
from massprops.mesh.components import SurfacePart, describe, label_facets, part_bounds, surface_of
from massprops.mesh.edge_defects import components
from massprops.mesh.opposite_facets import opposite_facets
from massprops.mesh.source import MeshSource, numbered
from massprops.mesh.surface import Surface
from massprops.mesh.xray.line_crossings import Crossings, Index, Winding, xray
from massprops.mesh.xray.line_grid import Lattice
from massprops.mesh.xray.verdict import Verdict, WindingViolation, judge
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Spread, hidden
from massprops.values import dataclass
from massprops.wording import percent, plural

OnOverlap = Literal["error", "count", "union"]
Nested = Literal["ask", "cavity", "body"]

#: Overlaps of a smaller share of the volume are remarked on and integrated as they are: a tenth of what the tessellation of a
#: cylinder into 32 facets changes.
OVERLAP_LIMIT = 1e-3


#: Where the X-ray can have missed more than this share of the volume, it certifies nothing.
CERTIFIABLE = 0.05
#: Pairs of boxes are compared: their number is the square of this.
_MOST_PARTS = 3000
#: Telling parts apart takes a hundred bytes a facet: beyond this the memory of a large file shall not grow for it.
_MOST_FACETS = 300_000


@dataclass(frozen=True)
class Wishes:
    """What the caller allows: see `massprops.measure`."""

    lines: int
    on_overlap: OnOverlap
    nested: Nested
    flip: bool


@dataclass(frozen=True, eq=False)
class Valid:
    """What may be integrated instead of the surface as it is, in file units: the moments, their grade, and what was said.

    `mesh` has the triangles that bound it, if there are such; `area` is theirs, if it is known.
    """

    mesh: MeshSource | None
    solid: Moments
    grade: Grade
    findings: tuple[Finding, ...]
    sources: dict[str, Spread]
    area: float | None


def examine(mesh: MeshSource, surface: Surface, scale: float, depth_tolerance: float, wishes: Wishes) -> Valid | None:
    """X-ray a closed surface and decide what its integral is worth; None if it encloses nothing.

    Parameters
    ----------
    mesh, surface : MeshSource, Surface
        The triangles, and what one pass over them gathered.
    scale : float
        The length unit of the file in metres, for messages.
    depth_tolerance : float
        Lengths below it are rounding, in file units.
    wishes : Wishes
        The caller's policies.

    Raises
    ------
    InvalidGeometry
        If the winding number leaves {0, 1} and the policies do not say what to do about it.
    """
    lattice = Lattice.over(surface.bounds, wishes.lines, surface.seed)
    families = xray(mesh, lattice)
    verdict = _judge(families, lattice, depth_tolerance)
    if verdict.empty and not surface.encloses:  # a needle is not nothing, even if no line meets it
        return None
    if verdict.hidden > CERTIFIABLE * abs(surface.solid.measure):
        groups = _groups(mesh, surface)
        if len(groups) > 1:  # lines over the box of all of them would be far apart
            return _joined([_examined(g, s, scale, depth_tolerance, wishes) for g, s in groups])
    if verdict.valid:
        sources = _hidden(surface.solid, surface.bounds, verdict)
        area, sheets = _without_sheets(mesh, surface, scale) if verdict.folds else (surface.sheet.measure, ())
        if verdict.hidden > CERTIFIABLE * surface.solid.measure:
            return Valid(mesh, surface.solid, "closed", (_too_coarse(verdict, surface), *sheets), sources, area)
        return Valid(mesh, surface.solid, "certified", sheets, sources, area)
    if verdict.uniform and wishes.on_overlap == "error":  # whole copies, whatever the parts are
        raise _refusal(mesh, _overlaps(verdict, scale, parts=1), "mend the export, or see --on-overlap")
    return _mended(_Case(mesh, surface, scale, depth_tolerance, wishes, lattice, families))


def _without_sheets(mesh: MeshSource, surface: Surface, scale: float) -> tuple[float, tuple[Finding, ...]]:
    """The area, file units, without facets that lie back to back, and the finding."""
    paired, _ = opposite_facets(mesh.chunks)
    if not paired.any():
        return surface.sheet.measure, ()
    both = np.array([False, True])
    area = surface_of(mesh.chunks, paired.astype(np.intp), both, surface.solid.reference).sheet.measure
    pairs = plural(int(paired.sum()) // 2, "pair")
    message = f"{pairs} of facets lie back to back inside the body: {area * scale**2:.4g} m² are left out of the area"
    return surface.sheet.measure - area, (
        Finding("internal-sheets", "warning", message, value=area * scale**2, limit=0),
    )


def _too_coarse(verdict: Verdict, surface: Surface) -> Finding:
    share = verdict.hidden / surface.solid.measure
    message = (
        f"no line of the X-ray met an overlap, but an overlap of up to {percent(share, 2)} of the volume could lie between the "
        f"{verdict.lines} lines of so thin a body: see --lines"
    )
    return Finding("coarse-xray", "info", message, value=share, limit=CERTIFIABLE)


def _groups(mesh: MeshSource, surface: Surface) -> list[tuple[MeshSource, Surface]]:
    """Parts whose boxes are apart from those of all others cannot overlap them: each group of the others by itself."""
    if surface.facets > _MOST_FACETS:
        return []
    labels = label_facets(mesh)
    count = int(labels.max()) + 1
    if not 1 < count <= _MOST_PARTS:
        return []
    low, high = part_bounds(mesh.chunks, labels, count).transpose(1, 0, 2)
    meet = ((low[:, None] <= high) & (low <= high[:, None])).all(axis=2)  # boxes with a point in common, shape (n, n)
    groups = components(count, *np.nonzero(meet))
    found = []
    for group in np.unique(groups):
        members = groups == group
        own = mended_mesh(mesh, members.astype(np.int8)[labels])
        found.append((own, surface_of(mesh.chunks, labels, members, surface.solid.reference)))
    return found


def _examined(mesh: MeshSource, surface: Surface, scale: float, depth_tolerance: float, wishes: Wishes) -> Valid:
    """One group of parts, by itself."""
    volume = surface.solid.measure
    turned: tuple[Finding, ...] = ()
    if volume < 0:
        where = _metres(tuple(surface.bounds.mean(axis=0).tolist()), scale)
        message = f"a body is inside out: {volume * scale**3:.6g} m³, near {point_text(where)}"
        finding = Finding("inverted-surface", "error", message, value=volume * scale**3, limit=0, where=where)
        if not wishes.flip:
            raise _refusal(mesh, [finding], "turn its faces round in the export, or see --on-inverted")
        turned = (replace(finding, severity="warning", message=f"{message}; its faces were turned round"),)
        mesh, surface = turned_round(mesh, surface)
    valid = examine(mesh, surface, scale, depth_tolerance, wishes)
    if valid is None:
        return Valid(mesh, surface.solid, "closed", turned, {}, surface.sheet.measure)
    grade: Grade = "repaired" if turned and valid.grade == "certified" else valid.grade
    return replace(valid, grade=grade, findings=(*turned, *valid.findings))


def _joined(groups: Sequence[Valid]) -> Valid:
    """Groups that are apart from each other, as one body: as good as the worst of them."""
    first, *rest = (g.solid for g in groups)
    whole = functools.reduce(operator.add, rest, first)
    sources: dict[str, Spread] = {}
    for g in groups:
        for name, spread in g.sources.items():
            seen = spread.within(g.solid, whole)
            sources[name] = sources[name] + seen if name in sources else seen
    meshes = [g.mesh for g in groups if g.mesh is not None]
    mesh = None
    if len(meshes) == len(groups):
        mesh = meshes[0].altered(lambda: itertools.chain.from_iterable(m.chunks() for m in meshes))
    areas = [g.area for g in groups]
    return Valid(
        mesh,
        whole,
        worst(*(g.grade for g in groups)),
        tuple(f for g in groups for f in g.findings),
        sources,
        None if None in areas else sum(a for a in areas if a is not None),
    )


@dataclass(frozen=True, eq=False)
class _Case:
    """A surface that is not valid as it is, with all that is known about it."""

    mesh: MeshSource
    surface: Surface
    scale: float
    depth_tolerance: float
    wishes: Wishes
    lattice: Lattice
    families: list[Crossings]


def _mended(case: _Case) -> Valid:
    """Turn round or leave out whole parts where the policies say so; then see whether that was all."""
    labels = label_facets(case.mesh)
    parts = describe(case.families, labels, case.lattice, case.depth_tolerance)
    factors = np.ones(int(labels.max()) + 1, dtype=np.int8)
    findings = [*_inside_out(case, parts, labels, factors), *_nested(case, parts, labels, factors)]
    solid, mended = _resummed(case, labels, factors), mended_mesh(case.mesh, factors[labels])
    families = [c.weighted(factors[labels]) for c in case.families]
    verdict = _judge(families, case.lattice, case.depth_tolerance)
    area = _area(case, labels, factors)
    if verdict.valid:
        return Valid(mended, solid, "repaired", tuple(findings), _hidden(solid, case.surface.bounds, verdict), area)
    overlaps = _overlaps(verdict, case.scale, len(parts))
    warnings = (*findings, *(replace(f, severity="warning") for f in overlaps))
    if verdict.uniform and case.wishes.on_overlap == "union":
        once = solid.divided(verdict.copies)
        sources = _hidden(once, case.surface.bounds, verdict)
        return Valid(None, once, "repaired", warnings, sources, area / verdict.copies)
    if case.wishes.on_overlap == "union":
        return _united(case, solid, labels, factors, warnings)
    if case.wishes.on_overlap == "count":
        return Valid(mended, solid, "closed", warnings, {}, area)
    if max(f.value or 0.0 for f in overlaps) <= OVERLAP_LIMIT:
        off, share = _counted_wrongly(case, solid, factors[labels])
        if share <= OVERLAP_LIMIT:
            return Valid(mended, solid, "closed", warnings, {"overlap": off}, area)
    raise _refusal(case.mesh, overlaps, "mend the export, or see --on-overlap")


def _counted_wrongly(case: _Case, counted: Moments, factors: NDArray[np.int8]) -> tuple[Spread, float]:
    """How far the integral is from that of the union, with the estimate's own ±, and the share of the volume that this is.

    A few lines that met an overlap say little of its size: many more are shot before it is believed to be small.
    """
    from massprops.mesh.repair.solid_union import estimate_union

    union, spread = estimate_union(case.mesh, case.surface, counted, factors)
    change = union.measure - counted.measure
    off = Spread(
        abs(change),
        np.abs(counted.centroid - union.centroid),
        np.abs(counted.central_second() - union.central_second()),
        (change, change),
    )
    off += spread
    low, high = off.change
    off = replace(off, signed=(min(low, 0.0), max(high, 0.0)))  # what was counted stays between them
    return off, off.volume / union.measure


def _area(case: _Case, labels: Index, factors: NDArray[np.int8]) -> float:
    """Of the parts that are not left out."""
    left_out = factors == 0
    if not left_out.any():
        return case.surface.sheet.measure
    dropped = surface_of(case.mesh.chunks, labels, left_out, case.surface.solid.reference)
    return case.surface.sheet.measure - dropped.sheet.measure


def turned_round(mesh: MeshSource, surface: Surface) -> tuple[MeshSource, Surface]:
    """The same triangles with every one turned round, and what a pass over them gathers."""
    turned = mesh.altered(lambda: (corners[:, ::-1] for corners in mesh.chunks()))
    return turned, surface.turned_round()


def mended_mesh(mesh: MeshSource, factors: NDArray[np.int8]) -> MeshSource:
    """The same triangles, turned round where the factor of a facet, shape (facets,), is −1, and left out where it is 0."""

    def chunks() -> Iterator[NDArray[np.floating]]:
        for chunk, first in numbered(mesh.chunks()):
            own = factors[first : first + len(chunk)]
            yield np.where((own < 0)[:, np.newaxis, np.newaxis], chunk[:, ::-1], chunk)[own != 0]

    return mesh if (factors == 1).all() else mesh.altered(chunks)


def _united(
    case: _Case, counted: Moments, labels: Index, factors: NDArray[np.int8], findings: tuple[Finding, ...]
) -> Valid:
    """The union: exact where manifold3d is installed and agrees with the estimate, else the estimate."""
    from massprops.mesh.repair.solid_union import estimate_union, exact_union

    estimate, spread = estimate_union(case.mesh, case.surface, counted, factors[labels])
    exact = exact_union(case.mesh, labels, factors, counted.reference)
    if exact is not None and abs(exact[0].measure - estimate.measure) <= spread.volume + exact[1].volume:
        union, tolerance, area = exact
        note = Finding(
            "united-bodies", "info", "the union was computed by manifold3d and agrees with an estimate by lines"
        )
        return Valid(None, union, "repaired", (*findings, note), {"estimate": tolerance}, area)
    if find_spec("manifold3d") is None:
        what = "the union is an estimate by lines; an exact one needs manifold3d: pip install 'massprops[union]'"
        findings = (*findings, Finding("united-bodies", "info", what))
    return Valid(None, estimate, "estimated", findings, {"estimate": spread}, None)


def _judge(families: Sequence[Crossings], lattice: Lattice, depth_tolerance: float) -> Verdict:
    return judge([Winding.along(c) for c in families], lattice, depth_tolerance)


def _hidden(solid: Moments, bounds: Array, verdict: Verdict) -> dict[str, Spread]:
    return {"xray": hidden(solid, bounds, verdict.hidden)}


def _inside_out(case: _Case, parts: Sequence[SurfacePart], labels: Index, factors: NDArray[np.int8]) -> list[Finding]:
    """Parts in the open that look inward: refused, or turned round if that is allowed."""
    wrong = [p for p in parts if not p.outward and p.simple and p.ambient == 0]
    if not wrong:
        return []
    volume = _volume(case, labels, wrong)
    bodies = f"{len(wrong)} of {len(factors)} bodies {'is' if len(wrong) == 1 else 'are'} inside out"
    where = _metres(wrong[0].inside, case.scale)
    message = f"{bodies}: {volume:.6g} m³, near {point_text(where)}"
    finding = Finding("inverted-surface", "error", message, value=volume, limit=0, where=where)
    if not case.wishes.flip:
        raise _refusal(case.mesh, [finding], "turn their faces round in the export, or see --on-inverted")
    factors[[p.label for p in wrong]] = -1
    return [replace(finding, severity="warning", message=f"{message}; their faces were turned round")]


def _nested(case: _Case, parts: Sequence[SurfacePart], labels: Index, factors: NDArray[np.int8]) -> list[Finding]:
    """Bodies wound the same way inside another: cavities or solid, as the caller says; else a question."""
    inner = [p for p in parts if p.outward and p.simple and p.ambient == 1]
    if not inner:
        return []
    volume, outer = _volume(case, labels, inner), case.surface.solid.measure * case.scale**3
    where = _metres(inner[0].inside, case.scale)
    bodies = "a body lies" if len(inner) == 1 else f"{len(inner)} bodies lie"
    message = (
        f"{bodies} inside another and {'is' if len(inner) == 1 else 'are'} wound the same way: {volume:.6g} m³ of "
        f"{outer - volume:.6g} m³, near {point_text(where)}"
    )
    finding = Finding("nested-bodies", "error", message, value=volume, limit=0, where=where)
    if case.wishes.nested == "ask":
        hint = f"--nested cavity for {outer - 2 * volume:.6g} m³, --nested body for {outer - volume:.6g} m³"
        raise _refusal(case.mesh, [finding], hint)
    factors[[p.label for p in inner]] = -1 if case.wishes.nested == "cavity" else 0
    done = "taken as a cavity" if case.wishes.nested == "cavity" else "taken as part of the solid around it"
    return [replace(finding, severity="warning", message=f"{message}; {done}")]


def _overlaps(verdict: Verdict, scale: float, parts: int) -> list[Finding]:
    found = []
    if verdict.multiple is not None:
        how = f"counted {verdict.multiple.extreme} times at worst"
        code, cause = "overlapping-bodies", "bodies overlap" if parts > 1 else "the surface overlaps itself"
        if verdict.copies > 1:
            code, cause = "duplicate-facets", f"the whole surface is there {verdict.copies} times"
        found.append(_overlap(code, how, cause, verdict.multiple, scale))
    if verdict.negative is not None:
        cause = "the surface is partly inside out"
        found.append(_overlap("inverted-surface", "counted negatively", cause, verdict.negative, scale))
    return found


def _overlap(code: str, how: str, cause: str, violation: WindingViolation, scale: float) -> Finding:
    largest = violation.regions[0]
    where = _metres(largest.place, scale)
    regions = "1 region" if len(violation.regions) == 1 else f"{len(violation.regions)} regions"
    message = f"{cause}: {percent(violation.share)} of the volume is {how}, in {regions}, the largest near {point_text(where)}"
    return Finding(code, "error", message, value=violation.share, limit=OVERLAP_LIMIT, where=where)


def _volume(case: _Case, labels: Index, parts: Sequence[SurfacePart]) -> float:
    """Of some parts together, m³, signed."""
    members = np.isin(np.arange(labels.max() + 1), [p.label for p in parts])
    part = surface_of(case.mesh.chunks, labels, members, case.surface.solid.reference)
    return part.solid.measure * case.scale**3


def _metres(place: tuple[float, ...], scale: float) -> tuple[float, ...]:
    return tuple(x * scale for x in place)


def _resummed(case: _Case, labels: Index, factors: NDArray[np.int8]) -> Moments:
    """Σ factor · J over the parts: the sum over all, less what the changed parts put into it too much."""
    solid = case.surface.solid
    for factor in (-1, 0):
        members = factors == factor
        if members.any():
            changed = surface_of(case.mesh.chunks, labels, members, solid.reference).solid
            solid = solid - changed if factor == 0 else solid - changed - changed
    return solid


def _refusal(mesh: MeshSource, findings: Sequence[Finding], hint: str) -> InvalidGeometry:
    return InvalidGeometry(in_words(findings), place=mesh.name, code=findings[0].code, hint=hint, findings=findings)
