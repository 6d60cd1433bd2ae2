"""What mypy and pyright make of the public names: every Python block of the README and of docs/ passes, and mistakes are seen."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from cases import each
from places import ROOT, script

import massprops

#: Lines that a type checker must refuse are marked.
USE = """
import numpy as np
import massprops

def properties_are_known(path: str, unknown: str | None) -> float:
    body = massprops.measure(path, units="mm", density=7800)
    made = massprops.measure(path, material="steel", jobs=2)
    weighed = massprops.measure(path, mass="2 kg", max_bytes=10)
    geometry = massprops.measure(path, verify="xray")
    perhaps = massprops.measure(path, material=unknown)
    geometry.properties.com  # wrong
    perhaps.properties.com  # wrong
    massprops.measure(path, densty=7800)  # wrong
    massprops.measure(path, on_open="guess")  # wrong
    return (body.properties + made.properties).mass + weighed.mass + float(body.inertia[0, 0])

massprops.shapes.box(1, 2, 3, density=7800).com.tolist()
massprops.shapes.bocks(1, 2, 3, density=7800)  # wrong
massprops.nonsense  # wrong
massprops.errors.InvalidInput
pose = massprops.Pose([[1, 0, 0], [0, 1, 0], [0, 0, 1]], (0, 0, 1))
body = massprops.MassProperties(2, [0, 0, 0], np.eye(3)).transformed(pose)
massprops.fits.box_findings(body, [0, 0, 0], (1, 1, 1))
massprops.spatial.spatial_inertia(1, [0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
massprops.MassProperties("two", [0, 0, 0], np.eye(3))  # wrong
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each block in a file of its own; packages that ship no types have a stub."""
    folder = tmp_path_factory.mktemp("blocks")
    (folder / "typings" / "scipy").mkdir(parents=True)
    for untyped in ("clarabel", "pandas", "scipy/__init__", "scipy/sparse"):
        stub = "from typing import Any\ndef __getattr__(name: str) -> Any: ...\n"
        (folder / "typings" / f"{untyped}.pyi").write_text(stub)
    examples = script(ROOT / "docs" / "examples.py")
    for page in examples.pages():
        for number, block in enumerate(examples.blocks("python", page.read_text("utf-8"))):
            (folder / f"{page.stem.replace('-', '_')}_{number}.py").write_text(block, "utf-8")
    (folder / "use.py").write_text(USE, "utf-8")
    return folder


@pytest.mark.other_programs
@each("checker", ["mypy", "pyright"])
def test_type_checkers_pass_the_examples_and_see_mistakes(checker: str, folder: Path) -> None:
    pytest.importorskip(checker)
    options = {
        "mypy": ["--strict", "--config-file=", "--output=json", f"--cache-dir={os.devnull}"],
        "pyright": ["--outputjson", f"--pythonpath={sys.executable}"],
    }[checker]
    files = sorted(path.name for path in folder.glob("*.py"))
    assert len(files) > 8
    command = [sys.executable, "-m", checker, *options, *files]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"MYPYPATH": "typings"}, capture_output=True, text=True, check=False
    )
    if checker == "mypy":
        found = [(e["file"], e["line"]) for e in map(json.loads, done.stdout.splitlines()) if e["severity"] == "error"]
    else:
        report = json.loads(done.stdout)["generalDiagnostics"]
        severe = [e for e in report if e["severity"] == "error"]
        found = [(Path(e["file"]).name, e["range"]["start"]["line"] + 1) for e in severe]
    wrong = [("use.py", n) for n, line in enumerate(USE.splitlines(), 1) if line.endswith("# wrong")]
    assert sorted(set(found)) == wrong, done.stdout + done.stderr


def test_a_measurement_with_a_density_has_the_type_that_says_so() -> None:
    box = ([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    body, geometry = massprops.measure(box, density=1000), massprops.measure(box)
    assert [type(m) for m in (body, geometry)] == [massprops.MeasuredBody, massprops.Measurement]
    for whole in (body, geometry):
        again = pickle.loads(pickle.dumps(whole))  # noqa: S301  # our own
        assert [type(m) for m in (again, replace(whole, axes="frame"))] == [type(whole)] * 2


def functions() -> Iterator[Callable[..., object]]:
    """All public functions: those of the package, of its public modules, and the methods of its public classes."""
    for value in (getattr(massprops, name) for name in massprops.__all__):
        inside = vars(value).items() if isinstance(value, type | ModuleType) else [("", value)]
        for name, member in inside:
            function = getattr(member, "__func__", member)
            here = not isinstance(value, ModuleType) or getattr(function, "__module__", "") == value.__name__
            if here and inspect.isfunction(function) and not name.startswith("_"):
                yield function


def test_every_docstring_with_sections_says_what_is_returned() -> None:
    """A docstring of one paragraph begins with what it returns."""
    found = [f for f in functions() if f.__module__.startswith("massprops.") and "\n-----" in (inspect.getdoc(f) or "")]
    assert len(found) > 60
    silent = [
        f"{f.__module__}.{f.__qualname__}"
        for f in found
        if f.__annotations__.get("return", "None") != "None"
        and not re.search(r"^(Returns|Yields)\n-----", inspect.getdoc(f) or "", re.MULTILINE)
    ]
    assert silent == []
