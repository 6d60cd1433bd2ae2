"""Models of finite elements as their readers return them, and the surfaces, parts and masses in them.

What bounds the solid cells are the faces that belong to one cell alone: those between cells cancel exactly. Flat ones are cut into
triangles; with curved ones the integrals are those over the faces themselves, and triangles near them are verified in their place.

Tests: `tests/formats/mesh/test_fe.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from massprops.errors import InvalidGeometry, ReadError
from massprops.findings import Finding, count_finding
from massprops.formats.mesh.fe_cells import CellKind, Faces, Integers, bounding, condense, faces_of
from massprops.formats.mesh.fe_patches import Patches
from massprops.formats.mesh.placement import check_finite
from massprops.mesh.coordinate_resolution import of_binary, of_text
from massprops.mesh.source import Division, InputFile, MeshFile, PartLabel, indexed_chunks
from massprops.mesh.stated_masses import StatedMasses, Structure
from massprops.moments.arrays import Array, sum_of
from massprops.moments.integrals import Moments
from massprops.section.curves.quadrature import unit_rule
from massprops.wording import plural, several

#: Nodes nearer to each other than this share of the shortest side of a face, and not in one place, were probably meant as one.
_NEAR = 0.02
#: So many nodes show the resolution of all.
_SAMPLE = 100_000
_EXPORT = "export the mesh again"


@dataclass(frozen=True, eq=False)
class CellBlock:
    """Cells of one kind: numbers of their nodes, shape (n, nodes), their own numbers in the file, and their groups, shape (n,)."""

    kind: CellKind
    nodes: Integers
    numbers: Integers
    groups: Integers


@dataclass(frozen=True, eq=False)
class CellGroup:
    """Cells of one material or set.

    Attributes
    ----------
    label : PartLabel
        Its name.
    density : float or None
        Mass / length³ of the file.
    of_area : float or None
        Mass / area, of shells; 0 of those that are only surfaces of solids.
    why : str
        Why the mass of its shells is not known; empty where the format states no thickness.
    """

    label: PartLabel
    density: float | None = None
    of_area: float | None = None
    why: str = ""


@dataclass(eq=False)
class Model:
    """Nodes, cells, groups and masses of a file.

    Attributes
    ----------
    points : ndarray, shape (V, 3)
        All nodes.
    encoding : str
        How coordinates are written: ``ascii``, ``binary``, or the type of those in memory.
    unmeasured : list of str
        What bears mass, or may, and is in no sum.
    structures : list of Structure
        Lumped masses and beams.
    densities : list of float
        Those of all materials: they tell the unit of mass.
    """

    points: Array
    blocks: list[CellBlock]
    groups: list[CellGroup]
    encoding: str
    findings: list[Finding] = field(default_factory=list)
    unmeasured: list[str] = field(default_factory=list)
    structures: list[Structure] = field(default_factory=list)
    densities: list[float] = field(default_factory=list)


@np.errstate(over="ignore", under="ignore", invalid="ignore")  # bodies that are too large or small are refused later
def source_of_model(file: InputFile, model: Model) -> MeshFile:
    """The solid cells of a model, or if it has none its surface, with its parts and masses.

    Raises
    ------
    InvalidGeometry
        A cell is turned or tangled, or two are on one side of a face.
    ReadError
        A coordinate is not finite, or there is no cell with a volume or an area.
    """
    check_finite(file.name, model.points)
    used = [b for b in model.blocks if len(b.nodes)]
    solids, shells = ([b for b in used if b.kind.is_solid == flag] for flag in (True, False))
    if not used:
        others = f", but {several(model.unmeasured, 6)}" if model.unmeasured else ""
        raise ReadError(f"{file.name}: no cell with a volume or an area{others}", code="no-facets", hint=_EXPORT)
    merged = _merged(model.points)
    unit = model.points / (float(np.ptp(model.points, axis=0).max()) or 1.0)  # whose cubes are doubles
    turned = [_check_jacobians(file, unit, same, model.groups) for same in _by_kind(solids)]
    noticed = [f for kind, is_turned in turned for f in _turned_finding(kind, is_turned)]
    sense = {kind.name: is_turned for kind, is_turned in turned}
    faces = faces_of([(b.kind, b.nodes, b.groups, sense.get(b.kind.name, False)) for b in solids or shells])
    structures = (*model.structures, *_sheets(model, Patches(model.points, 0.0), shells))
    is_surface = not solids and not structures  # as most files with shells alone are meant
    faces = [f for f in condense(faces, merged) if len(f.nodes)]
    of_shells, inner = ([], []) if is_surface else _shells(model, shells, faces if solids else [], merged)
    largest = float(np.abs(model.points).max())
    resolution = (of_text if model.encoding == "ascii" else of_binary)(model.points[:_SAMPLE], largest)
    patches, whole = Patches(model.points, resolution.half_unit), _outer(file, solids, faces, merged)
    if not whole:
        raise ReadError(f"{file.name}: no face of a cell has an area", code="no-facets", hint=_EXPORT)
    noticed += [*_near_nodes(patches, whole), *model.findings, *inner, *_unmeasured([*model.unmeasured, *of_shells])]
    present = sorted({int(g) for b in (solids or shells) for g in np.unique(b.groups)})
    each = {g: _of_group(file, faces, g, merged) if len(present) > 1 else whole for g in present if solids}
    build = partial(
        _source, file, (file.format, model.encoding), patches, is_exact=_any_curved(patches, [whole, *each.values()])
    )
    labels = [model.groups[g].label for g in present]
    densities = {model.groups[g].label: d for g in present if (d := model.groups[g].density) is not None}
    masses = (
        StatedMasses(densities, structures, tuple(model.densities), bool(solids)) if densities or structures else None
    )
    divisions = partial(_divisions, build, labels, [each[g] for g in present]) if each else None
    return replace(build(whole), findings=tuple(noticed), divisions=divisions, masses=masses)


def node_places(name: str, ids: Sequence[int], rows: Sequence[Sequence[int]]) -> Integers:
    """Rows of numbers that a file gives its nodes, as places in the list of all; ReadError if there is no such node."""
    try:
        known, wanted = np.array(ids, np.int64), np.array(rows, np.int64)
    except OverflowError as error:
        raise ReadError(
            f"{name}: the number of a node has more than 18 digits", code="bad-index", hint=_EXPORT
        ) from error
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    found = order[at] if len(known) else np.full_like(wanted, -1)
    missing = wanted[known[found] != wanted] if len(known) else wanted.ravel()
    if len(missing):
        raise ReadError(f"{name}: no node has the number {missing[0]}", code="bad-index", hint=_EXPORT)
    return found


def point_masses(what: str, parts: Sequence[tuple[float, Array, Array]]) -> Structure:
    """Masses at points, each with its inertia about the point: ∫ x xᵀ dm = tr I / 2 · 1 − I."""
    found = [Moments(m, np.zeros(3), np.trace(i) / 2 * np.eye(3) - i, p) for m, p, i in parts]
    return Structure(what, sum_of(found))


def beam(parts: Sequence[tuple[float, Array]]) -> Structure:
    """Lines with a mass per length, through two points, or on a parabola through three of which the second is in the middle."""
    found = []
    for weight, p in parts:
        is_curved = len(p) == 3
        t, weights = unit_rule(40 if is_curved else 2)
        bow = 4 * (p[1] - (p[0] + p[-1]) / 2) if is_curved else np.zeros(3)
        along = p[-1] - p[0]
        x = np.outer(t, along) + np.outer(t * (1 - t), bow)
        speed = along + np.outer(1 - 2 * t, bow)
        m = weight * weights * np.sqrt((speed * speed).sum(axis=1))
        found.append(Moments(float(m.sum()), m @ x, np.einsum("i,ij,ik->jk", m, x, x), p[0]))
    return Structure(f"{plural(len(found), 'beam')} as lines", sum_of(found))


def _by_kind(blocks: Sequence[CellBlock]) -> list[list[CellBlock]]:
    found: dict[str, list[CellBlock]] = {}
    for b in blocks:
        found.setdefault(b.kind.name, []).append(b)
    return list(found.values())


def _merged(points: Array) -> Integers:
    """For each node the number of the place that it is in: equal for those with the same coordinates."""
    order = np.lexsort(points.T)
    new = np.concatenate([[True], (np.diff(points[order], axis=0) != 0).any(axis=1)])
    place = np.empty(len(points), np.int64)
    place[order] = np.cumsum(new) - 1
    return place


def _check_jacobians(
    file: InputFile, points: Array, blocks: Sequence[CellBlock], groups: Sequence[CellGroup]
) -> tuple[CellKind, bool]:
    """The kind of some cells, and whether all of them are turned inside out; InvalidGeometry if some are and others are not."""
    kind = blocks[0].kind
    nodes, numbers = (np.concatenate(a) for a in zip(*((b.nodes, b.numbers) for b in blocks), strict=True))
    least, most = kind.least_jacobians(points, nodes)
    if (most < 0).all():
        return kind, True
    bad = np.flatnonzero(least <= 0)
    if len(bad):
        turned, first = int((most[bad] < 0).sum()), bad[0]
        label = groups[int(np.concatenate([b.groups for b in blocks])[first])].label
        place = f"cell {numbers[first]}{f' of {label}' if len(groups) > 1 else ''}"
        what = f"{len(bad):,} of {len(nodes):,} cells ({kind.name}) have a Jacobian that is not positive: "
        what += f"{turned:,} turned inside out, {len(bad) - turned:,} tangled or flat; the first is {place}"
        hint = "mend the cells in the mesher: their volume counts with the wrong sign, or twice"
        found = Finding("turned-cells", "error", what, value=float(len(bad)), limit=0)
        raise InvalidGeometry(f"turned-cells: {what}", code=found.code, place=file.name, hint=hint, findings=[found])
    return kind, False


def _turned_finding(kind: CellKind, is_turned: bool) -> list[Finding]:
    what = (
        f"all cells of the kind {kind.name} have a negative Jacobian: the file orders their nodes the other way round"
    )
    return [Finding("turned-cells", "info", f"{what}; they are read so")] if is_turned else []


def _outer(file: InputFile, blocks: Sequence[CellBlock], faces: Sequence[Faces], merged: Integers) -> list[Faces]:
    """The faces that bound some cells; of a surface, all of them but those that are there from both sides."""
    found = []
    for f in faces:
        outer, doubled = bounding(f, merged)
        if len(doubled) and blocks:
            cells = [int(blocks[b].numbers[c]) for b, c in zip(f.block[doubled], f.cell[doubled], strict=True)]
            cells = list(dict.fromkeys(cells))
            what = (
                f"{len(cells):,} cells share a face with another cell on the same side of it, so they overlap: cells "
            )
            what += several([str(c) for c in cells], 4)
            hint = "take out what is there twice"
            note = Finding("doubled-cells", "error", what, value=float(len(cells)), limit=0)
            raise InvalidGeometry(f"doubled-cells: {what}", code=note.code, place=file.name, hint=hint, findings=[note])
        found.append(outer)
    return [f for f in found if len(f.nodes)]


def _of_group(file: InputFile, faces: Sequence[Faces], group: int, merged: Integers) -> list[Faces]:
    return _outer(file, [], [some for f in faces if len((some := f[f.group == group]).nodes)], merged)


def _any_curved(patches: Patches, surfaces: Sequence[Sequence[Faces]]) -> bool:
    return any(patches.is_curved(patches.straightened(faces)) for faces in surfaces)


def _source(
    file: InputFile, kind: tuple[str, str], patches: Patches, faces: Sequence[Faces], *, is_exact: bool
) -> MeshFile:
    """The surface of some cells."""
    straight = patches.straightened(faces)
    if not is_exact:
        off = max([patches.half_unit, *(patches.warp(f) for f in straight)])
        triangles = patches.flat_triangles(straight)
        return MeshFile(
            file.name, len(triangles), indexed_chunks(patches.points, triangles), format=kind[0], encoding=kind[1],
            half_unit=off if off > patches.half_unit else None if kind[1] == "ascii" else patches.half_unit,
        )  # fmt: skip
    points, triangles, deviation = patches.triangles_near(straight)
    exact = patches.exact_solid(straight, max(deviation, patches.half_unit))
    return MeshFile(
        file.name, len(triangles), indexed_chunks(points, triangles), format=kind[0], encoding=kind[1],
        half_unit=patches.half_unit, exact=exact,
    )  # fmt: skip


def _divisions(
    build: partial[MeshFile], labels: Sequence[PartLabel], each: Sequence[list[Faces]]
) -> Iterator[Division]:
    """Division of a model by group."""
    parts = []
    for label, faces in zip(labels, each, strict=True):
        source = build(faces)
        parts.append((label, replace(source, name=f"{source.name}#{label.name}")))
    yield parts


def _shells(
    model: Model, shells: Sequence[CellBlock], faces: Sequence[Faces], merged: Integers
) -> tuple[list[str], list[Finding]]:
    """Shells beside solid cells whose mass is not known, by group; and a finding about those that only mark faces of the solids."""
    unknown, marks = Counter[int](), 0
    for b in shells:
        n = b.kind.corners
        keys = np.sort(merged[b.nodes[:, :n]], axis=1)
        of_solids = [merged[f.nodes[:, :n]] for f in faces if f.kind.corners == n]
        near = [np.sort(f[np.isin(f, keys).all(axis=1)], axis=1) for f in of_solids]
        known = {tuple(row) for some in near for row in some.tolist()}
        for row, g in zip(keys.tolist(), b.groups.tolist(), strict=True):
            if model.groups[g].of_area is None:
                is_mark = not model.groups[g].why and tuple(row) in known
                marks += is_mark
                unknown[g] += not is_mark
    why = "the file states no thickness"
    found = [(model.groups[g], plural(n, "shell")) for g, n in unknown.items() if n]
    texts = [f"{count} of {group.label.name} ({group.why or why})" for group, count in found]
    what = f"{marks} surface cells are faces of solid cells, and bear no mass of their own"
    return texts, list(count_finding(marks, "skipped-elements", "info", what))


def _unmeasured(texts: Sequence[str]) -> list[Finding]:
    if not texts:
        return []
    what = f"in no sum are {several(list(texts), 6)}: a mass without them is not that of the model"
    return [Finding("unmeasured-structure", "error", what, value=float(len(texts)), limit=0)]


def _sheets(model: Model, patches: Patches, shells: Sequence[CellBlock]) -> Iterator[Structure]:
    """Shells of a known mass per area, as sheets."""
    count, parts = 0, []
    for b in shells:
        for g in np.unique(b.groups).tolist():
            if weight := model.groups[g].of_area:
                own = b.nodes[b.groups == g]
                ids = np.zeros(len(own), np.int64)
                parts.append(patches.sheet(Faces(b.kind, own, ids, ids, ids)).times(weight))
                count += len(own)
    if count:
        yield Structure(f"{plural(count, 'shell')} as sheets", sum_of(parts).recentred())


def _near_nodes(patches: Patches, faces: Sequence[Faces]) -> list[Finding]:
    """Finding about nodes of the surface that are near each other and not in one place."""
    used = np.unique(np.concatenate([f.nodes[:, : f.kind.corners].ravel() for f in faces]))
    sides = [np.diff(patches.points[f.nodes[:, [0, 1]]], axis=1)[:, 0] for f in faces]
    lengths = np.sqrt(np.concatenate([(s * s).sum(axis=1) for s in sides]))
    tolerance = _NEAR * float(lengths[lengths > 0].min(initial=np.inf))
    if not np.isfinite(tolerance):
        return []
    points, near = patches.points[used], np.zeros(len(used), bool)
    for shift in (0.0, 0.5):
        cells = np.floor(points / tolerance + shift)
        order = np.lexsort((*points.T, *cells.T))
        same = (np.diff(cells[order], axis=0) == 0).all(axis=1) & (np.diff(points[order], axis=0) != 0).any(axis=1)
        near[order[1:][same]] = True
    what = f"{plural(int(near.sum()), 'node')} of the surface lie nearer to another one than {_NEAR:.0%} of the shortest side: "
    return list(count_finding(int(near.sum()), "near-nodes", "warning", f"{what}merge them if cells shall meet there"))
