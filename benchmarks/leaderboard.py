"""Which links of public robots are impossible, wrong or cannot be judged, and what `fill` would write: a page as Markdown or HTML.

    python benchmarks/leaderboard.py FOLDER [--package-path FOLDER] [-o PAGE.md] [-o PAGE.html]

Every URDF, SDF, MJCF and USD file below the folder is checked as `massprops check` does, and its impossible and wrong links are filled as
`massprops fill --links NAME` does, in memory: nothing is written but the page. Links are *impossible* (no distribution of mass has these
numbers, or none inside the bounds of the geometry), *wrong* (another error), *unanswerable* (unreadable, or without an inertial or a
geometry that can be measured), or have no error. The mass stays as it is stated.
"""

from __future__ import annotations

import argparse
import difflib
import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from massprops.checking.check_file import Checker
from massprops.checking.report import Checked
from massprops.diagnosis.robot_links import LinkOptions
from massprops.errors import MasspropsError
from massprops.filling import fill
from massprops.formats.kinds import ROBOTS
from massprops.formats.robot.usd import is_usd, layers_of_others
from massprops.formats.search_path import SearchPath
from massprops.wording import plural

IMPOSSIBLE = {
    "triangle-inequality",
    "not-positive-definite",
    "pseudo-inertia",
    "non-positive-mass",
    "com-outside-bounds",
}
IMPOSSIBLE |= {"spread-outside-bounds"}
UNANSWERABLE = {"geometry-without-inertial", "missing-mesh", "broken-mesh", "broken-geometry", "unmeasured-geometry"}
KINDS = ("impossible", "wrong", "unanswerable", "no error")
#: Lines of a patch that are shown; the rest is counted.
SHOWN = 24


@dataclass(frozen=True)
class Row:
    """A robot: its links of each kind, the findings, and the patch."""

    name: str
    kinds: dict[str, list[str]]
    findings: list[str]
    patch: list[str]

    def count(self, kind: str) -> int:
        return len(self.kinds[kind])


def kind_of(link: Checked) -> str:
    errors = {f.code for f in link.findings if f.severity == "error"}
    if link.error is None and errors & IMPOSSIBLE:
        return "impossible"
    if link.error is None and errors:
        return "wrong"
    if link.error is not None or {f.code for f in link.findings} & UNANSWERABLE:
        return "unanswerable"
    return "no error"


def row_of(path: Path, folder: Path, options: LinkOptions) -> Row:
    kinds: dict[str, list[str]] = {kind: [] for kind in KINDS}
    findings = []
    for link in Checker(links=options).check(str(path)):
        name = link.subject.place or path.stem
        if link.error is None and not link.findings and "mass" not in link.numbers:
            continue  # a frame
        kinds[kind_of(link)].append(name)
        if link.error is not None:
            findings.append(f"{name}: {link.error.code}")
        worst = [f for f in link.findings if f.severity == "error"] or [
            f for f in link.findings if f.code in UNANSWERABLE
        ]
        findings += [f"{name}: {f.code}: {f.message.replace(str(folder), '.')}" for f in worst]
    return Row(
        path.relative_to(folder).as_posix(),
        kinds,
        findings,
        patch_of(path, folder, kinds["impossible"] + kinds["wrong"], options),
    )


def patch_of(path: Path, folder: Path, links: Sequence[str], options: LinkOptions) -> list[str]:
    """The difference that `fill` would make to the main file; why not, where it cannot be filled at all."""
    if not links:
        return []
    try:
        filled = fill(str(path), links=links, density=1000.0, package_path=options.search.package_path)
    except MasspropsError as error:
        return [f"not filled: {error.message.replace(str(folder), '.')}"]
    if is_usd(str(path)):
        return [f"+{line}" for line in filled.data.decode().splitlines()]
    if str(path) not in filled.files:
        return []
    name = path.relative_to(folder).as_posix()
    before, after = (data.decode(errors="replace").splitlines() for data in (filled.original, filled.files[str(path)]))
    return list(difflib.unified_diff(before, after, name, f"{name} (filled)", lineterm="", n=1))


def rows(folder: Path, options: LinkOptions) -> list[Row]:
    files = sorted(str(p) for p in folder.rglob("*") if p.suffix.lower() in ROBOTS)
    layers = layers_of_others(files)
    found = [row_of(Path(file), folder, options) for file in files if file not in layers]
    return sorted(found, key=lambda r: (-r.count("impossible") - r.count("wrong"), r.name))


def page(found: Sequence[Row]) -> str:
    """Markdown; the details are HTML, which Markdown may hold."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Sequence[Row]) -> Iterator[str]:
    total = {kind: sum(row.count(kind) for row in found) for kind in KINDS}
    yield f"{plural(len(found), 'robot')}, {plural(sum(total.values()), 'link')}: " + ", ".join(
        f"{total[kind]} {kind}" for kind in KINDS
    )
    yield "\n| robot | links | impossible | wrong | unanswerable | no error |\n|---|---:|---:|---:|---:|---:|"
    for row in found:
        yield f"| {_cell(Path(row.name).stem)} | {sum(map(row.count, KINDS))} | {' | '.join(str(row.count(k)) for k in KINDS)} |"
    for row in found:
        if row.findings or row.patch:
            yield f"\n## {_cell(Path(row.name).stem)}\n\n`{_cell(row.name)}`\n"
            yield from (f"- {_cell(text)}" for text in row.findings)
            yield from _patch(row.patch)


def _patch(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        left = f"\n… and {plural(len(lines) - SHOWN, 'more line')}" if len(lines) > SHOWN else ""
        text = html.escape("\n".join(line[:160] for line in lines[:SHOWN]) + left)
        yield f"\n<details><summary>What fill would write</summary>\n<pre>\n{text}\n</pre>\n</details>"


def _cell(text: str) -> str:
    return html.escape(text).replace("|", "\\|")


def as_html(found: Sequence[Row]) -> str:
    body = []
    for line in "\n".join(_lines(found)).replace("\\|", "|").split("\n"):
        if line.startswith("|"):
            cells = "".join(f"<td>{cell.strip()}</td>" for cell in line.strip("|").split("|"))
            body.append("" if "---" in line else f"<tr>{cells}</tr>")
        elif line.startswith("## "):
            body.append(f"<h2>{line[3:]}</h2>")
        elif line.startswith("- "):
            body.append(f"<li>{line[2:]}</li>")
        else:
            body.append(line)
    text = "\n".join(body).replace("<tr>", "<table><tr>", 1)
    last = text.rfind("</tr>") + len("</tr>")
    style = "<style>body{font:14px sans-serif;max-width:70em;margin:auto}td{padding:0 .6em}pre{overflow:auto}</style>"
    return f'<!doctype html><meta charset="utf-8"><title>Robots</title>{style}{text[:last]}</table>{text[last:]}\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--package-path", action="append", default=[])
    parser.add_argument("-o", dest="outputs", action="append", type=Path, default=[])
    given = parser.parse_args()
    found = rows(given.folder, LinkOptions(search=SearchPath(package_path=given.package_path)))
    for output in given.outputs:
        output.write_text(as_html(found) if output.suffix == ".html" else page(found), encoding="utf-8")
    if not given.outputs:
        print(page(found), end="")


if __name__ == "__main__":
    main()
