"""stl-reader (merges vertices) and the textbook integral."""

import sys

import stl_reader
from _numbers import show, textbook

vertices, faces = stl_reader.read(sys.argv[1])
show(*textbook(vertices[faces]))
