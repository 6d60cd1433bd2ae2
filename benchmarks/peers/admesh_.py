"""admesh: reads and merges; volume; the textbook integral on its facets for the rest."""

import sys

import numpy as np
from _numbers import show, textbook
from admesh import Stl

stl = Stl(sys.argv[1])
show(*textbook(np.array([[[corner[axis] for axis in "xyz"] for corner in facet["vertex"]] for facet in stl])))
