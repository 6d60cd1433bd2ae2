"""Every code that a finding can have, with the help that goes with it: what it means and what to do."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Family = Literal["file", "surface", "body", "plausibility", "expectation", "golden", "geometry"]

#: What the families ask, for headings.
FAMILIES: dict[Family, str] = {
    "file": "Does the file hold what it says?",
    "surface": "Does the surface bound a body?",
    "body": "Can a body have these numbers?",
    "plausibility": "Do the numbers make sense?",
    "expectation": "Is it what was agreed?",
    "golden": "Is it what it was before?",
    "geometry": "Does the inertial belong to its geometry?",
}


@dataclass(frozen=True)
class Rule:
    """What a code means.

    Attributes
    ----------
    code : str
        The word that findings have.
    family : str
        A key of `FAMILIES`.
    short : str
        One line.
    long : str
        What it means for the numbers, and what to do.
    """

    code: str
    family: Family
    short: str
    long: str


@functools.cache
def rules() -> Mapping[str, Rule]:
    """Code to rule, in the order of ``rules.toml``; an error that keeps a file from being read is ``unreadable-file``."""
    text = Path(__file__).with_name("rules.toml").read_text(encoding="utf-8")
    return {code: Rule(code, **entry) for code, entry in tomllib.loads(text).items()}
