"""Links, bodies and results by name.

Tests: `tests/formats/robot/test_links.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from massprops.errors import ReadError
from massprops.wording import did_you_mean

_SHOWN = 8


class Named(Protocol):
    """Anything in a file that has a name and a place."""

    @property
    def name(self) -> str | None:
        """Name in the file."""

    @property
    def place(self) -> str:
        """``file:line``."""


N = TypeVar("N", bound=Named)


def named_link(things: Sequence[N], name: str, path: str, kind: str = "link") -> N:
    """The thing of this name; the last part of a nested name (``arm::hand``) will do where it is the only one, or of USD its path.

    Raises
    ------
    ReadError
        If there is none (``no-link``) or several (``ambiguous-link``).
    """
    found = [t for t in things if t.name == name] or [t for t in things if (t.name or "").rpartition("::")[2] == name]
    if name.startswith("/"):
        found = [t for t in things if t.place == f"{path}: {name}"]
    if len(found) == 1:
        return found[0]
    if found:
        places = ", ".join(f"{t.name} at {t.place}" for t in found[:_SHOWN])
        raise ReadError(f"{path}: {len(found)} {kind}s are named {name!r}: {places}", code="ambiguous-link")
    names = [t.name or "?" for t in things]
    hint = did_you_mean(name, names, f"known: {some(names)}" if names else f"it has no {kind}")
    raise ReadError(f"{path}: has no {kind} {name!r}", code="no-link", hint=hint)


def some(names: Sequence[str]) -> str:
    """The first few names, for a message."""
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
