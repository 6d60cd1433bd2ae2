"""One pass over the triangles of a mesh: the sums that all else follows from.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from massprops.access import follow
from massprops.errors import InvalidGeometry
from massprops.mesh.source import Chunk, Triangles
from massprops.mesh.surface import Surface, total
from massprops.moments.integrals import Array

#: Called with the triangles done and the number of all, as the file is read and in the proof, and before that with the seconds that another
#: program reads it, and infinity.
Progress = Callable[[float, float], None]

#: Second moments are fifth powers of a length: sizes outside these bounds overflow, or lose digits to underflow.
SMALLEST_SIZE, LARGEST_SIZE = 1e-50, 1e50


def integrate(mesh: Triangles, about: Array | None = None) -> Surface:
    """One pass over the triangles of a source, by default about its first vertex: differences of float32 vertices are exact.

    Raises
    ------
    InvalidGeometry
        If the body is too large or too small for its second moments to be double precision numbers.
    """
    reference = next(mesh.chunks())[0, 0].astype(np.float64) if about is None else about
    with np.errstate(over="ignore", invalid="ignore"):  # the size itself may overflow; it is checked below, once
        parts = mesh.map(functools.partial(_gather, reference))
        surface = total(follow(parts, mesh.facets, lambda part: part.facets))
        size = float(np.ptp(surface.bounds, axis=0).max())
    far = float(np.abs(surface.bounds).max())
    if not ((size == 0 or size > SMALLEST_SIZE) and max(size, far) < LARGEST_SIZE):
        is_far = size < LARGEST_SIZE <= far
        extent = f"reaches to {far:.3g} units from the origin" if is_far else f"is {size:.3g} units across"
        raise InvalidGeometry(
            f"{mesh.name}: the body {extent}, outside {SMALLEST_SIZE} to {LARGEST_SIZE:g}; fifth powers of that are not "
            "double precision numbers",
            code="implausible-size",
            hint="scale the coordinates",
        )
    return surface


def _gather(reference: Array, chunk: Chunk, _: int) -> Surface:
    with np.errstate(over="ignore", invalid="ignore"):  # which other threads do not take over
        return Surface.of(chunk, reference)
