"""The catalogue of finding codes: for each its family, one line, what it means, the remedy and an example."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from massprops.values import dataclass

Family = Literal["file", "surface", "body", "plausibility", "expectation", "golden", "geometry"]

#: The question that each family answers, for headings.
FAMILIES: dict[Family, str] = {
    "file": "Is the file complete and understood?",
    "surface": "Does the surface bound a solid?",
    "body": "Are the numbers physically possible?",
    "plausibility": "Are the numbers plausible?",
    "expectation": "Does it meet its specification?",
    "golden": "Is it unchanged?",
    "geometry": "Does the inertial agree with its geometry?",
}


@dataclass(frozen=True)
class Rule:
    """The explanation of a code.

    Attributes
    ----------
    code : str
        As in findings.
    family : str
        A key of `FAMILIES`.
    short : str
        One line.
    why : str
        What it means for the numbers.
    remedy : str
        What to do.
    example : str
        A case of it.
    """

    code: str
    family: Family
    short: str
    why: str
    remedy: str
    example: str

    @property
    def long(self) -> str:
        """Meaning for the numbers, and the remedy."""
        return f"{self.why} {self.remedy}"


@functools.cache
def rules() -> Mapping[str, Rule]:
    """Code to rule, in the order of ``rules.toml``; an error that keeps a file from being read is ``unreadable-file``."""
    text = Path(__file__).with_name("rules.toml").read_text(encoding="utf-8")
    return {code: Rule(code, **entry) for code, entry in tomllib.loads(text).items()}
