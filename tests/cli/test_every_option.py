"""Every option of every command with a valid value, on every kind of input and in every output format: no traceback, no warning.

The suite tries each option on every other kind; a weekly job tries all of them (`MASSPROPS_CASES`).

Where an option has no meaning the refusal names it. Modules tested: all of `cli`.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import combinations, product
from pathlib import Path, PurePath
from random import Random

import pytest
import trimesh
from console import OUTWARD, VERTICES
from places import ROOT

from massprops.cli import main
from massprops.cli.app import COMMANDS
from massprops.cli.check import _FORMATS
from massprops.cli.groups import CommandParameter, declarations
from massprops.declarations import _KINDS, _TABLE, _rows
from massprops.formats.mesh import step
from massprops.formats.table import PLANAR
from massprops.section import torsion
from massprops.writers.page import entries

#: A value of each option that takes a text or a number; `command --option` where it has another one.
VALUES = """
--density 7800; --material steel; --mass 1.2kg; --area-density 80gsm; --thickness 1.5mm; --infill 15%; --units mm; --chord-tolerance 0.1mm
--override-units in
--max-uncertainty 5%; --part-density *=7800; --part-material *=steel; --layer 0; --gap 1mm; --ratio *=2; --config m.toml; --digits 3
--output-units in,lb; --about 10mm,20mm; --link arm; --pose 1 2 3 0 0 90deg; --matrix m.txt; --frame 1 2 3 0 0 90deg; --frame-matrix m.txt
--axis 0 0 12mm 0 0 1; --lines 4; --include *.stl; --exclude *.urdf; --output-table new.csv; --jobs 1; --max-mass 3kg; --max-size 1m
--volume 1cm3±5%; --density-range 1000..8000; --com-box 0 0 0 1 1 1; --require certified; --select open-edges; --ignore open-edges
--severity open-edges=info; --expect body.json; --rtol 1e-3; --baseline m.json; --explain open-edges; --against closed.stl
--package a=meshes; --pictures new; --set *=mass:0.4kg; --links all; --report new.json; --show axes,box,bounds; --size 100x100
--joint elbow=90deg; --type stl; --atol-length 0.1mm; --atol-mass 5g; --atol-angle 1; --root base; --at 1 2 3 0 0 90deg; --com 0 0 1 mm
--inertia 1 0 0 1 0 1 kg m2; --x 1; --y 1; --z 1; --radius 2; --length 1; --height 1; --outer-radius 2; --inner-radius 1
--tube-radius 1; --top-radius 1
--rx 1; --ry 1; --rz 1; --inner-rx 0.5; --base 1; --apex 1; check --mass 1.2kg±5%; --timeout 5
mcp --root .; --output -; repair --output new.ply; --n 2; --seed 7; sample --mass 5%; sample --com 3mm; sample --inertia 10%
sample --links *; sample --output new; check --certificate m.json; compute --certificate new.json; --engine mujoco,bullet
combine --overlap count; fill --mirror left=right; compute --together *
"""
#: Other options without which one has no meaning.
BESIDE = """
--infill --as=wall --thickness=1mm; --centered --thickness=1mm; --timing --output-table=new.csv; --fail-fast --output-table=new.csv
--update --expect=new.json; --update-baseline --baseline=new.json
"""
#: What a refusal speaks of instead of an option.
SPEAKS_OF = """
--material density; --part-density parts; --part-material parts; --ratio part; --combine of meshes|parts of a section; --against name one
--centered thickness; --list-parts parts; --lump-fixed fixed links merged
--as wall needs|mass per area; --type drawn as; --timing output-table; --fail-fast output-table
--infill is for meshes|thickness; --for does not read
"""
#: Each format is beside some of all options; `tests/fleet/test_cluster.py` has a scheduler.
ELSEWHERE = ("format", "cluster", "send_files")
#: A file of each kind, or several that options take in turn; after `<` what standard input has.
FILES = """
closed.stl|open.stl|plate_and_posts.3mf|part.glb|part.step, arm.urdf|arm.sdf|arm.xml, trolley.toml, body.json, mixed, \
angle.csv|plate.dxf|angle.svg|plate.geojson|angle.wkt|angle.xy|wedge.dat, - <closed.stl|- <angle.csv|- <body.json|- <arm.urdf
"""
INPUTS = {
    "report": "closed.stl|open.stl|plate_and_posts.3mf, angle.csv, arm.urdf, body.json",
    "shape": "box --x=1 --y=2 --z=3 --mass=1, sphere --radius=1 --mass=1, plate --x=1 --y=1 --mass=1",
    "explain": "--mass=1kg --inertia=1,0,0,1,0,1, " + FILES.strip(),
    "materials": "steel",
    "mcp": "",
    "sample": "arm.urdf|arm.sdf|arm.xml, body.json, - <arm.urdf",
    "schema": "",
}
#: Commands of which pairs of options are tried, and the input of each.
PAIRED = {
    "check": "arm.urdf",
    "fill": "arm.urdf",
    "plot": "closed.stl",
    "report": "closed.stl",
}
ENDS = """
plot --output=new.{} --size=100x100; report --output=new.html; repair --output=new.ply; init --output=new.toml; check --jobs=1
sample --mass=5% --output=new
"""
BOX = "<geometry><box><size>.1 .2 .3</size></box></geometry>"
WRITTEN = {
    "arm.sdf": f"""<sdf version="1.9"><model name="m"><link name="base"><inertial><mass>6</mass><inertia><ixx>0.065</ixx><iyy>0.05</iyy>
<izz>0.025</izz></inertia></inertial><visual name="v">{BOX}</visual></link><link name="tip"><collision name="c">{BOX}</collision></link>
<joint name="elbow" type="revolute"><parent>base</parent><child>tip</child><axis><xyz>1 0 0</xyz></axis></joint></model></sdf>""",
    "arm.xml": """<mujoco><worldbody><body name="base"><inertial pos="0 0 0" mass="6" diaginertia=".065 .05 .025"/><body name="tip">
<joint name="elbow" axis="1 0 0"/><geom type="box" size=".05 .1 .15"/></body></body></worldbody></mujoco>""",
    "m.txt": "1 0 0 .1\n0 1 0 0\n0 0 1 0\n0 0 0 1\n",
    "m.toml": 'units = "mm"\n',
    "m.json": '{"schema": "massprops-baseline/1", "known": []}',
}


def pairs(text: str) -> dict[str, str]:
    """The values in a table by what stands before each."""
    return dict(re.findall(r"((?:\w+ )?--[\w-]+|\w+) ([^;\n]+)", text))


def run(words: list[str], stdin: bytes = b"") -> tuple[int, str]:
    """The exit code, and all that is printed, in this process."""
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in (("stdin", io.TextIOWrapper(io.BytesIO(stdin))), ("stdout", printed), ("stderr", printed)):
            patch.setattr(sys, name, stream)
        status = main(words)
    return status, printed.buffer.getvalue().decode(errors="replace")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file of each kind; the CAD kernel, which takes two seconds for a file, reads each once, and torsion is solved once."""
    home = tmp_path_factory.mktemp("inputs")
    for folder in ("assemblies", "parts", "robots", "sections"):
        shutil.copytree(ROOT / "samples" / folder, home, dirs_exist_ok=True)
    shutil.copytree(ROOT / "samples/robots", home / "mixed")
    for source, name in (("tetrahedron", "closed"), ("open_bracket", "open"), ("tetrahedron", "mixed/closed")):
        shutil.copy(ROOT / f"sample_meshes/{source}.stl", home / f"{name}.stl")
    shutil.copy(home / "angle.csv", home / "mixed")
    for name, text in WRITTEN.items():
        (home / name).write_text(text, encoding="utf-8")
    (home / "plate.geojson").write_text(
        '{"crs": {"properties": {"name": "EPSG:3035"}}, ' + (home / "plate.geojson").read_text()[1:]
    )
    trimesh.Trimesh(VERTICES, OUTWARD).export(home / "part.glb")
    if find_spec("OCP") is not None:
        from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder
        from OCP.STEPControl import STEPControl_StepModelType, STEPControl_Writer

        writer = STEPControl_Writer()
        writer.Transfer(BRepPrimAPI_MakeCylinder(10, 30).Shape(), STEPControl_StepModelType.STEPControl_AsIs)
        writer.Write(str(home / "part.step"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        assert run(["compute", "closed.stl", "--density", "1", "--output", "body.json"])[0] == 0
        read, found = step.kernel_finds, {}
        patch.setattr(
            step,
            "kernel_finds",
            lambda file, files, *given: (
                found.get(key := (files[0].data, len(given))) or found.setdefault(key, read(file, files, *given))
            ),
        )
        patch.setattr(torsion, "AGREEMENT", 0.5)  # two coarse meshes are enough
        patch.setattr(entries, "_PICTURE", (100, 100))  # of what is written nothing is read
        solve, solved = torsion._solved, {}
        patch.setattr(
            torsion, "_solved", lambda *given: solved.get(key := repr(given)) or solved.setdefault(key, solve(*given))
        )
        yield home


def words_of(command: str, source: str) -> tuple[list[str], bytes]:
    """The words of a command line for an input, and what standard input has."""
    given, _, stdin = source.partition(" <")
    words = given.split() * (2 if command == "diff" and not stdin else 1)
    if stdin:
        words += [stdin] * (command == "diff") + ["--type", PurePath(stdin).suffix[1:]] * (command == "compute")
    picture = "svg" if PurePath(given).suffix in PLANAR else "png"
    return [*words, *pairs(ENDS).get(command, "").format(picture).split()], Path(stdin).read_bytes() if stdin else b""


def remove_new(folder: Path) -> None:
    """Removes what the options of a command line wrote."""
    for made in folder.glob("new*"):
        shutil.rmtree(made) if made.is_dir() else made.unlink()


def option_words(command: str, d: CommandParameter, turn: int) -> list[str]:
    """The words of an option, its value in this turn, and options without which it has no meaning."""
    name, values = d.spellings[0], pairs(VALUES)
    value = d.words[turn % len(d.words)] if d.words else values.get(f"{command} {name}") or values.get(name)
    assert value or not d.takes_value, f"no example of {command} {name}"
    return [*pairs(BESIDE).get(name, "").split(), name, *([value] if value and d.takes_value else [])]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_on_every_input_in_every_format(
    command: str, inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(inputs)
    speaks_of = pairs(SPEAKS_OF)
    known = list(declarations(COMMANDS[command].load()[0]))
    formats = next((d.words or _FORMATS for d in known if d.name == "format" and not d.is_argument), ())
    options = [d for d in known if not d.is_argument and d.name not in ELSEWHERE]
    given_files = INPUTS.get(command, FILES).replace("|part.step", "|part.step" if find_spec("OCP") else "")
    sources = [source.split("|") for source in given_files.strip().split(", ")]
    for (i, d), (j, alike) in product(enumerate(options), enumerate(sources)):
        if (i + j) % 2 and len(sources) > 1 and "MASSPROPS_CASES" not in os.environ:
            continue
        name, (words, stdin) = d.spellings[0], words_of(command, alike[i // 2 % len(alike)])
        without = [command, *words, *(["--format", formats[(i + j) // 2 % len(formats)]] if formats else [])]
        given = option_words(command, d, j)
        status, printed = run([*without, *given], stdin)
        assert status in (0, 1, 2, 3, 4), (without, given, printed)
        named = "|".join((name[2:], name[2:].replace("-", " "), speaks_of.get(name, name[2:])))
        if status == 2 and not re.search(rf"\b({named})\b", printed):
            assert run(without, stdin)[0] == 2, (without, given, printed)
        remove_new(inputs)


@pytest.mark.parametrize(("command", "source"), PAIRED.items())
def test_pairs_of_options(command: str, source: str, inputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(inputs)
    words, stdin = words_of(command, source)
    known = declarations(COMMANDS[command].load()[0])
    options = [d for d in known if not d.is_argument and d.name not in ELSEWHERE]
    for turn, both in enumerate(Random(command).sample([*combinations(options, 2)], 20)):  # noqa: S311
        given = [word for d in both for word in option_words(command, d, turn)]
        status, printed = run([command, *words, *given], stdin)
        assert status in (0, 1, 2, 3, 4), (command, words, given, printed)
        remove_new(inputs)


def test_every_pair_of_options_is_accepted_or_refused_by_both_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {**WRITTEN, "empty.stl": ""}.items():
        Path(name).write_text(text, encoding="utf-8")
    known = [d for d in declarations(COMMANDS["compute"].load()[0]) if not d.is_argument]
    options = {d.spellings[0]: option_words("compute", d, 1) for d in known if d.name not in ELSEWHERE}
    options |= {f"--format {word}": ["--format", word] for d in known if d.name == "format" for word in d.words}
    named = {
        name: "|".join([name, *(word.partition("=")[0] for word in words[:-1])]) for name, words in options.items()
    }
    named |= {"--as": "a sheet", "--density": "density", "--material": "density|--material"}

    def answer(*names: str) -> tuple[int, str]:
        found = run(["compute", "empty.stl", *(word for name in names for word in options[name])])
        remove_new(tmp_path)
        return found

    alone = {answer(name) for name in options}
    for both in combinations(options, 2):
        status, printed = answer(*both)
        is_accepted = "empty.stl" in printed or "new.csv" in printed  # what is wrong is the file
        both_are_named = status == 2 and all(re.search(named[name], printed) for name in both)
        assert is_accepted or both_are_named or (status, printed) in alone, (both, printed)


def test_every_row_of_the_table_is_about_options_that_are_declared() -> None:
    commands = [[*declarations(entry.load()[0])] for entry in COMMANDS.values()]
    names = {d.name for known in commands for d in known} | {"varying"}
    words = {"each", "other", *(word for known in commands for d in known if d.name == "format" for word in d.words)}
    for _, (options, (verb,), others) in _rows(_TABLE):
        assert names >= {option.partition("=")[0] for option in options}
        known = names | words if verb in ("exclude", "only", "single") else {*_KINDS} if verb == "of" else names
        assert known >= {option.partition("=")[0] for option in others}, others
