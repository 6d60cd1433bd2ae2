"""Linear algebra whose rounding does not depend on the processor, against numpy's; and the program's results with it."""

from __future__ import annotations

import numpy as np
import pytest
from console import run
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT

from massprops.moments.arrays import determinant, length, orthonormal, product, sandwich, symmetric_eigen

seeds = st.integers(0, 2**32 - 1)
EPSILON = 2.0**-52


@given(seeds)
def test_products_are_those_of_numpy(seed):
    random = np.random.default_rng(seed)
    a, b, many = random.normal(size=(3, 3)), random.normal(size=(3, 4)), random.normal(size=(5, 2, 3))
    for x, y in ((a, b), (many, b), (a, b[:, 0]), (many, b[:, 0]), (a[0], b)):
        np.testing.assert_allclose(product(x, y), x @ y, rtol=0, atol=8 * EPSILON * np.abs(x).max() * np.abs(y).max())
    np.testing.assert_allclose(sandwich(a, a + a.T), a @ (a + a.T) @ a.T, rtol=0, atol=1e-13)
    for square in (a, a[:2, :2]):
        assert determinant(square) == pytest.approx(np.linalg.det(square), rel=1e-12, abs=1e-14)
    assert length(a[0]) == pytest.approx(np.linalg.norm(a[0]), rel=4 * EPSILON)


@settings(max_examples=200)
@given(seeds, st.sampled_from([0, 1, 1e-3, 1e-8, 1e-16]), st.sampled_from([1e-200, 1, 1e200]))
def test_eigenvalues_and_vectors_are_those_of_the_matrix(seed, spread, size):
    """Also where eigenvalues are nearly equal, and of any size: A V = V D, V orthonormal, D ascending."""
    random = np.random.default_rng(seed)
    turn = orthonormal(np.eye(3) + 0.3 * random.normal(size=(3, 3)))
    matrix = sandwich(turn, np.diag(1 + spread * random.normal(size=3))) * size
    matrix = (matrix + matrix.T) / 2
    values, vectors = symmetric_eigen(matrix)
    assert (np.diff(values) >= 0).all()
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), rtol=0, atol=8 * EPSILON)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, rtol=0, atol=16 * EPSILON * np.abs(matrix).max())
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix), rtol=0, atol=16 * EPSILON * np.abs(matrix).max())


def test_a_thin_plate_keeps_the_digits_of_its_least_eigenvalue():
    matrix = np.array([[1e-20, 0, 0], [0, 2, 1], [0, 1, 2]])
    assert symmetric_eigen(matrix)[0] == pytest.approx([1e-20, 1, 3], rel=1e-15)
    assert symmetric_eigen(np.zeros((3, 3)))[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("options", [(), ("--pose", "0.1,0.2,0.3,0.4,0.5,0.6"), ("--on-overlap", "union")])
def test_the_kernels_of_blas_do_not_change_a_byte(options):
    """OPENBLAS_CORETYPE chooses them; other processors choose others by themselves."""
    file = "overlapping_boxes.stl" if "union" in options else "bracket.stl"
    command = ["compute", ROOT / "sample_meshes" / file, "--units", "mm", "--density", "7800", "-f", "json", *options]
    runs = [run(*command, env={"OPENBLAS_CORETYPE": core}) for core in ("Prescott", "Haswell")]
    assert [done.returncode for done in runs] == [0, 0]
    found = {done.stdout for done in runs}
    assert len(found) == 1
    assert b'"principal"' in found.pop()
