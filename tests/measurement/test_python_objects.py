"""Objects of other libraries, as Python hands them over: they are measured, or the error names their type and the remedy."""

from __future__ import annotations

import io
import pickle
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from cases import refused
from places import ROOT

import massprops
from massprops import InvalidInput, measure, write

#: A box corner: the tetrahedron with the volume 1 · 2 · 3 / 6.
VERTICES = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def test_a_scene_is_its_meshes_where_they_stand() -> None:
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene([trimesh.Trimesh(VERTICES, FACES, process=False)])
    moved = trimesh.Trimesh(VERTICES + np.array([10, 0, 0]), FACES, process=False)
    scene.add_geometry(moved)
    measured = measure(scene, units="m")
    assert measured.volume == pytest.approx(2.0, rel=1e-14)
    assert measured.center_of_mass[0] == pytest.approx(0.25 + 5, rel=1e-14)


def test_cells_of_triangles_are_a_mesh() -> None:
    blocks = [SimpleNamespace(type="line", data=FACES[:, :2]), SimpleNamespace(type="triangle", data=FACES)]
    assert measure(SimpleNamespace(points=VERTICES, cells=blocks), units="m").volume == pytest.approx(1.0, rel=1e-15)
    solid = SimpleNamespace(points=VERTICES, cells=[SimpleNamespace(type="tetra", data=[[0, 1, 2, 3]])])
    assert measure(solid, units="m").volume == pytest.approx(1.0, rel=1e-15)


def test_an_open_file_is_refused_with_the_way_to_read_it() -> None:
    with pytest.raises(InvalidInput, match=r"an open file \(BytesIO\) is not measured; pass its path"):
        measure(io.BytesIO(b"solid"))
    assert "or a mesh or solid of another library" in refused(InvalidInput, measure, object())
    assert "'Mesh' is a type of another package; pass (points, triangles)" in refused(InvalidInput, measure, Mesh())


class Mesh:
    """A mesh of a package that reads files into its objects."""

    def read(self) -> None:
        raise AssertionError("it is no file")


def test_several_polygons_are_one_section() -> None:
    shapely = pytest.importorskip("shapely")
    holed = shapely.box(0, 0, 4, 3).difference(shapely.box(1, 1, 2, 2))
    both = shapely.MultiPolygon([holed, shapely.box(10, 0, 11, 1)])
    assert measure(both, units="m").area == pytest.approx(11 + 1, rel=1e-14)
    with pytest.raises(InvalidInput, match="a MultiPoint of polygons is expected"):
        measure(shapely.MultiPoint([(0, 0), (1, 1)]))
    assert "the exterior has no points" in refused(InvalidInput, measure, shapely.Polygon())


def test_a_measurement_is_written_like_a_body() -> None:
    measured = measure((VERTICES, FACES), units="m", mass=6)
    for body in (measured, measured.properties):
        text, _ = write([body], "urdf")
        assert float(ET.fromstring(text).find("mass").get("value")) == 6  # noqa: S314  # our own text
    with pytest.raises(InvalidInput, match=r"bodies\[0\] is a Measurement without a mass; expected a NamedBody"):
        write([measure((VERTICES, FACES))], "urdf")


def test_the_modules_that_the_documentation_names_are_there() -> None:
    assert massprops.shapes.box(1, 1, 1, mass=6).mass == 6
    assert massprops.units.parse_length("12 mm") == 0.012
    assert massprops.batch.__name__ == "massprops.rigid_body.batch"


ROBOT = ROOT / "samples/robots" / "arm.urdf"
BRACKET = ROOT / "sample_meshes" / "bracket.stl"


@pytest.mark.parametrize(
    "of",
    [
        lambda: measure((VERTICES, FACES), density=1000),
        lambda: massprops.combine(str(ROBOT)),
        lambda: massprops.fill(ROBOT, links="all", density=1000),
    ],
)
def test_results_are_equal_by_value_also_after_pickling(of: Callable[[], object]) -> None:
    result = of()
    assert result == of()
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301  # our own
    assert result != "result"


@pytest.mark.parametrize("value", [np.zeros(3), 1j, b"x", object(), [3]])
@pytest.mark.parametrize(
    "call",
    [
        lambda x: measure(BRACKET, on_open=x),
        lambda x: massprops.check(BRACKET, config=x),
        lambda x: massprops.check(BRACKET, expect=x),
        lambda x: massprops.check(BRACKET, baseline=x),
        lambda x: massprops.report(BRACKET, digits=x),
        lambda x: massprops.report(BRACKET, output_units=x),
        lambda x: massprops.plot(BRACKET, show=x),
        lambda x: massprops.plot(BRACKET, on_open=x),
        lambda x: massprops.shape(x, mass=1),
        lambda x: write([measure((VERTICES, FACES), mass=1)], x),
        lambda x: massprops.units.parse_lengths(x),
        lambda x: massprops.units.parse_moments(x),
        lambda x: massprops.spatial.adjoint(x),
    ],
)
def test_arguments_of_another_type_are_refused_by_name(call: Callable[[object], object], value: object) -> None:
    with pytest.raises(InvalidInput):
        call(value)


def test_a_whole_number_that_no_double_holds_is_refused() -> None:
    for call in (lambda n: massprops.shapes.sphere(1, mass=n), lambda n: measure((VERTICES, FACES), density=n)):
        with pytest.raises(InvalidInput, match="must be finite, got "):
            call(10**400)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure((VERTICES, FACES), units=3), "expected a unit of length, got 3"),
        (lambda: measure((VERTICES, FACES), units=""), "expected a unit of length, got ''"),
        (lambda: measure((VERTICES, FACES), material=3), "material must be a text, got 3"),
        (
            lambda: measure((VERTICES, FACES), density="steel"),
            "density 'steel' is the name of a material; give material='steel'",
        ),
        (lambda: measure((VERTICES, FACES), lines=3.5), "lines must be a whole number, got 3.5"),
        (lambda: measure((VERTICES, FACES), lines=True), "lines must be a whole number, got True"),
        (lambda: measure((VERTICES, FACES), jobs="a"), "jobs must be a whole number, got 'a'"),
        (lambda: massprops.fill(ROBOT, links=3), "links must be missing, invalid, all or names, got 3"),
        (lambda: massprops.fill(ROBOT, masses=3), "masses must be a mapping of links to masses, got 3"),
        (lambda: massprops.fill(3), "path must be the name of a robot file, got 3"),
        (lambda: massprops.combine(str(ROBOT), joints=3), "joints must be a mapping of names to values, got 3"),
        (lambda: massprops.combine(str(ROBOT), joints={"elbow": "1m"}), "joint elbow must be an angle, got '1m'"),
        (lambda: massprops.check([3]), "expected a path, (vertices, faces) as one tuple"),
        (lambda: massprops.convert(None, to="sdf"), "expected a path, (vertices, faces) as one tuple"),
        (lambda: massprops.open_bodies(3), "text must be the name of a file, got 3"),
        (lambda: massprops.read_assembly(b"x"), "path must be the name of a file, got b'x'"),
    ],
)
def test_a_wrong_type_is_named_with_its_argument(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        call()


@pytest.mark.parametrize("scale", [1e-45, 1e-9, 1e6, 1e45])
def test_bodies_of_any_size_have_bounds_below_their_numbers(scale: float) -> None:
    m = measure((VERTICES * scale, FACES), density=1000)
    assert m.volume == pytest.approx(scale**3, rel=1e-12)
    off = m.properties.uncertainty
    assert off.principal_moments.bound.max() < m.principal.moments.min()


def test_what_other_libraries_call_it_is_guessed() -> None:
    for name in ("compute", "load"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'; did you mean measure\\?"):
            getattr(massprops, name)
    source = "import massprops; massprops.mesure"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=False)
    assert "'mesure'. Did you mean: 'measure'?" in done.stderr
