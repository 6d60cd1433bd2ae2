"""The table of materials, for people.

Tests: `tests/test_materials.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from massprops.materials import Material
from massprops.writers.console import NUMBER, TEXT, TextOutput


def materials_text(materials: Sequence[Material], *, screen: TextOutput) -> str:
    """Names, densities and sources as text."""
    columns = {"Material": {"no_wrap": True}, "Density [kg/m³]": NUMBER, "Source and note": TEXT}
    rows = [(m.name, f"{m.density:g}", f"{m.source}; {m.note}" if m.note else m.source) for m in materials]
    return screen.table(columns, rows, wide=76)
