"""Files in and out: one module per format and one line in a registry."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(where: str) -> Any:
    """The function at ``module:name`` below this package, imported when a file of its format is read or written."""
    module, name = where.split(":")
    return getattr(import_module(f"{__name__}.{module}"), name)


class OptionalPackage:
    """A package that need not be installed: each of its modules is an attribute, imported when it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, module: str) -> Any:
        if module.startswith("__"):  # of Python: whether it is callable, a wrapper …
            raise AttributeError(module)
        found = import_module(f"{self._name}.{module}")
        setattr(self, module, found)
        return found
