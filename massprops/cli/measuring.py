"""Groups of the options that `massprops.measurement.options` declares.

Tests: `tests/cli/test_compute.py`.
"""

from __future__ import annotations

from massprops.cli.groups import Group
from massprops.declarations import MATERIAL
from massprops.measurement.options import Options
from massprops.values import dataclass


@dataclass(frozen=True, kw_only=True)
class FileOptions(Group, of=Options):
    """Options of all commands that measure files."""


@dataclass(frozen=True, kw_only=True)
class Measuring(Group, of=Options, scope="file body"):
    """Options of the commands that measure one body at a time."""


@dataclass(frozen=True, kw_only=True)
class MassOptions(Group, of=Options, scope="file body", panel=MATERIAL):
    """Options that a mass can follow from."""


@dataclass(frozen=True, kw_only=True)
class PartOptions(Group, of=Options, scope="parts"):
    """Materials of the parts of a file, and options of plane files."""


@dataclass(frozen=True, kw_only=True)
class ResultOptions(Group, of=Options, scope="result"):
    """Options of single results."""
