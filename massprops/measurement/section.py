"""The pipe for plane files: rings in, a `Measurement` out."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, get_args

import numpy as np

from massprops import units as unit
from massprops.errors import InvalidInput
from massprops.frames import Pose
from massprops.grades import Method
from massprops.measurement.result import Input, Measurement
from massprops.moments.integrals import Array, Moments
from massprops.rigid_body.as_json import Axes
from massprops.rigid_body.mass_specification import Matter
from massprops.section.assemble import assemble, joined
from massprops.section.outline import Outline
from massprops.section.part_overlaps import overlap_findings
from massprops.section.parts import Part
from massprops.section.properties import Section
from massprops.section.rings import PlanarSource, Ring
from massprops.section.topology import Rule
from massprops.section.uncertainty import Extrusion


@dataclass(frozen=True)
class Planar:
    """What the caller asks of plane files.

    Attributes
    ----------
    rings : {"evenodd", "nonzero", "orientation"} or None
        What is inside; None is "evenodd".
    layers : tuple of str
        Those to be measured; empty: all.
    gap : float or None
        Ends of loose pieces within this distance are the same point, m.
    centered : bool
        Whether an extrusion reaches as far below z = 0 as above.
    ratios, densities : mapping of str to float
        Of the parts of a composite section, by layer (one file) or by file: modulus ratio, density in kg/m³.
    """

    rings: Rule | None = None
    layers: tuple[str, ...] = ()
    gap: float | None = None
    centered: bool = False
    ratios: Mapping[str, float] | None = None
    densities: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.rings is not None and self.rings not in get_args(Rule):
            raise InvalidInput(f"rings must be one of {', '.join(get_args(Rule))}, got {self.rings!r}")
        for name, ratio in (self.ratios or {}).items():
            if not 0 < ratio < float("inf"):
                raise InvalidInput(f"ratio of {name!r} must be positive and finite, got {ratio!r}")

    @classmethod
    def parse(
        cls,
        *,
        rings: Rule | None,
        layers: tuple[str, ...],
        gap: float | str | None,
        centered: bool,
        ratios: Mapping[str, float] | None,
        densities: Mapping[str, float | str] | None,
    ) -> Self:
        """From the caller's values; raises InvalidInput if one breaks a rule."""
        return cls(
            rings,
            layers,
            None if gap is None else unit.parse_length(gap, name="gap", must_be_positive=True),
            centered,
            ratios,
            {name: unit.parse_density(d, name=f"density of {name}") for name, d in (densities or {}).items()},
        )

    @property
    def composite(self) -> bool:
        """Whether parts differ."""
        return bool(self.ratios) or bool(self.densities)

    @property
    def rule(self) -> Rule:
        """The rule for insides."""
        return self.rings or "evenodd"


def parts_of(source: PlanarSource, scale: float, planar: Planar, *, by_layer: bool) -> list[Part]:
    """The section of one file, or of each of its layers.

    Raises
    ------
    InvalidInput
        If a layer that is asked for is not there.
    InvalidGeometry
        If there is no single area.
    """
    rings = _wanted(source, planar.layers)
    gap = None if planar.gap is None else planar.gap / scale
    if not by_layer or not any(r.layer for r in rings):
        return [Part(source.name, assemble(source, rings, scale, planar.rule, gap), scale)]
    groups = {layer: [r for r in rings if r.layer == layer] for layer in dict.fromkeys(r.layer for r in rings)}
    return [Part(layer, assemble(source, group, scale, planar.rule, gap), scale) for layer, group in groups.items()]


def _wanted(source: PlanarSource, layers: Sequence[str]) -> list[Ring]:
    known = dict.fromkeys(r.layer for r in source.rings)
    missing = [name for name in layers if name not in known]
    if missing:
        named = ", ".join(map(repr, known)) if any(known) else "none"
        raise InvalidInput(f"there is no layer {missing[0]!r}", hint=f"layers with outlines: {named}")
    return [r for r in source.rings if not layers or r.layer in layers]


def section_of(parts: Sequence[Part], planar: Planar) -> tuple[Section, Moments, float | None]:
    """The section, weighted with the ratios; the plane moments of its mass, scaled to measure its area; and its mean density.

    Parts of density ρᵢ have the moments Σ ρᵢ Jᵢ = ρ Σ (ρᵢ/ρ) Jᵢ with the mean density ρ = Σ ρᵢ Aᵢ / Σ Aᵢ.

    Raises
    ------
    InvalidInput
        If a ratio or density names no part, or a part has no density while others have.
    """
    sections = [
        (p.name, p.section) for p in parts
    ]  # two parts may have one name: a file that is named twice counts twice
    names = dict.fromkeys(name for name, _ in sections)
    _check_names("ratio", planar.ratios, names)
    _check_names("density", planar.densities, names)
    ratios, densities = planar.ratios or {}, planar.densities or {}
    section = functools.reduce(operator.add, (s.weighted(ratios.get(name, 1.0)) for name, s in sections))
    if not densities:
        return section, _total(s for _, s in sections), None
    without = [name for name in names if name not in densities]
    if without:
        raise InvalidInput(f"the part {without[0]!r} has no density, and others have", hint="give each one its own")
    mean = sum(densities[name] * s.area for name, s in sections) / sum(s.area for _, s in sections)
    return section, _total(s.weighted(densities[name] / mean) for name, s in sections), mean


def _total(sections: Iterable[Section]) -> Moments:
    return functools.reduce(operator.add, (s.moments for s in sections))


def _check_names(what: str, given: Mapping[str, float] | None, known: Mapping[str, object]) -> None:
    for name in given or {}:
        if name not in known:
            raise InvalidInput(
                f"a {what} is given for {name!r}, and there is no such part",
                hint=f"parts: {', '.join(map(repr, known))}",
            )


def planar_measurement(
    parts: Sequence[Part],
    planar: Planar,
    described: Input,
    matter: Matter,
    motion: Pose | None,
    axes: Axes,
    chord: float = 0.0,
) -> Measurement:
    """The measurement of a section: without a thickness as a sheet in the plane z = 0, else that of the solid above it.

    Parameters
    ----------
    parts, planar, described
        What is measured, how, and what the result says that it is.
    matter : Matter
        What is known of the body; with a thickness it is a solid. Its density counts where the parts have none of their own.
    motion, axes : Pose or None, str
        From the coordinates of the file to those of the result, and whose they are.
    chord : float
        How far the outlines may be from the true ones, m.
    """
    section, mass_moments, own_density = section_of(parts, planar)
    thickness = matter.thickness
    if own_density is not None and thickness is None:
        raise InvalidInput("densities of parts make a mass where there is a thickness", hint="add --thickness")
    body = Section(mass_moments, section.area, section.perimeter, section.bounds)
    method: Method = "lamina" if thickness is None else "extrusion"
    moments = body.lamina() if thickness is None else body.extruded(thickness, centered=planar.centered)
    whole = joined([p.assembled for p in parts])
    overlaps = overlap_findings(parts) if len(parts) > 1 else []
    density = matter.density_of(moments.measure, method) if own_density is None else own_density
    weight = 1.0 if own_density is None else max((planar.densities or {}).values()) / own_density
    curved = any(not o.straight for o in whole.outlines)
    extrusion = Extrusion(body, weight, curved, planar.centered, thickness, moments, motion, chord)
    return Measurement(
        input=described,
        method=method,
        grade="closed" if overlaps and whole.grade == "certified" else whole.grade,
        area=section.area if thickness is None else 2 * section.area + section.perimeter * thickness,
        moments=moments if motion is None else moments.mapped(motion.rotation, motion.translation),
        bounds=_bounds(parts, _heights(thickness, planar.centered), motion or Pose.identity()),
        density=density,
        axes=axes,
        findings=(*whole.findings, *overlaps),
        section=section,
        sources=extrusion.uncertainties(whole.findings, matter, density),
    )


def _heights(thickness: float | None, centered: bool) -> tuple[float, float]:
    if thickness is None:
        return 0.0, 0.0
    return (-thickness / 2, thickness / 2) if centered else (0.0, thickness)


def _bounds(parts: Sequence[Part], heights: tuple[float, float], motion: Pose) -> Array:
    """Of the sheet or solid, shape (2, 3), m: along any axis, the range of the outlines and that of the height add up."""
    flat = np.array([_range(parts, row[:2]) for row in motion.rotation]).T
    return flat + np.sort(np.outer(heights, motion.rotation[:, 2]), axis=0) + motion.translation


def _range(parts: Sequence[Part], direction: Array) -> tuple[float, float]:
    """Smallest and largest coordinate of outlines along a direction in their plane, m."""
    ranges = [_extent(o, direction) * p.scale for p in parts for o in p.assembled.outlines]
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _extent(outline: Outline, direction: Array) -> Array:
    """Shape (2,), in units of the file; along x and y it is known."""
    for axis in (0, 1):
        if direction[axis] == 1.0:
            return np.asarray(outline.bounds[:, axis])
    line = np.array([[*direction, 0.0], [0.0, 0.0, 0.0]])
    ranges = np.array([c.transformed(line).bounds()[:, 0] for c in outline.curves])
    return np.array([ranges[:, 0].min(), ranges[:, 1].max()])
