"""trimesh: merges vertices; mass_properties by polyhedral integration about the origin."""

import sys

import trimesh

mesh = trimesh.load_mesh(sys.argv[1])
found = mesh.mass_properties
print(repr(float(found["volume"])), found["center_mass"].tolist(), found["inertia"].tolist())
