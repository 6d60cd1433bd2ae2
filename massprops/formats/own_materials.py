"""Materials of a user: the table `[materials]` of a configuration, by name a density or a table.

[materials]
"PETG CF" = "1.29 g/cm3"

[materials.chassis]
density = 1410
source = "weighed on 3 March"
note = "printed, 60 % infill"
aliases = ["frame"]

Tests: `tests/test_materials.py`.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from massprops.errors import InvalidInput, require_type
from massprops.formats.config_file import Lines, nearest, read_tables, text_or_number
from massprops.materials import Material, built_in, key_of
from massprops.units import parse_density


def nearest_materials() -> tuple[Material, ...]:
    """Materials of the configuration in the current folder or the nearest one above it."""
    path = nearest(Path.cwd())
    return () if path is None else read_materials(path)


def read_materials(path: str | PathLike[str]) -> tuple[Material, ...]:
    """Materials of a configuration, `massprops.toml` or `pyproject.toml`, for the argument `material`.

    Parameters
    ----------
    path : path
        A TOML file with a table ``[materials]``, in ``pyproject.toml`` ``[tool.massprops.materials]``.

    Returns
    -------
    tuple of Material
        In the order of the file; `source` says the line.

    Raises
    ------
    InvalidInput
        With file and line, if it cannot be read, a value breaks a rule, or a name is that of another material.
    """
    require_type(path, str | PathLike, "path", "the name of a file")
    document, lines = read_tables(Path(path))
    return materials_of(document.get("materials", {}), lines)


def materials_of(table: Any, lines: Lines) -> tuple[Material, ...]:
    """The materials of a table; raises what `read_materials` does."""
    if not isinstance(table, dict):
        raise lines.error("materials", (), 'must be a table, as [materials] with "PETG CF" = "1.29 g/cm3"')
    known: dict[str, str] = {}
    found = []
    for name, value in table.items():
        material = _material(name, value, lines)
        for own in (material.name, *material.aliases):
            if (other := built_in(own)) is not None:
                what = f"{own!r} is a built-in material of {other.density:g} kg/m³ ({other.source})"
                raise lines.error(name, ("materials",), what, f"choose another name, such as {f'my {own}'!r}")
            if (first := known.setdefault(key_of(own), name)) != name or not key_of(own):
                what = f"{own!r} is a name of {first!r}, too" if key_of(own) else f"{own!r} has no letter and no digit"
                raise lines.error(name, ("materials",), what, "choose another name")
        found.append(material)
    return tuple(found)


def _material(name: str, value: Any, lines: Lines) -> Material:
    if isinstance(value, dict):
        read = lines.level(value, ("materials", name), _PARSERS)
    else:
        (density,) = lines.level({name: value}, ("materials",), {name: _density}).values()
        read = {"density": density}
    if "density" not in read:
        raise lines.error("density", ("materials", name), "is missing", 'for example density = "1.29 g/cm3"')
    source = ": ".join(part for part in (lines.place(("materials",), name), read.get("source", "")) if part)
    return Material(name, read["density"], "own", source, read.get("note", ""), tuple(read.get("aliases", ())))


def _density(value: Any) -> float:
    return parse_density(text_or_number(value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"must be a text, got {value!r}")
    return value


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise InvalidInput(f"must be a list of texts, got {value!r}")
    return value


_PARSERS = {"density": _density, "source": _text, "note": _text, "aliases": _texts}
