"""Checks of files: the bodies in each, the findings on each body, and their severities under the user's settings.

Tests: `tests/checking/test_check.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from massprops import errors
from massprops.checking.config import Config
from massprops.checking.discovery import MEASURED
from massprops.checking.expected import ExpectedResults, how_measured
from massprops.checking.report import Checked, Subject, SubjectKind
from massprops.diagnosis.geometry_comparison import by_itself, findings_against, volume_findings
from massprops.diagnosis.robot_links import ComparedLink, LinkOptions, link_findings
from massprops.findings import Finding
from massprops.formats.address import Address, Place
from massprops.formats.bodies.json_results import Body, body_dict, read_results
from massprops.formats.bodies.opening import contents_at
from massprops.formats.files import absolute_path, recorded_results
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.kinds import kind_of
from massprops.formats.robot.opening import nothing_checked
from massprops.measurement.pipeline import measure_with
from massprops.measurement.result import Measurement

_NO_INERTIAL = Finding("no-inertial", "info", "the link states no inertial")
#: Settings that are for the meshes beside a plane file, which is checked as a sheet without a mass.
_OF_MESHES = ("verify", "density", "material")
_MASSLESS = ("massless-geometry", "massless-frame")


@dataclass(frozen=True, eq=False)
class Checker:
    """Settings for the check of all files, sent to other processes as a whole.

    Attributes
    ----------
    config : Config
    last : mapping
        Settings of the command line, parsed; they take precedence over the configuration.
    expected : ExpectedResults or None
        Recorded results, which new ones are compared with.
    alone : bool
        Whether only one file is checked: a single recorded result is then taken for it, whatever its name.
    against : Measurement or None
        The geometry that inertials are compared with, instead of their own.
    links : LinkOptions
        Where the geometry of a robot's links is found.
    jobs : int
        Processes for one large file.
    certificate : str or None
        File with the certificate of the mesh that is checked.
    mesh_units : mapping of str to str
        Units of meshes that state none, and that robots among the files name, by absolute path.
    """

    config: Config = field(default_factory=Config)
    last: Mapping[str, Any] = field(default_factory=dict)
    expected: ExpectedResults | None = None
    alone: bool = False
    against: Measurement | None = None
    links: LinkOptions = field(default_factory=LinkOptions)
    jobs: int = 1
    certificate: str | None = None
    mesh_units: Mapping[str, str] = field(default_factory=dict)

    def knowing(self, names: Sequence[str]) -> Checker:
        """Copy with the units of the meshes among these files by the robots that name them."""
        from massprops.checking.mesh_units import units_by_robots

        return replace(self, mesh_units=units_by_robots(names, self.links.search))

    def count_scaled(self) -> int:
        """Number of the meshes that robots scale from another unit than m, and no setting states the unit of."""
        found = (self.config.settings(path, None, self.last) for path, u in self.mesh_units.items() if u != "m")
        return sum({"units", "override_units"}.isdisjoint(settings.measuring) for settings in found)

    @np.errstate(over="ignore", invalid="ignore")  # of numbers near the largest: what is not finite is judged as such
    def check(self, name: str) -> list[Checked]:
        """Results of ``file`` or ``file#link``; an error is part of them, so that the other files are checked too."""
        subject = Subject(PurePath(name).as_posix())
        try:
            address = Address.parse(name)
            path = PurePath(address.path).as_posix()
            subject = Subject(path, address.link)
            if not (found := list(self._check_all(path, address.link))):
                raise nothing_checked(path)
            return found
        except Exception as error:
            return [Checked(subject, error=errors.as_error(error, name))]

    def skipped(self, files: Mapping[str, str]) -> list[Checked]:
        """The results for files that are passed over, from the reason for each."""
        why = ((path, Finding("skipped-file", "warning", f"not checked: {reason}")) for path, reason in files.items())
        return [self._judge(Subject(path), [finding], None, stated=False) for path, finding in why]

    def _check_all(self, path: str, link: str | None) -> Iterator[Checked]:
        if Path(path).is_dir():
            what = f"{path}: holds no file to check"
            raise errors.ReadError(what, code="nothing-checked", hint=errors.Remedy("", see=("include", "exclude")))
        kind = kind_of(path)
        if "engine" in self.last and (kind in (*MEASURED, "results") or path.lower().endswith(".csv")):
            raise errors.InvalidInput(f"{path}: not a robot, and {errors.spelling().subject('engine')} is for robots")
        if self.certificate is not None and kind != "mesh":
            raise errors.InvalidInput(f"{path}: not a mesh, and {errors.spelling().subject('certificate')} is of one")
        if kind in (*MEASURED, "assembly", "unknown"):
            yield self._check_geometry(path, link, MEASURED.get(kind, "mesh"))
        elif kind == "results":
            stored = read_results(path, name=link)
            several = len(stored) > 1 or link is not None
            numbers = _distinguishing([r.title for r in stored])
            yield from (self._check_result(r, n, several=several) for r, n in zip(stored, numbers, strict=True))
        else:
            yield from self._check_links(path, link)

    def _check_geometry(self, path: str, link: str | None, kind: SubjectKind) -> Checked:
        if link is not None:
            raise errors.InvalidInput(f"{path}: geometry, which has no link {link!r}")
        if self.against is not None:
            what = f"{path}: geometry, and {errors.spelling().subject('against')} is for inertials"
            raise errors.InvalidInput(what, hint="compare two bodies with 'massprops diff'")
        settings = self.config.settings(path, None, self.last)
        if kind == "polygon":
            settings = replace(settings, measuring={k: v for k, v in settings.measuring.items() if k not in _OF_MESHES})
        # the file itself is judged, as a CI job guards an export: a repair hides a defect only if it was asked for
        options = settings.options(self.jobs, repair="none")
        subject = Subject(path, kind=kind)
        recorded = self.expected.record(subject, alone=self.alone) if self.expected is not None else None
        if recorded is not None:
            options = replace(options, **how_measured(recorded, options))
        if options.units is None and options.override_units is None and self.mesh_units:
            options = replace(options, units=self.mesh_units.get(str(absolute_path(path))))
        certificate: dict[str, object] = {}
        if self.certificate is not None:
            from massprops.measurement.certificate import compare, read_certificate

            certificate = read_certificate(self.certificate)
            options = replace(options, hash=True)  # it is of the bytes that are measured
        try:
            measurement = measure_with(options, path)
        except errors.InvalidGeometry as error:
            refused = error.findings or [Finding(error.code, "error", error.text)]
            return replace(self._judge(subject, refused, None), unit=error.unit)
        found = [*measurement.findings]
        if self.certificate is not None:
            found += compare(measurement, certificate, self.certificate, options.format)
        return self._judge(subject, found, Body(measurement.to_dict(), path, path))

    def _check_result(self, stored: Body, number: int, *, several: bool) -> Checked:
        title, line = stored.title if several else None, Place.of(stored.place).line
        subject = Subject(stored.path, title, line, "result", number=number)
        if stored.error is not None:
            return self._judge(subject, [Finding("failed-result", "error", stored.error)], None)
        if not stored.has_inertia:
            return self._judge(subject, stored.findings, stored)
        return self._check_body(subject, stored.named(), stored.findings, stored)

    def _check_links(self, path: str, link: str | None) -> Iterator[Checked]:
        settings = self.config.settings(path, None, self.last)
        geometry = "none" if self.against is not None else settings.geometry
        try:
            own = {k: v for k, v in settings.measuring.items() if k in ("repair", "max_uncertainty")}
            options = replace(self.links, geometry=geometry, engines=settings.engine, **own)
            links = list(link_findings(path, link, options))
        except (errors.UnknownFormat, errors.ReadError) as error:
            if error.code not in ("unknown-format", "bad-xml"):
                raise
            yield from self._check_bodies(path, link)  # no robot: inertials by themselves, a table, a stage of USD
            return
        for found in links:
            yield replace(self.judge_link(path, found, stated=link is not None), engines=found.engines)
        if settings.given and links and link is None and all(found.link.body is None for found in links):
            yield self._judge(Subject(path), [], None)  # nothing was compared with the requirement, so it is not met

    def judge_link(self, path: str, compared: ComparedLink, *, stated: bool = False) -> Checked:
        """A link by itself and compared with its own geometry."""
        link, found = compared.link, compared.findings
        file = PurePath(link.file).as_posix()
        subject = Subject(path, link.name, link.line, "link", None if file == path else file)
        if link.error is not None:
            return Checked(subject, error=link.error)
        if link.body is None:
            # numbers: it was compared with its geometry, and a frame without an inertial is no omission
            said = found if compared.numbers or found else [_NO_INERTIAL]
            return self._judge(subject, said, None, stated=stated)
        checked = self._check_body(subject, link.body, found, volume=compared.volume)
        numbers = {k: v for k, v in compared.numbers.items() if v is not None}
        return replace(checked, numbers={**checked.numbers, **numbers})

    def _check_bodies(self, path: str, link: str | None) -> Iterator[Checked]:
        """Inertials in files that hold nothing else of a robot."""
        from massprops.formats.bodies.mass_table import without_sums  # imported lazily
        from massprops.measurement.combining import table_of

        contents = contents_at(path, link)
        parts = without_sums(contents)
        adding = {*map(id, parts.bodies)}
        names = [b.name or (_row(b) if contents.bodies[1:] else None) for b in contents.bodies]
        for body, name, number in zip(contents.bodies, names, _distinguishing(names), strict=True):
            kind: SubjectKind = "link" if id(body) in adding else "result"  # links add up
            yield self._check_body(Subject(path, name, Place.of(body.place).line, kind, number=number), body)
        found = parts.notes
        if link is None and (parts.limits or any(body.budget for body in parts.bodies)):
            found = table_of(parts).findings
        if found and contents.bodies:  # else nothing is checked
            yield self._judge(Subject(path), found, None, stated=False)
        for name, error in contents.failed:
            yield Checked(Subject(path, name, kind="link"), error=error)
        for name in contents.without:
            yield self._judge(Subject(path, name, kind="link"), [_NO_INERTIAL], None, stated=False)

    def _check_body(
        self,
        subject: Subject,
        body: NamedBody,
        found: Sequence[Finding] = (),
        result: Body | None = None,
        volume: float | None = None,
    ) -> Checked:
        """An inertial: its physics, the geometry of --against, and what was found before, of a geometry of this `volume`, m³."""
        against = [] if self.against is None else findings_against(body.properties, self.against)
        if self.against is not None:
            volume = self.against.volume
            against += volume_findings(body.volume, volume or 0.0)
        physics = by_itself(body, [*against, *found], volume)
        if {f.code for f in found} & set(_MASSLESS):  # they say more about the same mass
            physics = [f for f in physics if f.code != "non-positive-mass"]
        result = result or Body(body_dict(body), subject.address, subject.path)
        return self._judge(subject, [*physics, *against, *found], result)

    def _judge(self, subject: Subject, found: Sequence[Finding], body: Body | None, *, stated: bool = True) -> Checked:
        """Findings under the settings, with those of limits and recorded results; a link without an inertial is compared with nothing."""
        settings = self.config.settings(subject.path, subject.place, self.last)
        extra = settings.findings(body) if stated else []
        if stated and self.expected is not None:
            extra += self.expected.findings(subject, body, alone=self.alone)
        # what is broken fails for its own reason; only where a baseline knows that is it worth saying that nothing was compared
        broken = body is None and any(f.severity == "error" for f in settings.judge(found))
        findings, withheld = (found, extra) if broken else ([*found, *extra], [])
        return Checked(
            subject,
            settings.judge(findings),
            withheld=settings.judge(withheld),
            numbers=_numbers(body),
            fail_on=settings.fail_on,
            body=body,
        )


def _row(body: NamedBody) -> str | None:
    """The place of a body in its file, in words."""
    place = Place.of(body.place)
    return place.node or (None if place.line is None else f"line {place.line}")


def _distinguishing(names: Sequence[str | None]) -> Iterator[int]:
    """A number for each of some names, such that no two have one key: 1 for the first of equal names."""
    seen, taken = Counter[str | None](), {*names}
    for name in names:
        seen[name] += 1
        while seen[name] > 1 and f"{name} ({seen[name]})" in taken:
            seen[name] += 1
        yield seen[name]


#: Bytes below which one process is done before a second has started.
WORTHWHILE = 2_000_000


def check_files(names: Sequence[str], checker: Checker, jobs: int) -> Iterator[list[Checked]]:
    """Results of every file, in their order, each as soon as it and the files before it are done.

    Parameters
    ----------
    names : sequence of str
        Files, or ``file#link``.
    checker : Checker
        Settings of the check.
    jobs : int
        Processes; the result does not depend on it.
    """
    if jobs == 1 or len(names) == 1 or sum(map(_size, names)) < WORTHWHILE:
        return map(checker.check, names)
    return recorded_results(checker.check, names, jobs, _lost)


def _lost(name: str, error: errors.ReadError) -> list[Checked]:
    return [Checked(Subject(PurePath(name).as_posix()), error=error.at(name))]


def _size(name: str) -> int:
    try:
        return Path(Address.parse(name).path).stat().st_size
    except (OSError, ValueError):  # reported when the file is read
        return 0


def _numbers(body: Body | None) -> dict[str, Any]:
    """Numbers of a body for display."""
    known = {} if body is None else {**body.input, **body.value}
    return {
        name: known[name] for name in ("grade", "mass", "volume", "facets", "bodies") if known.get(name) is not None
    }
