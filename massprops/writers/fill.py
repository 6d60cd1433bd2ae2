"""The links of a robot that was filled, before and after, for people.

Tests: `tests/cli/test_fill_command.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from massprops.errors import spell
from massprops.filling.robot import COLUMNS, FilledLink
from massprops.formats.escaping import plain
from massprops.wording import percent
from massprops.writers.console import TextOutput


def filled_text(links: Sequence[FilledLink], *, screen: TextOutput) -> str:
    """Three lines for every link: what it was measured from, and its numbers before and after; one number a line where it is narrow."""
    if not links:
        # by default, only those are chosen that state none
        return screen.draw(Text(f"no link to fill: those with geometry state their numbers; see {spell('links=all')}"))
    if screen.quiet:
        return ""
    units = screen.units()
    heads = ("", *(f"{name} [{units.label(dimension)}]".lstrip() for name, dimension in COLUMNS))
    rows = {
        i: [(s, *f.cells(b, units)) for s, b in (("before", f.before), ("after", f.after))] for i, f in enumerate(links)
    }
    columns = zip(heads, *(row for pair in rows.values() for row in pair), strict=True)
    widths = [max(map(len, column)) for column in columns]
    is_wide = sum(widths) + 2 * len(widths) <= screen.width
    lines = [Text(_row(heads, widths), style="bold")] if is_wide else []
    for i, f in enumerate(links):
        lines.append(Text.assemble((plain(f.name), "bold"), f"  {_how(f)}"))
        for row in rows[i]:
            if not any(cell != "–" for cell in row[1:]):
                continue
            if is_wide:
                lines.append(Text(_row(row, widths)))
            else:
                lines.append(Text(f"  {row[0]}"))
                lines += [
                    Text(f"    {head}: {cell}") for head, cell in zip(heads[1:], row[1:], strict=True) if cell != "–"
                ]
    return screen.draw(*lines)


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
    off = percent(f.solid.uncertainty / f.solid.moments.measure)
    mass = f"mass {f.mass_from}" if f.mass_from not in ("density", "geometry") else f"mass from {f.mass_from}"
    source = f" ({plain(f.source)})" if f.source else ""
    return f"{plain(f.solid.method)}, {f.solid.grade} ± {off}, {mass}{source}"
