"""Validation properties of a STEP file as a table for people: stored, measured, ± and verdict.

Tests: `tests/formats/mesh/test_step_validation.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits, number_text
from massprops.mesh.stored_values import STORED
from massprops.writers.console import NAME, NUMBER, TEXT, TextOutput

_STYLES = {"agrees": "green", "differs": "yellow", "not compared": "dim"}
_DIGITS = 9


def stored_table(path: str, stored: Sequence[Mapping[str, Any]], units: OutputUnits, screen: TextOutput) -> str:
    """A row for each number that a file states, from ``stored`` of the JSON result."""
    rows: list[list[str | Text]] = []
    for value in stored:
        _, words, power = STORED[value["quantity"]]
        for i, number in enumerate(value["stored"]):
            ours, error = (value[name][i] if value[name] else None for name in ("ours", "error"))
            ours, error, number = (None if x is None else units.of(x, (0, power)) for x in (ours, error, number))
            axis = f" {'xyz'[i]}" if power == 1 else ""
            rows.append(
                [
                    plain(value["of"]),
                    f"{words}{axis} [{units.label((0, power))}]",
                    number_text(number, digits=_DIGITS),
                    number_text(ours, error, digits=_DIGITS),
                    number_text(error, digits=2),
                    Text(value["verdict"], style=_STYLES[value["verdict"]]),
                ]
            )
    columns = {"Body": NAME, "Stored quantity": TEXT, "Stored": NUMBER, "Ours": NUMBER, "±": NUMBER, "Verdict": TEXT}
    title = Text.assemble((plain(path), "bold"), ": validation properties", overflow="fold")
    return screen.draw(title) + screen.table(columns, rows)
