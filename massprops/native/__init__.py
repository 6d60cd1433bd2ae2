"""The compiled core (massprops/native/module.c), which reads and measures large meshes where it was built; elsewhere Python and numpy do.

Without it everything runs, and gives the same results to the bit: those functions are the reference that tests compare the core with, not
another fast path. They are slower, those that read text most of all, and of thousands of long thin facets with overlapping boxes they prove
nothing unless they are asked to. The environment variable MASSPROPS_CORE chooses one core by name, for tests and comparisons.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from types import ModuleType

from massprops.errors import InvalidInput

#: Of the functions of massprops/native/module.c, which states it too: another number belongs to a build of other sources.
INTERFACE = 24

REMEDY = "install massprops again with a C compiler, without -ffast-math"


def _built() -> tuple[ModuleType | None, str]:
    """The compiled core, if it works with this version of the package; and what is wrong with it."""
    try:
        compiled = import_module("massprops._native")
    except ModuleNotFoundError:
        return None, "was not built"
    except ImportError:  # for another machine, or damaged
        return None, "cannot be loaded"
    fits = getattr(compiled, "INTERFACE", None) == INTERFACE
    return (compiled, "") if fits else (None, "belongs to another version")


@cache
def core() -> ModuleType | None:
    """The compiled core; None where numpy does its work.

    Raises
    ------
    InvalidInput
        If MASSPROPS_CORE names no core, or the compiled one where there is none that works.
    """
    choice = os.environ.get("MASSPROPS_CORE", "")
    if choice not in ("", "native", "numpy"):
        raise InvalidInput(f"MASSPROPS_CORE must be 'native' or 'numpy', got {choice!r}")
    if choice == "numpy":
        return None
    compiled, wrong = _built()
    if choice and wrong:
        raise InvalidInput(
            f"MASSPROPS_CORE is 'native', but the compiled core {wrong}", hint=f"{REMEDY}, or unset MASSPROPS_CORE"
        )
    return compiled


def description() -> str:
    """The core in use, in words, for ``massprops --version``; what is lost without the compiled one, and why it is not used."""
    if core():
        return "compiled core"
    _, wrong = _built()
    why = f"which {wrong}: {REMEDY}" if wrong else "which MASSPROPS_CORE turns off"
    return f"numpy core: large meshes take 2 to 10 times, text files 15 to 25 times as long as with the compiled core, {why}"
