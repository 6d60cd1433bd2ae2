"""Selection of the links that get an inertial, and their masses: a weighed mass is preferred to a stated one, that to a common density.

Tests: `tests/filling/test_fill.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Self

from massprops import units
from massprops.errors import InvalidInput
from massprops.formats.address import NAME, literal_name
from massprops.formats.robot.links import Link
from massprops.materials import find
from massprops.rigid_body.plausibility import PLAUSIBLE_DENSITY
from massprops.wording import did_you_mean


@dataclass(frozen=True)
class MassRule:
    """Knowledge of one link: its density or its mass, and where its centre of mass was measured.

    Attributes
    ----------
    density : float or None
        kg/m³.
    mass : float or None
        kg.
    com : tuple of float or None
        In the frame of the link, m.
    source : str
        Where that is stated, for reports: ``massprops.toml:12``.
    """

    density: float | None = None
    mass: float | None = None
    com: tuple[float, ...] | None = None
    source: str = ""

    @classmethod
    def parse(cls, link: str, given: object, source: str = "") -> Self:
        """``mass:0.42kg``, ``density:2700``, ``material:steel``, ``com:0,0,12mm``, several with blanks or ``;`` between them; or a table.

        Raises
        ------
        InvalidInput
            If a key is unknown, is there twice, or its value breaks a rule.
        """
        if isinstance(given, str):
            pairs = [part.partition(":")[::2] for part in given.replace(";", " ").split()]
        elif isinstance(given, Mapping):
            pairs = [(k, ",".join(map(str, v)) if isinstance(v, list) else str(v)) for k, v in given.items()]
        else:
            raise InvalidInput(f"{given!r} for link {link!r} is not a text or a table", argument="set")
        found = dict(pairs)
        for key, value in pairs:
            if key not in ("density", "material", "mass", "com") or not value:
                hint = did_you_mean(key, ["density:…", "material:…", "mass:…", "com:X,Y,Z"])
                wrong = f"{key}:{value}" if value else key
                raise InvalidInput(f"{wrong!r} for link {link!r} is not KEY:VALUE", argument="set", hint=hint)
        if len(found) < len(pairs):
            raise InvalidInput(f"a key is given twice for link {link!r}", argument="set", hint="give it once")
        if len({"density", "material", "mass"} & found.keys()) > 1:
            what = f"link {link!r} has several of density, material and mass"
            raise InvalidInput(what, argument="set", hint="give one")
        density = units.parse_density(found["density"]) if "density" in found else None
        if "material" in found:
            density = find(found["material"]).density
        com = tuple(units.parse_point(found["com"].split(","), name="com")) if "com" in found else None
        if com is not None and len(com) != 3:
            what = f"com of link {link!r} has {len(com)} of 3 coordinates"
            raise InvalidInput(what, argument="set", hint="com:X,Y,Z")
        return cls(density, units.parse_mass(found["mass"]) if "mass" in found else None, com, source)

    def mass_by_density(self, volume: float) -> float | None:
        """Mass of a volume of the density, kg; None without one."""
        return None if self.density is None else self.density * volume

    def overridden_by(self, other: Self) -> Self:
        """Rule with the values of a stronger one in place of its own."""
        if other.density is not None or other.mass is not None:
            return replace(other, com=other.com or self.com)
        return replace(self, com=other.com or self.com, source=self.source or other.source)


def rules_of(given: Mapping[str, MassRule | str | Mapping[str, object]], links: Sequence[Link]) -> dict[str, MassRule]:
    """The rules by the name of the link that they are for; keys may be patterns (``finger_*``), the later ones stronger.

    Raises
    ------
    InvalidInput
        If a key matches no link.
    """
    names = [link.name for link in links if link.name is not None]
    rules: dict[str, MassRule] = {}
    for key, value in given.items():
        rule = value if isinstance(value, MassRule) else MassRule.parse(key, value)
        matched = matching(key, names)
        if not matched:
            what, hint = f"there is no link {key!r}", did_you_mean(key, names)
            place = rule.source if ":" in rule.source else ""
            raise InvalidInput(what, hint=hint, place=place, parameter="" if place else "set:")
        for name in matched:
            rules[name] = rules.get(name, MassRule()).overridden_by(rule)
    return rules


def matching(pattern: str, names: Sequence[str]) -> list[str]:
    """The names that a pattern or a name means; the last part of a nested name will do; after ``name:`` nothing is a pattern."""
    if pattern.startswith(NAME):
        return [n for n in names if literal_name(pattern) in (n, n.rpartition("::")[2])]
    return [n for n in names if any(x == pattern or fnmatchcase(x, pattern) for x in (n, n.rpartition("::")[2]))]


def select_links(links: Sequence[Link], wanted: Sequence[str], rules: Mapping[str, MassRule]) -> set[int]:
    """Numbers of the links to fill: by state (``missing``, ``invalid``, ``all``) or by name and pattern; those with rules always."""
    names = [link.name or "" for link in links]
    chosen: set[int] = set()
    for pattern in wanted:
        if pattern in SELECTIONS:
            chosen |= {i for i, link in enumerate(links) if SELECTIONS[pattern](link)}
            continue
        matched = set(matching(pattern, names))
        if not matched:
            hint = did_you_mean(pattern, [*SELECTIONS, *names])
            raise InvalidInput(f"there is no link {pattern!r}", argument="links", hint=hint)
        chosen |= {i for i, name in enumerate(names) if name in matched}
    return chosen | {i for i, link in enumerate(links) if link.name in rules}


def is_missing(link: Link) -> bool:
    """Whether there is geometry and no inertial, or a mass of 0."""
    if not link.has_geometry or link.error is not None or (link.automatic is not None and link.automatic.is_weighed):
        return False
    return link.body is None or link.body.properties.mass == 0


def is_invalid(link: Link) -> bool:
    """Whether the inertial is missing, cannot be read, or is that of no body."""
    if link.body is None:
        return is_missing(link) or (link.has_geometry and link.error is not None)
    body = link.body.properties
    return link.has_geometry and not (body.mass > 0 and body.consistency().ok)


#: What `links` may be, beside names and patterns of links.
SELECTIONS: dict[str, Callable[[Link], bool]] = {
    "missing": is_missing,
    "invalid": is_invalid,
    "all": lambda link: link.has_geometry,
}


def stated_mass(link: Link, volume: float) -> float | None:
    """The mass that a link states, kg, where it is one that its volume can have; else None."""
    low, high = PLAUSIBLE_DENSITY
    return link.mass if link.mass is not None and volume > 0 and low <= link.mass / volume <= high else None
