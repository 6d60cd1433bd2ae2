"""Where things stand that tests read: the checkout, its modules parsed once, and the corpus, which may be absent."""

from __future__ import annotations

import ast
import functools
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
#: Real robots, meshes and sections; tests that need them skip where it is not there.
CORPUS = Path(os.environ.get("MASSPROPS_CORPUS") or ROOT.parent / "shared" / "corpus")


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """All nodes of a module."""
    return list(ast.walk(parsed(path)))


def script(path: Path) -> ModuleType:
    """A script of the checkout, as a module named after its folder."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
