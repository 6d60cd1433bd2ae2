"""Foreign text (names of files and links, messages, codes) made safe for each kind of output: one function for each.

Tests: `tests/writers/test_injection.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from massprops.values import regex

#: https://www.w3.org/TR/xml/#charsets: what XML 1.0 cannot hold, not even escaped.
NOT_XML = regex(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Half of a surrogate pair, as of a stray byte in the name of a file.
_LONE = regex(r"[\ud800-\udfff]")
_MARKUP = regex(r"[\\`*_\[\]<>|#]")
#: What spreadsheets take for the start of a formula (OWASP, CSV injection), and what has been made safe from it.
_FORMULA = regex(r"'*[=+\-@\t\r]")


def plain(text: str) -> str:
    """Text for a line on a terminal or in a log: newlines, control codes, stray bytes and ``##[`` commands are escaped."""
    shown = text
    if not text.isprintable():
        shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return shown.replace("##[", "#\\x23[")


def log_line(line: str) -> str:
    """A line of a log that no CI runner takes for a command (``::error::…``), whatever it was wrapped from."""
    return re.sub(r"^(\s*):(?=:)", r"\1\\x3a", line)


def markdown(text: str) -> str:
    """Text for Markdown: no markup, no HTML, one line."""
    return _MARKUP.sub(r"\\\g<0>", plain(text))


def from_markdown(text: str) -> str:
    """Text that `markdown` was given, its control codes as `plain` shows them."""
    return re.sub(rf"\\({_MARKUP.pattern})", r"\1", text)


def csv_cell(text: str) -> str:
    """Text for a cell of CSV, which the writer quotes: no formula of a spreadsheet, and no control codes but tabs and line ends."""
    shown = "".join(c if c in "\t\r\n" else plain(c) for c in text)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def csv_line(cells: Iterable[str]) -> str:
    """A record of CSV as RFC 4180 quotes it, with a line end of one character; `csv.writer` leaves a lone CR unquoted."""
    return ",".join('"{}"'.format(c.replace('"', '""')) if re.search('[",\r\n]', c) else c for c in cells) + "\n"


def from_csv_cell(text: str) -> str:
    """Text that `csv_cell` was given, its control codes as `plain` shows them."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def html_table(caption: str, rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """HTML table for notebooks; the first cell of a row is its name, and a line end in a cell begins a line."""
    from html import escape  # 2 ms of start-up that only notebooks need

    def row(cells: Sequence[str], kinds: Sequence[str]) -> str:
        lines = ("<br>".join(escape(plain(line)) for line in cell.split("\n")) for cell in cells)
        marked = (f'<{kind} style="text-align:left">{line}</{kind}>' for kind, line in zip(kinds, lines, strict=True))
        return f"<tr>{''.join(marked)}</tr>"

    body = "".join(row(cells, ["th", *["td"] * (len(cells) - 1)]) for cells in rows)
    head = row(heads, ["th"] * len(heads)) if heads else ""
    return f"<table><caption>{escape(plain(caption))}</caption>{head}{body}</table>"


def github_data(text: str) -> str:
    """Text for the message of a GitHub workflow command, as the runner decodes it: one line, control codes as `plain`."""
    return plain(text).replace("%", "%25")


def github_property(text: str) -> str:
    """Text for a property of a GitHub workflow command, which is decoded: as it is, but for control codes other than line ends."""
    shown = "".join(c if c in "\r\n" else plain(c) for c in text)
    for character, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), (":", "%3A"), (",", "%2C")):
        shown = shown.replace(character, escape)
    return shown


def xml(text: str) -> str:
    """Text for an XML document: the characters that it cannot hold are escaped; markup is the serializer's concern.

    A log that shows the document may be read for commands line by line: of foreign text, only `plain` lines are put there.
    """
    return NOT_XML.sub(lambda m: m[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)


def json_line(value: object) -> bytes:
    """JSON in UTF-8 for readers that refuse half of a surrogate pair, which is shown as `plain` shows it."""
    text = json.dumps(value, ensure_ascii=False)
    return _LONE.sub(lambda m: rf"\\u{ord(m[0]):x}", text).encode() + b"\n"
