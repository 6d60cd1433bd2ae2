"""Closed shapes as triangles: inside the shape, or around it. Between the two lies its true surface.

A curved outline is a polygon; round the axis every circle is one, too. Where the surface faces away from the axis, corners on it lie
inside the solid, and around it when they are moved out to where the sides touch; where it faces the axis (the bore of a tube, the inner
half of a torus) it is the other way round.

Tests: `tests/rigid_body/test_shape_facets.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from massprops.moments.arrays import Array

#: Facets round the axis, and along half a circle of an outline.
_ROUND = 96
#: What is further from a circle than its own middle: its sides touch it there.
_OUT = 1 / math.cos(math.pi / _ROUND)

Side = Literal["inside", "around"]
#: An outline (r, z), shape (n, 2): from the lower end of the axis to the upper one, or closed; the solid lies to its left.
Outline = Array


def facets_of_shape(name: str, lengths: Mapping[str, float], side: Side = "inside") -> Array | None:
    """Triangles of a solid of `massprops.rigid_body.shapes`, in the frame of the shape; None of what encloses no volume.

    Parameters
    ----------
    name : str
        A name in `SHAPES`.
    lengths : mapping of str to float
        Those that its function takes, m.
    side : {"inside", "around"}
        Whether no point of the triangles is outside the shape, or none inside it.

    Returns
    -------
    ndarray, shape (n, 3, 3), or None
        Outward, m.
    """
    if name == "box":
        return _box(np.array([lengths[axis] for axis in "xyz"]) / 2)
    if name == "triangular-prism":
        return _prism(**lengths)
    if name in ("ellipsoid", "homoeoid"):
        axes = np.array([lengths[axis] for axis in ("rx", "ry", "rz")])
        outside: Array = _revolve(_ball(1.0, 0.0, side), side) * axes
        if name == "ellipsoid":
            return outside
        other: Side = "around" if side == "inside" else "inside"
        inner = _revolve(_ball(1.0, 0.0, other), other) * (axes * lengths["inner_rx"] / lengths["rx"])
        return np.concatenate([outside, inner[:, ::-1]])
    outline = _OUTLINES.get(name)
    return None if outline is None else _revolve(outline(side, **lengths), side)


def _cylinder(_side: Side, radius: float, length: float) -> Outline:
    return np.array([[0, -length / 2], [radius, -length / 2], [radius, length / 2], [0, length / 2]])


def _tube(_side: Side, outer_radius: float, inner_radius: float, length: float) -> Outline:
    h = length / 2
    return np.array([[inner_radius, h], [inner_radius, -h], [outer_radius, -h], [outer_radius, h], [inner_radius, h]])


def _cone(_side: Side, radius: float, height: float) -> Outline:
    return np.array([[0, 0], [radius, 0], [0, height]])


def _frustum(_side: Side, radius: float, top_radius: float, height: float) -> Outline:
    return np.array([[0, -height / 2], [radius, -height / 2], [top_radius, height / 2], [0, height / 2]])


def _ball(radius: float, half: float, side: Side) -> Outline:
    """Outline of a ball whose halves are `half` above and below the middle."""
    n = _ROUND // 4
    angle: Array = np.linspace(0, np.pi / 2, n + 1)
    if (
        side == "around"
    ):  # sides that touch the circle, the first upright and the last level, so that corners stand between
        angle = np.asarray((np.arange(n) + 0.5) * (np.pi / 2 / n))
        radius /= math.cos(np.pi / 4 / n)
    cap = np.column_stack([radius * np.cos(angle), half + radius * np.sin(angle)])
    if side == "around":
        cap = np.append(cap, [[0.0, cap[-1, 1]]], axis=0)
    cap[-1, 0] = 0.0
    return np.concatenate([(cap * [1, -1])[::-1], cap])


def _torus(side: Side, radius: float, tube_radius: float) -> Outline:
    step = 2 * np.pi / _ROUND
    angle = (np.arange(_ROUND + 1) + 0.5) * step
    angle[-1] = angle[0]
    own = tube_radius if side == "inside" else tube_radius / math.cos(step / 2)
    return np.column_stack([np.maximum(radius + own * np.cos(angle), 0.0), own * np.sin(angle)])


_OUTLINES: dict[str, Callable[..., Outline]] = {
    "sphere": lambda side, radius: _ball(radius, 0.0, side),
    "capsule": lambda side, radius, length: _ball(radius, length / 2, side),
    "cylinder": _cylinder,
    "tube": _tube,
    "cone": _cone,
    "frustum": _frustum,
    "torus": _torus,
}


def _box(half: Array) -> Array:
    corners = np.array(np.meshgrid(*[[-h, h] for h in half], indexing="ij")).reshape(3, -1).T
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return np.asarray(corners[[[q[0], q[k], q[k + 1]] for q in quads for k in (1, 2)]])


def _prism(base: float, height: float, length: float, apex: float | None = None) -> Array:
    low = np.array([[0, 0, 0], [base, 0, 0], [base / 2 if apex is None else apex, height, 0.0]])
    high = low + np.array([0, 0, length])
    sides = [
        [corners[k] for k in quad]
        for i in range(3)
        for corners in [(low[i], low[i - 2], high[i - 2], high[i])]
        for quad in ((0, 1, 2), (0, 2, 3))
    ]
    return np.array([low[::-1], high, *sides])


def _revolve(outline: Outline, side: Side) -> Array:
    """The solid of an outline."""
    turn = 2 * np.pi * np.arange(_ROUND + 1) / _ROUND
    turn[-1] = 0.0
    cos, sin = np.cos(turn), np.sin(turn)
    r, z = outline.T
    on_axis = r < 1e-12 * outline.max()
    # a side that is walked upwards faces away from the axis, one that is walked downwards faces it
    rise = np.diff(z)
    rise[np.abs(rise) <= 1e-12 * np.ptp(z)] = 0.0
    before, after = np.append(rise[-1:], rise), np.append(rise, rise[:1])
    if (outline[0] != outline[-1]).any():  # the ends lie on the axis, or beside nothing
        before[0] = after[-1] = 0.0
    moved = (before > 0) | (after > 0) if side == "around" else (before < 0) | (after < 0)
    radii = np.where(moved & ~on_axis, r * _OUT, r)
    ring = np.stack([np.outer(cos, radii), np.outer(sin, radii)], axis=-1)
    ring = np.concatenate([ring, np.broadcast_to(z[:, None], (*ring.shape[:2], 1))], axis=-1)
    ring[:, on_axis, :2] = 0.0  # the axis is one point, whatever the angle
    a, b, c, d = ring[:-1, :-1], ring[1:, :-1], ring[1:, 1:], ring[:-1, 1:]
    quads = np.stack([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)], axis=2).reshape(-1, 3, 3)
    p, q, s = quads.transpose(1, 0, 2)
    return np.asarray(quads[(p != q).any(axis=1) & (q != s).any(axis=1) & (s != p).any(axis=1)])
