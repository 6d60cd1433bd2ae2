"""How far the numbers of a rigid body can be off, from named sources that add up; see `MassProperties.uncertainty`.

The pseudo-inertia Π is additive over bodies and linear in their densities. So an error is a symmetric 4×4 matrix: what it adds to Π
about the nominal centre of mass. A source is one such matrix, or several that are independent of each other.

Sources are of two kinds, which are never mixed:

- *bounds* (rounding, resolution, ``1000 +- 50``): the error is at most this. Sizes of independent errors add up.
- *standard deviations* (``1000 +- 50 sigma``): squares of independent errors add up.

A source that is *shared* (the density of a material) is the same error in all bodies that have it: its matrices are added before anything
else, so that it cancels where a part is cut out again. Other errors of two bodies are independent, also if they have one name.

Standard deviations are those of the linearised views (relative errors of 1 % change 1 % of themselves); bounds include what is not linear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.frames import finite_array, unit_vector
from massprops.moments.arrays import Array, ByValue, product, symmetric_eigen
from massprops.moments.uncertainty import U, Uncertainty
from massprops.rigid_body.principal import principal_of
from massprops.rigid_body.tensors import inertia_of, point_inertia, second_of
from massprops.values import dataclass

ErrorKind = Literal["bound", "sigma"]
_KINDS = {"bound": "bound", "sigma": "standard deviation"}
_Linear = Callable[[Array], Array]
#: The ten entries of a symmetric 4×4 matrix, row by row.
_I, _J = np.triu_indices(4)
#: More independent matrices than this are replaced by few: of bounds by the box around them, of standard deviations by their covariance.
_MOST = {"bound": 1000, "sigma": 32}


@dataclass(frozen=True, eq=False)
class Source(ByValue):
    """A source of errors.

    Attributes
    ----------
    kind : {"bound", "sigma"}
    changes : ndarray, shape (k, 4, 4)
        What k independent errors add to Π about the nominal centre of mass, each as large as it can be, or as one standard deviation.
    shared : bool
        Whether it is the same error in all bodies that have a source of this name; then k = 1.
    """

    kind: ErrorKind
    changes: Array
    shared: bool = False

    def moved(self, transform: Array) -> Self:
        """Under Π ↦ T Π Tᵀ, shape (4, 4)."""
        half = product(self.changes, transform.T)  # its transpose is T C, since C is symmetric
        return type(self)(self.kind, product(np.swapaxes(half, -1, -2), transform.T), self.shared)

    def scaled(self, factor: float) -> Self:
        """Every error times `factor`."""
        return type(self)(self.kind, factor * self.changes, self.shared)

    def joined(self, other: Source, name: str) -> Self:
        """Source of error of two bodies together; InvalidInput if it is not of one kind in both."""
        if (self.kind, self.shared) != (other.kind, other.shared):
            one, two = (f"{'shared ' if s.shared else ''}{_KINDS[s.kind]}" for s in (self, other))
            raise InvalidInput(f"{name!r} is a {one} of one body and a {two} of another", hint="use two names")
        if self.shared:
            return type(self)(self.kind, self.changes + other.changes, True)
        together = np.concatenate([self.changes, other.changes])
        if len(together) > _MOST[self.kind]:
            together = _box(np.abs(together).sum(axis=0)) if self.kind == "bound" else _same_covariance(together)
        return type(self)(self.kind, together)


def _box(sizes: Array) -> Array:
    """An independent change of every entry, shape (4, 4) → (10, 4, 4)."""
    return from_vector10(np.diag(to_vector10(sizes[None])[0]))


def _same_covariance(changes: Array) -> Array:
    """At most ten changes with the covariance of these, by orthogonal projections (Gram and Schmidt)."""
    rest = to_vector10(changes)
    rows = np.zeros((10, 10))
    for j, row in enumerate(rows):
        if size := np.sqrt((rest[:, j] * rest[:, j]).sum()):
            direction = rest[:, j] / size
            row[:] = (direction[:, None] * rest).sum(axis=0)
            rest = rest - direction[:, None] * row
            rest[:, j] = 0.0
    return from_vector10(rows)


def to_vector10(changes: Array) -> Array:
    """The ten entries (0, 0), (0, 1) … (3, 3) of symmetric matrices, shape (k, 4, 4) → (k, 10)."""
    return changes[:, _I, _J]


def from_vector10(rows: Array) -> Array:
    """Symmetric matrices from their ten entries, shape (k, 10) → (k, 4, 4)."""
    changes = np.zeros((len(rows), 4, 4))
    changes[:, _I, _J] = changes[:, _J, _I] = rows
    return changes


def merge(one: Mapping[str, Source], other: Mapping[str, Source]) -> dict[str, Source]:
    """The sources of two bodies about one point."""
    both = dict(one)
    for name, source in other.items():
        both[name] = both[name].joined(source, name) if name in both else source
    return both


def shift(arm: Array) -> Array:
    """T that takes Π about one point to Π about another, `arm` from the new point to the old, shape (4, 4)."""
    transform = np.eye(4)
    transform[:3, 3] = arm
    return transform


class Bounds(NamedTuple):
    """How far a number can be off: by at most `bound`, and by `sigma`, one standard deviation, beside that; shapes of the number."""

    bound: Array
    sigma: Array


@dataclass(frozen=True, eq=False)
class BodyErrors:
    """How far each number of a body can be off; the attributes are those of the body, `sources` by name."""

    body_mass: float
    com: Array
    body_inertia: Array
    sources: Mapping[str, Source]

    def only(self, *names: str) -> BodyErrors:
        """From some of the sources."""
        return BodyErrors(self.body_mass, self.com, self.body_inertia, {n: self.sources[n] for n in names})

    @property
    def mass_is_certain(self) -> bool:
        """Whether the mass is not zero within its bound: else centre and inertia have no bounds."""
        return not self.sources or float(self.mass.bound) < abs(self.body_mass)

    @property
    def bounds(self) -> Uncertainty:
        """The bounds of mass, centre and inertia, as those of a measurement."""
        mass = float(self.mass.bound)
        return Uncertainty(None, mass, self.center_of_mass.bound, self.inertia.bound, None, (0.0 - mass, mass))

    @property
    def linear_bounds(self) -> tuple[Array, Array, Array]:
        """The part of the bounds of mass, mass times centre, and inertia that is linear in the errors: no more than these."""
        moment = self._error_of(lambda changes: changes[:, :3, 3]).bound
        return self.mass.bound, moment, self._error_of(_inertia).bound

    @property
    def mass(self) -> Bounds:
        """Error of the mass, kg."""
        return self._error_of(lambda changes: changes[:, 3, 3])

    @property
    def center_of_mass(self) -> Bounds:
        """Error of the centre of mass, shape (3,), m: δc = δh / m, and as a bound δh / (m − δm)."""
        moment = self._error_of(lambda changes: changes[:, :3, 3])
        return Bounds(moment.bound / self.least_mass(), moment.sigma / abs(self.body_mass))

    @property
    def inertia(self) -> Bounds:
        """Error of the tensor about the centre of mass, entry by entry, shape (3, 3), kg m²; as a bound with h hᵀ / (m − δm)."""
        error = self._error_of(_inertia)
        return Bounds(error.bound + self._remainder(), error.sigma)

    def inertia_about(self, point: ArrayLike) -> Bounds:
        """Error of the tensor about another point, shape (3,), which is linear in Π."""
        return self._about(point)._error_of(_inertia)

    def about_axis(self, point: ArrayLike, direction: ArrayLike) -> tuple[Bounds, Bounds | None]:
        """Errors of the moment of inertia about a line, kg m², and of the radius of gyration about it, m, where there is one."""
        n, arm = unit_vector(direction, "direction of an axis"), self.com - finite_array(point, (3,), "point")
        tensor = self.body_inertia + point_inertia(self.body_mass, arm)
        seen, moment = self._about(point), float((n * product(tensor, n)).sum())

        def about(changes: Array) -> Array:
            turned: Array = (n * product(_inertia(changes), n)).sum(axis=-1)
            return turned

        found = seen._error_of(about)
        if self.body_mass == 0 or moment / self.body_mass <= 0.0:
            return found, None
        return found, seen._of_radii(np.array(moment), about, np.zeros(()))

    def _about(self, point: ArrayLike) -> BodyErrors:
        """With the changes of Π about a point, shape (3,)."""
        transform = shift(self.com - finite_array(point, (3,), "point"))
        moved = {name: source.moved(transform) for name, source in self.sources.items()}
        return BodyErrors(self.body_mass, self.com, self.body_inertia, moved)

    @property
    def principal_moments(self) -> Bounds:
        """Errors of the principal moments, ascending, shape (3,), kg m².

        δλ = aᵀ δI a along each axis a. A bound, and any moment that equals another, has the largest eigenvalue of δI in size (Weyl).
        """
        principal = principal_of(self.body_inertia)

        def largest(changes: Array) -> Array:
            sizes = [np.abs(symmetric_eigen(matrix)[0]).max() for matrix in _inertia(changes)]
            return np.repeat(np.reshape(sizes, (-1, 1)), 3, axis=1)

        def along(changes: Array) -> Array:
            by_axis = (principal.axes * product(_inertia(changes), principal.axes.T).swapaxes(-1, -2)).sum(axis=-1)
            return np.where(principal.arbitrary, largest(changes), by_axis)

        rest = float(np.trace(self._remainder()))
        return Bounds(self._error_of(largest).bound + rest, self._error_of(along).sigma)

    @property
    def radii_of_gyration(self) -> Bounds | None:
        """Errors of √(Ixx/m), √(Iyy/m), √(Izz/m), shape (3,), m; None where the body has none or one of them is zero."""
        m, moments = self.body_mass, self.body_inertia.diagonal()
        if m == 0.0 or (moments / m <= 0.0).any():
            return None
        return self._of_radii(moments, lambda c: _inertia(c).diagonal(axis1=1, axis2=2), self._remainder().diagonal())

    def _of_radii(self, moments: Array, linear: _Linear, rest: Array) -> Bounds:
        """Errors of √(I/m) of moments I, shape (…), that are `linear` in Π but for a `rest`."""
        m, radii = self.body_mass, np.sqrt(moments / self.body_mass)

        def numerator(changes: Array) -> Array:
            of_moments = linear(changes)
            off = of_moments - radii * radii * changes[:, 3, 3].reshape(-1, *(1,) * radii.ndim)
            return np.where(np.abs(off) < 16 * U * np.abs(of_moments), 0.0, off)  # a density changes no radius

        error = self._error_of(numerator)
        # k'² − k² = δ / m', and |k' − k| ≤ |k'² − k²| / k
        off = (error.bound + rest) / self.least_mass()
        return Bounds(off / radii, error.sigma / abs(2 * m * radii))

    def _error_of(self, linear: _Linear) -> Bounds:
        """Error of a number that is linear in Π: sizes of bounds add up, squares of standard deviations."""
        none = np.zeros(linear(np.zeros((1, 4, 4))).shape[1:])
        bound, square = none, none
        for s in self.sources.values():
            off = linear(s.changes)
            if s.kind == "bound":
                bound = bound + np.abs(off).sum(axis=0)
            else:
                square = square + (off * off).sum(axis=0)
        return Bounds(bound, np.sqrt(square))

    def least_mass(self) -> float:
        """The least size that the mass can have; InvalidInput if that is nothing, since then nothing else has a bound."""
        if not self.mass_is_certain:
            what = "the mass is zero within its bound, so the centre of mass has none"
            raise InvalidInput(what, code="non-positive-mass")
        return abs(self.body_mass) - float(self.mass.bound)

    def _remainder(self) -> Array:
        """Second-order part of h hᵀ / m, shape (3, 3), which the motion of the centre of mass takes from the tensor."""
        moment = self._error_of(lambda changes: changes[:, :3, 3]).bound
        return np.abs(inertia_of(np.outer(moment, moment / self.least_mass())))


def _inertia(changes: Array) -> Array:
    return inertia_of(changes[:, :3, :3])


def standard_deviations(body_mass: float, mass: Array, com: Array, inertia: Array) -> Source:
    """Independent errors of the mass, of each coordinate of the centre and of each entry of the tensor about the centre."""
    return _of_entries("sigma", mass, abs(body_mass) * com, inertia)


def bounds_of_entries(known: BodyErrors, mass: Array, com: Array, inertia: Array, *, of_all: bool) -> Source:
    """Bounds of the mass, of each coordinate of the centre and of each entry of the tensor about the centre.

    They come beside those that are `known`; or they are those `of_all` sources, and the known ones are taken off.

    The centre of a body moves with its whole mass, as heavy as that can be: (m + δm)(c + δc) − m c = δm c + (m + δm) δc. So a tolerance
    of the mass, which is δm c alone, leaves all of the rest.
    """
    of_mass, of_moment, of_inertia = known.linear_bounds
    heaviest = abs(known.body_mass) + (mass if of_all else mass + of_mass)
    # what the motion of the centre adds to Π about the nominal centre is not linear
    moment, tensor = heaviest * com, inertia + np.abs(inertia_of(heaviest * np.outer(com, com)))
    if of_all:
        mass, moment, tensor = (
            np.maximum(size - of, 0.0) for size, of in ((mass, of_mass), (moment, of_moment), (tensor, of_inertia))
        )
    return _of_entries("bound", mass, moment, tensor)


def _of_entries(kind: ErrorKind, mass: Array, moment: Array, inertia: Array) -> Source:
    sizes = np.zeros((4, 4))
    sizes[:3, :3], sizes[:3, 3], sizes[3, 3] = inertia, moment, mass
    changes = _box(sizes)
    changes[:, :3, :3] = second_of(changes[:, :3, :3])
    return Source(kind, changes[changes.any(axis=(1, 2))])
