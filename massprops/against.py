"""An inertial held against a geometry: do mass, centre and inertia belong to it, and if not, which slip explains the difference?

A body need not be of uniform density, so that its numbers may differ from those of its geometry, and nothing follows from that
alone. What is reported as an error is either impossible inside the bounds of the geometry, whatever the density, or is explained:
one small slip undone, and the numbers are those of the geometry to within `AGREES`, where they were several times as far off.

Distances are relative. The centre's is that between the two centres over the diagonal of the bounds; the tensor's is the Frobenius
norm of the difference over that of the geometry's, at the stated mass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from massprops.checks import PLAUSIBLE_DENSITY
from massprops.dialects.bodies import Inertial
from massprops.errors import InvalidInput
from massprops.findings import SEVERITIES, Finding, Severity
from massprops.fits import box_findings
from massprops.frames import Pose
from massprops.measurement import Measurement
from massprops.moments import Array, Moments
from massprops.properties import MassProperties
from massprops.slips import (
    Slip,
    Source,
    centre_units,
    negated_centre,
    one_sign,
    other_units,
    products_sign,
    turned_axes,
    turned_centre,
    wrong_point,
)

if TYPE_CHECKING:
    from massprops.checking.result import Checked, LinkOptions
    from massprops.robots import Link, MeasuredGeometry

#: Tensors nearer than this are taken to agree. CAD-true inertials of real robots are at most 0.011 from their meshes (ten links of
#: `docs/robots.md`: material that is not quite uniform, meshes coarser than the part, six printed digits); this is twice that.
NOTICED = 0.02
#: A tensor that is nearer than this once a slip is undone is explained by the slip, and one that was nearer before is wrong by so
#: little that it is only warned of: parts of several materials differ from their geometry by more.
AGREES = 0.05
#: How many times nearer undoing a slip has to bring the numbers: else a difference in density would be explained by any.
NEARER = 3.0
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

_EXPLAINING: tuple[Source, ...] = (products_sign, wrong_point, other_units, one_sign, turned_axes)
_EXPLAINING_CENTRE: tuple[Source, ...] = (negated_centre, turned_centre, centre_units)


@dataclass(frozen=True, eq=False)
class Reference:
    """What an inertial is held against.

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
        return float(np.linalg.norm(self.bounds[1] - self.bounds[0]))

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
    """

    density: float
    centre: float
    tensor: float
    ratios: tuple[float, float, float]

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
        raise InvalidInput(f"mass is {body.mass!r} kg; a positive one is wanted to compare an inertia with a geometry")
    uniform = reference.body(body.mass)
    a, b, c = (np.linalg.eigvalsh(body.inertia) / np.linalg.eigvalsh(uniform.inertia)).tolist()
    return Comparison(
        body.mass / reference.moments.measure,
        _centre_distance(body, reference),
        _tensor_distance(body, reference),
        (a, b, c),
    )


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


def reference_of(measured: Measurement) -> Reference:
    """A measured solid as what an inertial is held against; InvalidInput if it is a sheet."""
    if measured.method == "shell":
        raise InvalidInput(f"{measured.input.path}: was measured as a sheet, and an inertial is held against a solid")
    doubts = (f"it is {measured.grade}",) if measured.grade in ("unverified", "estimated") else ()
    return Reference(measured.moments, measured.bounds, doubts)


def inertial_of(body: MassProperties) -> Inertial:
    """A body as numbers along the axes of its frame."""
    return Inertial(body.mass, Pose(np.eye(3), body.com), body.inertia)


def findings_of(stated: Inertial, reference: Reference) -> list[Finding]:
    """The findings about an inertial and a geometry in the same frame, worst first."""
    if stated.mass <= 0:
        return []  # no such body: that is said by the check of the inertial itself
    body = stated.properties
    found = compare(body, reference)
    placeholder = is_placeholder(stated) and found.tensor > AGREES
    findings = [
        *_density(found),
        *_centre(stated, reference, found),
        *([_placeholder(stated)] if placeholder else _tensor(stated, reference, found)),
        *_size(body, reference, found),
    ]
    if placeholder and stated.mass <= LIGHT:
        findings = [replace(f, severity="warning") if f.severity == "error" else f for f in findings]
    return sorted(findings, key=lambda f: SEVERITIES.index(f.severity))


# ---- distances ----------------------------------------------------------------------------------------------------------


def _centre_distance(body: MassProperties, reference: Reference) -> float:
    return float(np.linalg.norm(body.com - reference.moments.centroid)) / reference.size


def _tensor_distance(body: MassProperties, reference: Reference) -> float:
    uniform = reference.body(abs(body.mass)).inertia
    return float(np.linalg.norm(body.inertia - uniform) / np.linalg.norm(uniform))


def explained(stated: Inertial, reference: Reference, sources: Sequence[Source]) -> list[tuple[float, Slip]]:
    """Slips whose correction brings the tensor to the geometry's, those of them that come nearest, in the order of the sources."""
    before = _tensor_distance(stated.properties, reference)
    slips = [s for source in sources for s in source(stated) if _has_density(s.corrected.mass, stated.mass, reference)]
    return _nearest(before, [(_tensor_distance(s.corrected.properties, reference), s) for s in slips], AGREES)


def _has_density(mass: float, before: float, reference: Reference) -> bool:
    """Whether a corrected mass makes a density that materials have; one that is not corrected need not."""
    low, high = PLAUSIBLE_DENSITY
    return mass == before or low <= mass / reference.moments.measure <= high


def explained_centre(
    stated: Inertial, reference: Reference, sources: Sequence[Source] = _EXPLAINING_CENTRE
) -> list[tuple[float, Slip]]:
    """The same of the centre of mass."""
    before = _centre_distance(stated.properties, reference)
    tried = [(_centre_distance(s.corrected.properties, reference), s) for source in sources for s in source(stated)]
    return _nearest(before, tried, CENTRE_AGREES)


def _nearest(before: float, tried: list[tuple[float, Slip]], agrees: float) -> list[tuple[float, Slip]]:
    """Those that explain: near enough, much nearer than before, and none of the others twice as near."""
    good = [(d, s) for d, s in tried if d <= agrees and NEARER * d <= before]
    best = min((d for d, _ in good), default=0.0)
    return [(d, s) for d, s in good if d <= max(2.0 * best, NOTICED / 4)]


# ---- findings -----------------------------------------------------------------------------------------------------------


def _density(found: Comparison) -> Iterator[Finding]:
    low, high = PLAUSIBLE_DENSITY
    if not low <= found.density <= high:
        limit = low if found.density < low else high
        text = f"mass over volume of the geometry is {found.density:.3g} kg/m³, and no common material has that density"
        yield Finding("implied-density", "warning", text, found.density, limit)


def _centre(stated: Inertial, reference: Reference, found: Comparison) -> Iterator[Finding]:
    if found.centre <= CENTRE_NOTICED:
        return
    away = f"the centre of mass is {found.centre:.2g} of the size away from that of the geometry"
    slips = explained_centre(stated, reference)
    if not stated.frame.translation.any():
        if found.centre > AGREES:
            text = f"{away}, and is the origin of the link: it looks as if it had not been set"
            yield Finding("centre-at-origin", "warning", text, found.centre, CENTRE_NOTICED)
    elif slips:
        distance, slip = slips[0]
        text = f"{away}, and {distance:.2g} if {_hypotheses(slips)}"
        yield Finding(slip.kind, "error" if found.centre > AGREES else "warning", text, found.centre, CENTRE_AGREES)


def _tensor(stated: Inertial, reference: Reference, found: Comparison) -> Iterator[Finding]:
    if found.tensor <= NOTICED:
        return
    away = f"the inertia differs from that of the geometry by {found.tensor:.2g} of it"
    severity: Severity = "error" if found.tensor > AGREES else "warning"
    slips = explained(stated, reference, _EXPLAINING) or _mass_is_density(stated, reference, found.tensor)
    if slips:
        distance, slip = slips[0]
        yield Finding(
            slip.kind, severity, f"{away}, and by {distance:.2g} if {_hypotheses(slips)}", found.tensor, AGREES
        )
    elif _same_moments(found):
        code, how = (
            ("missing-axes", "along the axes of the link")
            if _is_diagonal(stated)
            else ("wrong-axes", "along other axes")
        )
        frames = ", as if both were in different frames" if found.centre > CENTRE_AGREES else ""
        turned = f"its principal moments are the geometry's, to {_worst(found):.2g} of them, but stated {how}{frames}"
        text = f"{away}; {turned}: turn them, or state the frame of the principal axes"
        # any turn will do here, and not one of a few: the moments of a bar of uneven density may agree by chance, the less the further
        yield Finding(code, "error" if found.tensor > 2 * AGREES else "warning", text, found.tensor, AGREES)
    elif found.tensor > 2 * AGREES:
        text = f"{away}, and no simple slip explains it; a density that is not uniform would"
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
    round_number = float(f"{moments[0]:.1e}") == moments[0]
    return _is_diagonal(stated) and bool((moments == moments[0]).all()) and round_number and moments[0] != 0.0


def _placeholder(stated: Inertial) -> Finding:
    value = float(stated.tensor[0, 0])
    text = f"the inertia is {value!r} kg m² about every axis: a placeholder, not that of the geometry"
    return Finding("placeholder-inertia", "warning" if stated.mass <= LIGHT else "error", text, value)


def _hypotheses(slips: list[tuple[float, Slip]]) -> str:
    """The first, and how many others would do as well: corrections that come to the same numbers are one."""
    others = [s for _, s in slips[1:] if not _same(s.corrected, slips[0][1].corrected)]
    return slips[0][1].words + (f" (or {others[0].words})" if others else "")


def _same(one: Inertial, other: Inertial) -> bool:
    scale = float(np.abs(one.tensor).max())
    return one.mass == other.mass and bool(np.allclose(one.tensor, other.tensor, rtol=0.0, atol=NOTICED / 4 * scale))


def _mass_is_density(stated: Inertial, reference: Reference, before: float) -> list[tuple[float, Slip]]:
    """A density in the place of the mass: the tensor is then that of the mass which the density makes."""
    low, high = PLAUSIBLE_DENSITY
    if not low <= stated.mass <= high:
        return []
    mass = stated.mass * reference.moments.measure
    slip = Slip("mass-is-density", f"the mass is a density, and {mass:.6g} kg the mass", replace(stated, mass=mass))
    return _nearest(before, [(_tensor_distance(slip.corrected.properties, reference), slip)], AGREES)


def _same_moments(found: Comparison) -> bool:
    return _worst(found) <= SAME_MOMENTS and found.tensor >= NEARER * _worst(found)


def _worst(found: Comparison) -> float:
    return max(abs(r - 1.0) for r in found.ratios)


def _is_diagonal(stated: Inertial) -> bool:
    """Products that are zero, or so small that they are rounding."""
    tensor = stated.tensor
    off = tensor - np.diag(tensor.diagonal())
    return bool(np.abs(off).max() <= 1e-9 * np.abs(tensor).max())


# ---- the links of a robot -----------------------------------------------------------------------------------------------


def link_findings(robot: str | Path, link: str | None, options: LinkOptions) -> Iterator[Checked]:
    """The links of a robot file, each held against its own geometry.

    Parameters
    ----------
    robot : str or Path
        A URDF, SDF or MJCF file.
    link : str or None
        One of its links, or all.
    options : LinkOptions
        Which geometry, and where the packages are.

    Yields
    ------
    Checked
        One for every link, in the order of the file, with the findings of the comparison alone.

    Raises
    ------
    ReadError
        If the file cannot be read, or the link is not there.
    """
    from massprops.robots import Measurer, read_robot
    from massprops.robots.finding import Finder

    path = str(robot)
    measurer = Measurer(Finder(Path(path).parent, options.packages, options.package_path))
    for found in _wanted(read_robot(path), link, path):
        yield _checked(found, path, measurer, options)


def link_reference(robot: str | Path, link: str, options: LinkOptions) -> tuple[Reference | None, list[Finding]]:
    """The own geometry of one link, None where it has none that can be measured whole, and what could not be measured.

    Raises
    ------
    ReadError
        If the file or the link cannot be read, or the link is not there.
    """
    from massprops.robots import Measurer, read_robot
    from massprops.robots.finding import Finder

    path = str(robot)
    (found,) = _wanted(read_robot(path), link, path)
    if found.error is not None:
        raise found.error
    geometry = Measurer(Finder(Path(path).parent, options.packages, options.package_path)).measure(
        found, options.geometry
    )
    return _reference(geometry), [] if geometry is None else list(geometry.findings)


def _wanted(links: list[Link], name: str | None, path: str) -> list[Link]:
    from massprops.errors import ReadError

    if name is None:
        return links
    found = [x for x in links if x.name == name] or [x for x in links if x.name.rpartition("::")[2] == name]
    if len(found) != 1:
        how = "has no link" if not found else f"has {len(found)} links"
        raise ReadError(f"{path}: {how} {name!r}", code="no-link" if not found else "ambiguous-link")
    return found


def _checked(link: Link, path: str, measurer: object, options: LinkOptions) -> Checked:
    from massprops.checking.result import Checked, Subject
    from massprops.robots import Measurer

    assert isinstance(measurer, Measurer)  # noqa: S101  # imported when it is needed
    subject = Subject(path, link.name, link.line, "link")
    if link.error is not None:
        return Checked(subject, error=link.error)
    geometry = measurer.measure(link, options.geometry)
    findings = [*_presence(link), *_comparison(link, geometry)]
    findings.sort(key=lambda f: SEVERITIES.index(f.severity))
    return Checked(subject, tuple(findings), numbers=_numbers(link, geometry))


def _presence(link: Link) -> Iterator[Finding]:
    """What is there and what is not: said, never guessed."""
    has_geometry = bool(link.visual or link.collision)
    held = "is fixed to its parent, so that a simulator may lump it with it" if link.fixed else "moves by itself"
    if link.body is None and has_geometry:
        taken = "MuJoCo infers one from the geometry" if link.infers else f"it has geometry, and {held}"
        severity: Severity = "info" if link.fixed or link.infers else "warning"
        yield Finding("geometry-without-inertial", severity, f"no inertial is stated; {taken}")
    elif link.body is None:
        return  # a frame: nothing to say
    elif link.body.properties.mass == 0 and has_geometry:
        text = "the mass is 0 kg, and there is geometry: leave the inertial out, or state the mass"
        yield Finding("massless-geometry", "warning", text, 0.0, 0.0)
    elif link.body.properties.mass == 0:
        text = f"the mass is 0 kg and there is no geometry: it stands for a frame, and {held}; leave the inertial out"
        yield Finding("massless-frame", "info" if link.fixed else "warning", text, 0.0, 0.0)


def _comparison(link: Link, geometry: MeasuredGeometry | None) -> Iterator[Finding]:
    stated = None if link.body is None else link.body.stated
    if geometry is not None:
        yield from geometry.findings
    if stated is None:
        return
    reference = _reference(geometry)
    if reference is not None:
        yield from (replace(f, message=f"{f.message}{_doubtful(f, reference)}") for f in findings_of(stated, reference))
    elif stated.mass > 0 and is_placeholder(stated):
        value = float(stated.tensor[0, 0])
        text = f"the inertia is {value!r} kg m² about every axis, which looks like a placeholder; there is no geometry to tell"
        yield Finding("placeholder-inertia", "warning", text, value)


def _reference(geometry: MeasuredGeometry | None) -> Reference | None:
    """None where there is no geometry, or where only a part of it could be measured: a part is not the body."""
    if geometry is None or not geometry.complete or geometry.moments is None or geometry.bounds is None:
        return None
    return Reference(geometry.moments, geometry.bounds, geometry.doubts)


def _doubtful(finding: Finding, reference: Reference) -> str:
    if not reference.doubts or finding.severity == "info":
        return ""
    more = f" and {len(reference.doubts) - 1} more" if len(reference.doubts) > 1 else ""
    return f" (the geometry itself is in doubt: {reference.doubts[0]}{more})"


def _numbers(link: Link, geometry: MeasuredGeometry | None) -> dict[str, float | str | None]:
    stated = None if link.body is None else link.body.properties
    numbers: dict[str, float | str | None] = {"mass": None if stated is None else stated.mass}
    reference = _reference(geometry)
    if geometry is not None:
        numbers["geometry"] = geometry.which
        numbers["volume"] = None if reference is None else reference.moments.measure
        numbers["doubt"] = "; ".join(geometry.doubts) or None
    if reference is not None and stated is not None and stated.mass > 0:
        numbers |= {k: v if math.isfinite(v) else None for k, v in compare(stated, reference).to_dict().items()}
    return numbers
