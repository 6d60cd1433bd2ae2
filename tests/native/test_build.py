"""How the compiled core is built: flags that would give other bits are refused, and one build fits every Python."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from places import ROOT

MODULE = ROOT / "massprops" / "native" / "module.c"
#: Those without Python.h, which may not be there; the module includes `native.h` of all others.
SOURCES = sorted(path for path in MODULE.parent.glob("*.c") if path != MODULE)
COMPILER = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
X86 = platform.machine() in ("x86_64", "AMD64")

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")


def compiled(source: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [str(COMPILER), "-std=gnu11", *flags, str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@needs_compiler
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_a_build_that_would_give_other_bits_is_refused(source: Path) -> None:
    """Else results of CFLAGS=-ffast-math would differ from those of numpy; as the build is optional, numpy takes over."""
    flags = [["-ffast-math"], ["-Ofast"], *([["-mfpmath=387"]] if X86 else [])]
    for chosen in flags:
        done = compiled(source, "-E", "-o", "/dev/null", *chosen)
        assert done.returncode, chosen
        assert "massprops needs IEEE 754 arithmetic: compile without -ffast-math" in done.stderr


@needs_compiler
@pytest.mark.skipif(not X86, reason="the names of instructions")
def test_no_flag_contracts_a_product_and_a_sum() -> None:
    """Else a build without the flags of setup.py has fused operations, of other bits."""
    contracting = ["-O2", "-march=haswell", "-ffp-contract=fast", "-S", "-o", "-"]
    assert "vfmadd" in compiled_text("double f(double a, double b, double c) { return a * b + c; }", contracting)
    for source in SOURCES:
        assert not re.search("vfn?m(add|sub)", compiled(source, *contracting).stdout), source.name


def compiled_text(text: str, flags: list[str]) -> str:
    command = [str(COMPILER), *flags, "-x", "c", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


@needs_compiler
@pytest.mark.parametrize("name", ["fuzz.c", "threads.c"])
def test_what_the_sanitizers_run_calls_functions_that_are_there(name: str) -> None:
    """It runs once a week, and is compiled nowhere else."""
    done = compiled(ROOT / "tests" / "native" / name, "-fsyntax-only", "-Wall", "-Wextra", "-Werror")
    assert done.returncode == 0, done.stderr


def test_a_build_by_a_later_python_serves_an_earlier_one() -> None:
    """Formats with `#` take the macros of the headers: a build by 3.13 fails at every call by 3.11 and 3.12."""
    text = MODULE.read_text(encoding="utf-8")
    calls = re.findall(r'(?:BuildValue|Parse\w*)\((?:\w+, )*("[^"]*")', text)
    assert calls
    assert not [form for form in calls if "#" in form]
