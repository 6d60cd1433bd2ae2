"""libigl: reads and merges; the textbook integral (its moments take vertices and faces; the Python binding has no second ones)."""

import sys

import igl
from _numbers import show, textbook

read = igl.read_triangle_mesh(sys.argv[1])
show(*textbook(read[0][read[1]]))
