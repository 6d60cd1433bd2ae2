"""Mass, centre of mass and inertia of bodies, and whether the numbers can be trusted.

>>> import massprops
>>> box = [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]
>>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
>>> round(massprops.measure((box, faces), density=1000).mass, 9)
1000.0

The names below are loaded on first use, so that the command line can settle the environment before numpy is imported.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from massprops._version import __version__

if TYPE_CHECKING:
    from massprops.assembly import Assembly as Assembly
    from massprops.assembly import read_assembly as read_assembly
    from massprops.dialects import Form as Form
    from massprops.dialects import NamedBody as NamedBody
    from massprops.dialects import write as write
    from massprops.dialects.opening import open_bodies as open_bodies
    from massprops.errors import InvalidGeometry as InvalidGeometry
    from massprops.errors import InvalidInput as InvalidInput
    from massprops.errors import MasspropsError as MasspropsError
    from massprops.errors import MissingExtra as MissingExtra
    from massprops.errors import ReadError as ReadError
    from massprops.errors import UnknownFormat as UnknownFormat
    from massprops.findings import Finding as Finding
    from massprops.frames import Pose as Pose
    from massprops.measurement import Measurement as Measurement
    from massprops.moments import Moments as Moments
    from massprops.pipeline import measure as measure
    from massprops.properties import MassProperties as MassProperties
    from massprops.section import Section as Section

_HOMES = {
    "Assembly": "assembly",
    "Finding": "findings",
    "Form": "dialects",
    "InvalidGeometry": "errors",
    "InvalidInput": "errors",
    "MassProperties": "properties",
    "MasspropsError": "errors",
    "Measurement": "measurement",
    "MissingExtra": "errors",
    "Moments": "moments",
    "NamedBody": "dialects",
    "Pose": "frames",
    "ReadError": "errors",
    "Section": "section",
    "UnknownFormat": "errors",
    "measure": "pipeline",
    "open_bodies": "dialects.opening",
    "read_assembly": "assembly",
    "write": "dialects",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'massprops' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"massprops.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
