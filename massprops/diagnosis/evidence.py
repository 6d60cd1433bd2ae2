"""Evidence for each mistake that could explain the difference between an inertial and a geometry.

The numbers that a link states differ from those of its geometry: bodies are not quite uniform, meshes are coarser than parts, and digits
are few. Differences of n entries, in units of weights wᵢ times one unknown scale (prior 1/σ, integrated out), have the likelihood
D⁻ⁿ / Π wᵢ, where D is their norm. A mistake is as likely as the numbers without it: its odds against none are the ratio of both
likelihoods, times that of the densities, times the share that such mistakes have of all. A norm is never less than what the printed
digits leave open.

Mistakes that come to the same numbers, as one wrong sign and all signs do where the other products are 0, are one correction: its odds are
the sum of theirs, it has the name of the likeliest, and the next one is named beside it.

Links with the same geometry, or mirror images of it, that state other numbers than this one can confirm a mistake: `twins`.

Weights are a mixture. Either all entries are equally uncertain, or each is by a share of itself, as products of nearly symmetric parts are.
Mass that lies nearer to the centre than that of a uniform body, or farther from it, changes all entries of a tensor by one factor, which
says nothing about signs, axes and single entries: this common factor is more uncertain than the rest. Of a tensor with three equal moments
and no products only one number is stated, and the agreement of all six is the evidence of one.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from massprops.diagnosis import common_mistakes as mistakes
from massprops.diagnosis.formula_slips import bounding_boxes, formula_slips
from massprops.diagnosis.reference import Reference
from massprops.diagnosis.twins import NO_OTHERS, MirroredLinks, OtherLinks
from massprops.formats.inertial.inertial import Inertial
from massprops.moments.arrays import Array, length, sandwich
from massprops.rigid_body.plausibility import LIGHTEST, PLAUSIBLE_DENSITY, is_common_density

#: A tensor that is this near once a mistake is undone agrees: parts of several materials differ from their geometry by more.
AGREES = 0.05
#: One mistake that leaves no more than this of the tensor needs no second one: CAD-true inertials are as far from their meshes.
ENOUGH = 0.02
#: Distance up to which centres agree, over the diagonal of the bounds.
CENTRE_AGREES = 0.02
#: Principal moments that differ by less than this, and a third of the tensor, are the same moments.
SAME_MOMENTS = 0.03
#: The same of the moments of a primitive shape.
SAME_OF_SHAPE = 1e-3
#: A unit of which neither density is odd leaves no more than so many times these: nothing of a mesh, 0.005 of a shape.
UNIT_AGREES = 5.0
#: The weight of an entry is its own size and this share of the norm: of either kind of uncertainty as many.
SHARES = (0.1, 0.5)
#: Of what mass that is not uniform changes of a tensor: a mistake leaves less than this share, or makes more than so many times it.
UNEVEN = 0.25, 3.0
#: A tensor that is so many times its size away is that of no density in the geometry.
ANOTHER_BODY = 10.0
#: Number of times that each entry stands in the tensor: a norm of differences is that of matrices, which does not depend on the axes.
TWICE = np.array([1.0, 1, 1, 2, 2, 2])
#: Uncertainty of the common factor of a tensor, in multiples of that of the rest, and the largest change for which that holds.
FACTOR, MOST = 3.0, 2 * AGREES
#: Meshes of CAD parts are not nearer than this to the part, in units of the weights.
FINEST, CENTRE_FINEST = 1e-3, 1e-3
#: Primitive shapes are the part as it was modelled: their lengths have six digits or more.
EXACT = 1e-5
#: A tensor this near to what a mistake makes is that to all digits of a double, however few are printed.
ALL_DIGITS = 1e-9
#: Densities of links: their median and a standard deviation of the logarithm; no density counts for more than `MAX_DENSITY_EVIDENCE`.
COMMON, SPREAD, MAX_DENSITY_EVIDENCE = 1800.0, 1.3, 20.0
#: Kinds of mistake that only the size of the geometry tells.
_SIZES = ("decimal-point", "wrong-unit", "several-mistakes")
#: Logarithm of the least odds at which a mistake is reported.
MIN_LOG_ODDS = math.log(20)
#: Corrections nearer than this, of the largest entry, come to the same numbers: six digits are printed.
SAME = 1e-6
#: Largest difference of a score from the best one at which a hypothesis is an alternative.
CLOSE = 3.0


@dataclass(frozen=True, eq=False)
class RankedMistake:
    """A mistake that explains the difference.

    Attributes
    ----------
    mistake : Mistake
    score : float
        Logarithm of the odds against no mistake, but for how rare mistakes are.
    distance : float or None
        What remains of the tensor's distance; of the centre's, if the mistake is about that alone; None without a geometry.
    same : tuple of Mistake
        Of other kinds, with the same numbers, the likeliest first.
    is_decided : bool or None
        Where all ten numbers are those of a twin once it is undone: whether this link is the wrong one of both.
    least : float
        Score from which it is reported.
    """

    mistake: mistakes.Mistake
    score: float
    distance: float | None
    same: tuple[mistakes.Mistake, ...] = ()
    is_decided: bool | None = None
    least: float = MIN_LOG_ODDS

    @property
    def words(self) -> str:
        """Description of the mistake, and of others with the same result."""
        if not self.same:
            return self.mistake.words
        kinds = ", ".join(dict.fromkeys(m.kind for m in self.same if m.kind != self.same[0].kind))
        also = f"; so would {kinds}" if kinds else ""
        return f"{self.mistake.words} or {self.same[0].words} (the same numbers here{also})"


def likely_mistakes(stated: Inertial, reference: Reference, others: OtherLinks = NO_OTHERS) -> list[RankedMistake]:
    """The mistakes that explain how an inertial differs from a geometry, the likeliest first.

    If one mistake explains all numbers better than two explain the tensor and the centre, those that are about one of them are left out.
    `others` are the other links of its robot, by name: their geometries may be those that the numbers belong to, and those that are alike
    should state the same.
    """
    if stated.mass == 0 or reference.moments.measure <= 0:
        return []
    twins = MirroredLinks(stated, reference, others)
    different = {k: x.reference for k, x in others.items() if x.reference.is_clearly_another(reference)}
    hypotheses = [*mistakes.all_mistakes(stated, reference, different)]
    hypotheses += [*formula_slips(stated, reference), *bounding_boxes(stated, reference)]
    tried = [_with_twin(mistake, share, twins) for mistake, share in hypotheses]
    as_it_is = mistakes.correction(mistakes.along_body(stated))
    before, *after = _differences(stated, [as_it_is, *(mistake for mistake, _ in tried)], reference)
    count = len(mistakes.ENTRIES)
    if mistakes.is_isotropic(stated):
        count = -1 if mistakes.is_round(stated) else 1
    scored = [
        RankedMistake(mistake, score, left.centre if mistake.about == "centre" else left.tensor, least=least)
        for (mistake, share), left in zip(tried, after, strict=True)
        if (score := _score(mistake, before, left, count) + math.log(share)) >= (least := _least(before, left)) - CLOSE
    ]
    scored.sort(key=lambda one: -one.score)
    found = sorted((one for one in pool(scored) if one.score >= one.least), key=lambda one: -one.score)
    single = [f for f in found if f.mistake.kind != "several-mistakes"]
    if any(f.mistake.about != "centre" and f.distance is not None and f.distance <= ENOUGH for f in single):
        found = single
    if before.tensor > ANOTHER_BODY and all(f.mistake.about == "centre" for f in found):
        found = []  # what mends the centre alone does not explain the numbers
    best = {one.mistake.about: one.score for one in reversed(found)}
    apart = [score for about, score in best.items() if about != "all"]
    both = "all" in best and (not apart or best["all"] > sum(apart))
    exact = _of_exact_twins(twins, reference)
    known = bool(exact) and any(f.mistake.is_like(exact[0].mistake, EXACT) for f in found)
    if exact and not known and (exact[0].is_decided or not found):
        return exact
    found = [f for f in found if (f.mistake.about == "all") == both]
    if found and is_of_collision(stated, reference):
        return [
            f for f in found if f.mistake.geometry is not None
        ]  # the numbers are right, and the visual geometry may be wrong
    return found


def is_of_collision(stated: Inertial, reference: Reference) -> bool:
    """Whether an inertial is that of the collision geometry, and not of the visual one."""
    other = reference.collision()
    if other is None or not other.moments.measure > 0 or not other.inertia.any():
        return False
    if not is_common_density(stated.mass / other.moments.measure):
        return False
    both = [
        r.tensor_distance(stated) <= ENOUGH and r.centre_distance(stated) <= CENTRE_AGREES for r in (reference, other)
    ]
    return both == [False, True]


def _of_exact_twins(twins: MirroredLinks, reference: Reference) -> list[RankedMistake]:
    """Mistakes of which a twin is the evidence, to all digits; the likeliest first."""
    ranked = [
        RankedMistake(
            mistake,
            MIN_LOG_ODDS + CLOSE + math.log(share),
            reference.centre_distance(right) if mistake.about == "centre" else reference.tensor_distance(right),
            is_decided=is_wrong,
        )
        for mistake, share, is_wrong in twins.exact()
        if (right := mistake.corrected)
    ]
    ranked.sort(key=lambda one: -one.score)
    return [replace(one, score=ranked[0].score) for one in pool(ranked)]


def pool(ranked: Sequence[RankedMistake]) -> Iterator[RankedMistake]:
    """Mistakes with those that come to the same numbers, and the odds of all of these."""
    for one in ranked:
        alike = [k for k in ranked if k.mistake.is_like(one.mistake, SAME)]
        others = tuple(k.mistake for k in alike if k.mistake.kind != one.mistake.kind)
        yield replace(one, score=float(np.logaddexp.reduce([k.score for k in alike])), same=others)


def _with_twin(mistake: mistakes.Mistake, share: float, twins: MirroredLinks) -> tuple[mistakes.Mistake, float]:
    """A mistake that a twin confirms is as likely as one of the twin."""
    name = twins.confirming(mistake)
    if name is None:
        return mistake, share
    words = f"{mistake.words}, as stated for the same part in link {reprlib.repr(name)}"
    return mistake._replace(words=words, twin=True), 1.0


def alternatives(likely: Sequence[RankedMistake], tolerance: float) -> list[RankedMistake]:
    """The first and those nearly as likely that come to other numbers, to `tolerance` of the largest entry."""
    kept: list[RankedMistake] = []
    for one in likely:
        if one.score >= likely[0].score - CLOSE and not any(one.mistake.is_like(k.mistake, tolerance) for k in kept):
            kept.append(one)
    return kept


class _Difference(NamedTuple):
    """Distances, relative; the logarithms of their likelihoods; the density, kg/m³; how far moments may be apart that are the same; and the
    moment of the whole mass at the distance of the centres, as a share of the tensor: what mass that is not uniform changes of it, about.
    """

    tensor: float
    centre: float
    tensor_likelihood: float
    centre_likelihood: float
    density: float
    same_moments: float
    uneven: float


def _agrees(mistake: mistakes.Mistake, before: _Difference, after: _Difference) -> bool:
    """Whether corrected numbers agree with the geometry, and nothing else explains as well that they do."""
    low, high = PLAUSIBLE_DENSITY
    if mistake.about != "centre":
        if after.tensor > AGREES:
            return False
        if mistake.kind in _SIZES and not low <= after.density <= high:
            return False  # the geometry is a marker, whose size says nothing
        is_odd = not low <= before.density <= high
        if mistake.kind == "wrong-unit" and not is_odd and after.tensor > UNIT_AGREES * after.same_moments:
            return False  # a part that is not uniform comes as near to 2.2 times its shape
    if mistake.about != "tensor" and after.centre > CENTRE_AGREES:
        return False
    if mistake.kind == "mesh-scale" and not LIGHTEST <= after.density <= high:
        return False  # tonnes and mm, and not a part of less than air
    few, many = (share * after.uneven for share in UNEVEN)
    if mistake.about == "tensor" and before.tensor < many and after.tensor > few:
        return False
    least = min(after.same_moments, before.tensor / 3)
    return not mistake.free or mistake.predicted is not None or after.tensor <= least


def _score(mistake: mistakes.Mistake, before: _Difference, after: _Difference, count: int) -> float:
    """Logarithm of the odds of a mistake against none; −∞ where the corrected numbers do not agree, or most of the difference remains.

    `count` entries of the tensor are stated independently; −1 is one of which the number is round.
    """
    if not _agrees(mistake, before, after):
        return -math.inf
    density = _density(after.density) - _density(before.density)
    remains = not mistake.twin and 2 * after.tensor**2 >= before.tensor**2 and 2 * after.centre**2 >= before.centre**2
    if remains and density < min(MIN_LOG_ODDS, _least(before, after)):
        return -math.inf
    if (
        mistake.predicted is not None and count > 0
    ):  # moments that are equal to three digits or more are so by a formula
        count = max(count, 3)
    tensor = (
        max(abs(count) - mistake.free, 0) / len(mistakes.ENTRIES) * (after.tensor_likelihood - before.tensor_likelihood)
    )
    return density + tensor + after.centre_likelihood - before.centre_likelihood


def _least(before: _Difference, after: _Difference) -> float:
    """The least score of a mistake: less where all numbers agree with it, and without it no material has the density, or a hull alone."""
    low, high = PLAUSIBLE_DENSITY
    only_without = not low <= before.density <= high and low <= after.density <= high and after.tensor <= ENOUGH
    return MIN_LOG_ODDS - (MAX_DENSITY_EVIDENCE + _density(before.density) if only_without else 0.0)


def _differences(stated: Inertial, corrections: Sequence[mistakes.Mistake], own: Reference) -> list[_Difference]:
    """Differences of corrected numbers from their geometry, the first those as they are; the digits are those that are `stated`."""
    geometries, axes = [m.geometry or own for m in corrections], corrections[0].rotation
    mine = sandwich(axes.T, own.inertia)
    along = [
        mine if g is own and m.rotation is axes else sandwich(m.rotation.T, g.inertia)
        for m, g in zip(corrections, geometries, strict=True)
    ]
    masses = np.abs([m.mass for m in corrections])
    uniform = masses[:, None, None] * np.array(along)
    for k, m in enumerate(corrections):
        if m.predicted is not None:
            uniform[k] = m.predicted
    largest = np.abs(uniform).max(axis=(1, 2))  # of a grain of dust, whose square is no double precision number
    norm = largest * np.sqrt(((uniform / largest[:, None, None]) ** 2).sum(axis=(1, 2)))
    compared = np.array([m.tensor if m.predicted is None else stated.tensor for m in corrections])
    true, gap = _upper(uniform) / norm[:, None], _upper(compared - uniform) / norm[:, None]
    tensor = np.sqrt((gap**2 * TWICE).sum(axis=1))
    digits = np.array(mistakes.last_digits(mistakes.entries_of(stated.tensor))) / (length(stated.tensor) or 1.0)
    is_exact = np.array([m.predicted is not None for m in corrections]) & (tensor <= ALL_DIGITS)
    tensor[is_exact] = 0.0
    open_digits = np.where(is_exact[:, None] & (not _is_power_of_ten(stated)), 0.0, digits)
    sizes = np.array([g.size for g in geometries])
    centroids = np.array([g.centroid for g in geometries]) / sizes[:, None]
    away = np.array([m.centre for m in corrections]) / sizes[:, None] - centroids
    shortest = min(mistakes.last_digits(stated.frame.translation.tolist()))
    finest = FINEST if own.shape is None else EXACT
    found = [
        tensor,
        np.sqrt((away**2).sum(axis=1)),
        _likelihood(gap * TWICE**0.5, true * TWICE**0.5, open_digits * TWICE**0.5, finest, MOST),
        _likelihood(away, centroids, shortest / sizes[:, None], CENTRE_FINEST),
        masses / np.array([g.moments.measure for g in geometries]),
        np.full(len(masses), SAME_MOMENTS if own.shape is None else SAME_OF_SHAPE),
        masses * ((away * sizes[:, None]) ** 2).sum(axis=1) / norm,
    ]
    return [_Difference(*row) for row in np.stack(found, axis=1).tolist()]


def _likelihood(gap: Array, true: Array, digits: Array, finest: float, most: float = 0.0) -> Array:
    """Logarithms, of differences in rows: a mixture of weights, each with its norm D to the power of minus the number of entries.

    A common factor of the true values of up to `most` counts for one `FACTOR`-th.
    """
    kinds = []
    for share in SHARES:
        weights = np.hypot(true, share)
        # a digit is rounded by up to half a unit, one twelfth of its square on average
        squares = ((gap**2 + digits**2 / 12) / weights**2).sum(axis=1)
        size = np.sqrt(((true / weights) ** 2).sum(axis=1))
        along = np.abs((gap * true / weights**2).sum(axis=1)) / np.maximum(size, 1e-30)  # a centre may be 0
        counted = np.maximum(along / FACTOR, along - most * size)
        norm = np.sqrt((squares - along**2 + counted**2) / gap.shape[1] + finest**2)
        kinds.append(-gap.shape[1] * np.log(norm) - np.log(weights).sum(axis=1))
    mixed: Array = np.logaddexp(*kinds)
    return mixed


def _upper(tensors: Array) -> Array:
    """Six entries of symmetric tensors, shape (n, 6): Ixx Iyy Izz Ixy Ixz Iyz."""
    return np.stack([tensors[:, i, j] for i, j in mistakes.ENTRIES.values()], axis=1)


def _is_power_of_ten(stated: Inertial) -> bool:
    """Whether all moments are one of 0.1, 0.01 …, which a formula gives by chance."""
    moment = float(stated.tensor[0, 0])
    return mistakes.is_isotropic(stated) and moment > 0 and math.log10(moment) == round(math.log10(moment), 12)


def _density(density: float) -> float:
    """Logarithm of how common a density is."""
    if density <= 0:
        return -MAX_DENSITY_EVIDENCE
    return -min(0.5 * (math.log(density / COMMON) / SPREAD) ** 2, MAX_DENSITY_EVIDENCE)
