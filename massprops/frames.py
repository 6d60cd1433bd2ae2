"""Poses: where one frame is in another, and the same body seen from either.

`Pose` is X_AB: it takes coordinates in B to coordinates in A, p_A = R_AB p_B + t_A, so that inner letters cancel in
X_AC = X_AB @ X_BC. Lengths are metres, angles radians.

A rotation that comes from a file has been rounded to the digits of that file. Within that rounding (six decimals, the
shortest that common writers use) the rotation nearest to the numbers is what is meant and what is taken; anything
further off is a scale, a mirror, a shear or a slip, and is refused with how far off it is.
"""

from __future__ import annotations

import functools
import math
import re
from types import EllipsisType
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from massprops.errors import InvalidInput, require_type, written
from massprops.moments.arrays import Array as Array
from massprops.moments.arrays import ByValue, cross_matrix, determinant, length, product
from massprops.units import Quantity, is_unit, number, parse_point, share_unit
from massprops.values import dataclass, regex

#: Largest rounding of an entry written with six decimals, as `%f`, and `%g` or iostream for numbers below one, do.
HALF_DIGIT = 5e-7
#: |RᵀR − 1| entrywise, when every entry of R is off by up to HALF_DIGIT: twice the 1-norm of a unit column, ≤ √3.
ROTATION_TOLERANCE = 2 * math.sqrt(3) * HALF_DIGIT * 1.01  # 1 % pays for the second order
#: | |q| − 1 |, when every component is off by up to HALF_DIGIT: the 1-norm of a unit quaternion, ≤ 2.
QUATERNION_TOLERANCE = 2 * HALF_DIGIT * 1.01
#: Defects that double-precision products of rotations have by themselves; left as they are, bit for bit.
_ROUNDING = 16 * float(np.finfo(np.float64).eps)
_IDENTITY = np.eye(3).tobytes()
#: Radians: no pose needs more than two turns, and degrees without their unit are the commonest slip.
_LARGEST_ANGLE = 4 * math.pi


#: −1: any length; the ellipsis, as the first entry, any number of axes before.
Shape = tuple[int | EllipsisType, ...]


#: Planes through the origin in which a body can be mirrored, and the signs that coordinates get.
MIRRORS: dict[str, tuple[float, float, float]] = {"xy": (1, 1, -1), "xz": (1, -1, 1), "yz": (-1, 1, 1)}
Plane = Literal["xy", "xz", "yz"]
#: The axis that is up in a glTF mesh.
GltfUp = Literal["y", "z"]


def finite_array(value: ArrayLike, shape: Shape, name: str, dtype: DTypeLike = np.float64) -> Array:
    """A read-only copy of `value` in double precision or as `dtype`, which has this shape (−1: any length) and finite entries only.

    Raises
    ------
    InvalidInput
        If it is not numbers, has another shape, or has an entry that is NaN or infinite.
    """
    try:
        given = np.asarray(value)
    except (TypeError, ValueError) as error:  # ragged lists
        raise _not_numbers(value, shape, name) from error
    # float64 takes texts, and drops what is imaginary
    if given.dtype.kind not in "iuf" or ((mask := getattr(value, "_mask", None)) is not None and np.any(mask)):
        raise _not_numbers(value, shape, name)
    if given.dtype == dtype:
        array = given.copy("K")
    else:
        with np.errstate(over="ignore"):  # what single precision cannot hold is infinite, and refused below
            array = given.astype(dtype)
    if array.shape != shape:
        lengths = [n for n in shape if n is not ...]
        stacked = len(lengths) < len(shape)
        found = array.shape[array.ndim - len(lengths) :] if stacked else array.shape
        if len(found) != len(lengths) or any(n not in (-1, got) for n, got in zip(lengths, found, strict=True)):
            raise InvalidInput(f"{name} must have shape {_shape(shape)}, got {_shape(array.shape)}")
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0].tolist()
        where = f" at index {place}" if place else ""
        raise InvalidInput(f"{name} must be finite, got {float(array[tuple(place)])!r}{where}")
    array.setflags(write=False)
    return array


def precision_of(value: object) -> float:
    """Unit roundoff of the numbers in `value`: 6e-8 of float32 arrays, 1e-16 of all that is converted to doubles without loss."""
    kind = np.asarray(value).dtype
    return float(np.finfo(kind if kind.kind == "f" else np.float64).eps) / 2


@dataclass(frozen=True, eq=False)
class Pose(ByValue):
    """X_AB, the pose of frame B in frame A: a rigid motion of space (SE(3)).

    Attributes
    ----------
    rotation : ndarray, shape (3, 3), read-only
        R_AB: its columns are the axes of B in coordinates of A.
    translation : ndarray, shape (3,), read-only
        p_AoBo_A: the origin of B in coordinates of A, metres.

    Raises
    ------
    InvalidInput
        If an entry is not finite, or the rotation is not one within `ROTATION_TOLERANCE` (a rounded one is taken
        as the nearest rotation).

    Examples
    --------
    >>> lid = Pose.from_xyz_rpy([0, 0, 0.1], [0, 0, math.pi])
    >>> (lid @ lid.inverse()).translation
    array([0., 0., 0.])
    """

    rotation: Array
    translation: Array

    if TYPE_CHECKING:

        def __init__(self, rotation: ArrayLike, translation: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        rotation = finite_array(self.rotation, (3, 3), "rotation")
        object.__setattr__(self, "rotation", _nearest_rotation(rotation))
        object.__setattr__(self, "translation", finite_array(self.translation, (3,), "translation"))

    @classmethod
    @functools.cache
    def identity(cls) -> Self:
        """The frame itself."""
        return cls(np.eye(3), np.zeros(3))

    @classmethod
    def from_xyz_rpy(cls, xyz: ArrayLike = (0.0, 0.0, 0.0), rpy: ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """Pose from a position and roll, pitch, yaw about the *fixed* axes: R = Rz(yaw) Ry(pitch) Rx(roll).

        The convention of URDF and SDF. Angles are taken as they are typed: 1.5708 is not a right angle.

        Parameters
        ----------
        xyz, rpy : array_like, shape (3,)
            Metres and radians.

        Returns
        -------
        Pose

        Raises
        ------
        InvalidInput
            If either is not three finite numbers.
        """
        roll, pitch, yaw = finite_array(rpy, (3,), "rpy").tolist()
        rotation = product(product(_about(2, yaw), _about(1, pitch)), _about(0, roll))
        return cls(rotation, finite_array(xyz, (3,), "xyz"))

    @classmethod
    def from_quaternion(
        cls, *, wxyz: ArrayLike | None = None, xyzw: ArrayLike | None = None, translation: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Self:
        """Pose from a unit quaternion, whose order the caller names, and a position in metres.

        A quaternion is a direction in four dimensions: within `QUATERNION_TOLERANCE` of unit length, the rounding
        of six decimals, it is divided by its length; further off it is refused.

        Parameters
        ----------
        wxyz, xyzw : array_like, shape (4,)
            Exactly one of them; w is the scalar part.
        translation : array_like, shape (3,)
            Metres.

        Returns
        -------
        Pose

        Raises
        ------
        InvalidInput
            If neither or both orders are given, it is not four finite numbers, or its length is not 1.
        """
        if (wxyz is None) == (xyzw is None):
            raise InvalidInput("expected one quaternion, as wxyz or as xyzw")
        if wxyz is not None:
            q = finite_array(wxyz, (4,), "quaternion wxyz")
        else:
            q = np.roll(finite_array(xyzw if xyzw is not None else (), (4,), "quaternion xyzw"), 1)
        return cls(_rotation_of_quaternion(_unit_quaternion(q)), finite_array(translation, (3,), "translation"))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Self:
        """Pose from a homogeneous matrix [[R, t], [0, 1]], shape (4, 4), for column vectors; t in metres.

        Returns
        -------
        Pose

        Raises
        ------
        InvalidInput
            If it is not 4×4, not finite, its last row is not 0 0 0 1, or R is not a rotation.
        """
        m = finite_array(matrix, (4, 4), "pose matrix")
        if m[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
            transposed = m[:, 3].tolist() == [0.0, 0.0, 0.0, 1.0]
            hint = "it looks transposed: the translation belongs in the last column" if transposed else ""
            raise InvalidInput(f"last row of a pose matrix must be 0 0 0 1, got {_numbers(m[3])}", hint=hint)
        return cls(m[:3, :3], m[:3, 3])

    @classmethod
    def parse(cls, text: str, *, unit: str = "m") -> Self:
        """Pose from ``"x y z"``, ``"x y z roll pitch yaw"`` or the 16 numbers of a matrix, row by row, with blanks or commas between them.

        Lengths carry a unit (``12mm``) or are in `unit`; angles are radians or degrees (``90deg``); see `from_xyz_rpy`, `from_matrix`.

        Returns
        -------
        Pose

        Raises
        ------
        InvalidInput
            If it is no text of 3, 6 or 16 numbers, or one cannot be read.

        Examples
        --------
        >>> Pose.parse("0 0 0.1  0 0 90deg").translation
        array([0. , 0. , 0.1])
        """
        require_type(text, str, "pose", 'a text, such as "0 0 0.1  0 0 90deg"')
        tokens = split_words(text.strip(), "pose")
        if len(tokens) == 16:
            rows = [tokens[i : i + 4] for i in range(0, 16, 4)]
            where = parse_point([row[3] for row in rows[:3]], name="pose length", bare=unit)
            return cls.from_matrix(
                [[*map(number, row[:3]), x] for row, x in zip(rows, [*where, number(rows[3][3])], strict=True)]
            )
        if len(tokens) not in (3, 6):
            found = len(tokens) if text.strip() else 0
            hint = 'write "x y z" or "x y z roll pitch yaw"'
            raise InvalidInput(f"pose {text!r} has {found} numbers, expected 3 or 6", hint=hint)
        xyz = parse_point(tokens[:3], name="pose length", bare=unit)
        angles = share_unit([token.replace("°", "deg") for token in tokens[3:]], "pose angle")
        turns = [parse_angle(angle) for angle in angles[::-1]][::-1]  # first the one with the unit
        return cls.from_xyz_rpy(xyz, turns or (0.0, 0.0, 0.0))

    @property
    def matrix(self) -> Array:
        """[[R, t], [0, 1]], shape (4, 4)."""
        m = np.eye(4)
        m[:3, :3] = self.rotation
        m[:3, 3] = self.translation
        return m

    def __matmul__(self, other: Pose) -> Pose:
        """X_AC = X_AB @ X_BC."""
        if not isinstance(other, Pose):
            return NotImplemented
        return Pose(product(self.rotation, other.rotation), self.apply(other.translation))

    def inverse(self) -> Pose:
        """X_BA."""
        return Pose(self.rotation.T, -product(self.rotation.T, self.translation))

    def apply(self, points: ArrayLike) -> Array:
        """Coordinates in A of points given in B, shape (…, 3), metres: p_A = R_AB p_B + t_A.

        Returns
        -------
        ndarray, shape (…, 3)
            p_A, m.

        Raises
        ------
        InvalidInput
            If they are not finite numbers of that shape.
        """
        moved: Array = product(finite_array(points, (..., 3), "points"), self.rotation.T) + self.translation
        return moved

    def to_rpy(self) -> Array:
        """Roll, pitch, yaw about the fixed axes, shape (3,), radians, pitch in [−π/2, π/2]; see `from_xyz_rpy`.

        At pitch ±π/2 only a combination of roll and yaw is defined, and yaw is given as 0.
        """
        r = self.rotation
        cos_pitch = math.hypot(r[0, 0], r[1, 0])
        yaw = math.atan2(r[1, 0], r[0, 0]) if cos_pitch > _ROUNDING else 0.0
        # The middle row of Rz(−yaw) R = Ry(pitch) Rx(roll) is (0, cos roll, −sin roll), whatever the pitch: unlike
        # atan2(r21, r22) it stays right next to ±π/2, where yaw is ill-determined, because it uses the same yaw.
        s, c = math.sin(yaw), math.cos(yaw)
        roll = math.atan2(s * r[0, 2] - c * r[1, 2], c * r[1, 1] - s * r[0, 1])
        return np.array([roll, math.atan2(-r[2, 0], cos_pitch), yaw])

    def to_quaternion_wxyz(self) -> Array:
        """Unit quaternion, order w x y z, shape (4,), with w ≥ 0 (at w = 0: its first other component positive)."""
        r = self.rotation
        # 4 q qᵀ is linear in R; the column of its largest diagonal entry divides by nothing small (Shepperd 1978).
        w = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
        four_qq = np.empty((4, 4))
        four_qq[0, 0] = 1.0 + np.trace(r)
        four_qq[0, 1:] = four_qq[1:, 0] = w
        four_qq[1:, 1:] = r + r.T + (1.0 - np.trace(r)) * np.eye(3)
        column = four_qq[int(np.argmax(four_qq.diagonal()))]
        q: Array = column / length(column)
        return q * math.copysign(1.0, q[np.flatnonzero(q)[0]]) + 0.0  # + 0.0: no −0.0


def _about(axis: int, angle: float) -> Array:
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[i, i] = turn[j, j] = math.cos(angle)
    turn[j, i] = math.sin(angle)
    turn[i, j] = -turn[j, i]
    return turn


def _unit_quaternion(q: Array) -> Array:
    length = math.hypot(*q.tolist())
    if abs(length - 1.0) > QUATERNION_TOLERANCE:
        zero = "; all zero is no rotation (the identity is w = 1)" if length == 0.0 else ""
        hint = "" if zero else "give more digits, or divide it by its length if that is what is meant"
        what = f"quaternion must have length 1 (within {QUATERNION_TOLERANCE:.2g}), got {length!r}{zero}"
        raise InvalidInput(what, hint=hint)
    return q / length


def _rotation_of_quaternion(q: Array) -> Array:
    """R = 1 + 2 w [v]× + 2 [v]×², the form whose error is least for small rotations."""
    cross = cross_matrix(q[1:])
    rotation: Array = np.eye(3) + 2.0 * (q[0] * cross + product(cross, cross))
    return rotation


def _nearest_rotation(r: Array) -> Array:
    """`r` itself where orthogonal to rounding; the nearest rotation where the digits of a file explain the rest."""
    defect = 0.0 if r.tobytes() == _IDENTITY else _defect(r)  # most elements of robots are not turned
    if defect > ROTATION_TOLERANCE or determinant(r) < 0:
        raise _not_a_rotation(r, defect)
    for _ in range(2):
        # Newton-Schulz towards the polar factor squares the defect: 1.7e-6, 2e-12, rounding
        if defect > _ROUNDING:
            r = product(0.5 * r, 3.0 * np.eye(3) - product(r.T, r))
            defect = _defect(r)
    r.setflags(write=False)
    return r


def _defect(r: Array) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # entries of 1e200 are finite; their squares are refused
        defect = float(np.abs(product(r.T, r) - np.eye(3)).max())
    return defect if math.isfinite(defect) else math.inf


def _not_a_rotation(r: Array, defect: float) -> InvalidInput:
    determined = determinant(r)
    scale = math.cbrt(abs(determined))
    if scale == 0.0 or not math.isfinite(scale) or _defect(r / scale) > ROTATION_TOLERANCE:
        what = f"rotation is not orthogonal: RᵀR differs from the identity by {defect:.3g}"
        what += f", more than the {ROTATION_TOLERANCE:.2g} of six decimals"
        return InvalidInput(what, hint="give more digits, or remove the scale or shear")
    scaled = abs(scale - 1.0) > ROTATION_TOLERANCE
    if determined > 0:
        return InvalidInput(f"rotation is scaled by {scale:.9g}", hint="a pose moves a body and does not resize it")
    mirror = "rotation is a mirror (determinant −1)" if not scaled else f"rotation is a mirror scaled by {scale:.9g}"
    return InvalidInput(mirror, hint="a pose keeps right hands right: swap or reverse one axis")


def parse_angle(value: Quantity, *, name: str = "pose angle") -> float:
    """Radians of an angle: a number, or a text in radians or with a unit, ``90deg``.

    Raises
    ------
    InvalidInput
        If it is no finite angle, or more than two turns and may be degrees.
    """
    match = re.fullmatch(r"(.*?)(deg|rad|°)?", str(value).strip(), flags=re.DOTALL)
    text, unit = (match[1], match[2]) if match else (str(value), None)
    if re.match(r"[+-]?[\d.].*[^\W\d]$", text, flags=re.DOTALL):
        raise InvalidInput(f"{name} must be an angle, got {value!r}", hint="for example 90deg or 1.57")
    angle = number(text, name=name)
    if unit in (None, "rad") and abs(angle) > _LARGEST_ANGLE:
        hint = f"if degrees are meant, write {angle:g}deg"
        raise InvalidInput(f"{name} {angle!r} rad is more than two turns", hint=hint)
    return angle if unit in (None, "rad") else math.radians(angle)


def unit_vector(value: ArrayLike, name: str) -> Array:
    """A direction, shape (3,), of any length but zero, as a unit vector.

    Raises
    ------
    InvalidInput
        If it is not three finite numbers, or zero.
    """
    direction = finite_array(value, (3,), name)
    size = float(np.abs(direction).max())
    if size == 0.0:
        raise InvalidInput(f"the {name} must not be zero")
    scaled = direction / size  # whose squares are in range
    unit: Array = scaled / length(scaled)
    return unit


#: A word that can be the unit of the number before it.
_UNIT_BEHIND = regex(r"(?<=[\d.])\s+([^\W\d_]+|[\"'°])(?=[\s,]|$)")


def split_words(text: str, name: str) -> list[str]:
    """The words of `text`, between blanks or commas; a unit behind a blank is of the number before it.

    Raises
    ------
    InvalidInput
        If a comma may as well be a decimal one: ``0,5 1,5``.
    """
    text = _UNIT_BEHIND.sub(lambda m: m[1] if m[1] in ("deg", "rad", "°") or is_unit(m[1]) else m[0], text)
    if re.search(r"\d,\d", text) and re.search(r"[^\s,]\s+[^\s,]", text):
        hint = "write decimal points, and blanks between the numbers"
        raise InvalidInput(f"{name} {text!r} mixes commas and blanks", hint=hint)
    return re.split(r"\s*,\s*|\s+", text)


def _not_numbers(value: object, shape: Shape, name: str) -> InvalidInput:
    expected = f"numbers of shape {_shape(shape)}" if shape else "a number"
    return InvalidInput(f"{name} must be {expected}, got {written(value)}")


def _shape(shape: Shape) -> str:
    inner = ", ".join("…" if n is ... else "n" if n == -1 else str(n) for n in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def _numbers(values: Array) -> str:
    return " ".join(repr(v) for v in values.tolist())
