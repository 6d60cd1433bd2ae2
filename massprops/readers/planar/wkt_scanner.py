"""The words and brackets of WKT, and the line that each is on."""

from __future__ import annotations

import re

from massprops.errors import ReadError
from massprops.readers.text import quoted

DAMAGED = "the file is damaged or cut off; export or copy it again"
_WORD = re.compile(rb"\s*([A-Za-z]+)")
_BLANK = re.compile(rb"\s*")
_BRACKET = re.compile(rb"[()]")


class Scanner:
    """A place in a text, from which words and brackets are taken.

    Attributes
    ----------
    name : str
        The file, for messages.
    text : bytes
        UTF-8.
    at : int
        Bytes that are read already.
    """

    def __init__(self, name: str, text: bytes) -> None:
        self.name, self.text, self.at = name, text, 0
        self._counted, self._line = 0, 1

    @property
    def line(self) -> int:
        """The line that `at` is on, counted from 1."""
        self._line += self.text.count(b"\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def error(self, what: str, code: str = "bad-wkt", hint: str = DAMAGED) -> ReadError:
        """The error for what stands here."""
        return ReadError(f"{self.name}:{self.line}: {what}", code=code, hint=hint)

    def skip(self, pattern: re.Pattern[bytes] = _BLANK) -> re.Match[bytes] | None:
        """Passes what matches, blanks if nothing else is said."""
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match

    def next_word(self) -> str:
        """The word that comes next, in capitals; empty where something else does."""
        match = _WORD.match(self.text, self.at)
        return match[1].decode().upper() if match else ""

    def word(self) -> str:
        """Takes the word that comes next, in capitals."""
        word = self.next_word()
        self.skip(_WORD)
        return word

    def here(self) -> str:
        """What stands here, quoted for a message."""
        self.skip()
        rest = self.text[self.at : self.at + 160].decode("utf-8", errors="replace").split("\n")[0]
        return quoted(rest) if rest else "the end of the file"

    def takes(self, mark: bytes) -> bool:
        """Passes `mark`, if it comes next."""
        self.skip()
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) if found else 0
        return found

    def expect(self, mark: bytes) -> None:
        """Passes `mark`, or raises."""
        if not self.takes(mark):
            code = "truncated-file" if self.at == len(self.text) else "bad-wkt"
            raise self.error(f"expected {mark.decode()!r}, found {self.here()}", code)

    def until(self, mark: bytes, what: str) -> bytes:
        """Takes what stands before `mark`, and `mark` itself."""
        end = self.text.find(mark, self.at)
        if end < 0:
            self.at = len(self.text)
            raise self.error(f"the file ends inside {what}", "truncated-file")
        found = self.text[self.at : end]
        self.at = end + len(mark)
        return found

    def skip_brackets(self) -> None:
        """Passes a bracket and all in it."""
        self.expect(b"(")
        depth = 1
        while depth:
            match = _BRACKET.search(self.text, self.at)
            if match is None:
                self.at = len(self.text)
                raise self.error("the file ends inside a geometry", "truncated-file")
            depth += 1 if match[0] == b"(" else -1
            self.at = match.end()
