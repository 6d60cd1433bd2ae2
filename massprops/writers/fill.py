"""The links of a robot that was filled, before and after, for people.

Tests: `tests/cli/test_fill_command.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.text import Text

from massprops.filling.robot import COLUMNS, FilledLink
from massprops.formats.escaping import plain
from massprops.measurement.output_units import number_text
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import implausible_density
from massprops.wording import percent
from massprops.writers.console import STYLES, TextOutput

#: Masses that differ by less are the same.
_SAME = 1e-3


def filled_text(links: Sequence[FilledLink], *, screen: TextOutput) -> str:
    """Three lines for every link: what it was measured from, and its numbers before and after; one number a line where it is narrow."""
    if screen.quiet:
        return ""
    units = screen.units()
    heads = ("", *(f"{name} [{units.label(dimension)}]".lstrip() for name, dimension in COLUMNS))
    rows = {
        i: [(s, *f.cells(b, units)) for s, b in (("before", f.before), ("after", f.after))] for i, f in enumerate(links)
    }
    wrong = {(i, k) for i, f in enumerate(links) for k, b in enumerate((f.before, f.after)) if _is_implausible(f, b)}
    columns = zip(heads, *(row for pair in rows.values() for row in pair), strict=True)
    widths = [max(map(len, column)) for column in columns]
    is_wide = sum(widths) + 2 * len(widths) <= screen.width
    lines = [Text(_row(heads, widths), style="bold")] if is_wide else []
    for i, f in enumerate(links):
        lines.append(Text.assemble((plain(f.title), "bold"), f"  {_how(f)}"))
        if replaced := _replaced(f, screen):
            lines.append(Text(f"  {replaced}", style=STYLES["warning"] if (i, 0) in wrong else ""))
        for k, row in enumerate(rows[i]):
            style = STYLES["warning"] if (i, k) in wrong else ""
            if not any(cell != "–" for cell in row[1:]):
                continue
            if is_wide:
                lines.append(Text(_row(row, widths), style=style))
            else:
                lines.append(Text(f"  {row[0]}"))
                lines += [
                    Text(f"    {head}: {cell}", style=style if head.startswith("Density") else "")
                    for head, cell in zip(heads[1:], row[1:], strict=True)
                    if cell != "–"
                ]
    return screen.draw(*lines)


def _is_implausible(f: FilledLink, body: MassProperties | None) -> bool:
    density = f.density(body)
    return density is not None and bool(implausible_density(density))


def _replaced(f: FilledLink, screen: TextOutput) -> str:
    """``stated 1 kg, 55,600 kg/m³, replaced by 48.6 g``: a stated mass that is another one now."""
    if f.before is None or f.after is None or math.isclose(f.before.mass, f.after.mass, rel_tol=_SAME):
        return ""
    masses = [(b.mass, screen.units(mass=b.mass)) for b in (f.before, f.after)]
    old, new = (f"{number_text(units.of(kg, (1, 0)), digits=3)} {units.mass}" for kg, units in masses)
    density = f.density(f.before)
    units = screen.units()
    per_volume = "" if density is None else f", {_grouped(units.of(density, (1, -3)))} {units.label((1, -3))}"
    return f"stated {old}{per_volume}, replaced by {new}"


def _grouped(value: float) -> str:
    """Three digits, and groups of thousands: ``55,600``."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:g}"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))


def _how(f: FilledLink) -> str:
    """``3 visual solids, united, certified ± 0.02 %, mass weighed (massprops.toml:7)``, or why it was left as it was."""
    if f.error is not None:
        return f"left as it was: {f.error.code}"
    if f.mass_from == "mirrored":
        return f"mirrored from {plain(f.source)}"
    if f.solid is None:
        return ""
    grade: str = f.solid.grade
    if (off := f.solid.known_uncertainty) is not None:
        grade += f" ± {percent(off / f.solid.moments.measure)}"
    mass = f"mass {f.mass_from}" if f.mass_from not in ("density", "geometry") else f"mass from {f.mass_from}"
    source = f" ({plain(f.source)})" if f.source else ""
    return f"{plain(f.solid.method)}, {grade}, {mass}{source}"
