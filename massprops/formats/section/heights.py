"""Points with a height: a figure in the plane may lie at any height, but at one."""

from __future__ import annotations

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.moments.arrays import Array


class Heights:
    """The third coordinates of a file, which must all be the same."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rings = 0
        self.height: float | None = None

    def flattened(self, place: str, points: Array) -> Array:
        """Points of shape (n, 2) as they are, those of shape (n, 3) without their height.

        Raises
        ------
        ReadError
            Code ``mixed-dimensions`` or ``not-plane``.
        """
        self.rings += 1
        if points.shape[1] == 2:
            if self.height is not None:
                raise self._mixed(place)
            return points
        if self.height is None and self.rings > 1:
            raise self._mixed(place)
        first = float(points[0, 2]) if self.height is None else self.height
        self.height = first
        other = points[points[:, 2] != first, 2]
        if len(other):
            what = (
                f"the figure does not lie in a plane z = const: there are the heights {first!r} and {float(other[0])!r}"
            )
            hint = "project it on the plane before the export, or export a closed mesh"
            raise ReadError(f"{self.name}: {place}: {what}", code="not-plane", hint=hint)
        return points[:, :2]

    def _mixed(self, place: str) -> ReadError:
        what = "some rings have points of two numbers and others of three"
        return ReadError(f"{self.name}: {place}: {what}", code="mixed-dimensions", hint="export it in the plane")

    def findings(self) -> list[Finding]:
        """`height-left-out`, where there was one."""
        if self.height is None:
            return []
        return [
            Finding("height-left-out", "info", f"all points have the height z = {self.height!r}, which was left out")
        ]
