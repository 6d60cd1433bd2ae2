"""Robot files: the geometry of every link beside its inertial. `read_robot` is the way in; a dialect is a module here."""

from massprops.robots.links import Geometry, Link, Mesh, Primitive, Unread
from massprops.robots.measured import MeasuredGeometry, Measurer
from massprops.robots.opening import read_robot

__all__ = ["Geometry", "Link", "MeasuredGeometry", "Measurer", "Mesh", "Primitive", "Unread", "read_robot"]
