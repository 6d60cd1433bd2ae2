"""What a table of a PLY file gives, whatever the encoding: columns of one element, by the number of the property."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from massprops.mesh.triangulation import Polygons

Column = NDArray[Any]


TRUNCATED = "the file looks truncated; export or download it again"


MISCOUNTED = "the header and the rows do not agree; export the mesh again"


#: numpy's limit of one record.
RECORD = 1 << 31


class Table(Protocol):
    """One element's rows."""

    def scalar(self, column: int) -> Column:
        """Values of a property, shape (rows,)."""

    def lists(self, column: int) -> Polygons:
        """Values of a list property; text gives them as doubles, whole numbers or not."""

    def place(self, row: int) -> str:
        """Where a row is, as messages begin: ``file:line:`` or ``file: face 3``."""
