"""`massprops init`: a configuration to begin with, for the files that are there."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path, PurePath

from massprops.cli.groups import output_option
from massprops.cli.streams import note, write_output
from massprops.declarations import OUTPUT, argument, flag
from massprops.errors import InvalidInput
from massprops.formats.files import note_named
from massprops.wording import plural

_SHOWN = 3


def configuration(names: list[str], paths: list[str], folder: Path) -> str:
    """The text of a configuration in a folder, for the files `names`, which `paths` mean."""
    from massprops.formats.kinds import ROBOTS, kind_of
    from massprops.formats.table import MESHES, PLANAR

    robots = [n for n in names if PurePath(n).suffix.lower() in ROBOTS]
    geometry = [n for n in names if kind_of(n) in ("mesh", "section")]
    others = len(names) - len(robots) - len(geometry)
    kinds = ((len(geometry), "mesh or plane file", "meshes and plane files"), (len(robots), "robot file", ""))
    counts = [plural(n, one, many) for n, one, many in (*kinds, (others, "other file", "")) if n]
    stated = {suffix for suffix, f in (MESHES | PLANAR).items() if f.states_unit}
    suffixes = Counter(s for n in geometry if (s := PurePath(n).suffix.lower()) not in stated)
    unitless = ", ".join(f"{n} {suffix}" for suffix, n in sorted(suffixes.items()))

    def name(path: str) -> str:
        return json.dumps(Path(os.path.relpath(path, folder)).as_posix(), ensure_ascii=False)

    wanted = [(name(n), 'mass = "1.2kg±5%"\n# max-size = "250mm"') for n in geometry[:_SHOWN]]
    wanted += [(f'{name(n)[:-1]}#*"', 'max-mass = "3kg"') for n in robots[:_SHOWN]]
    return (
        Path(__file__)
        .with_name("configuration.txt")
        .read_text("utf-8")
        .format(
            counts=", ".join(counts),
            paths=f"[{', '.join(map(name, paths))}]",
            unitless=f": {unitless}" if unitless else "",
            sections="".join(f"\n# [files.{pattern}]\n# {keys}\n" for pattern, keys in wanted),
        )
    )


def init(
    *,
    paths: list[str] | None = argument("PATH...", "Files, or folders of them. [default: .]", default=None),
    output: str = output_option("The file to write.", default="massprops.toml"),
    force: bool = flag(OUTPUT, "Replace a file that exists."),
) -> None:
    """Write a massprops.toml for the files that are there; each setting has a comment."""
    from massprops.checking.discovery import expand

    if output != "-" and Path(output).exists() and not force:
        raise InvalidInput("exists", place=output, hint="--force replaces it")
    named = paths or ["."]
    found = [name for name in expand(named).names if Path(name).is_file()]
    if not found:
        what = f"no mesh, plane file, robot or result in {', '.join(named)}"
        raise InvalidInput(what, hint="name a folder with files")
    for name in found:  # none of these is replaced
        note_named(name)
    write_output(configuration(found, named, Path() if output == "-" else Path(output).parent), output)
    if output != "-":
        note(f"{output}: written for {plural(len(found), 'file')}; 'massprops check' uses it")
