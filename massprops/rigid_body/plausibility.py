"""Findings about mass properties: what no body can be, and what is remarkable about one that can.

Tests: `tests/rigid_body/test_mass_properties.py`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from massprops.errors import spell
from massprops.findings import Finding
from massprops.rigid_body.consistency import CONSISTENCY_TOLERANCE, Consistency
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.tensors import Array

_DEGENERATE = {
    2: "plate: all mass lies in one plane through the centre of mass; right for a lamina, impossible for a solid",
    1: "rod: all mass lies on one line through the centre of mass; right for a wire, impossible for a solid",
    0: "point: the inertia about the centre of mass is zero; right for a point mass, impossible for a solid",
}


def body_findings(
    properties: MassProperties, stated: Array | None = None, *, has_points: bool = False
) -> list[Finding]:
    """All that is said of a body by itself: what no body can be, and a mass or density that none has; see `properties_findings`."""
    found = properties_findings(properties, stated)
    spread = impossible_density(properties, is_stated=stated is not None, has_points=has_points)
    return [*found, *implausible_mass(properties.mass), *spread]


def properties_findings(properties: MassProperties, stated: Array | None = None) -> list[Finding]:
    """Findings about a body's mass, centre of mass and inertia, worst first; `stated` is the tensor as it is printed, along any axes.

    Codes: ``non-positive-mass``, ``not-positive-definite`` or ``triangle-inequality``, ``pseudo-inertia`` (errors),
    ``degenerate-rank`` (info). All of them restate one `Consistency`, whose tolerances are relative.
    """
    report = properties.consistency()
    found = []
    if not report.mass_is_positive:
        message = f"mass is {report.mass!r}\xa0kg; a body has a positive mass"
        found.append(Finding("non-positive-mass", "error", message, report.mass, 0.0))
    if not report.second_is_semidefinite and report.is_rounded(properties.inertia if stated is None else stated):
        found.append(replace(_inertia(report), severity="warning"))
        found[-1] = replace(found[-1], message=f"{found[-1].marked}; within the rounding of its digits: print more")
    elif not report.second_is_semidefinite:  # with the mass as the only cause, there is nothing more to say
        found += [_inertia(report), _pseudo_inertia(report)]
    if report.kind not in (None, "solid"):
        found.append(Finding("degenerate-rank", "info", _DEGENERATE[report.rank], float(report.rank), 3.0))
    return found


def _inertia(report: Consistency) -> Finding:
    """A negative principal moment breaks the triangle inequality too: the more severe of the two is reported."""
    a, b, c = map(_digits, report.moments)
    listed = f"principal moments ({a}, {b}, {c})\xa0kg\xa0m²"
    if not report.inertia_is_semidefinite:
        message = f"{listed}: {a} is negative, and no axis of a body has a negative moment of inertia"
        return Finding("not-positive-definite", "error", message, report.inertia_margin, -CONSISTENCY_TOLERANCE)
    short = f"{_digits(-100.0 * report.triangle_margin).removesuffix('.0')} %"
    message = f"{listed}: {a} + {b} < {c} by {short}, so no mass distribution has this inertia"
    return Finding("triangle-inequality", "error", message, report.triangle_margin, -CONSISTENCY_TOLERANCE)


def _pseudo_inertia(report: Consistency) -> Finding:
    """Defect of the pseudo-inertia as a direction."""
    axis = ", ".join(map(_digits, report.smallest_axis))
    message = (
        f"pseudo-inertia is not positive semi-definite: mass times squared distance, summed along the direction "
        f"({axis}), is {_digits(report.second_moments[0])}\xa0kg\xa0m², and a sum of squares cannot be negative"
    )
    return Finding("pseudo-inertia", "error", message, report.pseudo_margin, -CONSISTENCY_TOLERANCE)


def _digits(value: float) -> str:
    """Six digits, and always seen to be a float: 1.0, 0.333333, 1e-09."""
    return repr(float(f"{value:.6g}"))


#: No part that people model is larger without its unit being said; files in millimetres, read as metres, nearly always are.
LARGEST_PLAUSIBLE = 10.0
#: Nor smaller: a part of a watch is larger than this, and files in metres, read as millimetres, are smaller.
SMALLEST_PLAUSIBLE = 2e-4
#: The mass, kg, of no link and no part that people model; meshes in millimetres, read as metres, are 10⁹ times too heavy.
LARGEST_PLAUSIBLE_MASS = 1e5


#: Densities of bodies that people make, kg/m³: from light foams and lattices to osmium.
PLAUSIBLE_DENSITY = (20.0, 25e3)


def is_common_density(density: float) -> bool:
    """Whether materials have it, kg/m³."""
    low, high = PLAUSIBLE_DENSITY
    return low <= density <= high


#: Units that numbers without one are often in, the commonest first, in kg/m³.
_DENSITY_UNITS = {"g/cm3": 1e3, "lb/in3": 27679.9, "kg/mm3": 1e9, "t/mm3": 1e12, "g/m3": 1e-3}


def implausible_size(size: float, mass: float | None, unit: str) -> list[Finding]:
    """A remark on a body of `size` metres (its longest side) that is absurd in the length unit it was read in."""
    heavy = f" of {mass:.2g}\xa0kg" if mass is not None else ""
    if size > LARGEST_PLAUSIBLE:
        likely = "mm" if unit != "mm" else "um"
        question = f"is the file in {likely}? then say {spell(f'units={likely}')}"
        limit = LARGEST_PLAUSIBLE
    elif 0 < size < SMALLEST_PLAUSIBLE:
        question = "is it meant to be that small?" if unit == "m" else f"is the file in m? then say {spell('units=m')}"
        limit = SMALLEST_PLAUSIBLE
    else:
        return []
    message = f"the body is {size:.3g}\xa0m across{heavy}: {question}"
    return [Finding("implausible-size", "warning", message, value=size, limit=limit)]


def implausible_link_size(size: float) -> list[Finding]:
    """A remark on the geometry of a link, `size` metres along the longest side of a box like it, with the scale that was likely meant."""
    if SMALLEST_PLAUSIBLE <= size <= LARGEST_PLAUSIBLE or size == 0:
        return []
    factor, what = (0.001, "in mm, and read as m") if size > LARGEST_PLAUSIBLE else (1000, "scaled to m twice")
    message = f"the geometry is some {size:.3g}\xa0m long: is its mesh {what}? {factor} times its scale makes it {size * factor:.3g}\xa0m"
    limit = LARGEST_PLAUSIBLE if factor < 1 else SMALLEST_PLAUSIBLE
    return [Finding("implausible-size", "warning", message, size, limit)]


def implausible_mass(mass: float) -> list[Finding]:
    """A remark on a mass, kg, that is absurd, with the one that was likely meant."""
    if not mass > LARGEST_PLAUSIBLE_MASS:
        return []
    message = f"the mass is {mass:.3g}\xa0kg: are its lengths in mm, and read as m? then it is {mass * 1e-9:.3g}\xa0kg"
    return [Finding("implausible-mass", "warning", message, mass, LARGEST_PLAUSIBLE_MASS)]


#: kg/m³, in the smallest convex body that holds the mass: less than a tenth of that of air, so no lattice, hull or balloon has it.
LIGHTEST = 0.1
#: Radius of gyration, m, of no body that moves as one: the longest ship, 460 m, has 120 m. Plates and rods need the limit.
LONGEST_RADIUS = 1000.0
#: kg m²: the rotors of small geared joints, which models leave out, add as much. A link that stands for a frame has no more.
SMALL_INERTIA = 1e-3
#: kg: a body below it that is too dense stands for a point.
SMALL_MASS = 1.0
#: Least volume of a convex body over √det(S/m): of four of its points at random the mean square of the volume is ⅔ det(S/m).
_LEAST_HULL = math.sqrt(2 / 3)
#: Volume of the uniform ellipsoid over √det(S/m).
_ELLIPSOID = 4 / 3 * math.pi * 5**1.5


def impossible_density(
    properties: MassProperties, *, is_stated: bool = True, has_points: bool = False
) -> list[Finding]:
    """A mass and an inertia that no body has together, whatever its shape, or hardly any: the inertia says how far the mass is spread.

    The smallest convex body that holds the mass bounds its density from above; a ball of the same trace of S, the body of one density
    with the least trace, bounds the largest density in it from below. Neither is an error of a small body that stands for a frame, and
    what is lighter than air no error of a body that was measured, and not `is_stated`: a balloon is one. Nor is density one of a sum that
    `has_points`.
    """
    report, mass = properties.consistency(), properties.mass
    if not report.ok or report.rank == 0 or not math.isfinite(sum(report.second_moments) / mass):
        return []
    most, inertia = PLAUSIBLE_DENSITY[1], report.moments[2]
    a, b, c = (math.sqrt(max(s, 0.0) / mass) for s in report.second_moments)
    radius, ball = math.sqrt(inertia / mass), 4 / 3 * math.pi * (math.sqrt(5 / 3) * math.hypot(a, b, c)) ** 3
    has = f"{mass:.3g}\xa0kg with principal moments of up to {inertia:.3g}\xa0kg\xa0m² have a radius of gyration of {radius:.3g}\xa0m"
    if radius > LONGEST_RADIUS and inertia > SMALL_INERTIA:
        what = f"{has}, and nothing that moves as one body is so large"
        return [Finding("impossible-density", "error", what, radius, LONGEST_RADIUS)]
    if mass < LIGHTEST * (hull := _LEAST_HULL * a * b * c) and inertia > SMALL_INERTIA and is_stated:
        what = f"{has}: a body so large has less than {mass / hull:.2g}\xa0kg/m³, and air has 1.2"
        return [Finding("impossible-density", "error", what, mass / hull, LIGHTEST)]
    if mass < LIGHTEST * (solid := _ELLIPSOID * a * b * c):
        what = f"{has}: a solid so large has {mass / solid:.2g}\xa0kg/m³, and air has 1.2"
        return [Finding("implausible-density", "warning", what, mass / solid, LIGHTEST)]
    if mass > most * ball > 0 and math.isfinite(density := mass / ball):
        what = f"{has}: a body so small has more than {density:.3g}\xa0kg/m³ somewhere, and osmium has 22,600"
        if has_points or mass <= SMALL_MASS or radius < SMALLEST_PLAUSIBLE:
            point = "some of it is point masses" if has_points else "it may stand for a point"
            return [Finding("implausible-density", "warning", f"{what}; {point}", density, most)]
        return [Finding("impossible-density", "error", what, density, most)]
    return []


def implausible_density(density: float, *, from_mass: bool = False) -> list[Finding]:
    """A remark on a density, kg/m³, that no common material has, with the unit that was likely meant; `from_mass`: it was not stated."""
    low, high = PLAUSIBLE_DENSITY
    if low <= density <= high:
        return []
    meant = (unit for unit, factor in _DENSITY_UNITS.items() if low <= density * factor <= high)
    question = "is the mass in another unit, or the length?"
    if not from_mass and (unit := next(meant, None)):
        question = f"is {density:.4g} {unit} meant?"
    message = f"{density:.4g}\xa0kg/m³ matches no common material: {question}"
    return [Finding("implausible-density", "warning", message, density, low if density < low else high)]
