"""OBJ: the faces of a Wavefront file, of all its groups and objects, in double precision.

Points, lines, curves and free-form surfaces are no facets: a file that has nothing else is refused by what it has.
A last line without a line end is read as it stands, since many programs end their files so.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import islice

from massprops.errors import ReadError
from massprops.findings import Finding, Severity, counted
from massprops.formats.mesh.faces import no_facets, text_source
from massprops.formats.mesh.obj_fast import read_fast
from massprops.formats.mesh.obj_strict import ELEMENTS, Contents, joined, read_strict, statements
from massprops.formats.text import as_utf8, quoted, with_line_feeds
from massprops.mesh.source import InputFile, MeshSource
from massprops.mesh.triangulation import Polygons


def read(file: InputFile) -> MeshSource:
    """Facets of an OBJ file, float64, read whole; faces are cut into triangles.

    Raises
    ------
    ReadError
        With the file, the line, the rule and the remedy.
    """
    data = with_line_feeds(as_utf8(file.stream.read()))
    contents, done = read_fast(data)
    if done < len(data):
        rest = read_strict(file.name, data[done:], data.count(b"\n", 0, done), len(contents.vertices))
        contents = joined([contents, rest])
    if not len(contents.counts):
        raise _instead_of_facets(file.name, contents)
    faces = Polygons.of_sizes(contents.corners, contents.counts)
    place = partial(_face_place, file.name, data)
    return text_source(file, "obj", contents.vertices, faces, place, _left_out(contents))


def _face_place(name: str, data: bytes, face: int) -> str:
    faces = (line for line, words in statements(data) if words[0].lower() in (b"f", b"fo") and len(words) > 3)
    return f"{name}:{next(islice(faces, face, None))}: face"


def _instead_of_facets(name: str, contents: Contents) -> ReadError:
    """What a file without faces holds instead, and the remedy."""
    points, kinds = len(contents.vertices), _kinds(contents)
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
