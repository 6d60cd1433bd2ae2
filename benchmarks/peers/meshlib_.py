"""meshlib: volume and centre; its Python API has no inertia of the solid, so the textbook integral on its triangles."""

import sys

from _numbers import show, textbook
from meshlib import mrmeshnumpy, mrmeshpy

mesh = mrmeshpy.loadMesh(sys.argv[1])
show(*textbook(mrmeshnumpy.getNumpyVerts(mesh)[mrmeshnumpy.getNumpyFaces(mesh.topology)]))
