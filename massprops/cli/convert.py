"""`massprops convert`: the same bodies in another format, unit, frame, or about another point."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from massprops.cli import options
from massprops.cli.groups import Text
from massprops.cli.options import Motion, Packages
from massprops.cli.output_format import ROBOTS, BodyOutput
from massprops.cli.rendering import render
from massprops.cli.streams import log, note, note_mesh, say_error, write_output
from massprops.declarations import OUTPUT, argument, option, option_of
from massprops.errors import InvalidInput, MasspropsError
from massprops.formats.bodies import NamedBody
from massprops.formats.kinds import kind_of
from massprops.formats.search_path import SearchPath
from massprops.frames import Plane
from massprops.measurement.options import Options
from massprops.rigid_body.as_json import error_object
from massprops.wording import plural

if TYPE_CHECKING:
    from massprops.checking.config import Config

_FILES: Any = argument(
    "FILE[#LINK]...",
    "URDF, SDF, MJCF, USD, JSON results, CSV; - is standard input. Or one mesh, for -o with the suffix of a mesh.",
)
#: Output options that a mesh has.
_OF_MESHES = ("output", "quiet", "verbose")
#: What could not be read: the file and why.
Failures = list[tuple[str, MasspropsError]]


def convert(
    *,
    files: list[str] = _FILES,
    output: BodyOutput,
    motion: Motion,
    mirror: Plane | None = option(
        OUTPUT,
        "Mirror in this plane through the origin, before any --pose. Facets of a mesh keep looking outward.",
        common=True,
    ),
    units: Text = option_of(Options, "units", help="Of a mesh: its length unit, if it states none."),
    packages: Packages,
) -> int:
    """Write inertials in another format or frame, about another point or mirrored; a mesh in another format or mirrored.

    Every file is read back before it is written.
    """
    packages.check_files(files)
    if is_mesh_output(output.output):
        return _convert_mesh(files, output, motion, mirror, units)
    if mirror is not None and (meshes := [f for f in files if kind_of(f) == "mesh"]):
        what = "is a mesh, which --mirror makes another mesh of"
        raise InvalidInput(what, place=meshes[0], hint="give -o with the suffix of a mesh")
    if units is not None:
        raise InvalidInput("--units is for a mesh as output", hint="give -o part.ply, or leave it out")
    placed, observer = map(options.in_metres, (motion.pose_in_parent, motion.pose_of_observer))
    pose = placed if observer is None else observer.inverse()
    point = options.parse_about(output.about)
    bodies, failures = read_all(files, packages.search())
    if output.link is not None:
        if len(bodies) > 1:
            raise InvalidInput(f"--link names one body, and there are {len(bodies)}", hint="choose one with FILE#LINK")
        bodies = [replace(b, name=output.link) for b in bodies]
    if mirror is not None or pose is not None:
        from massprops.measurement.converting import move_body

        bodies = [move_body(b, mirror, pose) for b in bodies]
    if output.kind in ROBOTS and len(bodies) > 1 and any(b.dialect in ROBOTS for b in bodies):
        note(f"note: {output.kind} is written as separate bodies, without joints, frames and geometry")
    text, status = render(bodies, output, point) if bodies else ("", 0)
    text = with_failures(text, failures, output)
    if text:
        write_output(text, output.output)
    return options.worst([status, *(e.exit_code for _, e in failures)])


def is_mesh_output(output: str | None) -> bool:
    """Whether an output is a mesh, by its suffix."""
    from massprops.formats.mesh.writing import is_written

    return output is not None and is_written(PurePath(output).suffix.lower())


def _convert_mesh(
    files: Sequence[str], output: BodyOutput, motion: Motion, mirror: Plane | None, units: str | None
) -> int:
    """Write one mesh in the format that the suffix of the output says, mirrored or not."""
    from massprops.measurement.converting import mesh_in_format

    if len(files) != 1 or kind_of(files[0]) != "mesh":
        what = f"{plural(len(files), 'file')} given" if len(files) != 1 else "is not the file of a mesh"
        raise InvalidInput(what, place=files[0], hint=f"{output.output} is one: convert one mesh at a time")
    is_default = all(getattr(output, f.name) == f.default for f in fields(output) if f.name not in _OF_MESHES)
    if not is_default or motion != Motion():
        what = "a mesh is converted with --mirror, --units and -o alone"
        raise InvalidInput(what, hint="leave the other options out; 'massprops compute' measures it in another frame")
    target, options = str(output.output), Options(units=units)
    content, facets, unit = mesh_in_format(files[0], PurePath(target).suffix.lower(), mirror, options)
    write_output(content, target)
    note_mesh(target, plural(facets, "facet") + (f", mirrored in {mirror}" if mirror else ""), unit, units)
    return 0


def read_all(files: Sequence[str], search: SearchPath) -> tuple[list[NamedBody], Failures]:
    """The bodies of all files; a file that cannot be read is reported and does not stop the others."""
    from massprops.formats.bodies.mass_table import without_sums  # imported lazily
    from massprops.measurement.inferred import known_bodies

    options.check_stdin_once(files)
    bodies: list[NamedBody] = []
    failures: Failures = []
    for file in files:
        try:
            contents = without_sums(known_bodies(file, stdin=sys.stdin.buffer, search=search))
        except MasspropsError as error:
            say_error(error)
            failures.append((file, error))
            continue
        for finding in contents.notes_about(file):
            log(finding.message)
        bodies += contents.bodies
    return bodies, failures


def with_failures(text: str, failures: Failures, output: BodyOutput, config: Config | None = None) -> str:
    """The text with the files that could not be read: lines of JSON, or rows with the code of the error; elsewhere stderr has them."""
    if output.kind == "json":
        return text + "".join(json.dumps(error_object(*failure)) + "\n" for failure in failures)
    if not output.is_rows or not failures:
        return text
    rows = output.rows(config)
    own = "".join(map(rows.of, rows.cells(text)))
    return rows.head() + own + "".join(rows.without_mass(file, None, error.code) for file, error in failures)
