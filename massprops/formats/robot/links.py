"""Links of robot files: inertial, visual and collision geometry, as the file states them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePath
from typing import Literal, Self

from massprops.errors import MasspropsError, ReadError, result_or_error
from massprops.findings import Finding, Severity
from massprops.formats.address import Place
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.inertial.numbers import number
from massprops.formats.robot.kinematics import LinkPlacement
from massprops.formats.robot.partial_inertial import PartialInertial
from massprops.formats.xml import Node
from massprops.frames import Pose
from massprops.moments.arrays import Array, sum_of
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties

GeometryKind = Literal["visual", "collision"]
#: Visual and collision geometries of a robot.
MOST_GEOMETRIES = 20_000


@dataclass(frozen=True)
class LinkMesh:
    """A file of triangles.

    Attributes
    ----------
    uri : str
        As the robot file names it: a path, ``package://…``, ``model://…``, ``file://…``.
    scale : tuple of float
        By which its coordinates are multiplied; a negative one mirrors.
    is_own : bool
        Whether it is a part of the robot file (``robot.glb#nodes/3``), in whose axes it is then read.
    model : str
        What an SDFormat file states, where that may be ``name/rest`` of a model.
    is_centred : bool
        Whether the middle of its bounds is moved to its origin, before it is scaled (SDFormat).
    triangles : ndarray, shape (n, 3, 3), or None
        Of a mesh that the robot file holds itself; `uri` then tells it from others.
    points : ndarray, shape (n, 3), or None
        Likewise of one that is the hull of its points.
    hulls_points : bool
        Whether a file without faces stands for the hull of its points (MuJoCo).
    most_hull_vertices : int
        Above 3: vertices with which MuJoCo ends a hull.
    has_one_scale : bool
        Whether one number is stated for all three axes (URDF, which defines three).
    keeps_axes : bool
        Whether a mesh of a format with y up is drawn with z up all the same, and is not turned.
    integral : str
        How MuJoCo integrates over it: ``exact``, ``convex``, ``shell`` or ``legacy``.
    """

    uri: str
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)
    is_own: bool = False
    model: str = ""
    is_centred: bool = False
    triangles: Array | None = field(default=None, compare=False)
    points: Array | None = field(default=None, compare=False)
    hulls_points: bool = False
    most_hull_vertices: int = -1
    has_one_scale: bool = False
    keeps_axes: bool = False
    integral: str = "legacy"


@dataclass(frozen=True)
class Primitive:
    """A shape in closed form: its name in `massprops.rigid_body.shapes.SHAPES`, and its lengths by name, m."""

    shape: str
    lengths: Mapping[str, float]

    @classmethod
    def of(cls, shape: str, lengths: Iterable[float]) -> Self:
        """The shape of these lengths, in the order of `LENGTHS`."""
        return cls(shape, dict(zip(LENGTHS[shape], lengths, strict=True)))


#: The lengths of each primitive, in the order of the formats.
LENGTHS: dict[str, tuple[str, ...]] = {
    "box": ("x", "y", "z"),
    "ellipsoid": ("rx", "ry", "rz"),
    "sphere": ("radius",),
    **dict.fromkeys(("cylinder", "capsule"), ("radius", "length")),
    "frustum": ("radius", "top_radius", "height"),
}


@dataclass(frozen=True)
class UnsupportedGeometry:
    """A geometry that is not measured, and why not; how bad it is that other files define it, where they have to; its mesh file."""

    why: str
    elsewhere: Severity | None = None
    code: str = "unmeasured-geometry"
    mesh: LinkMesh | None = None


@dataclass(frozen=True, eq=False)
class Geometry:
    """One solid of a link.

    Attributes
    ----------
    solid : LinkMesh, Primitive, Unread or MasspropsError
        The error where what the file states about it is wrong.
    pose : Pose
        X_LG: in the frame of the link.
    place : str
        ``robot.urdf:12``.
    stated : mapping of str to str
        Attributes of an MJCF geom from which MuJoCo makes the inertial: ``mass``, ``density``, ``group``, ``shellinertia``;
        of URDF and SDFormat what the shape states, from which other programs read other lengths.
    linear : ndarray, shape (3, 3), or None
        What the solid's own coordinates are multiplied by instead of the rotation of its pose, where it is scaled or sheared (USD).
    through : frozenset of str
        Elements and attributes by which it is stated that not every reader of the format takes: ``frame``, ``box fromto`` (MJCF).
    """

    solid: LinkMesh | Primitive | UnsupportedGeometry | MasspropsError
    pose: Pose
    place: str
    stated: Mapping[str, str] = field(default_factory=dict)
    linear: Array | None = None
    through: frozenset[str] = frozenset()

    @property
    def weighed(self) -> bool:
        """Whether the file states its mass or density."""
        return not {"mass", "density"}.isdisjoint(self.stated)

    @property
    def axes(self) -> Array:
        """Matrix from the solid's own coordinates to those of the link, shape (3, 3)."""
        return self.pose.rotation if self.linear is None else self.linear

    @property
    def is_empty(self) -> bool:
        """Whether it is a shape without any extent, which stands for a frame."""
        return isinstance(self.solid, Primitive) and not any(self.solid.lengths.values())

    @classmethod
    def read(cls, place: str, read: Callable[[], Geometry]) -> Geometry:
        """Geometry from a reader, or one that holds the reason why it cannot be read, so that the inertial is still read."""
        found = result_or_error(read)
        return cls(found, Pose.identity(), place) if isinstance(found, MasspropsError) else found

    @classmethod
    def of_link(
        cls,
        link: Node,
        pose: Callable[[Node], Pose],
        solid: Callable[[Node], LinkMesh | Primitive | UnsupportedGeometry],
        *,
        in_children: bool = False,
    ) -> tuple[tuple[Geometry, ...], ...]:
        """Geometries of each `<visual>`, and of each `<collision>`, whose shape is the first element in its `<geometry>`.

        `in_children`: whether elements state its lengths, as in SDFormat, not attributes.
        """

        def read(node: Node) -> Geometry:
            at, shapes = pose(node), node.need("geometry").children
            if not shapes:
                return cls(UnsupportedGeometry("<geometry> is empty"), at, node.place)
            shape = shapes[0]
            said = {child.tag: child.text for child in shape.children} if in_children else shape.attributes
            stated = {k: v for k, v in said.items() if k in ("height", "size", "radius")}
            return cls(solid(shape), at, node.place, stated)

        each = (link.all(tag) for tag in ("visual", "collision"))
        return tuple(tuple(cls.read(node.place, partial(read, node)) for node in nodes) for nodes in each)


@dataclass(frozen=True)
class ComputedInertial:
    """An inertial that SDFormat or USD computes: the densities of the collisions in their order, kg/m³, and the mass that is stated, kg.

    `colliders` and `own`: what is stated of single collisions, which goes before their densities, and of the body beside its mass (USD).
    `is_weighed`: whether a mass or a density is stated, and not only taken.
    """

    densities: tuple[float, ...]
    mass: float | None
    colliders: tuple[PartialInertial, ...] = ()
    own: PartialInertial = field(default_factory=PartialInertial)
    is_weighed: bool = True

    @property
    def overrides(self) -> bool:
        """Whether more is stated than masses and densities: moments or axes, a centre of a collider, or one beside the mass."""
        both = (self.own, *self.colliders)
        stated = any(x is not None for each in both for x in (each.moments, each.axes, each.tensor))
        return stated or any(each.com is not None for each in (*self.colliders, *([self.own] if self.mass else [])))

    def body(self, solids: Sequence[Moments | None]) -> MassProperties:
        """The inertial from the moments of the collisions at unit density, None of what has no extent; overlaps count repeatedly."""
        stated = self.colliders or (PartialInertial(),) * len(self.densities)
        given = zip(solids, self.densities, stated, strict=True)
        known = ((x, {"mass": own.mass} if own.mass else {"density": d}, own) for x, d, own in given if x is not None)
        bodies = (own.complete_collider(MassProperties.from_moments(x, **weight)) for x, weight, own in known)
        total = sum_of(bodies)
        return self.own.complete_body(total if self.mass is None else total.scaled_to_mass(self.mass))


@dataclass(frozen=True, eq=False)
class Link:
    """A link, or a body of MJCF.

    Attributes
    ----------
    name, place : str
        The name as seen from the outermost model, and ``file:line`` of where the link begins, in an included file too.
    body : NamedBody or None
        What its inertial states; None if it states none, or none that can be read.
    error : MasspropsError or None
        Why the link, its inertial, or the file that is included here, cannot be read.
    visual, collision : tuple of Geometry
    fixed : bool
        Whether it is joined rigidly to its parent.
    infers : bool
        Whether, without an inertial, the simulator takes one from the geometry (MuJoCo).
    default : NamedBody or None
        What the format takes where no inertial is stated (SDFormat).
    findings : tuple of Finding
        About a link that states no numbers.
    automatic : Automatic or None
        From what the format computes its inertial, where the file asks for that (SDFormat).
    placement : callable
        Where the link is; raises what is wrong with its joints, which concerns nobody who needs the link alone.
    element : int
        The number of its element, or node, in its file.
    is_fillable : bool
        Whether its inertial can be stated: not that of a sheared or instanced prim of USD.
    is_mirrored : bool
        Whether its file states the inertial in a left-handed space, whose z is reversed in the frame of the link (glTF).
    is_generated : bool
        Whether it stands for bodies that MuJoCo makes, which other simulators do not.
    mass : float or None
        What its inertial states, kg, also where the rest of it cannot be read or is computed.
    dialect : str
        ``urdf``, ``sdf``, ``mjcf``, ``usd`` or ``gltf``.
    settings : mapping of str to str
        Of its whole file, where they change masses: the attributes of MuJoCo's `<compiler>`, the units of a stage; and ``model``, the
        name of the robot. And what other programs read otherwise: joints that are ``unlimited``; of SDFormat a ``static`` model, an
        ``incomplete`` inertial, its ``pose``.
    through : frozenset of str
        As of a geometry: ``frame``, ``replicate``, ``attach``, ``flexcomp``, ``inertial in frame``, ``joint in frame``, ``free joint``,
        ``quat_xyzw``.
    declared : tuple of LinkMesh
        All meshes of its file, used or not (MJCF).
    world : callable
        The geometry of the world, which no link has (MJCF).
    gazebo : frozenset of str
        Elements that `<gazebo>` states for it, or for the joint that moves it, but for those that are false (URDF).
    reread : callable or None
        The link as another program reads it, by the name of that (MJCF).
    """

    name: str | None
    place: str
    body: NamedBody | None = None
    error: MasspropsError | None = None
    visual: tuple[Geometry, ...] = ()
    collision: tuple[Geometry, ...] = ()
    fixed: bool = False
    infers: bool = False
    default: NamedBody | None = None
    findings: tuple[Finding, ...] = ()
    automatic: ComputedInertial | None = None
    placement: Callable[[], LinkPlacement] = lambda: LinkPlacement(None, Pose.identity())
    element: int = 0
    is_fillable: bool = True
    is_mirrored: bool = False
    is_generated: bool = False
    mass: float | None = None
    dialect: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    through: frozenset[str] = frozenset()
    declared: tuple[LinkMesh, ...] = ()
    world: Callable[[], Sequence[Geometry]] = tuple
    gazebo: frozenset[str] = frozenset()
    reread: Callable[[str], Link] | None = None

    @property
    def file(self) -> str:
        """The file in which it stands: that of the robot, or one that this includes."""
        return Place.of(self.place).file

    @property
    def line(self) -> int | None:
        """Line of the inertial in its file, else of the link."""
        return Place.of(self.body.place if self.body is not None and self.body.place else self.place).line

    @property
    def has_geometry(self) -> bool:
        """Whether the link has visual or collision geometry."""
        return bool(self.geometry("visual") or self.geometry("collision"))

    @property
    def is_weighed(self) -> bool:
        """Whether its inertial is computed from collisions, of masses or densities that the file states."""
        return self.automatic is not None and self.automatic.is_weighed and bool(self.geometry("collision"))

    def geometry(self, which: GeometryKind) -> tuple[Geometry, ...]:
        """Geometry of one kind, without that of no extent."""
        stated = self.visual if which == "visual" else self.collision
        return tuple(geometry for geometry in stated if not geometry.is_empty)

    @classmethod
    def read(cls, name: str, node: Node, read: Callable[[], Self]) -> Self:
        """Link from a reader, or a link that holds the reason why it cannot be read, so that the others are still read."""
        found = result_or_error(read)
        link = cls(name, node.place, error=found) if isinstance(found, MasspropsError) else found
        return replace(link, element=node.element, mass=_stated_mass(node))

    def with_body(self, read: Callable[[], NamedBody | None]) -> Self:
        """The link with its inertial, or with the reason why that cannot be read, so that the geometry is still read."""
        found = result_or_error(read)
        return replace(self, error=found) if isinstance(found, MasspropsError) else replace(self, body=found)


def relative_meshes(links: Iterable[Link]) -> list[str]:
    """Mesh files that links name relative to the folder of their robot."""
    solids = (g.solid for link in links for g in (*link.visual, *link.collision))
    names = dict.fromkeys(s.uri for s in solids if isinstance(s, LinkMesh))
    return [name for name in names if "://" not in name and not PurePath(name).is_absolute()]


def _stated_mass(link: Node) -> float | None:
    """The mass in the spelling of any of the formats; None where there is none, several, or no number."""
    for inertial in link.all("inertial"):
        texts = [m.attributes.get("value", m.text) for m in inertial.all("mass")]
        texts += [inertial.attributes["mass"]] if "mass" in inertial.attributes else []
        with suppress(ReadError, ValueError):
            (text,) = texts
            return number(text, inertial.place, "mass")
    return None
