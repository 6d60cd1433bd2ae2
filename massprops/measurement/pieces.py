"""One surface of several mesh files: pieces that are open alone and closed together.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from pathlib import Path
from typing import BinaryIO

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, Remedy
from massprops.findings import Finding
from massprops.formats.address import split_part
from massprops.formats.config_file import matches
from massprops.formats.kinds import is_planar
from massprops.formats.plugins import is_mesh
from massprops.formats.registry import open_mesh
from massprops.measurement.options import Options
from massprops.mesh.coordinate_resolution import resolution
from massprops.mesh.integration import integrate
from massprops.mesh.repaired_solid import body_mesh
from massprops.mesh.source import MeshFile
from massprops.moments.integrals import Array
from massprops.units import length_unit
from massprops.wording import did_you_mean, plural, shell_word

_NUMBERED = re.compile(r"(.+?)[ _.-]+\d+")
#: What joins the names of files whose facets are one surface.
_AND = " + "
#: Refusals of a surface that others may close.
_OF_PIECES = ("open-edges", "inconsistent-winding", "non-manifold-edges")


def stem_of(path: str | os.PathLike[str]) -> str | None:
    """The name of a file without the number at its end: ``robot/link5`` of ``robot/link5_0.obj``; None without a number."""
    numbered = _NUMBERED.fullmatch(Path(path).stem)
    return None if numbered is None else str(Path(path).with_name(numbered[1]))


def bodies_of(
    paths: Sequence[str], together: bool | str, format: str | None = None
) -> list[tuple[str, tuple[str, ...]]]:
    """The bodies that mesh files are, each with the files that are its pieces, none of a file that is one alone.

    Parameters
    ----------
    paths : sequence of str
        Files.
    together : bool or str
        Whether all files are pieces of one body; or a pattern: files whose names differ only in the number after a stem that it means are
        pieces of one body, which has the name of the stem.
    format : str, optional
        The format of the files.

    Raises
    ------
    InvalidInput
        If the pattern means no stem of several files, or a stem of files of several formats, or if files are both pieces and stems.
    """
    if not isinstance(together, str):
        return [(name_of(paths), tuple(paths))] if together else [(path, ()) for path in paths]
    chosen = _stems(paths, together, format)
    found: dict[str, tuple[str, ...]] = {}
    for path in paths:
        stem, whole = stem_of(path), str(Path(path).with_suffix(""))
        if whole in chosen and (stem in chosen or path == whole):
            what = f"{path} is beside {chosen[whole][0]}, a piece of {whole}"
            raise InvalidInput(what, parameter="together", hint="name one stem that no other one begins with")
        if stem in chosen:
            found[stem] = tuple(chosen[stem])
        else:
            found[path] = ()
    return list(found.items())


def _stems(paths: Sequence[str], pattern: str, format: str | None) -> dict[str, list[str]]:
    """The files of each stem of several meshes that a pattern means."""
    every: dict[str, list[str]] = {}
    for path in dict.fromkeys(paths):
        if (stem := stem_of(path)) is not None and not is_planar(path, format):
            every.setdefault(stem, []).append(path)
    several = {stem: files for stem, files in every.items() if len(files) > 1}
    found = {s: f for s, f in several.items() if Path(s).name == pattern or matches(pattern, Path(s).as_posix())}
    if not found:
        known = list(dict.fromkeys(Path(stem).name for stem in several))
        is_file = Path(pattern).is_file()
        stems = "put it after the files" if is_file else f"stems of several files: {', '.join(known[:6]) or 'none'}"
        hint = did_you_mean(pattern, [] if is_file else known, stems)
        what = f"{pattern!r} means no pieces: no two files of a folder are {pattern}_0, {pattern}_1 or alike"
        raise InvalidInput(what, parameter="together", hint=hint)
    for stem, files in found.items():
        if len(suffixes := {Path(p).suffix: p for p in files}) > 1:
            what = f"files of the stem {stem} are {' and '.join(sorted(suffixes))}"
            raise InvalidInput(what, parameter="together", hint=Remedy("choose one format", see=("include",)))
    return found


def name_of(paths: Sequence[str | os.PathLike[str]]) -> str:
    """The name of a body of several files: their stem, if they have one in common, else their names."""
    stem, *others = {stem_of(path) for path in paths}
    return stem if stem is not None and not others and len(paths) > 1 else _AND.join(map(str, paths))


def title_of(path: str) -> str:
    """The name of the body of a file, of a part of it, or of several as `name_of` joins them: no folder, and no suffix of a format."""
    is_file = os.path.exists(path)  # noqa: PTH110  # pathlib's raises for a name that is too long
    if not is_file and _AND in path:
        return _AND.join(map(title_of, path.split(_AND)))
    file = Path(path)
    has_suffix = is_file or is_mesh(file.suffix.lower()) or is_planar(path)
    return split_part(path)[1] or (file.stem if has_suffix else file.name) or path


def naming_pieces(error: InvalidGeometry, source: object) -> InvalidGeometry:
    """The refusal of an open file, and how it is measured with the files of the same stem beside it, if there are some."""
    stem = stem_of(source) if isinstance(source, str | os.PathLike) else None
    if stem is None or error.code not in _OF_PIECES:
        return error
    path = Path(str(source))
    try:
        beside = [p for p in path.parent.iterdir() if p.suffix == path.suffix and p.name != path.name]
    except OSError:
        return error
    others = [p for p in beside if stem_of(p) == stem]
    if not others:
        return error
    files = f"{shell_word(str(path)[: len(stem) + 1])}*{path.suffix}"
    count = plural(len(others), "file of its stem lies", "files of its stem lie")
    way = f"{count} beside it: if it is a piece of one surface with them,"
    text = f"{way} 'massprops compute {files} --together {shell_word(Path(stem).name)}' measures them"
    python = f"{way} measure_many with together={Path(stem).name!r} measures them"
    found = copy(error)
    found.remedy = Remedy(text, see=error.remedy.see if isinstance(error.remedy, Remedy) else (), python=python)
    return found


@contextmanager
def open_together(
    paths: Sequence[str | os.PathLike[str]], options: Options, stdin: BinaryIO | None = None
) -> Iterator[MeshFile]:
    """All facets of several mesh files, in the unit that they have in common, else in metres.

    Raises
    ------
    InvalidInput
        If one of them is a section, or has exact surfaces; or if they are not the pieces of one body.
    """
    if len(bodies := bodies_of([*map(str, paths)], options.together, options.format)) > 1:
        what = f"{options.together!r} makes {len(bodies)} bodies of these files"
        raise InvalidInput(what, parameter="together", hint="measure them with massprops.measure_many")
    with ExitStack() as stack:
        meshes = []
        for path in paths:
            if is_planar(path, options.format):
                raise InvalidInput("is for meshes, and this is a plane file", parameter="together", place=str(path))
            opened = open_mesh(path, format=options.format, stdin=stdin)
            meshes.append(body_mesh(stack.enter_context(opened)))
            if meshes[-1].exact is not None:
                what = "is for triangles, and these solids have exact surfaces"
                raise InvalidInput(what, parameter="together", place=str(path))
            if meshes[-1].masses is not None:
                what = "is for surfaces, and this file states densities and masses"
                raise InvalidInput(what, parameter="together", place=str(path))
        units = [options.unit_of(mesh) for mesh in meshes]
        common = units[0] if len(set(units)) == 1 else "m"
        scaled = [(mesh, length_unit(u) / length_unit(common)) for mesh, u in zip(meshes, units, strict=True)]

        def read_chunks() -> Iterator[Array]:
            for mesh, scale in scaled:
                yield from (chunk.astype(np.float64) * scale for chunk in mesh.chunks())

        names = ", ".join(f"{mesh.name} ({u})" for mesh, u in zip(meshes, units, strict=True))
        note = Finding("joined-files", "info", f"one surface of {plural(len(meshes), 'file')}: {names}")
        if len(meshes) > 1 and all(integrate(mesh).boundary.closed for mesh in meshes):
            note = Finding(
                "joined-files", "warning", f"{note.message}; each is closed alone, as bodies are and pieces are not"
            )
        yield MeshFile(
            name=name_of(paths),
            facets=sum(mesh.facets for mesh in meshes),
            read_chunks=read_chunks,
            format=" + ".join(dict.fromkeys(mesh.format for mesh in meshes)),
            encoding=" + ".join(dict.fromkeys(mesh.encoding for mesh in meshes)),
            unit=common if options.units or any(mesh.unit for mesh in meshes) else None,
            findings=(
                note,
                *dict.fromkeys(f for m in meshes for f in (*m.findings, *options.unit_findings(m))),
            ),
            half_unit=max(resolution(m, max(float(abs(c).max()) for c in m.chunks())).half_unit * s for m, s in scaled),
            is_rounded=lambda: any(s != 1 or mesh.is_rounded() for mesh, s in scaled),
            pieces=meshes,
        )
