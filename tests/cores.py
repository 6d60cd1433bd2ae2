"""Tests under one core or the other, whatever the environment says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from massprops import native

try:
    from massprops import _native
except ImportError:
    _native = None

compiled = pytest.mark.skipif(_native is None, reason="the compiled core was not built")
#: Both cores, for `pytest.mark.parametrize`.
CORES = ["numpy", pytest.param("native", marks=compiled)]


@contextmanager
def core_of(choice: str) -> Iterator[None]:
    """With this core."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASSPROPS_CORE", choice)
        native.core.cache_clear()
        yield
    native.core.cache_clear()
