"""How far a measurement can be off, from named sources that add up.

Every source is a `Spread`: upper bounds of the errors of volume, centroid and central second moments. Bounds of derived quantities
follow from those of the integrals about r,

    c = r + F / V        δc ≤ d / (V − δV),                                                a = F / V, d = δF + |a| δV
    S_c = S − F Fᵀ / V   δS_c ≤ δS + |a| δFᵀ + δF |a|ᵀ + |a||a|ᵀ δV + d dᵀ / (V − δV)

without a remainder, as long as δV < V.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from massprops.json_values import json_object
from massprops.moments.arrays import Array, ByValue, length, outer, product, sandwich
from massprops.moments.integrals import Moments
from massprops.values import dataclass

Change = tuple[float, float]

#: Unit roundoff of double precision.
U = 2.0**-53

#: Roundings that a volume, a first and a second moment can have suffered, in units of U and of the magnitude of their terms.
#: A determinant: 4 in the normal (differences, products, subtraction), 1 in the corner, 3 in the scalar product, 1 in the sixth.
#: Its weights: 3 + 1 (a sum of three corners, a product), or 4 + 2 + 3 (both factors, products, the four terms).
#: Summation: 26 in pairs over the 8,192 of a chunk (numpy adds 128 in eight rows first), 20 over up to 2²⁰ chunks in pairs.
#: A term of a first moment is at most 3 D ρ of weight 1/4; of a second moment 12 D ρ ρ of weight 1/20.
_VOLUME, _FIRST, _SECOND = 56, 61 * 3 / 4, 68 * 12 / 20

#: Above this relative bound the sums are done again without rounding.
POOR = 1e-12

#: The rounding of the bounds themselves.
_SLACK = 1.01


@dataclass(frozen=True, eq=False)
class Spread(ByValue):
    """Upper bounds of errors, in the coordinates of the body.

    Attributes
    ----------
    volume : float
        Of the measure: m³, or m² of a sheet.
    center : ndarray, shape (3,)
        Of the centroid, m.
    second : ndarray, shape (3, 3)
        Of ∫ (x − c)(x − c)ᵀ about the centroid, m⁵.
    signed : (float, float) or None
        Where the sign is known: the least and the most that the true measure is above this one. Neither is beyond `volume`.
    """

    volume: float
    center: Array
    second: Array
    signed: Change | None = None

    @classmethod
    def between(cls, moments: Moments, other: Moments) -> Self:
        """Errors of `moments` where another body is the true one."""
        change = other.measure - moments.measure
        second = np.abs(moments.central_second() - other.central_second())
        return cls(abs(change), np.abs(moments.centroid - other.centroid), second, (change, change))

    @classmethod
    def enclosed(cls, moments: Moments, least: Moments, most: Moments) -> Self:
        """Errors where the true body contains one body and lies within another, as this one does.

        The region between this body and the true one lies in one of the two layers, so that its ∫1 and ∫x² are at most theirs; for
        the others |∫x|² ≤ ∫1 ∫x² and |∫xy|² ≤ ∫x² ∫y² (Cauchy and Schwarz), about the centroid of this body.
        """
        about = moments.centroid
        nominal, small, large = (m.about(about) for m in (moments, least, most))
        volume = max(large.measure - nominal.measure, nominal.measure - small.measure)
        layers = large.second - nominal.second, nominal.second - small.second
        width = np.sqrt(np.maximum(np.max([layer.diagonal() for layer in layers], axis=0), 0.0))
        return cls.from_moments(nominal, volume, np.sqrt(volume) * width, outer(width, width))

    @property
    def change(self) -> Change:
        """The least and the most that the true measure is above this one."""
        return self.signed or (-self.volume, self.volume)

    @classmethod
    def from_moments(cls, solid: Moments, volume: float, first: Array, second: Array) -> Self:
        """From bounds on the integrals about the reference point of `solid`; infinite unless that of the volume is below the volume."""
        v = abs(solid.measure)
        if not volume < v:
            return cls(volume, np.full(len(first), np.inf), np.full_like(second, np.inf))
        arm = np.abs(solid.first) / v
        cross = outer(arm, first)
        shift, rest = first + arm * volume, v - volume
        center = shift / rest
        central = second + cross + cross.T + outer(arm, arm) * volume
        # not shift shiftᵀ / rest: an eighth power of a length leaves double precision before a fifth does
        central += outer(shift, center)
        return cls(volume * _SLACK, center * _SLACK, central * _SLACK)

    def within(self, part: Moments, whole: Moments) -> Self:
        """Bounds of the whole that follow from those of a part."""
        arm = np.abs(part.centroid - whole.centroid)
        v = abs(part.measure) + self.volume
        shift = v * self.center + self.volume * arm
        cross = outer(arm, v * self.center)
        second = self.second + cross + cross.T + self.volume * outer(arm, arm) + v * outer(self.center, self.center)
        return type(self)(self.volume, shift / abs(whole.measure), second, self.signed)

    def scaled(self, factor: float, dimension: int) -> Self:
        """In coordinates multiplied by `factor`."""
        signed = None if self.signed is None else _times(self.signed, factor**dimension)
        return type(self)(
            self.volume * factor**dimension, self.center * factor, self.second * factor ** (dimension + 2), signed
        )

    def rotated(self, rotation: Array) -> Self:
        """In rotated axes, shape (3, 3)."""
        r = np.abs(rotation)
        return type(self)(self.volume, product(r, self.center), sandwich(r, self.second), self.signed)

    def __add__(self, other: Spread) -> Self:
        known = self.signed is not None or other.signed is not None
        return type(self)(
            self.volume + other.volume,
            self.center + other.center,
            self.second + other.second,
            _sum(self.change, other.change) if known else None,
        )


def merge_spreads(one: Mapping[str, Spread], other: Mapping[str, Spread]) -> dict[str, Spread]:
    """Errors by source of two kinds of knowledge about one body: those of a source that both have add up."""
    return {**one, **{name: one[name] + spread if name in one else spread for name, spread in other.items()}}


def is_positive(solid: Moments, magnitude: Magnitude) -> bool:
    """Whether the measure is above zero whatever rounding did to the sum."""
    return bool(solid.measure > _SLACK * _VOLUME * U * magnitude.volume)


def arithmetic(solid: Moments, magnitude: Magnitude) -> Spread:
    """Bound of the rounding of the sums, and of the centroid and central moments that follow from them."""
    bounds = _VOLUME * U * magnitude.volume, _FIRST * U * magnitude.first, _SECOND * U * magnitude.second
    return Spread.from_moments(solid, *bounds) + conversion(solid)


def exceeds_rounding_limit(spread: Spread, solid: Moments, size: float) -> bool:
    """Whether rounding can have cost more than `POOR`, relative to the numbers themselves; `size` is that of the body."""
    second = np.abs(solid.central_second())
    return bool(
        spread.volume > POOR * abs(solid.measure)
        or float(spread.center.max()) > POOR * max(size, float(np.abs(solid.centroid).max()))
        or float(spread.second.max()) > POOR * float(second.max())
    )


def single_rounding(moments: Moments) -> Spread:
    """Bound of numbers that were rounded once, then converted to a unit and to axes: half a unit in the last place, and `conversion`."""
    second = U * np.abs(moments.central_second())
    return Spread(U * abs(moments.measure), U * np.abs(moments.centroid), second) + conversion(moments)


def conversion(solid: Moments) -> Spread:
    """Roundings after the sums: of the shift to the centroid, the length unit and the axes."""
    arm = np.abs(solid.first) / abs(solid.measure)
    size = np.abs(solid.second) + abs(solid.measure) * outer(arm, arm)
    reach = np.abs(solid.reference) + arm
    # the unit is a power and a product, the axes are two products of matrices and a determinant of one
    center = 8 * U * float(reach.max()) * np.ones(3)
    return Spread(16 * U * abs(solid.measure), center, 64 * U * np.full((3, 3), size.max()))


def placement(centroid: Array, translation: Array) -> Spread:
    """Roundings of a motion x ↦ R x + t, t itself a product in the inverse of a pose: of sums as large as both are far away."""
    reach = length(centroid) + length(translation)
    return Spread(0.0, 8 * U * reach * np.ones(3), np.zeros((3, 3)))


def displacement(solid: Moments, sheet: Moments, distance: float) -> Spread:
    """Change by moving every point of the surface by up to `distance`, to first order: δ ∫ |q| dA for each integral of q.

    ∫ |x| dA ≤ (A ∫ x² dA)^½ and ∫ |x y| dA ≤ (∫ x² dA ∫ y² dA)^½, by Cauchy and Schwarz, about the centroid of the solid.
    """
    arm = solid.first / solid.measure  # not `Moments.about`: far away a centroid is rounded more than its distance
    squares = sheet.second.diagonal() - 2 * arm * sheet.first + arm * arm * sheet.measure
    spread = np.sqrt(np.maximum(squares, 0.0))
    return Spread(
        distance * sheet.measure,
        distance * np.sqrt(sheet.measure) * spread / abs(solid.measure),
        distance * outer(spread, spread),
    )


def hidden(solid: Moments, bounds: Array, volume: float) -> Spread:
    """Change by counting a region of up to `volume`, anywhere in the bounds (2, 3), wrongly once."""
    reach = np.abs(bounds - solid.centroid).max(axis=0)
    return Spread(volume, volume * reach / abs(solid.measure), volume * outer(reach, reach))


#: Names of errors, as the JSON schema spells them.
ERRORS = ["volume", "mass", "center_of_mass", "inertia", "volume_change", "mass_change"]


@dataclass(frozen=True, eq=False)
class Uncertainty(ByValue):
    """How far a body of uniform density can be off, in its own units: one source, or all of them together.

    Attributes
    ----------
    volume : float or None
        m³; None for a sheet.
    mass : float or None
        kg; None where no mass is known.
    center_of_mass : ndarray, shape (3,)
        m.
    inertia : ndarray, shape (3, 3), or None
        About the centre of mass, kg m², entry by entry.
    volume_change, mass_change : (float, float) or None
        The least and the most that the true volume and mass are above the numbers given: less than ± where the sign is known.
    inertia_per_density : ndarray, shape (3, 3), or None
        What the geometry alone leaves open of the inertia at a density of one, m⁵, of a sheet m⁴; not part of the JSON result.
    """

    volume: float | None
    mass: float | None
    center_of_mass: Array
    inertia: Array | None
    volume_change: Change | None
    mass_change: Change | None
    inertia_per_density: Array | None = None

    @classmethod
    def of(cls, spread: Spread, moments: Moments, density: float | None, *, solid: bool, mass_is_given: bool) -> Self:
        """Errors of a body of this density from bounds on its geometry; where the mass is given, of its inertia per mass."""
        mass = inertia = mass_change = None
        per_density = _inertia_of(spread.second)
        if density is not None:
            # I = ρ (tr S 1 − S), or with a mass that is given I = m (tr S 1 − S) / V
            off = per_density
            if mass_is_given:
                off = off + _inertia_of(np.abs(moments.central_second())) * (spread.volume / moments.measure)
            inertia = density * off
            of_mass = 0.0 if mass_is_given else density
            mass, mass_change = of_mass * spread.volume, _times(spread.change, of_mass)
        if not solid:
            return cls(None, mass, spread.center, inertia, None, mass_change, per_density)
        return cls(spread.volume, mass, spread.center, inertia, spread.change, mass_change, per_density)

    @classmethod
    def of_mass_specification(
        cls, relative: float, moments: Moments, density: float, shape: Uncertainty | None
    ) -> Self:
        """Errors from a relative tolerance of the density, or of the mass; `shape` are those of the geometry, where they are known."""
        inertia = _inertia_of(np.abs(moments.central_second())) * density
        most = density * moments.measure
        if shape and shape.inertia is not None and shape.mass_change:  # (1 + r)(x + δx) − x = δx + r (x + δx)
            inertia, most = inertia + shape.inertia, most + max(shape.mass_change[1], 0.0)
        mass = relative * most
        volume, change = (None, None) if shape is None or shape.volume is None else (0.0, (0.0, 0.0))
        return cls(volume, mass, np.zeros(3), relative * inertia, change, (-mass, mass))

    def __add__(self, other: Uncertainty) -> Self:
        return type(self)(
            *(_sum(getattr(self, name), getattr(other, name)) for name in (*ERRORS, "inertia_per_density"))
        )

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema `massprops/1` spells it."""
        return json_object(self, " ".join(ERRORS))


def _sum(a: Any, b: Any) -> Any:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return a[0] + b[0], a[1] + b[1]
    return None if a is None or b is None else a + b


def _times(change: Change, factor: float) -> Change:
    return change[0] * factor, change[1] * factor


def _inertia_of(second: Array) -> Array:
    """Bounds of the tensor from bounds of the second moments: sizes add up, whatever the signs."""
    x, y, z = second.diagonal().tolist()
    inertia = second.copy()
    inertia.flat[::4] = y + z, x + z, x + y
    return inertia


@dataclass(frozen=True, eq=False)
class Magnitude:
    """Sums of the sizes of all terms that were added up: what rounding can have done is a multiple of them.

    With D the sum of |a·(e₁ × e₂)| / 6 in which every product counts with its size, and ρ the largest coordinates relative to the
    reference point: D, D ρ and D ρ ρᵀ.
    """

    volume: float
    first: Array
    second: Array

    @classmethod
    def of(cls, corner: Array, e1: Array, e2: Array, reach: Array) -> Self:
        """Magnitude of triangles: a corner relative to the reference and two edges, (3, n) each; the largest |coordinates| (3,)."""
        return cls.within(term_sizes(corner, e1, e2) / 6, reach)

    @classmethod
    def within(cls, volume: float, reach: Array) -> Self:
        """Magnitude of triangles with this Σ D and these largest coordinates, shape (3,)."""
        return cls(volume, volume * reach, volume * outer(reach, reach))

    def __add__(self, other: Magnitude) -> Self:
        return type(self)(self.volume + other.volume, self.first + other.first, self.second + other.second)


def term_sizes(corner: Array, e1: Array, e2: Array) -> float:
    """Σ |a·(e₁ × e₂)| over triangles, every product with its size: a corner relative to the reference and two edges, (3, n) each."""
    p, u, v = np.abs(corner), np.abs(e1), np.abs(e2)
    terms = p[0] * (u[1] * v[2] + u[2] * v[1])
    terms += p[1] * (u[2] * v[0] + u[0] * v[2])
    terms += p[2] * (u[0] * v[1] + u[1] * v[0])
    return float(terms.sum())
