"""The integrals over polygons without rounding, for sections so thin that the sums of doubles lose them.

Coordinates are whole multiples of a common power of two, so the sums of products are whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from massprops.moments.integrals import Array, Moments


def exact_polygon_moments(rings: Iterable[tuple[Array, int]]) -> Moments:
    """Moments of closed polygons (n, 2), each counted with its sign (±1, 0); every integral is the double nearest to the truth.

    They are taken about the double nearest to the centroid. Steger (1996), "On the calculation of arbitrary moments of polygons".
    """
    listed = [(points, sign) for points, sign in rings if sign]
    least = int(min(np.frexp(points[points != 0])[1].min(initial=0) for points, _ in listed)) - 53
    area2, first6, second24 = 0, [0, 0], [0, 0, 0]
    for points, sign in listed:
        mantissas, exponents = np.frexp(points)
        whole = (mantissas * 2.0**53).astype(np.int64).astype(object)
        x, y = np.array(
            [
                [m << max(e, 0) for m, e in zip(*row, strict=True)]
                for row in zip(whole.T.tolist(), (exponents.T - 53 - least).tolist(), strict=True)
            ],
            dtype=object,
        )
        u, v = np.roll(x, -1), np.roll(y, -1)
        cross = x * v - u * y
        own = int(cross.sum())
        turn = sign if own > 0 else -sign
        area2 += turn * own
        for k, (a, b) in enumerate(((x, u), (y, v))):
            first6[k] += turn * int(((a + b) * cross).sum())
        products = (2 * (x * x + x * u + u * u), 2 * x * y + x * v + u * y + 2 * u * v, 2 * (y * y + y * v + v * v))
        for k, p in enumerate(products):
            second24[k] += turn * int((p * cross).sum())
    if not area2:
        return Moments.zero(np.zeros(2))
    unit = Fraction(2) ** least
    area, first = Fraction(area2, 2) * unit**2, [Fraction(f, 6) * unit**3 for f in first6]
    reference = np.array([float(f / area) for f in first])
    r = [Fraction(float(c)) for c in reference]
    xx, xy, yy = (Fraction(s, 24) * unit**4 for s in second24)

    def about(s: Fraction, i: int, j: int) -> float:
        return float(s - r[i] * first[j] - first[i] * r[j] + area * r[i] * r[j])

    second = np.array([[about(xx, 0, 0), about(xy, 0, 1)], [about(xy, 0, 1), about(yy, 1, 1)]])
    return Moments(float(area), np.array([float(first[k] - area * r[k]) for k in (0, 1)]), second, reference)
