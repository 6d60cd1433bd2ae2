"""libigl: volume, centre and inertia about it by its own moments; nothing is checked."""

import sys

import igl
import numpy as np
from _numbers import show

vertices, faces, *_ = igl.read_triangle_mesh(sys.argv[1])
volume, first, inertia = igl.moments(vertices, faces.astype(np.int64))
show(volume, first / volume, inertia)
