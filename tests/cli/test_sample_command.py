"""`massprops sample` from outside: a folder of robots and their manifest, or nothing."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from console import VALIDATOR, plain_failure, run
from places import ROOT

ARM = ROOT / "samples" / "robots" / "arm.urdf"
WORDS = ("sample", ARM, "--n", "11", "--mass", "5%", "--com", "3mm", "--inertia", "10%", "--seed", "7")


def test_a_folder_of_samples_with_a_manifest_that_repeats_them(tmp_path: Path) -> None:
    for name in ("one", "two"):
        done = run(*WORDS, "-o", name, cwd=tmp_path)
        assert (done.returncode, done.out) == (0, ""), done.err
        assert "meshes/bracket.stl are not changed" in done.err
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two
    manifest = json.loads(one.pop("manifest.json"))
    VALIDATOR.validate(manifest)
    assert manifest["settings"] == {"n": 11, "seed": 7, "mass": 0.05, "com": 0.003, "inertia": 0.1}
    assert manifest["sha256"] == hashlib.sha256(ARM.read_bytes()).hexdigest()
    assert {s["file"]: s["sha256"] for s in manifest["samples"]} == {
        name: hashlib.sha256(data).hexdigest() for name, data in one.items()
    }
    assert [s["file"] for s in manifest["samples"]] == [f"arm-{k:02}.urdf" for k in range(11)]
    again = run(*WORDS, "-o", "one", cwd=tmp_path)
    plain_failure(again, 2, "one: is not an empty folder; choose another --output")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one", "two"]


def test_a_sample_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.urdf").write_text(ARM.read_text().replace('ixx="1.17687e-05"', 'ixx="9"', 1))
    done = run("sample", "bad.urdf", "--mass", "5%", "-o", "out", cwd=tmp_path)
    assert done.returncode == 3
    assert "bad.urdf:3: link 'upper_arm': no body has this mass and inertia" in done.err
    assert [p.name for p in tmp_path.iterdir()] == ["bad.urdf"]


def test_samples_that_mujoco_changes_are_counted(tmp_path: Path) -> None:
    text = ARM.read_text(encoding="utf-8").replace(
        "</robot>", '<mujoco><compiler boundmass="0.0759"/></mujoco></robot>'
    )
    (tmp_path / "arm.urdf").write_text(text, encoding="utf-8")
    done = run("sample", "arm.urdf", "--mass", "5%", "--n", "20", "--links", "forearm", "-o", "out", cwd=tmp_path)
    made = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["samples"]
    light = [each for each in made if each["links"][0]["mass"] < 0.0759]
    assert [each for each in made if each["findings"]] == light
    said = f"warning: MuJoCo does not take {len(light)} of 20 samples as written, as in {light[0]['file']}: link 'forearm': "
    assert done.returncode == 0
    assert said in done.err
    assert 0 < len(light) < 20
