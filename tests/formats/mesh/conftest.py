"""The CAD kernel in the process of the tests: a start of it takes a second."""

from __future__ import annotations

import json
from typing import Any

import pytest

from massprops.formats.mesh import step


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read by the kernel in this process."""

    def read(_module: str, argument: str, _limit: float) -> tuple[Any, dict[str, Any]]:
        from massprops.formats.mesh.step_kernel import main

        about, arrays = main(argument)
        return json.loads(json.dumps(about)), arrays

    monkeypatch.setattr(step, "run_in_subprocess", read)
