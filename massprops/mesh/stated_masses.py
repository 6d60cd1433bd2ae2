"""Masses that a model of finite elements states beside its volumes, and its densities: numbers in a unit of mass that no file names.

Such files are in consistent units: with mm, the mass is in tonnes where forces are in newtons, or in kilograms or grams. The densities
tell which, since only one of these makes them those of a solid.

Tests: `tests/measurement/test_stated_masses.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from massprops.errors import InvalidInput
from massprops.moments.integrals import Moments
from massprops.units import length_unit
from massprops.values import dataclass

#: Least and largest density of what a part is made of, kg/m³: foams of polymers are lighter, and no element is denser than osmium.
LIGHTEST, DENSEST = 25.0, 23_000.0
_SLINCH = 0.45359237 * 9.80665 / 0.0254
_SLUG = _SLINCH / 12
#: Units of mass of consistent systems, by the length unit in metres: names and kilograms.
_UNITS: Mapping[float, Mapping[str, float]] = {
    1e-3: {"t": 1e3, "kg": 1.0, "g": 1e-3},
    1e-2: {"kg": 1.0, "g": 1e-3},
    0.0254: {"lbf·s²/in": _SLINCH, "lb": 0.45359237},
    0.3048: {"slug": _SLUG},
}
_OTHERS: Mapping[str, float] = {"t": 1e3, "kg": 1.0, "g": 1e-3}


@dataclass(frozen=True, eq=False)
class Structure:
    """Mass without a volume: lumped masses, shells as sheets and beams as lines.

    Attributes
    ----------
    what : str
        As a sentence has it: ``3 lumped masses``.
    moments : Moments
        Weighted with mass, in units of the file.
    """

    what: str
    moments: Moments


@dataclass(frozen=True, eq=False)
class StatedMasses:
    """Densities by part and masses without a volume, in the units of the file.

    Attributes
    ----------
    densities : mapping
        Those of the solid parts, by label.
    others : tuple of float
        Those of all materials.
    has_solids : bool
        Whether there are solid cells; else the triangles of the file are its shells.
    """

    densities: Mapping[Any, float]
    structures: tuple[Structure, ...] = ()
    others: tuple[float, ...] = ()
    has_solids: bool = True

    def unit(self, length: str) -> tuple[str, float]:
        """Unit of mass of the file, which has this length unit: its name, and kilograms.

        Raises
        ------
        InvalidInput
            None makes all densities those of solids, or several do, or there is no density to tell.
        """
        size = length_unit(length)
        known = next((u for metres, u in _UNITS.items() if abs(metres / size - 1) < 1e-9), _OTHERS)
        stated = sorted({*self.densities.values(), *self.others} - {0.0})
        of = f"with lengths in {length}"
        if not stated:
            what = f"{of}, no density in the file tells its unit of mass ({', '.join(known)})"
            raise InvalidInput(what)
        if 1.0 in stated:
            raise InvalidInput("a density of 1 in the file is a placeholder, and tells no unit of mass")
        fitting = {n: kg for n, kg in known.items() if all(LIGHTEST <= d * kg / size**3 <= DENSEST for d in stated)}
        if len(fitting) == 1:
            return next(iter(fitting.items()))
        some = f"{stated[0]:g}" if len(stated) == 1 else f"{stated[0]:g} to {stated[-1]:g}"
        which = "more than one unit of mass makes" if fitting else "no unit of mass makes"
        what = f"{of}, {which} the densities of the file ({some}) those of solids: tried {', '.join(known)}"
        raise InvalidInput(what)
