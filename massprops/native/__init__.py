"""Which core does the arithmetic of large meshes: the compiled one (massprops/native/module.c) where it was built, else numpy.

Both give the same results, to the bit. The environment variable MASSPROPS_CORE chooses one of them by name, for tests and comparisons.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from types import ModuleType

from massprops.errors import InvalidInput

#: Of the functions of massprops/native/module.c, which states it too: another number belongs to a build of other sources.
INTERFACE = 9

#: Printed by ``massprops --version``.
COMPILED = "compiled core"
NUMPY = "numpy core: large meshes take two to five times as long as with the compiled core, which needs a C compiler to install"


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
    try:
        compiled = import_module("massprops._native")
    except ImportError as error:  # not built, or for another machine
        compiled, reason = None, "was not built" if isinstance(error, ModuleNotFoundError) else "cannot be loaded"
    else:
        reason = "is of other sources"
    if getattr(compiled, "INTERFACE", None) == INTERFACE:
        return compiled
    if choice:
        hint = "install massprops again with a C compiler, or unset MASSPROPS_CORE"
        raise InvalidInput(f"MASSPROPS_CORE is 'native', but the compiled core {reason}", hint=hint)
    return None


def description() -> str:
    """The core in use, in words; what is lost without the compiled one."""
    return NUMPY if core() is None else COMPILED
