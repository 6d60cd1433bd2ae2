"""One file, checked: what is in it, what was found about each, and what the user's settings make of that."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from massprops.checking.config import Config
from massprops.checking.discovery import MARKS, ROBOTS, is_measured
from massprops.checking.golden import Golden, Result
from massprops.checking.report import Checked, Kind, Numbers, Subject
from massprops.diagnosis.robot_links import LinkFindings, LinkOptions, compared_links
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, ReadError, UnknownFormat
from massprops.findings import SEVERITIES, Finding
from massprops.formats.files import read_bytes
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.inertial.json_results import all_findings, body_dict, objects, read_object
from massprops.formats.inertial.opening import Address, read_contents, select
from massprops.formats.link_names import named_link
from massprops.formats.registry import is_planar
from massprops.formats.text import decode
from massprops.measurement.result import Measurement
from massprops.rigid_body.as_json import SCHEMA

if TYPE_CHECKING:
    from massprops.formats.robot import Link

_NO_INERTIAL = Finding("no-inertial", "info", "the link states no inertial")
_MASSLESS = ("massless-geometry", "massless-frame")


@dataclass(frozen=True)
class Outcome:
    """What was found about a subject, and its numbers as a result of `massprops/1`; None where there are none."""

    checked: Checked
    result: Result | None = None


@dataclass(frozen=True, eq=False)
class Checker:
    """How files are checked: the same for all of them, and sent to other processes as a whole.

    Attributes
    ----------
    config : Config
    last : mapping
        What the command line says, parsed: stronger than the configuration.
    golden : Golden or None
        What results are held against.
    alone : bool
        Whether only one file is checked, for which a golden file with a single result holds whatever its name is.
    against : Measurement or None
        The geometry that inertials are held against, instead of their own.
    links : LinkOptions
        Where the geometry of a robot's links is found.
    jobs : int
        Processes for one large file.
    """

    config: Config = field(default_factory=Config)
    last: Mapping[str, Any] = field(default_factory=dict)
    golden: Golden | None = None
    alone: bool = False
    against: Measurement | None = None
    links: LinkOptions = field(default_factory=LinkOptions)
    jobs: int = 1

    def check(self, name: str) -> list[Outcome]:
        """All that is to be said about ``file`` or ``file#link``, whatever happens to it: other files shall not suffer."""
        subject = Subject(PurePath(name).as_posix())
        try:
            address = Address.parse(name)
            subject = Subject(PurePath(address.path).as_posix(), address.link)
            return list(self._outcomes(address))
        except MasspropsError as error:
            return [Outcome(Checked(subject, error=_naming(error, name)))]
        except OSError as error:  # in the middle of a file: a failing disk, a lost network drive
            lost = ReadError(f"{name}: reading stopped: {error.strerror or error}")
            return [Outcome(Checked(subject, error=lost))]
        except Exception as error:
            defect = MasspropsError(f"{name}: a defect in massprops: {error!r}", hint="please report it")
            defect.add_note(traceback.format_exc())
            return [Outcome(Checked(subject, error=defect))]

    def _outcomes(self, address: Address) -> Iterator[Outcome]:
        suffix = PurePath(address.path).suffix.lower()
        if is_measured(address.path) or suffix not in (*ROBOTS, *MARKS, ".csv", ""):
            yield self._measured(address)
        elif suffix in (".json", ".jsonl"):
            yield from self._results(address)
        else:
            yield from self._links(address)

    def _measured(self, address: Address) -> Outcome:
        path = PurePath(address.path).as_posix()
        if address.link is not None:
            raise InvalidInput(f"{path}: is geometry and has no link {address.link!r}")
        if self.against is not None:
            raise InvalidInput(
                f"{path}: is geometry, and --against is for inertials", hint="compare two bodies with 'massprops diff'"
            )
        kind: Kind = "polygon" if is_planar(address.path) else "mesh"
        try:
            measurement = self.config.settings(path, None, self.last).plan(self.jobs).measure(address.path)
        except InvalidGeometry as error:
            return self._judged(Subject(path, kind=kind), _findings_of(error, address.path), None)
        return self._judged(Subject(path, kind=kind), measurement.findings, measurement.to_dict())

    def _results(self, address: Address) -> Iterator[Outcome]:
        path = PurePath(address.path).as_posix()
        values = list(objects(decode(read_bytes(address.path)), path))
        if not values:
            raise ReadError(f"{path}: holds no JSON object", code="bad-json")
        outcomes = [self._result(v, place, path, several=len(values) > 1) for v, place in values]
        if address.link is not None:
            outcomes = [o for o in outcomes if o.checked.subject.place == address.link]
            if not outcomes:
                raise ReadError(f"{path}: has no result named {address.link!r}", code="no-link")
        yield from outcomes

    def _result(self, value: Any, place: str, path: str, *, several: bool) -> Outcome:
        if not isinstance(value, dict) or value.get("schema") != SCHEMA or not isinstance(value.get("input"), dict):
            raise ReadError(
                f"{place}: is not a {SCHEMA} object", code="not-a-result", hint="make one with --format json"
            )
        name = value.get("name") or value["input"].get("path")
        subject = Subject(path, str(name) if several and name else None, _line(place), "result")
        if "error" in value:
            message = f"{value['error'].get('code')}: {value['error'].get('message')}"
            return self._judged(subject, [Finding("failed-result", "error", message)], None)
        found = [_finding(f) for f in value.get("findings", ())]
        if value.get("mass") is not None and isinstance(value.get("inertia"), dict):
            body = read_object(value, place, path)
            known = {f.code for f in found}
            found += [f for f in all_findings(body) if f.code not in known] + self._against(body)
        return self._judged(subject, found, value)

    def _links(self, address: Address) -> Iterator[Outcome]:
        from massprops.formats.robot import read_robot

        try:
            links = read_robot(address.path, finder=self.links.finder(address.path))
        except (UnknownFormat, ReadError) as error:
            if error.code not in ("unknown-format", "bad-xml"):
                raise
            yield from self._bodies(address)  # no robot: inertials by themselves, a table, a stage of USD
            return
        chosen = links if address.link is None else [named_link(links, address.link, address.path)]
        geometry = self.config.settings(PurePath(address.path).as_posix(), None, self.last).geometry
        if self.against is not None or geometry == "none":
            yield from (self._link(link, address, None) for link in chosen)
        else:
            for compared in compared_links(address.path, chosen, replace(self.links, geometry=geometry)):
                yield self._link(compared.link, address, compared)

    def _link(self, link: Link, address: Address, compared: LinkFindings | None) -> Outcome:
        """A link by itself and, where that was asked for, against its own geometry."""
        subject = Subject(PurePath(address.path).as_posix(), link.name, link.line, "link")
        if link.error is not None:
            return Outcome(Checked(subject, error=link.error))
        found = list(link.findings if compared is None else compared.findings)
        if link.body is None:
            said = [] if compared is not None or link.findings else [_NO_INERTIAL]
            return self._judged(subject, [*found, *said], None, stated=address.link is not None)
        massless = any(f.code in _MASSLESS for f in found)  # a graver word than theirs would be about the same thing
        alone = [f for f in all_findings(link.body) if not (massless and f.code == "non-positive-mass")]
        outcome = self._judged(subject, [*alone, *self._against(link.body), *found], body_dict(link.body))
        numbers = {} if compared is None else {k: v for k, v in compared.numbers.items() if v is not None}
        return replace(outcome, checked=replace(outcome.checked, numbers={**outcome.checked.numbers, **numbers}))

    def _bodies(self, address: Address) -> Iterator[Outcome]:
        """Inertials in files that hold nothing else of a robot."""
        path = PurePath(address.path).as_posix()
        contents = read_contents(address.path)
        bodies = contents.bodies if address.link is None else [select(contents, address.link, path)]
        for body in bodies:
            subject = Subject(path, body.name, _line(body.place), "link")
            yield self._judged(subject, [*all_findings(body), *self._against(body)], body_dict(body))
        for name in contents.without if address.link is None else ():
            yield self._judged(Subject(path, name, kind="link"), [_NO_INERTIAL], None, stated=False)

    def _against(self, body: NamedBody) -> list[Finding]:
        if self.against is None:
            return []
        from massprops.diagnosis.geometry_findings import findings_against

        return findings_against(body.properties, self.against)

    def _judged(
        self, subject: Subject, found: Sequence[Finding], result: Result | None, *, stated: bool = True
    ) -> Outcome:
        """With what was agreed and recorded, and as the settings want it; a link that states nothing is held against nothing."""
        settings = self.config.settings(subject.path, subject.place, self.last)
        findings = settings.judged(found)
        # what is broken already fails for its own reason; that nothing could be compared is only worth a word where it does not
        if stated and (result is not None or not any(f.severity == "error" for f in findings)):
            extra = settings.expectations.findings(result)
            if self.golden is not None:
                extra += self.golden.findings(subject.path, subject.place, result, alone=self.alone)
            findings = settings.judged([*found, *extra])
        return Outcome(Checked(subject, findings, numbers=_numbers(result), fail_on=settings.fails_on), result)


def _naming(error: MasspropsError, name: str) -> MasspropsError:
    """An error about a value that says not which file it is about, with the file."""
    plain = isinstance(error, InvalidInput) and not error.message.startswith(name)
    return error.of(name) if plain and isinstance(error, InvalidInput) else error


def _findings_of(error: InvalidGeometry, path: str) -> tuple[Finding, ...]:
    message = error.message.removeprefix(f"{path}: ")
    return error.findings or (Finding(error.code, "error", message),)


def _finding(value: Any) -> Finding:
    """A finding as JSON spells it."""
    try:
        severity = next(s for s in SEVERITIES if s == value["severity"])
        return Finding(str(value["code"]), severity, str(value["message"]), value.get("value"), value.get("limit"))
    except (KeyError, TypeError, StopIteration) as error:
        raise ReadError(f"a finding of the result is none: {value!r}", code="not-a-result") from error


def _line(place: str) -> int | None:
    found = re.search(r":(\d+)$", place)
    return int(found[1]) if found else None


def _numbers(result: Result | None) -> Numbers:
    if result is None:
        return {}
    source: Any = result.get("input") or {}
    shown = {"grade": result.get("grade"), "mass": result.get("mass"), "volume": result.get("volume")}
    return {
        k: v
        for k, v in {**shown, "facets": source.get("facets"), "bodies": source.get("bodies")}.items()
        if v is not None
    }
