"""`massprops compute`: measure files and print their mass properties."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops.cli import options
from massprops.cli.groups import Text
from massprops.cli.measuring import Measuring, ResultOptions
from massprops.cli.options import Configured, ManyFiles, fails
from massprops.cli.output_format import BodyOutput, ModelOutput, check_no_fewer
from massprops.cli.streams import (
    Results,
    check_not_read,
    configuration_note,
    cores,
    log,
    progress,
    say_error,
    say_findings,
    text_output,
    write_output,
)
from massprops.declarations import OUTPUT, PLANE, argument, check_applicable, flag, option, option_of
from massprops.errors import InvalidInput, MasspropsError, ReadError, as_error, result_or_error
from massprops.fleet.many import Task, for_each, lost_outcome, measure_task, tasks_of
from massprops.formats.kinds import is_planar
from massprops.formats.table import MESHES, PLANAR
from massprops.frames import Pose
from massprops.measurement.options import Options
from massprops.measurement.result import Measurement, Outcome
from massprops.rigid_body.as_json import Products, error_object
from massprops.units import length_unit, parse_density, parse_length, parse_mass
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.checking.config import Config
    from massprops.formats.robot.links import Geometry
    from massprops.rigid_body.line import Line
    from massprops.writers.console import TextOutput
    from massprops.writers.csv_rows import Rows

#: Sizes of a body between it and a point that was probably meant in another unit.
_FAR = 10.0


def _suffixes() -> list[str]:
    return sorted({suffix[1:] for suffix in (*MESHES, *PLANAR)})


def compute(
    *,
    files: list[str] = argument(
        "FILE...", "Meshes (.stl .obj .ply …), plane files (.dxf .svg .csv …), or folders of them; - is standard input."
    ),
    measuring: Measuring,
    configured: Configured,
    output: ModelOutput,
    type: Text = option_of(
        Options, "format", help="Format of the files, if their suffix does not say it: stl.", complete=_suffixes
    ),
    combine: bool = flag(PLANE, "All files are parts of one section."),
    certificate: Text = option(
        OUTPUT,
        "Write what was proved of a mesh, with its integrals as whole numbers, too.",
        metavar="FILE",
        writes=True,
    ),
    result: ResultOptions,
    many: ManyFiles,
) -> int:
    """Measure bodies: volume, area, mass, centre of mass and inertia."""
    folders, files = {f for f in files if Path(f).is_dir()}, _expand(files, many)
    options.check_stdin_once(files)
    of_measuring, of_results, axis = measuring.given(), result.given(), measuring.axis
    flat = [combine or is_planar(f, type) for f in files]
    together = of_results.get("together", False)
    is_joined = combine or together is not False
    bodies = _bodies(files, together, type, combine=combine) if is_joined else [(f, ()) for f in files]
    own = {"axis": axis, "certificate": certificate, "ratios": len(bodies) > 1 and of_measuring.get("ratios")}
    given = {**output.given(), **many.given()} | {name: value for name, value in own.items() if value}
    kind = "stdin" if "-" in files else "section" if flat[0] else "mesh"
    check_applicable(given, format=output.kind, kind=kind, bodies=len(bodies))
    if certificate == "-":
        raise InvalidInput("--certificate needs a file: results are on standard output", hint="name one")
    around = _ReferencePoint(output.about, axis, all(flat), measuring.pose_in_parent or measuring.pose_of_observer)
    build = partial(
        Options,
        **of_results | ({} if certificate is None else {"hash": True}),  # it is of the bytes that were measured
        format=type,
        jobs=1 if len(files) > 1 else None if many.jobs is None else cores(many.jobs),
    )
    config = configured.of_measurements()
    chosen, settings = _options_of(files, flat, config, of_measuring, build)
    named = zip(files, chosen, strict=True)
    tasks = tasks_of(bodies, dict(named)) if is_joined else [Task(*each) for each in named]
    if many.output_table is not None:
        return _write_table({task.path: task for task in tasks}, folders, many, output)
    outcomes = _certify(_outcomes(tasks, around, cores(many.jobs)), certificate, output.output, type)
    on = partial(text_output, output.output, output, config)  # rich is imported by tables alone
    rows = _rows(flat, chosen, output, config, around) if output.is_rows else None
    model = chosen[0] if output.model else None
    writer = _Writer(output, around, rows, 2 if len(tasks) == 1 else None, model, "list_parts" in of_results, on)
    with Results(output.output) as results:
        status = writer.write(_report(outcomes, len(tasks), output.units(config)), results)
        if output.kind == "table" and config is not None and not output.quiet:  # rich is imported for what is shown
            results.write(configuration_note(on(), output, config, settings))
    return status


def _options_of(
    files: list[str], flat: list[bool], config: Config | None, given: dict[str, Any], build: partial[Options]
) -> tuple[list[Options], list[dict[str, Any]]]:
    """The options of each file, and the different settings that the configuration has for them."""
    settings: dict[str, dict[str, Any]] = {}
    built: dict[str, Options] = {}  # many files share one value
    chosen = []
    for f, is_flat in zip(files, flat, strict=True):
        own = options.config_options(config, f, given, is_flat)
        if (key := repr(own)) not in built:
            settings[key], built[key] = own, build(**{**own, **given})
        chosen.append(built[key])
    return chosen, list(settings.values())


def _bodies(files: list[str], together: bool | str, type: Text, *, combine: bool) -> list[tuple[str, tuple[str, ...]]]:
    """The bodies that files are, each with the files that are its pieces, none of a file that is one alone."""
    if combine:
        return [(" + ".join(files), tuple(files))]
    from massprops.measurement.pieces import bodies_of  # imported lazily

    return bodies_of(files, together, type)


def _write_table(every: dict[str, Task], folders: set[str], many: ManyFiles, output: BodyOutput) -> int:
    """The exit code, once each file has a row in the --output-table."""
    from massprops.cli.table import into_table

    for folder in (empty := folders & every.keys()):
        say_error(_no_files_in(folder))
        del every[folder]
    status = into_table([*every.values()], many, output.fail_on) if every else 0
    return options.worst([status, ReadError.exit_code if empty else 0])


def _rows(
    flat: list[bool], chosen: list[Options], output: BodyOutput, config: Config | None, around: _ReferencePoint
) -> Rows:
    """The rows of CSV and Markdown, with the columns that some of the bodies have."""
    # a plane file states no mass; of a mesh, only the result knows whether its mass is known
    bodies = any(o.states_mass or not f for f, o in zip(flat, chosen, strict=True))
    geometry = not all(flat) and not all(o.states_mass for o in chosen)
    return output.rows(
        config,
        bodies=bodies,
        geometry=geometry,
        sections=any(flat),
        torsion=chosen[0].torsion,
        line=around.axis and around.line,
    )


@dataclass(frozen=True)
class _ReferencePoint:
    """The --about, the --axis and the --pose or --frame, as they are written: lengths without a unit are in that of each file."""

    about: str | None
    axis: str | None
    flat: bool
    transform: str | None = None

    def __post_init__(self) -> None:
        options.parse_about(self.about, flat=self.flat)
        options.parse_axis(self.axis)

    def point(self, m: Measurement) -> Any:
        """The point that moments of a measurement are about."""
        point = options.parse_about(self.about, flat=self.flat, unit=m.input.unit)
        if point is not None and m.section is not None:
            from massprops.measurement.section import require_plane  # imported lazily

            require_plane(m, point, None)
        return point

    def line(self, m: Measurement) -> Line | None:
        """The line that a moment of a measurement is about."""
        line = options.parse_axis(self.axis, unit=m.input.unit)
        if line is not None and m.section is not None:
            from massprops.measurement.section import require_plane  # imported lazily

            require_plane(m, None, line)
        return line

    def described(self, m: Measurement, products: Products = "tensor") -> dict[str, object]:
        """The measurement as JSON has it."""
        return m.to_dict(about=self.point(m) or "com", products=products, axis=self.line(m))

    def warn_if_far(self, m: Measurement) -> None:
        """Say that a point or the origin is far from the body, as one is that was meant in another unit."""
        far = []
        if self.about not in (None, "com", "origin"):
            far.append((f"--about {self.about}", self.point(m)))
        if self.transform is not None and not any(c.isalpha() for c in " ".join(self.transform.split()[:3])):
            far.append(("the origin of the frame that was asked for", (0.0, 0.0, 0.0)))
        size = math.dist(*m.bounds)
        for name, point in far:
            nearest = (min(max(x, low), high) for x, low, high in zip(point, *m.bounds, strict=False))
            distance = math.dist(point, [*nearest])
            if size and distance > _FAR * size:
                what = f"{name} is {distance / size:.3g} sizes away from the body"
                log(f"warning: {m.input.path}: {what}; lengths without a unit are in {m.input.unit}")


def _expand(names: list[str], many: ManyFiles) -> list[str]:
    """The files that names, folders and patterns mean."""
    files: list[str] = []
    for name in names:  # a file that is given more than once is measured twice
        if name in ("", "-") or not (Path(name).is_dir() or ({*name} & {*"*?["} and not Path(name).exists())):
            if name and not Path(name).exists() and _is_unit(name):
                raise InvalidInput(f"{name!r} is a unit, and no such file", hint=f"put quotes round it: '7.8 {name}'")
            files.append(name)
            continue
        from massprops.checking.discovery import expand

        found = expand([name], many.include or (), many.exclude or (), geometry=True)
        for path, reason in found.skipped.items():
            log(f"warning: {path}: not measured: {reason}")
        files += found.names
    return files


def _is_unit(word: str) -> bool:
    found = (result_or_error(parse, f"1 {word}") for parse in (parse_density, parse_mass, parse_length))
    return any(not isinstance(each, MasspropsError) for each in found)


def _no_files_in(folder: str) -> ReadError:
    what = f"{folder}: holds no mesh and no plane file"
    return ReadError(what, code="is-a-directory", hint="name another folder or a file, or see --include and --exclude")


def _outcomes(tasks: list[Task], around: _ReferencePoint, jobs: int) -> Iterator[Outcome]:
    """The results of all files, in their order."""
    if jobs == 1 or len(tasks) == 1 or any(task.path == "-" for task in tasks):
        report = progress(tasks[0].path) if len(tasks) == 1 else None
        for task in tasks:
            stdin = sys.stdin.buffer if "-" in (task.files or (task.path,)) else None
            yield _measured(around, task, stdin=stdin, progress=report)
        return
    yield from for_each(partial(_measured, around), tasks, jobs, lost_outcome)


def _measured(around: _ReferencePoint, task: Task, **how: Any) -> Outcome:
    """The outcome of one task; what cannot be printed is this file's failure, not that of all."""
    outcome = measure_task(task, **how)
    try:
        if outcome.path and not task.files and Path(outcome.path).is_dir():
            raise _no_files_in(outcome.path)
        if outcome.measurement is not None:
            around.warn_if_far(outcome.measurement)
            around.described(outcome.measurement)
    except Exception as error:
        return Outcome(outcome.path, None, as_error(error, outcome.path))
    return outcome


def _certify(outcomes: Iterator[Outcome], path: Text, output: Text, format: Text) -> Iterator[Outcome]:
    """The outcomes; with a path, that of one file once its certificate is written, or the error instead, where it has none."""
    for outcome in outcomes:
        if path is not None and outcome.measurement is not None:
            from massprops.measurement.certificate import certificate_of, certificate_text

            try:
                text = certificate_text(certificate_of(outcome.measurement, format))
                check_not_read(path, output)
                write_output(text, path)
            except MasspropsError as error:
                outcome = Outcome(outcome.path, None, error)
        yield outcome


def _report(outcomes: Iterable[Outcome], count: int, output_units: str | None) -> Iterator[Outcome]:
    """The outcomes, with a line on stderr for each that failed."""
    report = progress(files=True)
    for done, outcome in enumerate(outcomes, 1):
        report(count, count)  # the line is cleared before a message or a row
        if outcome.error is not None:
            say_error(outcome.error, output_units)
        yield outcome
        report(done, count)


@dataclass(frozen=True)
class _Writer:
    """How results are written: the format, what moments are about, the rows of CSV and Markdown, the
    indent of JSON, the options of a whole model, whether tables list parts, and their screen.
    """

    output: BodyOutput
    around: _ReferencePoint
    rows: Rows | None
    indent: int | None
    model: Options | None
    lists_parts: bool
    on: Callable[[], TextOutput]

    def write(self, outcomes: Iterator[Outcome], results: Results) -> int:
        """Write the results, those of JSON and rows as they come, also what was done before an interrupt; the exit code."""
        done: list[Outcome] = []
        statuses: list[int] = []
        if self.rows is not None:
            results.write(self.rows.head())
        try:
            for outcome in outcomes:
                m, error = outcome.measurement, outcome.error
                is_bad = m is not None and fails(m.findings, self.output.fail_on)
                statuses.append(int(is_bad) if error is None else error.exit_code)
                if self.output.kind == "json":
                    results.write(json.dumps(self._object(outcome), indent=self.indent, allow_nan=False) + "\n")
                elif self.rows is not None:
                    for each in (*_parts_of(outcome), outcome):
                        text, status = self._row(each, self.rows)
                        results.write(text)
                        statuses.append(status)
                else:
                    done.append(outcome)
        finally:
            text, status = self._as_text(done) if done else ("", 0)
            results.write(text)
        return options.worst([*statuses, status])

    def _object(self, outcome: Outcome) -> dict[str, object]:
        if outcome.error is None:
            return self.around.described(outcome.result(), self.output.products)
        return error_object(outcome.path, outcome.error)

    def _row(self, outcome: Outcome, rows: Rows) -> tuple[str, int]:
        from massprops.measurement.pieces import title_of  # imported lazily

        name, m = self.output.link or title_of(outcome.path), outcome.measurement
        if m is None or m.properties is None:
            return rows.without_mass(name, m, outcome.error.code if outcome.error else ""), 0
        text, status = _in_dialect([(m, name)], self.output)
        (cells,) = rows.cells(rows.converted(text))
        return rows.of(cells, m), status

    def _as_text(self, done: list[Outcome]) -> tuple[str, int]:
        """A table or a document of a dialect, and the exit code that the form adds to those of the files."""
        output = self.output
        measured = [o.measurement for o in done if o.measurement is not None]
        if not output.is_dialect:
            from massprops.writers.measurement import one_body, part_list, several_bodies

            screen, around = self.on(), self.around
            if self.lists_parts:
                for m in measured:  # a list has no findings: those that decide the exit code are said beside it
                    wrong = [f for f in m.findings if fails([f], self.output.fail_on)]
                    say_findings(m.input.path, wrong, units=screen.units(m.input.unit))
                return "\n".join(part_list(m, screen) for m in measured), 0
            if len(done) > 1:
                return several_bodies([(o.path, o.measurement, o.error) for o in done], screen=screen), 0
            shown = (
                one_body(m, about=around.point(m), products=output.products, screen=screen, line=around.line(m))
                for m in measured
            )
            return "".join(shown), 0
        if self.model is not None:
            return _model(measured[0], output, self.model) if measured else ("", 0)
        from massprops.measurement.pieces import title_of  # imported lazily

        names = [title_of(m.input.path) if len(done) > 1 else output.link for m in measured]
        for name in sorted({n for n in names if n is not None and names.count(n) > 1}):
            log(f"warning: {names.count(name)} bodies have the same name {name!r}")
        check_no_fewer(output.output, len(measured))
        return _in_dialect(list(zip(measured, names, strict=True)), output) if measured else ("", 0)


def _parts_of(outcome: Outcome) -> Iterator[Outcome]:
    """The parts where there are several, whose findings are those of the whole."""
    parts = () if outcome.measurement is None else outcome.measurement.parts
    for part in parts if len(parts) > 1 else ():
        yield Outcome(part.label.path or part.label.name, replace(part.measurement, findings=()), None)


def _model(m: Measurement, output: BodyOutput, chosen: Options) -> tuple[str, int]:
    """The whole model of a mesh, which it refers to as seen from the output file."""
    from massprops.formats.bodies.robot_model import check_mesh
    from massprops.formats.robot.links import Geometry, LinkMesh

    path = Path(m.input.path)
    check_mesh(output.kind, str(path), m.input.format, m.input.encoding, m.input.facets)
    if m.input.format == "dae" and chosen.override_units is not None:
        what = "the file states its unit, which simulators use"
        raise InvalidInput(what, argument="override_units", hint="leave it out")
    scale = 1.0 if m.input.format == "dae" else length_unit(m.input.unit)
    folder = Path.cwd() if output.output in (None, "-") else Path(str(output.output)).parent
    uri = Path(os.path.relpath(path, folder)).as_posix()
    geometry = Geometry(
        LinkMesh(uri, (scale, scale, scale)), chosen.in_unit(m.input).transform or Pose.identity(), str(path)
    )
    return _in_dialect([(m, output.link or path.stem)], output, geometry)


def _in_dialect(
    named: list[tuple[Measurement, str | None]], output: BodyOutput, geometry: Geometry | None = None
) -> tuple[str, int]:
    from massprops.cli.rendering import in_dialect
    from massprops.formats.bodies import DIALECTS, NamedBody

    bodies = []
    for m, name in named:
        if m.properties is None:
            what = f"{DIALECTS[output.kind].title} needs a mass, and only the geometry is known"
            hint = "give --density, --material or --mass"
            hint = hint if m.section is None else "give --area-density, or --density with --thickness"
            raise InvalidInput(what, place=m.input.path, hint=hint)
        bodies.append(NamedBody(name, m.properties, m.input.path, m.input.format, m.findings))
    return in_dialect(bodies, output, geometry)
