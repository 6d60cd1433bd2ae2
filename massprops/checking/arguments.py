"""Keyword arguments of `massprops.check` as type checkers and editors read them.

A test compares them with the keys of `massprops.checking.settings`, where each is declared and checked.

Tests: `tests/test_python_calls.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from massprops.findings import Severity
from massprops.grades import Repair
from massprops.materials import Material
from massprops.mesh.policies import Nested, OnInverted, OnOpen, OnOverlap, Verify
from massprops.units import Quantity

Words = str | Sequence[str]


class CheckSettings(TypedDict, total=False):
    """Types of the settings by name."""

    units: str | None
    override_units: str | None
    density: Quantity | None
    material: str | Material | None
    chord_tolerance: Quantity | None
    max_uncertainty: Quantity | None
    on_open: OnOpen
    on_inverted: OnInverted
    on_overlap: OnOverlap
    nested: Nested
    verify: Verify
    repair: Repair
    mass: str | None
    max_mass: Quantity | None
    volume: str | None
    density_range: str | None
    com_box: str | Sequence[Quantity] | None
    max_size: Quantity | None
    require: Words
    select: Words
    ignore: Words
    severity: Mapping[str, Severity] | str
    fail_on: Literal["error", "warning", "info", "never"]
    engine: Words
    geometry: Literal["auto", "visual", "collision", "none"]
