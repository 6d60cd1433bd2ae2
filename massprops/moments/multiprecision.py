"""Whole numbers of any length, thousands at a time, in arrays of doubles.

A number is Σ limbs[k] · 2^(21 k), its limbs along the first axis of an array, the least significant first. Limbs are doubles with
whole values: of size 2²⁰ at most, so that a product of two has 40 bits, and 2¹³ of them add up without a rounding. So every sum is
exact in any order, with or without fused multiplication, and numpy and BLAS do all of the work.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Limbs = NDArray[np.float64]

BITS = 21
_BASE = 2.0**BITS


def split(terms: Limbs, most: int | None = None) -> tuple[Limbs, int]:
    """The sums of doubles along the first axis as limbs, and the exponent of their unit: Σ limbs[k] · 2^(21 k + exponent).

    Parameters
    ----------
    terms : ndarray, shape (t, …), t ≤ 4
        Finite; changed by the call.
    most : int, optional
        Limbs to keep, counted from the largest term of all. What lies below is cut off, and stays in `terms`; with None nothing does.

    Returns
    -------
    limbs : ndarray, shape (L, …)
        L as small as the terms allow, at least one.
    exponent : int
    """
    exponent = math.frexp(float(np.abs(terms).max(initial=0)))[1]
    found: list[Limbs] = []
    while terms.any() and len(found) != most:
        exponent -= BITS
        limb = np.trunc(np.ldexp(terms, -exponent))
        terms -= np.ldexp(limb, exponent)
        found.append(limb.sum(axis=0))
    return carried(np.array(found[::-1]) if found else np.zeros_like(terms[:1])), exponent


def carried(limbs: Limbs) -> Limbs:
    """The same numbers with limbs of size 2²⁰ at most, from limbs of size below 2⁵²."""
    done: list[Limbs] = []
    carry = np.zeros_like(limbs[0])
    for limb in limbs:
        carry = _moved_up(limb + carry, done)
    while carry.any():
        carry = _moved_up(carry, done)
    while len(done) > 1 and not done[-1].any():
        done.pop()
    return np.array(done)


def _moved_up(limb: Limbs, done: list[Limbs]) -> Limbs:
    """Puts the limb's own part on `done` and gives back what belongs to the next."""
    carry = np.rint(limb / _BASE)
    done.append(limb - carry * _BASE)
    return carry


def product(u: Limbs, v: Limbs) -> Limbs:
    """Products of numbers, shapes (L, …) and (M, …) to (L + M − 1, …); the limbs want carrying."""
    limbs = np.zeros((len(u) + len(v) - 1, *np.broadcast_shapes(u.shape[1:], v.shape[1:])))
    for k, limb in enumerate(u):
        limbs[k : k + len(v)] += limb * v
    return limbs


def dot(u: Limbs, v: Limbs) -> list[int]:
    """Σ u v over n numbers, for each of m rows of v: shapes (L, n) and (M, m, n), n ≤ 2¹¹, limbs of size 3 · 2²⁰ at most in v."""
    m = v.shape[1]
    table = (u @ v.reshape(-1, v.shape[-1]).T).astype(np.int64).reshape(len(u), len(v), m)
    limbs = np.zeros((len(u) + len(v) - 1, m), dtype=np.int64)
    for k, row in enumerate(table):
        limbs[k : k + len(v)] += row
    return [sum(limb << BITS * k for k, limb in enumerate(column)) for column in limbs.T.tolist()]
