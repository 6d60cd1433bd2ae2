"""Robots that tests of several commands read."""

from __future__ import annotations

import numpy as np

from massprops.rigid_body.mass_properties import MassProperties

TENSOR = np.array([[1.0, 0.1, 0.2], [0.1, 1.5, 0.3], [0.2, 0.3, 2.0]])
ARM = MassProperties(2.0, [1, 2, 3], TENSOR)
TIP = MassProperties(0.5, [0, 0, 0.25], np.diag([0.5, 0.25, 0.375]))

#: `arm` is impossible, `hand` is 2.7 kg in a box of 1 litre with its own inertia, `base` states nothing.
FAULTY = """<robot name="r">
<link name="base"><visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual></link>
<link name="arm"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="hand"><inertial><mass value="2.7"/>
  <inertia ixx="0.0045" iyy="0.0045" izz="0.0045" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
<joint name="a" type="fixed"><parent link="base"/><child link="arm"/></joint>
<joint name="b" type="fixed"><parent link="arm"/><child link="hand"/></joint>
</robot>
"""

#: `a` can be filled, `b` cannot.
WITHOUT_INERTIALS = """<robot name="r">
  <link name="a">
    <visual><geometry><box size="1 2 3"/></geometry></visual>
  </link>
  <link name="b">
    <visual><geometry><mesh filename="gone.stl"/></geometry></visual>
  </link>
</robot>
"""
