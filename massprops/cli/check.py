"""`massprops check`: validity of files, for people and for CI.

Tests: `tests/cli/test_check_command.py`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast, get_args

from massprops.checking.rules import FAMILIES, rules
from massprops.checking.settings import CODE, RULES, Settings, parse
from massprops.cli.groups import REFERENCE, DisplayOptions, Group, Text, format_for, output_option
from massprops.cli.measuring import FileOptions
from massprops.cli.options import Configured, RobotFiles, worst
from massprops.cli.streams import (
    check_not_read,
    check_outputs,
    configuration_note,
    cores,
    distinct_marks,
    log,
    progress,
    text_output,
    write_output,
)
from massprops.declarations import LIMITS, OUTPUT, argument, check_applicable, flag, option
from massprops.errors import InvalidInput, MasspropsError, ReadError
from massprops.formats.files import absolute_path
from massprops.formats.saving import cannot_write
from massprops.values import dataclass
from massprops.wording import did_you_mean, nearest, plural

if TYPE_CHECKING:
    from massprops.checking.baseline import Baseline
    from massprops.checking.check_file import Checker
    from massprops.checking.config import Config
    from massprops.checking.discovery import DiscoveredFiles
    from massprops.checking.expected import ExpectedResults
    from massprops.checking.report import Checked, Report
    from massprops.formats.search_path import SearchPath
    from massprops.measurement.result import Measurement

_RECORDED = "Recorded results and findings"
_FILES = "Files"

Format = Literal["table", "json", "junit", "sarif", "github", "gitlab", "markdown"]
_FORMATS = get_args(Format)
_SUFFIXES: dict[str, Format] = {".json": "json", ".sarif": "sarif", ".md": "markdown"}


@dataclass(frozen=True, kw_only=True)
class Limits(Group, of=Settings, panel=LIMITS):
    """Limits and requirements of a subject."""


@dataclass(frozen=True, kw_only=True)
class RuleSelection(Group, of=Settings, panel=RULES):
    """Selection and severities of findings."""


@dataclass(frozen=True, kw_only=True)
class ComparedGeometry(Group, of=Settings, panel=REFERENCE):
    """Geometry of a link that is its reference."""


@dataclass(frozen=True, kw_only=True)
class Selection(Group):
    """Selection of files."""

    include: list[str] | None = option(_FILES, "Patterns of the files taken from folders: '*.stl'.")
    exclude: list[str] | None = option(_FILES, "Patterns of files that are skipped: 'drafts/**'.")
    allow_unmatched: bool = flag(_FILES, "Accept sections of the configuration that match none of the files.")

    def found(self, config: Config, files: list[str] | None, recorded: Recorded, search: SearchPath) -> DiscoveredFiles:
        """The files to check, without those that results and findings are recorded in."""
        from massprops.checking.discovery import expand

        run = config.run
        named = files or [config.path(p) for p in run.paths]
        if not named:
            raise InvalidInput("no file given", hint="name files, or give 'paths' in massprops.toml")
        if "-" in named and len(named) > 1:
            raise InvalidInput("check reads standard input alone", hint="name the other files in a call of their own")
        found = expand(named, self.include or run.include, self.exclude or run.exclude, search=search)
        written = {str(absolute_path(p)) for p in (recorded.expect, recorded.baseline) if p}
        found.names = [n for n in found.names if n in named or str(absolute_path(n)) not in written]
        return found


@dataclass(frozen=True, kw_only=True)
class Recorded(Group):
    """Recorded results and known findings."""

    expect: Text = option(_RECORDED, "Recorded results to compare with.", metavar="FILE")
    rtol: float | None = option(
        _RECORDED, "Relative tolerance of that comparison. [default: 1e-6]", min=0, max=1, synonyms="tolerance tol"
    )
    update: bool = flag(_RECORDED, "Record the results in the file of --expect, and print what changed.")
    baseline: Text = option(_RECORDED, "Known findings: they count only if worse.", metavar="FILE", common=True)
    certificate: Text = option(_RECORDED, "Certificate of the mesh: 'compute --certificate' writes it.", metavar="FILE")
    update_baseline: bool = flag(_RECORDED, "Record the findings in the file of --baseline.")

    def completed(self, config: Config) -> Self:
        """Copy with the configuration's values of the options that the command line leaves out."""
        run = config.run
        full = replace(
            self,
            expect=self.expect or (config.path(run.expect) if run.expect else None),
            rtol=self.rtol if self.rtol is not None else run.rtol,
            baseline=self.baseline or (config.path(run.baseline) if run.baseline else None),
        )
        check_applicable(full.given(), more="update needs expect\nupdate_baseline needs baseline")
        return full

    def expected(self) -> ExpectedResults | None:
        """The recorded results; none in a file that --update will make."""
        from massprops.checking.expected import ExpectedResults
        from massprops.comparison.comparison import RTOL

        if self.expect is None:
            return None
        rtol = RTOL if self.rtol is None else self.rtol
        if self.update and not Path(self.expect).exists():
            return ExpectedResults(self.expect, rtol=rtol)
        _check_exists(self.expect, "--update")
        return ExpectedResults.read(self.expect, rtol)

    def files(self, *, is_written: bool = False) -> dict[str, str]:
        """Files of results and findings by option; those that are written alone, of which nothing is read before."""
        files = ("--expect", self.expect, self.update), ("--baseline", self.baseline, self.update_baseline)
        return {option: path for option, path, written in files if path is not None and (written or not is_written)}

    def record(self, checked: list[Checked], units: str | None) -> None:
        """Write the results of what was checked to the file of --expect, and print what changed; the others in it stay."""
        from massprops.checking.expected import results_text, update_results
        from massprops.measurement.output_units import OutputUnits

        expected = self.expected()
        if expected is not None:
            new = [(c.subject, c.body) for c in checked if c.body is not None]
            results, changes = update_results(expected, new)
            if not results:
                log(f"{expected.path}: not written: there is no result to record")
                return
            # in place: `expected` is the old content of the file
            write_output(results_text(results, expected.path), expected.path, in_place=True)
            for body, line in changes:
                log(OutputUnits.suited(body.unit, body.mass, chosen=units).sentence(line))

    def known(self) -> Baseline | None:
        """The known findings; None without --baseline."""
        from massprops.checking.baseline import Baseline

        if self.baseline is None:
            return None
        _check_exists(self.baseline, "--update-baseline")
        return Baseline.read(self.baseline)

    def without_known(self, checked: list[Checked], baseline: Baseline | None, *, update: bool) -> list[Checked]:
        """Results without the findings that the baseline lists; with `update`, they are written to it first."""
        from massprops.checking.baseline import baseline_text

        path = self.baseline
        if path is not None and update:
            write_output(baseline_text(checked, path), path)
        if baseline is None:
            baseline = self.known()
        if baseline is None:
            return checked
        divided = [baseline.separate_known(c) for c in checked]
        gone = baseline.stale(divided)
        if gone:
            log(f"{path}: {gone} of its findings {'is' if gone == 1 else 'are'} gone; --update-baseline removes them")
        return divided


@dataclass(frozen=True, kw_only=True)
class RuleHelp(Group):
    """Explanations of the rules, instead of a check."""

    list_rules: bool = flag(RULES, "List all findings, one a line.", "--list")
    explained: Text = option(RULES, "Explain a finding: meaning, remedy, example.", "--explain", common=True, **CODE)

    def text(self, output: str | None) -> str | None:
        """Text that was requested; None for a check."""
        if self.explained is not None:
            return finding_page(self.explained, output, "--explain")
        return _rule_list() if self.list_rules else None


@dataclass(frozen=True, kw_only=True)
class Reports(Group):
    """Formats and files of the report of a check."""

    format: list[str] | None = option(
        OUTPUT,
        "table, json, junit, sarif, github, gitlab or markdown; repeatable. [default: by the suffix of --output, else table]",
        "--format",
        "-f",
        metavar="FORMAT[=FILE]",
        complete=lambda: _FORMATS,
        common=True,
    )
    pictures: Text = option(OUTPUT, "Draw each failed file into this folder.", metavar="FOLDER")
    everything: bool = flag(OUTPUT, "Table: also files without findings, and known findings.", "--all")

    def outputs(self, output: str | None) -> dict[str | None, Format]:
        """The format of each output: those of ``FORMAT=FILE``, and one for --output or stdout, which is the table if none is given."""
        found: dict[str | None, Format] = {}
        for text in self.format or [""]:
            word, mark, file = text.partition("=")
            if text and word not in _FORMATS:
                hint = did_you_mean(word, _FORMATS)
                raise InvalidInput(f"unknown format {word!r}", place="--format", hint=hint)
            if mark and not file:
                raise InvalidInput(f"{text!r} names no file", place="--format", hint="for example junit=report.xml")
            target = file or output
            if target in found:
                where = target or "standard output"
                raise InvalidInput(f"two formats for {where}", hint="give all but one of them a file: junit=report.xml")
            found[target] = format_for(cast("Format | None", word or None), target, _SUFFIXES)
        if output is None or output in found:
            return found
        return {output: format_for(None, output, _SUFFIXES), **found}

    def write(
        self, report: Report, outputs: dict[str | None, Format], shown: DisplayOptions, config: Config, *, partial: bool
    ) -> None:
        """The report to every output; an incomplete one to a file beside it."""
        for target, kind in outputs.items():
            text = self._text(report, kind, target, shown, config)
            if text or target is not None:
                write_output(text, f"{target}.partial" if partial and target is not None else target)

    def _text(self, report: Report, kind: Format, target: str | None, shown: DisplayOptions, config: Config) -> str:
        if kind == "json":
            return json.dumps(report.to_dict(), indent=2, allow_nan=False) + "\n"
        if kind != "table":
            from massprops.writers.ci import FORMATS

            return FORMATS[kind](_seen_from(report, target) if kind == "markdown" else report)
        from massprops.writers.check import checked_text

        on = text_output(target, shown, config)
        return checked_text(report, on, everything=self.everything or on.verbose) + configuration_note(
            on, shown, config
        )


def _check_exists(path: str, option: str) -> None:
    if not Path(path).exists():
        raise ReadError(f"{path}: no such file", code="missing-file", hint=f"{option} writes it")


def check(
    *,
    files: list[str] | None = argument(
        "FILE[#LINK]...",
        "Meshes, robots (URDF, SDF, MJCF, glTF), results, or folders of them. [default: 'paths' of the configuration]",
        default=None,
    ),
    limits: Limits,
    measuring: FileOptions,
    rule_selection: RuleSelection,
    selection: Selection,
    configured: Configured,
    recorded: Recorded,
    rule_help: RuleHelp,
    against: Text = option(
        REFERENCE, "Compare all inertials with this mesh, not with their own geometry.", metavar="MESH"
    ),
    geometry: ComparedGeometry,
    packages: RobotFiles,
    reports: Reports,
    shown: DisplayOptions,
    jobs: int = option(None, "Processes. 0 takes all cores.", "--jobs", "-j", default=0, min=0),
    output: Text = output_option(),
) -> int:
    """Check geometry and inertials of files: validity, limits, and comparison with recorded results."""
    if (text := rule_help.text(output)) is not None:
        write_output(text, output)
        return 0
    start = time.monotonic()
    outputs = reports.outputs(output)
    last = _settings(limits, measuring, rule_selection, geometry)
    config = configured.read()
    recorded = recorded.completed(config)
    found = selection.found(config, files, recorded, packages.search(config))
    reported = {f"--format {kind}": target for target, kind in outputs.items() if target not in (None, "-")}
    distinct_marks({**reported, **recorded.files()})
    check_outputs([*map(str, reported.values()), *recorded.files(is_written=True).values()])
    check_applicable({} if recorded.certificate is None else {"certificate": ""}, bodies=len(found.names))
    from massprops.checking.check_file import Checker
    from massprops.checking.report import Report

    expected = None if recorded.update else recorded.expected()
    baseline = None if recorded.update_baseline else recorded.known()
    checker = Checker(
        config,
        last,
        expected,
        against=_measured(config, last, against),
        links=packages.links(config=config),
        certificate=recorded.certificate,
    )
    with packages.reading_stdin(*found.names, recorded.certificate):
        found.names = list(map(packages.name_of, found.names))
        packages.check_files(found.names, **geometry.given())
        checker = checker.knowing(found.names)
        if (scaled := checker.count_scaled()) and not shown.quiet:
            log(f"{plural(scaled, 'mesh states', 'meshes state')} no unit: read as the robots here scale them")
        results, interrupted = _run(checker, found.names, cores(jobs))
    done = len(results)
    results += checker.skipped(found.skipped)
    check_not_read(*outputs, *recorded.files(is_written=True).values())
    checked = recorded.without_known(results, baseline, update=recorded.update_baseline and not interrupted)
    report = Report(tuple(checked), time.monotonic() - start, output_units=shown.units(config))
    if reports.pictures is not None:
        report = replace(report, pictures=_drawn(report, checker, Path(reports.pictures)))
    reports.write(report, outputs, shown, config, partial=interrupted)
    if interrupted:
        log(f"{len({c.subject.path for c in results[:done]})} of {len(found.names)} files were checked")
        raise KeyboardInterrupt
    if recorded.update:
        recorded.record(results, shown.units(config))
    return _finish(report, shown.quiet, None if selection.allow_unmatched else config.unmatched(checked))


def _seen_from(report: Report, target: str | None) -> Report:
    """With the paths of pictures as a file in the folder of `target` has to name them."""
    folder = Path(target or "").parent
    relative = {path: Path(os.path.relpath(picture, folder)).as_posix() for path, picture in report.pictures.items()}
    return replace(report, pictures=relative)


def _drawn(report: Report, checker: Checker, folder: Path) -> dict[str, str]:
    """The pictures of the files that failed, by file; what cannot be drawn has an error in the report."""
    from massprops.writers.picture.plotting import picture_of
    from massprops.writers.picture.scene import Look

    drawn: dict[str, str] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(error, str(folder)) from error
    for path in (path for path, status in report.by_file().items() if status == "failed"):
        options = checker.config.settings(path, None, checker.last).options()
        try:
            picture = picture_of(path, options, Look(), checker.links)
        except MasspropsError:
            continue
        name = re.sub(r"[^\w.+-]+", "_", path.strip("./"))[-150:]
        name = name if folder / f"{name}.{picture.suffix}" not in map(Path, drawn.values()) else f"{name}-{len(drawn)}"
        drawn[path] = (folder / f"{name}.{picture.suffix}").as_posix()
        write_output(picture.data, drawn[path])
    return drawn


def _settings(*groups: Group) -> dict[str, Any]:
    """The options that are settings, parsed: they are stronger than the configuration."""
    given = {name: value for group in groups for name, value in group.given().items()}
    last = {}
    for name, value in given.items():
        word = name.replace("_", "-")
        try:
            last[name] = parse(word, ",".join(value) if isinstance(value, list) else value)
        except InvalidInput as error:
            raise error.at(f"--{word}") from None
    return last


def _measured(config: Config, last: dict[str, Any], against: str | None) -> Measurement | None:
    """The geometry of --against, repaired as that of links; InvalidGeometry if it is refused: nothing can be compared with it."""
    if against is None:
        return None
    from massprops.measurement.pipeline import measure_with

    return measure_with(config.settings(against, None, last).options(repair="full"), against)


def _run(checker: Checker, names: list[str], jobs: int) -> tuple[list[Checked], bool]:
    """Results of the files, and whether an interrupt came before the last one."""
    from massprops.checking.check_file import check_files

    alone = len(names) == 1
    report = progress(files=True)
    found: list[Checked] = []
    try:
        for done, outcomes in enumerate(
            check_files(names, replace(checker, alone=alone, jobs=jobs if alone else 1), jobs), 1
        ):
            found += outcomes
            report(done, len(names))
    except KeyboardInterrupt:
        return found, True
    return found, False


def _finish(report: Report, quiet: bool, unmatched: InvalidInput | None) -> int:
    """The summary, the tracebacks of defects, and the exit code; raises `unmatched`, which is worse than what the files contain."""
    from massprops.writers.check import summary

    for c in report.checked:
        for note in getattr(c.error, "__notes__", ()):
            sys.stderr.write(note)
    if not quiet:
        log(summary(report))
    if unmatched is not None:
        raise unmatched
    codes = [c.error.exit_code if c.error is not None else int(c.status == "failed") for c in report.checked]
    return worst(codes)


def _rule_list() -> str:
    """A line for each finding: whole in a pipe, cut at the width of a terminal."""
    lines = [f"{r.code:<27} {r.short}" for r in rules().values()]
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        from rich.text import Text as Line

        return text_output().draw(*(Line(line, no_wrap=True, overflow="ellipsis") for line in lines))
    return "".join(f"{line}\n" for line in lines)


def finding_page(code: str, output: str | None, place: str = "") -> str:
    """Page about a finding: its meaning, the remedy, and an example."""
    rule = rules().get(code)
    if rule is None:
        near = nearest(code, rules(), 1, 0.7)
        of_error = "the code of an error is explained by its message; 'massprops check --list' has the findings"
        hint = f"did you mean {near[0]}?" if near else of_error
        raise InvalidInput(f"unknown finding {code!r}", place=place, hint=hint)
    from massprops.writers.check import rule_text

    return rule_text(rule, FAMILIES[rule.family], text_output(output))
