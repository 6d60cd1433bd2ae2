"""Mass, centre of mass and inertia of bodies, and whether the numbers can be trusted.

>>> import massprops
>>> box = [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]
>>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
>>> round(massprops.measure((box, faces), density=1000).mass, 9)
1000.0

The names below are loaded on first use, so that the command line can settle the environment before numpy is imported.
"""

from __future__ import annotations

from massprops._version import __version__

TYPE_CHECKING = False  # without `typing`, whose import takes longer than all else here
if TYPE_CHECKING:
    from massprops.checking.run import check as check
    from massprops.errors import InvalidGeometry as InvalidGeometry
    from massprops.errors import InvalidInput as InvalidInput
    from massprops.errors import MasspropsError as MasspropsError
    from massprops.errors import MissingExtra as MissingExtra
    from massprops.errors import ReadError as ReadError
    from massprops.errors import UnknownFormat as UnknownFormat
    from massprops.filling import Filled as Filled
    from massprops.filling import fill as fill
    from massprops.findings import Finding as Finding
    from massprops.fleet.many import measure_many as measure_many
    from massprops.formats.bodies import Form as Form
    from massprops.formats.bodies import NamedBody as NamedBody
    from massprops.formats.bodies import write as write
    from massprops.formats.bodies.opening import convert as convert
    from massprops.formats.bodies.opening import open_bodies as open_bodies
    from massprops.frames import Pose as Pose
    from massprops.measurement.assembly import Assembly as Assembly
    from massprops.measurement.assembly import read_assembly as read_assembly
    from massprops.measurement.combining import combine as combine
    from massprops.measurement.pipeline import measure as measure
    from massprops.measurement.result import Measurement as Measurement
    from massprops.moments.integrals import Moments as Moments
    from massprops.moments.weighted import PolynomialDensity as PolynomialDensity
    from massprops.rigid_body.mass_properties import MassProperties as MassProperties
    from massprops.rigid_body.nearest import nearest_consistent as nearest_consistent
    from massprops.section.properties import Section as Section

_HOMES = {
    "Assembly": "measurement.assembly",
    "Filled": "filling",
    "Finding": "findings",
    "Form": "formats.bodies",
    "InvalidGeometry": "errors",
    "InvalidInput": "errors",
    "MassProperties": "rigid_body.mass_properties",
    "MasspropsError": "errors",
    "Measurement": "measurement.result",
    "MissingExtra": "errors",
    "Moments": "moments.integrals",
    "NamedBody": "formats.bodies",
    "PolynomialDensity": "moments.weighted",
    "Pose": "frames",
    "ReadError": "errors",
    "Section": "section.properties",
    "UnknownFormat": "errors",
    "check": "checking.run",
    "combine": "measurement.combining",
    "convert": "formats.bodies.opening",
    "fill": "filling",
    "measure": "measurement.pipeline",
    "measure_many": "fleet.many",
    "nearest_consistent": "rigid_body.nearest",
    "open_bodies": "formats.bodies.opening",
    "read_assembly": "measurement.assembly",
    "write": "formats.bodies",
}

#: What `help` and `dir` list: the rest are classes of errors and values, which these functions raise and return.
__all__ = [
    "Finding",
    "MassProperties",
    "MasspropsError",
    "Measurement",
    "PolynomialDensity",
    "Pose",
    "Section",
    "__version__",
    "check",
    "combine",
    "convert",
    "fill",
    "measure",
    "measure_many",
    "nearest_consistent",
    "open_bodies",
    "read_assembly",
    "write",
]

#: Modules that are part of the interface, under the names that users know.
_MODULES = {
    "batch": "rigid_body.batch",
    "errors": "errors",
    "exact": "moments.exact",
    "fits": "rigid_body.realizability",
    "lmi": "rigid_body.lmi",
    "materials": "materials",
    "shapes": "rigid_body.shapes",
    "spatial": "rigid_body.spatial_inertia",
    "units": "units",
}


def __getattr__(name: str) -> object:
    import importlib

    if name in _MODULES:
        module = globals()[name] = importlib.import_module(f"massprops.{_MODULES[name]}")
        return module
    if name not in _HOMES:
        raise AttributeError(f"module 'massprops' has no attribute {name!r}")
    if name in ("Measurement", "measure"):
        _show_pictures()
    value = globals()[name] = getattr(importlib.import_module(f"massprops.{_HOMES[name]}"), name)
    return value


def _show_pictures() -> None:
    """Let notebooks show a picture beside the numbers; what draws it is imported when it is shown."""
    from massprops.measurement.result import PICTURES

    def drawn(measured: Measurement) -> str:
        from massprops.report.picture.plotting import html_picture

        return html_picture(measured)

    if not PICTURES:
        PICTURES.append(drawn)


def __dir__() -> list[str]:
    return sorted(__all__)
