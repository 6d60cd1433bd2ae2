"""`massprops.measure`: sources, what a body is made of, units, pose and frame, errors, and the result as plain values.

Modules tested: `measurement/pipeline`, `measurement/arguments`, `measurement/mesh_integration`, `measurement/checks`,
`measurement/options`, `measurement/result`.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import re
from dataclasses import fields
from fractions import Fraction

import cases
import numpy as np
import pytest
import trimesh
from cases import each
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import (
    box,
    bumpy_torus,
    exact_body,
    floats,
    generic_body,
    indexed,
    moved,
    reversed_facets,
    star_body,
    tetrahedron,
    write_ascii_stl,
)

import massprops
from massprops import Finding, InvalidGeometry, InvalidInput, Pose, ReadError, measure
from massprops.formats.mesh.arrays import from_object
from massprops.materials import find
from massprops.measurement.arguments import MeasureArguments
from massprops.measurement.options import Options
from massprops.mesh.integration import integrate
from massprops.mesh.source import CHUNK
from massprops.rigid_body.as_json import inertia_about, with_sign

EPSILON = 2.0**-53
#: A product of three or four doubles, in another order.
FEW = 8 * EPSILON
CUBE = box()

radii = st.lists(st.floats(0.25, 4), min_size=14, max_size=14)
angles = st.floats(-math.pi, math.pi)
poses = st.builds(
    lambda xyz, rpy: Pose.from_xyz_rpy(xyz, rpy),
    st.tuples(*[st.floats(-10, 10)] * 3),
    st.tuples(angles, angles, angles),
)


def refused(error_type, *args, **options) -> str:
    return cases.refused(error_type, measure, *args, **options)


# --- sources ---------------------------------------------------------------------------------------------------------


def sources(tmp_path) -> dict[str, object]:
    triangles = tetrahedron()
    vertices, faces = indexed(triangles)
    path = write_ascii_stl(tmp_path / "tetrahedron.stl", triangles)
    return {
        "array": triangles,
        "single precision": triangles.astype(np.float32),
        "nested lists": triangles.tolist(),
        "integers": triangles.astype(int),
        "Fortran order": np.asfortranarray(triangles),
        "other byte order": triangles.astype(">f8"),
        "pair": (vertices, faces),
        "pair of lists": [vertices.tolist(), faces.tolist()],
        "unsigned indices": (vertices, faces.astype(np.uint8)),
        "trimesh": trimesh.Trimesh(vertices, faces, process=False),
        "path": path,
        "name": str(path),
    }


def test_every_source_of_the_same_body_gives_the_same_numbers(tmp_path):
    # The same facets in the same order: not one bit differs, and all are the exact answer.
    exact, same = exact_body(tetrahedron()), measure(tetrahedron(), density=2)
    assert same.volume == pytest.approx(float(exact.volume), rel=FEW, abs=0)
    assert same.inertia == pytest.approx(2 * floats(exact.inertia), rel=4 * FEW, abs=0)
    for name, source in sources(tmp_path).items():
        result = measure(source, density=2)
        assert (result.volume, result.bounds.tolist()) == (same.volume, [[0, -1, -4], [7, 5, 9]]), name
        assert result.inertia.tolist() == same.inertia.tolist(), name
        assert result.center_of_mass.tolist() == same.center_of_mass.tolist(), name


def test_any_object_with_vertices_and_faces_will_do():
    class Mesh:
        vertices, faces = indexed(tetrahedron())

    assert measure(Mesh()).volume == measure(tetrahedron()).volume


def test_vertices_that_no_face_uses_do_not_count():
    vertices, faces = indexed(CUBE)
    result = measure((np.concatenate([vertices, [[99.0, 99, 99]]]), faces))
    assert result.bounds.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_bodies_are_counted_where_that_is_asked_for():
    apart = np.concatenate([box((0, 0, 0), (1, 1, 1)), box((3, 0, 0), (4, 1, 1))])
    assert [measure(indexed(apart), count_bodies=asked).input.bodies for asked in (True, False)] == [2, None]


def test_the_arguments_of_measure_are_the_options_for_type_checkers_too():
    # what an editor completes and mypy accepts; a misspelt name is refused with the nearest one
    source, *others = inspect.signature(measure).parameters.values()
    assert source.name == "source"
    assert {p.kind for p in others} == {inspect.Parameter.KEYWORD_ONLY}
    kinds = {name: kind.__forward_arg__ for name, kind in MeasureArguments.__annotations__.items()}
    assert kinds == {other.name: other.annotation for other in others}
    assert kinds.items() >= {f.name: str(f.type).replace("unit.", "") for f in fields(Options)}.items()
    assert all(name in (measure.__doc__ or "") for name in kinds)
    for wrong, right in (("densty", "density"), ("progres", "progress")):
        with pytest.raises(InvalidInput, match=rf"there is no argument {wrong!r}; did you mean {right}\?"):
            measure(indexed(tetrahedron()), **{wrong: 1.0})
    with pytest.raises(
        InvalidInput, match="measure takes 1 argument by place, and 2 are given; give arrays as one tuple"
    ):
        measure(indexed(tetrahedron()), 1.0)


def test_measuring_leaves_the_source_alone():
    triangles = moved(tetrahedron(), (-0.0, 5, 7))
    before = triangles.copy()
    triangles.setflags(write=False)
    measure(triangles, pose=Pose.from_xyz_rpy([1, 2, 3]))
    measure(triangles[1:], on_open="hull")
    assert triangles.tobytes() == before.tobytes()


def test_the_input_is_described(tmp_path):
    path = write_ascii_stl(tmp_path / "part.stl", tetrahedron())
    result = measure(path, units="mm", hash=True)
    assert result.input.to_dict() == {
        "path": str(path),
        "format": "stl",
        "encoding": "ascii",
        "units": "mm",
        "facets": 4,
        "rings": None,
        "bodies": None,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    assert measure(path).input.sha256 is None
    of_array = {"path": "array", "format": "array", "encoding": "float64", "units": "m", "sha256": None}
    assert measure(tetrahedron(), hash=True).input.to_dict() == result.input.to_dict() | of_array


def test_a_format_can_be_named_where_the_suffix_does_not(tmp_path):
    path = write_ascii_stl(tmp_path / "part.dat", tetrahedron())
    assert measure(path, format="stl").volume == measure(tetrahedron()).volume


def test_a_missing_file_is_named(tmp_path):
    path = tmp_path / "gone.stl"
    assert refused(ReadError, path).startswith(f"{path}: ")


def test_pieces_of_several_files_are_one_surface(tmp_path):
    # powers of two and decimals that both units hold: the edges of the pieces are equal to the bit in metres
    body = box((0, 0, 0), (0.25, 0.5, 2))
    names = [tmp_path / name for name in ("a.obj", "b.glb", "c.obj")]
    corners = [body[4 * k : 4 * k + 4] for k in range(3)]
    for path, part in zip(names, corners, strict=True):
        trimesh.Trimesh(part.reshape(-1, 3), np.arange(12).reshape(-1, 3), process=False).export(path)
    found = measure(names, together=True, density=1, max_uncertainty="0.1 %")
    assert (found.volume, found.input.facets, found.grade) == (0.25, 12, "proved")
    assert found.bounds.tolist() == [[0, 0, 0], [0.25, 0.5, 2]]
    told = next(f.message for f in found.findings if f.code == "joined-files")
    assert told == "one surface of 3 files: " + ", ".join(f"{name} (m)" for name in names)
    mm = measure([*map(str, names)], together=True, override_units="mm")
    assert mm.volume == pytest.approx(0.25e-9, rel=1e-12)
    assert cases.raised(InvalidGeometry, measure, names[:2], together=True, repair="none").code == "open-edges"
    assert mm.input.sha256 is None
    hashed, digests = (
        measure(names, together=True, hash=True),
        [hashlib.sha256(p.read_bytes()).hexdigest() for p in names],
    )
    assert hashed.input.sha256 == hashlib.sha256("".join(digests).encode()).hexdigest()


@each(
    ("source", "message"),
    [
        ("a.stl", "a.stl: together needs a list of mesh files"),
        (["a.stl", "b.dxf"], "b.dxf: together is for meshes, and this is a plane file"),
    ],
)
def test_what_cannot_be_together_is_named(source, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_ascii_stl(tmp_path / "a.stl", box())
    (tmp_path / "b.dxf").touch()
    assert cases.refused(InvalidInput, measure, source, together=True).startswith(message)


def test_progress_counts_every_facet_once():
    body = bumpy_torus(160, 128)  # 40,960 facets
    seen = []
    measure(body, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(CHUNK, len(body)), (len(body), len(body))]


# --- matter ----------------------------------------------------------------------------------------------------------


@each("density", [7800, 7800.0, "7800", "7.8 g/cm3", "7800 kg/m^3"])
def test_a_density_may_be_a_number_or_a_text(density):
    result = measure(CUBE, density=density)
    assert (result.density, result.mass) == (7800.0, pytest.approx(7800, rel=FEW, abs=0))


@each("mass", [3, 3.0, "3", "3 kg", "3000 g"])
def test_a_mass_may_be_a_number_or_a_text(mass):
    result = measure(2 * CUBE, mass=mass)
    assert result.mass == pytest.approx(3, rel=2 * EPSILON, abs=0)
    assert result.density == pytest.approx(3 / 8, rel=FEW, abs=0)


def test_a_material_stands_for_its_density():
    assert measure(CUBE, material="steel").density == find("steel").density
    assert measure(CUBE, material="steel").to_dict() == measure(CUBE, density=find("steel").density).to_dict()


@given(radii, st.floats(1e-3, 1e6))
def test_mass_is_density_times_volume_whichever_was_given(r, value):
    # What was given comes back to the bit; what follows from it is a product or a quotient: a rounding or two.
    by_density, by_mass = measure(star_body(r), density=value), measure(star_body(r), mass=value)
    assert by_density.density == value
    assert by_mass.mass == by_mass.properties.mass == value
    for result in (by_density, by_mass):
        assert result.density * result.volume == pytest.approx(result.mass, rel=2 * EPSILON, abs=0)
        assert result.properties.mass == pytest.approx(result.mass, rel=2 * EPSILON, abs=0)


def test_without_matter_there_is_geometry_and_no_mass():
    result = measure(tetrahedron())
    assert (result.density, result.mass, result.inertia, result.properties) == (None, None, None, None)
    assert result.volume == pytest.approx(181 / 6, rel=FEW, abs=0)
    known = result.to_dict()
    assert [k for k in known if known[k] is None] == [
        "density", "mass", "inertia", "principal", "pseudo_inertia", "perimeter", "centroid", "section",
    ]  # fmt: skip
    assert [k for k, v in known["uncertainty"].items() if v is None] == [
        "mass",
        "inertia",
        "mass_change",
        "sigma",
        "density",
    ]
    # √((∫y² + ∫z²)/V) about the centroid: a length, whatever it is made of
    inertia = exact_body(tetrahedron()).inertia
    radii_of_gyration = [math.sqrt(inertia[k][k] / Fraction(181, 6)) for k in range(3)]
    assert known["radii_of_gyration"] == pytest.approx(radii_of_gyration, rel=4 * FEW, abs=0)


@each(
    ("mass_specification", "message"),
    [
        ({"density": 1, "mass": 1}, "density and mass are mutually exclusive; give one of them"),
        (
            {"mass": 1, "material": "steel", "area_density": 1},
            "material and mass are mutually exclusive; give one of them",
        ),
        ({"area_density": 1, "thickness": 1}, "area_density and thickness are mutually exclusive; give one of them"),
        ({"density": 0}, "density must be positive, got 0.0 kg/m³"),
        ({"density": -2700}, "density must be positive, got -2700.0 kg/m³"),
        ({"density": math.nan}, "density must be finite, got nan"),
        ({"mass": 0}, "mass must be positive, got 0.0 kg"),
        ({"mass": -1}, "mass must be positive, got -1.0 kg"),
        ({"mass": math.inf}, "mass must be finite, got inf"),
        ({"density": "2 kg"}, "expected a density, got a mass: '2 kg'; for example 7.8 g/cm3"),
        ({"mass": "2 m"}, "expected a mass, got a length: '2 m'; for example 1.2 kg"),
        ({"area_density": "2 kg/m3"}, "expected an area density, got a density: '2 kg/m3'; for example 2 kg/m2"),
        ({"density": 1, "thickness": "2 kg"}, "expected a length, got a mass: '2 kg'; for example 12 mm"),
        ({"density": 1, "thickness": 0}, "thickness must be positive, got 0.0 m"),
        ({"area_density": -1}, "area density must be positive, got -1.0 kg/m²"),
        ({"density": True}, "density must be a number or a text with a unit, got True"),
    ],
)
def test_matter_that_makes_no_sense_is_refused(mass_specification, message):
    assert refused(InvalidInput, CUBE, **mass_specification) == message
    assert refused(InvalidInput, CUBE[1:], on_open="shell", **mass_specification) == message


def test_matter_is_judged_before_a_file_is_opened(tmp_path):
    assert refused(InvalidInput, tmp_path / "gone.stl", density=-1) == "density must be positive, got -1.0 kg/m³"


# --- units -----------------------------------------------------------------------------------------------------------


@each(("units", "metres"), [("mm", 1e-3), ("cm", 1e-2), ("in", 0.0254), ("ft", 0.3048), ("um", 1e-6)])
@each("make", [tetrahedron, generic_body])
def test_a_file_in_a_unit_measures_as_its_coordinates_in_metres(units, metres, make):
    body = make()
    there, here = measure(body, density=7, units=units), measure(metres * body, density=7, units="m")
    # The products metres × coordinate round, by half a unit in the last place of a coordinate each: over the whole surface.
    size = 16 * metres
    assert there.volume == pytest.approx(here.volume, rel=0, abs=here.area * size * FEW)
    assert there.area == pytest.approx(here.area, rel=64 * EPSILON, abs=0)
    assert there.mass == pytest.approx(here.mass, rel=0, abs=7 * here.area * size * FEW)
    assert np.abs(there.center_of_mass - here.center_of_mass).max() <= FEW * size * here.area * size / here.volume
    assert np.abs(there.inertia - here.inertia).max() <= 7 * here.area * size**3 * FEW
    assert there.bounds.tolist() == here.bounds.tolist()
    assert there.input.unit == units


def test_a_unit_that_is_none_is_refused():
    assert refused(InvalidInput, CUBE, units="kg") == "expected a length, got a mass: 'kg'; for example 12 mm"
    assert refused(InvalidInput, CUBE, units="furlong").startswith("unknown unit 'furlong'; known units of length: m ")


def test_the_size_is_remarked_on_unless_the_unit_was_said():
    remark = "the body is 120 m across of 9.4e+05 kg: is the file in mm? then say units='mm'"
    bracket = box((0, 0, 0), (120, 1, 1))
    assert measure(bracket, density=7800).findings == (
        Finding("implausible-size", "warning", remark, value=120.0, limit=10.0),
    )
    assert measure(bracket, density=7800, units="m").findings == ()
    assert measure(bracket, density=7800, units="mm").findings == ()


@each(
    ("density", "shown", "limit", "question"),
    [
        (7.8, "7.8", 20.0, "is 7.8 g/cm3 meant?"),
        (19.9, "19.9", 20.0, "is 19.9 g/cm3 meant?"),
        (0.0025, "0.0025", 20.0, "is 0.0025 lb/in3 meant?"),
        (7.85e-6, "7.85e-06", 20.0, "is 7.85e-06 kg/mm3 meant?"),
        (7.85e-9, "7.85e-09", 20.0, "is 7.85e-09 t/mm3 meant?"),
        (2.7e6, "2.7e+06", 25e3, "is 2.7e+06 g/m3 meant?"),
        (0.0004, "0.0004", 20.0, None),
    ],
)
def test_a_density_that_no_material_has_is_remarked_on(density, shown, limit, question):
    # Said or implied by a mass: of the tetrahedron, 181/6 m³.
    remark = f"{shown} kg/m³ matches no common material: "
    no_unit = "is the mass in another unit, or the length?"
    said = measure(tetrahedron(), density=density, units="m")
    assert said.findings == (
        Finding("implausible-density", "warning", remark + (question or no_unit), value=density, limit=limit),
    )
    (implied,) = measure(tetrahedron(), mass=density * 181 / 6, units="m").findings
    assert (implied.code, implied.message) == ("implausible-density", remark + no_unit)
    assert implied.value == pytest.approx(density, rel=FEW, abs=0)


@pytest.mark.parametrize("density", [20, 2700, 25_000])
def test_a_density_that_materials_have_is_not_remarked_on(density):
    assert measure(tetrahedron(), density=density, units="m").findings == ()
    assert measure(tetrahedron(), units="m").findings == ()


def test_a_density_per_area_is_not_taken_for_one_per_volume():
    # 2.7 kg/m² is a millimetre of aluminium, as a sheet in space or in the plane.
    shell = measure(tetrahedron()[1:], area_density=2.7, units="m", on_open="shell")
    assert [(f.code, f.severity) for f in shell.findings] == [("open-edges", "warning"), ("thin-shell", "info")]
    lamina = measure(np.array([[0.0, 0], [2, 0], [0, 1]]), area_density=2.7, units="m")
    assert [(f.code, f.severity) for f in lamina.findings] == [("degenerate-rank", "info")]


# --- pose and frame --------------------------------------------------------------------------------------------------


def assert_same_body(one, other, size) -> None:
    """Mass, centre and inertia of two `MassProperties` within roundings of the arms that they were moved by."""
    assert one.mass == pytest.approx(other.mass, rel=FEW, abs=0)
    assert np.abs(one.com - other.com).max() <= FEW * size
    assert np.abs(one.inertia - other.inertia).max() <= 4 * FEW * np.abs(other.inertia).max()


@given(radii, poses)
def test_a_frame_is_the_inverse_of_a_pose(r, frame):
    placed = ({"frame": frame}, {"pose": frame.inverse()})
    observed, posed = (measure(star_body(r), density=3, **where) for where in placed)
    assert (observed.axes, posed.axes, measure(star_body(r)).axes) == ("frame", "parent", "file")
    assert observed.inertia.tolist() == posed.inertia.tolist()
    assert observed.center_of_mass.tolist() == posed.center_of_mass.tolist()
    assert observed.bounds.tolist() == posed.bounds.tolist()


@given(st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=4, max_size=4, unique=True), poses)
def test_the_bounds_in_a_turned_frame_are_those_of_the_vertices_there(points, pose):
    # Not the box around the turned box. Each is a sum of three products and a shift.
    a, b, c, d = np.array(points, dtype=float)
    assume(abs(np.linalg.det([b - a, c - a, d - a])) > 0.5)  # of whole numbers: they do not lie in a plane
    faces = [[a, c, b], [a, b, d], [b, c, d], [c, a, d]]
    result = measure(np.array(faces), pose=pose, on_inverted="flip")
    there = np.array(points) @ pose.rotation.T + pose.translation
    assert np.abs(result.bounds - [there.min(axis=0), there.max(axis=0)]).max() <= 20 * FEW


@pytest.mark.parametrize("step", [1, -1])
def test_bounds_are_gathered_over_all_chunks_in_file_units(step):
    # Along x the last facets reach further than the first chunk, or the first ones in the other order.
    body = bumpy_torus(160, 128)  # 40,960 facets
    body = body[np.argsort(body[:, 0, 0])][::step]
    points = 1e-3 * body.reshape(-1, 3)
    bounds = measure(body, units="mm").bounds
    assert bounds.tolist() == [points.min(axis=0).tolist(), points.max(axis=0).tolist()]
    pose = Pose.from_xyz_rpy([1, 2, 3], [0.3, -0.7, 2])
    there = points @ pose.rotation.T + pose.translation
    posed = measure(body, units="mm", pose=pose).bounds
    assert np.abs(posed - [there.min(axis=0), there.max(axis=0)]).max() <= 4 * FEW


def test_a_pose_is_in_metres_whatever_the_file_is_in():
    result = measure(CUBE, units="mm", pose=Pose.from_xyz_rpy([1, 2, 3]))
    assert result.center_of_mass == pytest.approx([1.0005, 2.0005, 3.0005], rel=FEW, abs=0)
    assert result.bounds == pytest.approx(np.array([[1, 2, 3], [1.001, 2.001, 3.001]]), rel=FEW, abs=0)


def test_a_sheet_is_posed_like_a_body():
    pose = Pose.from_xyz_rpy([1, 2, 3], [0.3, -0.7, 2])
    options = {"area_density": 2, "on_open": "shell"}
    plain, posed = measure(tetrahedron()[1:], **options), measure(tetrahedron()[1:], pose=pose, **options)
    assert_same_body(posed.properties, plain.properties.transformed(pose), 20)


def test_pose_and_frame_together_are_refused():
    here = Pose.identity()
    assert refused(InvalidInput, CUBE, pose=here, frame=here) == (
        "pose and frame are mutually exclusive; give one of them"
    )


def test_the_identity_changes_no_bit():
    plain, posed = measure(tetrahedron(), density=3), measure(tetrahedron(), density=3, pose=Pose.identity())
    assert posed.inertia.tolist() == plain.inertia.tolist()
    assert posed.center_of_mass.tolist() == plain.center_of_mass.tolist()
    assert posed.bounds.tolist() == plain.bounds.tolist()


# --- sizes -----------------------------------------------------------------------------------------------------------


@each("power", [-166, -140, -133, -60, 0, 60, 133, 140, 150])
def test_bodies_of_any_size_keep_every_bit(power):
    # From 1e-49 to 1e46 m: fifth powers of that are doubles, sixth and more are not. Scaling by 2ⁿ only moves exponents.
    s = 2.0**power
    unit, result = measure(tetrahedron(), density=3000, units="m"), measure(s * tetrahedron(), density=3000, units="m")
    assert result.volume == s**3 * unit.volume
    assert result.area == s**2 * unit.area
    assert result.center_of_mass.tolist() == (s * unit.center_of_mass).tolist()
    assert result.inertia.tolist() == (s**5 * unit.inertia).tolist()
    values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert values["findings"] == []
    bounds, scaled = unit.sources["arithmetic"], result.sources["arithmetic"]
    assert scaled.volume == s**3 * bounds.volume > 0
    assert scaled.inertia.tolist() == (s**5 * bounds.inertia).tolist()
    assert (result.uncertainty.inertia > scaled.inertia).all()


@each("size", ["1e+50", "1e+60", "1e+154", "1e+300", "1e-50", "1e-60", "1e-160", "inf"])
def test_a_body_beyond_double_precision_is_refused_without_a_warning(size):
    body = float(size) * CUBE if size != "inf" else box((-1.7e308,) * 3, (1.7e308,) * 3)
    assert refused(InvalidGeometry, body) == (
        f"array: the body is {size} units across, outside 1e-50 to 1e+50; fifth powers of that are not double precision numbers; "
        "scale the coordinates"
    )


def test_the_reference_point_is_a_vertex_of_the_body():
    # Differences of neighbouring float32 numbers are exact; those to a mean are not.
    body = moved(tetrahedron(), (1e6, 2e6, 3e6)).astype(np.float32)
    assert integrate(from_object(body)).solid.reference.tolist() in body.reshape(-1, 3).tolist()


# --- the result as plain values --------------------------------------------------------------------------------------


def test_the_result_in_plain_values():
    result = measure(tetrahedron(), density=2000, units="m")
    told = result.to_dict()
    exact = exact_body(tetrahedron())
    assert list(told) == [
        "schema", "massprops", "input", "method", "grade", "repairs", "density", "volume", "area", "mass", "center_of_mass", "inertia",
        "principal", "radii_of_gyration", "bounds", "pseudo_inertia", "perimeter",
        "centroid", "section", "uncertainty", "findings",
    ]  # fmt: skip
    assert told == json.loads(json.dumps(told, allow_nan=False))  # nothing but JSON's own types
    assert (told["schema"], told["massprops"]) == ("massprops/1", massprops.__version__)
    assert (told["method"], told["grade"], told["density"], told["findings"]) == ("exact", "proved", 2000.0, [])
    assert told["volume"] == pytest.approx(181 / 6, rel=FEW, abs=0)
    assert told["mass"] == pytest.approx(181_000 / 3, rel=FEW, abs=0)
    assert told["center_of_mass"] == pytest.approx([11 / 4, 9 / 4, 5 / 2], rel=FEW, abs=0)
    assert told["bounds"] == {"min": [0.0, -1.0, -4.0], "max": [7.0, 5.0, 9.0]}
    inertia = told["inertia"]
    assert (inertia["about"], inertia["axes"], inertia["products"]) == ("com", "file", "tensor")
    assert np.array(inertia["tensor"]) == pytest.approx(2000 * floats(exact.inertia), rel=4 * FEW, abs=0)
    moments, axes = np.array(told["principal"]["moments"]), np.array(told["principal"]["axes"])
    assert np.abs(axes.T @ np.diag(moments) @ axes - 2000 * floats(exact.inertia)).max() <= 8 * FEW * moments[-1]
    assert told["principal"]["arbitrary"] == [False, False, False]
    pseudo = np.array(told["pseudo_inertia"])
    assert pseudo[3, 3] == told["mass"]
    assert pseudo[:3, 3] == pytest.approx(told["mass"] * np.array(told["center_of_mass"]), rel=FEW, abs=0)


def test_the_result_says_which_principal_axes_mean_nothing():
    # of a square prism only the axis of its height is its own
    told = massprops.measure(box((0, 0, 0), (1, 1, 3)), density=2.0).to_dict()
    assert told["principal"]["arbitrary"] == [False, True, True]


@pytest.mark.parametrize(
    ("about", "point"), [("origin", (0, 0, 0)), ((1, -2, 3), (1, -2, 3)), (np.array([1.0, -2, 3]), (1, -2, 3))]
)
def test_inertia_about_a_point_is_by_parallel_axes(about, point):
    result = measure(tetrahedron(), density=2, units="m")
    told = result.to_dict(about=about)["inertia"]
    exact = exact_body(tetrahedron())
    arm = [c - p for c, p in zip(exact.centroid, point, strict=True)]
    square = sum(x * x for x in arm)
    steiner = [[exact.volume * ((i == j) * square - arm[i] * arm[j]) for j in range(3)] for i in range(3)]
    expected = 2 * np.array([[float(exact.inertia[i][j] + steiner[i][j]) for j in range(3)] for i in range(3)])
    assert np.abs(np.array(told["tensor"]) - expected).max() <= FEW * np.abs(expected).max()
    assert told["about"] == (about if isinstance(about, str) else [1.0, -2.0, 3.0])
    assert inertia_about(result.properties, about).tolist() == told["tensor"]


def test_positive_products_are_the_tensor_with_its_other_sign():
    result = measure(tetrahedron(), density=2)
    tensor, dialog = (np.array(result.to_dict(products=p)["inertia"]["tensor"]) for p in ("tensor", "positive"))
    assert result.to_dict(products="positive")["inertia"]["products"] == "positive"
    assert dialog.diagonal().tolist() == tensor.diagonal().tolist()
    off = ~np.eye(3, dtype=bool)
    assert dialog[off].tolist() == (-tensor[off]).tolist()
    assert np.all(tensor[off] != 0)
    # Ixy = −∫ρ x y in the tensor convention, published for this tetrahedron
    assert tensor[0, 1] == pytest.approx(2 * 15023 / 480, rel=4 * FEW, abs=0)
    assert with_sign(with_sign(tensor, "positive"), "positive").tolist() == tensor.tolist()


@each(
    ("options", "message"),
    [
        ({"about": "center"}, "inertia can be about 'com', 'origin' or a point, got 'center'"),
        ({"about": (1, 2)}, "point must have shape (3,), got (2,)"),
        ({"about": (1, 2, math.nan)}, "point must be finite, got nan at index [2]"),
        ({"about": ("1", "2", "3")}, "point must be numbers of shape (3,), got ('1', '2', '3')"),
        ({"products": "negative"}, "products must be one of tensor, positive, got 'negative'"),
    ],
)
def test_what_no_inertia_can_be_about_is_refused(options, message):
    assert cases.refused(InvalidInput, measure(CUBE, density=1).to_dict, **options) == message


def test_findings_come_worst_first():
    body = reversed_facets(box((0, 0, 0), (120, 1, 1)))
    flipped = measure(body, on_inverted="flip")
    assert [f.severity for f in flipped.findings] == ["warning", "warning"]
    sheet = measure(box((0, 0, 0), (120, 1, 1))[:1], on_open="shell")
    always = [("warning", "open-edges"), ("info", "thin-shell"), ("info", "degenerate-rank")]
    assert [(f.severity, f.code) for f in sheet.findings] == always
    long = measure(box((0, 0, 0), (120, 1, 1))[4:5], on_open="shell")
    found = [(f.severity, f.code) for f in long.findings]
    assert found == [always[0], ("warning", "implausible-size"), *always[1:]]


def test_a_limit_of_the_uncertainty_also_refuses_valid_bodies():
    # the X-ray hides less than a thousandth of a cube, and more than a billionth
    cube = box((0, 0, 0), (1, 1, 1))
    assert measure(cube, max_uncertainty="0.1 %", verify="xray").grade == "certified"
    with pytest.raises(
        InvalidGeometry, match=r"the volume is known within ±.*, which exceeds the limit of 1e-07 %"
    ) as caught:
        measure(cube, max_uncertainty=1e-9, verify="xray")
    with pytest.raises(InvalidGeometry, match=r"within ±\S+e-05 of it, which exceeds the limit of 1e-20 of it"):
        measure(cube, max_uncertainty=1e-20, verify="xray")
    assert (caught.value.code, caught.value.exit_code) == ("uncertain-volume", 4)
    for policies in ({"on_open": "hull"}, {"on_open": "integrate"}, {"kind": "sheet", "area_density": 1}):
        with pytest.raises(
            InvalidGeometry, match=r"± of the volume is not known \(unverified\), and may exceed the limit"
        ):
            measure(cube[1:], max_uncertainty=0.5, **policies)


FOIL = box((1000, 0, 0), (1001, 1, 5e-4)).astype(np.float32)


@each(
    ("triangles", "verify"),
    [(FOIL, "auto"), (box((0, 0, 0), (1e-3, 1e-3, 1000)), "xray")],
)
def test_a_volume_that_is_too_uncertain_is_an_error_whatever_the_source(triangles, verify):
    found = measure(triangles, verify=verify)
    (error,) = (f for f in found.findings if f.code == "uncertain-volume")
    assert (error.severity, error.limit) == ("error", 0.01)
    assert error.value == pytest.approx(found.uncertainty.volume / found.volume, rel=1e-9)
    (error,) = (f for f in measure(triangles, verify=verify, repair="full").findings if f.code == "uncertain-volume")
    assert error.limit == 0.1
    with pytest.raises(InvalidGeometry, match="exceeds the limit of 1 %"):
        measure(triangles, verify=verify, max_uncertainty="1 %")


def test_a_tolerance_that_the_caller_stated_is_no_error():
    found = measure(box((0, 0, 0), (1, 1, 1)), chord_tolerance=0.05)
    assert "uncertain-volume" not in [f.code for f in found.findings]


def test_values_of_a_wrong_type_are_named() -> None:
    measured = measure(box((0, 0, 0), (1, 1, 1)), density=1)
    body = measured.properties
    ragged = [[1, 2], [3]]
    for call, message in (
        (lambda: body.rotated(ragged), "rotation must be numbers of shape (3, 3), got [[1, 2], [3]]"),
        (lambda: body.repeated("x"), "count must be a whole number, got 'x'"),
        (lambda: body.ten_vector(["urdf"]), "unknown ten-vector order ['urdf']"),
        (lambda: measured.to_dict(about=ragged), "point must be numbers of shape (3,), got [[1, 2], [3]]"),
        (lambda: measured.to_dict(axis="z"), "axis must be a Line, got 'z'"),
        (
            lambda: measure([[0, 0], [1, 0], [0, 1]]).to_dict(about=ragged),
            "point must be numbers of shape (n,), got [[1, 2], [3]]",
        ),
    ):
        with pytest.raises(InvalidInput, match=re.escape(message)):
            call()


def test_a_refusal_is_not_its_own_cause():
    error = cases.raised(InvalidGeometry, measure, CUBE[1:], units="m", repair="none")
    assert error.__cause__ is not error
