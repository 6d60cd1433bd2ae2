"""`massprops fill` from outside."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from console import VALIDATOR, ascii_stl, run
from robots import WITHOUT_INERTIALS as ROBOT


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    return path


def test_the_filled_robot_goes_to_stdout_and_the_table_to_stderr(robot: Path) -> None:
    done = run("fill", robot, "--density", "1000")
    assert done.returncode == 4  # b cannot be filled, a is
    assert done.out.count("<inertial>") == 1
    assert '<mass value="6000.0" />' in done.out
    assert "link b: gone.stl" in done.err
    assert robot.read_text() == ROBOT


@pytest.mark.parametrize("name", ["robot.urdf", "robot.sdf", "robot.xml"])
def test_a_robot_for_another_folder_is_said_to_keep_its_relative_meshes(tmp_path: Path, name: str) -> None:
    (tmp_path / "part.stl").write_text(ascii_stl())
    text = {
        "urdf": "<robot name='r'><link name='a'><visual><geometry><mesh filename='part.stl'/></geometry></visual></link></robot>",
        "sdf": "<sdf version='1.9'><model name='r'><link name='a'><collision name='c'><geometry><mesh><uri>part.stl</uri></mesh>"
        "</geometry></collision></link></model></sdf>",
        "xml": "<mujoco><asset><mesh name='m' file='part.stl'/></asset><worldbody><body name='a'><geom type='mesh' mesh='m'/></body>"
        "</worldbody></mujoco>",
    }
    suffix = name.partition(".")[2]
    (tmp_path / name).write_text(text[suffix])
    (tmp_path / "other").mkdir()
    for place, is_said in ((f"new.{suffix}", False), (f"other/new.{suffix}", True)):
        done = run("fill", name, "--density", "1000", "-o", place, cwd=tmp_path)
        assert done.returncode == 0, done.err
        assert (
            "mesh paths such as part.stl are not changed: the simulator has to find them from other" in done.err
        ) is is_said


def test_a_robot_on_standard_input_is_filled_as_its_file_is(tmp_path: Path) -> None:
    """`xacro x | massprops fill -`: relative meshes in the folder of --base, those of packages without; each is refused by name."""
    (tmp_path / "part.stl").write_text(ascii_stl())
    mesh = "<link name='{}'><visual><geometry><mesh filename='{}'/></geometry></visual></link>"
    text = f"<robot name='r'>{mesh.format('a', 'part.stl')}{mesh.format('b', 'package://p/part.stl')}</robot>"
    (tmp_path / "r.urdf").write_text(text)
    words = ("--density", "1000", "--package", f"p={tmp_path}")
    there = run("fill", "r.urdf", *words, cwd=tmp_path)
    assert (there.returncode, there.out.count("<inertial>")) == (0, 2)
    for how in ({"cwd": tmp_path}, {}):
        base = () if how else ("--base", str(tmp_path))
        done = run("fill", "-", *words, *base, stdin=text.encode(), **how)
        assert (done.returncode, done.out) == (0, there.out)
        checked = run("check", "-", *words[2:], *base, stdin=there.stdout, **how)
        assert (checked.returncode, "0 warnings" in checked.err) == (0, True)
        explained = run("explain", "-#a", *words[2:], *base, stdin=there.stdout, **how)
        assert (explained.returncode, "implied density 1000 kg/m³" in explained.out) == (0, True)
    out = tmp_path / "new.urdf"
    assert run("fill", "-", *words, "--base", str(tmp_path), "-o", out, stdin=text.encode()).returncode == 0
    assert out.read_text() == there.out
    (tmp_path / "empty").mkdir()
    done = run("fill", "-", *words, stdin=text.encode(), cwd=tmp_path / "empty")
    assert (done.returncode, done.out.count("<inertial>")) == (4, 1)  # the package needs no file beside
    assert "part.stl: no such file; give the folder of the robot with --base FOLDER" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-", "--in-place"], "--in-place writes a file"),
        (["-", "-o", "r.sdf"], "the robot stays .urdf"),
        (["-", "--base", "none"], "--base: none is not a folder"),
        (["robot.urdf", "--base", "."], "--base is the folder of a robot on standard input"),
    ],
)
def test_what_standard_input_cannot_do_is_refused(tmp_path: Path, words: list[str], said: str) -> None:
    done = run("fill", *words, "--density", "1", stdin=ROBOT.encode(), cwd=tmp_path)
    assert (done.returncode, done.out) == (2, "")
    assert said in done.err


def test_gltf_and_stages_on_standard_input_are_refused() -> None:
    """Their meshes are in themselves."""
    for text in ('{"asset": {"version": "2.0"}, "nodes": []}', "#usda 1.0"):
        for words in (["fill", "--density", "1"], ["explain"], ["check"]):
            done = run(words[0], "-", *words[1:], stdin=text.encode())
            assert done.returncode in (2, 3), (words, done)
            assert "name its file" in done.err + done.out or "USD" in done.err + done.out, (words, done)


@pytest.mark.parametrize("version", ["1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11"])
def test_every_version_of_sdf_gets_the_same_inertial(tmp_path: Path, version: str) -> None:
    box = "<visual name='v'><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></visual>"
    link = f"<link name='a'>\n<pose>0 1 0 0 0 1</pose>\n{box}</link>"
    (tmp_path / "robot.sdf").write_text(f"<sdf version='{version}'>\n<model name='m'>\n{link}\n</model>\n</sdf>\n")
    done = run("fill", "robot.sdf", "--density", "1", cwd=tmp_path)
    assert done.returncode == 0
    # in the frame of the link, whatever its pose in the model
    assert "<pose>0.0 0.0 1.0 0.0 0.0 0.0</pose>" in done.out
    assert [f"<{k}>{v}</{k}>" in done.out for k, v in (("ixx", "6.5"), ("iyy", "5.0"), ("izz", "2.5"))] == [True] * 3


def test_only_one_way_of_writing(robot: Path) -> None:
    done = run("fill", robot, "--density", "1000", "--in-place", "--diff")
    assert done.returncode == 2
    assert "mutually exclusive" in done.err


@pytest.mark.parametrize("name", ["x.sdf", "x.usda", "x.json", "x.glb", "x.csv"])
def test_a_robot_is_not_written_into_a_file_of_another_format(robot: Path, name: str) -> None:
    done = run("fill", robot, "--density", "1000", "-o", name, cwd=robot.parent)
    assert (done.returncode, (robot.parent / name).exists()) == (2, False)
    assert f"the robot stays .urdf, and {Path(name).suffix} says another format" in done.err
    (robot.parent / "robot.xml").write_text("<?xml version='1.0'?>" + ROBOT)
    done = run("fill", "robot.xml", "--density", "1000", "-o", name, cwd=robot.parent)
    assert done.returncode == 2
    assert run("fill", "robot.xml", "--density", "1000", "-o", "new.urdf", cwd=robot.parent).returncode == 4
    assert "expand it first: xacro FILE > robot.urdf" in run("fill", "robot.xacro", "-d", "1", "-o", "new.urdf").err


@pytest.mark.parametrize(
    "where",
    [("-o", "robot.urdf"), ("--report", "robot.urdf"), ("-o", "new.urdf", "--report", "./new.urdf"), ("--report", "-")],
)
def test_no_result_replaces_the_robot_or_another_result(robot: Path, where: tuple[str, ...]) -> None:
    done = run("fill", "robot.urdf", "--density", "1000", *where, cwd=robot.parent)
    assert (done.returncode, done.out) == (2, "")
    assert robot.read_text() == ROBOT
    assert [p.name for p in robot.parent.iterdir()] == ["robot.urdf"]


def test_what_is_set_for_one_link_is_joined(robot: Path) -> None:
    done = run("fill", robot, "--set", "a=mass:2kg", "--set", "a=com:0,0,1", "--links", "a")
    assert done.returncode == 0
    assert '<origin xyz="0.0 0.0 1.0"' in done.out
    assert '<mass value="2.0" />' in done.out
    twice = run("fill", robot, "--set", "a=mass:2kg", "--set", "a=density:1")
    assert twice.returncode == 2
    assert "several of density, material and mass" in twice.err


@pytest.mark.parametrize("option", ["--density=7800 +- 50", "--mass=2kg±1%", "--set=a=density:1+-1"])
def test_a_tolerance_is_refused_as_such(robot: Path, option: str) -> None:
    done = run("fill", robot, option)
    assert (done.returncode, done.out) == (2, "")
    assert "has a tolerance, which is not taken here" in done.err


def test_shapes_too_large_for_numbers_are_named_without_a_warning_of_python(robot: Path) -> None:
    robot.write_text(
        '<robot name="r"><link name="a"><visual><geometry><box size="1e200 1e200 1e200"/></geometry></visual></link></robot>'
    )
    done = run("fill", robot, "--density", "1000")
    assert done.returncode == 4
    assert "RuntimeWarning" not in done.err


def test_check_says_whether_a_file_would_change_and_writes_nothing(robot: Path) -> None:
    wanted = ("fill", robot, "--density", "1000", "--links", "a")
    assert run(*wanted, "--check").returncode == 1
    assert robot.read_text() == ROBOT
    done = run(*wanted, "--in-place")
    assert (done.returncode, done.out) == (0, "")
    assert robot.read_text().count("<inertial>") == 1
    assert run("fill", robot, "--density", "1000", "--check", "--links", "missing").returncode == 4  # b still cannot
    assert run(*wanted, "--check").returncode == 0


def test_a_diff_shows_what_would_be_inserted(robot: Path) -> None:
    done = run("fill", robot, "--density", "1000", "--links", "a", "--diff")
    assert done.returncode == 0
    changed = [line for line in done.out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed
    assert all(line.startswith("+") for line in changed)


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
@pytest.mark.parametrize("text", [ROBOT, ROBOT.rstrip(), ROBOT.replace("\n", "\r\n"), ROBOT.replace("\n", "")])
@pytest.mark.parametrize("comment", ["<!-- \N{LATIN SMALL LETTER E WITH ACUTE}\x85 -->", ""])
def test_patch_makes_the_filled_robot_of_the_diff(tmp_path: Path, text: str, comment: str) -> None:
    before = ('<?xml version="1.0" encoding="iso-8859-1"?>' + comment + text).encode("latin-1")
    path = tmp_path / "robot.urdf"
    path.write_bytes(before)
    fill = ("fill", "robot.urdf", "--density", "1000", "--links", "a")
    diff, whole = (run(*fill, *more, cwd=tmp_path).stdout for more in (["--diff"], []))
    subprocess.run(["patch", "--binary", "robot.urdf"], input=diff, cwd=tmp_path, check=True, capture_output=True)
    assert path.read_bytes() == whole != before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize(("way", "code"), [("--diff", 0), ("--in-place", 2)])
def test_a_robot_from_a_pipe_is_read_once_and_not_replaced(tmp_path: Path, way: str, code: int) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(ROBOT,), daemon=True)
    writer.start()
    assert run("fill", tmp_path / "pipe", "--density", "1000", "--links", "a", way).returncode == code


def test_the_report_has_every_link(robot: Path, tmp_path: Path) -> None:
    run("fill", robot, "--set", "a=mass:7kg", "-o", tmp_path / "out.urdf", "--report", tmp_path / "report.json")
    filled = json.loads((tmp_path / "report.json").read_text())["filled"]
    assert [(x["name"], x["mass_from"], x["error"] and x["error"]["code"]) for x in filled] == [
        ("a", "weighed", None),
        ("b", None, "missing-file"),
    ]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="for root every file is writable")
def test_of_several_files_all_are_written_or_none(tmp_path: Path) -> None:
    main, part = mjcf_pair(tmp_path)
    part.chmod(0o444)
    before = main.read_text()
    assert run("fill", main, "--density", "1", "--in-place").returncode == 2
    assert main.read_text() == before


def test_included_files_are_written_in_place_through_links(tmp_path: Path) -> None:
    main, part = mjcf_pair(tmp_path)
    moved = part.rename(tmp_path / "real.xml")
    moved.chmod(0o640)
    part.symlink_to("real.xml")
    done = run("fill", main, "--density", "1", "--in-place")
    assert (done.returncode, done.out) == (0, "")
    assert part.is_symlink()
    assert moved.stat().st_mode & 0o777 == 0o640
    assert [p.read_text().count("<inertial") for p in (main, moved)] == [1, 1]
    assert run("fill", main, "--density", "1", "--links", "all", "--check").returncode == 0


def mjcf_pair(folder: Path) -> tuple[Path, Path]:
    main, part = folder / "robot.xml", folder / "part.xml"
    body = '<body name="{}"><geom size="1"/></body>'
    part.write_text(f"<mujocoinclude>{body.format('p')}</mujocoinclude>\n")
    main.write_text(f'<mujoco><worldbody><include file="part.xml"/>{body.format("q")}</worldbody></mujoco>\n')
    return main, part


CONFIG = """[fill]
density = "1g/cm3"
links = ["a", "c"]

[fill.files."robot.urdf"]
mass = "10kg"
set.c = {density = 3, com = [0, 0, "12mm"]}

[fill.files."other.urdf"]
material = "steel"
"""


THREE = """<robot name="r">
  <link name="a"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
  <link name="c"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
</robot>
"""


def report_of(folder: Path, *args: str, code: int = 0) -> dict:
    (folder / "robot.urdf").write_text(THREE)
    done = run("fill", "robot.urdf", "-o", "out.urdf", "--report", "report.json", *args, cwd=folder)
    assert done.returncode == code, done.err
    report = json.loads((folder / "report.json").read_text())
    VALIDATOR.validate(report)
    return report


def test_masses_come_from_the_configuration_and_the_report_has_their_lines(tmp_path: Path) -> None:
    (tmp_path / "massprops.toml").write_text(CONFIG)
    report = report_of(tmp_path)
    assert {k: v["from"].partition(":")[2] for k, v in report["settings"].items()} == {"links": "3", "mass": "6"}
    a, c = report["filled"]
    assert (c["after"]["mass"], c["after"]["center_of_mass"]) == (3.0, [0, 0, 0.012])
    assert c["source"].endswith("massprops.toml:7")
    assert (a["after"]["mass"], a["mass_from"], a["after"]["density"]) == (7.0, "share", pytest.approx(7 / 6))
    assert a["source"].endswith("massprops.toml:6")


def test_the_command_line_is_stronger_than_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "massprops.toml").write_text(CONFIG)
    a, c = report_of(tmp_path, "--density", "2", "--set", "c=mass:5kg")["filled"]
    assert (a["after"]["mass"], a["source"]) == (pytest.approx(12), "--density")
    # what only the configuration says of the link stays
    assert (c["after"]["mass"], c["source"], c["after"]["center_of_mass"]) == (5.0, "--set", [0, 0, 0.012])
    assert report_of(tmp_path, "--density", "2", "--no-config")["settings"].keys() == {"density"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[fill]\ndensity = 1\nset.q = 'mass:1'\n", "massprops.toml:3: there is no link 'q'"),
        ("[fill]\n\ndensty = 1\n", "massprops.toml:3: unknown key 'densty'; did you mean density?"),
        ("[fill]\ndensity = 'x'\n", "massprops.toml:2: density: "),
        ("[fill]\ndensity = 1\nmass = 2\n", "massprops.toml:3: mass: density is given too; give one of them"),
        ("[fill]\ngeometry = 'auto'\n", "must be one of visual, collision, got 'auto'"),
        ("fill = 3\n", "massprops.toml:1: fill: must be a table"),
        ("[fill]\nset = {a = 3}\n", "massprops.toml:2: set: 3 for link 'a' is not a text or a table"),
        ("[fill.set]\na = 'mass:1'\nc = 3\n", "massprops.toml:3: set: 3 for link 'c' is not a text or a table"),
        ("[fill]\ndensity = 1\nlinks = 'q'\n", "massprops.toml:3: links: there is no link 'q'"),
        (
            "[fill]\nset.a = 'mass:1'\nset.c = 'mass:1'\nmass = 3\n",
            "massprops.toml:4: mass: the links have 2 kg, not 3 kg",
        ),
        ("[fill.files.'robot.urdf']\nfiles = 3\n", "unknown key 'files'; known: density"),
        # sections of other robots are read too
        ("[fill.files.'b.urdf']\nlinks = 3\n", "massprops.toml:2: links: must be a text or a list of texts"),
    ],
)
def test_a_wrong_key_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "massprops.toml").write_text(text)
    (tmp_path / "robot.urdf").write_text(THREE)
    done = run("fill", "robot.urdf", cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.err


def test_check_and_fill_share_one_configuration(tmp_path: Path) -> None:
    (tmp_path / "massprops.toml").write_text("paths = ['robot.urdf']\n" + CONFIG)
    (tmp_path / "robot.urdf").write_text(THREE)
    assert run("check", cwd=tmp_path).returncode != 2


@pytest.mark.parametrize("columns", ["80", "40"])
def test_the_table_has_the_numbers_before_and_after(tmp_path: Path, columns: str) -> None:
    stated = '<inertial><mass value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>'
    (tmp_path / "robot.urdf").write_text(THREE.replace('name="a">', f'name="a">{stated}'))
    words = "fill robot.urdf --links a --density 500 --mass-from density"
    done = run(*words.split(), cwd=tmp_path, env={"COLUMNS": columns})
    assert done.returncode == 0
    for word in ("before", "after", "3000", "500", "1 2 2.5", "1250 2500 3250", "Ixy Ixz Iyz", "mass from density"):
        assert word in " ".join(done.err.split())
    assert max(map(len, done.err.splitlines())) <= int(columns)


@pytest.mark.parametrize(("consumer", "status"), [("openusd", 1), ("newton", 0)])
def test_the_reader_of_the_robot_is_asked(tmp_path: Path, consumer: str, status: int) -> None:
    """A cube of 10 mm has moments of 2.7e-8 kg m², which OpenUSD takes for not stated."""
    robot, filled = tmp_path / "r.urdf", tmp_path / "o.urdf"
    box = '<visual><geometry><box size="0.01 0.01 0.01"/></geometry></visual>'
    robot.write_text(f'<robot name="r"><link name="a">{box}</link></robot>', encoding="utf-8")
    for done in (
        run("fill", str(robot), "--density", "2700", "--for", consumer, "-o", str(filled)),
        run("convert", str(filled), "-f", "usd", "--for", consumer),
    ):
        assert (done.returncode, f"refused-by-{consumer}" in done.err) == (status, bool(status)), done.err
    assert filled.exists()


def test_each_of_two_links_of_one_name_has_its_own_verdict(tmp_path: Path) -> None:
    links = "".join(
        f'<link name="a"><visual><geometry><box size="{a} {a} {a}"/></geometry></visual></link>' for a in (0.01, 1)
    )
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{links}</robot>', encoding="utf-8")
    done = run("fill", "r.urdf", "--density", "2700", "--for", "openusd", "-o", "o.urdf", cwd=tmp_path)
    assert (done.returncode, done.err.count("refused-by-openusd")) == (1, 1), done.err


def test_a_part_of_a_model_sends_to_the_file_that_includes_it(tmp_path: Path) -> None:
    """Neither is there a link whose numbers are stated, nor can `fill` do what `explain` then advises."""
    (tmp_path / "none.xml").write_text("<mujoco><default/></mujoco>", encoding="utf-8")
    body = '<body name="arm"><geom class="away" type="box" size="1 1 1"/></body>'
    (tmp_path / "arm.xml").write_text(f"<mujocoinclude>{body}</mujocoinclude>", encoding="utf-8")
    for words, status in ((["fill", "none.xml", "--density=1"], 3), (["explain", "arm.xml#arm"], 4)):
        found = run(*words, cwd=tmp_path)
        assert (found.returncode, "heck the file that includes it" in found.err) == (status, True), words
        assert "massprops fill" not in found.err
