"""Facets of ASCII STL as exporters write them, one after the other. `stl_ascii_strict` reads all others."""

from __future__ import annotations

import re

import numpy as np

from massprops import native
from massprops.moments.arrays import Array
from massprops.values import regex

#: Bytes of the shortest facet.
_SHORTEST = len("facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet")
# None is too large for a double. No part of it can be read in two ways, so a damaged number costs no more than a good one.
_NUMBER = r"[-+]?(?:\d{1,200}+(?:\.\d*+)?|\.\d++)(?:e[-+]?0*\d{1,2})?"
_NORMAL = rf"\s++(?:{_NUMBER}|-?nan)" * 3
_VERTEX = r"\s++vertex" + rf"\s++({_NUMBER})" * 3
_FACET = rf"\s*+facet\s++normal{_NORMAL}\s++outer\s++loop{_VERTEX * 3}\s++endloop\s++endfacet(?=\s)"
_FACET_PATTERN = regex(_FACET.encode(), re.IGNORECASE)


def read_facets(text: bytes, start: int) -> tuple[Array, int]:
    """Coordinates of the facets that follow each other from a place on, nine of each, and where the last one ends."""
    if core := native.core():
        corners = np.empty(9 * ((len(text) - start) // _SHORTEST + 1))
        count, end = core.facets(text, start, corners)
        return corners[: 9 * count], end
    words: list[bytes] = []
    while facet := _FACET_PATTERN.match(text, start):
        words += facet.groups()
        start = facet.end()
    return np.array(words, np.float64), start
