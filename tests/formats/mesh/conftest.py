"""The CAD kernel in the process of the tests: a start of it takes a second."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from massprops.formats.mesh import step
from massprops.formats.mesh.step_references import StepFile
from massprops.mesh.source import InputFile


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read by the kernel in this process."""

    def read(_file: InputFile, _files: Sequence[StepFile], *arguments: Any) -> dict[str, Any]:
        from massprops.formats.mesh.step_kernel import archive

        with np.load(io.BytesIO(archive(*arguments))) as found:
            return dict(found)

    monkeypatch.setattr(step, "_in_a_process", read)
