"""vtk: its reader (that of STL merges vertices) and the textbook integral: vtkMassProperties gives a volume and no inertia."""

import sys
from pathlib import Path

from _numbers import show, textbook
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOGeometry import vtkOBJReader, vtkSTLReader
from vtkmodules.vtkIOPLY import vtkPLYReader

READERS = {".stl": vtkSTLReader, ".obj": vtkOBJReader, ".ply": vtkPLYReader}

reader = READERS[Path(sys.argv[1]).suffix]()
reader.SetFileName(sys.argv[1])
reader.Update()
data = reader.GetOutput()
points = vtk_to_numpy(data.GetPoints().GetData())
faces = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
show(*textbook(points[faces]))
