"""Checks of finished measurements: whether the numbers are those of a body, plausible, and as certain as was asked for.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, Remedy
from massprops.findings import Finding, worst_first
from massprops.formats.table import EXACT
from massprops.grades import SHEETS, SOUND
from massprops.measurement.result import Measurement
from massprops.mesh.policies import LIMITS, Policies
from massprops.rigid_body import plausibility
from massprops.rigid_body.consistency import is_solid
from massprops.wording import limit_share, percent

#: Share of the volume that the gaps of a file may leave open without a warning.
_WIDE = 1e-3
#: Limits below this share are no percentages.
_LEAST = 1e-9
#: Sources of errors that the caller states.
STATED = ("chord", "thickness", "matter")


def add_plausibility(
    measurement: Measurement, *, unit_is_stated: bool, policies: Policies | None = None
) -> Measurement:
    """The measurement with the findings about its numbers, worst first; `policies` have the limit of its uncertainty, if one is to hold.

    Raises
    ------
    InvalidGeometry
        If they prove that the integral is not that of any body.
    """
    moments = measurement.moments
    sound = moments.measure > 0 and is_solid(moments.central_second())
    found = [] if sound else plausibility.properties_findings(measurement.unit_density_properties)
    # a foil is a plate to any tolerance, and yet a solid; a section without a mass is no body
    if measurement.method not in SHEETS or (measurement.method == "lamina" and measurement.density is None):
        found = [f for f in found if f.code != "degenerate-rank"]
    impossible = [f for f in found if f.severity == "error"]
    if impossible:
        first = impossible[0]
        cause = "the surface crosses itself or is partly inside out"
        if measurement.grade == "unverified":
            cause = "too much of the surface is missing or turned round for its integral to be that of a body"
        what = f"{measurement.input.path}: {first.code}: {first.message}; so {cause}"
        raise InvalidGeometry(what, code=first.code, hint="mend the export", findings=impossible)
    if not unit_is_stated:
        size = float(np.ptp(measurement.bounds, axis=0).max())
        found += plausibility.implausible_size(size, measurement.mass, measurement.input.unit)
    if measurement.density is not None:
        _check_finite(measurement)
        mean = measurement.parts or any(f.code == "varying-density" for f in measurement.findings)
        if measurement.method not in SHEETS and not mean:  # a mean density is that of no material
            found += plausibility.implausible_density(measurement.density, from_mass=measurement.given_mass is not None)
    found += _wide_uncertainty(measurement, policies)
    if not found and len(measurement.findings) < 2:
        return measurement
    return replace(measurement, findings=worst_first([*measurement.findings, *found]))


def _wide_uncertainty(m: Measurement, policies: Policies | None) -> list[Finding]:
    """Error where a volume is less certain than the limit, whatever the source but the tolerances that the caller stated.

    Warning where gaps between exact surfaces leave more than a thousandth of the volume open; of meshes it is `coarse-coordinates`.
    """
    each = (s for of in (m, *(p.measurement for p in m.parts)) for s in of.sources.items())
    open_volume = sum(source.volume or 0.0 for name, source in each if name not in (*STATED, "parts"))
    if policies is not None and open_volume > LIMITS["safe"] * m.moments.measure and policies.largest_share is None:
        share, limit = open_volume / m.moments.measure, policies.limit
        if share > limit:
            return [too_uncertain("the volume", share, limit)]
    if m.input.format not in EXACT or m.parts or m.grade not in SOUND:
        return []
    off = m.uncertainty.volume if m.uncertainty else None
    if not m.volume or off is None or off <= _WIDE * m.volume:
        return []
    share = off / m.volume
    message = f"the volume is known within ±{percent(share)} only: faces meet within the tolerances of the file"
    return [Finding("wide-uncertainty", "warning", message, value=share, limit=_WIDE)]


def too_uncertain(what: str, share: float, limit: float) -> Finding:
    """Error of a number whose ± exceeds a limit, both as shares of it."""
    numbers = (percent(share), percent(limit)) if limit >= _LEAST else (f"{share:.2g} of it", f"{limit:.2g} of it")
    message = "{} is known within ±{}, which exceeds the limit of {}".format(what, *numbers)
    return Finding("uncertain-volume", "error", message, value=share, limit=limit)


def _check_finite(measurement: Measurement) -> None:
    """Raise InvalidInput if mass and inertia are not positive, finite numbers: they have left double precision."""
    density, mass = measurement.density or 0.0, measurement.mass or 0.0
    inertia = density * float(np.abs(measurement.moments.central_second()).max())
    if not (0 < mass < math.inf and 0 < inertia < math.inf):
        what = f"a density of {density:.3g}\xa0kg/m³ gives {mass:.3g}\xa0kg, and an inertia outside double precision"
        raise InvalidInput(what, hint="is the density or the mass meant?")


def check_limit(m: Measurement, limit: float | None) -> None:
    """Raise InvalidGeometry if the ± of the volume, or of a section's area, is not known or above a share of it."""
    if limit is None:
        return
    name, size, off, remedy = "volume", m.volume, m.uncertainty.volume if m.uncertainty else None, "lines"
    if m.section is not None:
        name, size, off, remedy = "area", m.section.area, m.section.area_error, "chord_tolerance"
    if off is not None and (not size or off <= limit * size):
        return
    share = None if off is None or not size else off / size
    message = f"the ± of the {name} is not known ({m.grade}), and may exceed the limit of {limit_share(limit)}"
    found = Finding("uncertain-volume", "error", message, limit=limit)
    if share is not None:
        found = too_uncertain(f"the {name}", share, limit)
    hint = Remedy("", see=("max_uncertainty", remedy))
    raise InvalidGeometry(f"{m.input.path}: {found.message}", code=found.code, hint=hint, findings=[found])
