"""Names of files and other foreign text, made fit for a line on a screen."""

from __future__ import annotations


def plain(text: str) -> str:
    """The text with everything escaped that would break the line or steer a terminal: newlines, control codes, stray bytes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
