"""`massprops check`: validity of files, for people and for CI."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from massprops.cli.groups import (
    OUTPUT,
    REFERENCE,
    AllowOutside,
    ConfigFile,
    Group,
    NoConfig,
    Package,
    Text,
    command,
    option,
)
from massprops.cli.measuring import Coordinates, InvalidSurfaces, Material
from massprops.cli.options import FailOn, LinkGeometry, configuration, format_for, package_path, packages_of, worst
from massprops.cli.output_format import File
from massprops.cli.streams import check_output, cores, deliver, progress, say, screen
from massprops.errors import InvalidInput, ReadError

if TYPE_CHECKING:
    from massprops.checking.check_file import Checker
    from massprops.checking.config import Config
    from massprops.checking.discovery import Found
    from massprops.checking.golden import Golden
    from massprops.checking.report import Checked, Report
    from massprops.measurement.result import Measurement

_AGREED = "Limits and requirements"
_RECORDED = "Recorded results and findings"
_RULES = "Rule selection"
_FILES = "Files"

Format = Literal["table", "json", "junit", "sarif", "github", "gitlab", "markdown"]


@dataclass(frozen=True, kw_only=True)
class Limits(Group):
    """What a subject has to fulfil."""

    mass: Annotated[Text, option(_AGREED, "1.2kg±5%, or 1.1kg..1.3kg.", metavar="MASS±TOL")] = None
    max_mass: Annotated[Text, option(_AGREED, "kg, or with a unit.", metavar="MASS")] = None
    volume: Annotated[Text, option(_AGREED, "28cm3±1%, or 27cm3..29cm3.", metavar="VOLUME±TOL")] = None
    density_range: Annotated[Text, option(_AGREED, "Mass per volume: 2600..2800, kg/m³.", metavar="LOW..HIGH")] = None
    com_box: Annotated[
        Text, option(_AGREED, "A box that contains the centre of mass.", metavar="'X0 Y0 Z0 X1 Y1 Z1'")
    ] = None
    max_size: Annotated[Text, option(_AGREED, "Of the longest side of the bounds.", metavar="LENGTH")] = None
    require: Annotated[list[str] | None, option(_AGREED, "closed, certified, single-body.", metavar="WORD")] = None


@dataclass(frozen=True, kw_only=True)
class RuleSelection(Group):
    """Which findings count."""

    select: Annotated[list[str] | None, option(_RULES, "Only these findings or families.", metavar="CODE")] = None
    ignore: Annotated[list[str] | None, option(_RULES, "Without these.", metavar="CODE")] = None
    severity: Annotated[
        list[str] | None, option(_RULES, "Severity of a finding: error, warning, info.", metavar="CODE=SEVERITY")
    ] = None
    fail_on: Annotated[
        FailOn | None, option(_RULES, "Exit 1 if there is a finding of this severity or worse. [default: error]")
    ] = None


@command
def check(
    limits: Limits,
    material: Material,
    coordinates: Coordinates,
    invalid: InvalidSurfaces,
    selection: RuleSelection,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE[#LINK]...",
            help="Meshes, robots (URDF, SDF, MJCF), results, or folders of them. [default: 'paths' of the configuration]",
        ),
    ] = None,
    include: Annotated[list[str] | None, option(_FILES, "Patterns of the files taken from folders: '*.stl'.")] = None,
    exclude: Annotated[list[str] | None, option(_FILES, "Patterns of files that are skipped: 'drafts/**'.")] = None,
    config: ConfigFile = None,
    no_config: NoConfig = False,
    allow_unmatched: Annotated[
        bool,
        option(_FILES, "Accept sections of the configuration that match none of the files.", "--allow-unmatched"),
    ] = False,
    expect: Annotated[Text, option(_RECORDED, "Recorded results to compare with.", metavar="FILE")] = None,
    rtol: Annotated[
        float | None, option(_RECORDED, "Relative tolerance of that comparison. [default: 1e-6]", min=0, max=1)
    ] = None,
    update: Annotated[
        bool, option(_RECORDED, "Record the results in the file of --expect, and print what changed.", "--update")
    ] = False,
    baseline: Annotated[
        Text, option(_RECORDED, "Known findings: they count only if they get worse.", metavar="FILE")
    ] = None,
    update_baseline: Annotated[
        bool, option(_RECORDED, "Record the findings in the file of --baseline.", "--update-baseline")
    ] = False,
    list_rules: Annotated[bool, option(_RULES, "List all findings and what they mean.", "--list")] = False,
    against: Annotated[
        Text, option(REFERENCE, "Compare all inertials with this mesh, not with their own geometry.", metavar="MESH")
    ] = None,
    geometry: Annotated[
        LinkGeometry | None, option(REFERENCE, "Which of a link's own geometries. [default: auto]")
    ] = None,
    package: Package = None,
    allow_outside: AllowOutside = False,
    format: Annotated[
        Format | None,
        option(OUTPUT, "Output format. [default: by the suffix of --output, else table]", "--format", "-f"),
    ] = None,
    everything: Annotated[
        bool, option(OUTPUT, "Table: also files without findings, and known findings.", "--all")
    ] = False,
    jobs: Annotated[int, option(None, "Processes. 0 takes all cores.", "--jobs", "-j", min=0)] = 0,
    output: File = None,
) -> None:
    """Check files: validity of geometry and inertials, limits, and comparison with recorded results."""
    if list_rules:
        _list_rules(output)
        return
    start = time.monotonic()
    kind = format_for(format, output, _SUFFIXES, "table")
    groups = (limits, material, coordinates, invalid, selection)
    given = {name: value for group in groups for name, value in group.given().items()}
    last = _settings(given if geometry is None else {**given, "geometry": geometry})
    chosen = configuration(config, no_config)
    found, golden_path, baseline_path = _inputs(chosen, files, include, exclude, expect, baseline)
    names = found.names
    _check_updates(update, golden_path, update_baseline, baseline_path)
    check_output(output, [*names, *(p for p in (golden_path, baseline_path, against) if p)])
    checker = _checker(
        chosen, last, None if update else _golden(chosen, golden_path, rtol), against, package, allow_outside
    )
    results, interrupted = _run(checker, names, cores(jobs))
    done = len(results)
    results += checker.skipped(found.skipped)
    checked = _known(results, baseline_path, update_baseline and not interrupted)
    from massprops.checking.report import Report

    report = Report(tuple(checked), time.monotonic() - start)
    text = _render(report, kind, everything, output)
    if text or output is not None:
        deliver(text, f"{output}.partial" if interrupted and output is not None else output)
    if interrupted:
        say(f"{len({c.subject.path for c in results[:done]})} of {len(names)} files were checked")
        raise KeyboardInterrupt
    if update and golden_path is not None:
        _record(results, _golden(chosen, golden_path, rtol, must_exist=False), golden_path)
    _finish(report, None if allow_unmatched else chosen.unmatched(checked))


_SUFFIXES: dict[str, Format] = {".json": "json", ".sarif": "sarif", ".md": "markdown"}


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """The options that are settings, parsed: they are stronger than the configuration."""
    from massprops.checking.settings import parse

    if {"density", "material"} <= given.keys():
        raise InvalidInput("--density and --material are mutually exclusive", hint="give one of them")
    last = {}
    for name, value in given.items():
        word = name.replace("_", "-")
        try:
            last[name] = parse(word, ",".join(value) if isinstance(value, list) else value)
        except InvalidInput as error:
            raise error.at(f"--{word}") from None
    return last


def _inputs(
    config: Config,
    files: list[str] | None,
    include: list[str] | None,
    exclude: list[str] | None,
    expect: str | None,
    baseline: str | None,
) -> tuple[Found, str | None, str | None]:
    """The files to check, those of the results and of the baseline; what the command line leaves out is the configuration's."""
    from massprops.checking.discovery import expand

    run = config.run
    named = files or [config.path(p) for p in run.paths]
    if not named:
        raise InvalidInput("no file given", hint="name files, or give 'paths' in massprops.toml")
    if "-" in named:
        raise InvalidInput("check reads files, not standard input", hint="name a file")
    found = expand(named, include or run.include, exclude or run.exclude)
    golden = expect or (config.path(run.expect) if run.expect else None)
    known = baseline or (config.path(run.baseline) if run.baseline else None)
    written = {str(Path(p).resolve()) for p in (golden, known) if p}
    found.names = [n for n in found.names if n in named or str(Path(n).resolve()) not in written]
    return found, golden, known


def _check_updates(update: bool, golden: str | None, update_baseline: bool, baseline: str | None) -> None:
    for flag, given, writing, path in (
        ("--update", update, "--expect", golden),
        ("--update-baseline", update_baseline, "--baseline", baseline),
    ):
        if given and path is None:
            raise InvalidInput(f"{flag} needs a file to write", hint=f"give {writing} FILE")


def _golden(config: Config, path: str | None, rtol: float | None, *, must_exist: bool = True) -> Golden | None:
    from massprops.checking.golden import RTOL, Golden

    if path is None:
        return None
    chosen = rtol if rtol is not None else config.run.rtol if config.run.rtol is not None else RTOL
    if not must_exist and not Path(path).exists():
        return Golden(path, rtol=chosen)
    _check_exists(path, "--update")
    return Golden.read(path, chosen)


def _check_exists(path: str, option: str) -> None:
    if not Path(path).exists():
        raise ReadError(f"{path}: no such file", code="missing-file", hint=f"{option} writes it")


def _checker(
    config: Config,
    last: dict[str, Any],
    golden: Golden | None,
    against: str | None,
    package: list[str] | None,
    allow_outside: bool,
) -> Checker:
    from massprops.checking.check_file import Checker
    from massprops.diagnosis.robot_links import LinkOptions

    links = LinkOptions(packages=packages_of(config, package), package_path=package_path(), allow_outside=allow_outside)
    return Checker(config, last, golden, against=_measured(config, last, against), links=links)


def _measured(config: Config, last: dict[str, Any], against: str | None) -> Measurement | None:
    """The geometry of --against; an open one as it is, with its doubt stated, since a rough comparison is better than none."""
    if against is None:
        return None
    settings = config.settings(against, None, last)
    if settings.on_open == "error":
        settings = replace(settings, on_open="integrate")
    from massprops.measurement.pipeline import measure_with

    return measure_with(settings.options(), against)


def _run(checker: Checker, names: list[str], jobs: int) -> tuple[list[Checked], bool]:
    """What was found about every file, and whether an interrupt came before the last one."""
    from massprops.checking.check_files import check_files

    alone = len(names) == 1
    report = None if alone else progress("", files=True)
    found: list[Checked] = []
    try:
        for done, outcomes in enumerate(
            check_files(names, replace(checker, alone=alone, jobs=jobs if alone else 1), jobs), 1
        ):
            found += outcomes
            if report is not None:
                report(done, len(names))
    except KeyboardInterrupt:
        return found, True
    return found, False


def _known(checked: list[Checked], path: str | None, update: bool) -> list[Checked]:
    """What was found, without what the baseline lists; or that written to the baseline, all of it known from now on."""
    from massprops.checking.baseline import Baseline, written

    if path is None:
        return checked
    if update:
        deliver(written(checked, path), path)
    _check_exists(path, "--update-baseline")
    baseline = Baseline.read(path)
    divided = [baseline.divided(c) for c in checked]
    gone = baseline.stale(divided)
    if gone:
        say(f"{path}: {gone} of its findings {'is' if gone == 1 else 'are'} gone; --update-baseline removes them")
    return divided


def _record(checked: list[Checked], golden: Golden | None, path: str) -> None:
    """Write the results of what was checked to the golden file, and print what changed; the others in it stay."""
    from massprops.checking.golden import updated, written

    if golden is None:
        return
    new = [(c.subject, c.result) for c in checked if c.result is not None]
    results, changes = updated(golden, new)
    for line in changes:
        say(line)
    deliver(written(results, path), path)


def _render(report: Report, format: Format, everything: bool, output: str | None) -> str:
    if format == "json":
        return json.dumps(report.to_dict(), indent=2, allow_nan=False) + "\n"
    if format != "table":
        from massprops.report.ci import FORMATS

        return FORMATS[format](report)
    from massprops.report.check import checked_text

    return checked_text(report, screen(output), everything=everything)


def _finish(report: Report, unmatched: InvalidInput | None) -> None:
    """The summary, the tracebacks of defects, and the exit code; raises `unmatched`, which is worse than what the files contain."""
    from massprops.report.check import summary

    for c in report.checked:
        for note in getattr(c.error, "__notes__", ()):
            sys.stderr.write(note)
    say(summary(report))
    if unmatched is not None:
        raise unmatched
    codes = [c.error.exit_code if c.error is not None else int(c.status == "failed") for c in report.checked]
    raise typer.Exit(worst(codes))


def _list_rules(output: str | None) -> None:
    from massprops.checking.rules import FAMILIES, rules

    lines = []
    for family, question in FAMILIES.items():
        lines.append(f"{family}: {question}")
        lines += [f"  {r.code}: {r.short}. {r.long}" for r in rules().values() if r.family == family]
    deliver("\n".join(lines) + "\n", output)
