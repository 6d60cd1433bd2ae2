"""The integrals of a solid to 126 binary digits of its coordinates, at a bounded cost, with a bound of what was cut off.

Nearly always nothing is: then the result is exact, and the bound zero. Digits are cut only where coordinates of very different size
meet, and there 126 binary places below the largest. Centroid and central moments are computed in fractions and rounded once, so
nothing cancels.

Double-double arithmetic would do the same job with 106 digits, a rounding in every operation and a bound that grows with every one;
in whole numbers the exact result costs no more.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops.errors import InvalidGeometry
from massprops.moments.exact import ExactMoments, about_origin
from massprops.moments.exact_sums import ExactSums
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread

#: 126 binary digits: doubles keep all of theirs, 53, where the smallest coordinate seen from the apex is above 2⁻⁷³ (1e-22) of the
#: largest, floats where it is above 2⁻¹⁰² (2e-31).
LIMBS = 6


def solid_moments(
    chunks: Iterable[NDArray[np.floating]], apex: ArrayLike | None = None
) -> tuple[ExactMoments, Spread | None]:
    """Integrals over the solid inside a surface, and what cut digits can have changed; None where none were cut.

    Parameters as in `massprops.moments.exact.exact_moments`; the moments are exact, of the coordinates as they were cut.

    Raises
    ------
    InvalidGeometry
        If the volume is zero within its error, so that there is no centroid.
    """
    sums = ExactSums(apex, LIMBS)
    for chunk in chunks:
        sums.add(chunk)
    moments, errors = about_origin(sums), sums.errors()
    if abs(moments.measure) <= errors[0]:
        raise InvalidGeometry("the solid has a volume of 0 within its error, so no centre", code="zero-volume")
    if not any(errors):
        return moments, None
    m, *first, xx, xy, xz, yy, yz, zz = map(float, sums.integrals())
    seen = Moments(m, np.array(first), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), np.zeros(3))
    return moments, Spread.from_moments(
        seen, float(errors[0]), np.full(3, float(errors[1])), np.full((3, 3), float(errors[4]))
    )
