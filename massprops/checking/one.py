"""One file, checked: what is in it, what was found about each, and what the user's settings make of that."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from massprops.checking.config import Config
from massprops.checking.golden import Golden, Result
from massprops.checking.result import Checked, Numbers, Subject
from massprops.checking.walk import MARKS, ROBOTS, is_measured
from massprops.dialects.contents import Contents
from massprops.dialects.opening import Address, read_bytes, read_contents, select
from massprops.dialects.results import all_findings, body_dict, objects, read_object
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, ReadError
from massprops.findings import SEVERITIES, Finding
from massprops.measurement import SCHEMA
from massprops.readers.text import decode


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
    jobs : int
        Processes for one large file.
    """

    config: Config = field(default_factory=Config)
    last: Mapping[str, Any] = field(default_factory=dict)
    golden: Golden | None = None
    alone: bool = False
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
        try:
            measurement = self.config.settings(path, None, self.last).plan(self.jobs).measure(address.path)
        except InvalidGeometry as error:
            return self._judged(Subject(path, kind="mesh"), _findings_of(error, address.path), None)
        return self._judged(Subject(path, kind="mesh"), measurement.findings, measurement.to_dict())

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
            found += [f for f in all_findings(body) if f.code not in known]
        return self._judged(subject, found, value)

    def _links(self, address: Address) -> Iterator[Outcome]:
        path = PurePath(address.path).as_posix()
        contents = read_contents(address.path)
        if address.link is not None and address.link not in contents.without:
            contents = Contents([select(contents, address.link, path)])
        elif address.link is not None:
            contents = Contents([], (address.link,))
        for body in contents.bodies:
            subject = Subject(path, body.name, _line(body.place), "link")
            yield self._judged(subject, all_findings(body), body_dict(body))
        for name in contents.without:
            said = Finding("no-inertial", "info", "the link states no inertial")
            yield self._judged(Subject(path, name, kind="link"), [said], None, stated=False)

    def _judged(
        self, subject: Subject, found: Iterable[Finding], result: Result | None, *, stated: bool = True
    ) -> Outcome:
        """With what was agreed and recorded, and as the settings want it; a link that states nothing is held against nothing."""
        settings = self.config.settings(subject.path, subject.place, self.last)
        extra: list[Finding] = []
        if stated:
            extra += settings.expectations.findings(result)
        if stated and self.golden is not None:
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
