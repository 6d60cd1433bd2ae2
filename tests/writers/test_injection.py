"""Names, codes and messages of a stranger's file: no output is broken by them, and no program that reads it obeys them.

Modules tested: `report/ci`, `report/check`, `report/csv_rows`, `formats/bodies`, `fleet/table`, `report/picture/section`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from places import ROOT

from massprops.checking.report import Checked, Report, Subject
from massprops.cli import main
from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.formats.bodies import NamedBody, write
from massprops.formats.bodies.csv_markdown import read_markdown
from massprops.formats.bodies.mass_table import read as read_csv
from massprops.formats.escaping import NOT_XML, plain
from massprops.rigid_body.mass_properties import MassProperties
from massprops.writers.check import checked_text
from massprops.writers.ci import FORMATS
from massprops.writers.console import TextOutput
from massprops.writers.csv_rows import Rows

ATTACKS = [
    *("::error file=a::owned", "x ::error::owned", "##[error]owned", "a\n::warning::owned", "a\r\n::stop-commands::x"),
    *("\x1b[2J\x1b]0;owned\x07", "<img src=x onerror=alert(1)>", "</testcase><testcase>", "]]>&lt;\x00\ud800"),
    *("| a | b |\n|---|", "[x](javascript:alert(1))", "%0A::error::owned", "`code` *bold* # head"),
    *("=cmd|'/C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "'=1"),
]
foreign = st.one_of(
    st.sampled_from(ATTACKS),
    st.lists(st.one_of(st.sampled_from([*ATTACKS, " ", "\n", "::"]), st.text(max_size=8)), max_size=6).map("".join),
)
#: What an operating system has as a name: no lone surrogates.
paths = foreign.map(lambda text: text.replace("\ud800", ""))


def report(path: str, link: str, code: str, message: str) -> Report:
    findings = (Finding(code, "error", message), Finding("open-edges", "warning", message))
    return Report((Checked(Subject(path or "part", link, 3, "link"), findings),))


@given(paths, foreign, foreign, foreign, st.integers(20, 100))
@example("a" * 18 + "::error::b", "c " * 9 + "::error::d", "::x", "word " * 7 + "::error::owned ##[error]x", 40)
def test_no_line_on_a_screen_is_a_command_or_steers_it(
    path: str, link: str, code: str, message: str, width: int
) -> None:
    text = checked_text(report(path, link, code, message), TextOutput(width), everything=True)
    for line in text.split("\n"):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert line.isprintable()


@given(paths, foreign, foreign, foreign)
def test_every_annotation_is_one_command_that_says_what_was_found(
    path: str, link: str, code: str, message: str
) -> None:
    def decoded(text: str) -> str:
        for escape, character in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
            text = text.replace(escape, character)
        return text

    def shown(text: str) -> str:
        return "".join(c if c.isprintable() or c in "\r\n" else ascii(c)[1:-1] for c in text)

    lines = FORMATS["github"](report(path, link, code, message)).removesuffix("\n").split("\n")
    assert len(lines) == 2
    first = re.fullmatch(r"::error file=([^,:\r\n]*),line=3,title=([^,:\r\n]*)::([^\r\n]*)", lines[0])
    assert first is not None
    assert decoded(first[1]) == shown(path or "part")
    assert decoded(first[2]).startswith(shown(code))
    assert first[3].replace("%25", "%") == plain(f"{link}: {message}")


@given(paths, foreign, foreign, foreign)
def test_a_junit_document_stays_well_formed(path: str, link: str, code: str, message: str) -> None:
    root = ET.fromstring(FORMATS["junit"](report(path, link, code, message)))  # noqa: S314  # our own text
    assert len(root.findall("testsuite")) == 1
    assert {e.tag for e in root.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "skipped", "system-out"}


@given(paths, foreign, foreign, foreign)
def test_json_formats_hold_the_text_as_it_is(path: str, link: str, code: str, message: str) -> None:
    sarif = json.loads(FORMATS["sarif"](report(path, link, code, message)))
    assert sarif["runs"][0]["results"][0]["message"]["text"] == message
    assert sarif["runs"][0]["results"][0]["ruleId"] == code
    gitlab = json.loads(FORMATS["gitlab"](report(path, link, code, message)))
    assert (gitlab[0]["description"], gitlab[0]["check_name"]) == (f"{link}: {message}", code)


@given(paths, foreign, foreign, foreign)
def test_markdown_holds_no_foreign_markup(path: str, link: str, code: str, message: str) -> None:
    lines = FORMATS["markdown"](report(path, link, code, message)).split("\n")
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| |")]
    assert len(rows) == 2
    for row in rows:
        bare = re.sub(r"\\.", "", row)  # escaped characters are text
        assert bare.count("|") == 5
        assert not re.search(r"[<>`*_\[\]#]", bare)
        assert row.isprintable()


def tables(kind: str, name: str, code: str) -> tuple[str, list[str]]:
    """A table of a body and of an error, both of this name, and the names of the bodies that a reader finds in it."""
    rows = Rows(kind)
    written, _ = write([NamedBody(name, MassProperties(1.0, [0.0, -1.0, 0.0], np.eye(3)))], kind)
    text = rows.head() + "".join(map(rows.of, rows.cells(written))) + rows.without_mass(name, None, code)
    return text, [b.name or "" for b in (read_csv if kind == "csv" else read_markdown)(written, "table").bodies]


@given(paths, foreign)
def test_no_name_in_csv_is_a_formula_or_steers_a_terminal(name: str, code: str) -> None:
    text, found = tables("csv", name, code)
    _, body, failed = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert len(body) == len(failed) == 12
    for cell in (body[0], failed[0], failed[-1]):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
        assert all(c.isprintable() or c in "\t\r\n" for c in cell)
    assert body[0] == failed[0]
    if all(c.isprintable() or c in "\t\r\n" for c in name) and "##[" not in name:
        assert found == [name]


@given(paths)
def test_names_are_the_same_in_any_units(name: str) -> None:
    # a formula is made safe once, however often its table is read and written
    written, _ = write([NamedBody(name, MassProperties(1.0, [0.0, -1.0, 0.0], np.eye(3)))], "csv")
    in_units = Rows("csv", units="mm,g")
    assert in_units.cells(in_units.converted(written))[0][0] == in_units.cells(written)[0][0]


@given(paths, foreign)
def test_no_name_in_a_markdown_table_is_markup(name: str, code: str) -> None:
    text, found = tables("markdown", name, code)
    lines = text.removesuffix("\n").split("\n")
    assert len(lines) == 4
    for line in lines[2:]:
        bare = re.sub(r"\\.", "", line)
        assert bare.count("|") == 13
        assert not re.search(r"[<>`*_\[\]#]", bare)
        assert line.isprintable()
    if name.isprintable() and "##[" not in name:
        assert found == [name]


def names_in(text: str, kind: str) -> list[str]:
    """Names of the bodies that a parser of the format, which is not ours, finds in a robot of these."""
    if kind == "usd":
        usd = pytest.importorskip("pxr.Usd")
        stage = usd.Stage.CreateInMemory()
        assert stage.GetRootLayer().ImportFromString(text)
        prims = [prim for prim in stage.Traverse() if prim.GetAppliedSchemas()]
        return [prim.GetDisplayName() or prim.GetName() for prim in prims]
    if kind == "ten-vector":
        _, *comments, numbers, end = text.split("\n")
        assert (len(comments), len(numbers.split()), end) == (1, 10, "")
        assert comments[0].isprintable()
        return [comments[0].removeprefix("# ")]
    root = ET.fromstring(text)  # noqa: S314  # our own text
    assert len([*root.iter("inertial")]) == 1
    scopes = [e.attrib["name"] for e in root.iter() if "name" in e.attrib]  # in SDF, a::b is b in a model a
    return ["::".join(scopes).removeprefix("bodies::")]


@pytest.mark.parametrize("kind", ["urdf", "sdf", "mjcf", "usd", "ten-vector"])
def test_other_parsers_find_one_body_of_the_name_that_was_written(kind: str) -> None:
    for name in ATTACKS:
        body = NamedBody(name, MassProperties(1.0, [0.0, -1.0, 0.0], np.eye(3)))
        if kind != "ten-vector" and (NOT_XML.search(name) or (kind == "sdf" and name.startswith("::"))):
            with pytest.raises(InvalidInput):
                write([body], kind)
            continue
        expected = plain(" ".join(name.split())) if kind == "ten-vector" else name
        assert names_in(write([body], kind)[0], kind) == [expected]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Meshes and sections of these names, as far as a file can have them."""
    folder, found = tmp_path_factory.mktemp("names"), []
    for name in ATTACKS:
        stem = name.replace("/", "").replace("\0", "").replace("\ud800", "")
        for sample in ("sample_meshes/tetrahedron.stl", "samples/sections/angle.csv"):
            found.append(str(folder / f"{stem}{sample[-4:]}"))
            shutil.copy(ROOT / sample, found[-1])
    return found


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_other_parsers_find_a_row_for_each_file_in_a_table(kind: str, files: list[str], tmp_path: Path) -> None:
    table, meshes = tmp_path / f"t.{kind}", [f for f in files if f.endswith("stl")]
    assert main(["compute", *meshes, "--units", "mm", "--jobs", "1", "--output-table", str(table)]) == 0
    if kind == "parquet":
        rows = pytest.importorskip("pyarrow.parquet").read_table(table).to_pylist()
    elif kind == "csv":
        rows = [*csv.DictReader(io.StringIO(table.read_text(), newline=""), strict=True)]
    else:
        rows = [json.loads(line) for line in table.read_text().removesuffix("\n").split("\n")]
    assert sorted(row["path"] for row in rows) == sorted(map(plain, meshes))
    assert all(row["path"].isprintable() and row["exit_code"] in (0, "0") for row in rows)
