"""Robots in installed Python packages: how many are read, compared without errors, and filled, as a Markdown table by package.

    python benchmarks/packages.py FOLDER [MOST]

FOLDER is that of ``pip install --target FOLDER mani_skill metaworld robosuite dm_control myosuite example-robot-data``. Of each package
at most MOST robots are taken, evenly by name [default: 12]; parts of MJCF models are none. A link with an error of `check` is counted
once. Filled are the links whose mesh exists, with 1000 kg/m³.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import massprops
from massprops.checking.discovery import expand
from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.errors import MasspropsError

HEADER = """| package | robots | read | links compared | with errors | links to fill | filled | refused for |
|---|---:|---:|---:|---:|---:|---:|---|"""
_WITHOUT = ("missing-file", "outside-file", "no-geometry", "missing-extra", "unread-include")


def robots(folder: Path, most: int) -> list[str]:
    found = expand([str(folder)], include=["*.urdf", "*.sdf"]).names + expand([str(folder)], exclude=["*.[!x]*"]).names
    names = sorted(name for name in {*found} if Path(name).is_file())
    return names[:: max(1, -(-len(names) // most))]


def count(path: str, counts: Counter[str], why: Counter[str]) -> None:
    counts["robots"] += 1
    try:
        links = list(link_findings(path, None, LinkOptions()))
    except MasspropsError:
        return
    counts["read"] += not any(x.link.error for x in links)
    compared = [x for x in links if x.volume is not None and x.link.body is not None]
    counts["compared"] += len(compared)
    counts["wrong"] += sum(any(f.severity == "error" for f in x.findings) for x in compared)
    try:
        filled = massprops.fill(path, density=1000, links="all", mass_from="density").links
    except MasspropsError:
        return
    for link in filled:
        code = "" if link.error is None else link.error.code
        if code not in _WITHOUT:
            counts["to fill"] += 1
            counts["filled"] += not code
            why[code] += bool(code)


def main(folder: str, most: str = "12") -> None:
    print(HEADER)
    for package in sorted(p for p in Path(folder).iterdir() if p.is_dir() and not p.name.endswith(".dist-info")):
        counts, why = Counter[str](), Counter[str]()
        for path in robots(package, int(most)):
            count(path, counts, why)
        if counts:
            shown = " | ".join(str(counts[k]) for k in ("robots", "read", "compared", "wrong", "to fill", "filled"))
            print(
                f"| {package.name} | {shown} | {', '.join(f'{k} {n}' for k, n in why.most_common(4) if k)} |",
                flush=True,
            )


if __name__ == "__main__":
    from usage import words

    main(*words(__doc__))
