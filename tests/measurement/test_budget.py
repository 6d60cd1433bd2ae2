"""Mass budgets: the sample added up by hand, nested assemblies, limits, and every mistake with its line."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from cases import seeds
from console import VALIDATOR, run
from places import ROOT

from massprops.errors import MasspropsError
from massprops.frames import Pose
from massprops.measurement.assembly import read_assembly
from massprops.measurement.budget import grow
from massprops.measurement.combining import RobotPosition, combine, join, parts_of
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
        str(tmp_path / "sub.toml"), lambda _: (Pose.from_xyz_rpy([0, 0, 7]),), 3, search=None, position=RobotPosition()
    )
    assert join([moved], None, RobotPosition()).budget.total.predicted.mass == pytest.approx(3 * 42.6)
    with pytest.raises(MasspropsError, match=r"a.toml:3: the parts of the assembly have a growth of their own"):
        read(tmp_path, '[[part]]\nassembly = "sub.toml"\ngrowth = "5 %"\n')
    plain = read(tmp_path, re.sub(r"(?m)^(limit|growth|maturity|group|structure|estim|calc|\[m|\[l).*$", "", TEXT))
    assert plain.budget is None


PLATE = """
[[part]]
name = "plate"
shape = "box"
x = 1
y = 1
z = 0.1
density = 160
{plate}
[[part]]
name = "opening"
shape = "box"
x = 0.9
y = 0.9
z = 0.1
density = 160
hole = true
{opening}
"""
BALL = '[[part]]\nname = "ball"\nshape = "sphere"\nradius = 0.1\nmass = 1\npose = "2 0 0"\n'


def test_a_part_with_a_hole_grows_by_its_net_mass(tmp_path):
    """16 kg − 12.96 kg = 3.04 kg; 5 % of it is 0.152 kg, whether the class, the part or the group says so."""
    classes = '[maturity]\nc = "5 %"\nd = "50 %"\n'
    for plate, opening, more in (
        ('growth = "5 %"', "", ""),
        ('maturity = "c"', "", ""),
        ('maturity = "c"\ngroup = "g"\nlimit = "3.2 kg"', 'displaces = ["plate"]', BALL + 'maturity = "d"\n'),
        ('growth = "5 %"\ngroup = "g"', 'group = "g"', BALL + 'growth = "50 %"\n'),
        ('maturity = "c"', "", BALL + 'maturity = "c"\n'),
    ):
        for text in (PLATE, "".join(f"[[part]]{t}" for t in ("", *PLATE.split("[[part]]")[:0:-1]))[8:]):
            whole = read(tmp_path, classes + text.format(plate=plate, opening=opening) + more)
            budget, ball = whole.budget, float(bool(more))
            share = (0.05 if plate == opening or (not opening and more) else 0.5) * ball
            np.testing.assert_allclose(budget.total.growth, 0.05 * 3.04 + share, rtol=1e-12)
            np.testing.assert_allclose(whole.predicted.mass, 1.05 * 3.04 + ball + share, rtol=1e-12)
            if "limit" in plate:
                line = next(line for line in budget.parts if line.name == "plate")
                np.testing.assert_allclose(line.margin, 3.2 - 1.05 * 3.04, rtol=1e-12)
            if "group" in plate:
                np.testing.assert_allclose(budget.groups[0].predicted.mass, 1.05 * 3.04, rtol=1e-12)
    independent = read(tmp_path, PLATE.format(plate='growth = "5 %"', opening="")).budget.total.independent
    assert independent == pytest.approx(0.05 * 3.04, rel=1e-12)


@pytest.mark.parametrize(("plate", "opening", "more", "message"), [
    ('growth = "5 %"', "", BALL, "it is not known with which part this hole grows; name it"),
    ('growth = "5 %"', "", BALL + 'growth = "5 %"\n', "it is not known with which part this hole grows"),
    ('group = "g"', 'group = "h"', BALL, "it is not known with which part this hole grows"),
    ("", 'displaces = ["plat"]', "", "no part 'plat'; did you mean plate"),
    ("", 'displaces = "plate"', "", "displaces must be a list of names of parts"),
    ('displaces = ["opening"]', "", "", "opening is a hole, in whose place nothing is"),
    ("", 'limit = "1 kg"', "", "a hole has no limit"),
    ('growth = "5 %"', "count = 2", "", "the holes weigh as much as the part that they are cut from"),
])  # fmt: skip
def test_a_hole_whose_part_is_not_known_is_refused(tmp_path, plate, opening, more, message):
    with pytest.raises(MasspropsError, match=message):
        read(tmp_path, PLATE.format(plate=plate, opening=opening) + more)


def random_parts(rng: np.random.Generator) -> list[str]:
    """Boxes at random places, some of a class, with a growth, in a group, several times, or with a hole."""
    parts = []
    for _ in range(int(rng.integers(1, 4))):
        name, pose = f"p{rng.integers(1 << 40)}", "{} {} {}".format(*rng.uniform(-9, 9, 3))
        kg = rng.uniform(1, 9)
        grows = str(rng.choice(['maturity = "c"', 'maturity = "d"', f'growth = "{rng.integers(9)} %"', ""]))
        group = str(rng.choice(['group = "g"', 'group = "h"', ""]))
        text = f'shape = "box"\nx = 1\ny = 2\nz = 3\npose = "{pose}"\ncount = {rng.integers(1, 3)}\n'
        parts.append(f'[[part]]\nname = "{name}"\nmass = {kg}\n{grows}\n{group}\n{text}')
        if rng.random() < 0.4:
            parts.append(f'[[part]]\nhole = true\ndisplaces = ["{name}"]\nmass = {kg * rng.uniform(0.1, 0.9)}\n{text}')
    return parts


@pytest.mark.parametrize("seed", seeds(4))
def test_a_nested_assembly_has_the_budget_of_the_flat_one(tmp_path, seed):
    rng = np.random.default_rng(seed)
    classes = 'overlap = "count"\n[maturity]\nc = "20 %"\nd = "7 %"\n'  # they lie anywhere
    files = [random_parts(rng) for _ in range(3)]
    nested = ""
    for number, parts in enumerate(files):
        read(tmp_path, classes + "".join(parts) + nested, f"{number}.toml")
        nested = f'[[part]]\nassembly = "{number}.toml"\n'
    one = read_assembly(str(tmp_path / "2.toml")).budget
    flat = read(tmp_path, classes + "".join(part for parts in files for part in parts)).budget
    both = [{line.name: line for line in budget.groups} for budget in (one, flat)]
    assert both[0].keys() == both[1].keys()
    for a, b in [(one.total, flat.total), *((both[0][g], both[1][g]) for g in both[0])]:
        np.testing.assert_allclose([a.growth, a.independent], [b.growth, b.independent], rtol=1e-9, atol=1e-12)
        for x, y in ((a.basic, b.basic), (a.predicted, b.predicted)):
            np.testing.assert_allclose([x.mass, *x.com], [y.mass, *y.com], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(x.inertia, y.inertia, rtol=1e-9, atol=1e-9 * x.inertia.max())


BLOCK = '[[part]]\nname = "{}"\nshape = "box"\nx = 1\ny = 1\nz = 1\nmass = 1\npose = "{}"\n'


def test_items_of_an_assembly_that_shares_space_grow_where_they_are(tmp_path):
    """1 kg at 0 that doubles, 1 kg at 10 m that does not, and 1 kg that overlaps the second by 0.1 m: predicted 4 kg."""
    read(tmp_path, BLOCK.format("a", "0 0 0") + "growth = 1\n" + BLOCK.format("b", "10 0 0"), "sub.toml")
    nested = 'overlap = "count"\n[[part]]\nassembly = "sub.toml"\n' + BLOCK.format("c", "10.9 0 0")
    total = read(tmp_path, nested).budget.total
    np.testing.assert_allclose(total.predicted.com, [20.9 / 4, 0, 0], rtol=1e-12)
    # what is shared, 0.1 kg, can be missing
    assert 0.1 <= total.predicted.uncertainty.mass.bound <= 0.1 * (1 + 1) + 1e-9
    taken = nested.replace('overlap = "count"\n', "") + 'displaces = ["a.toml"]\n'
    with pytest.raises(MasspropsError, match="has a mass budget of its own, and shares space with another part"):
        read(tmp_path, taken.replace('"sub.toml"', '"sub.toml"\nname = "a.toml"'))


def test_copies_of_a_nested_assembly_grow_by_their_own_classes(tmp_path):
    """Of the sample, twice: bus 2 kg of one class, tank and battery 2 + 1 kg of another, radio 0.1 kg."""
    read(tmp_path, TEXT, "sub.toml")
    independent = 2 * math.sqrt(2**2 + (2 + 1) ** 2 + 0.1**2)
    for text in ('poses = ["0 0 0", "5 0 0"]', "count = 2"):
        budget = read(tmp_path, f'[limits]\nstructure = 50\n[[part]]\nassembly = "sub.toml"\n{text}\n').budget
        assert budget.total.independent == pytest.approx(independent, rel=1e-12)
        assert {line.name: line.basic.mass for line in budget.groups} == {
            "structure": 40,
            "propulsion": 20,
            "power": 10,
        }
        assert budget.groups[0].margin == pytest.approx(50 - 44)
    position = RobotPosition()
    twice = parts_of(str(tmp_path / "sub.toml"), lambda _: (Pose.identity(),), 2, search=None, position=position)
    total = join([twice], None, position).budget.total
    assert total.independent == pytest.approx(independent, rel=1e-12)
    inner = re.sub(r"(?m)^(growth|maturity|structure|estim|calc|\[m|\[l|limit).*$", "", TEXT)
    read(tmp_path, inner, "plain.toml")
    grown = read(tmp_path, '[[part]]\nassembly = "plain.toml"\ngrowth = "10 %"\n').budget
    assert (grown.total.growth, grown.total.independent) == (pytest.approx(3.75), pytest.approx(3.75))
    assert [line.growth for line in grown.groups] == [pytest.approx(x) for x in (2, 1, 0.5)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"20 %"', '"2 kg"', r"a.toml:6: growth of estimated '2 kg' is not a plain number"),
        ('maturity = "estimated"', 'maturity = "estimate"', r"a.toml:28: no maturity class 'estimate'.*estimated"),
        ('growth = "4 %"', 'growth = "104 %"', r"a.toml:43: growth must be from 0 to 1"),
        ('growth = "4 %"', 'maturity = "estimated"\ngrowth = "4 %"', r"growth and maturity are given together"),
        ('growth = "4 %"', 'hole = true\ngrowth = "4 %"', r"a.toml:44: a hole grows with the part that it is cut from"),
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


def test_a_table_says_that_a_row_exceeds_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "budget.csv"
    path.write_text("name;mass [lb];x [in];y [in];z [in];growth;limit [lb]\nA;3;10;0;0;10 %;3,2\nB;0,5;1,25;0;0;;0,5\n")
    whole = combine(path)
    (found,) = (f for f in whole.findings if f.code == "mass-budget")
    assert (found.code, found.severity) == ("mass-budget", "error")
    assert "the predicted mass of A, 1.49685 kg, exceeds its limit of 1.4515 kg" in found.message.replace("\xa0", " ")
    assert found in combine(path, path).findings
