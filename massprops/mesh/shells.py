"""Shells: closed surfaces that bound one body or cavity each, split where they touch each other in an edge or a vertex.

Facets are joined across the edges that only two of them have; a common vertex joins nothing. At an edge of more facets these come first:
those of one run of the file that is closed by itself, as exports write one body after another, and those of one patch. Of the
others those are neighbours that bound the same region: the facet by which it is entered, round the edge, and that by which it is left.
Tests: `tests/mesh/test_components.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.connectivity import Index, components
from massprops.mesh.indexed_mesh import IndexedMesh

#: Facets at a smaller angle round their edge lie on each other.
_SAME_ANGLE = 1e-9


def shells(mesh: IndexedMesh) -> Index:
    """A number for the shell of each facet, shape (F,), equal within a shell; the surface is closed."""
    count = len(mesh.faces)
    edge, sign, facet = mesh.edges()
    if not len(edge):  # every facet is a point
        return np.arange(count)
    order = np.argsort(edge, kind="stable")  # round each edge in the order of the file
    edge, sign, facet = edge[order], sign[order], facet[order]
    group = edge_in_run = _groups(edge, _runs(edge, sign, facet, count)[facet])
    size = np.bincount(group)[group]
    first = np.flatnonzero((size == 2) & (np.diff(group, prepend=-1) != 0))
    joined = [(facet[first], facet[first + 1])]
    many = np.flatnonzero(size > 2)
    if len(many):
        patch = components(count, *joined[0])
        edge, sign, facet, group = edge[many], sign[many], facet[many], edge_in_run[many]
        own = _groups(group, patch[facet])
        left = np.flatnonzero(np.bincount(own, weights=sign)[own])
        edge, sign, facet, group = edge[left], sign[left], facet[left], group[left]
        doubled, pairs = _across_doubled_facets(mesh, edge, sign, facet, group)
        joined += [pairs, _neighbours(mesh, edge[~doubled], sign[~doubled], facet[~doubled], group[~doubled])]
    return components(count, *(np.concatenate(ends) for ends in zip(*joined, strict=True)))


def _groups(one: Index, other: Index) -> Index:
    """A number for each different pair of entries, shape (n,), ascending with the first."""
    rank = np.cumsum(
        np.diff(one, prepend=-1) != 0, dtype=np.int64
    )  # by default as wide as the machine has it, and this is a product
    number: Index = np.unique(rank * (int(other.max()) + 1) + other, return_inverse=True)[1]
    return number


def _runs(edge: Index, sign: Index, facet: Index, count: int) -> Index:
    """The number of the run of each facet: up to the next place in the file where no edge is open."""
    head = np.diff(edge, prepend=-1) != 0
    net = np.cumsum(sign)
    net -= (net - sign)[head][np.cumsum(head) - 1]
    opened = (net != 0).astype(np.intp) - (net != sign)
    open_edges = np.cumsum(np.bincount(facet, weights=opened, minlength=count))
    return np.cumsum(np.append(0, open_edges[:-1] == 0))


def _across_doubled_facets(
    mesh: IndexedMesh, edge: Index, sign: Index, facet: Index, group: Index
) -> tuple[NDArray[np.bool_], tuple[Index, Index]]:
    """Entries of edges with four facets, two of which are each other's reverse, and the pairs: none with its own reverse."""
    third = mesh.faces[facet].sum(axis=1) - np.sum(np.divmod(edge, len(mesh.points)), axis=0)
    of_four = np.flatnonzero(np.bincount(group)[group] == 4)
    left = of_four[np.lexsort((sign[of_four], group[of_four]))].reshape(-1, 4)
    low, high = third[left[:, :2]], third[left[:, 2:]]
    straight, crosswise = (low == high).any(axis=1), (low == high[:, ::-1]).any(axis=1)
    left = np.where(straight[:, np.newaxis], left[:, [0, 1, 3, 2]], left)[straight | crosswise]
    doubled = np.zeros(len(edge), dtype=bool)
    doubled[left] = True
    one, other = facet[left].reshape(-1, 2, 2).transpose(1, 0, 2).reshape(2, -1)
    return doubled, (one, other)


def _neighbours(mesh: IndexedMesh, edge: Index, sign: Index, facet: Index, group: Index) -> tuple[Index, Index]:
    """Pairs of facets round each edge that bound the same region: by one it is entered, by the other it is left."""
    if not len(edge):
        return edge, edge
    head = np.diff(group, prepend=-1) != 0
    of = np.cumsum(head) - 1
    low, high = np.divmod(edge, len(mesh.points))
    axis = mesh.points[high] - mesh.points[low]
    arm = mesh.points[mesh.faces[facet].sum(axis=1) - low - high] - mesh.points[low]
    right = arm - axis * ((arm * axis).sum(axis=1) / (axis * axis).sum(axis=1))[:, np.newaxis]
    right = right[head][of]
    up = np.cross(axis / np.linalg.norm(axis, axis=1)[:, np.newaxis], right)
    angle = (np.arctan2((arm * up).sum(axis=1), (arm * right).sum(axis=1)) + _SAME_ANGLE) % (2 * np.pi)
    turn = np.lexsort((angle, of))
    apart = (np.diff(angle[turn], prepend=0) > 2 * _SAME_ANGLE) | head
    # of facets that lie on each other, those by which material is left come first: bodies with a face in common are two;
    # of copies, that with the lower number has its partner behind it at all its edges
    turn = turn[np.lexsort(((sign * facet)[turn], -sign[turn], np.cumsum(apart)))]
    entered = -sign[turn]
    level = np.cumsum(entered)
    level -= (level - entered)[head][of]
    # begin where the least is entered: from there on a facet is left at the level at which it was entered
    begin, size = np.flatnonzero(head), np.bincount(of)
    lowest = np.flatnonzero(level == np.minimum.reduceat(level, begin)[of])
    start = lowest[np.diff(of[lowest], prepend=-1) != 0][of]
    place = (np.arange(len(of)) - start - 1) % size[of]
    nested = np.lexsort((place, level - (entered > 0), of))
    one, other = nested[:-1], nested[1:]
    pairs = (of[one] == of[other]) & (entered[one] > 0) & (entered[other] < 0)
    return facet[turn[one[pairs]]], facet[turn[other[pairs]]]
