"""Facets that lie back to back: the same three vertices, opposite orientation. Together they bound nothing, and their area counts twice.

A surface that is made of such pairs only is double-sided, as exports for rendering are; a few of them in a valid one are sheets inside.

Tests: `tests/mesh/test_validated_solid.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.boundary import hash_positions
from massprops.mesh.source import ReadChunks


def opposite_facets(read_chunks: ReadChunks) -> tuple[NDArray[np.bool_], bool]:
    """Whether each facet, shape (n,), has an opposite one of its own, and whether all that have three different vertices do.

    Of copies of one facet, the first in the file have one.
    """
    pieces = [_keys(chunk) for chunk in read_chunks()]
    keys, turned, proper = (np.concatenate(part) for part in zip(*pieces, strict=True))
    order = np.lexsort((turned, keys))
    keys, turned = keys[order], turned[order]
    first = np.append(True, keys[1:] != keys[:-1])
    heads = np.flatnonzero(first)
    count, backward = np.diff(heads, append=len(keys)), np.add.reduceat(turned, heads, dtype=np.intp)
    group = np.cumsum(first) - 1
    forward = (count - backward)[group]
    rank = np.arange(len(keys)) - heads[group] - np.where(turned, forward, 0)
    paired = np.empty(len(keys), dtype=bool)
    paired[order] = rank < np.minimum(forward, backward[group])
    paired &= proper
    return paired, bool(proper.any()) and bool((paired == proper).all())


def _keys(chunk: NDArray[np.floating]) -> tuple[NDArray[np.uint64], NDArray[np.bool_], NDArray[np.bool_]]:
    """A number for the set of a facet's vertices, which way it goes round them, and whether they are three; shapes (n,)."""
    a, b, c = hash_positions(chunk.transpose(1, 2, 0))
    return a + b + c, (a < b) ^ (b < c) ^ (c < a), (a != b) & (b != c) & (c != a)
