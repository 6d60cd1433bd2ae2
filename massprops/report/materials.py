"""The table of materials, for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from massprops.materials import Material
from massprops.report.console import Screen

_WIDE = 76


def materials_text(materials: Sequence[Material], *, screen: Screen) -> str:
    """Names, densities and sources as text."""
    if screen.width >= _WIDE:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("Material", no_wrap=True)
        table.add_column("kg/m³", justify="right", no_wrap=True)
        table.add_column("Source and note", overflow="fold")
        for m in materials:
            table.add_row(m.name, f"{m.density:g}", _origin(m))
        return screen.draw(table)
    lines: list[RenderableType] = []
    for m in materials:
        lines += [Text.assemble((m.name, "bold"), f"  {m.density:g} kg/m³"), Text("  " + _origin(m))]
    return screen.draw(*lines)


def _origin(m: Material) -> str:
    return f"{m.source}; {m.note}" if m.note else m.source
