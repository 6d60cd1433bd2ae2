"""`massprops check`: what is wrong with files, for people and for CI."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from massprops.cli.options import WORST, FailOn, Nested, OnInverted, OnOpen, OnOverlap, Output, Verify
from massprops.cli.streams import check_output, cores, deliver, progress, say, screen
from massprops.errors import InvalidInput, ReadError

if TYPE_CHECKING:
    from massprops.checking.check_file import Checker
    from massprops.checking.config import Config
    from massprops.checking.discovery import Found
    from massprops.checking.golden import Golden
    from massprops.checking.report import Checked, Report
    from massprops.measurement.result import Measurement

_AGREED = "What was agreed"
_RECORDED = "What was recorded"
_FOUND = "What counts"
_WHICH = "Which files"
_MEASURED = "How files are measured"
_ROBOTS = "What inertials are held against"


class Geometry(StrEnum):
    """Which geometry of a link its inertial is held against."""

    auto = "auto"
    visual = "visual"
    collision = "collision"
    none = "none"


class ReportFormat(StrEnum):
    """How a report is printed."""

    table = "table"
    json = "json"
    junit = "junit"
    sarif = "sarif"
    github = "github"
    gitlab = "gitlab"
    markdown = "markdown"


def _option(panel: str, help: str, metavar: str | None = None, *names: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(*names, metavar=metavar, help=help, rich_help_panel=panel)
    return option


_MASS = "MASS±TOL"


def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE[#LINK]...",
            help="Meshes, robots (URDF, SDF, MJCF), results, or folders of them. [default: 'paths' of the configuration]",
        ),
    ] = None,
    include: Annotated[list[str] | None, _option(_WHICH, "Patterns of the files taken from folders: '*.stl'.")] = None,
    exclude: Annotated[list[str] | None, _option(_WHICH, "Patterns of those that are not: 'drafts/**'.")] = None,
    config: Annotated[
        str | None,
        _option(_WHICH, "Configuration. [default: the nearest massprops.toml or pyproject.toml]", "FILE"),
    ] = None,
    allow_unmatched: Annotated[
        bool,
        _option(
            _WHICH, "Accept sections of the configuration that match none of the files.", None, "--allow-unmatched"
        ),
    ] = False,
    no_config: Annotated[bool, _option(_WHICH, "Look for no configuration.", None, "--no-config")] = False,
    mass: Annotated[str | None, _option(_AGREED, "1.2kg±5%, or 1.1kg..1.3kg.", _MASS)] = None,
    max_mass: Annotated[str | None, _option(_AGREED, "kg, or with a unit.", "MASS")] = None,
    volume: Annotated[str | None, _option(_AGREED, "28cm3±1%, or 27cm3..29cm3.", "VOLUME±TOL")] = None,
    density_range: Annotated[
        str | None, _option(_AGREED, "Of mass per volume: 2600..2800, kg/m³.", "LOW..HIGH")
    ] = None,
    com_box: Annotated[
        str | None, _option(_AGREED, "A box that the centre of mass lies in.", "'X0 Y0 Z0 X1 Y1 Z1'")
    ] = None,
    max_size: Annotated[str | None, _option(_AGREED, "Of the longest side of the bounds.", "LENGTH")] = None,
    require: Annotated[list[str] | None, _option(_AGREED, "closed, certified, single-body.", "WORD")] = None,
    expect: Annotated[
        str | None, _option(_RECORDED, "Results that were recorded: new ones may not differ.", "FILE")
    ] = None,
    rtol: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="By how much they may, relative. [default: 1e-6]", rich_help_panel=_RECORDED),
    ] = None,
    update: Annotated[
        bool, _option(_RECORDED, "Record the results in the file of --expect, and say what changed.", None, "--update")
    ] = False,
    baseline: Annotated[
        str | None, _option(_RECORDED, "Known findings, which do not count unless they get worse.", "FILE")
    ] = None,
    update_baseline: Annotated[
        bool, _option(_RECORDED, "Write what is found to the file of --baseline.", None, "--update-baseline")
    ] = False,
    select: Annotated[list[str] | None, _option(_FOUND, "Only these findings or families count.", "CODE")] = None,
    ignore: Annotated[list[str] | None, _option(_FOUND, "These do not.", "CODE")] = None,
    severity: Annotated[
        list[str] | None, _option(_FOUND, "error, warning or info, for a finding.", "CODE=SEVERITY")
    ] = None,
    fail_on: Annotated[
        FailOn | None, _option(_FOUND, "Exit with 1 if there is one of this severity or worse. [default: error]")
    ] = None,
    list_rules: Annotated[bool, _option(_FOUND, "List all findings and what they mean.", None, "--list")] = False,
    units: Annotated[str | None, _option(_MEASURED, "Length unit of the coordinates.", "UNIT")] = None,
    density: Annotated[str | None, _option(_MEASURED, "kg/m³, or with a unit: what meshes are made of.")] = None,
    material: Annotated[str | None, _option(_MEASURED, "A name from 'massprops materials'.")] = None,
    chord_tolerance: Annotated[str | None, _option(_MEASURED, "How far facets may be off.", "LENGTH")] = None,
    verify: Annotated[Verify | None, _option(_MEASURED, "What has to hold: see compute. [default: xray]")] = None,
    on_open: Annotated[OnOpen | None, _option(_MEASURED, "See compute. [default: error]")] = None,
    on_inverted: Annotated[OnInverted | None, _option(_MEASURED, "See compute. [default: error]")] = None,
    on_overlap: Annotated[OnOverlap | None, _option(_MEASURED, "See compute. [default: error]")] = None,
    nested: Annotated[Nested | None, _option(_MEASURED, "See compute. [default: ask]")] = None,
    against: Annotated[
        str | None, _option(_ROBOTS, "Hold all inertials against this mesh, not their own geometry.", "MESH")
    ] = None,
    geometry: Annotated[Geometry | None, _option(_ROBOTS, "Which of a link's own geometries. [default: auto]")] = None,
    package: Annotated[
        list[str] | None,
        _option(_ROBOTS, "Where package://NAME is; also looked for in ROS_PACKAGE_PATH.", "NAME=FOLDER"),
    ] = None,
    allow_outside: Annotated[
        bool,
        _option(_ROBOTS, "Read meshes and includes outside the robot's folder and packages.", None, "--allow-outside"),
    ] = False,
    format: Annotated[
        ReportFormat, typer.Option("--format", "-f", help="How the report is printed.")
    ] = ReportFormat.table,
    everything: Annotated[
        bool, typer.Option("--all", help="Table: show files without findings too, and what is known.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Processes. 0 takes all cores.")] = 0,
    output: Output = None,
) -> None:
    """Check files: what compute would refuse, what was agreed, what was recorded."""
    if list_rules:
        _list_rules(output)
        return
    given = dict(locals())  # by name: those that are settings are the configuration's words too
    start = time.monotonic()
    chosen, last = _settings(config, no_config, given)
    found, golden_path, baseline_path = _inputs(chosen, files, include, exclude, expect, baseline)
    names = found.names
    _check_updates(update, golden_path, update_baseline, baseline_path)
    check_output(output, [*names, *(p for p in (golden_path, baseline_path, against) if p)])
    checker = _checker(
        chosen, last, None if update else _golden(chosen, golden_path, rtol), against, package or [], allow_outside
    )
    results = [*_run(checker, names, cores(jobs)), *checker.skipped(found.skipped)]
    checked = _known(results, baseline_path, update_baseline)
    from massprops.checking.report import Report

    report = Report(tuple(checked), time.monotonic() - start)
    text = _render(report, format, everything, output)
    if text or output is not None:
        deliver(text, output)
    if update and golden_path is not None:
        _record(results, _golden(chosen, golden_path, rtol, must_exist=False), golden_path)
    _finish(report, None if allow_unmatched else chosen.unmatched(checked))


def _settings(config: str | None, no_config: bool, given: dict[str, Any]) -> tuple[Config, dict[str, Any]]:
    """The configuration, and what the command line says in its words."""
    from massprops.checking.config import Config
    from massprops.checking.settings import Settings, parse

    if config is not None and no_config:
        raise InvalidInput("--config and --no-config are given together", hint="give one of them")
    last = {}
    for key in (f.name for f in fields(Settings)):
        value = given.get(key)
        if value in (None, []):
            continue
        word = key.replace("_", "-")
        try:
            last[key] = parse(word, ",".join(value) if isinstance(value, list | tuple) else value)
        except InvalidInput as error:
            raise error.of(f"--{word}") from None
    if {"density", "material"} <= last.keys():
        raise InvalidInput("--density and --material are given together", hint="give one of them")
    if config is not None:
        return Config.read(Path(config)), last
    return Config() if no_config else Config.find(Path.cwd()), last


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
        raise InvalidInput("no file is named", hint="name files, or give 'paths' in massprops.toml")
    if "-" in named:
        raise InvalidInput("check reads files, not standard input", hint="name a file")
    found = expand(named, include or run.include, exclude or run.exclude)
    golden = expect or (config.path(run.expect) if run.expect else None)
    known = baseline or (config.path(run.baseline) if run.baseline else None)
    written = {str(Path(p).resolve()) for p in (golden, known) if p}
    found.names = [n for n in found.names if n in named or str(Path(n).resolve()) not in written]
    return found, golden, known


def _check_updates(update: bool, golden: str | None, update_baseline: bool, baseline: str | None) -> None:
    for flag, wanted, option, path in (
        ("--update", update, "--expect", golden),
        ("--update-baseline", update_baseline, "--baseline", baseline),
    ):
        if wanted and path is None:
            raise InvalidInput(f"{flag} needs a file to write", hint=f"give {option} FILE")


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
    package: list[str],
    allow_outside: bool,
) -> Checker:
    from massprops.checking.check_file import Checker
    from massprops.cli.ros_packages import package_path, parse_packages
    from massprops.diagnosis.robot_links import LinkOptions

    configured = {name: config.path(folder) for name, folder in config.run.packages.items()}
    packages = {**configured, **parse_packages(package)}
    links = LinkOptions(packages=packages, package_path=package_path(), allow_outside=allow_outside)
    return Checker(config, last, golden, against=_measured(config, last, against), links=links)


def _measured(config: Config, last: dict[str, Any], against: str | None) -> Measurement | None:
    """The geometry of --against; an open one as it is, with its doubt stated, since a rough comparison is better than none."""
    if against is None:
        return None
    settings = config.settings(against, None, last)
    if settings.on_open == "error":
        settings = replace(settings, on_open="integrate")
    return settings.plan().measure(against)


def _run(checker: Checker, names: list[str], jobs: int) -> list[Checked]:
    from massprops.checking.check_files import check_files

    alone = len(names) == 1
    checker = replace(checker, alone=alone, jobs=jobs if alone else 1)
    return check_files(names, checker, jobs, progress(names[0] if alone else f"{len(names)} files"))


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
    """Write the results of what was checked to the golden file, and say what changed; the others in it stay."""
    from massprops.checking.golden import updated, written

    if golden is None:
        return
    new = [(c.subject, c.result) for c in checked if c.result is not None]
    results, told = updated(golden, new)
    for line in told:
        say(line)
    deliver(written(results, path), path)


def _render(report: Report, format: ReportFormat, everything: bool, output: str | None) -> str:
    if format is ReportFormat.json:
        return json.dumps(report.to_dict(), indent=2, allow_nan=False) + "\n"
    if format is not ReportFormat.table:
        from massprops.report.ci import FORMATS

        return FORMATS[format.value](report)
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
    raise typer.Exit(max(codes, key=WORST.index, default=0))


def _list_rules(output: str | None) -> None:
    from massprops.checking.rules import FAMILIES, rules

    lines = []
    for family, question in FAMILIES.items():
        lines.append(f"{family}: {question}")
        lines += [f"  {r.code}: {r.short}. {r.long}" for r in rules().values() if r.family == family]
    deliver("\n".join(lines) + "\n", output)
