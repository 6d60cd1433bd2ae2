"""Triangles in memory: taken bit for bit, or refused with the place and the rule."""

from __future__ import annotations

import math
from functools import partial

import cases
import numpy as np
import pytest
import trimesh
from cases import each
from cores import CORES, core_of
from oracles import bumpy_torus

import massprops
from massprops.errors import InvalidInput
from massprops.formats.mesh.arrays import from_indexed, from_object, from_soup
from massprops.mesh.source import CHUNK, SUMMED

VERTICES = [[1, 2, 3], [7, -1, 2], [0, 5, -4], [3, 3, 9]]
FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
TRIANGLES = np.array(VERTICES, dtype=float)[np.array(FACES)]
refused = partial(cases.refused, InvalidInput)


def all_of(source) -> np.ndarray:
    return np.concatenate(list(source.chunks()))


# --- what is taken ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_bit_comes_through(dtype):
    odd = np.array([0.1, -0.0, 1e-45, 1e38, -1 / 3, 1 + 1e-7, 2.0**-126, 3e7 + 1, 5], dtype=dtype).reshape(1, 3, 3)
    soup = all_of(from_soup(odd))
    indexed = all_of(from_indexed(odd[0], [[0, 1, 2]]))
    assert soup.dtype == indexed.dtype == dtype
    assert soup.tobytes() == indexed.tobytes() == odd.tobytes()


@each("dtype", [np.int8, np.uint16, np.int64, np.float16, ">f4", ">f8"])
def test_other_numbers_become_doubles_of_the_same_value(dtype):
    positive = np.abs(TRIANGLES).astype(dtype)
    taken = all_of(from_soup(positive))
    assert taken.dtype == np.float64
    assert taken.tolist() == np.abs(TRIANGLES).tolist()


@each("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_indices_of_any_width_will_do(dtype):
    assert all_of(from_indexed(VERTICES, np.array(FACES, dtype=dtype))).tolist() == TRIANGLES.tolist()


@each("count", [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 5])
def test_chunks_are_whole_in_order_and_never_too_long(count):
    triangles = np.arange(9.0 * count).reshape(count, 3, 3)
    faces = np.arange(3 * count).reshape(count, 3)
    for source in (from_soup(triangles), from_indexed(triangles.reshape(-1, 3), faces)):
        sizes = [len(c) for c in source.chunks()]
        assert (source.facets, sum(sizes)) == (count, count)
        assert max(sizes) <= CHUNK
        assert np.array_equal(all_of(source), triangles)
        assert np.array_equal(all_of(source), triangles)  # a second pass begins at the start


@pytest.mark.parametrize("core", CORES)
@each("dtype", [np.uint32, np.int32, np.int64])
def test_faces_and_points_in_columns_are_those_in_rows(core, dtype):
    """Libraries that are written in Fortran's order hand them over so; the core reads those of large meshes itself."""
    corners = bumpy_torus(120, 80).reshape(-1, 3)
    faces = np.arange(len(corners), dtype=dtype).reshape(-1, 3)
    with core_of(core):
        rows, columns = (
            massprops.measure((np.array(corners, order=o), np.array(faces, order=o)), units="m") for o in ("C", "F")
        )
    assert len(faces) > SUMMED
    assert columns.to_dict() == rows.to_dict()


def test_a_source_tells_what_it_is():
    source = from_soup(TRIANGLES.astype(np.float32))
    assert (source.name, source.format, source.encoding, source.unit, source.findings) == (
        "array", "array", "float32", None, (),
    )  # fmt: skip
    assert from_indexed(VERTICES, FACES).encoding == "float64"


def test_an_object_a_pair_and_an_array_are_told_apart():
    class Mesh:
        vertices, faces = VERTICES, FACES

    for source in (Mesh(), (VERTICES, FACES), [VERTICES, FACES], TRIANGLES, TRIANGLES.tolist()):
        assert all_of(from_object(source)).tolist() == TRIANGLES.tolist()


def test_two_triangles_are_no_pair():
    two = TRIANGLES[:2]
    for source in (two, two.tolist(), tuple(two)):
        assert all_of(from_object(source)).tolist() == two.tolist()
    assert all_of(from_object((VERTICES[:3], [[0, 1, 2]]))).tolist() == [VERTICES[:3]]


# --- what is refused -------------------------------------------------------------------------------------------------


@each(
    ("source", "shape"),
    [
        ([], "(0,)"),
        (5.0, "()"),
        (np.zeros((0, 3, 3)), "(0, 3, 3)"),
        (np.zeros((4, 3)), "(4, 3)"),
        (np.zeros((4, 9)), "(4, 9)"),
        (np.zeros((4, 3, 2)), "(4, 3, 2)"),
        (np.zeros((4, 4, 3)), "(4, 4, 3)"),
        (np.zeros((1, 4, 3, 3)), "(1, 4, 3, 3)"),
    ],
)
def test_triangles_of_another_shape_are_refused(source, shape):
    assert (
        refused(from_object, source).partition("; ")[0]
        == f"triangles must have shape (n, 3, 3) with n > 0, got {shape}"
    )


@each("vertices", [np.zeros((0, 3)), np.zeros((4, 2)), np.zeros((4, 4)), np.zeros(3), np.zeros((4, 3, 1))])
def test_vertices_of_another_shape_are_refused(vertices):
    assert refused(from_indexed, vertices, FACES) == f"vertices must have shape (V, 3) with V > 0, got {vertices.shape}"


@each("shape", [(0, 3), (6, 4), (3,), (), (2, 3, 1)])
def test_faces_of_another_shape_are_refused(shape):
    assert refused(from_indexed, VERTICES, np.zeros(shape, dtype=int)) == (
        f"faces must have shape (F, 3) with F > 0, got {shape}; split larger faces into triangles first"
    )


@pytest.mark.parametrize(
    ("faces", "dtype"),
    [
        (np.array(FACES, dtype=float), "float64; a mesh is (vertices, faces), in this order"),
        (np.zeros((4, 3), dtype=bool), "bool"),
    ],
)
def test_indices_that_are_no_integers_are_refused(faces, dtype):
    assert refused(from_indexed, VERTICES, faces) == f"faces must be integers, got {dtype}"


@pytest.mark.parametrize("index", [-1, 4, 2**40])
def test_an_index_outside_the_vertices_is_refused_with_its_place(index):
    faces = np.array(FACES)
    faces[2, 1] = index
    assert refused(from_indexed, VERTICES, faces) == f"faces[2, 1] is {index}, but there are 4 vertices (0 to 3)"


@each("value", [math.nan, math.inf, -math.inf])
@each("dtype", [np.float32, np.float64])
def test_a_coordinate_that_is_not_finite_is_refused_with_its_place(value, dtype):
    triangles, vertices = TRIANGLES.astype(dtype), np.array(VERTICES, dtype=dtype)
    triangles[1, 2, 0] = triangles[3, 0, 0] = value
    vertices[2, 1] = value
    assert refused(from_soup, triangles) == f"triangles[1, 2, 0] is {value}; coordinates must be finite"
    assert refused(from_indexed, vertices, FACES) == f"vertices[2, 1] is {value}; coordinates must be finite"


@each(
    ("values", "held"),
    [
        (TRIANGLES + 0j, "an array of complex128"),
        (TRIANGLES.astype(str), "an array of <U32"),
        (TRIANGLES > 0, "an array of bool"),
        (None, "NoneType"),
        ({"vertices": VERTICES}, "dict"),
        (TRIANGLES.astype("datetime64[s]"), "an array of datetime64[s]"),
    ],
)
def test_what_is_no_number_is_refused_and_not_converted(values, held):
    # Texts that look like numbers, None as NaN, a real part alone: silent repairs.
    assert (
        refused(from_object, values).partition("; expected a path")[0]
        == f"triangles are not an array of numbers, got {held}"
    )


def test_ragged_rows_are_refused():
    ragged = [[0, 1, 2], [0, 1, 2, 3]]
    masked = np.ma.masked_equal(VERTICES, 1)
    assert refused(from_indexed, masked, FACES) == "vertices have masked entries; leave these rows out"
    assert refused(from_indexed, VERTICES, ragged) == "faces are not an array of numbers; give rows of equal length"
    assert refused(from_indexed, ragged, FACES) == "vertices are not an array of numbers; give rows of equal length"
    assert refused(from_soup, [ragged, ragged, ragged]) == (
        "triangles are not an array of numbers; give rows of equal length"
    )


@each(
    ("units", "unit"),
    [
        ("meters", "meters"),
        ("millimeters", "millimeters"),
        ("mm", "mm"),
        ("inches", "inches"),
        ("0.0254 * meters", "in"),
        ("0.001 * meters", "mm"),
        ("1.0 * meters", "meters"),
        (None, None),
    ],
)
def test_the_unit_of_a_mesh_is_that_which_it_states(units, unit):
    """A body in millimetres is a billion times as heavy in metres."""
    mesh = trimesh.creation.box((20, 30, 40))
    if units is not None:
        mesh.units = units
    source = from_object(mesh)
    assert source.unit == unit
    assert source.digest() is None


@each("units", ["furlongs", "2.5 * meters", "x * meters", "nan * meters", "kg", "", 4])
def test_a_unit_that_nobody_knows_is_refused(units):
    mesh = trimesh.creation.box((20, 30, 40))
    mesh.units = units
    assert refused(from_object, mesh) == (
        f"the mesh states the unit '{units}', which is no unit of length that massprops knows; "
        "set its `.units` to one such as 'mm', or to none and pass `units`"
    )


def test_a_mesh_in_millimetres_is_measured_in_millimetres():
    mesh = trimesh.creation.box((20, 30, 40))
    mesh.units = "mm"
    assert massprops.measure(mesh).volume == pytest.approx(2.4e-5, rel=1e-15)  # one rounding of the factor
    assert massprops.measure(mesh, units="cm").volume == pytest.approx(2.4e-5, rel=1e-15)
    assert massprops.measure(mesh, override_units="cm").volume == pytest.approx(2.4e-2, rel=1e-15)
