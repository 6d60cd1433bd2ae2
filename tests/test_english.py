"""What people read is in the English of an engineering manual: no phrase of a private vocabulary, no message too long to read."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from places import ROOT, nodes

from massprops.checking.rules import rules

PACKAGE = ROOT / "massprops"

#: Phrases that say a thing by a picture or a riddle, and what says it plainly. In texts alone: a name in the code may be `wanted`.
PHRASES = {
    r"\btold\b": "report, state, recognise",
    r"\bh(?:eld|old|olds|olding)\b[^.;:]{0,40}?\bagainst\b": "compare with, check",
    r"\bwanted\b": "expected, needed, requested",
    r"\bvouch(?:es|ed)?\b": "verify, certify",
    r"what is allowed": "invalid geometry, tolerance, limit",
    r"the question is put": "is checked",
    r"whole or not at all": "atomically",
    r"it is not said": "not given, not stated",
    r"tells the format": "infer the format",
    r"named twice": "given more than once",
    r"density of nothing": "matches no common material",
    r"\bagreed (?:is|to|about|in)\b|\bwas agreed\b": "limit, expected, specified",
    r"begins no\b": "the root element is",
    r"than may differ|may not differ": "differ by more than the tolerance",
    r"what counts\b|what it is made of|what inertials are|what the file means|how the result is given": "a heading in the field's words",
    r"bounded more than once": "overlapping, self-intersecting",
    r"run through twice|look opposite ways": "traversed twice in the same direction, opposite orientation",
    r"three at least|(?:two|three|one) (?:is|are) wanted": "at least 3, expected 3",
    r"asked for more|was not asked for": "not run, not requested",
    r"at (?:its|their) word": "as given",
    r"\bgraver\b": "more severe",
    r"may lump|of the size away|be two things|what became of|pays for it": "merge, sizes away, the same file, the result, lazily",
}
#: One style of percent: `wording.percent` writes ``9.7 %``; ``9.66%`` is what a format specification makes of it.
PERCENT = re.compile(r":\.[1-9]%\}")


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings, messages, help texts and comments of a module; all of another file, line by line."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(source.splitlines(), 1)
        return
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, re.sub(r"\s+", " ", node.value)
    comments = "\n".join(re.findall("#.*", source))
    if any(re.search(phrase, comments, re.IGNORECASE) for phrase in PHRASES):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def riddles(path: Path) -> list[str]:
    """Places and phrases, with what to write instead."""
    lines = [(line, text.lower()) for line, text in texts(path)]
    whole = "\n".join(text for _, text in lines)
    return [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {found[0]!r}: {instead}"
        for phrase, instead in PHRASES.items()
        if re.search(phrase, whole)  # in all texts at once: nearly all files have none
        for line, text in lines
        if (found := re.search(phrase, text)) is not None
    ]


PAGES = [
    *ROOT.glob("*.md"),
    *(p for f in ("docs", "samples", "sample_meshes", "extras") for p in (ROOT / f).rglob("*.md")),
]
FILES = sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"), *PAGES], key=lambda path: path.as_posix())


def test_texts_have_none_of_the_phrases() -> None:
    assert [place for path in FILES for place in riddles(path)] == []


def test_the_search_sees_docstrings_messages_and_comments(tmp_path: Path) -> None:
    source = '"""Vouches for it."""\nwanted = 1\nx = f"{wanted} kg is\\nwanted"  # told by\n'
    path = tmp_path / "module.py"
    path.write_text(source, encoding="utf-8")
    seen = [(line, text) for line, text in texts(path) for phrase in PHRASES if re.search(phrase, text, re.IGNORECASE)]
    assert seen == [(1, "Vouches for it."), (3, " kg is wanted"), (3, "# told by")]


def test_shares_are_written_in_one_style() -> None:
    found = [p.name for p in PACKAGE.rglob("*.py") if PERCENT.search(p.read_text(encoding="utf-8"))]
    assert found == []


def test_texts_of_the_catalogue_are_sentences_that_can_be_read_at_a_glance() -> None:
    for code, rule in rules().items():
        assert len(rule.short) <= 80, code
        assert rule.short[0].isupper(), code
        assert not rule.short.endswith("."), code
        for text in (rule.why, rule.remedy, rule.example):
            assert 10 <= len(text) <= 200, code
        assert rule.why.endswith("."), code
        assert rule.remedy.endswith("."), code


#: What a number, a name or a place adds to a message.
_VALUE = 8


def length(node: ast.expr) -> int:
    """How long a message is, with short values in its places."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return len(node.value)
    if isinstance(node, ast.JoinedStr):
        return sum(length(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return length(node.left) + length(node.right)
    return _VALUE


def messages(path: Path) -> Iterator[tuple[int, ast.expr]]:
    """The messages of findings and errors that stand in their calls, or in variables that these name."""
    assigned: dict[str, list[ast.expr]] = {}
    for node in nodes(path):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned.setdefault(node.targets[0].id, []).append(node.value)
    for node in nodes(path):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        place = {"Finding": 2, "InvalidInput": 0, "ReadError": 0, "UnknownFormat": 0, "InvalidGeometry": 0}.get(
            node.func.id
        )
        if place is not None and len(node.args) > place:
            argument = node.args[place]
            values = assigned.get(argument.id, []) if isinstance(argument, ast.Name) else [argument]
            yield from ((value.lineno, value) for value in values)


def test_messages_have_at_most_200_characters() -> None:
    found = [(path, line, length(m)) for path in PACKAGE.rglob("*.py") for line, m in messages(path)]
    assert len(found) > 200  # else the search is blind
    assert [f"{path}:{line}: {size}" for path, line, size in found if size > 200] == []
