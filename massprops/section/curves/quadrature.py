"""Gauss-Legendre nodes, and the adaptive rule for integrands that are no polynomials.

Tests: `tests/section/test_curves.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from massprops.moments.arrays import Array

#: Nodes per piece of an adaptive integral. Sixteen are exact to rounding for a quarter of a circle.
NODES = 16
#: Two halves and the whole must agree to this share of the integral; double precision itself is left a factor of ten.
AGREEMENT = 2e-15
#: Halvings of one curve: a cusp or a weight near zero is approached to 2⁻⁴⁰ of the parameter, and what is left is the error.
DEEPEST = 40


@functools.cache
def unit_rule(n: int) -> tuple[Array, Array]:
    """Nodes and weights on [0, 1]; exact for polynomials of degree 2n − 1. Shapes (n,)."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (1 + nodes) / 2, weights / 2


def adaptive_breaks(integrand: Callable[[Array], Array], breaks: Array) -> tuple[Array, float]:
    """Break points between which `NODES` nodes integrate to rounding, and what may be missing.

    Parameters
    ----------
    integrand : callable
        t of shape (n,) to values of shape (m, n).
    breaks : ndarray, shape (k + 1,)
        Where to begin.

    Returns
    -------
    ndarray, shape (j + 1,), and float
        Finer break points; the largest absolute disagreement that was left, summed over the pieces.
    """
    nodes, weights = unit_rule(NODES)
    whole = _sums(integrand, breaks[:-1], breaks[1:], nodes, weights)
    size = np.abs(whole).sum(axis=1).max(initial=0.0)
    done, left = [breaks[:1]], 0.0
    low, high = breaks[:-1], breaks[1:]
    for depth in range(DEEPEST + 1):
        middle = (low + high) / 2
        first, second = (_sums(integrand, a, b, nodes, weights) for a, b in ((low, middle), (middle, high)))
        gap = np.abs(first + second - whole).max(axis=0)
        bad = gap > AGREEMENT * size
        if depth == DEEPEST or not bad.any():
            done.append(high)
            left += float(gap[bad].sum())
            break
        done.append(high[~bad])
        low, high = np.concatenate([low[bad], middle[bad]]), np.concatenate([middle[bad], high[bad]])
        whole = np.concatenate([first[:, bad], second[:, bad]], axis=1)
    return np.unique(np.concatenate(done)), left


def nodes_between(breaks: Array, n: int = NODES) -> tuple[Array, Array]:
    """Nodes and weights of the n-point rule on every piece, one after the other."""
    nodes, weights = unit_rule(n)
    width = np.diff(breaks)[:, np.newaxis]
    return (breaks[:-1, np.newaxis] + width * nodes).ravel(), (width * weights).ravel()


def _sums(integrand: Callable[[Array], Array], low: Array, high: Array, nodes: Array, weights: Array) -> Array:
    """Integrals over [low, high], shape (m, pieces)."""
    width = high - low
    t = low[:, np.newaxis] + width[:, np.newaxis] * nodes
    values = integrand(t.ravel()).reshape(-1, *t.shape)
    return np.asarray((values * weights).sum(axis=2) * width)
