"""The links of a robot file, each compared with its own geometry.

Tests: `tests/diagnosis/test_geometry_comparison.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from massprops.access import follow
from massprops.diagnosis.geometry_comparison import compare, findings_of, is_placeholder, outside
from massprops.diagnosis.link_geometry import UNMEASURED, MeasuredGeometry, Measurer
from massprops.diagnosis.reference import Reference
from massprops.diagnosis.twins import OtherLink, OtherLinks
from massprops.errors import MasspropsError, result_or_error, spelling
from massprops.findings import Finding, Severity, worst_first
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.link_names import named_link
from massprops.formats.robot.links import ComputedInertial, Link
from massprops.formats.robot.opening import read_robot
from massprops.formats.search_path import SearchPath
from massprops.grades import Repair
from massprops.measurement.gltf_axes import settle_axes
from massprops.measurement.inferred import inferred_body
from massprops.units import Quantity

if TYPE_CHECKING:
    from massprops.diagnosis.engine_body import EngineBody


@dataclass(frozen=True)
class LinkOptions:
    """Options of comparing the links of a robot with their geometry.

    Attributes
    ----------
    geometry : {"auto", "visual", "collision", "none"}
        Which geometry of a link its inertial is compared with; ``auto`` is the better of those it has.
    search : SearchPath
        Where its files are looked for.
    repair : {"none", "safe", "full"}
        How its meshes are repaired: by default as `fill` does.
    max_uncertainty : float, str or None
        Largest ± of the volume of a mesh or a link; by default that of the repair.
    engines : tuple of str
        Simulators of `engines.toml` whose inertials stand beside those of the file.
    """

    geometry: Literal["auto", "visual", "collision", "none"] = "auto"
    search: SearchPath = field(default_factory=SearchPath)
    repair: Repair = "full"
    max_uncertainty: Quantity | None = None
    engines: tuple[str, ...] = ()

    def measurer(self, path: str | Path) -> Measurer:
        """Measurer of the geometry of the links in a file."""
        return Measurer.repaired(self.search.beside(path), self.repair, self.max_uncertainty)


#: Findings of links that are said once of a robot.
_OF_ROBOT = {"gltf-axes", "defined-elsewhere"}
#: Pairs of links that are compared; of many links, each is compared with those near it in the file.
_MOST_PAIRS = 30_000


@dataclass(frozen=True)
class ComparedLink:
    """A link of a robot file, its geometry, and what their comparison found.

    Attributes
    ----------
    link : Link
    geometry : MeasuredGeometry or None
        None where it has none or none is compared.
    others : mapping of str to Neighbour
        The other links of its robot that could be measured whole.
    findings : tuple of Finding
        Of the comparison alone, worst first; those of the inertial by itself are not repeated.
    numbers : mapping of str to float, str or None
        For display: ``mass``, ``volume``, ``density``, distances, SI units.
    engines : tuple of EngineBody
        What the simulators take that were asked for.
    """

    link: Link
    geometry: MeasuredGeometry | None
    others: OtherLinks
    findings: tuple[Finding, ...] = ()
    numbers: Mapping[str, float | str | None] = field(default_factory=dict)
    engines: tuple[EngineBody, ...] = ()

    @property
    def name(self) -> str | None:
        """Name of the link."""
        return self.link.name

    @property
    def place(self) -> str:
        """Place of the link."""
        return self.link.place

    @property
    def volume(self) -> float | None:
        """Volume of the geometry that the inertial was compared with, m³."""
        reference = reference_of_link(self.geometry)
        return None if reference is None else reference.moments.measure


def measured_links(robot: str | Path, options: LinkOptions, measurer: Measurer | None = None) -> list[ComparedLink]:
    """All links of a robot file, measured.

    Raises
    ------
    ReadError
        If the file cannot be read.
    """
    measurer = measurer or options.measurer(robot)
    links = _read(robot, options, measurer)
    unmeasured = [x.error is not None or x.automatic is not None or options.geometry == "none" for x in links]
    measured = (None if u else measurer.measure(x, options.geometry) for x, u in zip(links, unmeasured, strict=True))
    pairs = list(zip(links, follow(measured, len(links), noun="links"), strict=True))
    every: list[tuple[str | None, OtherLink]] = []
    number = []  # of each link among those with geometry
    for link, geometry in pairs:
        number.append(len(every))
        if (found := reference_of_link(geometry)) is not None:
            every.append((link.name, OtherLink(None if link.body is None else link.body.stated, found)))
    near = _MOST_PAIRS // max(len(pairs), 1)
    around = (dict(every[max(k - near // 2, 0) : k + near // 2 + 1]) for k in number)
    others = ({k: v for k, v in own.items() if k != x.name} for x, own in zip(links, around, strict=True))
    return [ComparedLink(*pair, own) for pair, own in zip(pairs, others, strict=True)]


def _read(robot: str | Path, options: LinkOptions, measurer: Measurer) -> list[Link]:
    """The links of a robot file, with the axes of its glTF meshes as they are to be read, which `measurer` says."""
    links = read_robot(str(robot), search=options.search)
    if options.geometry != "none":
        links, measurer.about_gltf = settle_axes(links, measurer)
    return links


def link_findings(robot: str | Path, link: str | None, options: LinkOptions) -> Iterator[ComparedLink]:
    """The links of a robot file, each compared with its own geometry.

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
    ComparedLink
        One for every link, in the order of the file.

    Raises
    ------
    ReadError
        If the file cannot be read, or the link is not there.
    """
    measurer = options.measurer(robot)
    every = measured_links(robot, options, measurer)
    chosen = None if link is None else named_link(every, link, str(robot))
    by_engine: Sequence[Sequence[EngineBody]] = [()] * len(every)
    if options.engines:
        from massprops.diagnosis.engines import engine_bodies

        by_engine = engine_bodies([x.link for x in every], options.engines, measurer)
    is_part = any(x.link.error and x.link.error.code == "unread-include" for x in every)
    said = {"defined-elsewhere"} if is_part else set()
    for each, bodies in zip(every, by_engine, strict=True):
        if chosen is None or each is chosen:
            found = _compared(each, options, measurer)
            of_engines = (f for body in bodies if (f := body.finding()) is not None)
            yield replace(found, findings=(*_not_yet(said, found.findings), *of_engines), engines=tuple(bodies))


def _not_yet(said: set[str], findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings but for those about the whole robot that are said, which are added to those."""
    for finding in findings:
        if finding.code not in said:
            said |= _OF_ROBOT & {finding.code}
            yield finding


def _compared(measured: ComparedLink, options: LinkOptions, measurer: Measurer) -> ComparedLink:
    link = measured.link
    if link.error is not None or options.geometry == "none":
        return replace(measured, link=replace(link, body=link.body or link.default), findings=link.findings)
    if link.automatic is not None:
        return _computed(measured, link.automatic, measurer)
    if link.body is None and link.infers:
        return _inferred(measured, measurer)
    geometry = measured.geometry
    findings = worst_first([*_presence(link, geometry), *_comparison(link, geometry, measured.others)])
    numbers = _numbers(link, geometry)
    if link.body is None and link.default is not None:
        numbers |= {"mass": link.default.properties.mass, "from": "default"}
        link = replace(link, body=link.default)
    return replace(measured, link=link, findings=findings, numbers=numbers)


def measured_link(robot: str | Path, link: str, options: LinkOptions) -> tuple[Link, MeasuredGeometry | None]:
    """A link and its geometry, None where it has none; where the format computes the inertial, with that, and the collisions.

    Raises
    ------
    ReadError
        If the file or the link cannot be read, or the link is not there.
    """
    path = str(robot)
    measurer = options.measurer(path)
    found = named_link(_read(path, options, measurer), link, path)
    if found.error is not None:
        raise found.error
    if found.automatic is None or not found.geometry("collision"):
        return found, measurer.measure(found, options.geometry)
    body, said = measurer.automatic(found, found.automatic)
    computed = None if body is None else NamedBody(found.name, body, found.place, found.dialect, tuple(said))
    return replace(found, body=computed), measurer.measure(found, "collision")


def _computed(measured: ComparedLink, stated: ComputedInertial, measurer: Measurer) -> ComparedLink:
    """An inertial that SDFormat computes: there is nothing stated to compare it with."""
    link = measured.link
    body, findings = measurer.automatic(link, stated)
    if body is None:
        return replace(measured, findings=(*findings, *link.findings))
    text = f": {body.mass:.4g}\xa0kg"
    said = (
        replace(f, message=f.marked + text, value=body.mass) if f.code == "auto-inertial" else f for f in link.findings
    )
    computed = replace(link, body=NamedBody(link.name, body, link.place, link.dialect))
    return replace(measured, link=computed, findings=(*findings, *said), numbers={"geometry": "collision"})


def _inferred(measured: ComparedLink, measurer: Measurer) -> ComparedLink:
    """A body whose inertial MuJoCo infers: there is nothing stated to compare its geometry with."""
    link, numbers = measured.link, _numbers(measured.link, measured.geometry)
    found = () if measured.geometry is None else measured.geometry.findings
    said = [*link.findings, *found]
    body = result_or_error(inferred_body, link, measurer)
    if isinstance(body, MasspropsError):
        text = f"{_nothing(link)}, and what the simulator infers is not known: {body}"
        said.append(Finding("geometry-without-inertial", "warning", text))
    elif body is not None:
        mass = body.properties.mass
        text = f"{_nothing(link)}; the simulator infers one from the geometry: {mass:.4g}\xa0kg"
        said.append(Finding("geometry-without-inertial", "info", text, mass))
        link, said = (replace(link, body=body), said) if mass > 0 else (link, [*said, *body.findings])
        numbers |= {"mass": mass, "from": "inferred"}
    return replace(measured, link=link, findings=worst_first(said), numbers=numbers)


def _nothing(link: Link) -> str:
    """The missing inertial, in the words of the format."""
    return {"usd": "no mass and inertia", "gltf": "no motion with mass and inertia"}.get(link.dialect, "no <inertial>")


def _presence(link: Link, geometry: MeasuredGeometry | None) -> Iterator[Finding]:
    """Findings about what a link states and what it lacks."""
    yield from link.findings
    if link.body is None and link.fixed and link.default is not None:
        return  # its default is not merged without any mass
    if link.body is None and link.has_geometry and {f.code for f in link.findings} <= {"changed-by-compiler"}:
        none = _nothing(link)
        is_unmeasured = geometry is None or any(f.code in UNMEASURED for f in geometry.findings)
        adds = spelling().commands("state it by hand" if is_unmeasured else "'massprops fill' adds it")
        what = f"{none}, although the link has geometry and is not fixed to its parent; {adds}"
        if link.fixed:
            what = f"{none}; a simulator may merge it into its parent, without any mass"
        severity: Severity = "info" if link.fixed else "warning"
        yield Finding("geometry-without-inertial", severity, what)
    elif link.body is None:
        return  # a frame: nothing to say
    elif link.body.properties.mass == 0 and link.has_geometry:
        text = "the mass is 0 kg, and there is geometry: leave the inertial out, or state the mass"
        yield Finding("massless-geometry", "warning", text, 0.0, 0.0)
    elif link.body.properties.mass == 0:
        held = "is fixed to its parent" if link.fixed else "moves by itself"
        text = f"the mass is 0 kg and there is no geometry: it stands for a frame, and {held}; leave the inertial out"
        yield Finding("massless-frame", "info" if link.fixed else "warning", text, 0.0, 0.0)


def _comparison(link: Link, geometry: MeasuredGeometry | None, others: OtherLinks) -> Iterator[Finding]:
    if geometry is not None:
        yield from geometry.findings
    if link.body is None or (stated := link.body.stated) is None:
        return
    reference = reference_of_link(geometry)
    if reference is not None:
        yield from findings_of(stated, reference, others)
        return
    if geometry is not None and (hull := geometry.around()) is not None:
        yield from outside(link.body.properties, hull)
    if stated.mass > 0 and is_placeholder(stated):
        value = float(stated.tensor[0, 0])
        why = "there is no geometry to tell" if geometry is None else "the geometry that would tell is not measured"
        text = f"the inertia is {value!r}\xa0kg\xa0m² about every axis, which looks like a placeholder; {why}"
        yield Finding("placeholder-inertia", "warning", text, value)


def reference_of_link(geometry: MeasuredGeometry | None) -> Reference | None:
    """Reference of a measured geometry; None without one, or where only a part could be measured: a part is not the body."""
    if geometry is None or not geometry.complete or geometry.solid is None:
        return None
    found = geometry.solid
    return found if found.inertia.trace() > 0 else None  # so small that its inertia is no double precision number


def _numbers(link: Link, geometry: MeasuredGeometry | None) -> dict[str, float | str | None]:
    stated = None if link.body is None else link.body.properties
    numbers: dict[str, float | str | None] = {"mass": None if stated is None else stated.mass}
    reference = reference_of_link(geometry)
    if geometry is not None:
        numbers["geometry"] = geometry.which
        numbers["volume"] = None if reference is None else reference.moments.measure
        numbers["doubt"] = "; ".join(geometry.solid.doubts if geometry.solid else ()) or None
    if reference is not None and stated is not None and stated.mass > 0:
        numbers |= {k: v if math.isfinite(v) else None for k, v in compare(stated, reference).to_dict().items()}
    return numbers
