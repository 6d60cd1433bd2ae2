"""A report as one HTML document: it opens offline, reads without JavaScript, and runs no script but its own.

All foreign texts (names of files and links, messages) pass through `text`; the scenes are JSON in which no character can end their
element; a content security policy allows the one script and the one style sheet by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import platform
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import PurePath

import numpy as np

from massprops._version import __version__
from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits, rounded
from massprops.measurement.result import Measurement
from massprops.measurement.short_table import Quantity
from massprops.report.page.entries import Entry
from massprops.report.page.scene import GROUPS, Scene, place_of
from massprops.report.picture.scene import shortened
from massprops.report.quantities import in_words
from massprops.report.verification import METHODS, counted, grade_in_words, verified, volume_errors
from massprops.wording import plural

_SI = OutputUnits("m", "kg", "rad")
#: Characters of a file's name in the title.
_TITLE = 30
_HELP = (
    "Drag to turn, drag with Shift to move, wheel or pinch to zoom. With the keyboard: arrows, + and −, 0 for the first view. "
    "The links in the table of findings go to their places."
)

_OF_LINKS = (
    "Verified of each link: the mass is positive and the inertia is that of a possible body; where its geometry can be measured, "
    "mass, centre and inertia agree with it."
)


def document(entries: Sequence[Entry], command: str) -> str:
    """The page.

    Parameters
    ----------
    entries : sequence of Entry
        The inputs, in this order.
    command : str
        The command line that made it.
    """
    sources = (files(__package__).joinpath(name).read_text("utf-8") for name in ("page.css", "viewer.js"))
    style, script = ("\n".join(map(str.strip, source.splitlines())) for source in sources)
    policy = (
        f"default-src 'none'; script-src '{_hash_of(script)}'; style-src '{_hash_of(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    first, others = PurePath(entries[0].path).name, plural(len(entries) - 1, "other")
    title = shortened(first, _TITLE) + (f" and {others}" if len(entries) > 1 else "")
    body = [
        "<header><h1>Mass properties</h1>",
        f"<p>{text(entries[0].path if len(entries) == 1 else title)}</p></header>",
        "<main>",
        *_overview(entries),
        *(line for number, entry in enumerate(entries, 1) for line in _section(number, entry)),
        *_provenance(entries, command),
        "</main>",
        f"<footer><p>massprops {__version__}, numpy {np.__version__}, Python {platform.python_version()}</p></footer>",
    ]
    if any(entry.scene is not None for entry in entries):
        body.append(f"<script>{script}</script>")
    head = [
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{text(title)}: mass properties</title>",
        f"<style>{style}</style>",
    ]
    return "\n".join(
        ["<!DOCTYPE html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", *body, "</body>", "</html>", ""]
    )


def text(foreign: str) -> str:
    """A text of a file as HTML, in an element or in the quotes of an attribute."""
    return escape(plain(foreign))


def _hash_of(source: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}"


def _table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    foot: Sequence[str] = (),
    kind: str = "",
    of: int = 0,
) -> list[str]:
    """A table, `of` an input; its first column names its rows; cells are HTML, those that begin with ``=`` numbers."""
    label = f"{caption}, input {of}" if of else caption
    lines = [f'<section class="scroll" tabindex="0" aria-label="{label}">']
    lines += [f'<table class="{kind}">' if kind else "<table>", f"<caption>{caption}</caption>"]
    lines += ["<thead><tr>" + "".join(f'<th scope="col">{title}</th>' for title in head) + "</tr></thead>", "<tbody>"]
    lines += [_row(row) for row in rows]
    lines.append("</tbody>")
    if foot:
        lines.append(f"<tfoot>{_row(foot)}</tfoot>")
    return [*lines, "</table></section>"]


def _row(cells: Sequence[str]) -> str:
    rest = (f'<td class="number">{c[1:]}</td>' if c.startswith("=") else f"<td>{c}</td>" for c in cells[1:])
    return f'<tr><th scope="row">{cells[0]}</th>{"".join(rest)}</tr>'


def _overview(entries: Sequence[Entry]) -> list[str]:
    units = entries[0].units
    masses = [entry.mass for entry in entries]
    known = [m for m in masses if m is not None]
    rows = [
        (
            f'<a href="#input-{n}">{text(e.path)}</a>',
            e.kind,
            text(e.verdict),
            f"={next((q.numbers(units)[0] for q in e.quantities if q.name == 'Mass'), '–')}",
            _counted(e),
        )
        for n, e in enumerate(entries, 1)
    ]
    missing = f" ({len(masses) - len(known)} without a mass)" if len(known) < len(masses) else ""
    total = (f"Total{missing}", "", "", f"={units.number(units.of(sum(known), (1, 0)))}", "")
    head = ("Input", "Kind", "Verdict", f"Mass [{units.mass}]", "Findings")
    return _table("Inputs", head, rows, total if len(known) > 1 else ())


def _counted(entry: Entry) -> str:
    severities = [f.severity for _, f in entry.findings]
    counts = ((severities.count(s), s) for s in ("error", "warning"))
    words = [f'<span class="{s}">{plural(n, s)}</span>' for n, s in counts if n]
    if entry.error is not None and "error" not in severities:
        words.insert(0, f'<span class="error">{text(entry.error.code)}</span>')
    return ", ".join(words) or "none"


def _section(number: int, entry: Entry) -> Iterator[str]:
    yield f'<section id="input-{number}" aria-label="Input {number}: {text(entry.path)}">'
    yield f"<h2>{text(entry.path)}</h2>"
    if entry.error is not None:
        yield f'<p class="error"><strong>{text(entry.error.code)}</strong>: {text(str(entry.error))}</p>'
    if entry.measurement is not None:
        yield _verified(entry.measurement)
    if entry.links:
        yield f"<p>{_OF_LINKS}</p>"
    for note in entry.notes:
        yield f"<p>{text(note)}</p>"
    if entry.scene is not None:
        yield from _figure(number, entry, entry.scene)
    elif isinstance(entry.picture, str):
        yield f"<figure>{entry.picture}</figure>"
    yield from _findings(number, entry)
    if entry.links:
        yield from _links(number, entry)
    if entry.quantities:
        caption = "Total of all links with mass" if entry.kind == "robot" else "Numbers"
        head = ("Quantity", "Value", "±", "Unit", "SI value", "SI unit")
        yield from _table(caption, head, (row for q in entry.quantities for row in _rows(q, entry.units)), of=number)
        yield f'<p class="note">{_conventions(entry)}</p>'
    if entry.measurement is not None:
        yield from _sources(number, entry.measurement, entry.units)
    yield "</section>"


def _conventions(entry: Entry) -> str:
    if entry.kind == "section":
        return "Ixx = ∫y², Iyy = ∫x², Ixy = +∫xy; axes of the file."
    return "Inertia tensors have the products Ixy = −∫ρxy; axes of the file. Principal moments ascend."


def _rows(q: Quantity, units: OutputUnits) -> Iterator[tuple[str, ...]]:
    title = q.name.strip()
    for i, ((name, number), value) in enumerate(zip(q.entries(units), q.values, strict=True)):
        yield (
            f"{title[:1].upper()}{title[1:]} {name}".rstrip(),
            f"={number}",
            f"={q.errors(units, i).removeprefix('± ')}",
            units.label(q.dimension),
            f"={value + 0.0:.9g}",
            _SI.label(q.dimension),
        )


def _verified(m: Measurement) -> str:
    facts = (
        (
            "Measured",
            f"{METHODS[m.method]} of {counted(m)}, read in {m.input.unit}, {m.input.encoding} {m.input.format}",
        ),
        ("Grade", f"{m.grade}: {grade_in_words(m)}"),
        ("Verified", verified(m) or "nothing"),
    )
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{text(words)}</dd>" for name, words in facts) + "</dl>"


def _sources(number: int, m: Measurement, units: OutputUnits) -> list[str]:
    lines: list[str] = []
    label = units.label((0, 3))
    if m.section is None and (errors := volume_errors(m)):
        rows = [(text(name), f"={rounded(units.of(volume, (0, 3)), digits=2)}") for name, volume in errors]
        lines += _table("What the ± of the volume is made of", ("Source", f"± [{label}]"), rows, of=number)
    if m.repairs:
        head = ("Step", "Count", f"± [{label}]", "Where [m]")
        steps = [
            (
                text(r.step),
                f"={r.count}",
                f"={rounded(units.of(r.bound, (0, 3)), digits=2)}",
                "–" if r.where is None else ", ".join(f"{x:.4g}" for x in r.where),
            )
            for r in m.repairs
        ]
        lines += _table("Repairs", head, steps, of=number)
    return lines


def _findings(number: int, entry: Entry) -> Iterator[str]:
    if not entry.findings:
        yield "<p>Findings: none.</p>"
        return
    rows = []
    for i, (link, f) in enumerate(entry.findings, 1):
        place, where = place_of(f), text(str(f.where or ""))
        if place is not None:
            where = in_words(place, entry.units)
        shown = entry.places.get(link) if place is None else place
        if shown is not None and entry.scene is not None:
            at = ",".join(f"{x:.5g}" for x in entry.scene.at(shown).tolist())
            where = (
                f'<a href="#view-{number}" data-view="view-{number}" data-at="[{at}]">show {where or text(link)}</a>'
            )
        kind = f'<span class="{f.severity}">{f.severity}</span>'
        rows.append((str(i), kind, text(f.code), text(link) or "–", text(f.message), where or "–"))
    head = ("Number", "Severity", "Code", "Link", "Message", "Place")
    yield from _table("Findings", head, rows, kind="findings", of=number)


def _links(number: int, entry: Entry) -> list[str]:
    units = entry.units
    mass, length, inertia = units.label((1, 0)), units.label((0, 1)), units.label((1, 2))
    rows = []
    for link in entry.links:
        cells = [text(link.name), text(link.verdict)]
        if link.body is None:
            cells += ["=–"] * 3
        else:
            cells.append(f"={units.number(units.of(link.body.mass, (1, 0)))}")
            cells += [
                "=" + "\n".join(units.number(units.of(x, dimension)) for x in values)
                for values, dimension in (
                    (link.body.com.tolist(), (0, 1)),
                    (link.body.principal().moments.tolist(), (1, 2)),
                )
            ]
        volume = "–" if link.volume is None else units.number(units.of(link.volume, (0, 3)))
        rows.append((*cells, f"={volume}", text(link.which) or "–"))
    total = sum(link.body.mass for link in entry.links if link.body is not None)
    foot = ("Total", "", f"={units.number(units.of(total, (1, 0)))}", "", "", "", "")
    head = (
        *("Link", "Verdict", f"Mass [{mass}]", f"Centre of mass x, y, z [{length}]"),
        *(f"Principal moments [{inertia}]", f"Volume of its geometry [{units.label((0, 3))}]", "Geometry"),
    )
    return _table("Links, each in its own frame", head, rows, foot, of=number)


def _figure(number: int, entry: Entry, scene: Scene) -> Iterator[str]:
    name = f"view-{number}"
    yield f'<figure id="{name}" data-scene="scene-{number}">'
    yield '<div class="controls"><fieldset><legend>Show</legend>'
    for group in scene.groups:
        title, shown = GROUPS[group]
        yield f'<label><input type="checkbox" data-group="{group}"{" checked" if shown else ""}> {title}</label>'
    yield "</fieldset>"
    if scene.links:
        yield f"<details><summary>{plural(len(scene.links), 'link')}</summary><fieldset><legend>Links</legend>"
        yield from (
            f'<label><input type="checkbox" data-group="{scene.group(link)}" checked> {text(link)}</label>'
            for link in scene.links
        )
        yield "</fieldset></details>"
    yield '<label>Section plane <select class="cut"><option value="-1">none</option>'
    yield "".join(f'<option value="{i}">across {axis}</option>' for i, axis in enumerate("xyz")) + "</select></label>"
    yield (
        '<label>at <input class="cut" type="range" min="-1" max="1" step="0.01" value="0" disabled '
        'aria-label="Place of the section plane"></label>'
    )
    yield "".join(f'<button type="button" data-view="{v}">{v}</button>' for v in ("iso", "front", "top", "right"))
    label = f"Interactive view of {text(entry.path)}"
    yield f'</div><div class="stage"><canvas tabindex="0" role="img" aria-label="{label}"></canvas>'
    yield '<div class="labels" aria-hidden="true"></div><div class="bar" aria-hidden="true"></div></div>'
    if isinstance(entry.picture, bytes):
        data = base64.b64encode(entry.picture).decode()
        drawn = "its links where the joints place them" if entry.links else "its surface, axes and defects"
        alt = f"{text(entry.path)}, {text(entry.verdict)}: {drawn}"
        yield f'<img src="data:image/png;base64,{data}" alt="{alt}">'
    yield f'<figcaption><span class="help">{_HELP}</span><span class="note"></span></figcaption>'
    yield f'</figure><script type="application/json" id="scene-{number}">{scene.to_json(entry.units)}</script>'


def _provenance(entries: Sequence[Entry], command: str) -> Iterator[str]:
    yield '<section aria-labelledby="made"><h2 id="made">How this report was made</h2>'
    yield f"<p>Command: <code>{text(command)}</code></p>"
    inputs = {i.path: i for entry in entries for i in entry.inputs}
    rows = [(text(i.path), f"<code>{i.sha256}</code>" if i.sha256 else "not readable") for i in inputs.values()]
    yield from _table("Files that were read", ("File", "SHA-256"), rows)
    yield "</section>"
