"""`massprops convert`: the same bodies in another format, unit, frame, or about another point."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from massprops.cli import options
from massprops.cli.options import Motion, Packages
from massprops.cli.output_format import ROBOTS, BodyOutput
from massprops.cli.rendering import render
from massprops.cli.streams import log, note, say_error, write_output
from massprops.declarations import argument
from massprops.errors import InvalidInput, MasspropsError
from massprops.formats.bodies import NamedBody
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.search_path import SearchPath
from massprops.rigid_body.as_json import error_object

_FILES: Any = argument("FILE[#LINK]...", "URDF, SDF, MJCF, USD, JSON results, CSV; - is standard input.")
#: What could not be read: the file and why.
Failures = list[tuple[str, MasspropsError]]


def convert(*, files: list[str] = _FILES, output: BodyOutput, motion: Motion, packages: Packages) -> int:
    """Write inertials in another format or frame, or about another point; every text is read back before it is printed."""
    placed, observer = map(options.in_metres, (motion.pose_in_parent, motion.pose_of_observer))
    pose = placed if observer is None else observer.inverse()
    point = options.parse_about(output.about)
    bodies, failures = read_all(files, packages.search())
    if output.link is not None:
        if len(bodies) > 1:
            raise InvalidInput(f"--link names one body, and there are {len(bodies)}", hint="choose one with FILE#LINK")
        bodies = [replace(b, name=output.link) for b in bodies]
    if pose is not None:
        bodies = [b.with_properties(b.properties.transformed(pose)) for b in bodies]
    if output.kind in ROBOTS and len(bodies) > 1 and any(b.dialect in ROBOTS for b in bodies):
        note(f"note: {output.kind} is written as separate bodies, without joints, frames and geometry")
    text, status = render(bodies, output, point) if bodies else ("", 0)
    text = with_failures(text, failures, output)
    if text:
        write_output(text, output.output)
    return options.worst([status, *(e.exit_code for _, e in failures)])


def read_all(files: Sequence[str], search: SearchPath) -> tuple[list[NamedBody], Failures]:
    """The bodies of all files; a file that cannot be read is reported and does not stop the others."""
    options.check_stdin_once(files)
    bodies: list[NamedBody] = []
    failures: Failures = []
    for file in files:
        try:
            contents = open_bodies(file, stdin=sys.stdin.buffer if file == "-" else None, search=search)
        except MasspropsError as error:
            say_error(error)
            failures.append((file, error))
            continue
        for remark in contents.remarks:
            log(remark)
        if contents.without:
            log(f"{file}: no inertial is stated for {', '.join(contents.without)}")
        bodies += contents.bodies
    return bodies, failures


def with_failures(text: str, failures: Failures, output: BodyOutput) -> str:
    """The text with the files that could not be read: lines of JSON, or rows with the code of the error; elsewhere stderr has them."""
    if output.kind == "json":
        return text + "".join(json.dumps(error_object(*failure)) + "\n" for failure in failures)
    if not output.is_rows or not failures:
        return text
    rows = output.rows()
    own = "".join(map(rows.of, rows.cells(text)))
    return rows.head() + own + "".join(rows.without_mass(file, None, error.code) for file, error in failures)
