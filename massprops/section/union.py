"""Rings that cross, resolved: the region that they wind round, as rings that do not. Only with `rings="nonzero"`.

Tests: `tests/measurement/test_section.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from massprops.errors import InvalidGeometry, needing
from massprops.findings import Finding
from massprops.moments.uncertainty import U
from massprops.section.crossings import contacts
from massprops.section.curves import Polyline
from massprops.section.outline import FINE, Outline
from massprops.section.topology import winding

if TYPE_CHECKING:
    from massprops.section.parts import Drawing

#: Crossings that are resolved.
MOST_CROSSINGS = 10_000


def unite(drawing: Drawing, outlines: list[Outline]) -> tuple[list[Outline], Finding]:
    """The rings of the region where the winding number is not zero, and the remark on what was done.

    Raises
    ------
    MissingExtra
        If shapely is not installed.
    """
    with needing("planar", "resolving rings that cross needs shapely"):
        import shapely
    rings = [o.flattened(FINE * drawing.size) for o in outlines]
    if len(contacts(rings, MOST_CROSSINGS)) == MOST_CROSSINGS:
        what = f"{drawing.name}: edges cross in {MOST_CROSSINGS:,} places or more, too many to resolve"
        raise InvalidGeometry(what, code="too-many-crossings", hint="mend the drawing: no outline crosses so often")
    lines = shapely.node(shapely.MultiLineString([np.vstack([r, r[:1]]) for r in rings]))
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    points = np.array([f.representative_point().coords[0] for f in faces])
    wound = sum(winding(points, ring) for ring in rings)
    polygons = shapely.get_parts(shapely.union_all(faces[wound != 0]))
    resolved = [ring for polygon in polygons for ring in (polygon.exterior, *polygon.interiors)]
    found = [Outline((Polyline(np.array(ring.coords), is_rounded=True),), "the resolved ring") for ring in resolved]
    bent = sum(o.length() for o in outlines if not o.straight)
    area = bent * FINE * drawing.size * drawing.scale**2
    curved = f"; curves were flattened, which changes the area by up to {area:.3g}\xa0m²" if bent else ""
    message = f"{len(outlines)} rings that cross were resolved into {len(found)} around what they wind round{curved}"
    # the points where edges cross are rounded: by some units in the last place of the coordinates
    largest = max(float(np.abs(r).max()) for r in rings)
    area += 16 * U * largest * sum(o.length() for o in outlines) * drawing.scale**2
    return found, Finding("rings-united", "warning", message, value=area)
