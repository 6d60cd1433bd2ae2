"""What all tests share: laws without a deadline; where the tests run again and again, the same examples; elsewhere new ones."""

from __future__ import annotations

import gc
import os

import pytest
from hypothesis import settings

# a law is no stopwatch: on a busy machine any example may take half a second
pytest.register_assert_rewrite("console", "oracles")

settings.register_profile("massprops", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "massprops")


def pytest_collection_finish() -> None:
    """Spare the garbage collector thousands of tests and modules, which stay until the end."""
    gc.collect()
    gc.freeze()
