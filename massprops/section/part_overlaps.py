"""Overlaps of the parts of a composite section: they are allowed (bars in concrete), and reported.

Tests: `tests/measurement/test_section.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from massprops.findings import Finding, point_text
from massprops.moments.arrays import Index
from massprops.section.outline import FINE
from massprops.section.topology import Topology, topology

if TYPE_CHECKING:
    from massprops.section.parts import Part

#: Two parts, and a point that both have.
Shared = tuple[int, int, tuple[float, float]]


def overlap_findings(parts: Sequence[Part]) -> list[Finding]:
    """A warning for the first two parts that share area, with a point near where they do; nothing for parts side by side."""
    outlines = [(k, p, o) for k, p in enumerate(parts) for o in p.assembled.outlines]
    size = max(float(np.ptp(o.bounds, axis=0).max()) * p.scale for _, p, o in outlines)
    rings = [o.flattened(FINE * size / p.scale) * p.scale for _, p, o in outlines]
    found = topology(rings, [1 if o.own_moments.measure > 0 else -1 for _, _, o in outlines])
    owner = np.array([k for k, _, _ in outlines])
    shared = _crossing(found, owner) or _covering(found, owner)
    if shared is None:
        return []
    one, other, where = shared
    message = f"{parts[one].name!r} and {parts[other].name!r} overlap near {point_text(where)}; the shared area counts for both"
    return [Finding("parts-overlap", "warning", message, where=where)]


def _crossing(found: Topology, owner: Index) -> Shared | None:
    """Two parts whose outlines cross, or are the same."""
    for d in found.crossings:
        one, other = (int(owner[i]) for i in d.rings)
        if one != other:
            return one, other, d.where
    return None


def _covering(found: Topology, owner: Index) -> Shared | None:
    """Two parts of which one has a ring in the area of the other: inside of an odd number of its rings."""
    for part in np.unique(owner).tolist():
        inside = found.count_around(owner[found.outer] == part) % 2 == 1
        ring = next(iter(np.flatnonzero(inside & (owner != part)).tolist()), None)
        if ring is not None:
            x, y = found.rings[ring][0].tolist()
            return part, int(owner[ring]), (x, y)
    return None
