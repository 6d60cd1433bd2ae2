"""Bodies that share space: how much two have in common, and what is left of one where others take its place.

Lines decide, as in `solid_union`: what is summed along them is only the space that a sum of whole bodies counts wrongly, so that a body
inside another one, or beside it, costs no accuracy. What no line has met can be as large as `hidden_volume`, with 99.9 % confidence.

Tests: `tests/mesh/test_overlap.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from massprops.errors import result_or_error
from massprops.mesh.repair.solid_union import exact_difference, mean_of, sums_along
from massprops.mesh.source import Triangles, slices
from massprops.mesh.surface import Surface
from massprops.mesh.xray.line_crossings import Crossings, Winding, xray
from massprops.mesh.xray.line_grid import Lattice
from massprops.mesh.xray.verdict import hidden_volume
from massprops.moments.arrays import Array, ByValue, Index, product, sum_of
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, displacement, hidden
from massprops.values import dataclass

#: Lines per side: to see whether bodies share space, and to sum what they share.
LINES_TO_SEE, _LINES = 128, 256
#: A lattice over all cutters is as fine as one over the space in common, if it is no larger than this.
_AS_FINE = 1.001
#: What one body of each kind adds to the count along a line: up to 65,535 of a kind in one place.
_KIND = 1 << 16

NOTHING = Spread(0.0, np.zeros(3), np.zeros((3, 3)))
#: Function of the numbers of bodies of each kind at a point: what is summed there.
Weight = Callable[[list[Index]], Index]


@dataclass(frozen=True, eq=False)
class FilledSpace(ByValue):
    """A solid and the triangles near its surface, in metres.

    Attributes
    ----------
    moments : Moments
        Of the solid itself.
    inside, around : ndarray, shape (n, 3, 3)
        Closed and outward: no point of the one is outside the solid, none of the other inside it. One array where the triangles are
        the surface.
    gap : float
        Largest volume that can lie between the solid and its triangles, m³.
    """

    moments: Moments
    inside: Array
    around: Array
    gap: float = 0.0

    @property
    def bounds(self) -> Array:
        """Bounds of a box that holds it, shape (2, 3)."""
        return np.array([self.around.min(axis=(0, 1)), self.around.max(axis=(0, 1))])

    @property
    def is_flat_sided(self) -> bool:
        """Whether the triangles are the surface."""
        return self.around is self.inside

    def moved(self, rotation: Array, translation: Array) -> Self:
        """Solid under a rigid motion x ↦ R x + t."""

        def place(corners: Array) -> Array:
            return np.asarray(product(corners, rotation.T) + translation)

        inside = place(self.inside)
        around = inside if self.is_flat_sided else place(self.around)
        return replace(self, moments=self.moments.moved(rotation, translation), inside=inside, around=around)


def common_space(one: FilledSpace, other: FilledSpace, cut: Sequence[FilledSpace] = ()) -> tuple[Moments, float] | None:
    """Space that two solids have in common outside of others, and how far its volume can be off, m³; None where that is nothing."""
    box = _intersection(one.bounds, other.bounds)
    if not (box[0] < box[1]).all():
        return None
    lattice = Lattice.over(box, LINES_TO_SEE, _seed(one, other))

    def is_shared(n: list[Index]) -> Index:
        return np.asarray((n[0] > 0) & (n[1] > 0) & (n[2] == 0), np.intp)

    if not one.is_flat_sided or not other.is_flat_sided:
        seen = _windings(lattice, [one.around], [other.around], [c.inside for c in cut])
        if not any(is_shared(_counts(w)).any() for w in seen):
            return None
    windings = _windings(lattice, [one.inside], [other.inside], [c.inside for c in cut])
    nothing = Moments.zero(box.mean(axis=0))
    candidates: list[tuple[Moments, Weight]] = [(nothing, is_shared)]
    for k, whole in enumerate((one, other)):
        if np.ptp(whole.bounds, axis=0).prod() <= _AS_FINE * np.ptp(box, axis=0).prod():
            candidates.append((whole.moments, lambda n, k=k: is_shared(n) - n[k]))  # type: ignore[misc]
    estimates = _least(lattice, windings, candidates)
    volumes = np.array([e.measure for e in estimates])
    volume = float(volumes.mean())
    off = 2 * float(np.abs(volumes - volume).max()) + hidden_volume(lattice) + one.gap + other.gap
    if volume <= 0.0:
        return None
    return sum_of(estimates).times(1 / len(estimates)), off


def remainder(
    body: FilledSpace, cutters: Sequence[FilledSpace], spared: Sequence[FilledSpace] = (), lines: int = _LINES
) -> tuple[Moments, Spread] | None:
    """Moments of a solid outside of others, and their bounds; None where nothing certain is left.

    Parameters
    ----------
    body : FilledSpace
        What is left of it is asked.
    cutters : sequence of FilledSpace
        What takes its place.
    spared : sequence of FilledSpace
        Where nothing is taken away, since it is counted elsewhere: holes.
    lines : int
        Per side of each family; even.

    Returns
    -------
    tuple of Moments and Spread, or None
        In the coordinates of the body.
    """
    of_cutters = np.array(
        [np.min([c.bounds[0] for c in cutters], axis=0), np.max([c.bounds[1] for c in cutters], axis=0)]
    )
    box = _intersection(body.bounds, of_cutters)
    if not (box[0] < box[1]).all():
        return body.moments, NOTHING
    is_whole = np.ptp(of_cutters, axis=0).prod() <= _AS_FINE * np.ptp(box, axis=0).prod()
    lattice = Lattice.over(of_cutters if is_whole else box, lines, _seed(body, *cutters))
    kept = [s.inside for s in spared]
    windings = _windings(lattice, [body.inside], [c.inside for c in cutters], kept)

    def is_taken(n: list[Index]) -> Index:
        return np.asarray((n[0] > 0) & (n[1] > 0) & (n[2] == 0), np.intp)

    def beyond(n: list[Index]) -> Index:
        """Count of what a difference of whole bodies takes away too much."""
        return n[1] - is_taken(n)

    candidates: list[tuple[Moments, Weight]] = [(body.moments, lambda n: -is_taken(n))]
    if is_whole:
        candidates.insert(0, (body.moments - sum_of(c.moments for c in cutters), beyond))
    estimates = _least(lattice, windings, candidates)
    found, spread = mean_of(estimates)
    if is_exact := len(estimates) == 1:
        spread = NOTHING
    gap = body.gap + sum(c.gap for c in cutters)
    if gap and is_whole and is_exact:  # a clearance all round leaves no doubt of curved surfaces
        around = _windings(lattice, [body.inside], [c.around for c in cutters], kept)
        gap = 0.0 if not any(beyond(_counts(w)).any() for w in around) else gap
    if not found.measure > spread.volume + gap:
        return None
    missed = hidden_volume(lattice)
    if not (is_exact or spared) and (exact := _exactly(body, cutters)) is not None:
        moments, off = exact
        if abs(moments.measure - found.measure) <= spread.volume + off.volume + missed:
            found, spread, missed = moments, off, 0.0
    return found, spread + hidden(found, body.bounds, gap + missed)


def _exactly(body: FilledSpace, cutters: Sequence[FilledSpace]) -> tuple[Moments, Spread] | None:
    """The remainder by manifold3d, where that is installed and takes the triangles; and what its tolerance can change."""
    found = result_or_error(exact_difference, [_triangles(body.inside)], [_triangles(c.inside) for c in cutters])
    if not isinstance(found, tuple) or not len(found[0].faces):
        return None
    mesh, tolerance = found
    left = Surface.of(mesh.points[mesh.faces], body.moments.reference)
    taken = Surface.of(body.inside, body.moments.reference).solid - left.solid
    return body.moments - taken, displacement(left.solid, left.sheet, tolerance)


def _least(
    lattice: Lattice, windings: Sequence[Winding], candidates: Iterable[tuple[Moments, Weight]]
) -> list[Moments]:
    """Estimates of what is the known moments and a weight along the lines: of the candidate that leaves least to the lines.

    Twelve, or one where it leaves them nothing.
    """

    def amount(candidate: tuple[Moments, Weight]) -> float:
        return sum(float((np.abs(candidate[1](_counts(w))) * (w.stop - w.start)).sum()) for w in windings)

    known, weight = min(candidates, key=amount)
    if not amount((known, weight)):
        return [known]
    return [
        known + found
        for k, w in enumerate(windings)
        for found in sums_along(w, weight(_counts(w)), k, lattice, known.reference)
    ]


def _windings(lattice: Lattice, *kinds: Sequence[Array]) -> list[Winding]:
    """Winding numbers along the lines that count the bodies of each kind; see `_counts`."""
    families: list[list[Crossings]] = [[], [], []]
    for number, bodies in enumerate(kinds):
        for corners in bodies:
            for family, crossings in zip(families, xray(_triangles(corners), lattice), strict=True):
                family.append(replace(crossings, change=crossings.change.astype(np.int64) * _KIND**number))
    return [Winding.along(Crossings.of_parts(family)) for family in families]


def _counts(winding: Winding) -> list[Index]:
    """Number of bodies of each of three kinds around each segment; what is inside out by rounding is in none."""
    found, rest = [], winding.w
    for _ in range(3):
        own = (rest + _KIND // 2) % _KIND - _KIND // 2
        found.append(np.maximum(own, 0))
        rest = (rest - own) // _KIND
    return found


def _triangles(corners: Array) -> Triangles:
    return Triangles("part", len(corners), functools.partial(slices, corners))


def _intersection(one: Array, other: Array) -> Array:
    return np.array([np.maximum(one[0], other[0]), np.minimum(one[1], other[1])])


def _seed(*bodies: FilledSpace) -> int:
    """Seed of the lines: that of the integrals, so that whoever moves a body moves them, too."""
    return sum(Surface.of(b.inside[: 1 << 12], b.moments.reference).seed for b in bodies)
