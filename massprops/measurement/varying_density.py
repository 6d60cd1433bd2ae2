"""A solid whose density varies in space: the measurement of its geometry, with the mass that the density gives."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np

from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.measurement.mesh_integration import MeshIntegration
from massprops.measurement.result import MeasuredBody, Measurement
from massprops.moments.arrays import Density
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, U, Uncertainty, displacement, hidden
from massprops.moments.weighted import Mesh, PolynomialDensity, integrate_weighted


def measure_varying(integration: MeshIntegration, density: Density) -> Measurement:
    """Measure a solid with a density that varies: `density` of the result is its mean, and `moments` are weighted with ρ / mean.

    Parameters
    ----------
    integration : MeshIntegration
        The mesh.
    density : callable
        ρ(points), kg/m³, of points in metres, shape (n, 3), in the coordinates of the result.

    Raises
    ------
    InvalidInput
        If the solid has no triangles, or the density is not one of a body.
    """
    m = integration.measurement()
    body, surface, spreads, scale, transform = (
        integration.body,
        integration.bounding,
        integration.spreads,
        integration.scale,
        integration.options.transform,
    )
    if body.mesh is None or body.method != "exact":
        what = f"varies, which needs the triangles of a solid; {m.input.path} is measured otherwise ({body.method}, {body.grade})"
        raise InvalidInput(what, parameter="density", hint="mend the mesh first: 'massprops repair FILE -o OUT'")
    center = m.moments.centroid
    rotation = None if transform is None else transform.rotation
    mesh = Mesh(body.mesh.chunks(), body.mesh.facets, integration.summed.moments.centroid, scale, rotation)
    found = integrate_weighted(mesh, center, m.bounds, density)
    mean = found.moments.measure / m.moments.measure
    ratio = found.moments.times(1 / mean)
    moments = Moments(m.moments.measure, ratio.first, ratio.second, center).recentred()
    kind = "exactly" if isinstance(density, PolynomialDensity) else "by quadrature"
    text = f"the density varies in space: its mean is {mean:.6g}\xa0kg/m³, the least found {found.least:.6g}; integrated {kind}"
    note = Finding("varying-density", "info", text, value=mean)
    known = {f.name: getattr(m, f.name) for f in fields(m)}
    noted = MeasuredBody(**{**known, "moments": moments, "density": mean, "findings": (*m.findings, note)})
    if not spreads:
        return noted
    sheet = surface.sheet.scaled(scale, 2)
    sheet = sheet if transform is None else sheet.moved(transform.rotation, transform.translation)
    # where the density is evaluated is known to the rounding of the centre
    reach = float(np.abs(center).max()) + (0.0 if transform is None else float(np.abs(transform.translation).max()))
    shift = math.sqrt(3) * integration.rounding * scale + 16 * U * reach
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
