"""USD: `PhysicsMassAPI`, as usda text, in single precision and along principal axes, the only form of the schema.

The tensor stands beside it in double precision, as `newton:inertia`: readers of the schema drop small moments.

https://openusd.org/release/api/class_usd_physics_mass_a_p_i.html: lengths are in units of the stage's `metersPerUnit`, masses of
its `kilogramsPerUnit`. `principalAxes` is a quaternion, w first, that turns the principal axes into the axes of the prim: with
R its matrix, I = R diag(moments) Rᵀ. (The conjugate gives Rᵀ diag(moments) R, right only for half turns and for none.)
Zeros in mass, moments and quaternion mean "not stated", so a body that has them cannot be written.
Stages of others are read by `massprops.formats.robot.usd`.

Tests: `tests/formats/bodies/test_independent_readers.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from massprops.errors import InvalidInput, Remedy
from massprops.formats.inertial.inertial import (
    ENTRIES,
    FileBodies,
    Inertial,
    NamedBody,
    PrintedNumbers,
    WriteOptions,
    numbers_of,
)
from massprops.formats.inertial.numbers import rotation_of, shortest, shortest_single
from massprops.frames import Pose

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def write(bodies: Sequence[NamedBody], form: WriteOptions) -> str:
    """A stage in metres and kilograms with one rigid `Xform` for each body.

    Raises
    ------
    InvalidInput
        If a body has no mass or no inertia, which the schema takes for "not stated", or single precision cannot hold it.
    """
    names = _identifiers([body.name or "body" for body in bodies])
    prims = "".join(_prim(body, name, form) for body, name in zip(bodies, names, strict=True))
    return (
        '#usda 1.0\n(\n    defaultPrim = "bodies"\n    kilogramsPerUnit = 1\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n\n'
        f'def Xform "bodies"\n{{\n{prims}}}\n'
    )


def single(body: NamedBody, form: WriteOptions) -> PrintedNumbers:
    """The numbers as the schema holds them: principal, in single precision.

    Raises
    ------
    InvalidInput
        As `write`.
    """
    with np.errstate(over="ignore"):
        n = numbers_of(body.properties, replace(form, principal=True), single=True)
    label = f"body {body.name!r}" if body.name else "the body"
    if n.mass == 0.0 or not any(n.moments):
        what = "mass" if n.mass == 0.0 else "inertia about its centre of mass"
        message = f"{label} has zero {what} in single precision, which USD reads as not stated"
        raise InvalidInput(message, hint="use another format")
    if any(0.0 < x < np.finfo(np.float32).tiny for x in (n.mass, *n.moments)):
        raise InvalidInput(f"{label} is too small for USD's single precision", hint="use another format")
    if not all(map(math.isfinite, (n.mass, *n.com, *n.moments))):
        raise InvalidInput(f"{label} is too large for USD's single precision", hint="use another format")
    return n


def _prim(body: NamedBody, identifier: str, form: WriteOptions) -> str:
    attributes = "".join(f"        {line}\n" for line in mass_attributes(body, form))
    shown = "" if body.name in (None, identifier) else f"        displayName = {_quote(body.name or '')}\n"
    return (
        f'    def Xform "{identifier}" (\n{shown}'
        '        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI"]\n    )\n    {\n'
        f"{attributes}    }}\n"
    )


def mass_attributes(body: NamedBody, form: WriteOptions) -> list[str]:
    """Attributes of a prim, one on each line: those of the schema, and the tensor; raises what `single` does.

    Entries of the tensor that are below the last digit of its largest one are rounding, and 0.
    """
    n, tensor = single(body, form), body.properties.inertia
    entries = (float(tensor[ENTRIES[name]]) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    least = 2.0**-53 * float(np.abs(tensor).max())
    return [
        f"double[] newton:inertia = [{', '.join(shortest(x if abs(x) > least else 0.0) for x in entries)}]",
        f"point3f physics:centerOfMass = {_tuple(n.com)}",
        f"float3 physics:diagonalInertia = {_tuple(n.moments)}",
        f"float physics:mass = {shortest_single(n.mass)}",
        f"quatf physics:principalAxes = {_tuple(n.wxyz)}",
    ]


def _tuple(values: Sequence[float]) -> str:
    return f"({', '.join(map(shortest_single, values))})"


def _quote(name: str) -> str:
    bad = next((c for c in name if not (c.isprintable() or c in _ESCAPES)), None)
    if bad is not None:
        what = f"a link named {name!r} cannot be written in USD, because of {bad!r}"
        raise InvalidInput(what, hint=Remedy("give another --link", python="give the body another name"))
    return '"' + "".join(_ESCAPES.get(c, c) for c in name) + '"'


def _identifiers(names: Sequence[str]) -> list[str]:
    """Names of prims, which are identifiers and differ from each other; the full name is kept as `displayName`."""
    counts: dict[str, int] = {}
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9_]", "_", name)
        stem = candidate = stem if _IDENTIFIER.fullmatch(stem) else f"_{stem}"
        while candidate in counts:
            counts[stem] += 1
            candidate = f"{stem}_{counts[stem]}"
        counts[candidate] = 1
    return list(counts)


# ---- our own text, read back --------------------------------------------------------------------------------------

_OWN = re.compile(
    r'    def Xform "(\w+)" \(\n(?:        displayName = "((?:[^"\\\n]|\\.)*)"\n)?.*\n    \)\n    \{\n((?:        .*\n)*)    \}\n'
)


def read_own(text: str, _path: str) -> FileBodies:
    """The bodies of a text that `write` made, without usd-core: what a stage would hold, in single precision."""
    return FileBodies([_own(*match.groups()) for match in _OWN.finditer(text)])


def _own(prim: str, shown: str | None, attributes: str) -> NamedBody:
    texts = dict(re.findall(r"physics:(\w+) = \(?([^()\n]*)", attributes))
    numbers = {key: [float(np.float32(x)) for x in value.split(", ")] for key, value in texts.items()}
    back = {escaped: character for character, escaped in _ESCAPES.items()}
    name = prim if shown is None else re.sub(r"\\.", lambda m: back[m[0]], shown)
    turn, found = rotation_of(numbers["principalAxes"], "usd", "principalAxes")
    frame, moments = Pose(turn.rotation, np.array(numbers["centerOfMass"])), np.diag(numbers["diagonalInertia"])
    return NamedBody.of(name, Inertial(numbers["mass"][0], frame, moments, diagonal=True), "usd", "usd", found)
