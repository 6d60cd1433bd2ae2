"""The house stands as drawn: imports point one way, and what touches the outside world stays in the command line."""

from __future__ import annotations

import ast
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from places import ROOT, parsed

PACKAGE = ROOT / "massprops"

#: The rooms of the house, from the ground up: a room may import rooms of lower floors, and its own files. A new top-level file or folder
#: needs a place here, which is a decision about the design.
FLOORS = (
    {"_version", "findings", "grades", "json_values", "values", "wording"},
    {"access"},
    {"errors"},
    {"declarations", "native", "units", "materials", "moments", "scheduling"},
    {"frames", "mesh"},
    {"rigid_body"},
    {"agents", "section"},
    {"formats"},
    {"measurement"},
    {"comparison", "diagnosis", "filling", "fleet"},
    {"checking"},
    {"writers"},
    {"cli"},
    {"__main__"},
)
ROOMS = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
#: Packages that only some may import; True: only inside a function, so that the others never pay for them.
GUESTS = {
    "mcp": ({"agents.server"}, False),
    "typer": ({"cli.with_typer"}, False),
    "rich": ({"cli", "writers"}, False),
    "PIL": ({"writers.picture.pillow", "writers.picture.section_raster"}, True),
    "scipy": ({"mesh.repair.convex_hull", "mesh.repair.holes"}, True),
    "manifold3d": ({"mesh.repair.solid_union"}, True),
    "shapely": ({"section.union", "section.torsion"}, True),
    "sectionproperties": ({"section.torsion"}, True),
    "ezdxf": ({"formats.section.dxf"}, True),
    "openpyxl": ({"formats.bodies.workbook"}, True),
    "OCP": ({"formats.mesh.cad", "formats.mesh.step_integrals"}, True),
    "trimesh": (
        {"formats.mesh.by_trimesh", "formats.mesh.writing", "measurement.measured_mesh", "measurement.result"},
        True,
    ),
    "meshlane": ({"formats.mesh.fe_meshlane"}, True),
    "pxr": ({"formats.robot.usd_stage"}, True),
    "pyarrow": ({"fleet.table"}, True),
    "distributed": ({"cli.table"}, True),
}


@dataclass(frozen=True)
class Import:
    """One import: what is named, and whether it runs only when a function is called, or never."""

    target: str
    inside_function: bool
    line: int


def module_name(path: Path) -> str:
    return ".".join(part for part in path.relative_to(PACKAGE).with_suffix("").parts if part != "__init__")


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def is_below(name: str, places: set[str]) -> bool:
    return any(name == place or name.startswith(f"{place}.") for place in places)


def room(name: str) -> str:
    return name.split(".")[0]


@cache
def imports_of(name: str) -> list[Import]:
    return list(imports(parsed(MODULES[name])))


def imports(tree: ast.AST, inside: bool = False) -> Iterator[Import]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, inside, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written out in full"
            module = node.module or ""
            names = (f"{module}.{alias.name}" for alias in node.names)
            yield from (
                Import(n if n.removeprefix("massprops.") in MODULES else module, inside, node.lineno) for n in names
            )
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "OptionalPackage":
            yield Import(ast.literal_eval(node.args[0]), True, node.lineno)  # its modules, when they are used
        else:
            costs_nothing = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            costs_nothing |= isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            yield from imports(node, inside or costs_nothing)


def test_the_walk_sees_every_import() -> None:
    code = "import a\nfrom massprops import units\nif x:\n    from b.c import d\ndef f():\n    import e\ng = OptionalPackage('g')"
    seen = [(i.target, i.inside_function) for i in imports(ast.parse(code))]
    assert seen == [("a", False), ("massprops.units", False), ("b.c", False), ("e", True), ("g", True)]


@cache
def inner_imports(name: str) -> set[str]:
    """The modules of the package that a module imports, wherever the statement stands; those for annotations alone do not count."""
    found = (i.target.removeprefix("massprops.") for i in imports_of(name) if i.target.startswith("massprops."))
    return {target for target in found if target in MODULES}


def test_every_room_has_its_floor_and_every_floor_its_rooms() -> None:
    assert {room(name) for name in MODULES if name} == set(ROOMS)


def test_imports_point_down() -> None:
    wrong = {
        (name, t)
        for name in MODULES
        if name  # the package itself shows names of every floor
        for t in inner_imports(name)
        if room(t) != room(name) and ROOMS[room(t)] >= ROOMS[room(name)]
    }
    assert wrong == set()


def test_every_floor_is_as_low_as_its_imports_allow() -> None:
    # else the list above would grow floors that nothing needs
    lowest: dict[str, int] = {}
    for level, rooms in enumerate(FLOORS):
        for r in rooms:
            below = {room(t) for name in MODULES if room(name) == r for t in inner_imports(name)} - {r}
            lowest[r] = max((lowest[b] + 1 for b in below), default=0)
        assert {r: lowest[r] for r in rooms} == dict.fromkeys(rooms, level)


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules that import each other in a loop (Tarjan's strongly connected components of more than one)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(v: str) -> None:
        order[v] = low[v] = len(order)
        stack.append(v)
        for w in graph[v]:
            if w not in order:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == order[v]:
            members = set(stack[stack.index(v) :])
            del stack[stack.index(v) :]
            if len(members) > 1:
                found.append(members)

    for v in graph:
        if v not in order:
            visit(v)
    return found


def test_circles_are_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == [{"b", "c"}]


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circles({name: inner_imports(name) for name in MODULES if name}) == []


def folder(name: str) -> str:
    """The folder inside a room that a module is in; of a file right in its room, the module itself."""
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 or MODULES[name].name == "__init__.py" else name


def test_no_folders_import_each_other_in_a_circle() -> None:
    # a lazy import is an arrow too: whoever reads one of two such folders has to read the other
    graph: dict[str, set[str]] = {folder(name): set() for name in MODULES if name}
    for name in MODULES:
        if name:
            graph[folder(name)] |= {folder(target) for target in inner_imports(name) if target} - {folder(name)}
    assert circles(graph) == []


@pytest.mark.parametrize("room", ["filling", "checking", "cli"])
def test_a_room_can_be_the_first_that_is_imported(room: str) -> None:
    # a name of the package that is also a module of it was asked for in an endless circle
    subprocess.run([sys.executable, "-c", f"import massprops.{room}"], check=True)


def test_guests_are_let_in_where_they_are_needed() -> None:
    wrong = [
        f"{name}: line {i.line}: {i.target}"
        for name in MODULES
        for i in imports_of(name)
        for hosts, only_inside in [GUESTS.get(i.target.split(".")[0], ({name}, False))]
        if not is_below(name, hosts) or (only_inside and not i.inside_function)
    ]
    assert wrong == []


@pytest.mark.parametrize("guest", GUESTS)
def test_every_guest_is_at_home_somewhere(guest: str) -> None:
    # else the test above would guard nothing
    assert any(i.target.split(".")[0] == guest for name in MODULES for i in imports_of(name))


def outside(tree: ast.AST) -> Iterator[str]:
    """Calls and attributes by which a module prints, exits, or reads the environment and the terminal."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in {"print", "input", "exit", "quit", "breakpoint"}
        ):
            yield f"line {node.lineno}: {node.id}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}"
            if name in {
                *("os.environ", "os.getenv", "os.environb", "os._exit", "os.abort"),
                *("sys.exit", "sys.argv", "sys.stdin", "sys.stdout", "sys.stderr", "shutil.get_terminal_size"),
            }:
                yield f"line {node.lineno}: {name}"
        if isinstance(node, ast.ImportFrom) and node.module in {"os", "sys"}:
            names = {alias.name for alias in node.names} & {"environ", "getenv", "exit", "stdin", "stdout", "stderr"}
            yield from (f"line {node.lineno}: {node.module}.{n}" for n in sorted(names))


def test_only_the_command_line_touches_the_world() -> None:
    found = [
        (name, use)
        for name in MODULES
        if not is_below(name, {"cli", "__main__"})
        for use in outside(parsed(MODULES[name]))
        # MASSPROPS_CORE holds for Python and the command line alike
        if (name, use.rpartition(" ")[2]) != ("native", "os.environ")
    ]
    assert found == []


def test_the_command_line_is_where_the_world_is_touched() -> None:
    # else the walk above would be blind
    assert any("os.environ" in found for found in outside(parsed(MODULES["cli"])))
    assert any("sys.stdout" in found for found in outside(parsed(MODULES["cli.streams"])))


def test_a_module_can_be_the_first_that_is_imported() -> None:
    # `from massprops import units` must not ask the package for a name that it looks up by that very import
    subprocess.run([sys.executable, "-c", "import massprops.measurement.options"], check=True)


@pytest.mark.parametrize(
    "command",
    [
        "-c 'import massprops'",
        "-c 'import massprops as m; m.measure'",
        "-m massprops compute sample_meshes/bracket.stl",
    ],
)
def test_a_start_imports_no_package_that_it_does_not_need(command: str) -> None:
    """trimesh alone takes longer than the measurement of a part."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *shlex.split(command)],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    found = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines() if "import time:" in line
    }
    assert "massprops" in found  # else nothing was seen
    heavy = {name for name, (_, only_inside) in GUESTS.items() if only_inside}
    assert found & (heavy | {"mcp", "anyio", "meshlane", "meshio", "lxml", "pandas", "pyvista", "matplotlib"}) == set()
