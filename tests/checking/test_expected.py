"""Expected results: which recorded result is compared, what counts as a change, and what an update writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boxes import BODY, RESULT, body
from cases import refused
from console import run
from oracles import box, write_binary_stl

from massprops.checking.expected import ExpectedResults, change_text, changes, results_text, update_results
from massprops.checking.report import Subject
from massprops.errors import ReadError


def record(path: Path, *results: dict[str, Any]) -> ExpectedResults:
    path.write_text("".join(json.dumps(r) + "\n" for r in results), encoding="utf-8")
    return ExpectedResults.read(str(path))


def named(path: str, **changes: Any) -> dict[str, Any]:
    return {**RESULT, "input": {"path": path}, **changes}


def test_a_result_does_not_differ_from_itself() -> None:
    assert changes(BODY, BODY, 0.0) == []


def test_the_same_tensor_about_another_point_and_with_the_other_sign_is_no_change() -> None:
    """What is compared is the body, and not how the file states it."""
    x = np.array(RESULT["center_of_mass"])
    shifted = np.array(RESULT["inertia"]["tensor"]) + 8 * ((x @ x) * np.eye(3) - np.outer(x, x))
    positive = 2 * np.diag(np.diag(shifted)) - shifted
    stated = {"tensor": positive.tolist(), "about": "origin", "products": "positive"}
    assert changes(BODY, body(inertia=stated), 1e-12) == []  # the shift is some thousand times the tensor


@pytest.mark.parametrize(
    ("change", "name", "relative"),
    [
        ({"mass": 8.08}, "mass", 0.01),
        ({"volume": 0.0076}, "volume", 0.05),
        # of the diagonal of the bounds, √0.21 m, and not of the coordinate, which only says where the origin is
        ({"center_of_mass": [1.05, 2.1, 3.2 + 0.01]}, "center_of_mass", 0.01 / 0.21**0.5),
        # of the largest entry: a product that was zero has no size of its own
        ({"inertia": {"tensor": [[0.13, 0.0013, 0], [0.0013, 0.11, 0], [0, 0, 0.03]]}}, "inertia", 0.01),
    ],
)
def test_a_change_is_relative_to_the_size_of_what_changed(
    tmp_path: Path, change: dict[str, Any], name: str, relative: float
) -> None:
    new = body(**change)
    # differences of decimal numbers of size 1: their rounding over the difference
    assert [c.name for c in changes(BODY, new, 1e-6)] == [name]
    (found,) = record(tmp_path / "g.jsonl", RESULT).findings(Subject(str(tmp_path / "box.stl")), new)
    assert (found.code, found.value, found.limit) == ("changed-value", pytest.approx(relative, rel=1e-12), 1e-6)
    assert changes(BODY, new, relative * 1.001) == []
    assert len(changes(BODY, new, relative * 0.999)) == 1


def test_a_number_that_is_gone_is_a_change() -> None:
    volumes = [None, 0.008]
    for before, after, text in ((1, 0, "volume 0.008\xa0m³ → none"), (0, 1, "volume none → 0.008\xa0m³")):
        (found,) = changes(body(volume=volumes[before]), body(volume=volumes[after]), 1e-6)
        assert (change_text(found), found.relative) == (text, None)


def test_results_are_found_beside_their_file_and_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gold").mkdir()
    book = record(tmp_path / "gold" / "g.jsonl", RESULT, named("../part.stl", mass=1.0))
    monkeypatch.chdir(tmp_path)
    assert book.record(Subject(str(tmp_path / "gold" / "box.stl"))).value["mass"] == 8.0
    assert book.record(Subject("part.stl")).value["mass"] == 1.0
    assert book.record(Subject("part.stl", "link")) is None
    assert book.record(Subject("unknown.stl"), alone=True) is None  # two results: which is meant?
    alone = record(tmp_path / "one.json", RESULT)
    assert alone.record(Subject("unknown.stl"), alone=True) is not None
    assert alone.record(Subject("unknown.stl")) is None


def test_an_open_surface_is_measured_as_it_was_recorded(tmp_path: Path) -> None:
    """What it bounds with the origin, where that was accepted; and no repair is taken for it."""
    write_binary_stl(tmp_path / "open.stl", box((0, 0, 0), (1, 2, 3))[1:])
    done = run("compute", "open.stl", "--on-open", "integrate", "-f", "json", cwd=tmp_path)
    (tmp_path / "open.json").write_text(done.out, encoding="utf-8")
    assert run("check", "open.stl", cwd=tmp_path).returncode == 1
    assert run("check", "open.stl", "--expect", "open.json", cwd=tmp_path).returncode == 0
    repaired = done.result | {"repairs": [{"kind": "fill"}]}
    (tmp_path / "open.json").write_text(json.dumps(repaired), encoding="utf-8")
    assert run("check", "open.stl", "--expect", "open.json", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize("moved", ["--pose", "--frame"])
@pytest.mark.parametrize("mass", [[], ["--mass", "2kg"]])
def test_of_a_moved_result_only_what_does_not_move_is_compared(tmp_path: Path, moved: str, mass: list[str]) -> None:
    for scale, status in ((1, 0), (2, 1)):
        write_binary_stl(tmp_path / "box.stl", scale * np.array(box((0, 0, 0), (1, 2, 3))))
        if scale == 1:
            done = run("compute", "box.stl", *mass, moved, "1 2 3 0 0 1", "--json", cwd=tmp_path)
            (tmp_path / "box.json").write_text(json.dumps(done.result), encoding="utf-8")
        assert run("check", "box.stl", "--expect", "box.json", cwd=tmp_path).returncode == status


def test_what_was_not_recorded_is_said_unless_there_is_nothing_to_record(tmp_path: Path) -> None:
    book = record(tmp_path / "g.jsonl", RESULT, named("b.stl"))
    (found,) = book.findings(Subject("new.stl"), BODY)
    assert (found.code, found.message) == ("not-recorded", f"{tmp_path / 'g.jsonl'} has no result for it")
    assert book.findings(Subject("new.stl"), None) == []
    (found,) = book.findings(Subject(str(tmp_path / "box.stl")), None)
    assert found.code == "not-measured"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]\n", "{}:1: is not a massprops/1 object; make one of Measurement.to_dict()"),
        ('\n{"schema": "massprops/1", "input": {}, "error": {}}', "{}:2: is the report of an error; record it again"),
        (
            "{",
            (
                "{}:1: not valid JSON: Expecting property name enclosed in double quotes at column 2; "
                "the file is damaged or cut off; export or copy it again"
            ),
        ),
    ],
)
def test_what_holds_no_results_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "g.json"
    path.write_text(text, encoding="utf-8")
    assert refused(ReadError, ExpectedResults.read, str(path)) == message.format(path)


def test_a_recorded_number_that_is_none_is_refused_by_its_line(tmp_path: Path) -> None:
    book = record(tmp_path / "g.jsonl", named("b.stl"), {**RESULT, "volume": "8"})
    with pytest.raises(ReadError, match=r"g\.jsonl:2: volume must be a number, got '8'"):
        book.findings(Subject(str(tmp_path / "box.stl")), BODY)


def test_an_update_replaces_what_changed_and_leaves_the_rest(tmp_path: Path) -> None:
    box, part = tmp_path / "box.stl", tmp_path / "part.stl"
    book = record(tmp_path / "g.jsonl", {**RESULT, "note": "kept"}, named("part.stl"))
    same = body(mass=8.0 * (1 + 1e-9))
    results, told = update_results(book, [(Subject(str(box)), same), (Subject(str(part)), body(mass=10.0))])
    assert [line for _, line in told] == [f"{part}: mass 8\xa0kg → 10\xa0kg, by 25 %"]
    lines = [json.loads(line) for line in results_text(results, book.path).splitlines()]
    assert [(r["input"]["path"], r["mass"], r.get("note")) for r in lines] == [
        ("box.stl", 8.0, "kept"),
        ("part.stl", 10.0, None),
    ]
