"""How far an inertial is from a geometry, which mistakes undone bring it there, and the findings about both.

Distances are relative. The centre's is that between the two centres over the diagonal of the bounds; the tensor's is the Frobenius
norm of the difference over that of the geometry's, at the stated mass and uniform density.

A body need not be of uniform density, so that its numbers may differ from those of its geometry, and nothing follows from that
alone. What is reported as an error is either impossible inside the bounds of the geometry, whatever the density, or is explained:
one small mistake undone, and the numbers are those of the geometry to within `AGREES`, where they were several times as far off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from massprops.diagnosis.common_mistakes import CENTRE_MISTAKES, SIMPLE_MISTAKES, Mistake, Source
from massprops.errors import InvalidInput
from massprops.findings import SEVERITIES, Finding, Severity
from massprops.formats.inertial.inertial import Inertial
from massprops.frames import Pose
from massprops.measurement.result import Measurement
from massprops.moments.arrays import length, symmetric_eigen
from massprops.moments.integrals import Array, Moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import PLAUSIBLE_DENSITY
from massprops.rigid_body.realizability import box_findings
from massprops.wording import percent

#: Tensors nearer than this are taken to agree. CAD-true inertials of real robots are at most 0.011 from their meshes (ten links of
#: `docs/robots.md`: material that is not quite uniform, meshes coarser than the part, six printed digits); this is twice that.
NOTICED = 0.02
#: A tensor that is nearer than this once a mistake is undone is explained by the mistake, and one that was nearer before is wrong by so
#: little that it is only warned of: parts of several materials differ from their geometry by more.
AGREES = 0.05
#: How many times nearer undoing a mistake has to bring the numbers: else a difference in density would be explained by any.
NEARER = 3.0
#: Below `NOTICED`, a mistake is only reported if undoing it brings the tensor this many times nearer, from more than `ROUNDED`:
#: agreement of six entries to a hundredth of their difference is no chance, and less can be the rounding of six printed digits.
MUCH_NEARER, ROUNDED = 100.0, 1e-4
#: The same three for the centre: CAD-true ones are at most 0.0083 of the diagonal away.
CENTRE_NOTICED, CENTRE_AGREES = 0.02, 0.02
#: Principal moments that differ by less than this are the same moments.
SAME_MOMENTS = 0.03
#: Uniform over smallest: a hollow sphere has 5/3 of the inertia of a solid one of its mass, and mass at the ends of long arms some
#: 3 times; a motor in the middle of a wide cover makes it several times smaller.
TOO_LARGE, TOO_SMALL = 3.0, 0.2
#: A simulation seldom depends on how a kilogram is spread; a placeholder on a heavier link moves the robot.
LIGHT = 1.0
#: By how much of its diagonal a geometry is enlarged before numbers outside it are impossible: rounding of what is printed.
SLACK = 0.01


@dataclass(frozen=True, eq=False)
class Reference:
    """The geometry that an inertial is compared with.

    Attributes
    ----------
    moments : Moments
        Of the geometry, in the frame of the link, m³ …
    bounds : ndarray, shape (2, 3)
        Of a box that holds it, m.
    doubts : tuple of str
        Why its integral may not be that of the body.
    """

    moments: Moments
    bounds: Array
    doubts: tuple[str, ...] = ()

    @property
    def size(self) -> float:
        """Diagonal of the bounds, m."""
        return length(self.bounds[1] - self.bounds[0])

    def body(self, mass: float) -> MassProperties:
        """The geometry as a body of uniform density and this mass, kg."""
        return MassProperties.from_moments(self.moments, mass=mass)


@dataclass(frozen=True)
class Comparison:
    """How far an inertial is from its geometry.

    Attributes
    ----------
    density : float
        Mass over volume, kg/m³.
    centre : float
        Distance of the centres over the diagonal of the bounds.
    tensor : float
        Relative distance of the tensors at the same mass.
    ratios : tuple of float
        Principal moments over those of the geometry, ascending both.
    isotropic : bool
        Whether the moments of the geometry are equal about every axis, as those of a ball or a cube are.
    """

    density: float
    centre: float
    tensor: float
    ratios: tuple[float, float, float]
    isotropic: bool = False

    def to_dict(self) -> dict[str, float]:
        """For display, by name."""
        return {
            "implied_density": self.density,
            "centre_distance": self.centre,
            "tensor_distance": self.tensor,
            "smallest_moment_ratio": min(self.ratios),
            "largest_moment_ratio": max(self.ratios),
        }


def compare(body: MassProperties, reference: Reference) -> Comparison:
    """The distances; `body` in the frame of the geometry, its mass positive.

    Raises
    ------
    InvalidInput
        If the mass is not positive: there is nothing to scale the geometry to.
    """
    if body.mass <= 0:
        raise InvalidInput(f"mass is {body.mass!r} kg; a positive mass is needed to compare an inertia with a geometry")
    uniform = symmetric_eigen(reference.body(body.mass).inertia)[0]
    a, b, c = (symmetric_eigen(body.inertia)[0] / uniform).tolist()
    return Comparison(
        body.mass / reference.moments.measure,
        centre_distance(body, reference),
        tensor_distance(body, reference),
        (a, b, c),
        bool(uniform[2] <= (1 + AGREES) * uniform[0]),
    )


def reference_of(measured: Measurement) -> Reference:
    """A measured solid as a reference; InvalidInput if it is a sheet."""
    if measured.method == "shell":
        raise InvalidInput(f"{measured.input.path}: was measured as a sheet, and an inertial is compared with a solid")
    doubts = (f"it is {measured.grade}",) if measured.grade in ("unverified", "estimated") else ()
    return Reference(measured.moments, measured.bounds, doubts)


def inertial_of(body: MassProperties) -> Inertial:
    """A body as numbers along the axes of its frame."""
    return Inertial(body.mass, Pose(np.eye(3), body.com), body.inertia)


def centre_distance(body: MassProperties, reference: Reference) -> float:
    """Between the two centres, over the diagonal of the bounds."""
    return length(body.com - reference.moments.centroid) / reference.size


def tensor_distance(body: MassProperties, reference: Reference) -> float:
    """Of the tensors, relative to the geometry's at the same mass."""
    uniform = reference.body(abs(body.mass)).inertia
    return length(body.inertia - uniform) / length(uniform)


def explained(stated: Inertial, reference: Reference, sources: Sequence[Source]) -> list[tuple[float, Mistake]]:
    """Mistakes whose correction brings the tensor to the geometry's, those of them that come nearest, in the order of the sources."""
    before = tensor_distance(stated.properties, reference)
    mistakes = [
        s for source in sources for s in source(stated) if _has_density(s.corrected.mass, stated.mass, reference)
    ]
    return nearest(before, [(tensor_distance(s.corrected.properties, reference), s) for s in mistakes], AGREES)


def _has_density(mass: float, before: float, reference: Reference) -> bool:
    """Whether a corrected mass makes a density that materials have; one that is not corrected need not."""
    low, high = PLAUSIBLE_DENSITY
    return mass == before or low <= mass / reference.moments.measure <= high


def explained_centre(
    stated: Inertial, reference: Reference, sources: Sequence[Source] = CENTRE_MISTAKES
) -> list[tuple[float, Mistake]]:
    """The same of the centre of mass.

    A centre divided by a thousand is near the origin of the link, whatever it was: where the geometry's centre is there too, the unit
    explains nothing.
    """
    before = centre_distance(stated.properties, reference)
    origin = length(reference.moments.centroid) / reference.size
    tried = [(centre_distance(s.corrected.properties, reference), s) for source in sources for s in source(stated)]
    telling = [(d, s) for d, s in tried if s.kind != "wrong-unit" or origin > max(CENTRE_NOTICED, NEARER * d)]
    return nearest(before, telling, CENTRE_AGREES)


def nearest(before: float, tried: list[tuple[float, Mistake]], agrees: float) -> list[tuple[float, Mistake]]:
    """Those that explain: near enough, much nearer than before, and none of the others twice as near."""
    good = [(d, s) for d, s in tried if d <= agrees and NEARER * d <= before]
    best = min((d for d, _ in good), default=0.0)
    return [(d, s) for d, s in good if d <= max(2.0 * best, NOTICED / 4)]


# ---- findings -----------------------------------------------------------------------------------------------------------


def findings_against(body: MassProperties, measured: Measurement) -> list[Finding]:
    """What is wrong with an inertial, if this is its geometry: findings, worst first.

    Parameters
    ----------
    body : MassProperties
        In the coordinates of the geometry.
    measured : Measurement
        Of a solid; its own density or mass is not looked at.

    Raises
    ------
    InvalidInput
        If what was measured is a sheet.
    """
    return findings_of(inertial_of(body), reference_of(measured))


def findings_of(stated: Inertial, reference: Reference) -> list[Finding]:
    """The findings about an inertial and a geometry in the same frame, worst first."""
    if stated.mass <= 0:
        return []  # no such body: that is said by the check of the inertial itself
    body = stated.properties
    found = compare(body, reference)
    placeholder = is_placeholder(stated) and found.tensor > AGREES and not found.isotropic
    findings = [
        *_density(found),
        *_centre(stated, reference, found),
        *([_placeholder(stated)] if placeholder else _tensor(stated, reference, found)),
        *_size(body, reference, found),
    ]
    if placeholder and stated.mass <= LIGHT:
        findings = [replace(f, severity="warning") if f.severity == "error" else f for f in findings]
    return sorted(findings, key=lambda f: SEVERITIES.index(f.severity))


def _density(found: Comparison) -> Iterator[Finding]:
    low, high = PLAUSIBLE_DENSITY
    if not low <= found.density <= high:
        limit = low if found.density < low else high
        text = f"mass over volume of the geometry is {found.density:.3g} kg/m³, and no common material has that density"
        yield Finding("implied-density", "warning", text, found.density, limit)


def _centre(stated: Inertial, reference: Reference, found: Comparison) -> Iterator[Finding]:
    if found.centre <= CENTRE_NOTICED:
        return
    away = f"the centre of mass is {percent(found.centre, 2)} of the size away from that of the geometry"
    mistakes = explained_centre(stated, reference)
    if not stated.frame.translation.any():
        if found.centre > AGREES:
            text = f"{away}, and is the origin of the link: it looks as if it had not been set"
            yield Finding("centre-at-origin", "warning", text, found.centre, CENTRE_NOTICED)
    elif mistakes:
        distance, mistake = mistakes[0]
        text = f"{away}, and {percent(distance, 2)} if {_hypotheses(mistakes)}"
        yield Finding(mistake.kind, "error" if found.centre > AGREES else "warning", text, found.centre, CENTRE_AGREES)


def _tensor(stated: Inertial, reference: Reference, found: Comparison) -> Iterator[Finding]:
    if found.tensor <= ROUNDED:
        return
    away = f"the inertia differs from that of the geometry by {_by(found.tensor)}"
    severity: Severity = "error" if found.tensor > AGREES else "warning"
    mistakes = explained(stated, reference, SIMPLE_MISTAKES) or _mass_is_density(stated, reference, found.tensor)
    if found.tensor <= NOTICED:
        mistakes = [(d, s) for d, s in mistakes if MUCH_NEARER * d <= found.tensor]
    if mistakes:
        distance, mistake = mistakes[0]
        text = f"{away}, and by {_by(distance)} if {_hypotheses(mistakes)}"
        yield Finding(mistake.kind, severity, text, found.tensor, AGREES)
    elif found.tensor <= NOTICED:
        return
    elif _worst(found) <= SAME_MOMENTS and found.tensor >= NEARER * _worst(found):
        code, how = "wrong-axes", "along other axes"
        if _is_diagonal(stated):
            code, how = "missing-axes", "along the axes of the link"
        frames = ", as if both were in different frames" if found.centre > CENTRE_AGREES else ""
        turned = f"its principal moments are the geometry's, to {percent(_worst(found), 2)}, but stated {how}{frames}"
        text = f"{away}; {turned}: turn them, or state the frame of the principal axes"
        # any turn will do here, and not one of a few: the moments of a bar of uneven density may agree by chance, the less the further
        yield Finding(code, "error" if found.tensor > 2 * AGREES else "warning", text, found.tensor, AGREES)
    elif found.tensor > 2 * AGREES:
        text = f"{away}, and no common mistake explains it; a density that is not uniform would"
        yield Finding("differs-from-geometry", "info", text, found.tensor, 2 * AGREES)


def _size(body: MassProperties, reference: Reference, found: Comparison) -> Iterator[Finding]:
    """What no density can bring about inside the bounds, and what hardly any does."""
    margin = SLACK * reference.size
    lower, upper = reference.bounds[0] - margin, reference.bounds[1] + margin
    if body.consistency().ok:
        outside = box_findings(body, lower, upper)
        yield from outside[:1]
        if outside and max(found.ratios) > TOO_LARGE / 2:
            yield _ratio("inertia-too-large", "error", "more than any density inside its bounds allows", found)
            return
    if max(found.ratios) > TOO_LARGE:
        yield _ratio("inertia-too-large", "warning", "more than mass at the surface of most bodies makes", found)
    elif max(found.ratios) < TOO_SMALL:
        yield _ratio("inertia-too-small", "warning", "as if nearly all mass were in the middle", found)


def _ratio(code: str, severity: Severity, why: str, found: Comparison) -> Finding:
    low, high = min(found.ratios), max(found.ratios)
    text = f"the principal moments are {low:.3g} to {high:.3g} times those of the geometry at uniform density, {why}"
    return Finding(code, severity, text, high, TOO_LARGE if code == "inertia-too-large" else TOO_SMALL)


def is_placeholder(stated: Inertial) -> bool:
    """Whether the tensor looks put in by hand: three equal moments of one or two significant digits, and no products."""
    moments = stated.tensor.diagonal()
    is_round = moments[0] != 0.0 and float(f"{moments[0]:.1e}") == moments[0]
    return bool(is_round and _is_diagonal(stated) and (moments == moments[0]).all())


def _by(share: float) -> str:
    return percent(share, 2) + (" its size" if share > 2 else "")


def _placeholder(stated: Inertial) -> Finding:
    value = float(stated.tensor[0, 0])
    text = f"the inertia is {value!r} kg m² about every axis: a placeholder, not that of the geometry"
    return Finding("placeholder-inertia", "warning" if stated.mass <= LIGHT else "error", text, value)


def _hypotheses(mistakes: list[tuple[float, Mistake]]) -> str:
    """The first, and how many others would do as well: corrections that come to the same numbers are one."""
    others = [s for _, s in mistakes[1:] if not s.is_like(mistakes[0][1], NOTICED / 4)]
    return mistakes[0][1].words + (f" (or {others[0].words})" if others else "")


def _mass_is_density(stated: Inertial, reference: Reference, before: float) -> list[tuple[float, Mistake]]:
    """A density in the place of the mass: the tensor is then that of the mass which the density makes."""
    low, high = PLAUSIBLE_DENSITY
    if not low <= stated.mass <= high:
        return []
    mass = stated.mass * reference.moments.measure
    words = f"the mass is a density, and {mass:.6g} kg the mass"
    mistake = Mistake("mass-is-density", words, replace(stated, mass=mass))
    return nearest(before, [(tensor_distance(mistake.corrected.properties, reference), mistake)], AGREES)


def _worst(found: Comparison) -> float:
    return max(abs(r - 1.0) for r in found.ratios)


def _is_diagonal(stated: Inertial) -> bool:
    """Products that are zero, or so small that they are rounding."""
    tensor = stated.tensor
    off = tensor - np.diag(tensor.diagonal())
    return bool(np.abs(off).max() <= 1e-9 * np.abs(tensor).max())
