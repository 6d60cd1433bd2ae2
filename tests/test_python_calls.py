"""The functions of Python are those of the command line: the same numbers and findings, of files, results and objects in memory."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import console
import numpy as np
import pytest
from cases import each, raised, refused
from places import ROOT

import massprops
from massprops.checking.arguments import CheckSettings
from massprops.checking.settings import MEASURING, Settings

BRACKET, OPEN, ARM = "sample_meshes/bracket.stl", "sample_meshes/open_bracket.stl", "samples/robots/arm.urdf"
MM = {"units": "mm", "density": 7800}


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def arrays() -> tuple[np.ndarray, np.ndarray]:
    mesh = massprops.repair(ROOT / BRACKET, units="mm")
    return mesh.vertices, mesh.faces


def parts(arrays: tuple[np.ndarray, np.ndarray]) -> list[object]:
    trimesh = pytest.importorskip("trimesh")
    measured = massprops.measure(BRACKET, **MM)
    return [Path(BRACKET), arrays, trimesh.Trimesh(*arrays, process=False), measured]


def given(part: object) -> dict[str, object]:
    """Options of a part, which a measurement has already."""
    return {} if isinstance(part, massprops.Measurement) else MM


def test_a_picture_a_page_and_a_verdict_are_those_of_the_same_part_in_a_file(arrays) -> None:
    """What an object is called is all that may differ."""
    checked = massprops.check(BRACKET, max_mass="200 g", **MM)
    numbers = checked.checked[0].numbers
    for part in parts(arrays):
        assert massprops.plot(part, view="top", size=(300, 200), **given(part)).data[:8] == b"\x89PNG\r\n\x1a\n"
        page = massprops.report(part, **given(part))
        assert "219.319" in page
        found = massprops.check(part, max_mass="200 g", **given(part))
        assert [f.to_dict() for f in found.checked[0].findings] == [f.to_dict() for f in checked.checked[0].findings]
        assert found.checked[0].numbers["mass"] == pytest.approx(numbers["mass"], rel=1e-12)
    assert (
        massprops.plot(massprops.measure(BRACKET, **MM), view="top", size=(300, 200)).data
        == massprops.plot(BRACKET, view="top", size=(300, 200), **MM).data
    )


def test_the_check_of_a_result_is_that_of_its_json(tmp_path: Path) -> None:
    measured, stored = massprops.measure(OPEN, units="mm"), tmp_path / "open.json"
    stored.write_text(json.dumps(measured.to_dict()))
    (one,) = massprops.check(measured, require="proved").checked
    (other,) = massprops.check(stored, require="proved").checked
    assert one.findings == other.findings
    assert (one.status, one.subject.path) == ("failed", OPEN)


def test_results_are_compared_as_they_are(tmp_path: Path) -> None:
    """The file of the first may be another one by then."""
    path = tmp_path / "part.stl"
    path.write_bytes(Path(BRACKET).read_bytes())
    before = massprops.measure(path, units="mm")
    path.write_bytes(Path("sample_meshes/tetrahedron.stl").read_bytes())
    after = massprops.measure(path, units="mm")
    assert massprops.diff(before, after)[0].verdict == "beyond"
    assert massprops.diff(before, BRACKET, units="mm")[0].verdict == "equal"
    for call in (massprops.plot, massprops.report):
        with pytest.raises(massprops.ReadError, match="it has changed since it was measured"):
            call(before)


def test_two_results_differ_as_their_files_do() -> None:
    files = (BRACKET, "sample_meshes/bracket.ply")
    for options in (MM, {"units": "mm"}):
        (one,) = massprops.diff(*(massprops.measure(f, **options) for f in files))
        (other,) = massprops.diff(*files, **options)
        assert [c.to_dict() for c in one.changes] == [c.to_dict() for c in other.changes]
        assert one.relation.kind == other.relation.kind == "same"


def test_a_repair_is_that_of_the_command(tmp_path: Path) -> None:
    assert console.run("repair", OPEN, "--units", "mm", "-o", tmp_path / "a.ply").returncode == 0
    mended = massprops.repair(OPEN, units="mm")
    assert mended.save(tmp_path / "b.ply").read_bytes() == (tmp_path / "a.ply").read_bytes()
    assert {f.code for f in mended.findings} >= {"repaired"} or mended.repairs
    again = massprops.measure(mended)
    assert again.volume == pytest.approx(massprops.measure(OPEN, units="mm").volume, rel=1e-12)
    assert mended.to_trimesh().units == "mm"
    assert massprops.repair(massprops.measure(OPEN, units="mm")).vertices.tolist() == mended.vertices.tolist()
    with pytest.raises(massprops.InvalidInput, match="repair must be one of safe, full, got 'none'"):
        massprops.repair(OPEN, repair="none")


def test_a_robot_is_filled_in_place_as_the_command_does(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "meshes").mkdir(parents=True)
        (tmp_path / name / "meshes/bracket.stl").write_bytes(Path("samples/robots/meshes/bracket.stl").read_bytes())
        (tmp_path / name / "arm.urdf").write_bytes(Path(ARM).read_bytes())
    one, other = (tmp_path / name / "arm.urdf" for name in "ab")
    assert console.run("fill", one, "--links", "all", "--density", "7800", "--in-place").returncode == 0
    assert massprops.fill(other, links="all", density=7800).save(tmp_path / "c.urdf").read_bytes() == one.read_bytes()
    assert other.read_bytes() == Path(ARM).read_bytes()
    massprops.fill(other, links="all", density=7800, in_place=True)
    assert other.read_bytes() == one.read_bytes()
    with pytest.raises(massprops.InvalidInput, match=r"no \.stl; choose \.urdf"):
        massprops.fill(other, links="all", density=7800).save(tmp_path / "c.stl")


def test_numbers_are_explained_as_by_the_command() -> None:
    printed = console.run(
        *["explain", "--mass", "340g", "--com"], "1 2 3 mm", "--inertia", "3 1 0 2 0 9 g mm^2", "-f", "json"
    )
    texts = massprops.explain(mass="340g", com="1 2 3 mm", inertia="3 1 0 2 0 9 g mm^2").to_dict()
    numbers = massprops.explain(
        mass=0.34, com=[0.001, 0.002, 0.003], inertia=np.array([3, 1, 0, 2, 0, 9]) * 1e-9
    ).to_dict()
    assert texts == {k: v for k, v in json.loads(printed.out).items() if k != "remarks"}
    assert numbers["explanation"]["verdict"] == texts["explanation"]["verdict"]
    (measured,) = (massprops.measure(BRACKET, units="mm", density=2700),)
    assert massprops.explain(measured, against=measured).verdict == "unneeded"


def test_a_mesh_is_converted_as_compute_writes_it(arrays) -> None:
    computed = console.run("compute", BRACKET, "--units", "mm", "-d", "7800", "--format", "urdf").out
    assert massprops.convert(BRACKET, "urdf", **MM) == massprops.convert(massprops.measure(BRACKET, **MM), "urdf")
    number = computed.split('mass value="')[1].split('"')[0]
    assert f'mass value="{number}"' in massprops.convert(BRACKET, "urdf", **MM)
    assert massprops.measure(massprops.convert(arrays, "ply") and arrays, units="mm").grade == "proved"


def test_pictures_and_pages_are_saved_whole(tmp_path: Path) -> None:
    picture = massprops.plot(BRACKET, units="mm", size=(200, 150))
    assert picture.save(tmp_path / "a.png").read_bytes() == picture.data == picture._repr_png_()
    assert picture.save(str(tmp_path / "a.pdf")).read_bytes()[:5] == b"%PDF-"
    page = massprops.report(BRACKET, units="mm")
    assert page.save(tmp_path / "a.html").read_text("utf-8") == page
    for call, message in (
        (lambda: picture.save(tmp_path / "a.stl"), r"no \.stl; choose \.png, \.svg or \.pdf"),
        (lambda: page.save(tmp_path / "a"), "no file without a suffix; choose .html"),
        (lambda: page.save(tmp_path / "none" / "a.html"), "cannot be written"),
        (lambda: page.save(3), "path must be the name of a file, got 3"),
    ):
        with pytest.raises(massprops.InvalidInput, match=message):
            call()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "a.pdf", "a.png"]


CALLS = ("measure", "plot", "report", "diff", "check", "explain", "repair", "fill", "convert", "measure_many")


@each("name", CALLS)
def test_the_signature_names_every_option(name: str) -> None:
    """Completion and `help` read it."""
    found = inspect.signature(getattr(massprops, name)).parameters
    assert all(p.kind is not inspect.Parameter.VAR_KEYWORD for p in found.values())
    assert {p.annotation for p in found.values()}.isdisjoint({inspect.Parameter.empty})
    if name not in ("explain", "fill", "repair"):
        assert found["units"].default is None
        assert found["density"].default is None
    if name in ("measure", "plot", "report"):
        assert (found["repair"].default, found["on_open"].annotation) == ("safe", "OnOpen")


def test_the_settings_that_type_checkers_know_are_those_of_the_configuration() -> None:
    import dataclasses

    own = {f.name for f in dataclasses.fields(Settings)} - {"measuring"}
    assert set(CheckSettings.__annotations__) == own | MEASURING


@each(
    ("call", "message"),
    [
        (lambda: massprops.measure([[0, 0, 0]], [[0, 1, 2]]), "give arrays as one tuple, (vertices, faces)"),
        (lambda: massprops.plot(None), "expected a path, (vertices, faces) as one tuple, triangles of shape"),
        (lambda: massprops.repair(3), "expected a path"),
        (lambda: massprops.diff(BRACKET), "diff needs after"),
        (lambda: massprops.fill(ARM, densty=3), "there is no argument 'densty'; did you mean density?"),
        (lambda: massprops.plot(massprops.measure(BRACKET, units="mm"), units="m"), "is measured already"),
        (lambda: massprops.convert(ARM, "stp"), "to must be one of urdf, sdf"),
        (lambda: massprops.convert(ARM, "sdf", units="mm"), "arm.urdf: units is an option of measuring"),
        *(
            (partial(call, density=3), "density is for meshes and plane files, and this is a robot")
            for call in (
                partial(massprops.plot, ARM),
                partial(massprops.report, ARM),
                partial(massprops.diff, ARM, ARM),
            )
        ),
        (lambda: list(massprops.measure_many([BRACKET], jobs=None)), "jobs must be a whole number, got None"),  # type: ignore[arg-type]
        (lambda: massprops.explain(f"{ARM}#forearm", units="mm"), "units needs against"),
        (lambda: massprops.combine(ARM, density=3), "density is for meshes, and no item is named as one"),
        (lambda: massprops.explain(f"{ARM}#forearm", against=[[0, 0], [1, 0], [0, 1]]), "is a plane figure"),
        (
            lambda: massprops.repair(massprops.measure(BRACKET, pose="1 2 3")),
            f"{BRACKET}: is measured in another place",
        ),
        (
            lambda: massprops.convert(BRACKET, "urdf", units="mm"),
            "is measured without a mass; give density=, material=",
        ),
        (lambda: massprops.explain(), "no file and no numbers given"),
        (lambda: massprops.explain(ARM, mass=1), "a source and numbers are mutually exclusive"),
        (lambda: massprops.explain(mass=1, inertia=[1, 2]), "inertia needs 6 or 9 numbers, got 2"),
        (lambda: massprops.report("none.stl"), "none.stl: no such file"),
        (lambda: massprops.plot("none.stl"), "none.stl: no such file"),
        (lambda: massprops.report(BRACKET, "none.urdf"), "none.urdf: no such file"),
    ],
)
def test_what_is_wrong_is_said_with_the_remedy(call: Callable[[], object], message: str) -> None:
    assert message in str(raised(massprops.MasspropsError, call))


COUNTS: dict[str, Callable[[Any], object]] = {
    "jobs": lambda value: massprops.measure(BRACKET, jobs=value),
    "jobs of many": lambda value: list(massprops.measure_many([BRACKET, OPEN], jobs=value)),
    "jobs of check": lambda value: massprops.check([BRACKET, OPEN], jobs=value),
    "jobs of fill": lambda value: massprops.fill(ARM, density=1, jobs=value),
    "digits of fill": lambda value: massprops.fill(ARM, density=1, digits=value),
    "digits of report": lambda value: massprops.report(BRACKET, digits=value),
    "lines": lambda value: massprops.measure(BRACKET, lines=value),
    "n": lambda value: massprops.sample(ARM, mass="5%", n=value),
    "count": massprops.lmi.of_bodies,
    "ratio": lambda value: massprops.measure([[0, 0], [1, 0], [0, 1]], ratios={"array": value}),
}
SHARES: dict[str, Callable[[Any], object]] = {
    "rtol": lambda value: massprops.check(BRACKET, rtol=value),
    "max_uncertainty": lambda value: massprops.measure(BRACKET, max_uncertainty=value),
    "size": lambda value: massprops.plot(BRACKET, size=(value, value)),
    "mass": lambda value: massprops.explain(mass=value, com=[0, 0, 0], inertia=[1, 1, 1, 0, 0, 0]),
    "mass of samples": lambda value: massprops.sample(ARM, mass=value),
}


@each("name", COUNTS)
@each("value", [10**400, 10**5000, -1, 0, True, "x", float("nan")])
def test_a_number_beyond_its_range_is_an_error_of_the_caller(name: str, value: Any) -> None:
    said = str(raised(massprops.InvalidInput, lambda: COUNTS[name](value)))
    assert said.startswith(name.partition(" ")[0])
    assert len(said) < 200


@each("name", COUNTS | SHARES)
@each("value", [-(10**5000), [10**5000], Fraction(10**5000, 3)])
def test_numbers_that_python_makes_no_text_of_are_errors_of_the_caller(name: str, value: Any) -> None:
    said = str(raised(massprops.InvalidInput, lambda: (COUNTS | SHARES)[name](value)))
    assert said.startswith(name.partition(" ")[0])
    assert len(said) < 200


@each("name", COUNTS)
def test_a_whole_number_of_numpy_is_one(name: str) -> None:
    COUNTS[name](np.uint8(2 if "jobs" in name else 16))  # whose square is more than its type holds


@each("words", ["compute {} {} --jobs", "check {} --jobs", "compute {} --lines", "report {} --digits", "compute {} -j"])
@each("digits", [400, 5000])
def test_a_number_beyond_its_range_is_a_usage_error(words: str, digits: int) -> None:
    done = console.run(*words.format(BRACKET, BRACKET).split(), "9" * digits)
    assert (done.returncode, len(done.stderr) < 300) == (2, True)


def test_lists_iterators_and_columns_are_their_sources() -> None:
    paths = (Path(p) for p in (BRACKET, OPEN))
    assert massprops.check(paths, units="mm").files == 2
    assert massprops.check(np.array([BRACKET, OPEN]), units="mm").files == 2
    assert massprops.check([massprops.measure(BRACKET, **MM), massprops.measure(BRACKET, **MM)]).files == 2
    assert len(massprops.check([[0, 0], [1, 0], [0, 1]]).checked) == 1  # a ring


ONE_VALUE = {
    "measure": "hash exact count_bodies list_parts together units jobs progress max_bytes allow_outside densities",
    "plot": "dark packages view output_format joints torsion centered",
    "report": "packages together hash digits",
    "diff": "packages tolerances together",
    "check": "allow_outside allow_unmatched jobs packages config rtol include",
    "explain": "cad geometry nearest packages units",
    "fill": "in_place jobs packages allow_outside digits links package_path",
    "repair": "allow_outside repair",
    "combine": "missing root packages allow_outside package_path",
    "sample": "allow_outside packages links n",
    "convert": "form packages allow_outside mirror",
}


def columns(*values: object) -> list[Any]:
    """Values as a column and as a table of pandas, where it is installed."""
    if find_spec("pandas") is None:
        return []
    import pandas

    return [pandas.Series(values), pandas.DataFrame(values)]


@each("name", ONE_VALUE)
def test_an_array_is_no_flag_and_no_single_value(name: str) -> None:
    """numpy says that its truth value is ambiguous; one of one element was a flag that is set."""
    source = BRACKET if name in ("measure", "plot", "report", "diff", "repair", "convert") else ARM
    more = [source] if name == "diff" else ["stl"] if name == "convert" else []
    arrays = [np.ones(2), np.eye(3), np.array([True, False]), np.empty((0, 3)), *columns(1)]
    for argument, array in product(ONE_VALUE[name].split(), arrays):
        message = refused(massprops.errors.InvalidInput, getattr(massprops, name), source, *more, **{argument: array})
        assert message == f"{argument}: must not be an array, got one of shape {array.shape}"


def test_a_number_of_numpy_and_an_array_of_texts_are_what_they_hold() -> None:
    assert massprops.measure(BRACKET, **MM, hash=np.bool_(True)).input.sha256
    for links in (np.array(["forearm"]), np.array(["forearm"], object), *columns("forearm")[:1]):
        assert massprops.fill(ARM, links=links, density=np.float64(7800)).text


def test_an_array_in_place_of_a_pose_or_of_words_is_answered_with_what_to_give() -> None:
    assert "must be a massprops.Pose or a text" in refused(
        massprops.errors.InvalidInput, massprops.measure, BRACKET, **MM, pose=np.eye(4)
    )
    assert "must be a list of words" in refused(
        massprops.errors.InvalidInput, massprops.check, BRACKET, select=np.array(["open-edges"])
    )


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    massprops.plot(OPEN, units="mm", repair="none", size=(300, 225)).save(tmp_path / "a.svg")
    massprops.repair(OPEN, units="mm")
    massprops.convert(BRACKET, "stl", mirror="xz")
    massprops.fill(ARM, links="all", density=7800)
    assert capfd.readouterr() == ("", "")


def test_own_materials_are_arguments_and_those_of_a_configuration(tmp_path: Path) -> None:
    config = tmp_path / "own.toml"
    config.write_text('[materials]\n"PETG CF" = "1.29 g/cm3"\n')
    (material,) = massprops.read_materials(config)
    assert massprops.measure(BRACKET, units="mm", material=material).density == 1290
    (checked,) = massprops.check(BRACKET, units="mm", material="petg-cf", config=config).checked
    assert checked.body.density == 1290
    with pytest.raises(massprops.InvalidInput, match="unknown material 'petg-cf'"):
        massprops.measure(BRACKET, units="mm", material="petg-cf")


def test_a_mesh_keeps_the_unit_in_which_it_was_measured(tmp_path: Path) -> None:
    """A 3MF file that states mm, read in cm: 10³ times the volume, also repaired, mirrored and written."""
    stated = tmp_path / "stated.3mf"
    massprops.repair(str(ROOT / "sample_meshes/bracket.stl"), units="mm").save(stated)
    part = massprops.measure(stated, override_units="cm")
    mended, mirrored = massprops.repair(part), massprops.convert(part, "3mf", mirror="xz")
    assert (mended.units, part.volume) == ("cm", pytest.approx(1e3 * (massprops.measure(stated).volume or 0)))
    again = [mended, mended.save(tmp_path / "mended.3mf"), mirrored.save(tmp_path / "mirrored.3mf")]
    assert [massprops.measure(mesh).volume for mesh in again] == [pytest.approx(part.volume, rel=1e-6)] * 3


def test_packages_are_for_robots_in_every_function(arrays: tuple[np.ndarray, np.ndarray]) -> None:
    """As `--package` is; of a mesh they were ignored."""
    calls: dict[str, Callable[..., object]] = {
        "check": massprops.check,
        "plot": massprops.plot,
        "report": massprops.report,
        "combine": lambda source, **more: massprops.combine(source, **more),
        "convert": lambda source, **more: massprops.convert(source, "json", **more),
        "diff": lambda source, **more: massprops.diff(source, source, **more),
        "explain": lambda source, **more: massprops.explain(source, **more),
    }
    body = massprops.measure(BRACKET, **MM)
    for name, call in calls.items():
        sources = [body] if name in ("combine", "explain") else [BRACKET, arrays, body]
        for source in sources:
            said = str(raised(massprops.InvalidInput, call, source, packages={"a": "meshes"}))
            assert "packages is for robots" in said, name
        robot = f"{ARM}#forearm" if name in ("explain", "diff") else ARM
        call(robot, packages={"a": "meshes"})
    massprops.check([BRACKET, ARM], packages={"a": "meshes"}, units="mm")
