"""What Drake and Gazebo take: the boundary of each rule. MuJoCo's is held against MuJoCo itself in the independent readers.

The answers for Drake and for SDFormat were observed by loading the same numbers as URDF and as SDF with Drake 1.51, which brings its
own SDFormat; loading takes 400 MB of packages, so the observations stand here as a table.
"""

from __future__ import annotations

import numpy as np
import pytest
from cases import each

from massprops.errors import InvalidInput
from massprops.formats.bodies import NamedBody
from massprops.formats.inertial.simulator_rules import CONSUMERS, predict
from massprops.frames import Pose
from massprops.rigid_body.mass_properties import MassProperties

u = 2.0**-52

#: mass and moments; taken by Drake (URDF); taken by SDFormat (gz-math)
OBSERVED = [
    ((1.0, 1.0, 1.0, 2.0), True, True),
    ((1.0, 1.0, 1.0, 2 + 12 * u), True, True),
    ((1.0, 1.0, 1.0, 2 + 16 * u), True, True),
    ((1.0, 1.0, 1.0, 2 + 32 * u), True, False),
    ((1.0, 1.0, 1.0, 2 + 36 * u), False, False),
    ((1.0, 1.0, 1.0, 2 + 1e-10), False, False),
    ((0.0, 0.0, 0.0, 0.0), True, True),
    ((0.0, 1.0, 1.0, 1.0), False, True),
    ((-1.0, 1.0, 1.0, 1.0), False, False),
    ((1e-20, 1e-20, 1e-20, 1e-20), True, True),
    ((1.0, 1e-20, 1e-20, 1e-5), False, False),
    ((1.0, 1e-20, 1e-20, 1e-17), True, False),  # Drake's tolerance is absolute for small bodies, gz-math's is not
    ((1.0, 0.0, 0.0, 0.0), True, True),
    ((1.0, -1e-16, 1.0, 1.0), True, True),
]


@each(("numbers", "drake", "gazebo"), OBSERVED)
def test_the_boundaries_are_where_the_programs_have_them(numbers: tuple[float, ...], drake: bool, gazebo: bool) -> None:
    body = NamedBody("a", MassProperties(numbers[0], [0, 0, 0], np.diag(numbers[1:])))
    assert (predict("drake", body) is None, predict("gazebo", body) is None) == (drake, gazebo)
    assert predict("pinocchio", body) is None  # it takes anything


def test_an_answer_that_rounding_decides_is_a_doubt() -> None:
    # a turned plate: A + B − C is zero, and what each program finds depends on its own eigenvalues
    plate = MassProperties(1.0, [0, 0, 0], np.diag([1.0, 2.0, 3.0])).transformed(Pose.from_xyz_rpy(rpy=[0.4, 0.5, 0.6]))
    doubts = {name: predict(name, NamedBody("a", plate)) for name in ("mujoco", "gazebo")}
    assert {name: f and (f.code, f.severity) for name, f in doubts.items()} == {
        name: (f"doubtful-for-{name}", "warning") for name in doubts
    }


def test_a_refusal_says_by_how_much() -> None:
    body = NamedBody("a", MassProperties(1.0, [0, 0, 0], np.diag([1.0, 2.0, 4.0])))
    found = {name: predict(name, body) for name in CONSUMERS}
    said = "will not take these numbers: principal moments 1 + 2 fall short of 4 by 1 kg m²"
    assert {name: f and f.message for name, f in found.items()} == {
        "mujoco": f"MuJoCo {said}",
        "drake": f"Drake {said}",
        "gazebo": f"Gazebo {said}",
        "newton": f"Newton {said}",
        "openusd": None,
        "pinocchio": None,
    }


def test_an_unknown_consumer_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"^unknown consumer 'ode'; known: mujoco, drake, gazebo, openusd, newton, pinocchio$"
    ):
        predict("ode", NamedBody("a", MassProperties(1.0, [0, 0, 0], np.eye(3))))
