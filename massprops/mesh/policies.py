"""Policies of the caller: what may be measured of a surface that is not a valid solid, and how much is verified.

Tests: `tests/mesh/test_winding_policy.py`.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Literal, get_args

from massprops.declarations import INVALID, option
from massprops.errors import require_count, require_word, spelling
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
#: How much of the volume all sources together may leave open, unless the caller says otherwise.
LIMITS = {"safe": 1e-2, "full": 0.1}


@dataclass(frozen=True, kw_only=True)
class Policies:
    """Policies for surfaces that are not valid solids, and for their verification: see `massprops.measure`."""

    on_open: OnOpen = option(
        INVALID,
        "Open or inconsistently oriented surface: refuse, integrate as it is, measure the convex hull, or measure "
        "the surface as a sheet. [default: error]",
        default="error",
        words=get_args(OnOpen),
        common=True,
    )
    on_inverted: OnInverted = option(
        INVALID,
        "Inside-out surface: refuse, or reverse all faces. [default: error]",
        default="error",
        words=get_args(OnInverted),
    )
    on_overlap: OnOverlap = option(
        INVALID,
        "Overlapping or self-intersecting solids: refuse (above 0.1 % of the volume), count the overlap twice, or take "
        "the union. [default: error]",
        default="error",
        words=get_args(OnOverlap),
    )
    repair: Repair = option(
        INVALID,
        "Repair a surface that would be refused: never, if repairs, unions and bodies inside others leave at "
        "most 1 % of the volume open, or up to 10 %. [default: safe; check of a mesh: none, of links: full]",
        default="none",
        words=get_args(Repair),
    )
    max_uncertainty: Quantity | None = option(
        INVALID,
        "Largest ± of the volume (section: area), from any source: above it the file is refused. [default: 1 %, of "
        "full repairs 10 %; above it, repairs are refused, and any other result has an error]",
        metavar="SHARE",
        check=parse_share,
    )
    nested: Nested = option(
        INVALID,
        "Shell inside another, same orientation: refuse, the opposite (a cavity), or part of it. [default: ask]",
        default="ask",
        words=get_args(Nested),
    )
    verify: Verify = option(
        INVALID,
        "What is verified: nothing; that the surface is closed; the winding number on X-ray lines; that no facets meet, "
        "a proof; or the proof up to 50,000,000 facets (2 GB) and the X-ray above. [default: auto]",
        default="auto",
        words=get_args(Verify),
    )
    lines: int = option(INVALID, "Lines per side of the three X-ray grids.", default=LINES, min=1, scope="result")

    def check(self) -> None:
        """Raise InvalidInput if one of them is unknown."""
        for f in fields(self):
            if (words := f.metadata.get("words")) and (word := getattr(self, f.name)) is not f.default:
                require_word(word, words, f.name)
        _ = self.largest_share
        if self.lines is not LINES:
            object.__setattr__(self, "lines", require_count(self.lines, "lines", MOST_LINES))

    @property
    def largest_share(self) -> float | None:
        """Largest share of the volume that repairs may leave open; None if it is not given."""
        if self.max_uncertainty is None:
            return None
        return parse_share(self.max_uncertainty, name=spelling().name("max_uncertainty"))

    @property
    def limit(self) -> float:
        """Largest share of the volume that may be open."""
        return self.largest_share or LIMITS["full" if self.repair == "full" else "safe"]
