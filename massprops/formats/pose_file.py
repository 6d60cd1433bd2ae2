"""A pose from a file: a 4 × 4 matrix as text or JSON.

Tests: `tests/test_frames.py`.
"""

from __future__ import annotations

import json
import re
from os import PathLike
from typing import Any

from massprops.errors import ReadError, as_read_error
from massprops.formats.files import read_text
from massprops.frames import Pose
from massprops.units import number

#: Bytes: sixteen numbers with every digit, and comments.
_LARGEST = 1 << 16


def read_pose(path: str | PathLike[str]) -> str:
    """Pose from a text file with a 4×4 matrix: as the text that `Pose.parse` takes, in whose unit its lengths then are.

    Either four lines of four numbers, or sixteen numbers on one line, separated by blanks, commas or semicolons,
    empty lines and ``#`` comments aside; or a nested JSON list.

    Raises
    ------
    ReadError
        If the file cannot be read or is anything else; the message names the file and the line.
    """
    text = read_text(str(path), code="bad-matrix", limit=_LARGEST)
    rows = _json_rows(text, path) if text.lstrip().startswith("[") else _text_rows(text, path)
    with as_read_error(str(path), "bad-matrix"):
        return " ".join(map(repr, Pose.from_matrix(rows).matrix.ravel().tolist()))


def _json_rows(text: str, path: str | PathLike[str]) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f"{path}:{error.lineno}" if isinstance(error, json.JSONDecodeError) else f"{path}"
        raise ReadError(f"{line}: not a JSON list of four rows of four numbers", code="bad-matrix") from error


def _text_rows(text: str, path: str | PathLike[str]) -> list[list[float]]:
    rows: list[list[float]] = []
    for line, content in enumerate(text.splitlines(), start=1):
        tokens = re.split(r"[\s,;]+", content.partition("#")[0].strip(" \t,;"))
        if tokens == [""]:
            continue
        rows += _row_values(tokens, f"{path}:{line}", first=not rows)
    if len(rows) != 4:
        raise ReadError(f"{path}: expected a 4×4 matrix, found {len(rows)} rows", code="bad-matrix")
    return rows


def _row_values(tokens: list[str], place: str, *, first: bool) -> list[list[float]]:
    if len(tokens) != 4 and not (first and len(tokens) == 16):
        raise ReadError(f"{place}: expected four numbers, found {len(tokens)}", code="bad-matrix")
    with as_read_error(place, "bad-matrix"):
        values = [number(token) for token in tokens]
    return [values[i : i + 4] for i in range(0, len(values), 4)]
