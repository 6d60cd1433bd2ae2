"""The words of a benchmark's command line: `--help` prints its docstring, which says what it prints, and ends it."""

from __future__ import annotations

import sys


def words(docstring: str | None) -> list[str]:
    """Those after the name of the program."""
    if {"-h", "--help"} & {*sys.argv[1:]}:
        print((docstring or "").strip())
        raise SystemExit
    return sys.argv[1:]


if __name__ == "__main__":
    words(__doc__)
