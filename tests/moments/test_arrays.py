"""Linear algebra whose rounding does not depend on the processor, against numpy's; and the program's results with it."""

from __future__ import annotations

import math
import sys
from contextlib import closing
from fractions import Fraction

import numpy as np
import oracles
import pytest
from cases import each
from console import TIMEOUT, environment
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT
from warm import Forked

from massprops.formats.registry import open_mesh
from massprops.frames import Pose
from massprops.moments import arrays

seeds = st.integers(0, 2**32 - 1)
EPSILON = 2.0**-52


@given(seeds)
def test_products_are_those_of_numpy(seed):
    random = np.random.default_rng(seed)
    a, b, many = random.normal(size=(3, 3)), random.normal(size=(3, 4)), random.normal(size=(5, 2, 3))
    for x, y in ((a, b), (many, b), (a, b[:, 0]), (many, b[:, 0]), (a[0], b)):
        np.testing.assert_allclose(
            arrays.product(x, y), x @ y, rtol=0, atol=8 * EPSILON * np.abs(x).max() * np.abs(y).max()
        )
    np.testing.assert_allclose(arrays.sandwich(a, a + a.T), a @ (a + a.T) @ a.T, rtol=0, atol=1e-13)
    # two matrices have their own sums: in the same order, so that results do not depend on how many there are
    assert arrays.product(a, many[0, 0] * a).tolist() == arrays.product(a[None], many[0, 0] * a)[0].tolist()
    for square in (a, a[:2, :2]):
        assert arrays.determinant(square) == pytest.approx(np.linalg.det(square), rel=1e-12, abs=1e-14)
    assert arrays.length(a[0]) == pytest.approx(np.linalg.norm(a[0]), rel=4 * EPSILON)


@settings(max_examples=40)
@given(seeds, st.sampled_from([0, 1, 1e-3, 1e-8, 1e-16]), st.sampled_from([1e-200, 1, 1e200]))
def test_eigenvalues_and_vectors_are_those_of_the_matrix(seed, spread, size):
    """Also where eigenvalues are nearly equal, and of any size: A V = V D, V orthonormal, D ascending."""
    random = np.random.default_rng(seed)
    turn = arrays.orthonormal(np.eye(3) + 0.3 * random.normal(size=(3, 3)))
    matrix = arrays.sandwich(turn, np.diag(1 + spread * random.normal(size=3))) * size
    matrix = (matrix + matrix.T) / 2
    values, vectors = arrays.symmetric_eigen(matrix)
    assert (np.diff(values) >= 0).all()
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), rtol=0, atol=8 * EPSILON)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, rtol=0, atol=16 * EPSILON * np.abs(matrix).max())
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix), rtol=0, atol=16 * EPSILON * np.abs(matrix).max())


def test_a_thin_plate_keeps_the_digits_of_its_least_eigenvalue():
    matrix = np.array([[1e-20, 0, 0], [0, 2, 1], [0, 1, 2]])
    assert arrays.symmetric_eigen(matrix)[0] == pytest.approx([1e-20, 1, 3], rel=1e-15)
    assert arrays.symmetric_eigen(np.zeros((3, 3)))[0].tolist() == [0, 0, 0]


def test_many_matrices_have_the_eigenvalues_that_each_has():
    random = np.random.default_rng(0)
    several = random.normal(size=(200, 3, 3)) * 10.0 ** random.integers(-150, 150, size=(200, 1, 1))
    several[::4] *= [[1, 1e-9, 0], [1e-9, 1e-18, 0], [0, 0, 1]]
    several = np.concatenate([several + several.transpose(0, 2, 1), np.zeros((1, 3, 3)), [np.eye(3)]])
    found, vectors = arrays.symmetric_eigens(several)
    for matrix, values, columns in zip(several, found, vectors, strict=True):
        size = np.abs(matrix).max()
        np.testing.assert_allclose(values, arrays.symmetric_eigen(matrix)[0], rtol=0, atol=16 * EPSILON * size)
        np.testing.assert_allclose(columns.T @ columns, np.eye(3), rtol=0, atol=16 * EPSILON)
        np.testing.assert_allclose(matrix @ columns, columns * values, rtol=0, atol=32 * EPSILON * size)


MOVED = "--pose 0.1,0.2,0.3,0.4,0.5,0.6 -f json"
COMMANDS = [
    "compute sample_meshes/bracket.stl --units mm --density 7800 -f json",
    f"compute sample_meshes/bracket.stl --units mm --density 7800 {MOVED}",
    f"compute sample_meshes/overlapping_boxes.stl --units mm --density 7800 --on-overlap union {MOVED}",
    "compute sample_meshes/bracket.stl --units mm --density 7800 --as wall --thickness 1mm -f json",
    "compute sample_meshes/tetrahedron.stl --units m --density 7800 --as wall --thickness 0.9m -f json",
    "compute sample_meshes/cavity.stl --units m --density 7800 --as wall --thickness 1m -f json",
    "compute {open} --units mm --density 7800 --repair full -f json",
    "compute samples/sections/plate.svg -f json",
    "compute samples/sections/wedge.dat -f json",
    f"compute samples/sections/angle.csv --units mm --density 7800 --thickness 3mm {MOVED}",
    "check samples/robots/arm.urdf --units m -f json",
    "explain samples/robots/arm.urdf#forearm -f json",
    "diff sample_meshes/bracket.stl {turned} --units mm -f json",
    "convert {body} -f json",
    "diff {body} {other} -f json",
]
BODY = """<mujoco><compiler eulerseq="zyx"/><worldbody><body name="a">
<inertial mass="3" pos="0.1 0.2 0.3" %s/></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A turned mesh, and two bodies with inertias along other axes than their own."""
    folder = tmp_path_factory.mktemp("blas")
    turned = Pose.from_xyz_rpy([1, 2, 3], [0.3, -0.4, 2.5])
    with open_mesh(ROOT / "sample_meshes" / "bracket.stl") as mesh:
        corners = turned.apply(np.concatenate(list(mesh.chunks())).astype(float)).astype("<f4")
    facets = np.zeros(len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    facets["corners"] = corners
    paths = {name: folder / name for name in ("turned.stl", "open.stl", "body.xml", "other.xml")}
    paths["turned.stl"].write_bytes(bytes(80) + np.uint32(len(corners)).tobytes() + facets.tobytes())
    away = np.zeros(len(facets), bool)
    away[:5] = True  # holes of several edges
    paths["open.stl"].write_bytes(bytes(80) + np.uint32((~away).sum()).tobytes() + facets[~away].tobytes())
    paths["body.xml"].write_text(BODY % 'diaginertia="1.1 2.3 3.1" euler="10 20 30"')
    paths["other.xml"].write_text(BODY % 'fullinertia="1.1 2.3 3.1 0.1 0.2 0.3"')
    return {path.stem: str(path) for path in paths.values()}


@pytest.mark.other_programs
@pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux only")
def test_the_kernels_of_blas_do_not_change_a_byte(files):
    """OPENBLAS_CORETYPE chooses them; other processors choose others by themselves."""
    printed = []
    for kernel in ("Prescott", "Haswell"):
        env = environment(OPENBLAS_CORETYPE=kernel)
        with closing(Forked(env)) as process:
            runs = [process.run(c.format(**files).split(), b"", env, str(ROOT), TIMEOUT) for c in COMMANDS]
        assert all(code in (0, 1) and b"massprops" in out for code, out, _ in runs)
        printed.append([out for _, out, _ in runs])
    for command, one, other in zip(COMMANDS, *printed, strict=True):
        assert one == other, command


@each("rank", [3, 2])
@each("seed", range(20))
def test_the_nearest_orthogonal_matrix_is_that_of_the_singular_vectors(seed, rank):
    matrix = np.random.default_rng(seed).normal(size=(3, 3)) * 10.0 ** (seed - 10)
    u, s, vt = np.linalg.svd(matrix)
    s[rank:] = 0
    found, expected = arrays.nearest_orthogonal(u * s @ vt), u @ vt
    if rank == 2 and np.linalg.det(expected) < 0:  # a rotation is as near as the reflection
        u[:, 2] *= -1
        expected = u @ vt
    assert found @ found.T == pytest.approx(np.eye(3), abs=1e-15)
    assert found == pytest.approx(expected, abs=1e-14 * s[0] / s[rank - 1])


def test_eigenvalues_in_the_plane_are_those_of_the_quadratic_formula():
    values, columns = arrays.symmetric_eigen(np.array([[2.0, 1.5], [1.5, -1.0]]))
    assert values == pytest.approx([0.5 - math.hypot(1.5, 1.5), 0.5 + math.hypot(1.5, 1.5)], rel=1e-15)
    assert columns @ np.diag(values) @ columns.T == pytest.approx(np.array([[2.0, 1.5], [1.5, -1.0]]), rel=1e-14)


bits = st.integers(-(2**53), 2**53)
factors = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, 0.1, 1e-320, 1e300]), bits.map(float), st.floats(-4, 4))


@given(
    st.lists(st.lists(factors, min_size=3, max_size=3), min_size=1, max_size=4),
    st.lists(factors, min_size=3, max_size=3),
)
def test_a_product_that_rounds_nothing_is_that_of_rationals(rows, column):
    """`rounds` may be true of an exact product, where a partial sum is rounded, and never false of a rounded one."""
    a, b = np.array(rows), np.array(column)[:, np.newaxis]
    found = arrays.rounds(a, b)
    exact = [sum(Fraction(x) * Fraction(y) for x, y in zip(row, column, strict=True)) for row in rows]
    with np.errstate(over="ignore", invalid="ignore"):
        got = arrays.product(a, b)[:, 0]
    if not found:
        assert [Fraction(x) for x in got.tolist()] == exact


def test_products_of_few_bits_round_nothing():
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-(2**20), 2**20, (4, 4)) * 2.0**k for k in (-3, 7))
    assert not arrays.rounds(a, b)
    assert not arrays.rounds(a, np.eye(4))
    assert arrays.rounds(a, np.full((4, 4), 0.1))
    assert arrays.rounds(np.array([[1.0, 2.0**-53]]), np.ones((2, 1)))  # a sum
    assert arrays.rounds(np.array([[2.0**-600]]), np.array([[3 * 2.0**-474]]))  # below the smallest double
    assert arrays.rounds(np.array([[1e300]]), np.array([[1e300]]))


@pytest.mark.parametrize("pairs", [1, 7, 1 << 20])
def test_winding_numbers_are_the_same_however_few_pairs_are_looked_at_together(pairs, monkeypatch):
    """More points than pairs ended in a step of 0 facets."""
    monkeypatch.setattr(arrays, "_PAIRS", pairs)
    boxes = np.concatenate([oracles.box((0, 0, 0), (2, 1, 1)), oracles.box((1, 0, 0), (3, 1, 1))]).astype(float)
    points = np.array([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [9.0, 9.0, 9.0]])
    assert arrays.winding_numbers(points, boxes) == pytest.approx([1, 2, 0], abs=1e-12)  # two dozen arctangents
    assert len(arrays.winding_numbers(points[:0], boxes)) == 0
    on_first = oracles.box((0, 0, 0), (2, 1, 1)).mean(axis=1)  # in its facets, whose sides have 0 and 1
    assert arrays.winding_numbers(on_first, boxes[:12]) == pytest.approx(np.full(12, 0.5), abs=1e-12)
