"""The integrals of a solid to 126 binary digits of its coordinates, at a bounded cost, with a bound of what was cut off.

Nearly always nothing is: then the result is exact, and its error bound zero. Digits are cut only where coordinates of very
different size meet, and there 126 binary places below the largest. Whatever is computed from the sums
(centroid, central moments) is computed in fractions and rounded once, so nothing cancels.

Double-double arithmetic would do the same job with 106 digits, a rounding in every operation and a bound that grows with every one;
in whole numbers the exact result costs no more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops.errors import InvalidGeometry
from massprops.moments.exact import ExactMoments, about_origin
from massprops.moments.exact_sums import ExactSums
from massprops.moments.integrals import Moments

#: 126 binary digits: doubles keep all of theirs, 53, where the smallest coordinate seen from the apex is above 2⁻⁷³ (1e-22) of the
#: largest, floats where it is above 2⁻¹⁰² (2e-31).
LIMBS = 6


@dataclass(frozen=True)
class ExtendedMoments:
    """Integrals over a solid, with a bound of the error of each; all rounding that is left is that of the last step to doubles.

    Attributes
    ----------
    moments : ExactMoments
        Exact, of the coordinates as they were cut; about the origin of the coordinates.
    apex : tuple of Fraction
        The point that the body was seen from; errors are those seen from there.
    measure_error, first_error, second_error : Fraction
        By how much ∫1 and any entry of ∫ (x − apex) and ∫ (x − apex)(x − apex)ᵀ can be off: zero where nothing was cut.
    """

    moments: ExactMoments
    apex: tuple[Fraction, Fraction, Fraction]
    measure_error: Fraction
    first_error: Fraction
    second_error: Fraction

    @property
    def exact(self) -> bool:
        """Whether nothing was cut off."""
        return not self.measure_error

    def rounded(self) -> Moments:
        """In doubles, each the nearest to the value here, about the double nearest to the centroid; see `ExactMoments.rounded`."""
        return self.moments.rounded()

    def centroid_error(self) -> Fraction:
        """By how much any coordinate of the centroid can be off.

        Raises
        ------
        InvalidGeometry
            If the volume is zero within its error, so that there is no centroid.
        """
        left = abs(self.moments.measure) - self.measure_error
        if left <= 0:
            raise InvalidGeometry("the solid has a volume of 0 within its error, so no centre", code="zero-volume")
        arm = max(map(abs, self._seen().centroid))
        # |F/V − F′/V′| ≤ (|F − F′| + |F/V| |V − V′|) / |V′|
        return (self.first_error + arm * self.measure_error) / left

    def central_second_error(self) -> Fraction:
        """By how much any entry of the second moments about the centroid can be off: S_c = S − c Fᵀ, F = ∫x."""
        seen, centre = self._seen(), self.centroid_error()
        first = max(map(abs, seen.first)) + self.first_error
        return self.second_error + centre * first + max(map(abs, seen.centroid)) * self.first_error

    def _seen(self) -> ExactMoments:
        return self.moments.seen_from(self.apex)


def solid_moments(chunks: Iterable[NDArray[np.floating]], apex: ArrayLike | None = None) -> ExtendedMoments:
    """Integrals over the solid inside a surface; parameters as in `exact_moments`."""
    sums = ExactSums(apex, LIMBS)
    for chunk in chunks:
        sums.add(chunk)
    errors = sums.errors()
    x, y, z = (0.0, 0.0, 0.0) if sums.apex is None else sums.apex.tolist()
    return ExtendedMoments(about_origin(sums), (Fraction(x), Fraction(y), Fraction(z)), errors[0], errors[1], errors[4])


def rounded_up(error: Fraction) -> float:
    """A double that is no smaller."""
    nearest = float(error)
    return nearest if Fraction(nearest) >= error else math.nextafter(nearest, math.inf)
