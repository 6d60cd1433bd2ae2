"""Rigid bodies whose numbers can be off, and what that means for their sums, their motions and their views.

The pseudo-inertia Π is additive over bodies and linear in their densities. So every source of error is one symmetric 4×4 matrix:
what it adds to Π about the nominal centre of mass when it is off by its whole tolerance. Matrices of the same source add up before
anything else is done with them, so that one density shared by many parts is fully correlated, and cancels where a part is cut out again.

Sources are of two kinds, and they are never mixed:

- *bounds* (rounding, resolution, ``1000 +- 50``): nothing is said but that the error is no larger. Sizes of different sources add up.
- *standard deviations* (``1000 +- 50 σ``): different sources are independent. Their squares add up.

A view states both. Whoever needs one number adds the bound and as many standard deviations as the confidence asks for. Standard
deviations are those of the linearised views (relative errors of 1 % leave 1 % of themselves out); bounds include what is not linear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.frames import Pose, finite_array
from massprops.moments.arrays import Array, product, sandwich, symmetric_eigen
from massprops.moments.uncertainty import Uncertainty
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.tensors import inertia_of, second_of

Kind = Literal["bound", "sigma"]
_Linear = Callable[[Array], ArrayLike]


@dataclass(frozen=True, eq=False)
class Source:
    """One source of error: its kind, and what it adds to Π about the nominal centre of mass, shape (4, 4), if it is off by all of it."""

    kind: Kind
    change: Array


class View(NamedTuple):
    """How far a number can be off: by at most `bound`, and by `sigma`, one standard deviation, beside that; shapes of the number."""

    bound: Array
    sigma: Array


@dataclass(frozen=True, eq=False)
class UncertainBody:
    """A rigid body, and by name the sources of error of its numbers.

    Examples
    --------
    >>> from massprops import shapes
    >>> beam = UncertainBody.of_density(shapes.box(1, 0.1, 0.1, mass=10), 0.05, "steel", "sigma")
    >>> (beam + beam.translated([0, 1, 0])).mass.sigma.item()  # one density: fully correlated
    1.0
    """

    nominal: MassProperties
    sources: Mapping[str, Source] = field(default_factory=dict)

    @classmethod
    def of_density(cls, body: MassProperties, relative: float, name: str, kind: Kind = "bound") -> Self:
        """A body whose density, or mass, can be off by a share of itself; bodies that share it share its name."""
        return cls(body, {name: Source(kind, relative * _central_pseudo_inertia(body))})

    @classmethod
    def of_entries(
        cls, body: MassProperties, mass: float, com: ArrayLike, inertia: ArrayLike, name: str, kind: Kind = "bound"
    ) -> Self:
        """A body with errors of its mass, its centre, shape (3,), and its tensor, shape (3, 3), each entry a source of its own.

        Raises
        ------
        InvalidInput
            If a shape is wrong or a number is not finite.
        """
        center, tensor = (
            finite_array(com, (3,), "error of the centre"),
            finite_array(inertia, (3, 3), "error of inertia"),
        )
        changes = {"mass": np.zeros((4, 4))}
        changes["mass"][3, 3] = mass
        for i, axis in enumerate("xyz"):
            change = changes[f"center {axis}"] = np.zeros((4, 4))
            change[i, 3] = change[3, i] = body.mass * center[i]
            for j in range(i, 3):
                entry = np.zeros((3, 3))
                entry[i, j] = entry[j, i] = tensor[i, j]
                change = changes[f"inertia {axis}{'xyz'[j]}"] = np.zeros((4, 4))
                change[:3, :3] = second_of(entry)
        return cls(body, {f"{name}: {key}": Source(kind, change) for key, change in changes.items() if change.any()})

    @classmethod
    def of_measurement(cls, body: MassProperties, uncertainty: Uncertainty, name: str) -> Self:
        """A measured body with the bounds of its mass, centre and inertia: nothing is known of how they go together.

        Raises
        ------
        InvalidInput
            If the mass and inertia have no bounds.
        """
        if uncertainty.mass is None or uncertainty.inertia is None:
            raise InvalidInput(
                "mass and inertia have no bounds, only the geometry has", hint="give a density or a mass"
            )
        return cls.of_entries(body, uncertainty.mass, uncertainty.center_of_mass, uncertainty.inertia, name)

    def also(self, other: UncertainBody) -> Self:
        """The same body with the sources of `other` too, which states other errors of it."""
        return type(self)(self.nominal, _merged(self.sources, other.sources))

    # ---- algebra ---------------------------------------------------------------------------------------------------

    def transformed(self, pose: Pose) -> Self:
        """The same body in another frame: self in B, `pose` X_AB, result in A; the pose itself is exact."""
        turn = np.eye(4)
        turn[:3, :3] = pose.rotation
        return type(self)(self.nominal.transformed(pose), self._changed(turn))

    def translated(self, translation: ArrayLike) -> Self:
        """The body moved by `translation`, shape (3,), m."""
        return type(self)(self.nominal.translated(translation), self.sources)

    def __add__(self, other: UncertainBody) -> Self:
        """Both bodies as one rigid body."""
        if not isinstance(other, UncertainBody):
            return NotImplemented
        whole = self.nominal + other.nominal
        return type(self)(whole, _merged(self._seen_from(whole.com), other._seen_from(whole.com)))

    def __radd__(self, other: object) -> Self:
        """Makes `sum` work, which begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __neg__(self) -> Self:
        """A hole of this shape."""
        return type(self)(-self.nominal, {k: Source(s.kind, -s.change) for k, s in self.sources.items()})

    def __sub__(self, other: UncertainBody) -> Self:
        """What is left of this body when the other, inside it, is cut out."""
        return self + (-other) if isinstance(other, UncertainBody) else NotImplemented

    def _changed(self, t: Array) -> dict[str, Source]:
        """The sources under Π ↦ T Π Tᵀ."""
        return {name: Source(s.kind, sandwich(t, s.change)) for name, s in self.sources.items()}

    def _seen_from(self, point: Array) -> dict[str, Source]:
        """What the sources add to Π about another point than the centre of mass."""
        shift = np.eye(4)
        shift[:3, 3] = self.nominal.com - point
        return self._changed(shift)

    # ---- views -----------------------------------------------------------------------------------------------------

    @property
    def mass(self) -> View:
        """Of the mass, kg."""
        return self._view(lambda change: change[3, 3])

    @property
    def center_of_mass(self) -> View:
        """Of the centre of mass, shape (3,), m: δc = δh / m, and as a bound δh / (m − δm)."""
        moment = self._view(lambda change: change[:3, 3])
        m = abs(self.nominal.mass)
        return View(moment.bound / self._least_mass(), moment.sigma / m)

    @property
    def inertia(self) -> View:
        """Of the tensor about the centre of mass, entry by entry, shape (3, 3), kg m²; as a bound with h hᵀ / (m − δm)."""
        return self._inertia_like(lambda change: inertia_of(change[:3, :3]), self._remainder())

    def inertia_about(self, point: ArrayLike) -> View:
        """Of the tensor about another point, shape (3,), which is linear in Π."""
        shift = np.eye(4)
        shift[:3, 3] = self.nominal.com - finite_array(point, (3,), "point")
        return self._view(lambda change: inertia_of(sandwich(shift, change)[:3, :3]))

    @property
    def principal_moments(self) -> View:
        """Of the principal moments, ascending, shape (3,), kg m².

        δλ = aᵀ δI a along each axis a. A bound, and any moment that equals another, has the largest eigenvalue of δI in size (Weyl).
        """
        principal = self.nominal.principal()

        def largest(change: Array) -> Array:
            return np.full(3, np.abs(symmetric_eigen(inertia_of(change[:3, :3]))[0]).max())

        def along(change: Array) -> Array:
            by_axis = (principal.axes * product(principal.axes, inertia_of(change[:3, :3]))).sum(axis=1)
            return np.where(principal.arbitrary, largest(change), by_axis)

        rest = float(np.trace(self._remainder()))
        return View(self._view(largest).bound + rest, self._view(along).sigma)

    @property
    def radii_of_gyration(self) -> View | None:
        """Of √(Ixx/m), √(Iyy/m), √(Izz/m), shape (3,), m; None where the body has none or one of them is zero."""
        radii, m = self.nominal.radii_of_gyration, self.nominal.mass
        if radii is None or not radii.all():
            return None
        squares = radii * radii
        linear = self._view(
            lambda change: (inertia_of(change[:3, :3]).diagonal() - squares * change[3, 3]) / (2 * m * radii)
        )
        numerator = self._view(lambda change: inertia_of(change[:3, :3]).diagonal() - squares * change[3, 3]).bound
        # k'² − k² = δ / m', and |k' − k| ≤ |k'² − k²| / k
        off = (numerator + self._remainder().diagonal()) / self._least_mass()
        return View(off / radii, linear.sigma)

    def _view(self, linear: _Linear) -> View:
        """Of a number that is linear in Π: sizes of bounds add up, squares of standard deviations."""
        none = np.zeros_like(np.asarray(linear(np.zeros((4, 4)))))
        bound, square = none, none
        for s in self.sources.values():
            off = np.asarray(linear(s.change))
            bound, square = (bound + np.abs(off), square) if s.kind == "bound" else (bound, square + off * off)
        return View(bound, np.sqrt(square))

    def _inertia_like(self, linear: _Linear, remainder: Array) -> View:
        view = self._view(linear)
        return View(view.bound + remainder, view.sigma)

    def _least_mass(self) -> float:
        """The least size that the mass can have; InvalidInput if that is nothing, since then nothing else has a bound."""
        least = abs(self.nominal.mass) - float(self.mass.bound)
        if least <= 0:
            raise InvalidInput(
                "the mass is zero within its bound, so the centre of mass has none", code="non-positive-mass"
            )
        return least

    def _remainder(self) -> Array:
        """What the motion of the centre of mass takes from the tensor beside the linear part: of h hᵀ / m, shape (3, 3)."""
        moment = self._view(lambda change: change[:3, 3]).bound
        return inertia_of(np.outer(moment, moment) / self._least_mass()) * (1 - 2 * (1 - np.eye(3)))


def _central_pseudo_inertia(body: MassProperties) -> Array:
    pi = np.zeros((4, 4))
    pi[:3, :3], pi[3, 3] = body.second_moment(), body.mass
    return pi


def _merged(one: Mapping[str, Source], other: Mapping[str, Source]) -> dict[str, Source]:
    """Sources of the same name added up, as they are fully correlated."""
    merged = dict(one)
    for name, source in other.items():
        if name in merged and merged[name].kind != source.kind:
            raise InvalidInput(
                f"{name!r} is a bound of one body and a standard deviation of another", hint="choose one, or two names"
            )
        merged[name] = Source(source.kind, merged[name].change + source.change) if name in merged else source
    return merged
