"""Dialects that state rigid bodies: those without geometry here (USD, JSON, tables, ten-vectors), those of robots in `formats.robot`.

A text is returned only after it was read back: see `write`. A new dialect is a module and a line in `DIALECTS`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from massprops.errors import InvalidInput, Remedy, require_type
from massprops.formats import load
from massprops.formats.bodies.round_trip import prove
from massprops.formats.escaping import csv_cell, csv_line, markdown, plain
from massprops.formats.inertial.inertial import Inertial, NamedBody, WriteOptions
from massprops.formats.inertial.numbers import MOST_DIGITS
from massprops.rigid_body.mass_properties import MassProperties
from massprops.values import dataclass

__all__ = ["DIALECTS", "Dialect", "Inertial", "NamedBody", "WriteOptions", "as_body", "write"]


@dataclass(frozen=True)
class Dialect:
    """A dialect and where it is written and read.

    Attributes
    ----------
    name, title : str
        The word for `--format`, and its title in messages.
    writer : str
        ``module:function`` below `massprops.formats`, of the bodies and the `WriteOptions`; imported when it is needed.
    reader : str
        ``module:function``, of our own text and the name that messages give it, for the round trip.
    principal : bool
        Whether it can turn the inertia into principal axes.
    """

    name: str
    title: str
    writer: str
    reader: str
    principal: bool = False


#: Name to dialect. JSON is written by the command line itself, since results with geometry are JSON too.
DIALECTS: dict[str, Dialect] = {
    d.name: d
    for d in (
        Dialect("urdf", "URDF", "robot.urdf:write", "robot.opening:read_text", principal=True),
        Dialect("sdf", "SDF", "robot.sdf:write", "robot.opening:read_text", principal=True),
        Dialect("mjcf", "MJCF", "robot.mjcf:write", "robot.opening:read_text", principal=True),
        Dialect("usd", "USD", "bodies.usd:write", "bodies.usd:read_own", principal=True),
        Dialect("csv", "CSV", "bodies.csv_markdown:write_csv", "bodies.mass_table:read"),
        Dialect("markdown", "Markdown", "bodies.csv_markdown:write_markdown", "bodies.csv_markdown:read_markdown"),
        Dialect("ten-vector", "a ten-vector", "bodies.ten_vector_text:write", "bodies.ten_vector_text:read"),
    )
}


def write(bodies: Sequence[Any], dialect: str, form: WriteOptions = WriteOptions()) -> tuple[str, list[NamedBody]]:  # noqa: B008  # frozen
    """Bodies as text that was read back and compared, and the bodies as that text states them.

    Numbers with a known ± are the shortest decimals within it (`within_errors`; CSV has all digits). The text is read back and all
    ten numbers of every body are rebuilt from it and compared: equal to those to the last bit, or, where the form forces rounding
    (turned frames, single precision), within the bound that `round_trip` derives.

    Parameters
    ----------
    bodies : sequence of NamedBody, MassProperties or Measurement
        In the order in which they are written.
    dialect : str
        A name in `DIALECTS`.
    form : WriteOptions
        Principal axes, digits, and the like.

    Returns
    -------
    str, list of NamedBody
        The text of the file, and what its reader finds in it.

    Raises
    ------
    InvalidInput
        If the dialect is unknown, cannot hold what the form asks for, a name or a number, or the digits are too few to mean the same body.
    """
    require_type(bodies, Sequence, "bodies", "a list of bodies")
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise InvalidInput(f"unknown dialect {dialect!r}; known: {', '.join(DIALECTS)}")
    chosen = DIALECTS[dialect]
    if form.principal and not chosen.principal:
        able = ", ".join(d.name for d in DIALECTS.values() if d.principal)
        raise InvalidInput(f"{dialect} has no form along principal axes", hint=f"choose one of {able}")
    if form.quaternion and dialect != "sdf":
        what = f"a pose with a quaternion is SDF's, not for {dialect}"
        raise InvalidInput(what, hint=Remedy("give {}", "dialect=sdf"))
    if dialect == "csv" and form.digits is None:  # for machines
        form = replace(form, digits=MOST_DIGITS)
    bodies = [as_body(body, f"bodies[{i}]") for i, body in enumerate(bodies)]
    text: str = load(chosen.writer)(bodies, form)
    return text, prove(text, bodies, form, dialect, load(chosen.reader))


def name_frame(text: str, dialect: str, frame: str) -> str:
    """A text of `write` that says whose frame its numbers are in: as a comment, or in a column of a table."""
    frame = plain(frame)
    if dialect in ("urdf", "sdf", "mjcf"):
        head, sep, rest = text.partition("?>\n") if text.startswith("<?xml") else ("", "", text)
        return f"{head}{sep}<!-- in the frame of {frame.replace('--', '- -')} -->\n{rest}"
    if dialect in ("usd", "ten-vector"):
        first, _, rest = text.partition("\n")
        return (
            f"{first}\n# in the frame of {frame}\n{rest}"
            if dialect == "usd"
            else f"{first}; in the frame of {frame}\n{rest}"
        )
    if dialect == "csv":
        titles, *rows = csv.reader(io.StringIO(text))
        return "".join(map(csv_line, [[*titles, "frame"], *([*row, csv_cell(frame)] for row in rows)]))
    if dialect == "markdown":
        cells = ["frame", "---", *[markdown(frame)] * text.count("\n")]
        return "".join(f"{row} {cell} |\n" for row, cell in zip(text.splitlines(), cells, strict=False))
    return text


def as_body(body: Any, name: str) -> NamedBody:
    """A named body, mass properties alone, or a measurement with a mass, as the first of these; InvalidInput with `name` for others."""
    if isinstance(body, NamedBody):
        return body
    if isinstance(body, MassProperties):
        return NamedBody(None, body)
    if isinstance(properties := getattr(body, "properties", None), MassProperties):
        return NamedBody(None, properties, body.input.path, body.input.format, body.findings)
    known = "a NamedBody, MassProperties or a Measurement with a mass"
    raise InvalidInput(f"is a {type(body).__name__} without a mass; expected {known}", parameter=name)
