"""What the caller allows to be measured of a surface that is not a valid solid, and how much is verified."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from massprops.errors import InvalidInput, require_type, require_word
from massprops.grades import Repair
from massprops.units import Quantity, parse_share
from massprops.values import dataclass

OnOpen = Literal["error", "integrate", "hull", "shell"]
OnInverted = Literal["error", "flip"]
OnOverlap = Literal["error", "count", "union"]
Nested = Literal["ask", "cavity", "body"]
Verify = Literal["none", "closed", "xray", "proof", "auto"]

#: Lines per side of the lattices of the X-ray; more than the most would take gigabytes.
LINES, MOST_LINES = 40, 2000


@dataclass(frozen=True, kw_only=True)
class Policies:
    """What is measured if a surface is not a valid solid, and how much is verified: see `massprops.measure`."""

    on_open: OnOpen = "error"
    on_inverted: OnInverted = "error"
    on_overlap: OnOverlap = "error"
    nested: Nested = "ask"
    verify: Verify = "auto"
    lines: int = LINES
    repair: Repair = "none"
    max_uncertainty: Quantity | None = None

    def check(self) -> None:
        """Raise InvalidInput if one of them is unknown."""
        for name, options in WORDS.items():
            require_word(getattr(self, name), options, name)
        _ = self.largest_share
        require_type(self.lines, int | np.integer, "lines", "a whole number")
        if not 1 <= self.lines <= MOST_LINES:
            raise InvalidInput(f"must be from 1 to {MOST_LINES}, got {self.lines!r}", parameter="lines")

    @property
    def largest_share(self) -> float | None:
        """How much of the volume repairs may leave open, as a share, where that was said."""
        return None if self.max_uncertainty is None else parse_share(self.max_uncertainty, name="max uncertainty")


#: What a policy can be, by name.
WORDS = {
    "on_open": get_args(OnOpen),
    "on_inverted": get_args(OnInverted),
    "on_overlap": get_args(OnOverlap),
    "nested": get_args(Nested),
    "verify": get_args(Verify),
    "repair": get_args(Repair),
}
