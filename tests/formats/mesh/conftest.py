"""The CAD kernel in the process of the tests: a start of it takes a second."""

from __future__ import annotations

import cases
import pytest

from massprops.formats.mesh import step


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read by the kernel in this process."""
    monkeypatch.setattr(step, "run_in_subprocess", cases.in_this_process)
