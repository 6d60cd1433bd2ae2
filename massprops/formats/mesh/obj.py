"""OBJ: the faces of a Wavefront file, of all its groups and objects, in double precision.

Points, lines, curves and free-form surfaces are no facets: a file that has nothing else is refused by what it has.
A last line without a line end is read as it stands, since many programs end their files so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding, Severity, counted
from massprops.formats.mesh.faces import no_facets, text_source
from massprops.formats.mesh.obj_blocks import read_block
from massprops.formats.mesh.obj_strict import ELEMENTS, Contents, statements
from massprops.formats.text import quoted
from massprops.formats.text_blocks import line_ends, text_blocks
from massprops.mesh.source import InputFile, MeshSource
from massprops.mesh.triangulation import Polygons


def read(file: InputFile) -> MeshSource:
    """Facets of an OBJ file, float64; faces are cut into triangles.

    Raises
    ------
    ReadError
        With the file, the line, the rule and the remedy.
    """
    contents = Contents(file.name)
    for line, text in _stretches(file):
        if found := read_block(text, contents.points):
            contents.extend(*found)
        else:
            contents.read(text, line)
    if not contents.counts:
        raise _instead_of_facets(contents)
    vertices, corners, counts = map(np.asarray, (contents.vertices, contents.corners, contents.counts))
    place = partial(_face_place, file)
    return text_source(
        file, "obj", vertices.reshape(-1, 3), Polygons.of_sizes(corners, counts), place, _left_out(contents)
    )


def _stretches(file: InputFile) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, many together with the number of the first; none that is continued is the last of its stretch."""
    file.stream.seek(0)
    line, held = 1, []
    for block in chain(text_blocks(file.stream), [b""]):
        held.append(block)
        if held and not block.rstrip().endswith(b"\\"):
            text = b"".join(held)
            yield line, text
            line += line_ends(text)
            held.clear()


def _face_place(file: InputFile, face: int) -> str:
    lines = chain.from_iterable(statements(text, first) for first, text in _stretches(file))
    faces = (line for line, words in lines if words[0].lower() in (b"f", b"fo") and len(words) > 3)
    return f"{file.name}:{next(islice(faces, face, None))}: face"


def _instead_of_facets(contents: Contents) -> ReadError:
    """What a file without faces holds instead, and the remedy."""
    name, points, kinds = contents.name, contents.points, _kinds(contents)
    if contents.unknown and not points:
        line, word = contents.unknown[0]
        what = f"no vertices and no faces, and line {line} begins with {quoted(word)}, which is no word of OBJ"
        return ReadError(f"{name}: {what}", code="no-facets", hint="is it another format?")
    if not {"free-form surfaces", "curves", "lines"} & kinds.keys():
        return no_facets(name, points)
    flat = not {"free-form surfaces", "curves"} & kinds.keys()
    hint = "export the surface as a mesh of polygons" + ("; lines have no volume" if flat else "")
    return ReadError(f"{name}: no faces, only {_listed(kinds)}", code="no-facets", hint=hint)


def _kinds(contents: Contents) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for word, count in contents.elements.items():
        kinds[ELEMENTS[word]] += count
    return kinds


def _listed(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count})" for kind, count in sorted(kinds.items()))


def _left_out(contents: Contents) -> list[Finding]:
    """Statements that were not understood, and geometry that is not measured."""
    findings = []
    if contents.unknown:
        line, word = contents.unknown[0]
        count = len(contents.unknown)
        what = f"{count} lines begin with no word of OBJ, the first with {quoted(word)}; they were left out"
        findings.append(Finding("unknown-statements", "warning", what, value=float(count), where=f"line {line}"))
    kinds = _kinds(contents)
    severity: Severity = "warning" if "free-form surfaces" in kinds else "info"
    what = f"beside its faces the file has {_listed(kinds)}, which were left out"
    return [*findings, *counted(kinds.total(), "skipped-elements", severity, what)]
