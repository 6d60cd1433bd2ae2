"""Reading of a command line (`massprops.cli.groups`): typer reads the same values and finds the same mistakes.

Modules tested: `cli/groups`, `cli/app`, `cli/options`, `cli/with_typer`.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import pytest
from console import plain_failure, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from massprops.cli import groups
from massprops.cli.app import COMMANDS
from massprops.cli.with_typer import command
from massprops.errors import InvalidInput

#: Values of options, also wrong ones, and what stands between options.
VALUES = ("1", "0.5", "-1", "nan", "json", "table", "error", "shell", "a=b", "", "-", "x y", "--", "2*a.stl", "steel")
#: Options that are joined, unknown or ask for help.
STRANGE = ("-vq", "-fjson", "-fq", "-vx", "--bogus", "-h", "--help=1")
APP = command()


def read(name: str, words: Sequence[str]) -> dict[str, Any] | str:
    """The values of a command line; or the name of an error, and ``help`` if it asks for that."""
    try:
        found = groups.read(list(groups.declarations(COMMANDS[name].load()[0])), words)
    except InvalidInput:
        return "mistake"
    return "help" if found is None else found


def read_by_typer(name: str, words: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any] | str:
    seen: list[dict[str, Any]] = []
    monkeypatch.setattr(groups, "call", lambda _function, values: seen.append(values))
    try:
        APP.main([name, *words], "massprops", standalone_mode=False)
    except Exception as error:
        assert hasattr(error, "format_message"), error  # noqa: PT017  # of typer, whose classes differ from version to version
        return "mistake"
    return seen[1] if seen[1:] else "help"  # the program itself is called first


def comparable(found: dict[str, Any] | str) -> dict[str, Any] | str:
    """Without the difference between no values and none."""
    return (
        found
        if isinstance(found, str)
        else {k: repr(v or None) if v in ([], None) else repr(v) for k, v in found.items()}
    )


@pytest.mark.parametrize("name", COMMANDS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_a_command_line_is_read_as_typer_reads_it(
    name: str, data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    # else the help and the completion, which are typer's, would describe another program
    function, order = COMMANDS[name].load()
    known = [d for d in groups.declarations(function) if not (d.is_argument or d.field.metadata.get("is_optional"))]
    spellings = [word for d in known for word in d.spellings]  # typer has no option with a value or without
    words: list[str] = []
    for word in data.draw(st.lists(st.sampled_from([*spellings, *VALUES, *STRANGE, "a.stl"]), max_size=8)):
        words += [word, *data.draw(st.lists(st.sampled_from(VALUES), max_size=1))]
        if data.draw(st.integers(0, 5)) == 0:
            words[-2:] = ["=".join(words[-2:])]
    assert comparable(read(name, order(words))) == comparable(read_by_typer(name, order(words), monkeypatch))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_every_help_has_no_mistake(name: str) -> None:
    words = shlex.split(COMMANDS[name].example.partition(" >")[0])[1:]
    assert isinstance(read(name, COMMANDS[name].load()[1](words)), dict)


MISTAKES = {
    "compute": "missing argument 'FILE...'",
    "compute a.stl --dens 5": "no such option: --dens; did you mean --density?",
    "check a.urdf --tolerance 1": "no such option: --tolerance; did you mean --rtol?",
    "fill a.urdf --overwrite": "no such option: --overwrite; did you mean --in-place?",
    "convert a.urdf --to sdf": "no such option: --to; did you mean --format?",
    "shape box --size 1": "no such option: --size; did you mean --x?",
    "explain a.urdf arm": "got unexpected extra argument(s) (arm); a link is named as robot.urdf#forearm",
    "compute a.csv --length 6m": "no such option: --length; did you mean --thickness?",
    "compute a.stl --scale 0.001": "no such option: --scale; did you mean --units?",
    "compute a.stl --csv": "no such option: --csv; did you mean --format csv?",
    "compute a.stl -vx": "no such option: -x",
    "compute a.stl -vf": "option '-f' requires an argument",
    "compute a.stl --exact=3": "option '--exact' does not take a value",
    "compute a.stl -fjso": "invalid value for '--format' / '-f': 'jso' is not one of 'table', 'json', 'urdf', 'sdf', 'mjcf', 'usd', "
    "'csv', 'markdown', 'ten-vector'",
    "compute a.stl --lines x": "invalid value for '--lines': 'x' is not a whole number",
    "diff a.stl b.stl --rtol nan": "invalid value for '--rtol': 'nan' is not a finite number",
    "check a.stl --rtol nan": "invalid value for '--rtol': 'nan' is not a finite number",
    "diff a.stl b.stl --atol-angle inf": "invalid value for '--atol-angle': 'inf' is not a finite number",
    "compute a.stl --digits 18": "invalid value for '--digits': 18 is not in the range 1<=x<=17",
    "compute a.stl -j -1": "invalid value for '--jobs' / '-j': -1 is not in the range x>=0",
    "compute --help --bogus": "no such option: --bogus; did you mean --about?",
    "diff a b --rtol x": "invalid value for '--rtol': 'x' is not a number",
    "diff a b c d": "got unexpected extra argument(s) (c d)",
    "plot a.stl b.stl": "got unexpected extra argument(s) (b.stl)",
    "shape box 1 2 3": "the lengths of a shape are options, as in: massprops shape box --x 10mm --y 20mm --z 3cm --mass 1kg",
}
MISTAKES_OF_THE_PROGRAM = {
    "part.sldprt": "'part.sldprt' is a file of a CAD program; export it as STEP, or as STL",
    "part.k": "'part.k' is a file of a finite element program; export it as VTU, or as a deck of Nastran or Abaqus",
    "--max-bytes": "option '--max-bytes' requires an argument",
    "--max-bytes 0 compute a.stl": "invalid value for '--max-bytes': 0 is not in the range x>=1",
    "--max-bytes 5": "missing command",
    "--timeout nan compute a.stl": "invalid value for '--timeout': 'nan' is not a finite number",
    "--timeout 0 compute a.step": "invalid value for '--timeout': 0.0 is not in the range x>=0.1",
    "--versio": "no such option: --versio; did you mean --version?",
    "comput a.stl": "no such command: 'comput'; did you mean compute?",
    "--max-bytes 5 a.xml --density 3": "'a.xml' is not a command; did you mean: massprops --max-bytes 5 check a.xml --density 3",
}


@pytest.mark.parametrize("words", [*MISTAKES, *MISTAKES_OF_THE_PROGRAM])
def test_a_mistake_is_named_and_leads_to_the_help(words: str) -> None:
    message = MISTAKES.get(words) or MISTAKES_OF_THE_PROGRAM[words]
    path = f"massprops {words.split()[0]}" if words in MISTAKES else "massprops"
    plain_failure(run(*words.split()), 2, f"{message}; see '{path} --help'")
