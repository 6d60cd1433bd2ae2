"""Holes in other bodies, of which what they hide changes nothing in the union of all, and the sides of holes.

A patch within a ball can at most fill all of the ball that is outside of its body, or empty all that is inside, not both.

A point is in another body if the winding number of all other parts, closed by their own fills, is 1 or more there, and these fills have
so little of it that no other shape of them changes that. A hole of a cavity, or of a sheet, is in no other body: what is in
a solid can be empty.

Tests: `tests/mesh/test_buried.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.connectivity import Index
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.winding_tree import WindingTree
from massprops.mesh.xray.verdict import ALPHA
from massprops.moments.arrays import Array

#: Whether each facet, or point, is meant.
Mask = NDArray[np.bool_]

#: Points in a ball around a hole; every `_FIRST` of them is asked first, and the others if half of these are in other bodies.
#: With more than `_SOME` of the ball outside, a hole is not in another body, and what is missing can lead out of both.
_POINTS, _FIRST, _SOME = 256, 16, 0.25
#: Holes beyond this number, those that hide most first, and pairs of a point and a triangle beyond this one, are not looked at.
_MOST, _PAIRS = 16, 1 << 27
#: Most that the fills of other parts may have of the winding number.
_OPEN = 0.25
#: A part with less than this share of the ball is no body.
_BODY = 0.02
#: Winding number of the facets of its own part, in front of which a point is.
_FRONT = -0.02


def shares_at_stake(
    mesh: IndexedMesh, first: int, facet: Index, can_be: Mask, center: Array, radius: Array, hidden: Array
) -> Array:
    """Largest share of the ball around each hole that another patch changes, shape (n,), with 99.9 % confidence: all of it that is in its
    body, or all that is not, less what lies in other bodies.

    Parameters
    ----------
    mesh : IndexedMesh
        The closed mesh.
    first : int
        Its first facet that is not in the file.
    facet : ndarray of int, shape (n,)
        A facet along each hole, or −1, of which nothing is known.
    can_be : ndarray of bool, shape (n,)
        Whether each can be in another body.
    center, radius : ndarray, shapes (n, 3) and (n,)
        Of the balls.
    hidden : ndarray, shape (n,)
        How much each can hide: those that hide nothing are not looked at.
    """
    found, part, whole = np.ones(len(facet)), mesh.parts(), 4 / 3 * math.pi * radius**3
    if len(part) * _POINTS > _PAIRS:
        return found
    outward = 1 if mesh.volume() > 0 else -1
    ball, fills, tree = _ball(), np.arange(len(part)) >= first, WindingTree.later(mesh)
    is_large, can_be = hidden > whole / 2, can_be & (part != part[0]).any()
    for i in np.argsort(-hidden, kind="stable")[:_MOST].tolist():
        if facet[i] < 0 or not hidden[i] > 0 or not (can_be[i] or is_large[i]):
            continue
        own, points = part == part[facet[i]], center[i] + radius[i] * ball
        settled = np.zeros(_POINTS, dtype=bool)
        volume = outward * float(np.linalg.det(mesh.corners[own] - center[i]).sum()) / 6
        if can_be[i] and volume >= _BODY * whole[i]:
            trees = [tree().keeping(of) for of in (~own & ~fills, ~own & fills, own & ~fills)]
            if 2 * int(_are_settled(trees, points[::_FIRST], outward).sum()) >= _POINTS // _FIRST:
                settled = _are_settled(trees, points, outward)
                settled &= (~settled).sum() - math.log(ALPHA) <= _SOME * _POINTS
        if settled.any() or is_large[i]:
            inside = np.abs(tree().keeping(own).winding_numbers(points)) > 0.5
            side = max(int((~settled & x).sum()) for x in (inside, ~inside))
            found[i] = min((side - math.log(ALPHA)) / _POINTS, 1.0)
    return found


def _are_settled(trees: Sequence[WindingTree], points: Array, outward: int) -> Mask:
    """Whether points are in other parts, given by their facets and by their fills, or in front of the facets of their own: a patch behind
    these would wind about them by itself.
    """
    others, fills, own = trees
    known, filled = (outward * tree.winding_numbers(points) for tree in (others, fills))
    settled: Mask = (known + filled > 0.5) & (np.abs(filled) <= _OPEN)
    settled[~settled] = outward * own.winding_numbers(points[~settled]) <= _FRONT
    return settled


def _ball() -> Array:
    """Points spread evenly over the unit ball: shells of one volume, and two irrational steps around them.

    The share of them in half-spaces, cones and wedges is wrong by less than −ln α of the points but for a share α of these.
    """
    step = np.arange(_POINTS) + 0.5
    along, around = np.mod(step[:, np.newaxis] * [0.7548776662466927, 0.5698402909980532] + [0.0, 0.5], 1.0).T
    z, angle = 2 * along - 1, 2 * math.pi * around
    across = np.sqrt(1 - z * z)
    unit = np.stack([across * np.cos(angle), across * np.sin(angle), z])
    return np.asarray(np.cbrt(step / _POINTS) * unit).T
