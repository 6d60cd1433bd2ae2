"""What a file holds: its bodies, and what has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from massprops.dialects.bodies import NamedBody


@dataclass(frozen=True, eq=False)
class Contents:
    """The bodies of a file, in its order; the names of the links that state no inertial; remarks about what was not read."""

    bodies: Sequence[NamedBody]
    without: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
