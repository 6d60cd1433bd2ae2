"""Meshes that a file places in a scene, each by a transform: all of them as one list of triangles, in double precision.

Faces are cut into triangles where they are placed, so that what the cuts leave open is in the units of the scene.

Tests: `tests/formats/mesh/test_gltf.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding, count_finding
from massprops.formats.link_names import some
from massprops.formats.text import quote
from massprops.mesh.source import Division, InputFile, MeshFile, PartLabel, SetDifference, indexed_chunks
from massprops.mesh.triangulation import Polygons, triangulate
from massprops.moments.arrays import Array, Floats, Integers, determinant, permutes_axes, product, rounds
from massprops.wording import did_you_mean, plural

EXPORT_AGAIN = "the file is damaged, or uses what massprops cannot read; export it as STL, OBJ or PLY"
#: Triangles and vertices of all instances together, and bytes of the file for each that is more: a few lines can ask for any number.
LARGEST, _BYTES = 4_000_000, 8
#: Instances: each takes some 50 µs.
MOST_INSTANCES = 50_000
#: Roundings of one transformed coordinate: three products and three sums, and as many in the product of two matrices.
_ROUNDINGS = 12 * 2.0**-53


@dataclass(frozen=True, eq=False)
class Instance:
    """Mesh in a place of the scene.

    Attributes
    ----------
    vertices : ndarray, shape (V, 3)
        As the file has them; finite.
    faces : Polygons
        Every index valid.
    pose : ndarray, shape (4, 4)
        Takes coordinates of the mesh to coordinates of the scene.
    half_unit : float
        By how much a coordinate of `vertices` may be off for having been rounded when the file was written.
    label : PartLabel or None
        The part that it is of, the same value for all meshes of the part.
    material : str or None
        The name of its material.
    role : {"", "body", "cutter"}
        What the file says that it is, if it says so: a body by itself, or a volume that is cut out of the bodies of the same `owner`.
    owner : PartLabel or None
        The object that it belongs to for its role.
    """

    vertices: Floats
    faces: Polygons
    pose: Array
    half_unit: float
    label: PartLabel | None = None
    material: str | None = None
    role: Literal["", "body", "cutter"] = ""
    owner: PartLabel | None = None

    @property
    def only_turns(self) -> bool:
        """Whether the transform permutes axes and changes signs, which rounds nothing."""
        return not self.pose[:3, 3].any() and permutes_axes(self.pose[:3, :3])

    def rounds(self) -> bool:
        """Whether a coordinate in the scene is rounded."""
        if self.only_turns:
            return False
        vertices = np.column_stack([self.vertices.astype(np.float64), np.ones(len(self.vertices))])
        return rounds(vertices, self.pose[:3].T)

    def in_scene(self) -> tuple[Array, float]:
        """Vertices in the frame of the scene, and how far a coordinate may be off."""
        linear, translation = self.pose[:3, :3], self.pose[:3, 3]
        off = float(np.abs(linear).sum(axis=1).max()) * self.half_unit
        if not self.only_turns:
            size = np.abs(self.vertices).max(axis=0, initial=0)
            off += _ROUNDINGS * float((product(np.abs(linear), size) + np.abs(translation)).max())
        return product(self.vertices.astype(np.float64), linear.T) + translation, off

    def bounds(self) -> Array:
        """Smallest and largest coordinates of its faces in the scene, shape (2, 3)."""
        used = self.in_scene()[0][self.faces.corners.reshape(-1)]
        return np.array([used.min(axis=0), used.max(axis=0)])

    def corners(self) -> tuple[Integers, Integers]:
        """The corners of all faces in a row, and how many each has.

        A mirror reverses the faces, so that outside stays outside; those of a cutter look into it, as at the walls of what it leaves.
        """
        corners, counts = self.faces.corners.reshape(-1), self.faces.sizes
        if (determinant(self.pose[:3, :3]) < 0) != (self.role == "cutter"):
            first = np.cumsum(counts) - counts
            corners = corners[np.repeat(2 * first + counts - 1, counts) - np.arange(len(corners))]
        return corners, counts


Instances = Sequence[Instance]


@dataclass(eq=False)
class Transforms:
    """Products of the transforms of a scene, kept for who asks whether one was rounded, which costs as much as the products.

    Attributes
    ----------
    is_rounded : bool
        Whether coordinates or transforms are rounded before they are multiplied: sines, quaternions, skins.
    """

    is_rounded: bool = False
    _factors: list[tuple[Array, Array]] = field(default_factory=list)

    def product(self, above: Array, inner: Array) -> Array:
        """`above` after `inner`, shapes (4, 4)."""
        self._factors.append((above, inner))
        return product(above, inner)

    def round_any(self, instances: Instances) -> bool:
        """Whether a coordinate of the meshes in the scene is rounded."""
        return self.is_rounded or any(rounds(*pair) for pair in self._factors) or any(i.rounds() for i in instances)


def gather(file: InputFile, found: Iterable[Instance], size: Callable[[], int] | None = None) -> list[Instance]:
    """All instances of a file; ReadError as soon as there are too many for the bytes that it has, by default those of the file."""
    instances, count = [], 0
    for instance in found:
        instances.append(instance)
        if len(instances) > MOST_INSTANCES:
            what = f"its scene has more than {MOST_INSTANCES:,} meshes"
            raise ReadError(f"{file.name}: {what}", code="too-large", hint="join them in the export")
        count += len(instance.vertices) + len(instance.faces.sizes)
        if count > LARGEST and count > (most := (size() if size else file.size) // _BYTES):
            what = f"its scene has more than {max(most, LARGEST):,} vertices and triangles"
            raise ReadError(f"{file.name}: {what}", code="too-large", hint="export the mesh once, without instances")
    return instances


def chosen_parts(file: InputFile, labels: Sequence[PartLabel], kind: str) -> list[int]:
    """Numbers of the parts that `file` means: all, or the one of this path or name with all below it; ReadError if not one has it."""
    part = file.part
    tops = [x.path for x in labels if x.path == part] or [x.path for x in labels if x.name == part]
    if part and len(set(tops)) != 1:
        names = [x.name for x in labels]
        what, hint = f"{len(tops)} {kind}s are named {quote(part)}", f"give the path, such as {tops[0] if tops else ''}"
        if not tops:
            what, hint = f"has no {kind} {quote(part)}", did_you_mean(part, names, f"known: {some(names)}")
        raise ReadError(f"{file.name}: {what}", code="no-part", hint=hint)
    return [i for i, x in enumerate(labels) if not part or x.path == tops[0] or x.path.startswith(f"{tops[0]}/")]


def check_finite(name: str, vertices: Floats) -> None:
    """Raise ReadError if a coordinate of vertices, shape (V, 3), is not finite."""
    bad = np.flatnonzero(~np.isfinite(vertices).all(axis=1))
    if len(bad):
        what = f"vertex {bad[0]}, counted from 0, is {tuple(vertices[bad[0]].tolist())}"
        hint = "export the file again; a coordinate must be finite"
        raise ReadError(f"{name}: {what}", code="non-finite", hint=hint)


def check_corners(place: str, corners: Integers, count: int) -> None:
    """Raise ReadError if a corner of faces, one at least, is none of so many vertices."""
    if (last := int(corners.max())) >= count:
        what = f"a face refers to vertex {last}, counted from 0, but its mesh has {plural(count, 'vertex', 'vertices')}"
        raise ReadError(f"{place}: {what}", code="bad-index", hint=EXPORT_AGAIN)


def source_of(
    file: InputFile,
    format: str,
    encoding: str,
    instances: Instances,
    unit: str | None,
    findings: Sequence[Finding] = (),
    transforms: Transforms | None = None,
) -> MeshFile:
    """The triangles of all instances, and of each part; without `transforms` every pose that does not only turn counts as rounded.

    Raises
    ------
    ReadError
        There is none, or a transform makes a coordinate infinite.
    """
    instances, idle = without_idle_cutters(instances)
    facets = sum(int((instance.faces.sizes - 2).sum()) for instance in instances)
    if not facets:
        what = "holds no part, only volumes to subtract" if idle else "the file holds no facets"
        raise ReadError(f"{file.name}: {what}", code="no-facets", hint=EXPORT_AGAIN)
    with np.errstate(over="ignore", invalid="ignore"):
        parts = [instance.in_scene() for instance in instances]
    vertices = np.concatenate([part[0] for part in parts])
    check_finite(file.name, vertices)
    half_unit = max(part[1] for part in parts)
    faces = _join(instances)
    triangles, bent = triangulate(vertices, faces, half_unit, lambda face: f"{file.name}: face {face + 1}")
    chunks, noticed = indexed_chunks(vertices, triangles), (*findings, *bent, *idle)
    found = MeshFile(file.name, facets, chunks, format=format, encoding=encoding, unit=unit, findings=noticed)
    divisions = partial(_divisions, file, format, encoding, instances, unit)
    is_rounded = partial(_are_rounded, instances, transforms)
    one = partial(source_of, file, format, encoding, unit=unit)
    stated = tuple(_stated(instances, one)) if any(i.role for i in instances) else ()
    return replace(found, half_unit=half_unit, is_rounded=is_rounded, divisions=divisions, stated=stated)


def without_idle_cutters(instances: Instances) -> tuple[Instances, Sequence[Finding]]:
    """Instances without the cutters that are apart from the boxes of all bodies of their owner, and a finding that counts those."""
    boxes: dict[int, list[Array]] = {}
    for i in instances:
        if i.role == "body":
            boxes.setdefault(id(i.owner), []).append(i.bounds())

    def meets_a_body(cutter: Instance) -> bool:
        (low, high), of_bodies = cutter.bounds(), boxes.get(id(cutter.owner), [])
        return any((low < box[1]).all() and (box[0] < high).all() for box in of_bodies)

    kept = [i for i in instances if i.role != "cutter" or meets_a_body(i)]
    idle = len(instances) - len(kept)
    what = f"{plural(idle, 'volume')} to subtract outside of all parts: nothing is taken away"
    return kept, list(count_finding(idle, "negative-volume", "info", what))


def _stated(instances: Instances, mesh_of: Callable[[Instances], MeshFile]) -> Iterator[SetDifference]:
    """The solids of a scene, by the roles that the file states of its volumes; without roles, what is left is one more."""
    by_owner: dict[int, list[Instance]] = {}
    for i in instances:
        by_owner.setdefault(id(i.owner) if i.role else 0, []).append(i)
    if any(len(own) > 1 for key, own in by_owner.items() if key):
        for key, own in by_owner.items():
            volumes = [(i.role, mesh_of([replace(i, role="")])) for i in own] if key else [("body", mesh_of(own))]
            bodies, cutters = (tuple(mesh for r, mesh in volumes if r == role) for role in ("body", "cutter"))
            yield SetDifference(bodies, cutters)


def _are_rounded(instances: Instances, transforms: Transforms | None) -> bool:
    return transforms.round_any(instances) if transforms else not all(i.only_turns for i in instances)


def _divisions(
    file: InputFile, format: str, encoding: str, instances: Instances, unit: str | None
) -> Iterator[Division]:
    """Divisions of the scene: by object that states roles or else part, by part, by material."""

    def part(label: PartLabel, own: list[Instance]) -> tuple[PartLabel, MeshFile]:
        source = source_of(replace(file, name=f"{file.name}#{label.name}"), format, encoding, own, unit)
        return label, replace(source, file=file)

    ways = [_grouped(instances, lambda i: i.owner or i.label)]
    if any(i.owner is not i.label for i in instances if i.role):
        ways.append(_grouped(instances, lambda i: i.label))
    for labelled in ways:
        if all(label is not None for label, _ in labelled):
            yield [part(_with_material(label, own), own) for label, own in labelled if label is not None]
    if any(i.material for i in instances):
        by_name: dict[str, PartLabel] = {}
        for i in instances:
            name = i.material or "no material"
            by_name.setdefault(name, PartLabel(name, material=name))
        yield [
            part(label, own)
            for label, own in _grouped(instances, lambda i: by_name[i.material or "no material"])
            if label
        ]


def _grouped(
    instances: Instances, label_of: Callable[[Instance], PartLabel | None]
) -> list[tuple[PartLabel | None, list[Instance]]]:
    """The instances of each label, the same value for all of them, with the cutters of their owners: a cutter is no part of its own."""
    found: dict[int, tuple[PartLabel | None, list[Instance]]] = {}
    for i in instances:
        if i.role != "cutter":
            label = label_of(i)
            found.setdefault(id(label), (label, []))[1].append(i)
    cutters = [i for i in instances if i.role == "cutter"]
    return [
        (label, [*own, *(c for c in cutters if any(c.owner is i.owner for i in own))]) for label, own in found.values()
    ]


def _with_material(label: PartLabel, own: Sequence[Instance]) -> PartLabel:
    """The label with the material that all bodies of the part have."""
    materials = {i.material for i in own if i.role != "cutter"}
    return label if len(materials) > 1 else replace(label, material=materials.pop())


def _join(instances: Instances) -> Polygons:
    """The faces of all instances, as corners in the vertices of all of them."""
    starts = np.cumsum([0, *(len(instance.vertices) for instance in instances)]).tolist()
    found = [instance.corners() for instance in instances]
    corners = np.concatenate([own + start for (own, _), start in zip(found, starts, strict=False)])
    return Polygons.of_sizes(corners, np.concatenate([sizes for _, sizes in found]))
