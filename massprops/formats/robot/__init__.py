"""Robot files: the geometry of every link beside its inertial. `read_robot` is the way in; a dialect is a module here."""

from massprops.formats.robot.links import Geometry, Link, LinkMesh, Primitive, UnsupportedGeometry
from massprops.formats.robot.opening import read_robot

__all__ = ["Geometry", "Link", "LinkMesh", "Primitive", "UnsupportedGeometry", "read_robot"]
