"""What a report is drawn on: so many columns, with colour or without."""

from __future__ import annotations

import io
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType

from massprops.formats.escaping import log_line


@dataclass(frozen=True)
class Screen:
    """The size and abilities of where the report goes; nothing here looks at the environment."""

    width: int = 80
    color: bool = False

    def draw(self, *parts: RenderableType) -> str:
        """The parts, one below the other, as text; no line ends in blanks."""
        stream = io.StringIO()
        console = Console(
            file=stream,
            width=self.width,
            force_terminal=self.color,
            color_system="standard" if self.color else None,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            _environ={},
        )
        console.print(Group(*parts))
        return "".join(log_line(line.rstrip()) + "\n" for line in stream.getvalue().splitlines())
