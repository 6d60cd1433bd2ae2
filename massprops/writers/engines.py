"""The inertials that simulators take of a robot's links as a table for people, and the rules that decide.

Tests: `tests/diagnosis/test_engines.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from massprops.formats.escaping import plain
from massprops.formats.link_names import some
from massprops.measurement.output_units import number_text
from massprops.rigid_body.mass_properties import MassProperties
from massprops.writers.console import NAME, NUMBER, TEXT, TextOutput, dim

if TYPE_CHECKING:
    from massprops.checking.report import Checked
    from massprops.diagnosis.engine_body import EngineBody

_DIGITS = 4


def engines_table(links: Sequence[Checked], screen: TextOutput) -> str:
    """A row for each link and simulator that does not take what the file states, or for all if the output is verbose.

    A line for each simulator, and below it its rules with the links for which they decide. Empty if no simulator was asked for.
    """
    ordered = sorted(links, key=lambda c: (c.subject.file, c.subject.line or 0))
    found = [(plain(c.subject.place or ""), body) for c in ordered for body in c.engines]
    shown = [x for x in found if screen.verbose or x[1].verdict in ("differs", "lumped", "refused")]
    units = screen.units(mass=max((b.takes.mass for _, b in found if b.takes), default=None))
    moment = units.label((1, 2))
    columns = {"Link": NAME, "Engine": TEXT, f"Mass [{units.mass}]": NUMBER, f"Expected [{units.mass}]": NUMBER}
    columns |= {"Centre [m]": NUMBER, f"Moments [{moment}]": NUMBER}

    def mass(body: MassProperties | None) -> str:
        return number_text(None if body is None else units.of(body.mass, (1, 0)), digits=_DIGITS)

    def row(name: str, body: EngineBody) -> list[str]:
        takes, stated = body.takes, mass(body.expected)
        if takes is None:
            return [name, body.title, body.verdict, stated, "–", "–"]
        moments = units.of(1.0, (1, 2)) * takes.principal().moments
        known = {"center_of_mass": takes.com, "principal_moments": moments}
        listed = ("–" if q == body.unknown else " ".join(f"{x + 0.0:.3g}" for x in v) for q, v in known.items())
        return [name, body.title, mass(takes), stated, *listed]

    table = screen.table(columns, [row(*x) for x in shown], wide=72) if shown else ""
    names = dict.fromkeys(body.engine for _, body in found)
    return table + "".join(_rules([x for x in found if x[1].engine == name], screen) for name in names)


def _rules(found: Sequence[tuple[str, EngineBody]], screen: TextOutput) -> str:
    """The counts of a simulator, and its rules with their links."""
    count = Counter[str](body.verdict for _, body in found)
    others = "".join(
        f", {count[v]} {word}"
        for v, word in (("lumped", "lumped"), ("refused", "refused"), ("unknown", "not known"))
        if count[v]
    )
    lines = [Text(f"{found[0][1].title}: {count['differs']} of {len(found)} links differ{others}")]
    rules: dict[str, list[str]] = {}
    for name, body in found:
        if screen.verbose or body.verdict != "same":
            source = f" [{body.source}]" if screen.verbose and body.source else ""
            rules.setdefault(plain(body.rule) + source, []).append(name)
    return screen.draw(*lines, *(dim(f"  {rule}: {some(names)}") for rule, names in rules.items()))
