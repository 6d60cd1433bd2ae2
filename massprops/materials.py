"""Named densities, each with the publication it comes from.

The table is `materials.json`, one row per line. A density is typical, not a promise: the note says what it spans.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from massprops.errors import InvalidInput
from massprops.values import dataclass
from massprops.wording import nearest

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
        ``metal``, ``plastic``, ``wood``, ``composite`` or ``glass``.
    source : str
        The publication that states the density.
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
    """Every material, in the order of the table: by category, common ones first."""
    rows = json.loads(_TABLE.read_text(encoding="utf-8"))
    return tuple(Material(**{**row, "aliases": tuple(row["aliases"])}) for row in rows)


def find(name: str) -> Material:
    """The material of this name or alias; case, blanks and punctuation do not matter.

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
    if not isinstance(name, str):
        raise InvalidInput(f"material must be a text, got {name!r}", hint="for example steel")
    found = _index().get(_key(name))
    if found is None:
        hint = f"{_suggestion(name)}`massprops materials` lists them all"
        raise InvalidInput(f"unknown material {name!r}", code="unknown-material", hint=hint)
    return found


def search(word: str) -> list[Material]:
    """The materials whose name, alias or category holds the word, else those of a similar name; the most similar first."""
    key = _key(word)
    holding = [known for known in _index() if len(key) > 2 and key in known]  # "oak" is in two of them
    close = nearest(key, holding, 99, cutoff=0.0) or nearest(key, _index(), 6)
    kind = [material for material in all_materials() if material.category == key]
    return list(dict.fromkeys([*kind, *(_index()[known] for known in close)]))


@cache
def _index() -> dict[str, Material]:
    return {_key(name): material for material in all_materials() for name in (material.name, *material.aliases)}


def _key(name: str) -> str:
    # American and British spellings of one metal are one name
    return re.sub(r"[\W_]+", "", name.casefold()).replace("aluminum", "aluminium")


def _suggestion(name: str) -> str:
    names = [material.name for material in search(name)[:3]]
    return f"did you mean {' or '.join(map(repr, names))}? " if names else ""
