"""pyminiply (PLY) and the textbook integral."""

import sys

import pyminiply
from _numbers import show, textbook

vertices, faces = pyminiply.read(sys.argv[1])[:2]
show(*textbook(vertices[faces]))
