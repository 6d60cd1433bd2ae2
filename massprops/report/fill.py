"""What became of the links of a robot that was filled, for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from massprops.filling import FilledLink
from massprops.formats.escaping import plain
from massprops.report.console import Screen
from massprops.rigid_body.mass_properties import MassProperties
from massprops.wording import percent

_HEADS = ("", "Mass [kg]", "[kg/m³]", "Centre of mass [m]", "Principal moments [kg m²]")


def filled_text(links: Sequence[FilledLink], *, screen: Screen) -> str:
    """Three lines for every link: what it was measured from, and its numbers before and after; one number a line where it is narrow."""
    if not links:
        return screen.draw(Text("no link to fill"))
    rows = {i: [_cells(f, "before", f.before), _cells(f, "after", f.after)] for i, f in enumerate(links)}
    columns = zip(_HEADS, *(row for pair in rows.values() for row in pair), strict=True)
    widths = [max(map(len, column)) for column in columns]
    is_wide = sum(widths) + 2 * len(widths) <= screen.width
    lines = [Text(_row(_HEADS, widths), style="bold")] if is_wide else []
    for i, f in enumerate(links):
        lines.append(Text.assemble((plain(f.name), "bold"), f"  {_how(f)}"))
        for row in rows[i]:
            if is_wide:
                lines.append(Text(_row(row, widths)))
            else:
                lines.append(Text(f"  {row[0]}"))
                lines += [
                    Text(f"    {head}: {cell}") for head, cell in zip(_HEADS[1:], row[1:], strict=True) if cell != "–"
                ]
    return screen.draw(*lines)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))


def _cells(f: FilledLink, state: str, body: MassProperties | None) -> tuple[str, ...]:
    if body is None:
        return state, "–", "–", "–", "–"
    density = f.density(body)
    return (
        state,
        f"{body.mass:.4g}",
        "–" if density is None else f"{density:.4g}",
        " ".join(f"{x:.3g}" for x in body.com),
        " ".join(f"{x:.3g}" for x in body.principal().moments),
    )


def _how(f: FilledLink) -> str:
    """``3 visual solids, united, certified ± 0.02 %, mass weighed (massprops.toml:7)``, or why it was left as it was."""
    if f.error is not None:
        return f"left as it was: {f.error.code}"
    if f.solid is None:
        return ""
    off = percent(f.solid.uncertainty / f.solid.moments.measure)
    mass = f"mass {f.mass_from}" if f.mass_from != "density" else "mass from density"
    source = f" ({plain(f.source)})" if f.source else ""
    return f"{plain(f.solid.method)}, {f.solid.grade} ± {off}, {mass}{source}"
