"""Named densities, each with the publication it comes from.

The table is `materials.json`, one row per line. A density is typical, not a promise: the note says what it spans. Materials of a user
are in a configuration: see `massprops.formats.own_materials`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from massprops.access import access
from massprops.errors import InvalidInput
from massprops.values import dataclass
from massprops.wording import either, nearest

_TABLE = Path(__file__).with_name("materials.json")


@dataclass(frozen=True)
class Material:
    """One row of the table.

    Attributes
    ----------
    name : str
        As `find` reports it.
    density : float
        kg/m³, at room temperature.
    category : str
        ``metal``, ``plastic``, ``rubber``, ``foam``, ``wood``, ``composite``, ``glass``, ``mineral`` or ``water``; ``own``.
    source : str
        The publication that states the density, or the file and line of a configuration.
    note : str
        What it was converted from, and how far grades spread.
    aliases : tuple of str
        Other names that `find` understands.
    """

    name: str
    density: float
    category: str
    source: str
    note: str
    aliases: tuple[str, ...] = ()


@cache
def all_materials() -> tuple[Material, ...]:
    """Every built-in material, in the order of the table: by category, common ones first."""
    rows = json.loads(_TABLE.read_text(encoding="utf-8"))
    return tuple(Material(**{**row, "aliases": tuple(row["aliases"])}) for row in rows)


def known_materials() -> tuple[Material, ...]:
    """Every material that a command or call knows: those of its configuration, then the built-in ones."""
    own: tuple[Material, ...] = tuple(access().materials())
    return (*own, *all_materials())


def built_in(name: str) -> Material | None:
    """The built-in material of this name or alias; None where there is none."""
    return _index().get(key_of(name))


def find(name: str | Material) -> Material:
    """The material of this name or alias; case, blanks and punctuation do not matter. A `Material` is itself.

    Returns
    -------
    Material
        Its density in kg/m³, and where that is from.

    Raises
    ------
    InvalidInput
        If there is none; the message suggests the nearest names.

    Examples
    --------
    >>> find("Aluminium 6061").density
    2700.0
    >>> find("AL-6061") is find("aluminum 6061-T6")
    True
    """
    if isinstance(name, Material):
        return name
    if not isinstance(name, str):
        raise InvalidInput(f"material must be a text, got {name!r}", hint="for example steel")
    found = built_in(name) or _names(access().materials()).get(key_of(name))
    if found is None:
        hint = f"{_suggestion(name)}'massprops materials' lists them all"
        raise InvalidInput(f"unknown material {name!r}", code="unknown-material", hint=hint)
    return found


def search(word: str) -> list[Material]:
    """The materials whose name, alias or category holds the word, else those of a similar name; the most similar first."""
    key, names = key_of(word), _names(known_materials())
    holding = [known for known in names if len(key) > 2 and key in known]  # "oak" is in two of them
    close = nearest(key, holding, 99, cutoff=0.0) or nearest(key, names, 6)
    kind = [material for material in known_materials() if material.category == key]
    return list(dict.fromkeys([*kind, *(names[known] for known in close)]))


@cache
def _index() -> dict[str, Material]:
    return _names(all_materials())


def _names(materials: Iterable[Material]) -> dict[str, Material]:
    return {key_of(name): material for material in materials for name in (material.name, *material.aliases)}


def key_of(name: str) -> str:
    """A name as it is compared with others."""
    # American and British spellings of one metal are one name
    return re.sub(r"[\W_]+", "", name.casefold()).replace("aluminum", "aluminium")


def _suggestion(name: str) -> str:
    names = [material.name for material in search(name)[:3]]
    return f"did you mean {either([*map(repr, names)])}? " if names else ""
