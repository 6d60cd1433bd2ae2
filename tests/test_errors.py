"""Errors of the library: their remedies name arguments in Python and options on a command line."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import nodes

import massprops
from massprops.access import allowing
from massprops.cli.spelling import CommandLine
from massprops.errors import InvalidInput, MasspropsError, Remedy, spell
from massprops.formats.bodies import write
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.mesh.writing import mesh_bytes
from massprops.scheduling import results

RULES = ("rings=evenodd", "rings=nonzero")
PACKAGE = Path(massprops.__file__).parent


@pytest.mark.parametrize(
    ("remedy", "python", "shell"),
    [
        (Remedy("choose {} for a sheet", "on_open=shell"), "choose on_open='shell' for a sheet", "choose --on-open shell for a sheet"),
        (Remedy("mend the export", see="on_overlap"), "mend the export, or see on_overlap=", "mend the export, or see --on-overlap"),
        (Remedy("", see=("repair", "lines")), "see repair= and lines=", "see --repair and --lines"),
        (Remedy("", see=RULES), "see rings='evenodd' or rings='nonzero'", "see --rings evenodd or --rings nonzero"),
        (Remedy("try {}", "jobs=1"), "try jobs=1", "try --jobs 1"),
        (Remedy("{} reads it", "allow_outside=True"), "allow_outside=True reads it", "--allow-outside reads it"),
        (Remedy("give {}", "packages=arm=FOLDER"), "give packages={'arm': 'FOLDER'}", "give --package arm=FOLDER"),
        (Remedy("{} or {}", "kind=wall", "format=stl"), "kind='wall' or format='stl'", "--as wall or --type stl"),
        (Remedy("'massprops fill R.urdf' adds it"), "massprops.fill adds it", "'massprops fill R.urdf' adds it"),
        (Remedy("'massprops compute' with {}", "kind=wall"), "massprops.measure with kind='wall'", "'massprops compute' with --as wall"),
        (Remedy("make one with --format json", python="make one of to_dict()"), "make one of to_dict()", "make one with --format json"),
        (Remedy("mend {it}"), "mend {it}", "mend {it}"),  # without arguments braces are text
    ],
)  # fmt: skip
def test_a_remedy_is_spelled_where_it_is_read(remedy: Remedy, python: str, shell: str) -> None:
    error = pickle.loads(pickle.dumps(InvalidInput("is wrong", hint=remedy, parameter="kind", place="a.stl")))  # noqa: S301
    assert (error.hint, str(error)) == (python, f"a.stl: kind is wrong; {python}")
    with allowing(spelling=CommandLine("compute")):
        assert (error.hint, str(error)) == (shell, f"a.stl: --as is wrong; {shell}")
        assert error.message_in_file == "a.stl: kind is wrong"  # a key of a file
        assert error.to_dict() == {"code": "invalid-input", "message": "a.stl: --as is wrong", "hint": shell}
    assert error.hint == python
    assert error.remedy == remedy


@pytest.mark.parametrize(
    ("remedy", "shell"),
    [
        (Remedy("mend the export", see="on_open"), "mend the export"),
        (Remedy("", see="on_open"), "mend it in the program that made it"),
        (Remedy("", see=RULES), "mend it in the program that made it"),
        (Remedy("", see=("max_bytes", "on_open")), "see --max-bytes"),
    ],
)
def test_an_option_that_the_command_lacks_is_left_out(remedy: Remedy, shell: str) -> None:
    with allowing(spelling=CommandLine("init")):
        assert str(remedy) == shell


def told(task: str) -> tuple[str, InvalidInput]:
    return f"see {spell(task)}", InvalidInput("is wrong", hint=Remedy("", see=task))


def test_workers_spell_as_the_process_that_waits_for_them() -> None:
    with allowing(spelling=CommandLine("compute")):
        ((finding, error),) = results(told, ["lines"], 1)
        assert (finding, error.hint) == ("see --lines", "see --lines")


_O, _X, _Y, _Z = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
OPEN = [[_O, _Y, _X], [_O, _X, _Z], [_O, _Z, _Y]]
CLOSED = [*OPEN, [_X, _Y, _Z]]
INVERTED = [t[::-1] for t in CLOSED]
APART = [[[x + 5, y, z] for x, y, z in t] for t in INVERTED]
INSIDE = [[[0.1 + 0.2 * x, 0.1 + 0.2 * y, 0.1 + 0.2 * z] for x, y, z in t] for t in CLOSED]
ACROSS = [[[x + 0.1, y + 0.1, z + 0.1] for x, y, z in t] for t in CLOSED]


def measured(mesh: Any, **options: Any) -> Callable[[Path], Any]:
    return lambda folder: massprops.measure(
        np.array(mesh, float) if isinstance(mesh, list) else folder / mesh, **options
    )


ROBOT = """<robot name="r">
  <link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>"""
NAMELESS = massprops.NamedBody(name="", properties=massprops.shapes.box(1, 1, 1, density=1))

REFUSALS: list[tuple[str, str, Callable[[Path], Any]]] = [
    ("see on_open=", "", measured(OPEN, repair="none")),
    ("or see on_inverted=", "", measured(INVERTED, on_inverted="error", repair="none")),
    ("or see on_inverted=", "", measured([*CLOSED, *APART], on_inverted="error", repair="none")),
    ("nested='cavity' for ", "", measured([*CLOSED, *INSIDE], repair="none")),
    ("or see on_overlap=", "", measured([*CLOSED, *ACROSS], repair="none")),
    ("or see on_overlap=", "", measured([*CLOSED, *CLOSED], repair="none")),
    ("or see repair=", "", measured([*OPEN, *(t[::-1] for t in OPEN)], repair="none")),
    ("choose on_open='shell' for a sheet", "", measured(OPEN[:1], on_open="hull")),
    ("give density=, material= or mass=", "", measured(CLOSED, thickness="1mm", density=1)),
    ("leave out on_open='shell'", "", measured(CLOSED, on_open="shell", mass=1)),
    ("add thickness=, or give area_density=", "", measured(OPEN, on_open="shell", density=1)),
    ("see max_uncertainty= and chord_tolerance=", "", measured("a.svg", max_uncertainty=1e-18)),
    ("pass format='obj'", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", measured("a.stl")),
    ("say with format= what it is", "hello, this is text " * 9, measured("a.stl")),
    ("max_bytes=", "solid\n" + " " * 99, measured("a.obj", max_bytes=9)),
    ("say units= if these are lengths", '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}', measured("a.geojson")),
    ("or use rings='nonzero'", "0,0\n1,1\n1,0\n0,1\n", measured("a.csv")),
    ("give the body a name", "", lambda _: write([NAMELESS], "urdf")),
    ("choose another suffix", "", lambda _: mesh_bytes(np.zeros((3, 3)), np.zeros((1, 3), int), ".xyz")),
    ("measure it first, with massprops.measure", "solid", lambda folder: open_bodies(folder / "a.stl")),
    ("run massprops.fill first", '<robot name="r"><link name="a"/></robot>', lambda folder: massprops.sample(folder / "a.urdf", mass="5%")),
    ("massprops.fill computes it; missing='ignore'", ROBOT, lambda folder: massprops.combine(folder / "a.urdf")),
]  # fmt: skip


@pytest.mark.parametrize(("remedy", "text", "refused"), REFUSALS)
def test_messages_in_python_name_arguments(
    remedy: str, text: str, refused: Callable[[Path], Any], tmp_path: Path
) -> None:
    for name in ("a.stl", "a.obj", "a.geojson", "a.csv", "a.urdf"):
        (tmp_path / name).write_text(text)
    (tmp_path / "a.svg").write_text(CIRCLE)
    with pytest.raises(MasspropsError) as caught:
        refused(tmp_path)
    assert remedy in caught.value.hint
    assert not re.search(r"--[a-z]", str(caught.value))


@pytest.mark.parametrize(("name", "given"), [("a.csv", {"density": 4}), ("a.stl", {"area_density": 3})])
def test_an_option_that_a_file_does_not_take_is_said_of_the_file(
    name: str, given: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text("0,0\n1,0\n0,1\n")
    if name == "a.stl":
        file.write_bytes((PACKAGE.parent / "sample_meshes/bracket.stl").read_bytes())
    for call in (massprops.measure, massprops.plot, lambda f, **how: massprops.diff(f, f, **how)):
        with pytest.raises(massprops.InvalidInput) as caught:
            call(file, **given)
        assert str(caught.value).startswith(f"{file}: a"), call


CIRCLE = '<svg xmlns="http://www.w3.org/2000/svg" width="9mm" height="9mm" viewBox="0 0 9 9"><path d="M0 0C1 0 2 1 2 2L0 2Z"/></svg>'

#: Modules whose texts a command line prints: help of options, and tables of commands.
OF_COMMANDS = ("cli", "measurement/options.py", "checking/settings.py", "filling/settings.py", "writers")


def test_texts_below_the_command_line_name_no_options() -> None:
    """A text with an option in it stands only beside its twin for Python."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).as_posix().startswith(OF_COMMANDS):
            continue
        known = nodes(path)
        texts = {id(node): node for node in known if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        for node in known:
            documents = isinstance(node, ast.Expr)
            twins = isinstance(node, ast.FunctionDef | ast.Assign) and any(
                isinstance(each, ast.Call) and any(k.arg == "python" for k in each.keywords) for each in ast.walk(node)
            )
            if documents or twins:
                for each in ast.walk(node):
                    texts.pop(id(each), None)
        found += [
            f"{path}:{n.lineno}" for n in texts.values() if re.search(r"(?<![-\w])--[a-z]|`massprops ", str(n.value))
        ]
    assert found == []
