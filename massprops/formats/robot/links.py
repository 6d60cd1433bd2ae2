"""What a robot file says about a link: its inertial, and the solids that are drawn or collided with in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from massprops.errors import MasspropsError
from massprops.formats.inertial.inertial import NamedBody
from massprops.frames import Pose

Which = Literal["visual", "collision"]


@dataclass(frozen=True)
class Mesh:
    """A file of triangles.

    Attributes
    ----------
    uri : str
        As the robot file names it: a path, ``package://…``, ``model://…``, ``file://…``.
    scale : tuple of float
        By which its coordinates are multiplied; a negative one mirrors.
    """

    uri: str
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Primitive:
    """A shape in closed form: its name in `massprops.rigid_body.shapes.SHAPES`, and its lengths by name, m."""

    shape: str
    lengths: Mapping[str, float]


@dataclass(frozen=True)
class Unread:
    """A geometry that is not measured, and why not."""

    why: str


@dataclass(frozen=True, eq=False)
class Geometry:
    """One solid of a link.

    Attributes
    ----------
    solid : Mesh, Primitive or Unread
    pose : Pose
        X_LG: in the frame of the link.
    place : str
        ``robot.urdf:12``.
    """

    solid: Mesh | Primitive | Unread
    pose: Pose
    place: str


@dataclass(frozen=True, eq=False)
class Link:
    """A link, or a body of MJCF.

    Attributes
    ----------
    name, place : str
        As `massprops.formats.inertial` names it, and where it begins.
    body : NamedBody or None
        What its inertial states; None if it states none, or none that can be read.
    error : MasspropsError or None
        Why the link cannot be read.
    visual, collision : tuple of Geometry
    fixed : bool
        Whether it is joined rigidly to its parent.
    infers : bool
        Whether, without an inertial, the simulator takes one from the geometry (MuJoCo).
    """

    name: str
    place: str
    body: NamedBody | None = None
    error: MasspropsError | None = None
    visual: tuple[Geometry, ...] = ()
    collision: tuple[Geometry, ...] = ()
    fixed: bool = False
    infers: bool = False

    @property
    def line(self) -> int | None:
        """Of the inertial in its file, else of the link."""
        line = (self.body.place if self.body is not None and self.body.place else self.place).rpartition(":")[2]
        return int(line) if line.isdecimal() else None

    def geometry(self, which: Which) -> tuple[Geometry, ...]:
        """Those of one kind."""
        return self.visual if which == "visual" else self.collision


def guarded(name: str, place: str, read: Callable[[], Link]) -> Link:
    """The link, or one that holds the reason why it cannot be read: one bad link does not hide the others."""
    try:
        return read()
    except MasspropsError as error:
        return Link(name, place, error=error)
