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

#: Module and name in it of every public name, once they are asked for.
_HOMES: dict[str, tuple[str, str]] = {}

#: What other libraries call `measure`.
_MEASURE = ("compute", "load", "open", "read", "volume", "mass", "inertia", "mass_properties", "properties")


def _homes() -> dict[str, tuple[str, str]]:
    """Module and name in it of every public name: the lines of `__init__.pyi`, which type checkers read too."""
    if not _HOMES:
        from pathlib import Path

        lines = Path(__file__).with_suffix(".pyi").read_text("utf-8").splitlines()
        words = [line.split() for line in lines if line.startswith("from ")]
        _HOMES.update({name: (home, inside) for _, home, _, inside, _, name in words})
    return _HOMES


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "__all__":
        return __dir__()
    if name.startswith("_") or name not in _homes():
        meant = "; did you mean measure?" if name in _MEASURE else ""
        what = f"module 'massprops' has no attribute {name!r}{meant}"
        raise AttributeError(what, name=name, obj=sys.modules[__name__])  # Python guesses at other names itself
    if name in ("Measurement", "measure", "measure_many"):
        _show_pictures()
    home, inside = _homes()[name]
    module = import_module(home)
    if name in globals():  # a room that is called like its function
        return globals()[name]
    is_inside = home != __name__ and hasattr(module, inside)  # this package itself would ask this function again
    value = globals()[name] = getattr(module, inside) if is_inside else import_module(f"{home}.{inside}")
    return value


def _show_pictures() -> None:
    """Let notebooks show a picture below the short table: the room that draws it stands above that of measurements."""
    from massprops.measurement.result import Measurement

    table = Measurement._repr_html_
    if table.__module__ == __name__:
        return

    def table_and_picture(measured: Measurement) -> str:
        from massprops.report.picture.plotting import html_picture

        return table(measured) + html_picture(measured)

    Measurement._repr_html_ = table_and_picture  # type: ignore[method-assign]


def __dir__() -> list[str]:
    return sorted([*_homes(), "__version__"])
