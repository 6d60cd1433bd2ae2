"""Facets that are dropped (duplicates, opposite pairs, facets without area) or turned round, so that neighbours agree."""

from __future__ import annotations

import numpy as np

from massprops.mesh.edge_defects import components
from massprops.mesh.repair.bounds import Bound, Step, place
from massprops.mesh.repair.indexed import Index, IndexedMesh


def flipped(mesh: IndexedMesh) -> tuple[IndexedMesh, list[Step]]:
    """With as few facets turned round as make all neighbours across an edge of two facets agree.

    One labelling of connected components on the graph of facet × {as it is, turned round}: two facets that share an edge and run through it
    in opposite directions agree, so that equal states are joined, else opposite ones. A patch in which a facet is connected with
    its own reverse is not orientable (a Möbius strip) and stays as it is.
    """
    count = len(mesh.faces)
    _, (one, other), agree = mesh.shared_edges()
    if agree.all():
        return mesh, []
    u = np.concatenate([one, one + count])
    v = np.where(
        np.concatenate([agree, agree]), np.concatenate([other, other + count]), np.concatenate([other + count, other])
    )
    label = components(2 * count, u, v)
    kept, turned = label[:count], label[count:]
    as_they_are = np.bincount(kept, minlength=2 * count)
    # the state in which more facets stay as they are; of equal ones that of the lower label, so that a patch decides as one
    more, less = as_they_are[turned], as_they_are[kept]
    turn = (kept != turned) & ((more > less) | ((more == less) & (turned < kept)))
    if not turn.any():
        return mesh, []
    faces = mesh.faces.copy()
    faces[turn] = faces[turn][:, ::-1]
    where = place(mesh.corners[int(np.flatnonzero(turn)[0])].mean(axis=0))
    n = int(turn.sum())
    return IndexedMesh(mesh.points, faces), [Step("flip", n, where, Bound.none(), f"turned {n} facets round")]


def dropped(mesh: IndexedMesh) -> tuple[IndexedMesh, list[Step]]:
    """Without facets of fewer than three vertices, without copies of a facet, and without pairs of a facet and its reverse.

    Where every facet has its reverse (a double-sided export), one of each pair is kept. What is left over bounds the same chain modulo
    copies, so nothing can be wrong: a copy counts its tetrahedron twice, a pair counts it not at all.
    """
    f = mesh.faces
    proper = (f[:, 0] != f[:, 1]) & (f[:, 1] != f[:, 2]) & (f[:, 2] != f[:, 0])
    steps = []
    if not proper.all():
        steps.append(_step(mesh, ~proper, "dropped {} facets without area"))
        mesh = mesh.keeping(proper)
    group, even = _vertex_sets(mesh.faces)
    forward = np.bincount(group, weights=even, minlength=0)
    backward = np.bincount(group, weights=~even)
    paired = (forward > 0) & (backward > 0)
    if len(mesh.faces) and paired.all():
        keep = _first_of(group)
        steps.append(_step(mesh, ~keep, "kept one side of a double-sided surface, without the other's {} facets"))
        return mesh.keeping(keep), steps
    # of n copies one way and m the other, one facet is left where n ≠ m
    left = forward != backward
    direction = forward > backward
    candidate = left[group] & (even == direction[group])
    keep = np.zeros(len(group), dtype=bool)
    chosen = np.flatnonzero(candidate)
    keep[chosen[_first_of(group[chosen])]] = True
    if not keep.all():
        steps.append(_step(mesh, ~keep, "dropped {} duplicate facets"))
        mesh = mesh.keeping(keep)
    return mesh, steps


def _vertex_sets(faces: Index) -> tuple[Index, np.ndarray]:
    """A number for each set of three vertices, shape (F,), and whether the facet is an even permutation of the sorted set."""
    order = np.sort(faces, axis=1)
    rows = np.ascontiguousarray(order).view(np.dtype((np.void, order.itemsize * 3))).reshape(-1)
    _, group = np.unique(rows, return_inverse=True)
    low = faces.argmin(axis=1)
    after = faces[np.arange(len(faces)), (low + 1) % 3]
    return group, after == order[:, 1]


def _first_of(group: Index) -> np.ndarray:
    """Whether each entry is the first of its group."""
    first = np.zeros(len(group), dtype=bool)
    first[np.unique(group, return_index=True)[1]] = True
    return first


def _step(mesh: IndexedMesh, gone: np.ndarray, text: str) -> Step:
    count = int(gone.sum())
    first = mesh.corners[int(np.flatnonzero(gone)[0])].mean(axis=0)
    return Step("drop", count, place(first), Bound.none(), text.format(count))
