"""What became of the links of a robot that was filled, for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from massprops.filling import FilledLink
from massprops.formats.escaping import plain
from massprops.report.console import Screen
from massprops.wording import percent

_WIDE = 76


def filled_text(links: Sequence[FilledLink], *, screen: Screen) -> str:
    """A row for every link: its mass before and after, what that implies, and what it was measured from."""
    if not links:
        return screen.draw(Text("no link to fill"))
    if screen.width < _WIDE:
        lines: list[RenderableType] = []
        for f in links:
            lines += [
                Text(plain(f.name), style="bold"),
                Text(f"  {_change(f)} kg  {_density(f)} kg/m³"),
                Text(f"  {_how(f)}"),
            ]
        return screen.draw(*lines)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Link", overflow="fold", ratio=1)
    table.add_column("Mass [kg]", no_wrap=True)
    table.add_column("kg/m³", justify="right", no_wrap=True)
    table.add_column("From", overflow="fold")
    for f in links:
        table.add_row(plain(f.name), _change(f), _density(f), _how(f))
    return screen.draw(table)


def _change(f: FilledLink) -> str:
    before, after = ("–" if b is None else f"{b.mass:.4g}" for b in (f.before, f.after))
    return f"{before} → {after}"


def _density(f: FilledLink) -> str:
    return "–" if f.solid is None or f.after is None else f"{f.after.mass / f.solid.moments.measure:.4g}"


def _how(f: FilledLink) -> str:
    if f.error is not None:
        return f.error.code
    if f.solid is None:
        return "–"
    off = percent(f.solid.uncertainty / f.solid.moments.measure)
    return f"{plain(f.solid.method)}, {f.solid.grade} ± {off}, mass {f.mass_from}"
