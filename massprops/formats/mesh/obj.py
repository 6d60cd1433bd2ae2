"""OBJ: the faces of a Wavefront file, of all its groups and objects, in double precision.

Points, lines, curves and free-form surfaces are no facets: a file that has nothing else is refused by what it has.
A last line without a line end is read as it stands, since many programs end their files so.
"""

from __future__ import annotations

from functools import partial
from itertools import islice

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.mesh.obj_fast import read_fast
from massprops.formats.mesh.obj_strict import ELEMENTS, Contents, joined, read_strict, statements
from massprops.formats.text import as_utf8, quoted, with_line_feeds
from massprops.mesh.source import InputFile, MeshSource, indexed_chunks
from massprops.mesh.triangulation import Polygons, rounding, triangulate


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
        raise _no_facets(file.name, contents)
    triangles, findings = triangulate(
        contents.vertices,
        _polygons(contents),
        rounding(contents.vertices, text=True),
        partial(_face_place, file.name, data),
    )
    return MeshSource(
        file.name,
        "obj",
        "ascii",
        len(triangles),
        partial(indexed_chunks, contents.vertices, triangles),
        findings=[*_left_out(contents), *findings],
    )


def _face_place(name: str, data: bytes, face: int) -> str:
    faces = (line for line, words in statements(data) if words[0].lower() in (b"f", b"fo") and len(words) > 3)
    return f"{name}:{next(islice(faces, face, None))}: face"


def _polygons(contents: Contents) -> Polygons:
    size = int(contents.counts[0])
    if (contents.counts == size).all():
        return Polygons(contents.corners.reshape(-1, size))
    return Polygons(contents.corners, contents.counts)


def _no_facets(name: str, contents: Contents) -> ReadError:
    what, hint = _instead_of_facets(contents)
    return ReadError(f"{name}: {what}", code="no-facets", hint=hint)


def _instead_of_facets(contents: Contents) -> tuple[str, str]:
    """What a file without faces holds instead, and the remedy."""
    points, kinds = len(contents.vertices), _kinds(contents)
    if contents.unknown and not points:
        line, word = contents.unknown[0]
        what = f"no vertices and no faces, and line {line} begins with {quoted(word)}, which is no word of OBJ"
        return what, "is it another format?"
    as_mesh = "export the surface as a mesh of polygons"
    if "free-form surfaces" in kinds or "curves" in kinds:
        return f"no faces, only {_listed(kinds)}", as_mesh
    if "lines" in kinds:
        return f"no faces, only {_listed(kinds)}", f"{as_mesh}; lines have no volume"
    if points:
        return f"a point cloud of {points} points: no faces", f"{as_mesh}; points have no volume"
    return "no vertices and no faces", "export the mesh again; there is nothing to measure"


def _kinds(contents: Contents) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for word, count in contents.elements.items():
        kinds[ELEMENTS[word]] = kinds.get(ELEMENTS[word], 0) + count
    return kinds


def _listed(kinds: dict[str, int]) -> str:
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
    if kinds:
        solid = "free-form surfaces" in kinds
        what = f"beside its faces the file has {_listed(kinds)}, which were left out"
        count = sum(kinds.values())
        findings.append(Finding("skipped-elements", "warning" if solid else "info", what, value=float(count)))
    return findings
