"""Distances of an inertial from a geometry, the mistakes that explain them, and the findings on both.

Distances are relative. The centre's is that between the two centres over the size of the geometry: the diagonal of the box with the
same spread. The tensor's is the Frobenius norm of the difference over that of the geometry's, at the stated mass and uniform density.

A body need not be of uniform density, so that its numbers may differ from those of its geometry, and nothing follows from that
alone. What is reported as an error is either impossible inside the convex hull of the geometry, whatever the density, or is explained:
one small mistake undone, and the numbers are those of the geometry to within `AGREES`, where they were several times as far off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from massprops.diagnosis.common_mistakes import is_isotropic, is_round
from massprops.diagnosis.evidence import AGREES, RankedMistake, alternatives, is_of_collision, likely_mistakes
from massprops.diagnosis.reference import Reference, inertial_of, reference_of
from massprops.diagnosis.twins import NO_OTHERS, OtherLinks
from massprops.errors import InvalidInput
from massprops.findings import Finding, Severity, worst_first
from massprops.formats.inertial.inertial import Inertial, NamedBody
from massprops.measurement.result import Measurement
from massprops.moments.arrays import length, symmetric_eigen
from massprops.moments.uncertainty import U
from massprops.rigid_body.extent import Extent, hull_findings
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import PLAUSIBLE_DENSITY, SMALL_INERTIA, is_common_density
from massprops.wording import percent, sizes

#: Differences of tensors and centres that are remarked on where no mistake explains them.
DIFFERS, CENTRE_DIFFERS = 2 * AGREES, AGREES
#: Tensors nearer than this are taken to agree. CAD-true inertials of real robots are at most 0.011 from their meshes (ten links of
#: `docs/robots.md`: material that is not quite uniform, meshes coarser than the part, six printed digits); this is twice that.
NOTICED = 0.02
#: Centres nearer than this are taken to agree: CAD-true ones are at most 0.0083 of the diagonal away.
CENTRE_NOTICED = 0.02
#: Volumes of one part nearer than this are taken to agree: a mesh is smaller or larger than the part.
VOLUME_NOTICED = 0.01
#: Uniform over smallest: a hollow sphere has 5/3 of the inertia of a solid one of its mass, and mass at the ends of long arms some
#: 3 times; a motor in the middle of a wide cover makes it several times smaller.
TOO_LARGE, TOO_SMALL = 3.0, 0.2
#: A simulation seldom depends on how a kilogram is spread; a placeholder on a heavier link moves the robot.
LIGHT = 1.0
#: A mistake that leaves more than this of the tensor, and more than a tenth of the difference, is a warning.
BY_CHANCE = 0.03
#: Above this distance from a primitive shape, a difference that no mistake explains is a warning.
FAR_FROM_SHAPE = 0.25
#: kg: a lighter link with a geometry that is too small for it has a marker, not a body.
MARKER = 0.01
#: Inertia of a placeholder over the largest that its mass has inside the bounds, above which it is an error on a light link, too.
FAR_TOO_LARGE = 10.0
#: By how much of its diagonal a geometry is enlarged before numbers outside it are impossible: rounding of what is printed.
SLACK = 0.01


@dataclass(frozen=True)
class GeometryComparison:
    """Distances of an inertial from its geometry.

    Attributes
    ----------
    density : float
        Mass over volume, kg/m³.
    centre : float
        Distance of the centres over the size of the geometry.
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

    @property
    def differs(self) -> bool:
        """Whether a mistake or a density that is not uniform has to explain the numbers."""
        return self.tensor > DIFFERS or self.centre > CENTRE_DIFFERS

    def to_dict(self) -> dict[str, float]:
        """Distances by name, for display."""
        found = {"implied_density": self.density, "centre_distance": self.centre, "tensor_distance": self.tensor}
        return found | {"smallest_moment_ratio": min(self.ratios), "largest_moment_ratio": max(self.ratios)}


def compare(body: MassProperties, reference: Reference) -> GeometryComparison:
    """The distances; `body` in the frame of the geometry, its mass positive.

    Raises
    ------
    InvalidInput
        If the mass is not positive: there is nothing to scale the geometry to.
    """
    if body.mass <= 0:
        what = f"mass is {body.mass!r}\xa0kg; a positive mass is needed to compare an inertia with a geometry"
        raise InvalidInput(what)
    stated, uniform = inertial_of(body), symmetric_eigen(reference.body(body.mass).inertia)[0]
    uniform = np.maximum(uniform, U * uniform[2])  # a rod has none about its axis, but for rounding
    a, b, c = (symmetric_eigen(body.inertia)[0] / uniform).tolist()
    density, isotropic = body.mass / reference.moments.measure, bool(uniform[2] <= (1 + AGREES) * uniform[0])
    centre, tensor = reference.centre_distance(stated), reference.tensor_distance(stated)
    return GeometryComparison(density, centre, tensor, (a, b, c), isotropic)


# ---- findings -----------------------------------------------------------------------------------------------------------


def findings_against(body: MassProperties, measured: Measurement) -> list[Finding]:
    """Findings on an inertial, if this is its geometry, worst first.

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


def volume_findings(stated: float | None, volume: float) -> list[Finding]:
    """How far the volume of a geometry is from the one that the text of a CAD program states, m³."""
    if stated is None or not (stated > 0 < volume):
        return []
    share = volume / stated - 1
    apart = "is" if abs(share) < 1e-6 else f"is {percent(abs(share))} {'above' if share > 0 else 'below'}"
    what = f"the volume of the geometry, {volume:.6g}\xa0m³, {apart} the one that the text states, {stated:.6g}\xa0m³"
    severity: Severity = "error" if abs(share) > VOLUME_NOTICED else "info"
    return [Finding("stated-volume", severity, what, value=abs(share), limit=VOLUME_NOTICED)]


def findings_of(
    stated: Inertial,
    reference: Reference,
    others: OtherLinks = NO_OTHERS,
    likely: Sequence[RankedMistake] | None = None,
) -> list[Finding]:
    """The findings about an inertial and a geometry in the same frame, worst first.

    `others` are the other links of the robot, by name; `likely` are its likely mistakes, where they are known.
    """
    if stated.mass <= 0:
        return []  # no such body: that is said by the check of the inertial itself
    body = stated.properties
    found = compare(body, reference)
    placeholder = is_placeholder(stated) and found.tensor > AGREES and not found.isotropic
    likely = likely_mistakes(stated, reference, others) if likely is None else likely
    of_centre = [one for one in likely if one.mistake.about == "centre"]
    of_tensor = [one for one in likely if one.mistake.about != "centre"]
    of_size = list(_size(body, reference, found))
    is_possible = body.consistency().ok and all(f.severity != "error" for f in of_size)
    implied = _density(stated, reference)
    if placeholder:
        tensor = [_placeholder(stated)]
    elif implied is not None and of_tensor and found.tensor <= NOTICED and of_tensor[0].mistake.mass != stated.mass:
        tensor, implied = list(_by_density(implied, reference, of_tensor)), None
    else:
        tensor = list(_tensor(found, of_tensor, is_possible))
    if reference.shape is not None:
        tensor = [replace(f, severity="warning") if _is_far(f) else f for f in tensor]
    centre = list(_centre(stated, found, of_centre, is_possible))
    if any(f.code == "differs-from-geometry" for f in (*tensor, *centre)) and is_of_collision(stated, reference):
        tensor, centre = [_as_collision(f) for f in tensor], [_as_collision(f) for f in centre]
    if any(f.code == "differs-from-geometry" for f in tensor):  # one remark is enough
        centre = [f for f in centre if f.code != "differs-from-geometry"]
    findings = [*centre, *tensor, *([implied] if implied else []), *of_size]
    # whatever stands in for the body, three equal round moments of ten times what fits into it are none
    is_impossible = is_placeholder(stated) and _is_far_too_large(body, reference)
    is_soft = not is_impossible and (reference.is_simpler or (placeholder and stated.mass <= LIGHT))
    return list(worst_first(_with_doubts(f, reference, is_soft=is_soft) for f in findings))


def _with_doubts(finding: Finding, reference: Reference, *, is_soft: bool) -> Finding:
    """The finding with what makes its geometry doubtful; a soft one is no error."""
    severity: Severity = "warning" if is_soft and finding.severity == "error" else finding.severity
    if not reference.doubts or severity == "info":
        return replace(finding, severity=severity)
    more = f", and {len(reference.doubts) - 1} more" if len(reference.doubts) > 1 else ""
    return replace(finding, severity=severity, message=f"{finding.marked} (in doubt: {reference.doubts[0]}{more})")


def outside(body: MassProperties, hull: Extent) -> list[Finding]:
    """Warnings of an inertial that no density inside the hull of a refused geometry has; what is missing there may be outside."""
    bounds = hull.bounds()
    size = length(np.ptp(bounds, axis=0))
    found = hull_findings(body, hull, bounds.mean(axis=0), size, SLACK * size) if body.consistency().ok else []
    doubt = " (in doubt: the geometry is refused)"
    return [replace(f, severity="warning", message=f.marked + doubt) for f in found]


#: Findings of a geometry that say more about the density of a body than its inertia does.
_SAID_BY_GEOMETRY = ("implied-density", "placeholder-inertia", "inertia-too-large", "spread-outside-bounds")


def by_itself(body: NamedBody, found: Sequence[Finding], volume: float | None) -> list[Finding]:
    """Findings of a body by itself, less those that its geometry, of this `volume`, m³, says better: `found`."""
    codes = {f.code for f in found}
    said = [f for f in found if f.code in _SAID_BY_GEOMETRY or f.limit in PLAUSIBLE_DENSITY]
    if any(f.severity == "error" for f in said):
        codes.add("impossible-density")
    if said:
        codes.add("implausible-density")
    is_common = volume is not None and is_common_density(body.properties.mass / volume)
    return [f for f in body.all_findings if f.code not in codes and not (is_common and _is_dense(f))]


def _is_dense(finding: Finding) -> bool:
    """Whether it says that a body is too dense somewhere: a wide geometry may have a heavy part."""
    dense = finding.limit == PLAUSIBLE_DENSITY[1]
    return dense and finding.code in ("impossible-density", "implausible-density")


def _is_far_too_large(body: MassProperties, reference: Reference) -> bool:
    """Whether an inertia is several times that of all mass at the ends of the bounds, or its centre as far away, and it moves a robot."""
    moment, bounds = float(symmetric_eigen(body.inertia)[0][2]), (reference.wider() or reference.extent()).bounds()
    size, arm = length(bounds[1] - bounds[0]), length(body.com - reference.centroid)
    is_away = arm > FAR_TOO_LARGE * reference.size and body.mass * arm * arm > SMALL_INERTIA
    return is_away or moment > max(SMALL_INERTIA, FAR_TOO_LARGE * body.mass * (size / 2) ** 2)


def _density(stated: Inertial, reference: Reference) -> Finding | None:
    """The finding on mass over volume: more than any material has is an error, unless the geometry is a marker; less has a hollow body."""
    density, (low, high) = stated.mass / reference.moments.measure, PLAUSIBLE_DENSITY
    if is_common_density(density):
        return None
    is_marker = stated.mass <= MARKER or not stated.tensor.any() or bool(reference.doubts)
    text = f"mass over volume of the geometry is {density:.3g}\xa0kg/m³, and no common material has that density"
    severity: Severity = "error" if density > high and not is_marker else "warning"
    return Finding("implied-density", severity, text, density, min(max(density, low), high))


def _by_density(implied: Finding, reference: Reference, likely: Sequence[RankedMistake]) -> Iterator[Finding]:
    """The likeliest mistake, where the tensor agrees, and the density alone tells."""
    first, *others = alternatives(likely, NOTICED / 4)
    density = first.mistake.mass / (first.mistake.geometry or reference).moments.measure
    text = (
        f"mass over volume of the geometry is {implied.value:.3g}\xa0kg/m³, and {density:.3g}\xa0kg/m³ if {first.words}"
    )
    text += f" (or {others[0].mistake.words})" if others else ""
    yield Finding(
        first.mistake.kind, implied.severity, f"{text}: {first.mistake.mass:.6g}\xa0kg", implied.value, implied.limit
    )


def _centre(
    stated: Inertial, found: GeometryComparison, likely: Sequence[RankedMistake], is_possible: bool
) -> Iterator[Finding]:
    away = f"the centre of mass is {sizes(found.centre, 2)} away from that of the geometry"
    if not stated.frame.translation.any() and not any(one.mistake.twin for one in likely):
        if found.centre > CENTRE_DIFFERS:
            text = f"{away}, and is the origin of the link: it looks as if it had not been set"
            yield Finding("centre-at-origin", "warning", text, found.centre, CENTRE_NOTICED)
    elif likely:
        yield _named(away, likely, found.centre, CENTRE_NOTICED)
    elif found.centre > CENTRE_DIFFERS and is_possible:
        yield _unexplained(away, found.centre, CENTRE_DIFFERS, is_possible)


def _tensor(found: GeometryComparison, likely: Sequence[RankedMistake], is_possible: bool) -> Iterator[Finding]:
    away = f"the inertia differs from that of the geometry by {_by(found.tensor)}"
    again = "by"
    if found.tensor > 2 < max(found.ratios):
        away, again = f"the inertia is {percent(max(found.ratios), 2)} as large as that of the geometry", "differs by"
    if likely:
        yield _named(away, likely, found.tensor, AGREES, again)
    elif found.tensor > DIFFERS:
        yield _unexplained(away, found.tensor, DIFFERS, is_possible)


def _unexplained(away: str, distance: float, limit: float, is_possible: bool) -> Finding:
    text = f"{away}, and no common mistake explains it"
    text += "; a density that is not uniform would" if is_possible else ""
    return Finding("differs-from-geometry", "info", text, distance, limit)


def _as_collision(finding: Finding) -> Finding:
    """The remark that numbers are not those of the visual geometry, where they are those of the collision geometry."""
    if finding.code != "differs-from-geometry":
        return finding
    away = finding.message.partition(", and no common mistake")[0]
    return replace(finding, severity="info", message=f"{away}, and agrees with the collision geometry")


def _is_far(finding: Finding) -> bool:
    """Whether no mistake explains the distance from a primitive shape, of which the formula is known, and it is no small one."""
    return finding.code == "differs-from-geometry" and (finding.value or 0.0) > FAR_FROM_SHAPE


def _named(away: str, likely: Sequence[RankedMistake], distance: float, limit: float, again: str = "by") -> Finding:
    """The likeliest mistake, and the next one if it is nearly as likely and comes to other numbers."""
    first, *others = alternatives(likely, NOTICED / 4)
    if first.is_decided is not None:
        text = f"{away}, and all its numbers are those of a link with the same geometry if {first.words}"
        text += "" if first.is_decided else "; or that one is wrong"
        return Finding(first.mistake.kind, "error" if first.is_decided else "warning", text, distance, limit)
    text = f"{away}, and {again} {_by(first.distance or 0.0)} if {first.words}"
    text += f" (or {others[0].mistake.words})" if others else ""
    hollow = first.mistake.hollow
    text += "; right if the part is hollow" if hollow else ""
    # one of many mistakes comes nearer to a part of several materials by chance
    by_chance = first.mistake.about != "centre" and (first.distance or 0.0) > max(BY_CHANCE, distance / 10)
    severity: Severity = "error" if distance > AGREES and not (hollow or by_chance) else "warning"
    # numbers near those of another part may be so by chance: a hint, whatever the evidence
    return Finding(
        first.mistake.kind, "info" if first.mistake.kind == "other-link" else severity, text, distance, limit
    )


def _size(body: MassProperties, reference: Reference, found: GeometryComparison) -> Iterator[Finding]:
    """Findings on an inertia that no density gives inside the geometry, or hardly any."""
    of_hull = reference.centroid, reference.size, SLACK * reference.size
    outside = hull_findings(body, reference.extent(), *of_hull) if body.consistency().ok else []
    if outside and (wider := reference.wider()) is not None:
        impossible = hull_findings(body, wider, *of_hull)
        text = f"{outside[0].marked}; it is possible inside the visual and the collision geometry together"
        outside = impossible or [replace(outside[0], severity="warning", message=text)]
    if outside:
        yield outside[0]
        if max(found.ratios) > TOO_LARGE / 2:
            why = "more than any density inside it allows"
            yield _ratio("inertia-too-large", outside[0].severity, why, found)
            return
    if max(found.ratios) > TOO_LARGE:
        yield _ratio("inertia-too-large", "warning", "more than mass at the surface of most bodies makes", found)
    elif max(found.ratios) < TOO_SMALL:
        yield _ratio("inertia-too-small", "warning", "as if nearly all mass were in the middle", found)


def _ratio(code: str, severity: Severity, why: str, found: GeometryComparison) -> Finding:
    low, high = min(found.ratios), max(found.ratios)
    times = " to ".join(dict.fromkeys((f"{low:.3g}", f"{high:.3g}")))
    text = f"the principal moments are {times} times those of the geometry at uniform density, {why}"
    return Finding(code, severity, text, high, TOO_LARGE if code == "inertia-too-large" else TOO_SMALL)


def is_placeholder(stated: Inertial) -> bool:
    """Whether the tensor looks put in by hand: three equal moments of one or two significant digits, and no products."""
    return is_round(stated) and is_isotropic(stated)


def _by(share: float) -> str:
    return percent(share, 2) + (" its size" if share > 2 else "")


def _placeholder(stated: Inertial) -> Finding:
    value = float(stated.tensor[0, 0])
    text = f"the inertia is {value!r}\xa0kg\xa0m² about every axis: a placeholder, not that of the geometry"
    return Finding("placeholder-inertia", "warning" if stated.mass <= LIGHT else "error", text, value)
