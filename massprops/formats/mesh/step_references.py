"""Parts of a STEP assembly that stand in other files (recommended practices of CAx-IF for external references).

A product whose representation has no shape refers to a document by `APPLIED_DOCUMENT_REFERENCE`: to a `DOCUMENT_FILE`, or to a
`DOCUMENT` that is equivalent to a product definition with such files. The kernel would open whatever name is written there, so it
gets copies without them, in which the names of such products end with the number of a file that it may read.

Tests: `tests/formats/mesh/test_step_references.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from urllib.parse import quote

from massprops.errors import ReadError
from massprops.formats.files import MESH_LIMIT, absolute_path, file_of_mesh, open_file
from massprops.formats.mesh import step_text
from massprops.formats.mesh.step_text import Statements, references, words
from massprops.formats.text import shorten
from massprops.mesh.source import InputFile

#: Files of an assembly.
MOST_FILES = 1_000
_DOCUMENT = re.compile(rb"\bDOCUMENT_FILE\b")
#: Statements that the kernel is not shown: comments, and references to documents, also those at the end of a definition.
_COMMENT = re.compile(rb"('[^']*')|/\*.*?\*/", re.DOTALL)
_REFERENCE = re.compile(rb"\b(APPLIED_(?:DOCUMENT_REFERENCE|EXTERNAL_IDENTIFICATION_ASSIGNMENT))\b")
_WITH_DOCUMENTS = re.compile(
    rb"\b(PRODUCT_DEFINITION)_WITH_ASSOCIATED_DOCUMENTS(\s*\((?:[^'()]|'[^']*')*),\s*\([^()']*\)\s*\)"
)
#: A product: its number, identifier and name.
_PRODUCT = re.compile(rb"(#(\d+)\s*=\s*PRODUCT\s*\(\s*'((?:[^']|'')*)'\s*,\s*)(?:'((?:[^']|'')*)'|\$)")


@dataclass
class StepFile:
    """A file of an assembly: its bytes, and the name of the copy of it, or of itself, that the kernel reads; or why it cannot be read."""

    name: str
    data: bytes = b""
    path: str | None = None
    error: ReadError | None = None


def gather(file: InputFile, data: bytes, folder: str) -> list[StepFile]:
    """A file and those that its parts stand in, by their numbers; copies are written to `folder`.

    Raises
    ------
    ReadError
        If there are too many of them, or one cannot be opened.
    """
    found = [StepFile(file.name, data)]
    known = {absolute_path(file.name): 0}
    for number, one in enumerate(found):  # which grows
        if one.error:
            continue
        one.path = one.name
        parts: dict[int, int] = {}
        refers = _DOCUMENT.search(one.data) is not None
        for product, names in external_parts(step_text.statements(one.data)).items() if refers else ():
            parts[product] = _number_of(found, known, one.name, names)
            if len(found) > MOST_FILES:
                raise ReadError(f"{file.name}: its parts stand in more than {MOST_FILES:,} files", code="too-large")
        if refers or (number == 0 and file.is_in_memory):
            one.path = str(Path(folder) / f"{number}.step")
            Path(one.path).write_bytes(_for_kernel(one.data, parts))
    return found


def external_parts(text: Statements) -> dict[int, list[str]]:
    """Names of the file that each product stands in, as written in several places, by the number of the product."""
    names = _names(text)
    held = {n: references(t) for n, t in text.items() if t.startswith("PRODUCT_DEFINITION_WITH_ASSOCIATED_DOCUMENTS")}
    equivalent = [references(t) for t in text.values() if t.startswith("DOCUMENT_PRODUCT_EQUIVALENCE")]
    of_documents = {n for at in equivalent for n in at}
    found: dict[int, list[str]] = {}
    pairs = [references(t) for t in text.values() if t.startswith("APPLIED_DOCUMENT_REFERENCE")]
    own = {n: at for n, at in held.items() if not of_documents & {n, *at}}
    pairs += [[document, n] for n, at in own.items() for document in at if document in names]
    for document, *items in pairs:
        managed = {n for at in equivalent if at[:1] == [document] for n in at[1:]}
        files = [document, *(n for k, at in held.items() if managed & {k, *at} for n in at)]
        for product in {step_text.product_of(text, f"(#{n})") for n in items} - {0}:
            found.setdefault(product, []).extend(name for n in files for name in names.get(n, ()))
    return {product: list(dict.fromkeys(files)) for product, files in found.items() if files}


def unattached_files(data: bytes) -> list[str]:
    """Names of files that a file mentions and of which it does not say for which product they are."""
    if not _DOCUMENT.search(data):
        return []
    text = step_text.statements(data)
    attached = {name for names in external_parts(text).values() for name in names}
    return [names[0] for names in _names(text).values() if names and not attached & set(names)]


def _names(text: Statements) -> dict[int, list[str]]:
    """Names of the file by the number of each DOCUMENT_FILE: the assigned one, with the folder of its source, and its own."""
    found = {n: words(t)[:2] for n, t in text.items() if t.startswith(("DOCUMENT_FILE", "(DOCUMENT_FILE"))}
    for statement in text.values():
        if not statement.startswith("APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT"):
            continue
        at, assigned = references(statement), (words(statement) or [""])[0]
        source = next((w for n in at if text.get(n, "").startswith("EXTERNAL_SOURCE") for w in words(text[n])[:1]), "")
        for n in set(at) & set(found):
            found[n] = [assigned, f"{source}/{assigned}" if source else "", *found[n]]
    return {n: [name for name in dict.fromkeys(names) if name.strip()] for n, names in found.items()}


def _number_of(found: list[StepFile], known: dict[Path, int], parent: str, names: list[str]) -> int:
    """Number of the file that has one of some names beside its parent, which is opened, or of the error about it."""
    error: ReadError | None = None
    for name in _plain(names):
        try:
            path = file_of_mesh(quote(name), parent)
            if not path.is_file():
                continue
        except (ReadError, OSError, ValueError) as outside:
            error = error or (outside if isinstance(outside, ReadError) else None)
            continue
        number = known.setdefault(absolute_path(path), len(found))
        if number == len(found):
            found.append(_opened(str(path)))
        return number
    hint = "copy it to the folder of the assembly"
    missing = ReadError(f"{shorten(names[0], 60)}: no such file", code="missing-file", hint=hint)
    found.append(StepFile(names[0], error=error or missing))
    return len(found) - 1


def _plain(names: list[str]) -> Iterator[str]:
    """Names to look for: as written, and those of another system's folders without them."""
    for name in names:
        path = name.replace("\\", "/")
        yield PurePosixPath(path).name if PureWindowsPath(name).drive else path


def _opened(name: str) -> StepFile:
    with open_file(name, MESH_LIMIT) as file:
        data = file.stream.read()
    problem = step_text.damage(data)
    error = ReadError(f"{name}: {problem}", code="bad-step", hint="export it as STEP") if problem else None
    return StepFile(name, data, error=error)


def _for_kernel(data: bytes, parts: dict[int, int]) -> bytes:
    """A file without references to others; the names of the products that are elsewhere have the number of the file."""

    def marked(match: re.Match[bytes]) -> bytes:
        number, start, name = parts.get(int(match[2])), match[1], match[4] or match[3]
        return match[0] if number is None else start + b"'" + name + f"|file {number}|'".encode()

    data = _PRODUCT.sub(marked, _COMMENT.sub(lambda m: m[1] or b" ", data))
    return _WITH_DOCUMENTS.sub(rb"\1\2)", _REFERENCE.sub(rb"NO_\1", data))
