"""Acceptance of inertials by simulators: the rule that each applies to the numbers of the printed text.

Each rule is stated where it is applied. Whether a sum of principal moments is above or below a limit can depend on the last bits
of the consumer's own eigenvalues; within `EIGENVALUE_ROUNDING` of a limit the answer is "it depends", a warning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.formats.inertial.inertial import Inertial, NamedBody
from massprops.frames import Pose

EPSILON = 2.0**-52
#: Of the largest moment. What eigenvalue routines for 3 × 3 symmetric matrices differ by: a few ulps, with room.
EIGENVALUE_ROUNDING = 16 * EPSILON
#: gz-math solves the cubic by the arc cosine, which near equal moments has half the digits.
CUBIC_ROUNDING = 1e-7


#: `ComputeMassProperties` of OpenUSD takes moments whose norm, in units of the stage, is below this for not stated.
SMALLEST_USD_INERTIA = 1e-5

AcceptanceRule = Callable[[Inertial], tuple[str, bool] | None]


def _mujoco(s: Inertial) -> tuple[str, bool] | None:
    """MuJoCo 2.3 to 4.0: moving bodies need mass and moments of mjMINVAL = 1e-15 or more, those of fullinertia eigenvalues of
    1e-14 or more; then A + B ≥ C is compared in doubles, without tolerance (mjCBody::Compile).
    """
    least = 1e-15 if s.diagonal else 1e-14
    if s.mass < 1e-15:
        return f"mass {s.mass!r} kg is below 1e-15", True
    if s.moments[0] < least:
        return f"the smallest principal moment, {s.moments[0]!r} kg m², is below {least:g}", True
    return _triangle(s, 0.0, EIGENVALUE_ROUNDING)


def _drake(s: Inertial) -> tuple[str, bool] | None:
    """Drake: mass ≥ 0, positive if there is inertia; moments and A + B − C above −ε, ε = 16 · 2⁻⁵² · max(1, tr/2), absolute
    for small bodies (RotationalInertia::AreMomentsOfInertiaNearPositiveAndSatisfyTriangleInequality). Drake 1.51 refuses a MJCF that
    fails, and takes a ball of water instead, with a warning, in URDF and SDF.
    """
    tolerance = 16 * EPSILON * max(1.0, 0.5 * float(np.trace(s.tensor)))
    if s.mass < 0.0 or (s.mass == 0.0 and np.any(s.tensor)):
        return f"mass {s.mass!r} kg is not positive", True
    return _near_positive(s, tolerance) or _triangle(s, tolerance, EIGENVALUE_ROUNDING)


def _gazebo(s: Inertial) -> tuple[str, bool] | None:
    """gz-math MassMatrix3::IsValid, which SDFormat applies: mass ≥ 0; moments and A + B − C above −ε, ε = 10 · 2⁻⁵² · tr/2."""
    tolerance = 10 * EPSILON * 0.5 * float(np.trace(s.tensor))
    if s.mass < 0.0:
        return f"mass {s.mass!r} kg is negative", True
    return _near_positive(s, tolerance) or _triangle(s, tolerance, CUBIC_ROUNDING)


def _openusd(s: Inertial) -> tuple[str, bool] | None:
    """OpenUSD's ComputeMassProperties: zero mass and moments whose norm is below 1e-5 are computed from the colliders instead; A + B ≥ C
    is not compared. In a stage in metres and kilograms, as it is written here.
    """
    norm = math.hypot(*s.moments)
    if not s.mass > 0.0:
        return f"mass {s.mass!r} kg is not positive, which it takes for not stated", True
    if norm < SMALLEST_USD_INERTIA:
        what = f"the norm of the principal moments, {norm:.3g} kg m², is below {SMALLEST_USD_INERTIA:g}"
        return f"{what}, which it takes for not stated, and computes them from the colliders", True
    return None


def _newton(s: Inertial) -> tuple[str, bool] | None:
    """Newton 1.8 takes newton:inertia, and changes, with a warning, what its verify_and_correct_inertia finds: a moment below 1e-6 of the
    largest or 1e-10, or A + B short of C by more than single precision of C or 1e-10.
    """
    least = max(1e-6 * s.moments[2], 1e-10)
    if not s.mass > 0.0:
        return f"mass {s.mass!r} kg is not positive", True
    if s.moments[0] < least:
        return f"the smallest principal moment, {s.moments[0]!r} kg m², is below {least:g}, and is raised", True
    return _triangle(s, max(2.0**-23 * s.moments[2], 1e-10), 2.0**-23)


def newton_refuses(moments: Iterable[float]) -> bool:
    """Whether Newton 1.8 refuses the principal moments of a body of MJCF: negative, or A + B short of C by 8 ulps of single precision."""
    a, b, c = moments
    return a < 0 or a + b < c - 8 * 2.0**-23 * c


def _near_positive(s: Inertial, tolerance: float) -> tuple[str, bool] | None:
    if s.moments[0] >= -tolerance:
        return None
    return f"the smallest principal moment is {s.moments[0]!r} kg m²", True


def _triangle(s: Inertial, tolerance: float, rounding: float) -> tuple[str, bool] | None:
    """Violation of A + B + tolerance ≥ C, and whether it is certain."""
    a, b, c = s.moments
    margin, doubt = (a + b) - c, 0.0 if s.is_principal else rounding * c
    slack = margin + tolerance
    if slack < -doubt:
        return f"principal moments {a:.9g} + {b:.9g} fall short of {c:.9g} by {-margin:.3g} kg m²", True
    if slack < doubt:
        return f"A + B − C of the principal moments is {margin:.3g} kg m², which its own rounding decides", False
    return None


@dataclass(frozen=True)
class Consumer:
    """A program that reads inertials: its name, what it reads, and the rule that it applies; None if it takes any numbers."""

    name: str
    title: str
    dialects: tuple[str, ...]
    rule: AcceptanceRule | None


CONSUMERS: dict[str, Consumer] = {
    c.name: c
    for c in (
        Consumer("mujoco", "MuJoCo", ("mjcf", "urdf"), _mujoco),
        Consumer("drake", "Drake", ("urdf", "sdf", "mjcf"), _drake),
        Consumer("gazebo", "Gazebo", ("sdf", "urdf"), _gazebo),
        Consumer("openusd", "OpenUSD", ("usd",), _openusd),
        Consumer("newton", "Newton", ("usd",), _newton),
        # convertFromUrdf: a bad body is only noticed in the simulation
        Consumer("pinocchio", "Pinocchio", ("urdf", "sdf", "mjcf"), None),
    )
}


#: Two names of one simulator: either is taken wherever a simulator is named.
GAZEBO = ("gz", "gazebo")


def consumer(name: str) -> Consumer:
    """The consumer of this name, or InvalidInput."""
    name = "gazebo" if name in GAZEBO else name
    if name not in CONSUMERS:
        raise InvalidInput(f"unknown consumer {name!r}", hint=f"known: {', '.join(CONSUMERS)}")
    return CONSUMERS[name]


def refuses(name: str, stated: Inertial) -> bool | None:
    """Whether a simulator refuses the numbers of an inertial; None where its own rounding decides."""
    rule = consumer(name).rule
    verdict = None if rule is None else rule(stated)
    return False if verdict is None else True if verdict[1] else None


def predict(name: str, body: NamedBody) -> Finding | None:
    """Whether a simulator accepts the body; None if it does.

    Parameters
    ----------
    name : {"mujoco", "drake", "gazebo", "gz", "openusd", "newton", "pinocchio"}
        The simulator.
    body : NamedBody
        As read back from the printed text, since it is the printed numbers that are judged.

    Returns
    -------
    Finding or None
        ``refused-by-NAME``, an error, or ``doubtful-for-NAME``, a warning.
    """
    chosen, p = consumer(name), body.properties
    stated = body.stated or Inertial(p.mass, Pose.identity(), p.inertia)
    verdict = None if chosen.rule is None else chosen.rule(stated)
    if verdict is None:
        return None
    reason, certain = verdict
    if certain:
        return Finding(f"refused-by-{name}", "error", f"{chosen.title} will not take these numbers: {reason}")
    return Finding(f"doubtful-for-{name}", "warning", f"{chosen.title} may refuse these numbers: {reason}")
