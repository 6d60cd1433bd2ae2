"""Mass, centre of mass and inertia of bodies, and whether the numbers can be trusted.

>>> import massprops
>>> box = [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]
>>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
>>> round(massprops.measure((box, faces), density=1000).mass, 9)
1000.0

The names below are loaded on first use, so that the command line can settle the environment before numpy is imported.
"""

from __future__ import annotations

import sys

from massprops._version import __version__ as __version__

#: Public names by the module that has them, and public modules; `__init__.pyi` says the same to type checkers.
PUBLIC = {
    "checking.run": "check",
    "diagnosis.explanation": "explain",
    "comparison.comparison": "diff",
    "errors": "InvalidGeometry InvalidInput MasspropsError MissingExtra ReadError UnknownFormat",
    "filling": "Filled fill",
    "filling.robot_samples": "sample",
    "findings": "Finding",
    "fleet.many": "measure_many",
    "formats.bodies": "NamedBody WriteOptions write",
    "formats.bodies.opening": "open_bodies",
    "formats.own_materials": "read_materials",
    "frames": "Pose",
    "measurement.assembly": "Assembly read_assembly",
    "measurement.combining": "combine",
    "measurement.converting": "convert",
    "measurement.pipeline": "measure",
    "measurement.repairing": "SolidMesh repair",
    "measurement.result": "MeasuredBody Measurement",
    "moments.integrals": "Moments",
    "moments.weighted": "PolynomialDensity",
    "writers.page.page": "report",
    "writers.picture.plotting": "plot",
    "rigid_body.mass_properties": "MassProperties",
    "rigid_body.nearest": "nearest_consistent",
    "rigid_body.shapes_by_name": "shape",
    "section.properties": "Section",
}
MODULES = {"errors", "materials", "units", "moments.exact"}
MODULES |= {f"rigid_body.{name}" for name in ("batch", "fits", "lmi", "shapes", "spatial")}
_HOMES = {name: home for home, names in PUBLIC.items() for name in names.split()} | {
    m.rpartition(".")[2]: m for m in MODULES
}

#: What other libraries call `measure`.
_MEASURE = ("compute", "load", "open", "read", "volume", "mass", "inertia", "mass_properties", "properties")


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "__all__":
        return __dir__()
    if name.startswith("_") or name not in _HOMES:
        meant = "; did you mean measure?" if name in _MEASURE else ""
        what = f"module 'massprops' has no attribute {name!r}{meant}"
        raise AttributeError(what, name=name, obj=sys.modules[__name__])  # Python guesses at other names itself
    if name in ("Measurement", "measure", "measure_many"):
        _show_pictures()
    module = import_module(f"{__name__}.{_HOMES[name]}")
    value = module if module.__name__.endswith(f".{name}") else getattr(module, name)
    if (spell_out := getattr(value, "spell_out", None)) is not None:
        spell_out()
    globals()[name] = value
    return value


def _show_pictures() -> None:
    """Let notebooks show a picture below the short table: the room that draws it stands above that of measurements."""
    from massprops.measurement.result import Measurement

    table = Measurement._repr_html_
    if table.__module__ == __name__:
        return

    def table_and_picture(measured: Measurement) -> str:
        from massprops.writers.picture.plotting import html_picture

        return table(measured) + html_picture(measured)

    Measurement._repr_html_ = table_and_picture  # type: ignore[method-assign]


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__"])
