"""Tables of results: the numbers of the JSON result, continued by later runs, and never left half written.

Modules tested: `fleet/table`, `fleet/columns`, `fleet/known_rows`.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from console import environment, run, start
from oracles import moved, tetrahedron, write_binary_stl
from places import ROOT
from step_files import named, written

import massprops.fleet.run
from massprops import InvalidInput, measure
from massprops.checking.discovery import expand
from massprops.cli import main
from massprops.fleet.columns import COLUMNS, NUMBERS, SCHEMA
from massprops.fleet.known_rows import KnownRows
from massprops.fleet.many import Outcome, PreviousRow, Task, measure_task
from massprops.fleet.run import measure_into
from massprops.fleet.table import _READERS, _WRITERS, line_of, open_table
from massprops.measurement.options import Options
from massprops.moments.arrays import Floats

KINDS = (".jsonl", ".csv", ".parquet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Meshes in two folders, one of them with a name that is a formula for spreadsheets, one refused, and a section."""
    (tmp_path / "parts" / "old").mkdir(parents=True)
    names = ("parts/a.stl", 'parts/=b,"c.stl', "parts/old/d.stl")
    for i, name in enumerate(names):
        write_binary_stl(tmp_path / name, moved(tetrahedron(), (i, 0, 0)))
    write_binary_stl(tmp_path / "parts" / "broken.stl", tetrahedron()[1:])
    (tmp_path / "parts" / "angle.wkt").write_text("POLYGON ((0 0, 4 0, 4 1, 1 1, 1 6, 0 6, 0 0))")
    return tmp_path


def rows(table: Path) -> dict[str, dict[str, Any]]:
    found = list(_READERS[table.suffix](table))
    assert len({(row["path"], row.get("part")) for row in found}) == len(found)
    return {f"{row['path']}{'#' * ('part' in row)}{row.get('part', '')}": row for row in found}


def needs(kind: str) -> None:
    if kind == ".parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs the extra")


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_has_the_numbers_of_the_json_result(kind: str, folder: Path) -> None:
    needs(kind)
    done = run("compute", "parts", "-u", "mm", "--output-table", f"t{kind}", "--hash", cwd=folder)
    assert (done.returncode, done.out) == (4, "")
    assert done.err.startswith(f"massprops: t{kind}: 5 files; 5 measured, 0 unchanged; 1 failed: open-edges 1; ")
    found = rows(folder / f"t{kind}")
    for path in (p for p in found if "broken" not in p):
        result: Any = measure(folder / path, units="mm", hash=True).to_dict()
        row = found[path]
        for name, keys in NUMBERS.items():
            value = result
            for key in keys:
                value = None if value is None else value[key]
            assert row.get(name) == value, name  # to the last bit
        assert row["sha256"] == result["input"]["sha256"]
        assert (row["grade"], row["exit_code"], row["schema"]) == (result["grade"], 0, SCHEMA)
        assert json.loads(row.get("section", "null")) == result["section"]
        assert set(row) <= set(COLUMNS)
    refused = found["parts/broken.stl"]
    assert (refused["error"], refused["exit_code"], refused["findings"]) == ("open-edges", 4, "open-edges repairable")
    assert "volume" not in refused


@pytest.mark.parametrize("kind", KINDS)
def test_a_later_run_measures_what_is_new_or_changed(kind: str, folder: Path) -> None:
    needs(kind)

    def again(*words: str) -> str:
        done = run("compute", "parts", "--output-table", f"t{kind}", *words, cwd=folder)
        assert done.returncode == 4
        return done.err.partition("; 1 failed")[0].partition("files; ")[2]

    table = folder / f"t{kind}"
    assert again() == "5 measured, 0 unchanged"
    before, place = table.read_bytes(), table.stat().st_ino
    assert again() == "0 measured, 5 unchanged"
    assert (table.read_bytes(), table.stat().st_ino) == (before, place)  # not written again
    write_binary_stl(folder / "parts" / "a.stl", moved(tetrahedron(), (7, 0, 0)))
    shutil.copy(folder / "parts" / "a.stl", folder / "parts" / "new.stl")
    os.utime(folder / "parts" / "old" / "d.stl")  # the same content
    old = rows(table)
    assert again("-j", "2") == "2 measured, 4 unchanged"
    new = rows(table)
    assert {path for path in new if new[path] != old.get(path)} == {"parts/a.stl", "parts/new.stl"}
    assert new["parts/a.stl"]["bounds_max_x"] == 14
    assert again("-u", "mm") == "6 measured, 0 unchanged"  # other settings
    (folder / "parts" / "new.stl").unlink()
    assert again("-u", "mm", "--exclude", "old/**") == "0 measured, 4 unchanged, 2 of earlier runs"
    assert len(rows(table)) == 6
    assert sorted(p.name for p in folder.iterdir()) == ["parts", table.name]


@pytest.mark.parametrize("option", ["--material", "--part-material"])
def test_a_material_of_another_density_is_another_setting(option: str, folder: Path) -> None:
    """The mass stayed that of the density that massprops.toml had had."""
    (folder / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no p\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    for density in (600, 1200):
        (folder / "massprops.toml").write_text(f"[materials]\nours = {density}\n")
        name = "ours" if option == "--material" else "p=ours"
        for count in (1, 0):
            done = run("compute", "a.obj", option, name, "--output-table", "t.jsonl", cwd=folder)
            assert f"{count} measured, {1 - count} unchanged" in done.err
        assert json.loads((folder / "t.jsonl").read_text().splitlines()[-1])["mass"] == pytest.approx(density / 6)


def _gltf(folder: Path, points: Floats) -> None:
    """A tetrahedron whose numbers stand beside it; in the glb file, the name of that file is behind a megabyte of other text."""
    data = points.astype("<f4").tobytes() + np.uint32([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]).tobytes()
    (folder / "points.bin").write_bytes(data)
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 48}]
    accessors: list[dict[str, Any]] = [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}]
    accessors += [{"bufferView": 1, "componentType": 5125, "count": 12, "type": "SCALAR"}]
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "x" * (1 << 20)},
        "bufferViews": views,
        "accessors": accessors,
    }
    document |= {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}], "nodes": [{"mesh": 0}]}
    document |= {"scenes": [{"nodes": [0]}], "buffers": [{"uri": "points.bin", "byteLength": 96}]}
    text = json.dumps(document).encode()
    (folder / "a.gltf").write_bytes(text)
    text += b" " * (-len(text) % 4)
    head = b"glTF" + np.uint32([2, 20 + len(text), len(text)]).tobytes() + b"JSON"
    (folder / "b.glb").write_bytes(head + text)


def _usd(folder: Path, points: Floats) -> None:
    numbers = ", ".join(str(tuple(p)) for p in points.tolist())
    faces = "int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]"
    mesh = f'def Mesh "m"\n{{\npoint3f[] points = [{numbers}]\n{faces}\n}}\n'
    (folder / "part.usda").write_text(f'#usda 1.0\n(defaultPrim = "m"\nmetersPerUnit = 1)\n{mesh}')
    placed = 'def "p" (references = @./part.usda@)\n{\n}\n'
    (folder / "a.usda").write_text(f"#usda 1.0\n(metersPerUnit = 1)\n{placed}")


def _step(folder: Path, points: Floats) -> None:
    """A box as large as the tetrahedron in a file of its own, which an assembly names."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
    from OCP.TopLoc import TopLoc_Location

    def shapes(tool: Any, _document: Any) -> None:
        box = named(
            tool.AddShape(BRepPrimAPI_MakeBox(*(points.max(0) * [1e3, 1e3, 1e3 / 6]).tolist()).Shape(), False), "box"
        )
        tool.AddComponent(named(tool.NewShape(), "top"), box, TopLoc_Location())
        tool.UpdateAssemblies()

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # the writer puts the parts into the working directory
        whole = None if not Path("a.stp").exists() else Path("a.stp").read_bytes()
        written(shapes, Path("a.stp"), prefix="p_")
        Path("a.stp").write_bytes(whole or Path("a.stp").read_bytes())


def _xdmf(folder: Path, points: Floats) -> None:
    import h5py

    with h5py.File(folder / "points.h5", "w") as file:
        file["points"], file["cells"] = points, np.array([[0, 1, 2, 3]])
    (folder / "a.xdmf").write_text(
        '<Xdmf Version="3.0"><Domain><Grid Name="g"><Geometry GeometryType="XYZ"><DataItem DataType="Float" Dimensions="4 3" '
        'Format="HDF" Precision="8">points.h5:/points</DataItem></Geometry><Topology TopologyType="Tetrahedron" '
        'NumberOfElements="1"><DataItem DataType="Int" Dimensions="1 4" Format="HDF" Precision="8">points.h5:/cells'
        "</DataItem></Topology></Grid></Domain></Xdmf>"
    )


@pytest.mark.parametrize(
    ("write", "package", "names"),
    [
        (_gltf, "json", ["a.gltf", "b.glb"]),
        (_usd, "pxr", ["a.usda"]),
        (_xdmf, "h5py", ["a.xdmf"]),
        (_step, "OCP", ["a.stp"]),
    ],
)
def test_a_file_that_refers_to_others_is_measured_again(
    write: Callable[[Path, Floats], None], package: str, names: list[str], tmp_path: Path
) -> None:
    """The row of a USD, XDMF or STEP file stayed as it was when the file with its numbers had changed."""
    pytest.importorskip(package)
    for size in (1.0, 2.0):
        write(tmp_path, np.vstack([np.zeros(3), np.diag([size, 1.0, 1.0])]))
        run("compute", *names, "--output-table", "t.jsonl", "--units", "m", cwd=tmp_path)
        found = rows(tmp_path / "t.jsonl")
        assert {name: found[name].get("volume") for name in names} == pytest.approx(dict.fromkeys(names, size / 6))


def test_each_part_of_a_file_has_a_row(folder: Path) -> None:
    part = folder / "posts.obj"
    shutil.copy(ROOT / "samples/parts" / "plate_and_posts.obj", part)
    words = ("compute", part.name, "-u", "mm", "--output-table", "t.csv", "--part-density")
    for density in ("7800", "2700"):  # the second time with other settings: the rows of the first are gone
        assert run(*words, f"*={density}", cwd=folder).returncode == 0
        whole = rows(folder / "t.csv")
        own = [row for name, row in whole.items() if "#" in name]
        assert len(own) == whole["posts.obj"]["parts"] == len(whole) - 1 > 1
        assert {row["density"] for row in own} == {float(density)}
        assert sum(row["mass"] for row in own) == pytest.approx(whole["posts.obj"]["mass"], rel=1e-15)


def test_fail_fast_keeps_what_was_done(folder: Path) -> None:
    done = run("compute", "parts", "--output-table", "t.csv", "--fail-fast", "--include", "*.stl", cwd=folder)
    assert done.returncode == 4
    assert list(rows(folder / "t.csv")) == ['parts/=b,"c.stl', "parts/a.stl", "parts/broken.stl"]
    assert "3 measured, 0 unchanged, 1 left; 1 failed: open-edges 1; " in done.err


def test_a_torn_line_is_cut_off_and_its_file_measured_again(folder: Path) -> None:
    run("compute", "parts", "--output-table", "t.jsonl", cwd=folder)
    table = folder / "t.jsonl"
    whole = table.read_bytes()
    table.write_bytes(table.read_bytes()[:-40])
    assert "1 measured, 4 unchanged" in run("compute", "parts", "--output-table", "t.jsonl", cwd=folder).err
    assert table.read_bytes() == whole


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_files_give_the_same_bytes_whatever_happened(kind: str, folder: Path) -> None:
    needs(kind)

    def table(name: str, *runs: tuple[str, ...]) -> bytes:
        for words in runs:
            run("compute", *words, "--output-table", name + kind, cwd=folder)
        return (folder / (name + kind)).read_bytes()

    shutil.copy(ROOT / "samples/parts" / "plate_and_posts.obj", folder / "parts" / "m.obj")  # has rows of parts
    write_binary_stl(folder / "parts" / "a-1.stl", tetrahedron())
    (folder / "parts" / "a").mkdir()  # before `a-1` and `a.stl` in its folder, and so are the files in it
    write_binary_stl(folder / "parts" / "a" / "z.stl", tetrahedron())
    whole = table("whole", ("parts",))
    names = [name for name in rows(folder / f"whole{kind}") if "#" not in name]
    with contextlib.chdir(folder):
        assert names == expand(["parts"], geometry=True).names
    late = [*reversed(names)]
    assert table("two", ("parts", "-j", "2")) == whole
    assert table("pieces", (late[0],), (late[1], late[2]), ("parts",)) == whole
    assert table("backwards", tuple(late)) == whole
    assert table("changed", ("parts", "-d", "1"), (late[3],), ("parts", "-j", "2")) == whole
    assert table("timed", ("parts", "--timing")) != whole
    assert all(row["seconds"] > 0 and row["measured_at"] for row in rows(folder / f"timed{kind}").values())
    assert table("timed", ("parts", "-d", "1"), ("parts",)) == whole


@pytest.mark.parametrize("kind", KINDS)
def test_making_and_reading_a_table_takes_the_memory_of_few_rows(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(kind)
    monkeypatch.setattr("massprops.fleet.table._GROUP", 512)  # an eighth of all counts, of rows too
    monkeypatch.setattr("massprops.fleet.table._PIECE", 32)
    table = tmp_path / f"t{kind}"
    row = {name: {str: "word", int: 1, float: 0.1}[kind] for name, (kind, _) in COLUMNS.items()} | {"schema": SCHEMA}

    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            with table.open("wb") as stream:
                _WRITERS[kind](stream, (row | {"path": f"{i}"} for i in range(count)), COLUMNS)
            assert sum(1 for _ in _READERS[kind](table)) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)
    # one of three: other threads of the test runner allocate, too. Parquet took eight times as much: the objects of a whole row group
    assert any(peak(512) < 1.5 * peak(64) for _ in range(3))


def test_making_parquet_imports_no_pandas(folder: Path) -> None:
    needs(".parquet")
    (folder / "pandas.py").write_text("import os\nos._exit(99)")  # it would cost 40 MB and a second
    command = [sys.executable, "-m", "massprops", "compute", "parts", "-u", "mm", "--output-table", "t.parquet"]
    ended = subprocess.run(
        command, cwd=folder, env=environment() | {"PYTHONPATH": f"{folder}:{ROOT}"}, capture_output=True
    )
    assert ended.returncode != 99
    assert rows(folder / "t.parquet")


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_came_in_any_order_are_in_that_of_their_paths(kind: str, tmp_path: Path) -> None:
    needs(kind)
    order = [f"{folder}{n:03}.stl" for folder in ("a/", "a-b/", "b/") for n in range(100)]
    for turn in range(2):  # as after an interruption, and then into the table that there is
        mixed = list(np.random.default_rng(turn).permutation(order[turn:]))
        with open_table(tmp_path / f"t{kind}") as table:
            for path in mixed[: 150 * (turn + 1)]:
                common = {"path": str(path), "settings": str(turn), "exit_code": 0, "schema": SCHEMA}
                own = [common | {"part": "y"}, common | {"part": "x"}, common | {"parts": 2}]
                table.append(str(path), b"".join(map(line_of, own)))
        found = list(rows(tmp_path / f"t{kind}"))
        assert [name for name in found if "#" not in name] == [path for path in order if path in found]
        assert found == [f"{path}{part}" for path in order if path in found for part in ("#y", "#x", "")]


def test_nothing_is_kept_of_the_files_that_a_run_adds(tmp_path: Path) -> None:
    # of ten million files that would be gigabytes
    line = line_of({"path": "a", "settings": "s", "exit_code": 0, "schema": SCHEMA})
    with open_table(tmp_path / "t.jsonl") as table:
        table.append("first", line)
        tracemalloc.start()
        try:
            for i in range(2000):
                table.append(f"parts/{i}", line)
            grown, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert table.files == 2001
    assert grown < 2000  # a byte a file; a set of their names took 200


def test_known_rows_are_those_of_a_dict() -> None:
    chance = np.random.default_rng(1)
    model: dict[str, tuple[int, PreviousRow]] = {}
    rows = []
    for number in range(2000):
        sha256 = hashlib.sha256(bytes([number % 250])).hexdigest() if number % 3 else ""
        rows.append((f"{chance.integers(1500)}\udcff", PreviousRow(sha256, "s", number % 5, "", "info" * (number % 2))))
        model[rows[-1][0]] = number, rows[-1][1]
    rows_before = KnownRows(rows)
    assert (len(rows_before), len(KnownRows([])), KnownRows([]).get("a")) == (len(model), 0, None)
    replaced = {path for path in model if chance.random() < 0.3}
    assert all(rows_before.replace(path) == (path in model) for path in (*replaced, "none"))
    for number, (path, _) in enumerate(rows):
        assert rows_before.get(path) == model[path][1]
        assert rows_before.stays(number) == (model[path][0] == number and path not in replaced)
    assert rows_before.stays(len(rows))


def test_what_is_no_table_of_ours_is_never_replaced(tmp_path: Path) -> None:
    foreign = [(".jsonl", b'{"a": 1}\n'), (".jsonl", b'{"a": 1}'), (".csv", b"a,b\n1,2\n"), (".parquet", b"PAR1 no")]
    for kind, text in foreign:
        needs(kind)
        table = tmp_path / f"t{kind}"
        table.write_bytes(text)
        with pytest.raises(InvalidInput, match=r"not a table of massprops \(massprops-table/2\)"):
            open_table(table).__enter__()
        assert table.read_bytes() == text
    with pytest.raises(InvalidInput, match=r"t\.txt: not a kind of table; end its name in \.parquet, \.csv, \.jsonl"):
        open_table(tmp_path / "t.txt").__enter__()


def test_a_table_of_another_version_says_so(folder: Path) -> None:
    for kind in (".jsonl", ".csv"):
        run("compute", "parts", "--output-table", f"t{kind}", cwd=folder)
        table = folder / f"t{kind}"
        table.write_text(table.read_text().replace(SCHEMA, "massprops-table/9"))
        with pytest.raises(InvalidInput, match=r"another version of massprops \(massprops-table/9, not"):
            open_table(table).__enter__()


@pytest.mark.skipif(os.name != "posix", reason="links, modes and pipes")
def test_a_table_keeps_its_mode_and_its_link(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "t.csv").symlink_to("data")  # of another suffix: the kind is that of the name
    run("compute", "parts", "--output-table", "t.csv", cwd=folder)
    (folder / "data").chmod(0o640)
    run("compute", "parts", "-d", "1", "--output-table", "t.csv", cwd=folder)
    assert (folder / "t.csv").is_symlink()
    assert (folder / "data").stat().st_mode & 0o777 == 0o640
    os.mkfifo(folder / "pipe.csv")
    with pytest.raises(InvalidInput, match="cannot be written: it is not a file"), open_table(folder / "pipe.csv"):
        pass
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InvalidInput, match="cannot be written: Permission denied"), open_table(folder / "t.csv"):
        pass


#: A limit of the system on the size of files, in bytes, which fails as a full disk does.
FULL = """
import resource, sys
from massprops.cli import main
import massprops.cli.table, massprops.fleet.run
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.exit(main(["compute", "parts", "--output-table", sys.argv[2]]))
"""


@pytest.mark.skipif(os.name != "posix", reason="a limit of POSIX")
@pytest.mark.parametrize(("room", "left"), [(0, []), (5000, ["t.csv.journal"])])
def test_a_journal_without_a_row_is_not_left_behind(room: int, left: list[str], folder: Path) -> None:
    done = start(str(room), "t.csv", program=[sys.executable, "-c", FULL], cwd=folder)
    assert (done.returncode, "t.csv: cannot be written: File too large" in done.err) == (2, True), done.err
    assert sorted(p.name for p in folder.iterdir()) == ["parts", *left]


def test_a_full_disk_loses_no_row_and_leaves_no_rubbish(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.chdir(folder)
    with monkeypatch.context() as patch:
        patch.setitem(_WRITERS, ".csv", full)
        assert main(["compute", "parts", "--output-table", "t.csv"]) == 2
    assert sorted(p.name for p in folder.iterdir()) == ["parts", "t.csv.journal"]
    assert "0 measured, 5 unchanged" in run("compute", "parts", "--output-table", "t.csv", cwd=folder).err


@pytest.mark.skipif(os.name != "posix", reason="names of files")
def test_names_that_are_one_in_the_table_are_refused_and_empty_folders_have_no_row(folder: Path) -> None:
    shutil.copy(folder / "parts" / "a.stl", folder / "parts" / "new\nline.stl")
    assert run("compute", "parts", "--output-table", "t.csv", cwd=folder).returncode == 4
    assert "parts/new\\nline.stl" in rows(folder / "t.csv")
    shutil.copy(folder / "parts" / "a.stl", folder / "parts" / "new\\nline.stl")
    done = run("compute", "parts", "--output-table", "t.csv", cwd=folder)
    assert (done.returncode, "is the name of two files" in done.err) == (2, True)
    (folder / "none").mkdir()
    done = run("compute", "none", "parts/a.stl", "--output-table", "u.csv", cwd=folder)
    assert done.returncode == 3
    assert done.err.startswith(
        "massprops: none: holds no mesh and no plane file; name another folder or a file, or see --include and --exclude\n"
    )
    assert list(rows(folder / "u.csv")) == ["parts/a.stl"]


def test_a_file_that_is_written_while_it_fails_is_measured_again(tmp_path: Path) -> None:
    part = tmp_path / "a.stl"

    def finished(task: Task) -> Outcome:
        outcome = measure_task(task)
        write_binary_stl(part, tetrahedron())  # after it was read
        return outcome

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(massprops.fleet.run, "measure_task", finished)
        part.write_bytes(b"half")
        with open_table(tmp_path / "t.csv") as table:
            (_,) = measure_into(table, [Task(str(part), Options())], 1)
    with open_table(tmp_path / "t.csv") as table:
        ((counts, known),) = measure_into(table, [Task(str(part), Options())], 1)
    assert (counts.unchanged, known.error) == (0, "")


def test_a_larger_limit_measures_what_was_too_large(folder: Path) -> None:
    shutil.copy(ROOT / "samples/parts" / "plate_and_posts.obj", folder / "a.obj")
    codes = [
        run("--max-bytes", size, "compute", "a.obj", "--output-table", "t.csv", cwd=folder).returncode
        for size in ("100", "100000")
    ]
    assert codes == [3, 0]
    assert "error" not in rows(folder / "t.csv")["a.obj"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-", "--output-table", "t.csv"], "--output-table is for meshes and plane files, and this is standard input"),
        (["--fail-fast"], "--fail-fast needs --output-table"),
        (["--send-files", "--output-table", "t.csv"], "--send-files needs --cluster"),
        (["--output-table", "parts/a.stl"], "parts/a.stl: not a kind of table"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: list[str], message: str, folder: Path) -> None:
    done = run("compute", "parts", *words, cwd=folder)
    assert (done.returncode, message in done.err) == (2, True), done.err
    assert [p.name for p in folder.iterdir()] == ["parts"]


#: Runs of the command line that are killed at random moments, in children of one process that has imported everything.
KILLS = """
import hashlib, json, os, random, signal, sys, time
from pathlib import Path
from massprops.cli import main
import massprops.cli.table, massprops.fleet.run, massprops.scheduling  # as a run does
from massprops.fleet.table import _READERS
parts = sorted(Path("parts").iterdir())
chance = random.Random(1)

def written():
    found = {}
    if table != journal and table.exists():
        found = {row["path"]: row["sha256"] for row in _READERS[table.suffix](table)}
    lines = journal.read_bytes().split(b"\\n")[:-1] if journal.exists() else []
    return found | {row["path"]: row["sha256"] for row in map(json.loads, lines)}

def begin():
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os._exit(main(["compute", "parts", "-j", str(chance.choice([1, 2])), "--output-table", str(table)]))
    return pid

main(["compute", "parts", "--output-table", "warm.jsonl"])
for table in map(Path, sys.argv[1:]):
    journal = table if table.suffix == ".jsonl" else table.with_name(f"{table.name}.journal")
    main(["compute", "parts/0.stl", "--output-table", "warm" + table.suffix])
    start = time.monotonic()
    os.waitpid(begin(), 0)
    whole = time.monotonic() - start
    table.unlink()
    kills, unfinished = 0, 0
    while kills < 4 or unfinished < 2:  # some are killed between two rows
        assert kills < 100
        before = written()
        pid = begin()
        time.sleep(chance.uniform(0, 1.2 * whole))
        os.kill(pid, signal.SIGKILL)
        killed = os.WIFSIGNALED(os.waitpid(pid, 0)[1])
        after = written()
        for path, sha256 in before.items():
            assert after[path] in (sha256, hashlib.sha256(Path(path).read_bytes()).hexdigest()), "a written row is lost"
        kills += killed
        whole *= 0.9 if not killed else 1.1 if len(after) == len(before) else 1  # the machine may be faster or slower than it was
        unfinished += killed and len(before) < len(after) < len(parts)
        if not killed:  # all done: so that there is something to do
            assert len(after) == len(parts)
            for part in chance.sample(parts, 18):
                part.write_bytes(os.urandom(80) + part.read_bytes()[80:])
            if chance.random() < 0.5:
                table.unlink()
    assert main(["compute", "parts", "-d", "1", "--output-table", str(table)]) == 0
    assert not journal.exists() or journal == table
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kills_lose_no_written_row(tmp_path: Path) -> None:
    tables = [f"t{kind}" for kind in KINDS if kind != ".parquet" or find_spec("pyarrow")]
    (tmp_path / "parts").mkdir()
    for i in range(24):
        write_binary_stl(tmp_path / "parts" / f"{i}.stl", moved(tetrahedron(), (i, 0, 0)))
    done = start(*tables, program=[sys.executable, "-c", KILLS], cwd=tmp_path)
    assert done.returncode == 0, done.err
    expected = {path: measure(tmp_path / path).volume for path in rows(tmp_path / tables[0])}
    assert len(expected) == 24
    for table in tables:
        assert {path: row["volume"] for path, row in rows(tmp_path / table).items()} == expected


LOCKED = "from pathlib import Path; from massprops.fleet.table import open_table; import sys\n"
HOLD = LOCKED + "with open_table(Path('t.csv')): print(flush=True); sys.stdin.read()"


def test_two_runs_never_write_one_table(folder: Path) -> None:
    command = [sys.executable, "-c", HOLD]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=environment(), stdin=pipe, stdout=pipe) as first:
        assert first.stdout is not None
        first.stdout.readline()
        done = run("compute", "parts", "--output-table", "t.csv", cwd=folder)
        assert done.returncode == 2
        assert done.err.endswith(
            "t.csv: another run is writing this table; wait until it has ended, or name another table\n"
        )
        first.kill()  # the lock ends with its process
    assert run("compute", "parts", "--output-table", "t.csv", cwd=folder).returncode == 4
    assert len(rows(folder / "t.csv")) == 5


def test_the_lock_of_windows_is_that_of_byte_0_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `_locking` locks from the position of the file on, may lock beyond its end, and fails with EACCES at once.
    held: set[tuple[int, int]] = set()

    def locking(descriptor: int, mode: int, count: int) -> None:
        place = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR)
        assert (mode, count, place[1]) == (2, 1, 0)
        if place in held:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        held.add(place)

    (tmp_path / ".t.csv.lock").write_bytes(b"of a run that was killed")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    with open_table(tmp_path / "t.csv"):
        with pytest.raises(InvalidInput, match="another run is writing this table"):
            open_table(tmp_path / "t.csv").__enter__()
        assert (tmp_path / ".t.csv.lock").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_in_pieces_has_one_row_that_follows_each_piece(kind: str, tmp_path: Path) -> None:
    needs(kind)
    facets = tetrahedron()
    for k, own in enumerate((facets[:1], facets[1:])):
        write_binary_stl(tmp_path / f"link5_{k}.stl", own)
    write_binary_stl(tmp_path / "base.stl", facets)
    line = ("compute", ".", "--together", "link*", "--output-table", f"t{kind}", "--jobs", "2")
    told = [run(*line, cwd=tmp_path).err]
    found = rows(tmp_path / f"t{kind}")
    assert {*found} == {"base.stl", "link5"}
    assert found["link5"]["volume"] == found["base.stl"]["volume"]
    digests = [hashlib.sha256((tmp_path / f"link5_{k}.stl").read_bytes()).hexdigest() for k in range(2)]
    assert found["link5"]["sha256"] == hashlib.sha256("".join(digests).encode()).hexdigest()
    said = run(
        "compute", ".", "--together", "link*", "--hash", "--json", "--exclude=t.*", cwd=tmp_path
    ).out.splitlines()
    for value in (json.loads(text)["input"] for text in said):
        assert value["sha256"] == found[value["path"]]["sha256"]
    told.append(run(*line, cwd=tmp_path).err)
    write_binary_stl(tmp_path / "link5_1.stl", moved(facets, (0, 0, 1))[1:])
    done = run(*line, cwd=tmp_path)
    told.append(done.err)
    counts = [re.search(r"2 files; (\d) measured, (\d) unchanged", text).groups() for text in told]
    assert counts == [("2", "0"), ("0", "2"), ("1", "1")]
    assert (done.returncode, rows(tmp_path / f"t{kind}")["link5"]["error"]) == (4, "open-edges")
