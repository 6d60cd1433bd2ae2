"""The numbers that a dialect prints: rounded to the digits of the form, along the axes of the body or its principal ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from massprops.formats.inertial.numbers import check_digits, round_to
from massprops.frames import Pose
from massprops.moments.arrays import Array
from massprops.rigid_body.mass_properties import MassProperties
from massprops.values import dataclass


@dataclass(frozen=True)
class Form:
    """How an inertial is written.

    Attributes
    ----------
    principal : bool
        Three principal moments along a turned frame, instead of six entries along the axes of the body.
    quaternion : bool
        SDF: the pose as a position and a quaternion x y z w, instead of roll, pitch and yaw.
    digits : int or None
        Significant digits of every number; None for the shortest text that reads back as the same double.
    order : str
        Of a ten-vector: the tool whose order it is.
    """

    principal: bool = False
    quaternion: bool = False
    digits: int | None = None
    order: str = "pinocchio"

    def __post_init__(self) -> None:
        check_digits(self.digits)


@dataclass(frozen=True, eq=False)
class Numbers:
    """What is printed of one body: mass (kg), centre (m), tensor (kg m²) along a frame turned by `rpy`, which is `wxyz`."""

    mass: float
    com: tuple[float, ...]
    tensor: Array
    rpy: tuple[float, ...] = (0.0, 0.0, 0.0)
    wxyz: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)

    @property
    def moments(self) -> tuple[float, ...]:
        """The diagonal of the tensor."""
        return tuple(self.tensor.diagonal().tolist())


def numbers_of(body: MassProperties, form: Form) -> Numbers:
    """The numbers to print, each rounded on its own."""
    return rounded(_exact(body, form.principal), lambda x: round_to(x, form.digits))


def rounded(n: Numbers, rule: Callable[[float], float]) -> Numbers:
    """The same numbers, each passed through `rule`."""
    tensor = np.array([[rule(x) for x in row] for row in n.tensor.tolist()])
    return Numbers(rule(n.mass), tuple(map(rule, n.com)), tensor, tuple(map(rule, n.rpy)), tuple(map(rule, n.wxyz)))


def _exact(body: MassProperties, principal_axes: bool) -> Numbers:
    com = tuple(body.com.tolist())
    # along axes that are principal already nothing is turned and no bit is lost
    if not principal_axes or np.count_nonzero(body.inertia - np.diag(body.inertia.diagonal())) == 0:
        return Numbers(body.mass, com, body.inertia)
    principal = body.principal()
    frame = Pose(principal.axes.T, np.zeros(3))  # its columns are the axes: R takes the inertial frame to the body's
    rpy = frame.to_rpy() + 0.0  # no −0.0
    wxyz = tuple(frame.to_quaternion_wxyz().tolist())
    return Numbers(body.mass, com, np.diag(principal.moments), tuple(rpy.tolist()), wxyz)
