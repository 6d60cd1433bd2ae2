"""Mass budgets: the sample added up by hand, nested assemblies, limits, and every mistake with its line."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from console import VALIDATOR, run
from places import ROOT

from massprops.errors import MasspropsError
from massprops.frames import Pose
from massprops.measurement.assembly import read_assembly
from massprops.measurement.budget import grow
from massprops.measurement.combining import RobotPosition, join, parts_of
from massprops.rigid_body.shapes import box

SATELLITE = ROOT / "samples" / "assemblies" / "satellite.toml"
TEXT = SATELLITE.read_text(encoding="utf-8")


def read(folder: Path, text: str, name: str = "a.toml"):
    (folder / name).write_text(text, encoding="utf-8")
    return read_assembly(str(folder / name))


def test_the_sample_added_up_by_hand():
    """bus 20 kg + 10 %, tank 10 kg + 20 %, battery 5 kg + 20 %, radio 2.5 kg + 4 %; samples/assemblies/README.md has the sums."""
    budget = read_assembly(str(SATELLITE)).budget
    lines = {line.name: line for line in (*budget.parts, *budget.groups, budget.total)}
    numbers = {n: (x.basic.mass, x.growth, x.predicted.mass, x.limit, x.margin) for n, x in lines.items()}
    expected = {
        "bus": (20, 2, 22, None, None),
        "tank": (10, 2, 12, None, None),
        "battery": (5, 1, 6, None, None),
        "radio": (2.5, 0.1, 2.6, 3, 0.4),
        "structure": (20, 2, 22, 23, 1),
        "propulsion": (10, 2, 12, None, None),
        "power": (5, 1, 6, None, None),
        "satellite": (37.5, 5.1, 42.6, 45, 2.4),
    }
    assert numbers.keys() == expected.keys()
    for name, values in expected.items():
        assert numbers[name] == tuple(None if v is None else pytest.approx(v, rel=1e-13) for v in values), name
    total = lines["satellite"]
    assert total.independent == pytest.approx(math.sqrt(2**2 + (2 + 1) ** 2 + 0.1**2), rel=1e-13)
    np.testing.assert_allclose(total.basic.com, [2.5 / 37.5, 0, 5 / 37.5], rtol=1e-13)
    np.testing.assert_allclose(total.predicted.com, [2.6 / 42.6, 0, 6 / 42.6], rtol=1e-13)
    own, moved = 22 * 2 / 12, [12 + 6, 12 + 6 + 2.6, 2.6]
    np.testing.assert_allclose(total.predicted.inertia_about([0, 0, 0]).diagonal(), np.add(moved, own), rtol=1e-13)


def test_growth_keeps_the_place_and_the_relative_errors():
    body = box(1, 2, 3, mass=4).translated([1, 0, 0]).with_relative_error(0.1, "matter")
    grown = grow(body, 0.25)
    assert (grown.mass, grown.com.tolist()) == (5, [1, 0, 0])
    np.testing.assert_allclose(grown.inertia, 1.25 * body.inertia, rtol=1e-15)
    assert grown.uncertainty.mass.bound == pytest.approx(0.5)


def test_an_assembly_brings_the_growth_of_its_parts(tmp_path):
    read(tmp_path, TEXT, "sub.toml")
    twice = read(tmp_path, '[[part]]\nassembly = "sub.toml"\nposes = ["0 0 0", "5 0 0"]\n').budget.total
    assert (twice.basic.mass, twice.predicted.mass) == (pytest.approx(75), pytest.approx(85.2))
    assert twice.predicted.com[0] == pytest.approx(2.6 / 42.6 + 2.5)
    moved = parts_of(
        str(tmp_path / "sub.toml"), (Pose.from_xyz_rpy([0, 0, 7]),), 3, search=None, position=RobotPosition()
    )
    assert join([moved], None, RobotPosition()).budget.total.predicted.mass == pytest.approx(3 * 42.6)
    with pytest.raises(MasspropsError, match=r"a.toml:3: the parts of the assembly have a growth of their own"):
        read(tmp_path, '[[part]]\nassembly = "sub.toml"\ngrowth = "5 %"\n')
    plain = read(tmp_path, re.sub(r"(?m)^(limit|growth|maturity|group|structure|estim|calc|\[m|\[l).*$", "", TEXT))
    assert plain.budget is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"20 %"', '"2 kg"', r"a.toml:6: growth of estimated '2 kg' is not a plain number"),
        ('maturity = "estimated"', 'maturity = "estimate"', r"a.toml:28: no maturity class 'estimate'.*estimated"),
        ('growth = "4 %"', 'growth = "104 %"', r"a.toml:43: growth must be from 0 to 1"),
        ('growth = "4 %"', 'maturity = "estimated"\ngrowth = "4 %"', r"growth and maturity are given together"),
        ('growth = "4 %"', 'hole = true\ngrowth = "4 %"', r"a hole has no growth"),
        ('structure = "23 kg"', 'structur = "23 kg"', r"a.toml:10: no part is in the group 'structur'.*structure"),
        ('limit = "45 kg"', 'limit = "45 m"', r"a.toml:3: expected a mass"),
        ('limit = "3 kg"', "limit = -1", r"a.toml:44: limit must be positive"),
        ('limit = "3 kg"', 'limit = "3 m"', r"a.toml:44: expected a mass"),
        ('group = "power"', "group = 3", r"a.toml:32: group must be a text"),
    ],
)
def test_a_mistake_has_its_line(tmp_path, old, new, message):
    assert old in TEXT
    with pytest.raises(MasspropsError, match=message):
        read(tmp_path, TEXT.replace(old, new, 1))


def test_a_limit_that_is_exceeded_fails(tmp_path):
    (tmp_path / "a.toml").write_text(TEXT.replace('"23 kg"', '"21.5 kg"').replace('"45 kg"', '"42.6 kg"'))
    done = run("combine", "a.toml", "--format", "json", cwd=tmp_path)
    result = json.loads(done.out)
    VALIDATOR.validate(result)
    assert (done.returncode, [f["code"] for f in result["findings"]]) == (1, ["mass-budget"])
    assert result["findings"][0]["message"].startswith(
        "the predicted mass of structure, 22 kg, exceeds its limit of 21.5 kg"
    )
    assert result["budget"]["total"]["margin"] == pytest.approx(0, abs=1e-12)
    assert [line["margin"] for line in result["budget"]["groups"]] == [pytest.approx(-0.5), None, None]
    assert run("combine", "a.toml", "--fail-on", "never", cwd=tmp_path).returncode == 0
    (tmp_path / "outer.toml").write_text('[[part]]\nassembly = "a.toml"\n')
    motor = f"{ROOT}/samples/assemblies/motor.urdf#motor"
    for words in (["2*a.toml"], ["outer.toml"], ["a.toml", motor]):
        done = run("combine", *words, cwd=tmp_path)
        assert (done.returncode, done.out.count("error mass-budget")) == (1, 1), words
