"""Numbers of a `motion` put into a glTF file: as an edit of the JSON; every other byte stays as it is, and the binary chunk whole.

Tests: `tests/filling/test_gltf_document.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from massprops.errors import InvalidGeometry, InvalidInput, ReadError
from massprops.filling.inertials import Edit
from massprops.formats.robot.gltf import EXTENSIONS, motion_members
from massprops.formats.robot.links import Link
from massprops.rigid_body.mass_properties import MassProperties

Span = tuple[int, int]
_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\r\n]*")
#: Bytes of a binary file before its JSON, and the place of the length of that.
_HEADER, _LENGTH = 20, 12


@dataclass(frozen=True)
class GltfText:
    """A glTF file: its JSON, and what stands before and after it.

    Attributes
    ----------
    name : str
    text : bytes
        The JSON, with the blanks that fill its chunk.
    before, after : bytes
        Of a binary file.
    """

    name: str
    text: bytes
    before: bytes = b""
    after: bytes = b""

    @classmethod
    def parse(cls, name: str, data: bytes) -> GltfText:
        """The file as it is; that it is glTF was seen when it was read."""
        if not data.startswith(b"glTF"):
            return cls(name, data)
        end = _HEADER + int.from_bytes(data[_LENGTH : _LENGTH + 4], "little")
        return cls(name, data[_HEADER:end], data[:_HEADER], data[end:])

    def edit(self, link: Link, body: MassProperties, provenance: str | None = None, *, same: bool = False) -> Edit:  # noqa: ARG002
        """The edit that gives the motion of a node these numbers: what it had of them is replaced, the rest is added at its end.

        Raises
        ------
        InvalidGeometry
            If the node has a scale, in which programs read the numbers differently.
        InvalidInput
            If the provenance is to be stated.
        """
        if provenance is not None:
            what = "JSON has no comments that could say where the numbers come from"
            raise InvalidInput(what, argument="provenance", hint="leave it out")
        if any(f.code == "scaled-body" and f.severity == "warning" for f in link.findings):
            what = "the node is scaled, and programs differ in how they scale a body"
            hint = "export the scene with scales applied"
            raise InvalidGeometry(what, place=link.place, code="scaled-body", hint=hint)
        values = motion_members(body, (1.0, 1.0, -1.0) if link.is_mirrored else ())
        # a character of Latin-1 for each byte: places in the text are those in the bytes
        text = self.text.decode("latin-1")
        at = text.index("{")
        for key in ("nodes", link.element, "extensions"):
            at = _members(text, at)[key][0]
        found = _members(text, at)
        start = next(_members(text, found[name][0])["motion"][0] for name in EXTENSIONS if name in found)
        members = _members(text, start)
        end = _DECODER.raw_decode(text, start)[1]
        changes = [(*members[key], value) for key, value in values.items() if key in members]
        more = [f'"{key}": {value}' for key, value in values.items() if key not in members]
        last = max((stop for _, stop in members.values()), default=start + 1)
        # laid out as what is there: the blanks before its first member stand before each
        blanks = _BLANKS.match(text, start + 1)
        lead = "" if blanks is None else blanks[0]
        added = ("," if members and more else "") + ",".join(lead + line for line in more)
        for a, b, value in sorted([*changes, (last, last, added)], reverse=True):
            text = text[:a] + value + text[b:]
        grown = len(text) - len(self.text)
        return start, end, text[start : end + grown].encode("latin-1")

    def apply_edits(self, edits: Sequence[Edit]) -> bytes:
        """The file with the bytes of each range replaced; ranges do not overlap. Of a binary file the lengths are set anew."""
        text = self.text
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        if not self.before:
            return text
        text = text.rstrip(b" ")
        text += b" " * (-len(text) % 4)
        size = _HEADER + len(text) + len(self.after)
        if size >= 1 << 32:
            raise ReadError(f"{self.name}: a binary glTF file cannot have {size:,} bytes", code="too-large")
        lengths = size.to_bytes(4, "little") + len(text).to_bytes(4, "little")
        return self.before[:8] + lengths + self.before[16:] + text + self.after


def _members(text: str, at: int) -> dict[str | int, Span]:
    """Places of the values of the object or array that begins at a place, by key or number."""
    found: dict[str | int, Span] = {}
    is_object, at = text[at] == "{", _after_blanks(text, at + 1)
    while text[at] not in "}]":
        key: str | int = len(found)
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _after_blanks(text, _after_blanks(text, at) + 1)
        end = _DECODER.raw_decode(text, at)[1]
        found[key] = at, end
        at = _after_blanks(text, end)
        at = _after_blanks(text, at + 1) if text[at] == "," else at
    return found


def _after_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return at if match is None else match.end()
