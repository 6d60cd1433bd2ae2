"""What a rigid body is to dynamics: mass, centre of mass, inertia, and their algebra.

Structure is enforced where a value is made (shapes, finite numbers, a symmetric tensor). Physics is only reported, by
`MassProperties.consistency`: a measuring tool must be able to hold and show a bad body.

Inertia is the tensor, Ixy = −∫ρ x y. With S = ∫ρ r rᵀ the second moment: I = tr(S) 1 − S and S = ½ tr(I) 1 − I.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops.errors import InvalidInput
from massprops.frames import Pose, finite_array
from massprops.moments import Moments
from massprops.units import positive

Array = NDArray[np.float64]
Rank = Literal["solid", "plate", "rod", "point"]

#: Largest |Iij − Iji| over the largest entry. Double-precision products leave 1e-15; single precision leaves 1e-7 and
#: is refused, since a tensor's two halves must not disagree about a printed digit.
SYMMETRY_TOLERANCE = 1e-12
#: Eigenvalues of S about the centre of mass, relative to the largest in size: below it they are zero. A tensor summed,
#: moved and rotated in double precision is good to some 1e-15 of its largest entry; three digits are left for callers.
CONSISTENCY_TOLERANCE = 1e-12
#: Principal moments closer than this, relative to the largest, are equal: coordinates in single precision (6e-8) move
#: moments by some 1e-7, so the axes of a smaller difference say nothing about the body.
EQUAL_MOMENTS_TOLERANCE = 1e-6
_TIE = 1e-9  # components of an axis this close in size share the maximum, whatever rounding made of them


@dataclass(frozen=True, eq=False, slots=True)
class Principal:
    """Principal moments and axes of inertia about the centre of mass.

    Attributes
    ----------
    moments : ndarray, shape (3,)
        kg m², ascending.
    axes : ndarray, shape (3, 3)
        Row i is the unit axis of moment i, in the axes of the body. Right-handed; the largest component of the first
        two rows is positive.
    arbitrary : tuple of bool
        True for an axis whose moment equals another's within `EQUAL_MOMENTS_TOLERANCE`: any direction in their
        common plane (or space) serves as well.
    """

    moments: Array
    axes: Array
    arbitrary: tuple[bool, bool, bool]

    @property
    def distinct(self) -> bool:
        """Whether all three axes are properties of the body."""
        return not any(self.arbitrary)


@dataclass(frozen=True)
class Consistency:
    """How far a body is from what no distribution of mass can be: one report for predicate, finding and message.

    All margins are relative and dimensionless, so that a watch and a ship are judged alike.

    Attributes
    ----------
    mass : float
        kg.
    moments : tuple of float
        Principal moments of inertia about the centre of mass, ascending, kg m².
    second_moments : tuple of float
        Eigenvalues of S about the centre of mass, ascending, kg m².
    smallest_axis : tuple of float
        Unit eigenvector of the first of them, in the axes of the body.
    """

    mass: float
    moments: tuple[float, float, float]
    second_moments: tuple[float, float, float]
    smallest_axis: tuple[float, float, float]

    @property
    def inertia_margin(self) -> float:
        """Smallest principal moment over the largest in size; negative: the inertia is not positive semi-definite."""
        return _ratio(self.moments[0], max(map(abs, self.moments)))

    @property
    def second_margin(self) -> float:
        """Smallest eigenvalue of S over the largest in size."""
        return _ratio(self.second_moments[0], max(map(abs, self.second_moments)))

    @property
    def pseudo_margin(self) -> float:
        """Smallest over largest eigenvalue of the pseudo-inertia in the body's own measures.

        Π = T diag(S, m) Tᵀ with T the shift to the centre of mass, so by Sylvester's law its signs are those of S and
        m; about a distant origin the eigenvalues themselves would only measure the distance.
        """
        return min(self.second_margin, math.copysign(1.0, self.mass) if self.mass else 0.0)

    @property
    def triangle_margin(self) -> float:
        """(λ₁ + λ₂ − λ₃) / λ₃ of the principal moments; λ₁ + λ₂ − λ₃ is twice the smallest eigenvalue of S."""
        return _ratio(2.0 * self.second_moments[0], max(map(abs, self.moments)))

    @property
    def mass_is_positive(self) -> bool:
        """Whether m > 0."""
        return self.mass > 0.0

    @property
    def inertia_is_semidefinite(self) -> bool:
        """Whether I ⪰ 0 about the centre of mass."""
        return self.inertia_margin >= -CONSISTENCY_TOLERANCE

    @property
    def second_is_semidefinite(self) -> bool:
        """Whether S ⪰ 0 about the centre of mass; equivalently I ⪰ 0 and the triangle inequality."""
        return self.second_margin >= -CONSISTENCY_TOLERANCE

    @property
    def ok(self) -> bool:
        """Full physical consistency: some non-negative distribution of mass has these parameters."""
        return self.mass_is_positive and self.second_is_semidefinite

    @property
    def rank(self) -> int:
        """Number of directions in which the body extends: eigenvalues of S above `CONSISTENCY_TOLERANCE`."""
        limit = CONSISTENCY_TOLERANCE * max(map(abs, self.second_moments))
        return sum(s > limit for s in self.second_moments)

    @property
    def kind(self) -> Rank | None:
        """``solid``, ``plate``, ``rod`` or ``point``, by rank; None for what is no body."""
        kinds: tuple[Rank, ...] = ("point", "rod", "plate", "solid")
        return kinds[self.rank] if self.ok else None


@dataclass(frozen=True, eq=False, slots=True)
class MassProperties:
    """Mass, centre of mass and inertia of a rigid body, in one frame.

    Attributes
    ----------
    mass : float
        kg. Any finite number: a hole has a negative mass.
    com : ndarray, shape (3,), read-only
        p_BoBcm_B, metres.
    inertia : ndarray, shape (3, 3), read-only
        I_BBcm_B, kg m²: about the centre of mass, in the axes of the frame, tensor convention (Ixy = −∫ρ x y).

    Raises
    ------
    InvalidInput
        If a shape is wrong, a number is not finite, or the tensor is not symmetric within `SYMMETRY_TOLERANCE`
        (what is below is rounding, and the symmetric part is stored).

    Examples
    --------
    >>> rod = MassProperties(3.0, [0, 0, 1], np.diag([0, 1, 1]))
    >>> rod.inertia_about([0, 0, 0]).diagonal()
    array([3., 4., 1.])
    >>> sum([rod, rod]).mass
    6.0
    """

    mass: float
    com: Array
    inertia: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", float(finite_array(self.mass, (), "mass")))
        object.__setattr__(self, "com", finite_array(self.com, (3,), "centre of mass"))
        object.__setattr__(self, "inertia", _symmetric(finite_array(self.inertia, (3, 3), "inertia"), "inertia"))

    # ---- other forms, in -------------------------------------------------------------------------------------------

    @classmethod
    def from_moments(cls, moments: Moments, *, density: float | None = None, mass: float | None = None) -> Self:
        """Homogeneous body from the integrals over it (in space, in metres).

        Parameters
        ----------
        moments : Moments
            Volume, area or length moments, d = 3.
        density, mass : float
            Exactly one: kg per unit of measure, positive, or the whole mass in kg, positive.

        Raises
        ------
        InvalidInput
            If not exactly one is given, it is not positive, the moments are planar, or their measure is zero.
        """
        if len(moments.reference) != 3:
            raise InvalidInput(f"moments in space are wanted, got {len(moments.reference)} dimensions")
        if moments.measure == 0.0:
            raise InvalidInput("moments have a measure of 0.0, so there is no centre of mass")
        factor = _density(moments.measure, density, mass)
        inertia = factor * _inertia_of(moments.central_second())
        return cls(mass if mass is not None else factor * moments.measure, moments.centroid, inertia)

    @classmethod
    def from_pseudo_inertia(cls, pseudo_inertia: ArrayLike) -> Self:
        """Body from Π = [[∫ρ r rᵀ, m c], [m cᵀ, m]], shape (4, 4), about the origin of the frame.

        S about the centre of mass is the difference S_o − m c cᵀ: a Π taken about an origin at n sizes of the body has
        lost 2 log₁₀ n digits of it already.

        Raises
        ------
        InvalidInput
            If it is not a symmetric finite 4×4 matrix, or its mass is zero.
        """
        pi = _symmetric(finite_array(pseudo_inertia, (4, 4), "pseudo-inertia"), "pseudo-inertia")
        mass, first = float(pi[3, 3]), pi[:3, 3]
        _require_mass(mass, "pseudo-inertia")
        return cls(mass, first / mass, _inertia_of(pi[:3, :3] - np.outer(first, first) / mass))

    @classmethod
    def from_point_masses(cls, masses: ArrayLike, points: ArrayLike) -> Self:
        """Rigid set of n point masses: `masses` shape (n,) in kg, `points` shape (n, 3) in metres.

        Raises
        ------
        InvalidInput
            If shapes do not match, a number is not finite, or the masses sum to zero.
        """
        m = finite_array(masses, (-1,), "masses")
        p = finite_array(points, (len(m), 3), "points")
        total = float(m.sum())
        _require_mass(total, "set of point masses")
        com = m @ p / total
        arms = p - com  # an error e of a distant com enters as m e², not as m |p|²
        return cls(total, com, _inertia_of((arms * m[:, None]).T @ arms))

    # ---- other forms, out ------------------------------------------------------------------------------------------

    def inertia_about(self, point: ArrayLike) -> Array:
        """Inertia tensor about another point, in the same axes.

        Parallel axes (Huygens-Steiner): I_BP = I_BBcm + m (|p|² 1 − p pᵀ), p from the point to the centre of mass.

        Parameters
        ----------
        point : array_like, shape (3,)
            p_BoP_B, metres.

        Returns
        -------
        I_BP_B : ndarray, shape (3, 3)
            kg m², tensor convention.

        Raises
        ------
        InvalidInput
            If `point` is not three finite numbers.
        """
        arm = self.com - finite_array(point, (3,), "point")
        return self.inertia + _point_inertia(self.mass, arm)

    def second_moment(self) -> Array:
        """S = ∫ρ r rᵀ about the centre of mass, shape (3, 3), kg m²: ½ tr(I) 1 − I."""
        s = -self.inertia
        moments = self.inertia.diagonal().tolist()
        for i in range(3):
            a, (b, c) = moments[i], sorted(moments[:i] + moments[i + 1 :])
            # the larger neighbour first: the difference of near-equals is exact, so a thin body keeps its thickness
            s[i, i] = 0.5 * ((c - a) + b)
        return s

    def pseudo_inertia(self) -> Array:
        """Π = [[∫ρ r rᵀ, m c], [m cᵀ, m]] about the origin of the frame, shape (4, 4), kg and metres."""
        first = self.mass * self.com
        pi = np.empty((4, 4))
        pi[:3, :3] = self.second_moment() + self.mass * np.outer(self.com, self.com)
        pi[:3, 3] = pi[3, :3] = first
        pi[3, 3] = self.mass
        return pi

    def principal(self) -> Principal:
        """Principal moments and axes about the centre of mass."""
        moments, columns = np.linalg.eigh(self.inertia)
        first, second = _signed(columns[:, 0]), _signed(columns[:, 1])
        axes = np.stack([first, second, np.cross(first, second)])
        return Principal(_read_only(moments), _read_only(axes + 0.0), _arbitrary(moments))

    @property
    def radii_of_gyration(self) -> Array | None:
        """√(Ixx/m), √(Iyy/m), √(Izz/m) about axes through the centre of mass, parallel to those of the frame.

        Shape (3,), metres, as CAD dialogs print them (not about the principal axes). None where a moment and the mass
        differ in sign by more than rounding, or there is no mass: no such radius exists.
        """
        if self.mass == 0.0:
            return None
        squares = self.inertia.diagonal() / self.mass
        if squares.min() < -CONSISTENCY_TOLERANCE * np.abs(squares).max():
            return None
        radii: Array = np.sqrt(np.maximum(squares, 0.0))
        return radii

    # ---- algebra ---------------------------------------------------------------------------------------------------

    def transformed(self, pose: Pose) -> MassProperties:
        """The same body in another frame: self in B, `pose` X_AB, result in A.

        Equals the sandwich Π_A = X_AB Π_B X_ABᵀ.
        """
        r = pose.rotation
        return MassProperties(self.mass, pose.apply(self.com), _symmetric_part(r @ self.inertia @ r.T))

    def scaled_to_mass(self, mass: float) -> MassProperties:
        """The same shape with another density: `mass` in kg, positive.

        Raises
        ------
        InvalidInput
            If `mass` is not positive, or there is no mass to scale.
        """
        _require_mass(self.mass, "body")
        return MassProperties(mass, self.com, self.inertia * (positive(mass, "mass", "kg") / self.mass))

    def __add__(self, other: MassProperties) -> MassProperties:
        """Both bodies as one rigid body."""
        if not isinstance(other, MassProperties):
            return NotImplemented
        total = self.mass + other.mass
        _require_mass(total, "joined body")
        apart = other.com - self.com
        # about the common centre of mass, through the reduced mass: no detour over the origin, no lost digits
        reduced = self.mass * (other.mass / total)
        inertia = self.inertia + other.inertia + _point_inertia(reduced, apart)
        return MassProperties(total, self.com + (other.mass / total) * apart, inertia)

    def __radd__(self, other: object) -> MassProperties:
        """Makes `sum` work, which begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __neg__(self) -> MassProperties:
        """A hole of this shape."""
        return MassProperties(-self.mass, self.com, -self.inertia)

    def __sub__(self, other: MassProperties) -> MassProperties:
        """What is left of this body when the other, inside it, is cut out."""
        return self + (-other) if isinstance(other, MassProperties) else NotImplemented

    # ---- physics ---------------------------------------------------------------------------------------------------

    def consistency(self) -> Consistency:
        """Whether any distribution of mass has these parameters, and by which margins."""
        second, columns = np.linalg.eigh(self.second_moment())
        return Consistency(
            self.mass, _triple(np.linalg.eigvalsh(self.inertia)), _triple(second), _triple(_signed(columns[:, 0]))
        )


def _inertia_of(second: Array) -> Array:
    """I = tr(S) 1 − S, its diagonal as Syy + Szz: tr(S) − Sxx would cost a thin rod eleven digits."""
    xx, yy, zz = second.diagonal().tolist()
    inertia: Array = 0.0 - second  # not -second, which would make negative zeros
    inertia[np.diag_indices(3)] = yy + zz, zz + xx, xx + yy
    return inertia


def _point_inertia(mass: float, arm: Array) -> Array:
    """Inertia m (|r|² 1 − r rᵀ) of a point mass seen from the other end of `arm`."""
    return _inertia_of(mass * np.outer(arm, arm))


def _density(measure: float, density: float | None, mass: float | None) -> float:
    if density is not None and mass is None:
        return positive(density, "density", "kg/m³")
    if mass is not None and density is None:
        return positive(mass, "mass", "kg") / measure
    raise InvalidInput("one of density and mass is wanted, got " + ("neither" if mass is None else "both"))


def _require_mass(mass: float, what: str) -> None:
    if mass == 0.0:
        raise InvalidInput(f"{what} has a mass of 0.0 kg, so its centre of mass is undefined", code="non-positive-mass")


def _symmetric(matrix: Array, name: str) -> Array:
    difference = np.abs(matrix - matrix.T)
    largest = float(np.abs(matrix).max())
    if difference.max() > SYMMETRY_TOLERANCE * largest:
        i, j = map(int, np.unravel_index(int(difference.argmax()), matrix.shape))
        raise InvalidInput(
            f"{name} must be symmetric, got {float(matrix[i, j])!r} at [{i}, {j}] and {float(matrix[j, i])!r} "
            f"at [{j}, {i}]",
            hint="if the difference is rounding, pass (I + I.T) / 2",
        )
    return _read_only(_symmetric_part(matrix))


def _symmetric_part(matrix: Array) -> Array:
    half: Array = 0.5 * matrix
    return half + half.T


def _read_only(array: Array) -> Array:
    array.setflags(write=False)
    return array


def _signed(axis: Array) -> Array:
    """`axis` or its opposite: the first of its largest components is positive."""
    size = np.abs(axis)
    leading = axis[np.argmax(size >= size.max() * (1.0 - _TIE))]
    return axis * math.copysign(1.0, leading) + 0.0  # + 0.0: no −0.0


def _arbitrary(moments: Array) -> tuple[bool, bool, bool]:
    limit = EQUAL_MOMENTS_TOLERANCE * float(np.abs(moments).max())
    low, high = (np.diff(moments) <= limit).tolist()
    return low, low or high, high


def _triple(values: NDArray[np.floating]) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def _ratio(value: float, size: float) -> float:
    return value / size if size else 0.0
