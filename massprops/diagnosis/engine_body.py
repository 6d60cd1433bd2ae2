"""Rules of simulators, as `engines.toml` has them, and the inertial that one takes for a link.

Tests: `tests/diagnosis/test_engines.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from massprops.findings import Finding
from massprops.json_values import json_object
from massprops.moments.arrays import length
from massprops.rigid_body.mass_properties import MassProperties

Verdict = Literal["same", "differs", "lumped", "refused", "unknown"]
#: Numbers nearer than this, relative to the largest, are the same: what single precision and printed digits leave.
SAME = 1e-6
#: mjMINVAL: MuJoCo takes less for nothing.
LEAST = 1e-15


@dataclass(frozen=True)
class EngineRule:
    """A rule of `engines.toml`; see there."""

    formats: Sequence[str]
    when: Sequence[str]
    takes: str
    words: str
    source: str
    unknown: str = ""


@dataclass(frozen=True)
class Engine:
    """A simulator: its title, its rules in their order, the rule of acceptance that it applies, and what of MJCF it honours.

    `reading`: by what name of `mjcf_model.READINGS` it reads MJCF, where it does not read it as MuJoCo does. `skips`: what of `through`
    its readers leave out. `meshes`: suffixes of the meshes that it reads, by format; it refuses a file that
    has others.
    """

    title: str
    honours: Sequence[str]
    rules: tuple[EngineRule, ...] = ()
    acceptance: str | None = None
    reading: str = ""
    skips: Sequence[str] = ()
    meshes: Mapping[str, Sequence[str]] = field(default_factory=dict)


@cache
def engines() -> Mapping[str, Engine]:
    """The simulators by name, as `engines.toml` has them."""
    found = tomllib.loads(Path(__file__).with_name("engines.toml").read_text(encoding="utf-8"))
    return {
        name: Engine(**entry | {"rules": tuple(EngineRule(**rule) for rule in entry.get("rules", ()))})
        for name, entry in found.items()
    }


@dataclass(frozen=True, eq=False)
class EngineBody:
    """The inertial that a simulator takes for a link.

    Attributes
    ----------
    engine : str
        Name of the simulator.
    rule, source : str
        The rule that decides, in words, and where it is documented.
    expected : MassProperties or None
        What the file states, or asks to be computed of the geometry; None if neither.
    takes : MassProperties or None
        None if it is refused or not known.
    unknown : str
        The quantity of `takes` that is not known: ``center_of_mass``, ``principal_moments`` or none.
    refused : bool
    lumped : str
        ``into``: it is a part of another link, to which it is fixed, or of the world. ``with``: it holds links that are fixed to it, and
        `expected` is what they state together.
    """

    engine: str
    rule: str
    source: str
    expected: MassProperties | None
    takes: MassProperties | None
    unknown: str = ""
    refused: bool = False
    lumped: Literal["", "into", "with"] = ""

    @property
    def title(self) -> str:
        """Title of the simulator."""
        return engines()[self.engine].title

    @property
    def verdict(self) -> Verdict:
        """``same`` (also a body without mass where nothing is stated), ``differs``, ``lumped``, ``refused`` or ``unknown``."""
        if self.takes is None:
            return "refused" if self.refused else "unknown"
        if self.lumped != "into" and self._difference():
            return "differs"
        return "lumped" if self.lumped else "same"

    def refuse(self, rule: str) -> EngineBody:
        """Its refusal by a rule."""
        return replace(self, takes=None, refused=True, rule=rule)

    def with_unknown(self, rule: str) -> EngineBody:
        """The link of which it is not known what the simulator takes, by a rule."""
        return replace(self, takes=None, refused=False, rule=rule)

    def finding(self) -> Finding | None:
        """The warning about this link; None if the simulator takes it as it is stated, or that is not known."""
        if self.verdict in ("same", "lumped", "unknown"):
            return None
        what = "refuses this link" if self.refused else self._difference()
        value = None if self.takes is None else self.takes.mass
        limit = None if self.takes is None else 0.0 if self.expected is None else self.expected.mass
        return Finding(f"engine-{self.verdict}", "warning", f"{self.title} {what}: {self.rule}", value, limit)

    def _difference(self) -> str:
        """The first quantity that differs, in words; empty if none does."""
        mine, other = self.takes, self.expected
        if mine is None:
            return ""
        if other is None:
            return f"takes {mine.mass:.4g}\xa0kg where none is stated" if mine.mass else ""
        if abs(mine.mass - other.mass) > SAME * max(abs(mine.mass), abs(other.mass)):
            return f"takes {mine.mass:.4g}\xa0kg instead of {other.mass:.4g}\xa0kg"
        spread = np.sqrt(max(np.trace(other.inertia), 0.0) / other.mass) if other.mass > 0 else 0.0
        away = 0.0 if self.unknown == "center_of_mass" else length(mine.com - other.com)
        if away > SAME * (spread + length(other.com)):
            return f"takes a centre of mass {away:.3g}\xa0m away"
        if self.unknown == "principal_moments":
            return "takes other moments of inertia"
        if length(mine.inertia - other.inertia) > SAME * length(other.inertia):
            moments = [b.principal().moments for b in (mine, other)]
            if length(moments[0] - moments[1]) <= SAME * length(moments[1]):
                return "takes the same principal moments about other axes"
            one, two = (", ".join(f"{m:.3g}" for m in each) for each in moments)
            return f"takes principal moments of ({one})\xa0kg\xa0m² instead of ({two})\xa0kg\xa0m²"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Dictionary as the JSON schema spells it."""
        takes = _numbers(self.takes)
        if takes is not None and self.unknown:
            takes |= {self.unknown: None} | ({"inertia": None} if self.unknown == "principal_moments" else {})
        return json_object(self, "engine verdict rule source", takes=takes, expected=_numbers(self.expected))


def _numbers(body: MassProperties | None) -> dict[str, Any] | None:
    if body is None:
        return None
    moments = body.principal().moments
    return json_object(body, "mass inertia", center_of_mass=body.com, principal_moments=moments)
