"""OBJ: the faces of a Wavefront file, of all its groups and objects, in double precision.

Points, lines, curves and free-form surfaces are no facets: a file that has nothing else is refused by what it has.
A last line without a line end is read as it stands, since many programs end their files so.
"""

from __future__ import annotations

from array import array
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
from massprops.mesh.source import Division, InputFile, MeshSource, PartLabel
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array, Integers


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
    faces, points = Polygons.of_sizes(corners, counts), vertices.reshape(-1, 3)
    source = text_source(file, "obj", points, faces, place, _left_out(contents))
    source.divisions = partial(_divisions, file, points, corners, counts)
    return source


#: Statements that name the part that the faces after them belong to.
_NAMING = (b"o", b"g", b"usemtl")


def _divisions(file: InputFile, vertices: Array, corners: Integers, counts: Integers) -> Iterator[Division]:
    """The parts by object, by group and by material."""
    names: dict[bytes, dict[str, int]] = {word: {"default": 0} for word in _NAMING}
    current = dict.fromkeys(_NAMING, 0)
    rows = array("i")
    for first, text in _stretches(file):
        for _, words in statements(text, first):
            word = words[0].lower()
            if word in current:
                name = b" ".join(words[1:]).decode("utf-8", errors="replace") or "default"
                current[word] = names[word].setdefault(name, len(names[word]))
            elif word in (b"f", b"fo") and len(words) > 3:
                rows.extend(current.values())
    labels = np.asarray(rows).reshape(-1, len(_NAMING))
    materials, material_names = labels[:, -1], [None, *list(names[b"usemtl"])[1:]]
    for column, known in enumerate(map(list, names.values())):
        if len(known) == 1:
            continue
        kind = labels[:, column]
        faces = zip(_grouped(kind, kind), _grouped(materials, kind), _grouped(counts, kind), strict=True)
        own_corners = _grouped(corners, np.repeat(kind, counts))
        way = []
        for (part, of, sizes), own in zip(faces, own_corners, strict=True):
            label = PartLabel(known[part[0]], material=material_names[of[0]] if (of == of[0]).all() else None)
            way.append((label, _part(file, vertices, own, sizes, label.name)))
        yield way


def _grouped(values: Integers, labels: Integers) -> list[Integers]:
    """The values by label, in the order of the labels."""
    order = np.argsort(labels, kind="stable")
    return np.split(values[order], np.flatnonzero(np.diff(labels[order])) + 1)


def _part(file: InputFile, vertices: Array, corners: Integers, counts: Integers, name: str) -> MeshSource:
    used, corners = np.unique(corners, return_inverse=True)
    own = InputFile(f"{file.name}#{name}", file.stream, file.size)
    return text_source(
        own, "obj", vertices[used], Polygons.of_sizes(corners, counts), lambda face: f"{own.name}: face {face + 1}", []
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
