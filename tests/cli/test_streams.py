"""Where results and messages go (`massprops.cli.streams`): files, pipes, terminals, encodings and names."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from console import TIMEOUT, VOLUME, Run, ascii_stl, environment, plain_failure, run, shell, valid
from warm import Forked

from massprops.cli import main

#: Sums of four products of doubles: a few roundings.
ROUNDING = 1e-14


posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files, signals or terminals")


@pytest.mark.parametrize("format", ["table", "json", "urdf"])
def test_a_file_gets_what_stdout_would(format: str, part: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    shown = run("compute", part, "--mass", "4000", "-f", format)
    done = run("compute", part, "--mass", "4000", "-f", format, "-o", target)
    assert (done.returncode, done.out, done.err) == (0, "", "")
    assert target.read_bytes() == shown.stdout != b""


@pytest.mark.parametrize("format", ["table", "urdf"])
def test_a_failure_leaves_the_old_file_alone(format: str, hole: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old", encoding="ascii")
    assert run("compute", hole, "--mass", "1", "-f", format, "-o", target).returncode == 4
    assert target.read_text(encoding="ascii") == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hole.stl", "out.txt"]


def test_a_json_failure_is_a_result_of_its_own(hole: Path, tmp_path: Path) -> None:
    # a stale success would be worse
    target = tmp_path / "out.json"
    target.write_text("old", encoding="ascii")
    assert run("compute", hole, "-f", "json", "-o", target).returncode == 4
    assert valid(target.read_text(encoding="utf-8"))["error"]["code"] == "open-edges"


def test_a_refusal_speaks_the_units_of_the_tables(hole: Path) -> None:
    """The same place in the unit of the file, in the one that is asked for, and for machines in SI."""
    asked = {
        unit: run("compute", hole, "--units", "mm", "--repair", "none", "-f", "json", *asked)
        for unit, asked in {"mm": (), "m": ("--output-units", "m"), "in": ("--output-units", "in")}.items()
    }
    places = {}
    for unit, done in asked.items():
        coordinates, found = re.search(r"near \(([^)]*)\) (\w+)", done.err).groups()
        assert found == unit
        places[unit] = np.array([float(x) for x in coordinates.split(",")])
    assert places["mm"] == pytest.approx(1000 * places["m"], rel=0.01)
    assert places["in"] == pytest.approx(places["m"] / 0.0254, rel=0.01, abs=1e-4)
    assert asked["mm"].result["error"]["message"] == asked["m"].result["error"]["message"]
    checked = run("check", hole, "--units", "mm", "--repair", "none")
    assert " mm" in checked.out
    assert not re.search(r"[\d)] m³?\b", checked.out)


def test_output_is_replaced_in_one_step_and_nothing_is_left_over(part: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("old", encoding="ascii")
    target.chmod(0o640)
    with target.open(encoding="ascii") as reader:  # who has the old file open keeps reading it, whole
        assert run("compute", part, "-f", "json", "-o", target).returncode == 0
        assert reader.read() == "old"
    assert valid(target.read_text(encoding="utf-8"))["volume"] == pytest.approx(VOLUME, rel=ROUNDING)
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.json", "part.stl"]


@posix
@pytest.mark.usefixtures("part")
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    shell("umask 027; massprops compute part.stl -o out.txt", tmp_path)
    assert (tmp_path / "out.txt").stat().st_mode & 0o777 == 0o640


@posix
def test_output_through_a_link_keeps_the_link(part: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "link.json", tmp_path / "there" / "real.json"
    link.symlink_to(target)
    for _ in range(2):  # once where the link leads nowhere, once where it leads to a file
        assert run("compute", part, "-f", "json", "-o", link).returncode == 0
        assert link.is_symlink()
        assert valid(target.read_text(encoding="utf-8"))["input"]["path"] == str(part)


@posix
def test_output_to_a_device_leaves_the_device(part: Path) -> None:
    assert run("compute", part, "-o", "/dev/null").returncode == 0
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("name", ["missing/out.txt", "part.stl/out.txt", "."])
def test_output_that_cannot_be_written_is_told(name: str, part: Path, tmp_path: Path) -> None:
    reason = {"missing/out.txt": errno.ENOENT, "part.stl/out.txt": errno.ENOTDIR, ".": errno.EISDIR}[name]
    done = run("compute", part, "-o", name, cwd=tmp_path)
    plain_failure(done, 2, f"{name}: cannot be written: {os.strerror(reason)}; write to another file or folder")


def test_no_file_has_a_name_with_a_null_character(part: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compute", str(part), "-o", "a\0b"]) == 2
    assert "cannot be written: no file has a name with a null character" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "output"),
    [
        *((name, ("-o", "none/a.json")) for name in ("compute", "check", "explain", "combine", "convert", "fill")),
        ("diff", ("absent.stl", "-o", "none/a.json")),
        ("repair", ("-o", "none/a.json")),
        ("report", ("-o", "none/a.json")),
        ("plot", ("-o", "none/a.json")),
        ("compute", ("--certificate", "none/a.json")),
        ("compute", ("--output-table", "none/a.json")),
        ("check", ("--format", "json=none/a.json")),
        ("check", ("--expect", "none/a.json", "--update")),
        ("check", ("--baseline", "none/a.json", "--update-baseline")),
    ],
)
def test_an_output_without_a_folder_is_told_before_anything_is_read(
    command: str, output: tuple[str, ...], tmp_path: Path
) -> None:
    """Else hours of work are lost at their end."""
    done = run(command, "absent.stl", *output, cwd=tmp_path)
    reason = os.strerror(errno.ENOENT)
    plain_failure(done, 2, f"none/a.json: cannot be written: {reason}; write to another file or folder")


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_told(part: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    done = run("compute", part, "-o", "closed/out.txt", cwd=tmp_path)
    plain_failure(
        done, 2, f"closed/out.txt: cannot be written: {os.strerror(errno.EACCES)}; write to another file or folder"
    )


@posix
def test_a_link_to_itself_is_told(part: Path, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    done = run("compute", part, "-o", "loop", cwd=tmp_path)
    assert (done.returncode, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("massprops: loop: cannot be written: ")


def test_a_mesh_is_not_replaced_by_its_own_result(part: Path, tmp_path: Path) -> None:
    before = part.read_bytes()
    done = run("compute", "part.stl", "-o", tmp_path / "." / "part.stl", cwd=tmp_path)
    plain_failure(done, 2, f"{part}: is the input file part.stl; choose another --output")
    assert part.read_bytes() == before


def test_output_in_a_name_of_the_longest_length(part: Path, tmp_path: Path) -> None:
    target = tmp_path / ("n" * 251 + ".txt")
    assert run("compute", part, "-o", target).returncode == 0
    assert target.exists()


def before_a_reader(reader: list[str], *args: str, cwd: Path) -> tuple[Run, str]:
    """A run whose output goes to a reader, and what the reader prints."""
    with subprocess.Popen(reader, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        done = run(*args, cwd=cwd, stdout=process.stdin.fileno())
        return done, process.communicate()[0]


@posix
@pytest.mark.parametrize("format", ["table", "json"])
@pytest.mark.usefixtures("part")
def test_a_reader_that_has_enough_is_no_error(format: str, tmp_path: Path) -> None:
    # `true` reads nothing; 15 results as JSON do not fit into a pipe
    for reader, lines in ((["head", "-1"], 1), (["true"], 0)):
        done, read = before_a_reader(reader, "compute", *["part.stl"] * 15, "-f", format, cwd=tmp_path)
        assert (done.returncode, done.err, len(read.splitlines())) == (0, "", lines)


@posix
@pytest.mark.parametrize("args", [["--help"], ["compute", "--help"], ["--version"]])
def test_a_reader_of_help_that_has_enough_is_no_error(args: list[str], tmp_path: Path) -> None:
    done, read = before_a_reader(["true"], *args, cwd=tmp_path)
    assert (done.returncode, done.err, read) == (0, "", "")


@posix
@pytest.mark.usefixtures("hole", "part")
def test_a_reader_that_has_enough_hides_no_failure(tmp_path: Path) -> None:
    done, _ = before_a_reader(["true"], "compute", "hole.stl", *["part.stl"] * 15, "-f", "json", cwd=tmp_path)
    assert done.returncode == 4


@posix
@pytest.mark.usefixtures("part")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    reason = os.strerror(errno.ENOSPC)
    for command in ("compute part.stl", "plot part.stl -o -", "materials", "schema", "--help", "compute --help"):
        with Path("/dev/full").open("wb") as full:
            done = run(*command.split(), cwd=tmp_path, stdout=full.fileno())
        plain_failure(done, 2, f"standard output: cannot be written: {reason}; write to another file or folder")


@posix
@pytest.mark.usefixtures("part")
def test_closed_streams_are_as_good_as_the_null_device(tmp_path: Path) -> None:
    assert shell("massprops compute part.stl >&-", tmp_path).returncode == 0
    assert shell("massprops compute part.stl -f json -o out.json >&- 2>&- <&-", tmp_path).returncode == 0
    assert valid((tmp_path / "out.json").read_text(encoding="utf-8"))["input"]["path"] == "part.stl"
    assert valid(shell("massprops compute none.stl -f json 2>&-", tmp_path).out)["error"]["code"] == "missing-file"
    closed = shell("massprops compute - -t stl <&-", tmp_path)
    plain_failure(closed, 3, "-: the file is empty (0 bytes); export or copy it again")


def table_numbers(result: Any) -> list[float]:
    """Every number of the JSON that the table holds, to nine digits."""
    scalars = [result[k] for k in ("density", "volume", "area", "mass")]
    rows = [
        result["center_of_mass"],
        result["radii_of_gyration"],
        *result["bounds"].values(),
        *result["inertia"]["tensor"],
        result["principal"]["moments"],
        *result["principal"]["axes"],
    ]
    return [float(f"{x:.9g}") for x in [*scalars, *(x for row in rows for x in row)]]


#: Every number of a table, in SI, with nine digits.
FULL = ("-v", "--output-units", "m,kg", "--digits", "9")


def numbers_in(text: str) -> set[float]:
    return {float(w) for w in text.split() if re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", w)}


@posix
@pytest.mark.parametrize("units", ["m", "um"])
def test_no_digit_is_lost_however_narrow_the_screen(units: str, part: Path) -> None:
    args = ["compute", "part.stl", "--mass", "0.123456789", "--units", units]
    com, origin = (run(*args, "-f", "json", "--about", p, cwd=part.parent).result for p in ("com", "origin"))
    for columns in (20, 40, 75, 76, 80, 200):
        done = run(*args, *FULL, env={"COLUMNS": str(columns)}, cwd=part.parent)
        assert max(map(len, done.out.splitlines())) <= columns
        shown = numbers_in(done.out)
        assert [x for x in table_numbers(com) + table_numbers(origin) if x not in shown] == []


@posix
def test_the_widest_numbers_keep_a_blank_between_them(tmp_path: Path) -> None:
    # -1.23456789e-100 is as wide as a number gets: two of them must not run into one
    tiny = tmp_path / "tiny.stl"
    tiny.write_text(ascii_stl(scale=1e-44), encoding="ascii")
    args = ["compute", "tiny.stl", "--mass", "1.23456789e-30", "--units", "m"]
    result = run(*args, "-f", "json", cwd=tmp_path).result
    for columns in ("40", "80"):
        shown = numbers_in(run(*args, *FULL, env={"COLUMNS": columns}, cwd=tmp_path).out)
        assert [x for x in table_numbers(result) if x not in shown] == []


@posix
@pytest.mark.parametrize("columns", [20, 40, 75, 80, 200])
@pytest.mark.usefixtures("hole")
def test_several_bodies_lose_no_digit_either(columns: int, part: Path) -> None:
    args = ["compute", "part.stl", "hole.stl", "--mass", "0.123456789", "--units", "um"]
    result = json.loads(run(*args, "-f", "json", cwd=part.parent).out.splitlines()[0])
    done = run(*args, *FULL, env={"COLUMNS": str(columns)}, cwd=part.parent)
    assert max(map(len, done.out.splitlines())) <= columns
    numbers = [float(f"{x:.9g}") for x in (result["mass"], *result["center_of_mass"])]
    assert [x for x in numbers if x not in numbers_in(done.out)] == []
    assert "open-edges" in done.out


@pytest.mark.parametrize("columns", ["0", "-5", "many", "", "100000000000"])
def test_a_nonsensical_width_is_ignored(columns: str, part: Path) -> None:
    done = run("compute", part, env={"COLUMNS": columns})
    assert (done.returncode, done.err) == (0, "")


def test_what_is_not_a_terminal_gets_no_escape_codes(part: Path, large: Path) -> None:
    for args in (["compute", part], ["compute", part, large], ["materials"], ["--help"], ["compute", "none.stl"]):
        done = run(*args, env={"TERM": "xterm-256color"})
        assert b"\x1b" not in done.stdout + done.stderr


def on_terminal(*args: str | Path, **changes: str | None) -> str:
    """What a terminal is sent on stdout."""
    import pty  # POSIX only

    main_end, terminal = pty.openpty()
    done = run(*args, env=changes, stdout=terminal)  # what it prints fits into the terminal's buffer
    os.close(terminal)
    parts = []
    try:
        while data := os.read(main_end, 65536):
            parts.append(data)
    except OSError:  # Linux: the other end is closed
        pass
    os.close(main_end)
    assert done.returncode == 0
    return b"".join(parts).decode("utf-8")


@posix
def test_a_terminal_gets_colours_unless_it_says_no(large: Path) -> None:
    colored = on_terminal("compute", large, TERM="xterm")
    assert "\x1b[33mwarning implausible-size" in colored
    for changes in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = on_terminal("compute", large, **{"TERM": "xterm", **changes})
        assert "\x1b" not in plain
        assert "warning implausible-size" in plain
    for machine in ("json", "urdf"):
        assert "\x1b" not in on_terminal("compute", large, "--mass", "1", "-f", machine, TERM="xterm")


@pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux only")
@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": None},
        {"LC_ALL": "C", "PYTHONUTF8": None},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "utf-16"},
    ],
)
def test_no_encoding_of_the_terminal_breaks_anything(env: dict[str, str | None], part: Path, hole: Path) -> None:
    encoding = env.get("PYTHONIOENCODING") or "ascii"
    with closing(Forked(environment(**env), "massprops.cli.compute")) as process:

        def printed(*args: str | Path, code: int = 0) -> bytes:
            status, out, err = process.run([*map(str, args)], b"", environment(**env), str(part.parent), TIMEOUT)
            assert (status, bool(err)) == (code, code != 0)
            return out

        for args in (["compute", part], ["compute", "--help"]):  # both hold more than ASCII
            assert printed(*args)
        printed("compute", hole, code=4)
        assert valid(printed("compute", part, "-f", "json").decode(encoding))["volume"] == pytest.approx(
            VOLUME, rel=ROUNDING
        )
        urdf = printed("compute", part, "--mass", "4t", "-f", "urdf", "--link", "é")
    assert ET.fromstring(urdf.decode(encoding)).attrib == {"name": "é"}  # noqa: S314  # our own text


ODD_NAMES = [
    "with blank.stl",
    'quote\'d "twice".stl',
    "[bold]x[red].stl",
    "[red.stl",
    ":smile:.stl",
    "new\nline.stl",
    "tab\tand\rreturn.stl",
    "\x1b[31mred.stl",
    "Träger_部品.stl",
    "%s {0}.stl",
    "-leading.stl",
    "n" * 200 + ".stl",
    os.fsdecode(b"stray\xff\xfebytes.stl"),
]


@posix
@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_any_name_is_read_and_told(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(ascii_stl(), encoding="ascii")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    in_json = run("compute", "-f", "json", "--", name, cwd=tmp_path)
    assert (in_json.returncode, in_json.err) == (0, "")
    assert in_json.result["input"]["path"] == name
    for args in (["-o", "one.txt", "--", name], ["-o", "two.txt", "--", name, name]):
        table = run("compute", *args, cwd=tmp_path, env={"COLUMNS": "400"})
        assert (table.returncode, table.err) == (0, "")
    written = "".join((tmp_path / out).read_text(encoding="utf-8") for out in ("one.txt", "two.txt"))
    assert written.count(shown) == 3
    assert "\x1b" not in written


@posix
@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_any_name_is_one_line_of_an_error(name: str, tmp_path: Path) -> None:
    done = run("compute", "--", name, cwd=tmp_path)
    assert (done.returncode, done.out, done.err.count("\n")) == (3, "", 1)
    assert "\x1b" not in done.err


@posix
@pytest.mark.usefixtures("part")
def test_a_folder_that_may_only_be_read_is_enough(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        done = run("compute", "part.stl", cwd=tmp_path)
    finally:
        tmp_path.chmod(0o755)
    assert (done.returncode, done.err) == (0, "")
    assert [p.name for p in tmp_path.iterdir()] == ["part.stl"]


@posix
def test_a_pipe_is_a_file(part: Path) -> None:
    done = shell("massprops compute <(cat part.stl) -t stl -f json", part.parent)
    assert (done.returncode, done.err) == (0, "")
    assert done.result["volume"] == pytest.approx(VOLUME, rel=ROUNDING)


@posix
def test_colours_can_be_forced_and_forbidden(tmp_path: Path) -> None:
    for args in (["compute", "none.stl"], ["check", "--densty"], ["explain", "none.urdf"], ["none.stl"]):
        plain = run(*args, cwd=tmp_path)
        forced = run(*args, cwd=tmp_path, env={"FORCE_COLOR": "1"})
        assert forced.err.startswith("\x1b[1;31mmassprops:\x1b[0m "), args  # all commands alike
        assert re.sub(r"\x1b\[[\d;]*m", "", forced.err) == plain.err
        both = run(*args, cwd=tmp_path, env={"FORCE_COLOR": "1", "NO_COLOR": "1"})
        assert both.err == plain.err
        assert run(*args, cwd=tmp_path, env={"FORCE_COLOR": "0"}).err == plain.err


def test_a_forced_colour_does_not_reach_files(part: Path, tmp_path: Path) -> None:
    assert "\x1b[" in run("compute", part, env={"FORCE_COLOR": "1"}).out
    run("compute", part, "-o", tmp_path / "table.txt", env={"FORCE_COLOR": "1"})
    assert b"\x1b" not in (tmp_path / "table.txt").read_bytes()
