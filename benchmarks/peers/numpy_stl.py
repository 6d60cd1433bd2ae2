"""numpy-stl: its own get_mass_properties."""

import sys

from stl import mesh

volume, center, inertia = mesh.Mesh.from_file(sys.argv[1]).get_mass_properties()
print(repr(float(volume)), center.tolist(), inertia.tolist())
