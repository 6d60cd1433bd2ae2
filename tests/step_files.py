"""STEP files for the tests, written by the CAD kernel; tests that need it skip without it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

needs_kernel = pytest.mark.skipif(find_spec("OCP") is None, reason="the extra `step` is not installed")


def written(shapes: Callable[[Any, Any], None], path: Path, unit: str = "MM", prefix: str | None = None) -> Path:
    """A STEP file of what `shapes` adds to a document; with a prefix, beside files of its parts whose names begin with it."""
    from OCP.Interface import Interface_Static
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.STEPControl import STEPControl_StepModelType as Model
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDocStd import TDocStd_Document
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    document = TDocStd_Document(TCollection_ExtendedString("test"))
    writer = STEPCAFControl_Writer()
    Interface_Static.SetCVal_s("write.step.unit", unit)
    shapes(XCAFDoc_DocumentTool.ShapeTool_s(document.Main()), document)
    writer.Transfer(document, Model.STEPControl_AsIs, prefix)
    writer.Write(str(path))
    Interface_Static.SetCVal_s("write.step.unit", "MM")
    return path


def named(label: Any, name: str) -> Any:
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name

    TDataStd_Name.Set_s(label, TCollection_ExtendedString(name, True))
    return label
