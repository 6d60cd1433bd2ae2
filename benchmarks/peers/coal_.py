"""coal: loads through assimp into a BVH model (merges vertices); computeVolume, computeCOM, computeMomentofInertia."""

import sys

import coal
import numpy as np

loader = coal.MeshLoader(coal.NODE_TYPE.BV_AABB)
model = loader.load(sys.argv[1], np.ones(3))
print(repr(float(model.computeVolume())), model.computeCOM().tolist(), model.computeMomentofInertia().tolist())
