"""The house stays small enough to be read: code lines below a ceiling, docstrings that name their noun, one name for one type."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from places import ROOT, nodes, parsed

PACKAGE = ROOT / "massprops"
BRACKET = ROOT / "sample_meshes" / "bracket.stl"
#: The most lines of code. A row in the ledger of docs/architecture.md says what is new, and what was deleted.
PYTHON, C, TESTS = 46_579, 2_535, 48_960
#: The most lines and branches of a function.
LINES, BRANCHES = 60, 8
#: The modules that look into the tables of suffixes; what kind of file a name means is asked of `massprops.formats.kinds`.
TABLES = {"MESHES", "PLANAR", "ROBOTS"}
ASKING = 15
#: State that no signature shows: what holds for the command or call that runs.
STATE = {"access.py"}
#: Functions and files of the program that run when a part is measured, and when its table is printed: the most.
MEASURED, SHOWN = (187, 40), (405, 65)
#: Runs `measure` or the command line, and prints how many functions ran, and in how many files.
PROFILE = """
import os, sys
import massprops, massprops.cli
massprops.measure
ran = set()
def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and code.co_name[0] != "<" and "massprops" in code.co_filename.split(os.sep):
        ran.add((code.co_filename, code.co_firstlineno))
sys.setprofile(note)
{}
sys.setprofile(None)
print(len(ran), len({{file for file, _ in ran}}))
"""
#: First words that leave a reader to guess the noun.
RIDDLE = re.compile(r"(Of|Those|That|The same|All of|As|What|Which|Such|One of|Some of)\b")
BRANCH = ast.If | ast.For | ast.While | ast.ExceptHandler
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(tree: ast.AST) -> list[ast.stmt]:
    """Those of a file: they stand in modules, classes and functions, which stand in no expression."""
    return [n.body[0] for n in statements(tree) if isinstance(n, Documented) and ast.get_docstring(n) is not None]


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(tree, block, ()):
            yield from statements(inner)


def lines_of(nodes: Iterable[ast.AST]) -> set[int]:
    return {line for n in nodes for line in range(n.lineno, (n.end_lineno or 0) + 1)}  # type: ignore[attr-defined]


def code_lines(path: Path) -> int:
    """Lines of Python without blanks, comments and docstrings. What looks like a comment in a long text is text."""
    text, tree = path.read_text(encoding="utf-8"), parsed(path)
    prose = docstrings(tree)
    lines = {n for n, line in enumerate(text.splitlines(), 1) if (bare := line.strip()) and bare[0] != "#"}
    if text.count('"""') > 2 * len(prose):
        lines |= lines_of(n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr | ast.Constant))
    return len(lines - lines_of(prose))


def c_lines(text: str) -> int:
    """Lines of C without blanks and comments."""
    bare = re.sub(
        r'"(?:\\.|[^"\\])*"|/\*.*?\*/|//[^\n]*',
        lambda m: m[0] if m[0][0] == '"' else "\n" * m[0].count("\n"),
        text,
        flags=re.DOTALL,
    )
    return sum(bool(line.strip()) for line in bare.splitlines())


def rooms(folder: Path) -> Counter[str]:
    """Lines of code by room: the folders of a folder, and its own files together."""
    counts: Counter[str] = Counter()
    for path in folder.rglob("*.py"):
        inside = path.relative_to(folder).parts
        counts[inside[0] if len(inside) > 1 else "(files)"] += code_lines(path)
    return counts


def test_the_count_leaves_out_blanks_comments_and_docstrings(tmp_path: Path) -> None:
    text = '"""Doc\nstring."""\n\n# comment\nx = """a\n\nb"""  # three lines\n\n'
    text += 'def f():\n    """One."""\n    return (\n        x\n    )\n'
    text += 'y = """\n# no comment\n"""\n'
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert code_lines(tmp_path / "a.py") == 3 + 1 + 3 + 3
    assert c_lines('/* a\n b */\nint x; // c\n\nchar *s = "/* no */";\n') == 2


def test_the_code_is_below_its_ceiling() -> None:
    """`pytest -s` prints the rooms."""
    counts, tests = rooms(PACKAGE), rooms(ROOT / "tests")
    native = sum(c_lines(p.read_text(encoding="utf-8")) for p in (PACKAGE / "native").glob("*.[ch]"))
    for name, found in (("massprops", counts), ("tests", tests)):
        print(f"{name}: {sum(found.values())} lines of Python:", ", ".join(f"{k} {v}" for k, v in found.most_common()))
    print(f"massprops/native: {native} lines of C")
    assert sum(counts.values()) <= PYTHON, counts.most_common()
    assert native <= C
    assert sum(tests.values()) <= TESTS, tests.most_common()


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{path.relative_to(PACKAGE).as_posix()} {n.name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for n in nodes(path)
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
        and (len(code_of(n)) > LINES or sum(isinstance(x, BRANCH) for x in ast.walk(n)) > BRANCHES)
    }
    assert long == set()


def code_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
    """Lines of a function from its first statement on."""
    return lines_of(function.body[ast.get_docstring(function) is not None :])


def test_the_kind_of_a_file_is_asked_in_one_place() -> None:
    asking = {
        path
        for path in PACKAGE.rglob("*.py")
        for n in nodes(path)
        if isinstance(n, ast.ImportFrom) and TABLES & {alias.name for alias in n.names}
    }
    assert len(asking) <= ASKING, sorted(asking)


def test_hardly_any_state_is_hidden() -> None:
    hidden = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for n in parsed(path).body
        if isinstance(n, ast.Assign | ast.AnnAssign) and "ContextVar(" in ast.unparse(n)
    }
    assert hidden == STATE


@pytest.mark.parametrize(
    ("code", "most"),
    [
        (f"massprops.measure({str(BRACKET)!r})", MEASURED),
        (f"massprops.cli.main(['compute', {str(BRACKET)!r}, '--output', os.devnull])", SHOWN),
    ],
)
def test_the_main_path_is_short(code: str, most: tuple[int, int]) -> None:
    done = subprocess.run([sys.executable, "-c", PROFILE.format(code)], capture_output=True, text=True, check=True)
    functions, files = map(int, done.stdout.split())
    print(f"{functions} functions in {files} files")
    assert (functions, files) <= most
    assert files <= most[1]


def test_the_tour_names_twelve_files_that_are_there() -> None:
    tour = (
        (ROOT / "docs" / "architecture.md")
        .read_text(encoding="utf-8")
        .split("## A tour for newcomers")[1]
        .split("## ")[0]
    )
    named = re.findall(r"^\d+\. `(\S+\.py)`", tour, re.MULTILINE)
    assert len(named) == 12
    assert all((PACKAGE / name).is_file() for name in named)


def test_a_table_of_a_mesh_loads_no_module_of_plane_sections() -> None:
    code = f"import sys, massprops.cli; massprops.cli.main(['compute', {str(BRACKET)!r}])\n"
    code += "sys.exit(any(name.startswith('massprops.section') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_the_first_line_of_a_docstring_names_its_noun() -> None:
    riddles = [
        f"{path.relative_to(ROOT)}:{d.lineno}: {text.splitlines()[0]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for n in statements(parsed(path))
        if isinstance(n, Documented) and (text := ast.get_docstring(n)) and RIDDLE.match(text)
        for d in [n.body[0]]
    ]
    assert riddles == []


def test_a_name_means_one_type() -> None:
    names: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                names.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: found for name, found in names.items() if len(found) > 1} == {}


def test_a_function_is_a_verb_or_a_noun() -> None:
    """`shown(point)` leaves open whether the point is displayed or was; the arrays' rooms are published under their names."""
    published = {"rigid_body/batch.py", "rigid_body/spatial.py"}
    irregular = {"shown", "said", "kept", "made", "found", "known", "given", "held", "told"}
    participles = [
        f"{path.relative_to(PACKAGE)}: {node.name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if str(path.relative_to(PACKAGE)) not in published
        for node in parsed(path).body
        if isinstance(node, ast.FunctionDef) and (re.fullmatch(r"[a-z]+[^e]ed", node.name) or node.name in irregular)
    ]
    assert participles == []


def test_a_newcomer_finds_the_test_of_a_module() -> None:
    """It is tests/<room>/test_<module>.py, or the docstring of the module names it."""
    lost = []
    for path in sorted(PACKAGE.rglob("[!_]*.py")):
        room, tests = path.relative_to(PACKAGE).parent, ROOT / "tests"
        named = re.findall(r"`(tests/\S+\.py)`", ast.get_docstring(parsed(path)) or "")
        found = [tests / r / f"test_{path.stem}.py" for r in (room, *room.parents)] if not named else []
        if not (all((ROOT / n).is_file() for n in named) if named else any(f.is_file() for f in found)):
            lost.append(str(path.relative_to(PACKAGE)))
    assert lost == []
