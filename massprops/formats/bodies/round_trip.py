"""Written text is read back: it is correct if a reader finds the same body in it.

Numbers along the axes of the body, as they are rounded to be printed, are compared bit for bit. A turned frame costs rounding,
bounded here relative to the largest principal moment λ, with u the relative rounding of each printed number:

- eigh solves for a tensor within a few ulps of λ, and R diag Rᵀ rounds some more: 64 ulps cover both with room;
- a printed angle or quaternion is off by u times itself: the three angles turn the frame by 3 π u at most, a quaternion by
  4 u, and turning by θ changes a tensor by 2 θ λ at most; the moments add u λ: below 20 u λ together.

Single precision has u = 2⁻²⁴, N digits u = ½ · 10¹⁻ᴺ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from massprops.errors import InvalidInput, MasspropsError, ReadError, Remedy
from massprops.formats.escaping import csv_cell, from_csv_cell, plain
from massprops.formats.inertial.inertial import FileBodies, NamedBody, WriteOptions, numbers_of, within_errors
from massprops.moments.arrays import symmetric_eigen
from massprops.rigid_body.mass_properties import MassProperties

SOLVING = 64 * 2.0**-52
TURNING = 20.0
SINGLE = 2.0**-24
#: How a name comes back where control codes are shown as text; the comment of a ten-vector is not compared.
_NAMES: dict[str, Callable[[str], str]] = {"markdown": plain, "csv": lambda name: from_csv_cell(csv_cell(name))}
#: Where messages about our own text would point, if one ever came.
_OWN = "the text just written"


def prove(
    text: str, bodies: Sequence[NamedBody], form: WriteOptions, dialect: str, reader: Callable[[str, str], FileBodies]
) -> list[NamedBody]:
    """The bodies that the text states, after a comparison with those to be written.

    Raises
    ------
    InvalidInput
        If the text has too few digits to state the same bodies within the rounding.
    MasspropsError
        If they differ in full precision: a defect.
    """
    try:
        found = list(reader(text, _OWN).whole().bodies)
    except ReadError as error:
        raise _failure(f"the {dialect} text cannot be read back: {error}", form) from error
    if len(found) != len(bodies):
        raise _failure(f"the {dialect} text has {len(found)} bodies, {len(bodies)} were written", form)
    for body, again in zip(bodies, found, strict=True):
        difference = _difference(body, again, form, dialect)
        if difference:
            raise _failure(f"body {body.name!r} does not come back from the {dialect} text: {difference}", form)
    return found


def is_same(written: NamedBody, read: NamedBody) -> bool:
    """Whether a body in the dialect of `read` is the one that was written there, within the rounding of that."""
    return not _difference(written, read, WriteOptions(principal=read.dialect == "gltf"), read.dialect)


def _failure(message: str, form: WriteOptions) -> MasspropsError:
    if form.digits is not None:
        return InvalidInput(f"with {form.digits} digits {message}", hint=Remedy("give more {}", "digits"))
    return MasspropsError(message, hint="this is a defect in massprops; please report it")


def _difference(body: NamedBody, read: NamedBody, form: WriteOptions, dialect: str) -> str:
    """Difference, for the message; empty if there is none."""
    if body.name and dialect != "ten-vector" and read.name != _NAMES.get(dialect, str)(body.name):
        return f"its name is {read.name!r}"
    again = read.properties
    if dialect == "ten-vector":
        return _vector_difference(body, again, form)
    expected, bound = _expected(body, form, dialect)
    if again.mass != expected.mass:
        return f"mass {again.mass!r} for {expected.mass!r}"
    if again.com.tolist() != expected.com.tolist():
        return f"centre of mass {again.com.tolist()!r} for {expected.com.tolist()!r}"
    gap = float(np.abs(again.inertia - expected.inertia).max())
    return f"inertia off by {gap:.3g} kg m², more than {bound:.3g}" if gap > bound else ""


def _expected(body: NamedBody, form: WriteOptions, dialect: str) -> tuple[MassProperties, float]:
    """Expected body, and the largest allowed error of its inertia, kg m²."""
    largest = float(np.abs(symmetric_eigen(body.properties.inertia)[0]).max())
    rounding = 0.0 if form.digits is None else 0.5 * 10.0 ** (1 - form.digits)
    inertia = within_errors(body.properties).inertia if form.digits is None else body.properties.inertia
    if dialect == "usd":
        from massprops.formats.bodies.usd import single

        n, rounding = single(body, form), rounding + SINGLE
    else:
        n = numbers_of(body.properties, form)
        if not form.principal:
            return MassProperties(n.mass, np.array(n.com), n.tensor), 0.0
    return MassProperties(n.mass, np.array(n.com), inertia), (SOLVING + TURNING * rounding) * largest


def _vector_difference(body: NamedBody, again: MassProperties, form: WriteOptions) -> str:
    """Difference between the ten numbers themselves."""
    from massprops.formats.bodies.ten_vector_text import vector_of

    expected, found = vector_of(body.properties, form), again.ten_vector(form.order)
    # dividing by the mass, and moving the tensor to the centre and back, cost an ulp or two of the largest entry
    gap = np.abs(found - expected)
    limit = SOLVING * np.repeat([np.abs(part).max() for part in (expected[:1], expected[1:4], expected[4:])], (1, 3, 6))
    return "" if (gap <= limit).all() else f"numbers {found.tolist()!r} for {expected.tolist()!r}"
