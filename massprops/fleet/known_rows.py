"""Rows that a table had before a run, in 57 bytes for each file; nothing is kept of rows that the run adds.

Tests: `tests/fleet/test_table.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np

from massprops.fleet.many import PreviousRow

_PATH, _SHA256, _RESULT = 16, 32, 4


class KnownRows:
    """Rows that a run may replace, numbered in the order of the table; of each file the last one counts.

    A path is known by 128 bits of its BLAKE2 digest.
    """

    def __init__(self, rows: Iterable[tuple[str, PreviousRow]]) -> None:
        results: dict[tuple[Any, ...], int] = {}  # many rows share one
        data = bytearray()
        for path, known in rows:
            sha256 = bytes.fromhex(known.sha256) if re.fullmatch("[0-9a-f]{64}", known.sha256) else bytes(_SHA256)
            data += _key(path) + sha256 + results.setdefault(known[1:], len(results)).to_bytes(_RESULT, "little")
        columns = [("path", f"S{_PATH}"), ("sha256", f"V{_SHA256}"), ("result", f"<u{_RESULT}")]
        found = np.frombuffer(data, np.dtype(columns))
        self._results = list(results)
        self._sha256, self._result = found["sha256"].copy(), found["result"].copy()
        self._paths, last = np.unique(found["path"][::-1], return_index=True)
        self._number = (len(found) - 1 - last).astype(np.uint32)
        self._stays = np.zeros(len(found), bool)
        self._stays[self._number] = True

    def __len__(self) -> int:
        return len(self._paths)

    def get(self, path: str) -> PreviousRow | None:
        """The last row of a file."""
        if (number := self._find(path)) is None:
            return None
        sha256 = self._sha256[number].tobytes()
        return PreviousRow(sha256.hex() if any(sha256) else "", *self._results[self._result[number]])

    def replace(self, path: str) -> bool:
        """Mark the row of a file as replaced; whether there is one."""
        if (number := self._find(path)) is not None:
            self._stays[number] = False
        return number is not None

    def stays(self, number: int) -> bool:
        """Whether a row is not replaced, as no row is that a run has added."""
        return number >= len(self._stays) or bool(self._stays[number])

    @property
    def are_current(self) -> bool:
        """Whether no row is replaced."""
        return bool(self._stays.all())

    def _find(self, path: str) -> int | None:
        if not len(self):
            return None
        key = _key(path)
        at = int(self._paths.searchsorted(key))
        return int(self._number[at]) if self._paths[at : at + 1].tobytes() == key else None


def _key(path: str) -> bytes:
    return blake2b(path.encode("utf-8", "surrogatepass"), digest_size=_PATH).digest()
