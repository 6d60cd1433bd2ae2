"""`massprops init`: a configuration to begin with, for the files that are there."""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from pathlib import Path, PurePath

from massprops.cli.groups import output_option
from massprops.cli.streams import note, write_output
from massprops.declarations import OUTPUT, argument, flag
from massprops.errors import InvalidInput, MasspropsError
from massprops.formats.files import note_named
from massprops.wording import plural

#: Files that have a section, and those that are read to know their unit.
_SHOWN, _MEASURED = 3, 20


def _millimetres(names: list[str]) -> str | None:
    """Why files that state no unit are in mm, where most of them would be absurd in m and none is in mm; None where they may be in m."""
    from massprops.rigid_body.plausibility import LARGEST_PLAUSIBLE, SMALLEST_PLAUSIBLE

    sizes = sorted(size for name in names[:_MEASURED] if (size := _size(name)))
    if not sizes or sizes[len(sizes) // 2] <= LARGEST_PLAUSIBLE or sizes[0] < 1000 * SMALLEST_PLAUSIBLE:
        return None
    if sizes[-1] > 1000 * LARGEST_PLAUSIBLE:
        return None
    across = f"{sizes[0]:.3g} to {sizes[-1]:.3g}" if len(sizes) > 1 else f"{sizes[0]:.3g}"
    return f"In use, since {plural(len(sizes), 'file is', 'files are')} {across} across: too large for parts in m."


def _size(name: str) -> float | None:
    """The longest side of a file's bounds in its own unit; None of one that states a unit, or cannot be read."""
    import numpy as np

    from massprops.formats.kinds import is_planar
    from massprops.formats.registry import open_mesh
    from massprops.measurement.options import Options
    from massprops.measurement.section import read_rings
    from massprops.section.outline import Outline

    with suppress(MasspropsError, ValueError):
        if is_planar(name):
            source, rings = read_rings(name, Options())
            boxes = np.array([Outline.of(ring).bounds for ring in rings])
            return None if source.unit else float((boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0)).max())
        with open_mesh(name) as mesh:
            ends = [(chunk.min(axis=(0, 1)), chunk.max(axis=(0, 1))) for chunk in mesh.chunks()]
            low, high = (np.array(each, np.float64) for each in zip(*ends, strict=True))
            return None if mesh.unit else float((high.max(axis=0) - low.min(axis=0)).max())
    return None


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

    why = _millimetres([n for n in geometry if PurePath(n).suffix.lower() not in stated])
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
            off="# " if why is None else "",
            why="" if why is None else f"\n# {why}",
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
