"""pymeshlab: merges vertices; geometric measures."""

import sys

import pymeshlab

meshes = pymeshlab.MeshSet()
meshes.load_new_mesh(sys.argv[1])
found = meshes.get_geometric_measures()
print(repr(float(found["mesh_volume"])), found["center_of_mass"].tolist(), found["inertia_tensor"].tolist())
