"""Surfaces made to deceive the verification: somebody who knows the program builds what its lines would not meet."""

from __future__ import annotations

import functools

import numpy as np
from cases import refused
from oracles import box as double_box
from oracles import polycube

import massprops
from massprops import InvalidGeometry
from massprops.mesh.surface import Surface
from massprops.mesh.xray.line_grid import Lattice

#: What is said about surfaces as they are.
measure = functools.partial(massprops.measure, repair="none")

LINES = 8
VOXELS = 24


def voxels_without_a_line(lattice: Lattice) -> np.ndarray:
    """Which of the voxels of the unit cube no line comes near, shape (VOXELS,) * 3; none at its sides."""
    free = np.ones((VOXELS,) * 3, dtype=bool)
    steps = np.linspace(0, lattice.lines, 20 * VOXELS)
    for k in range(3):
        q = np.empty((lattice.lines**2, len(steps), 3))
        q[..., k] = steps
        q[..., (k + 1) % 3] = lattice.places[k, 0][:, None]
        q[..., (k + 2) % 3] = lattice.places[k, 1][:, None]
        points = ((lattice.low + q * lattice.cell) @ lattice.rotation).reshape(-1, 3) * VOXELS
        for shift in np.stack(np.meshgrid(*[[-0.1, 0.1]] * 3), axis=-1).reshape(-1, 3):
            index = np.floor(points + shift).astype(int)
            free[tuple(index[((index >= 0) & (index < VOXELS)).all(axis=1)].T)] = False
    free[[0, -1]] = free[:, [0, -1]] = free[:, :, [0, -1]] = False
    return free


def test_a_body_that_fills_what_the_lines_leave_is_not_certified_with_a_wrong_bound():
    """A box, and in it a second body of all voxels that no line of the padded box meets: its volume counts twice."""
    cube = np.asarray(double_box((0, 0, 0), (1, 1, 1)), dtype=np.float32)
    pad = np.zeros((60_000, 3, 3), np.float32)
    file = np.concatenate([cube, pad])
    # the lines of a file of the same size and bounds: all that can be known before the file is finished
    known = Surface.of(file, np.zeros(3))
    free = voxels_without_a_line(Lattice.over(known.bounds, LINES, known.seed))
    inner = (polycube(map(tuple, np.argwhere(free).tolist()))[0] / VOXELS).astype(np.float32)
    assert len(inner) < len(pad)
    assert free.mean() > 0.2
    attack = np.concatenate([cube, inner, pad[len(inner) :]])
    assert "nested-bodies" in refused(InvalidGeometry, measure, attack, lines=LINES)
