"""Keyword arguments of `massprops.measure` as type checkers and editors read them.

A test compares them with the fields of `massprops.measurement.options.Options`, where each option is declared and checked.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import BinaryIO, TypedDict

from massprops.frames import Pose
from massprops.grades import MeasuredAs, Repair
from massprops.materials import Material
from massprops.measurement.options import Rings
from massprops.mesh.integration import Progress
from massprops.mesh.policies import Nested, OnInverted, OnOpen, OnOverlap, Verify
from massprops.moments.arrays import Density
from massprops.units import Quantity


class GeometryOptions(TypedDict, total=False):
    """Types of the options by name, without those that give a body its mass."""

    on_open: OnOpen
    on_inverted: OnInverted
    on_overlap: OnOverlap
    nested: Nested
    verify: Verify
    lines: int
    repair: Repair
    max_uncertainty: Quantity | None
    area_density: Quantity | None
    thickness: Quantity | None
    units: str | None
    override_units: str | None
    chord_tolerance: Quantity | None
    pose: Pose | str | None
    frame: Pose | str | None
    format: str | None
    hash: bool
    exact: bool
    rings: Rings | None
    layers: Sequence[str]
    gap: Quantity | None
    centered: bool
    torsion: bool
    ratios: Mapping[str, float] | Mapping[int, float] | None
    densities: Mapping[str, Quantity] | Mapping[int, Quantity] | None
    materials: Mapping[str, str | Material] | Mapping[int, str | Material] | None
    count_bodies: bool
    list_parts: bool
    together: bool | str
    kind: MeasuredAs
    infill: Quantity | None


class MeasureOptions(GeometryOptions, total=False):
    """Options of `massprops.measure_many`."""

    density: Quantity | Density | None
    mass: Quantity | None
    material: str | Material | None


class ReadOptions(TypedDict, total=False):
    """Arguments of `massprops.measure` that are about reading and progress."""

    jobs: int | None
    stdin: BinaryIO | None
    progress: Progress | None
    max_bytes: int | None
    allow_outside: bool


class GeometryArguments(GeometryOptions, ReadOptions, total=False):
    """Arguments beside the one that gives a body its mass."""


class MeasureArguments(MeasureOptions, ReadOptions, total=False):
    """Arguments of `massprops.measure`."""
