"""A report as one HTML document: it opens offline, reads without JavaScript, and runs no script but its own.

``page.html`` is a template. All texts that it prints pass through `plain` and are escaped; the scenes are JSON in which no
character can end their element; a content security policy allows the one script and the one style sheet by their hashes.

Tests of this room: `tests/writers/test_page.py`.
"""

from __future__ import annotations

import base64
import hashlib
import platform
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePath
from typing import Any, Unpack

import numpy as np
from markupsafe import Markup

from massprops._version import __version__
from massprops.declarations import public
from massprops.diagnosis.robot_links import LinkOptions
from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.formats.inertial.inertial import digits_of
from massprops.formats.saving import Text
from massprops.formats.search_path import SearchPath
from massprops.frames import GltfUp
from massprops.measurement.arguments import MeasureOptions
from massprops.measurement.gltf_axes import require_robots
from massprops.measurement.options import Options
from massprops.measurement.output_units import OutputUnits, number_text
from massprops.measurement.sources import check_measured, each, naming, raise_missing
from massprops.units import Quantity
from massprops.wording import plural
from massprops.writers.page.entries import Entry, PageOptions, entry_of
from massprops.writers.page.viewer import LAYERS
from massprops.writers.picture.part import place_of
from massprops.writers.picture.scene import DARK, LIGHT, shorten
from massprops.writers.template import fill_template, read_text
from massprops.writers.verification import METHODS, checks_text, grade_in_words, size_text, volume_errors

#: Characters of a file's name in the title.
_TITLE = 30
#: Findings of a code that are not folded.
_EACH = 3


class ReportPage(Text):
    """HTML text of a report; a notebook shows the page, and `save` writes it."""

    suffixes = (".html", ".htm")

    def _repr_html_(self) -> str:
        """The page in a frame of its own."""
        return f'<iframe srcdoc="{escape(self)}" width="100%" height="800"></iframe>'


@public(lambda: MeasureOptions, Options)
def report(
    *sources: Any,
    joints: Mapping[str, Quantity] | None = None,
    output_units: str | None = None,
    digits: int | None = None,
    packages: Mapping[str, str] | None = None,
    gltf_up: GltfUp | None = None,
    **options: Unpack[MeasureOptions],
) -> ReportPage:
    """Report on parts, robots and sections as one HTML page that opens offline, as `massprops report` writes it.

    Parameters
    ----------
    sources : path, Measurement or object
        Meshes, plane files and robots; what was measured, with the options that it was measured with; what `massprops.measure` takes;
        also lists and iterators of these.
    joints : mapping of str to float or str, optional
        Of robots, values by name of joint.
    output_units, digits : str, int, optional
        Units of the numbers, ``"mm,g"``, and significant digits.
    packages : mapping, optional
        Folders of ``package://`` names.
    gltf_up : {"y", "z"}, optional
        The axis that is up in glTF meshes of robots; by default what inertials and collision shapes say, else y.
    **options
        Those of `massprops.measure`, for meshes and sections.

    Returns
    -------
    ReportPage
        A text with `save`. Files that cannot be read or measured are on it with the reason: that is not raised.

    Raises
    ------
    InvalidInput
        If no source is given, or an argument breaks a rule.
    ReadError
        If there is no such file, or that of a measurement has changed.
    """
    given = each(sources)
    if not given:
        raise InvalidInput("no file given", argument="sources")
    OutputUnits().chosen(output_units)
    digits = digits_of(digits)
    links = LinkOptions(search=SearchPath(packages=packages or {}, gltf_up=gltf_up))
    entries = []
    with naming(given, options | {"hash": True}) as found:
        require_robots([name for name, _, _ in found], links.search)
        check_measured(options, [name for name, _, _ in found])
        for name, chosen, known in found:
            page = PageOptions(
                options={name: chosen}, links=links, joints=joints or {}, units=output_units, digits=digits
            )
            entries.append(entry_of(name, page, known))
            raise_missing(name, entries[-1].error)
    return ReportPage(document(entries, f"massprops.report({', '.join(repr(s.name) for s in found)})"))


def document(entries: Sequence[Entry], command: str) -> str:
    """The page.

    Parameters
    ----------
    entries : sequence of Entry
        The inputs, in this order.
    command : str
        The command line that made it.
    """
    style, script = (re.sub(r"(?m)^\s+|\s*//.*$", "", read_text(name)) for name in ("page/page.css", "page/viewer.js"))
    if any(isinstance(entry.picture, str) for entry in entries):
        style += f"@media screen and (prefers-color-scheme: dark) {{{''.join(_dark_drawing())}}}"
    first, others = PurePath(entries[0].path).name, plural(len(entries) - 1, "other")
    return fill_template(
        "page/page.html",
        **_KNOWN,
        entries=entries,
        command=command,
        style=style,
        script=script,
        title=shorten(first, _TITLE) + (f" and {others}" if len(entries) > 1 else ""),
        files={path: sha256 for entry in entries for path, sha256 in entry.inputs.items()},
        versions=f"massprops {__version__}, numpy {np.__version__}, Python {platform.python_version()}",
    )


def _dark_drawing() -> Iterator[str]:
    """Rules that give a section, drawn in light colours, the dark ones."""
    for name, colour in LIGHT.items():
        light, dark = ("#{:02x}{:02x}{:02x}".format(*c) for c in (colour, DARK[name]))
        yield from (f'figure svg [{paint}="{light}"] {{ {paint}: {dark}; }}' for paint in ("fill", "stroke"))


def _hash_of(source: str) -> str:
    return f"sha256-{_base64(hashlib.sha256(source.encode()).digest())}"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _mass_of(entry: Entry, units: OutputUnits) -> str:
    return next((q.numbers(units)[0] for q in entry.quantities() if q.name == "Mass"), "–")


def _capital(words: str) -> str:
    """The words with a capital letter in front."""
    return words.strip()[:1].upper() + words.strip()[1:]


def _counts_of(entry: Entry) -> Iterator[tuple[str, str]]:
    """Errors and warnings: the severity, and how many."""
    severities = [f.severity for _, f in entry.findings]
    if entry.error is not None and "error" not in severities:
        yield "error", entry.error.code
    yield from ((s, plural(n, s)) for s in ("error", "warning") if (n := severities.count(s)))


@dataclass(frozen=True)
class PlacedFinding:
    """A finding with its number, its link, its place in words and in the scene, and whether it is one of more than three of its code."""

    number: int
    link: str
    finding: Finding
    where: str
    at: str
    more: bool


def _place_findings(entry: Entry) -> Iterator[PlacedFinding]:
    """The findings but for what the remedy of the error says."""
    seen: Counter[str] = Counter()
    for number, (link, f) in enumerate(entry.findings, 1):
        if entry.error is not None and f.code == "repairable":
            continue
        place = place_of(f)
        said = f.where if isinstance(f.where, str) else ""  # the message of a section has its points
        where = said if place is None else entry.units.point(place)
        shown = entry.places.get(link) if place is None else place
        if place is not None and entry.pose is not None:
            shown = entry.pose.apply(place)
        at = [] if shown is None or entry.scene is None else entry.scene.at(shown).tolist()
        seen[f.code] += 1
        yield PlacedFinding(number, link, f, where, ",".join(f"{x:.5g}" for x in at), seen[f.code] > _EACH)


#: Functions that the template calls, by their names without the underscore, and constants.
_FUNCTIONS = (
    _hash_of,
    _base64,
    _capital,
    _mass_of,
    _counts_of,
    _place_findings,
    size_text,
    grade_in_words,
    plural,
    number_text,
)
_KNOWN: dict[str, Any] = {f.__name__.lstrip("_"): f for f in (*_FUNCTIONS, checks_text, volume_errors)}
_KNOWN |= {"markup": Markup, "line_end": Markup("\n"), "layers": LAYERS, "methods": METHODS}
_KNOWN |= {"si": OutputUnits("m", "kg", "rad")}
