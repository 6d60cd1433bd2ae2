"""What is found when the links of all robots below a folder are held against their own geometry, as a Markdown table.

    python benchmarks/robots.py FOLDER

The table of docs/benchmarks.json is what this prints for the robots that are named there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from massprops.diagnosis.robot_links import ComparedLink, LinkOptions, link_findings

SUFFIXES = (".urdf", ".sdf", ".mjcf")
HEADER = "| robot | link | density [kg/m³] | centre off | inertia off | found |\n|---|---|---:|---:|---:|---|"


def rows(folder: Path) -> Iterator[str]:
    for robot in sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES):
        for checked in link_findings(str(robot), None, LinkOptions()):
            yield row(robot.stem, checked)


def row(robot: str, checked: ComparedLink) -> str:
    numbers = checked.numbers
    shown = (
        "" if (value := numbers.get(name)) is None else form.format(value)
        for name, form in (("implied_density", "{:.0f}"), ("centre_distance", "{:.3f}"), ("tensor_distance", "{:.3f}"))
    )
    found = ", ".join(f"{f.code} ({f.severity})" for f in checked.findings) or "nothing"
    return f"| {robot} | {checked.link.name} | {' | '.join(shown)} | {found} |"


def main(folder: str) -> None:
    print(HEADER)
    for line in rows(Path(folder)):
        print(line)


if __name__ == "__main__":
    from usage import words  # a test imports this file

    main(*words(__doc__))
