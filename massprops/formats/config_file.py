"""The file of a configuration: which one is nearest, where its keys stand, and the patterns of file names in it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from massprops.errors import InvalidInput, ReadError, require_word
from massprops.formats.files import is_within_roots, read_text
from massprops.formats.text import BadToml, lines_of, toml_of
from massprops.values import dataclass
from massprops.wording import did_you_mean

Table = Mapping[str, Any]
#: Names of a table in others, of one in an array of tables with its number.
Header = tuple[str | int, ...]
Parsers = Mapping[str, Callable[[Any], Any]]
NAMES = ("massprops.toml", "pyproject.toml")


def nearest(start: Path) -> Path | None:
    """The configuration in `start` or the nearest folder above it; a ``pyproject.toml`` only if it names the program."""
    for folder in filter(is_within_roots, (start, *start.parents)):
        for name in NAMES:
            path = folder / name
            there = path.is_file() or path.is_symlink()  # a broken link is an error, too
            if there and (name != "pyproject.toml" or "tool.massprops" in text_of(path)):
                return path
    return None


def text_of(path: Path) -> str:
    """The text of a configuration, which may be empty; InvalidInput if it cannot be read."""
    try:
        return read_text(str(path), code="bad-toml")
    except ReadError as error:
        if error.code == "empty-file":
            return ""
        raise InvalidInput(error.message_in_file, code=error.code, hint=error.remedy) from error


@dataclass(frozen=True)
class Lines:
    """Lines of a TOML file on which its keys stand; `above` are the names of the table that holds those of a configuration."""

    path: Path | str
    text: str
    above: tuple[str, ...] = ()

    @cached_property
    def _lines(self) -> dict[Header, int]:
        return lines_of(self.text)

    def place(self, header: Header, key: str) -> str:
        """``massprops.toml:12``, where a key of a table stands; else where the table begins."""
        table = (*self.above, *header)
        line = self._lines.get((*table, key)) or (self._lines.get(table) if header else None)
        return f"{self.path}:{line}" if line else str(self.path)

    def error(self, key: str, header: Header, message: str, hint: str = "", unknown: bool = False) -> InvalidInput:
        """Error about a key, with its file and line."""
        what = message if unknown else f"{key}: {message}"
        code = "unknown-key" if unknown else "bad-value"
        return InvalidInput(f"{self.place(header, key)}: {what}", code=code, hint=hint)

    def level(
        self, table: Table, header: Header, parsers: Parsers, others: Sequence[str] = (), exclusive: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The parsed values of a table by their names in Python; `others` are keys that are read elsewhere.

        Raises
        ------
        InvalidInput
            With the line, if a key is unknown, its value breaks its rule, or two of the keys `exclusive` are there.
        """
        found = {}
        for key, value in table.items():
            if key in others:
                continue
            if key not in parsers:
                hint = did_you_mean(key, [*parsers, *others])
                raise self.error(key, header, f"unknown key {key!r}", hint, unknown=True)
            try:
                found[key.replace("-", "_")] = parsers[key](value)
            except InvalidInput as error:
                raise self.error(key, header, error.text, error.hint) from error
        several = [key for key in exclusive if key in found]
        if len(several) > 1:
            raise self.error(several[1], header, f"{several[0]} is given too", "give one of them")
        return found

    def files(self, table: Table, header: Header, example: str) -> dict[str, Table]:
        """The tables below ``files`` by the patterns of the files that they are for; InvalidInput if they are no tables."""
        files = table.get("files", {})
        if not isinstance(files, dict) or not all(isinstance(v, dict) for v in files.values()):
            raise self.error("files", header, f"must be tables, as {example}")
        return files


def read_tables(path: Path) -> tuple[dict[str, Any], Lines]:
    """The tables of a configuration, of a ``pyproject.toml`` those of the program, and where their keys stand.

    Raises
    ------
    InvalidInput
        With file and line, if it cannot be read or is not TOML.
    """
    text = text_of(path)
    try:
        document = toml_of(text)
    except BadToml as error:
        raise InvalidInput(f"{path}: is not TOML: {error}", code="bad-toml") from error
    above = ("tool", "massprops") if path.name == "pyproject.toml" else ()
    for name in above:
        document = document.get(name, {})
    return document, Lines(path, text, above)


def parsers(kind: Any) -> dict[str, Callable[[Any], Any]]:
    """The keys of a configuration that a class declares as options of any file, and how each value is checked or parsed."""
    found: dict[str, Callable[[Any], Any]] = {}
    declared = [f for f in fields(kind) if f.metadata.get("scope") == "file"]
    for rules, name in ((f.metadata, f.name.replace("_", "-")) for f in declared):
        if "words" in rules:
            found[name] = partial(require_word, words=rules["words"])
        else:
            found[name] = rules.get("parse") or partial(_require_parsable, rules["check"])
    return found


def _require_parsable(parse: Callable[[Any], Any], value: Any) -> Any:
    """The value as it is, since it is parsed where it is used; raise InvalidInput if that is going to fail."""
    parse(text_or_number(value))
    return value


def text_or_number(value: Any) -> str | float:
    """The value, if it is a text or a number; else raise InvalidInput."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInput(f"must be a text or a number, got {value!r}")
    return value


_PIECE = r"(?s:\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.)"
_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(pattern: str, path: str, place: str | None = None) -> bool:
    """Whether a pattern means a file, or a link in it.

    A pattern without a slash means the file's name in any folder; one with a slash the whole path; ``*`` stays within a folder and
    ``**`` does not. What follows a ``#`` means links; a pattern without one means all of the file.

    Examples
    --------
    >>> matches("*.stl", "parts/left/arm.stl"), matches("parts/*.stl", "parts/left/arm.stl")
    (True, False)
    >>> matches("parts/**/*.stl", "parts/arm.stl"), matches("robot.urdf#left_*", "robot.urdf", "left_arm")
    (True, True)
    """
    files, mark, links = pattern.partition("#")
    name = path if "/" in files else path.rpartition("/")[2]
    if _regex(files.removeprefix("./")).fullmatch(name) is None:
        return False
    return not mark or (place is not None and _regex(links).fullmatch(place) is not None)


@functools.cache
def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(map(_translated, re.findall(_PIECE, pattern))), re.DOTALL)


def _translated(token: str) -> str:
    if len(token) > 1 and token.startswith("["):
        return token.replace("[!", "[^", 1).replace("\\", "\\\\")
    return _MEANING.get(token) or re.escape(token)
