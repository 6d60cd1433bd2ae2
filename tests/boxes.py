"""Boxes for the tests of comparisons: a result whose numbers are exact in decimal, and geometries."""

from __future__ import annotations

from typing import Any

import numpy as np

from massprops.comparison import ComparedBody
from massprops.diagnosis.reference import Reference
from massprops.frames import Pose
from massprops.moments.integrals import Moments
from massprops.rigid_body.extent import Extent

#: A box of 0.1 × 0.2 × 0.4 m at (1, 2, 3), of water; all three moments differ.
RESULT: dict[str, Any] = {
    "schema": "massprops/1",
    "input": {"path": "box.stl", "bodies": 1},
    "grade": "certified",
    "density": 1000.0,
    "mass": 8.0,
    "volume": 0.008,
    "area": 0.28,
    "center_of_mass": [1.05, 2.1, 3.2],
    "inertia": {"tensor": [[0.13, 0.0, 0.0], [0.0, 0.11, 0.0], [0.0, 0.0, 0.03]]},
    "bounds": {"min": [1.0, 2.0, 3.0], "max": [1.1, 2.2, 3.4]},
}


def body(**changes: Any) -> ComparedBody:
    """The body of the result with some of its keys changed."""
    return ComparedBody({**RESULT, **changes}, "box.json", "box.json")


BODY = body()


def box_reference(edges: np.ndarray, pose: Pose) -> Reference:
    """A box of these edges, turned and moved from the origin, as the geometry of a link."""
    volume = float(edges.prod())
    moments = Moments(volume, np.zeros(3), volume / 12 * np.diag(edges**2), np.zeros(3))
    extent = Extent.of_box(np.array([-edges, edges]) / 2).mapped(pose.rotation, pose.translation)
    return Reference(moments.moved(pose.rotation, pose.translation), lambda: extent)
