"""What all tests share: laws without a deadline; where the tests run again and again, the same examples; elsewhere new ones."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from places import BYTECODE

# a law is no stopwatch: on a busy machine any example may take half a second
pytest.register_assert_rewrite("console", "oracles")

# Forty examples: a law over whole bodies that breaks at all breaks at nearly every body; tests of readers, whose faults are in a few
# inputs of many, state more. `--hypothesis-profile thorough` is for a change of a kernel.
settings.register_profile("massprops", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("ci" if os.environ.get("CI") else "massprops")


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main() -> Iterator[None]:
    """Where Python writes no bytecode beside the sources, starts of the program share a folder for it, until the tests are over.

    Else each of them compiles the whole package: a second and a half.
    """
    if not sys.dont_write_bytecode or BYTECODE in os.environ:
        return (yield)
    with TemporaryDirectory() as folder:
        os.environ[BYTECODE] = folder
        return (yield)


def pytest_collection_finish() -> None:
    """Spare the garbage collector thousands of tests and modules, which stay until the end."""
    gc.collect()
    gc.freeze()
