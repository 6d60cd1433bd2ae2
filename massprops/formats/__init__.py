"""Files in and out: one module per format and one line in a registry."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(where: str) -> Any:
    """The function at ``module:name`` below this package, imported when a file of its format is read or written."""
    module, name = where.split(":")
    return getattr(import_module(f"{__name__}.{module}"), name)
