"""A solid whose density varies in space: the measurement of its geometry, with the mass that the density gives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.frames import Pose
from massprops.measurement.result import Measurement
from massprops.mesh.enclosed_solid import Body
from massprops.mesh.surface import Surface
from massprops.moments.arrays import Density
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Spread, U, Uncertainty, displacement, hidden
from massprops.moments.weighted import Mesh, PolynomialDensity, weighted


def with_varying_density(
    m: Measurement,
    density: Density,
    body: Body,
    surface: Surface,
    middle: Array,
    spreads: Mapping[str, Spread],
    scale: float,
    motion: Pose | None,
    rounding: float,
) -> Measurement:
    """The measurement of a solid with a density that varies: `density` is its mean, and `moments` are weighted with ρ / mean.

    Parameters
    ----------
    m : Measurement
        Of the geometry, in its place.
    density : callable
        ρ(points), kg/m³, of points in metres, shape (n, 3), in the coordinates of the result.
    body, surface, middle : Body, Surface, ndarray
        What was integrated, and its centroid, shape (3,), in the units and axes of the file.
    spreads : mapping of str to Spread
        How far the integrals of the geometry can be off, by source, in metres and the axes of the result.
    scale, motion, rounding
        The length unit, the pose, and how far a coordinate of the file can be off, in its unit.

    Raises
    ------
    InvalidInput
        If the solid has no triangles, or the density is not one of a body.
    """
    if body.mesh is None or body.method != "exact":
        what = f"varies, which needs the triangles of a solid; {m.input.path} is measured otherwise ({body.method}, {body.grade})"
        raise InvalidInput(what, parameter="density", hint="mend the mesh first: massprops repair")
    center = m.moments.centroid
    rotation = None if motion is None else motion.rotation
    found = weighted(Mesh(body.mesh.chunks(), surface.facets, middle, scale, rotation), center, m.bounds, density)
    mean = found.moments.measure / m.moments.measure
    ratio = found.moments.times(1 / mean)
    moments = Moments(m.moments.measure, ratio.first, ratio.second, center).recentred()
    kind = "exactly" if isinstance(density, PolynomialDensity) else "by quadrature"
    text = f"the density varies in space: its mean is {mean:.6g} kg/m³, the least found {found.least:.6g}; integrated {kind}"
    noted = replace(
        m, moments=moments, density=mean, findings=(*m.findings, Finding("varying-density", "info", text, value=mean))
    )
    if not spreads:
        return noted
    sheet = surface.sheet.scaled(scale, 2)
    sheet = sheet if motion is None else sheet.moved(motion.rotation, motion.translation)
    # where the density is evaluated is known to the rounding of the centre
    reach = float(np.abs(center).max()) + (0.0 if motion is None else float(np.abs(motion.translation).max()))
    shift = math.sqrt(3) * rounding * scale + 16 * U * reach
    of = {
        "arithmetic": found.rounding + Spread(0.0, spreads["arithmetic"].center, np.zeros((3, 3))),
        "resolution": displacement(found.moments, sheet.about(center), shift * found.most),
    }
    for name, spread in spreads.items():
        if name not in of:  # what a region of such a volume weighs, wherever it is
            less, more = spread.change
            of[name] = hidden(found.moments, m.bounds, found.most * max(spread.volume, more - less))
    none = Spread(0.0, np.zeros(3), np.zeros((3, 3)))
    if found.quadrature is not None:
        of["quadrature"] = found.quadrature
    return replace(noted, sources={name: _off(spreads.get(name, none), s, found.moments) for name, s in of.items()})


def _off(shape: Spread, mass: Spread, moments: Moments) -> Uncertainty:
    """From the bounds of the volume, and of the integrals that are weighted with the density."""
    of = Uncertainty.of(mass, moments, 1.0, solid=True, mass_is_given=False)
    return replace(of, volume=shape.volume, volume_change=shape.change)
