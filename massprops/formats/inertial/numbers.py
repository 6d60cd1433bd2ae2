"""Numbers, vectors and quaternions in the texts of the dialects, written and read.

Quaternions are read as simulators take them: of any length, which is divided out; a finding says so where it is not rounding.

Tests: `tests/formats/bodies/test_round_trip.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.text import EXPAND, parse_number, quote
from massprops.frames import QUATERNION_TOLERANCE, Pose
from massprops.moments.arrays import Array, length

#: A double has at most seventeen significant digits that tell it from its neighbours.
MOST_DIGITS = 17
#: What a macro processor replaces, so that no name in a URDF can have it.
MACROS = "${", "$("


def shortest(value: float) -> str:
    """The shortest decimal that reads back as the same double."""
    return repr(float(value))


def shortest_single(value: float) -> str:
    """The shortest decimal that reads back as the same single-precision number."""
    return str(np.float32(value))


def words(values: Iterable[float]) -> str:
    """Numbers with blanks between them."""
    return " ".join(map(shortest, values))


def round_to(value: float, digits: int | None) -> float:
    """`value` rounded to a number of significant digits; itself if `digits` is None."""
    return value if digits is None else float(f"{value:.{digits - 1}e}")


def shortest_within(value: float, tolerance: float) -> float:
    """The number with the fewest significant digits within `tolerance` of a value; of two such, the nearer; 0 where that is one."""
    if abs(value) <= tolerance:
        return 0.0
    rounded = (round_to(value, digits) for digits in range(1, MOST_DIGITS))
    return next((x for x in rounded if abs(x - value) <= tolerance), value)


def number(token: str, place: str, what: str) -> float:
    """A finite decimal number; messages name its `place` and `what` it is.

    Raises
    ------
    ReadError
        Naming both, code ``bad-number``.
    """
    check_expanded(token, place, what)
    return parse_number(token.strip(), place, what, "write a finite decimal number")


def integer(token: str, place: str, what: str) -> int:
    """A whole number; raises what `number` does."""
    value = number(token, place, what)
    if value != int(value):
        raise ReadError(f"{place}: {what}: expected a whole number, got {quote(token)}", code="bad-number")
    return int(value)


def numbers(text: str, count: int, place: str, what: str) -> list[float]:
    """Exactly `count` numbers with blanks between them.

    Raises
    ------
    ReadError
        If there are more or fewer, or one cannot be read.
    """
    check_expanded(text, place, what)
    tokens = text.split()
    if len(tokens) != count:
        raise ReadError(f"{place}: {what}: expected {count} numbers, got {len(tokens)}", code="bad-number")
    return [number(token, place, what) for token in tokens]


def rows_of(text: str, width: int, place: str, what: str, *, of_integers: bool = False) -> Array:
    """Numbers in rows of this many, at least one row, shape (n, width); raises what `number` and `integer` do."""
    check_expanded(text, place, what)
    tokens = text.split()
    if not tokens or len(tokens) % width:
        raise ReadError(f"{place}: {what} has {len(tokens)} numbers, not rows of {width}", code="bad-number")
    values = [(integer if of_integers else number)(token, place, what) for token in tokens]
    return np.array(values, int if of_integers else float).reshape(-1, width)


def check_expanded(text: str, place: str, what: str) -> None:
    """Raise ReadError (code ``not-expanded``) for what a macro processor is to replace: ``${…}`` and ``$(…)``."""
    if MACROS[0] in text or MACROS[1] in text:
        raise ReadError(f"{place}: {what} {quote(text.strip())} is not expanded", code="not-expanded", hint=EXPAND)


def rotation_of(wxyz: Sequence[float], place: str, what: str) -> tuple[Pose, tuple[Finding, ...]]:
    """The rotation of a quaternion w x y z as a pose without translation, and a finding if its length is not 1.

    MuJoCo and SDFormat define a quaternion of any length but zero to mean its direction.

    Raises
    ------
    ReadError
        If its length is zero or not finite.
    """
    length = math.hypot(*wxyz)
    if not 0.0 < length < math.inf:
        message = f"{place}: {what} is a quaternion of length {length:g}, which is no rotation"
        raise ReadError(message, code="zero-quaternion", hint="the identity is w = 1")
    if abs(length - 1.0) <= QUATERNION_TOLERANCE:
        return Pose.from_quaternion(wxyz=wxyz), ()
    message = f"{place}: {what} is a quaternion of length {length:.9g}; it was divided by its length, as simulators do"
    pose = Pose.from_quaternion(wxyz=np.array(wxyz) / length)
    return pose, (Finding("quaternion-length", "info", message, length, 1.0, place),)


def unit_vector(vector: Array, place: str, what: str) -> Array:
    """The direction of a vector; ReadError (``zero-axis``) if it has none."""
    size = length(vector)
    if size == 0.0:
        raise ReadError(f"{place}: {what} has an axis of length 0", code="zero-axis", hint="give a direction")
    return np.asarray(vector / size)
