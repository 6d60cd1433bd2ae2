"""The findings of `check` as a table for people: grouped by file, the worst first, a line for each finding.

Tests: `tests/checking/test_check.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from massprops.checking.report import STATUSES, Checked, Report
from massprops.checking.rules import Rule
from massprops.findings import some_of_each
from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits, number_text
from massprops.measurement.quantities import QUANTITIES, Quantity
from massprops.wording import plural
from massprops.writers.console import NAME, NUMBER, STYLES, TEXT, TextOutput, dim
from massprops.writers.engines import engines_table
from massprops.writers.validation_properties import stored_table

_STATUS = {"ok": "green", "warning": "yellow", "failed": "bold red", "unreadable": "bold red"}


def rule_text(rule: Rule, question: str, screen: TextOutput) -> str:
    """The page of a code: the question that it answers, what it means, what to do, and an example."""
    texts = {"Meaning": rule.why, "Remedy": rule.remedy, "Example": rule.example}
    paragraphs = (Text.assemble((f"\n{title}: ", "bold"), text) for title, text in texts.items())
    return screen.draw(Text(rule.code, style="bold"), Text(f"{rule.short}. {question}"), *paragraphs)


def checked_text(report: Report, screen: TextOutput, *, everything: bool = False) -> str:
    """A report as text: files in which something was found; with `everything` also the others, with their numbers, and what is known."""
    worst = report.by_file()
    order = sorted(worst, key=lambda path: -STATUSES.index(worst[path]))  # stable: within a status, as they were named
    of_file: dict[str, list[Checked]] = {}
    for c in sorted(report.checked, key=lambda c: -STATUSES.index(c.status)):
        of_file.setdefault(c.subject.path, []).append(c)
    if (
        len(of_file) == 1
        and not screen.quiet
        and any(c.subject.kind == "link" and c.subject.place is not None for c in report.checked)
    ):
        ((path, links),) = of_file.items()
        own = (line for c in links for line in _lines(c, everything and bool(c.known), screen))
        lines = [Padding(line, (0, 0, 0, 2)) for line in some_of_each(own, screen.verbose, dim)]
        table = screen.draw(_heading(path, links)) + _links_table(links, screen) + engines_table(links, screen)
        return table + (screen.draw(*lines) if lines else "")
    parts = [part for path in order for part in _file(path, of_file[path], everything, screen)]
    engines = "" if screen.quiet else "".join(engines_table(of_file[path], screen) for path in order)
    return (screen.draw(*parts) if parts else "") + engines + _stored(report, screen, everything)


def _stored(report: Report, screen: TextOutput, everything: bool) -> str:
    """Validation properties of files: of a single one, and of those in which something was found, or of all."""
    if screen.quiet:
        return ""
    return "".join(
        stored_table(c.subject.path, c.stored, _units(c, screen), screen)
        for c in report.checked
        if c.stored and (everything or report.files == 1 or c.findings)
    )


def _heading(path: str, checked: Sequence[Checked]) -> Text:
    status = max((c.status for c in checked), key=STATUSES.index)
    return Text.assemble((plain(path), "bold"), ": ", (status, _STATUS[status]), overflow="fold")


def _file(path: str, checked: Sequence[Checked], everything: bool, screen: TextOutput) -> Iterator[RenderableType]:
    lines = [*some_of_each((line for c in checked for line in _lines(c, everything, screen)), screen.verbose, dim)]
    if not lines and not everything:
        return
    heading = _heading(path, checked)
    if everything and checked[0].subject.place is None:
        heading.append(_numbers(checked[0], screen))
    yield heading
    yield from (Padding(line, (0, 0, 0, 2)) for line in lines)


def _lines(checked: Checked, everything: bool, screen: TextOutput) -> Iterator[tuple[str, Text]]:
    """Lines about a file or a link, each with its code."""
    subject, units = checked.subject, _units(checked, screen)
    place = name = f"{plain(subject.place)}: " if subject.place is not None else ""
    file = "" if subject.included is None else f"{subject.included}:"
    if file:
        place += f"{plain(file)}{subject.line or 1}: "
    for finding in checked.remarks:
        label = (f"{finding.severity} {plain(finding.code)}: ", STYLES[finding.severity])
        text = units.sentence(finding.marked)
        where = name if file and text.startswith(file) else place  # an error has its place
        yield finding.code, Text.assemble(label, where, plain(text))
    if everything:
        known = (
            Text(f"known {plain(f.code)}: {place}{plain(units.sentence(f.marked))}", style="dim") for f in checked.known
        )
        yield from (("", line) for line in known)
        if checked.subject.place is not None and not checked.findings and checked.error is None:
            yield "", Text.assemble(("ok ", _STATUS["ok"]), plain(checked.subject.place), _numbers(checked, screen))


def _units(checked: Checked, screen: TextOutput) -> OutputUnits:
    return checked.units(screen.output_units, screen.digits)


def _numbers(checked: Checked, screen: TextOutput) -> str:
    result = {} if checked.body is None else checked.body.value
    numbers: Mapping[str, Any] = checked.numbers
    units = _units(checked, screen)

    def display(name: str, value: float | str) -> str:
        if isinstance(value, str):
            return value
        if (q := QUANTITIES.get(name)) is None:
            return f"{name}: {value:.6g}"
        return f"{Quantity('', q.dimension, [value], q.errors(result)).numbers(units)[0]} {units.label(q.dimension)}"

    names = ("grade", "mass", "volume", "facets", "bodies")
    return "".join(f", {display(k, v)}" for k in names if (v := numbers.get(k)) is not None)


def summary(report: Report) -> str:
    """One line: ``212 files, 3 failed, 1 unreadable, 14 warnings, 2.1 s``."""
    failed, unreadable = (f"{report.with_status(status)} {status}" for status in ("failed", "unreadable"))
    counts = [plural(report.files, "file"), failed, unreadable, plural(report.with_severity("warning"), "warning")]
    known = sum(len(c.known) for c in report.checked)
    return ", ".join([*counts, *[f"{known} known"] * (known > 0), f"{report.seconds:.1f} s"])


def _links_table(links: Sequence[Checked], screen: TextOutput) -> str:
    """A row for each link, in the order of the file: what its inertial states, how far that is from its geometry; and the total mass."""
    named = [c for c in links if c.subject.place is not None]  # what is found on the file stands below
    ordered = sorted(named, key=lambda c: (c.subject.file, c.subject.line or 0))
    parts = [c for c in ordered if c.subject.kind == "link"]  # and no sums of them
    masses = [float(m) for c in parts if (m := c.numbers.get("mass")) is not None]
    units = screen.units(mass=max(masses, default=None))
    columns: dict[str, Mapping[str, Any]] = {
        "Link": NAME,
        f"Mass [{units.mass}]": NUMBER,
        f"Density [{units.label((1, -3))}]": NUMBER,
        "Centre [%]": NUMBER,
        "Inertia [%]": NUMBER,
        "Verdict": TEXT,
        "Line": NUMBER,
    }

    def mass(value: Any) -> str:
        return units.number(None if value is None else units.of(float(value), (1, 0)))

    def density(value: float | None) -> str:
        return number_text(None if value is None else units.of(value, (1, -3)), digits=4)

    rows: list[list[str | Text]] = [
        [
            plain(c.subject.place or ""),
            mass(c.numbers.get("mass")),
            density(_known(c, "implied_density")),
            number_text(_known(c, "centre_distance", 100.0), digits=2),
            str(c.numbers.get("from") or number_text(_known(c, "tensor_distance", 100.0), digits=2)),
            Text(c.status, style=_STATUS[c.status]),
            str(c.subject.line or "–"),
        ]
        for c in ordered
    ]
    share = Text(_share(len(masses), len(parts)), style="dim")
    rows.append([Text("total", style="bold"), mass(sum(masses)), share, "", "", "", ""])
    note = Text("Centre, inertia: distance from the geometry, % of its size and of the tensor", style="dim")
    return screen.table(columns, rows, wide=72, total=True) + screen.draw(note)


def _share(some: int, every: int) -> str:
    """How many of the links have a mass."""
    return plural(some, "link") if some == every else f"{some} of {plural(every, 'link')}"


def _known(checked: Checked, name: str, factor: float = 1.0) -> float | None:
    value = checked.numbers.get(name)
    return None if value is None else factor * float(value)
