"""`massprops materials` and `massprops schema`: reference data.

Tests: `tests/cli/test_docs.py`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from massprops.cli.streams import text_output, write_output
from massprops.declarations import argument, option
from massprops.errors import InvalidInput


def materials(
    *,
    word: str = argument("WORD", "Only those whose name is like this: alu, steel, wood.", default=""),
    format: Literal["table", "json"] = option(None, "Output format.", "--format", "-f", default="table"),
) -> None:
    """List the named densities and where each comes from, with those of the nearest massprops.toml ([materials])."""
    from massprops.materials import known_materials, search

    found = search(word) if word else known_materials()
    if not found:
        raise InvalidInput(f"no material is like {word!r}", hint="'massprops materials' lists them all")
    if format == "json":
        write_output(json.dumps([asdict(m) for m in found], indent=2) + "\n", None)
        return
    from massprops.writers.materials import materials_text

    write_output(materials_text(found, screen=text_output()), None)


def schema() -> None:
    """Print the JSON Schema of the results, `massprops/1`."""
    write_output((Path(__file__).parents[1] / "schema.json").read_text(encoding="utf-8"), None)
