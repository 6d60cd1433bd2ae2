"""`compute --certificate` and `check --certificate` from outside: what is written where, and the exit code for every bad certificate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from console import plain_failure, run


@pytest.fixture
def certified(part: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    """The certificate of a mesh, in c.json beside it."""
    monkeypatch.chdir(part.parent)
    assert run("compute", part, "--certificate", "c.json", "--format", "json").returncode == 0
    return json.loads(Path("c.json").read_text())


def test_the_exit_code_says_whether_a_certificate_differs_or_cannot_be_read(part: Path, certified: dict) -> None:
    good = json.dumps(certified)
    volume = certified["integrals"]["6 V"]
    texts = {
        good: 0,
        good.replace(volume, str(int(volume) + 1)): 1,
        good.replace(volume, "9" * 100_000): 1,
        good.replace(certified["sha256"], "0" * 64): 1,
        json.dumps({k: v for k, v in certified.items() if k != "integrals"}): 1,
        json.dumps({**certified, "remark": 1}): 1,
        json.dumps({**certified, "unit": 5}): 1,
        good.replace("certificate/1", "certificate/2"): 3,
        good.replace('"facets": ', '"facets": 1, "facets": '): 3,
        good.replace('"facets": 4', '"facets": NaN'): 3,
        good.replace('"exponent": ', '"exponent": ' + "1" * 5000): 3,
        good[:-9]: 3,
        "": 3,
    }
    for text, status in texts.items():
        Path("d.json").write_text(text)
        assert run("check", part, "--certificate", "d.json").returncode == status, text[:300]
    assert run("check", part, "--certificate", ".").returncode == 3
    assert run("check", part, "--certificate", "-", stdin=good.encode()).returncode == 0


def test_the_unit_is_that_of_the_file_or_the_one_that_is_given(part: Path, certified: dict) -> None:
    assert run("compute", part, "--units", "inch", "--certificate", "c.json", "--format", "json").returncode == 0
    assert run("check", part, "--units", "in", "--certificate", "c.json", "--require", "proved").returncode == 0
    for words in ((), ("--units", "mm")):
        other = run("check", part, "--certificate", "c.json", *words)
        assert other.returncode == 1
        assert "is of a file in 'in', and this one is read in 'm" in " ".join(other.out.split())
    Path("c.json").write_text(json.dumps({**certified, "unit": "kg"}))
    assert run("check", part, "--certificate", "c.json").returncode == 3


def test_a_certificate_takes_the_place_of_no_other_file(part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(part.parent)
    same = run("compute", part, "--certificate", "x.json", "-o", "x.json")
    plain_failure(same, 2, "--output and --certificate name the same file; name another")
    plain_failure(
        run("compute", part, "--certificate", part), 2, f"{part}: is an input file; choose another --certificate"
    )
    told = "--certificate needs a file: results are on standard output; name one"
    plain_failure(run("compute", part, "--certificate", "-"), 2, told)
    assert not Path("x.json").exists()
