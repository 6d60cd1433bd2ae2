"""The links of a robot file as a table: what each one's inertial states, and how far it is from the link's own geometry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from massprops.checking.report import Checked
from massprops.formats.escaping import plain
from massprops.measurement.output_units import rounded
from massprops.report.console import NAME, NUMBER, TEXT, Screen


def links_table(links: Sequence[Checked], styles: Mapping[str, str], screen: Screen) -> str:
    """A row for each link, in the order of the file, and the total mass."""
    ordered = sorted(links, key=lambda c: (c.subject.file, c.subject.line or 0))
    masses = [float(m) for c in ordered if (m := c.numbers.get("mass")) is not None]
    units = screen.units(mass=max(masses, default=None))
    columns: dict[str, Mapping[str, Any]] = {
        "Link": NAME,
        f"Mass [{units.mass}]": NUMBER,
        "Density [kg/m³]": NUMBER,
        "Centre [%]": NUMBER,
        "Inertia [%]": NUMBER,
        "Verdict": TEXT,
        "Line": NUMBER,
    }

    def mass(value: Any) -> str:
        return units.number(None if value is None else units.of(float(value), (1, 0)))

    rows: list[list[str | Text]] = [
        [
            plain(c.subject.place or ""),
            mass(c.numbers.get("mass")),
            rounded(_number(c, "implied_density"), digits=4),
            *(rounded(_number(c, name, 100.0), digits=2) for name in ("centre_distance", "tensor_distance")),
            Text(c.status, style=styles[c.status]),
            str(c.subject.line or "–"),
        ]
        for c in ordered
    ]
    rows.append([Text("total", style="bold"), mass(sum(masses)), "", "", "", "", ""])
    note = Text("Centre, inertia: distance from the geometry, % of its size and of the tensor", style="dim")
    return screen.table(columns, rows, wide=72, total=True) + screen.draw(note)


def _number(checked: Checked, name: str, factor: float = 1.0) -> float | None:
    value = checked.numbers.get(name)
    return None if value is None else factor * float(value)
