"""Ten numbers a line, in the order of a named tool, after a line that names it: ``# pinocchio: m mcx …``.

Tests: `tests/formats/bodies/test_opening.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from massprops.errors import InvalidInput, ReadError, as_read_error
from massprops.formats.escaping import plain
from massprops.formats.inertial.inertial import FileBodies, NamedBody, WriteOptions, within_errors
from massprops.formats.inertial.numbers import numbers, round_to, words
from massprops.moments.arrays import Array
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.ten_vectors import TRIANGLES, layout

_MARK = "# ten-vector "


def write(bodies: Sequence[NamedBody], form: WriteOptions) -> str:
    """The legend, then a line of ten numbers for each body, after a line with its name if it has one."""
    lines, chosen = [_MARK + form.order + ": " + legend(form.order)], layout(form.order)
    for body in bodies:
        if body.properties.mass == 0.0 and (chosen.first == "moment" or chosen.per_mass):
            label = f"body {body.name!r}" if body.name else "the body"
            what = f"{label} has a mass of 0.0 kg"
            what += f", and a {form.order} ten-vector states only products or quotients of it"
            hint = "choose an order that states the centre of mass itself: urdf, sdf or mjcf"
            raise InvalidInput(what, code="non-positive-mass", hint=hint)
        if body.name is not None:
            lines.append("# " + plain(" ".join(body.name.split())))
        lines.append(words(vector_of(body.properties, form).tolist()))
    return "".join(line + "\n" for line in lines)


def legend(order: str) -> str:
    """Legend of the ten numbers: ``m mcx mcy mcz Ixx … about the origin, Ixy = −∫ρxy``."""
    chosen = layout(order)
    first = "cx cy cz" if chosen.first == "com" else "mcx mcy mcz"
    entries = " ".join(f"I{pair}" for pair in TRIANGLES[chosen.triangle].split())
    per_mass = " per mass" if chosen.per_mass else ""
    point = "centre of mass" if chosen.about == "com" else "origin"
    return f"m {first} {entries}{per_mass} about the {point}, Ixy = -int(rho x y)"


def vector_of(properties: MassProperties, form: WriteOptions) -> Array:
    """The ten numbers, shape (10,), rounded to the digits of the form; without any, of the body `within_errors`."""
    exact = (within_errors(properties) if form.digits is None else properties).ten_vector(form.order)
    return np.array([round_to(x, form.digits) for x in exact.tolist()])


def read(text: str, path: str) -> FileBodies:
    """The bodies of a text that `write` made.

    Raises
    ------
    ReadError
        If the first line names no order, or a line is not ten numbers that are a body's.
    """
    first, *lines = text.splitlines()
    if not first.startswith(_MARK):
        raise ReadError(f"{path}:1: does not begin with {_MARK!r}", code="bad-ten-vector", hint="name the order there")
    order = first.removeprefix(_MARK).partition(":")[0]
    bodies: list[NamedBody] = []
    name: str | None = None
    for count, line in enumerate(lines, start=2):
        if line.startswith("# "):
            name = line[2:]
            continue
        place = f"{path}:{count}"
        values = numbers(line, 10, place, "ten-vector")
        with as_read_error(place, "bad-ten-vector"):
            bodies.append(NamedBody(name, MassProperties.from_ten_vector(values, order), place, "ten-vector"))
        name = None
    return FileBodies(bodies)
