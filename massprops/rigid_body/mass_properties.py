"""Rigid bodies as dynamics sees them: mass, centre of mass, inertia, and their algebra.

Structure is enforced where a value is made (shapes, finite numbers, a symmetric tensor). Physics is only reported, by
`MassProperties.consistency`: a measuring tool must be able to hold and show a bad body.

Bodies whose numbers can be off carry the sources of their errors through the algebra: see `massprops.rigid_body.uncertain`.

Inertia is the tensor, Ixy = −∫ρ x y. With S = ∫ρ r rᵀ the second moment: I = tr(S) 1 − S and S = ½ tr(I) 1 − I.

`EquivalentBox` and `EquivalentEllipsoid` move as a body does; `minimum_length` says how small the body can be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from massprops.errors import InvalidInput, require_type, require_word
from massprops.frames import MIRRORS, Pose, finite_array, precision_of, unit_vector
from massprops.moments.arrays import Array, ByValue, outer, product, sandwich
from massprops.moments.exact import ExactMoments
from massprops.moments.integrals import Moments
from massprops.rigid_body import log_cholesky, spatial
from massprops.rigid_body import ten_vectors as vectors
from massprops.rigid_body.consistency import CONSISTENCY_TOLERANCE, Consistency, consistency_of, radii_of
from massprops.rigid_body.principal import Factor, Principal, factor_of, principal_of
from massprops.rigid_body.spatial import TwistOrder
from massprops.rigid_body.tensors import inertia_of, point_inertia, second_of
from massprops.rigid_body.uncertain import (
    BodyErrors,
    ErrorKind,
    Source,
    bounds_of_entries,
    merge,
    shift,
    standard_deviations,
)
from massprops.units import positive
from massprops.values import dataclass


@dataclass(frozen=True, eq=False)
class EquivalentBox:
    """A uniform solid box of the same mass, centre and inertia.

    Attributes
    ----------
    edges : ndarray, shape (3,)
        Full lengths along the axes of `pose`, m, descending: along the axis of the smallest moment first. Zero across a plate.
    pose : Pose
        X_FB: the middle of the box is the centre of mass; the columns of the rotation are the principal axes.
    """

    edges: Array
    pose: Pose


@dataclass(frozen=True, eq=False)
class EquivalentEllipsoid:
    """A uniform solid ellipsoid of the same mass, centre and inertia.

    Attributes
    ----------
    semi_axes : ndarray, shape (3,)
        Along the axes of `pose`, m, descending.
    pose : Pose
        X_FE: its centre is the centre of mass; the columns of the rotation are the principal axes.
    """

    semi_axes: Array
    pose: Pose


def minimum_length(variances: Array) -> float:
    """The least distance between the two points furthest apart of anything with these principal variances, m.

    `variances`, shape (3,), m²: eigenvalues of S_c / m. By Jung's theorem a set of diameter D in k dimensions lies in a ball
    of radius D √(k / (2k + 2)), and the mean square distance from the centre of mass is at most that from the middle of the
    ball. Applied to the body, its shadow on the plane of the two largest and on the line of the largest:

        D² ≥ 4 λ₁,   D² ≥ 3 (λ₁ + λ₂),   D² ≥ 8/3 (λ₁ + λ₂ + λ₃)

    with equality for a dumbbell, three and four equal masses at the corners of a regular triangle and tetrahedron. (Drake's
    CalcMinimumPhysicalLength, 2 √(λ₁ + λ₂ + λ₃), is the diagonal of the smallest box of such a body, and not such a bound: the
    tetrahedron is smaller.)
    """
    a, b, c = sorted(variances.tolist(), reverse=True)
    return math.sqrt(max(4.0 * a, 3.0 * (a + b), 8.0 / 3.0 * (a + b + c)))


#: Largest |Iij − Iji| over the largest entry, of tensors in double precision; products of matrices leave 1e-15.
SYMMETRY_TOLERANCE = 1e-12
#: And of arrays in lower precision, in units of theirs: products of three matrices leave up to four.
_SYMMETRY_ROUNDINGS = 16


@dataclass(frozen=True, eq=False)
class MassProperties(ByValue):
    """Mass, centre of mass and inertia of a rigid body, in one frame.

    Attributes
    ----------
    mass : float
        kg. Any finite number: a hole has a negative mass.
    com : ndarray, shape (3,), read-only
        p_BoBcm_B, metres.
    inertia : ndarray, shape (3, 3), read-only
        I_BBcm_B, kg m²: about the centre of mass, in the axes of the frame, tensor convention (Ixy = −∫ρ x y).
    sources : mapping of str to Source
        The errors that the numbers can have, by name; empty where the numbers are exact or their errors are not known.

    Raises
    ------
    InvalidInput
        If a shape is wrong, a number is not finite, or the tensor is not symmetric within `SYMMETRY_TOLERANCE`, or within the
        rounding of its own type (float32). The symmetric part is stored, in double precision.

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
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False)

    if TYPE_CHECKING:

        def __init__(
            self, mass: float, com: ArrayLike, inertia: ArrayLike, sources: Mapping[str, Source] = ...
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", float(finite_array(self.mass, (), "mass")))
        object.__setattr__(self, "com", finite_array(self.com, (3,), "centre of mass"))
        object.__setattr__(self, "inertia", _symmetric(self.inertia, (3, 3), "inertia"))

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

        Returns
        -------
        MassProperties
            In the axes and about the origin of the moments, without error bounds.

        Raises
        ------
        InvalidInput
            If not exactly one is given, it is not positive, the moments are planar, or their measure is zero.
        """
        if len(moments.reference) != 3:
            raise InvalidInput(f"expected moments in space, got {len(moments.reference)} dimensions")
        if moments.measure == 0.0:
            raise InvalidInput("moments have a measure of 0.0, so there is no centre of mass")
        factor = _density(moments.measure, density, mass)
        inertia = factor * inertia_of(moments.central_second())
        return cls(mass if mass is not None else factor * moments.measure, moments.centroid, inertia)

    @classmethod
    def from_exact_moments(
        cls, moments: ExactMoments, *, density: Fraction | float | None = None, mass: Fraction | float | None = None
    ) -> Self:
        """Mass, centre and inertia of the body of uniform density, every number rounded correctly: once, to the nearest double.

        Parameters
        ----------
        moments : ExactMoments
            Of the solid, as fractions.
        density, mass : Fraction or float
            Exactly one, positive, taken as the rational that it is: 0.1 is what the double 0.1 is, ``Fraction("0.1")`` is a tenth.

        Returns
        -------
        MassProperties
            In the axes and about the origin of the moments.

        Raises
        ------
        InvalidInput
            If not exactly one is given, or it is not positive and finite.
        InvalidGeometry
            If the volume is zero.
        """
        given = ((density, "density", "kg/m³"), (mass, "mass", "kg"))
        exact = (None if x is None else Fraction(positive(x, name, unit)) for x, name, unit in given)
        factor = _density(moments.measure, *exact)
        com, inertia = (x.astype(np.float64) for x in (moments.centroid, factor * moments.central_inertia()))
        return cls(float(factor * moments.measure), com, inertia)

    @classmethod
    def from_pseudo_inertia(cls, pseudo_inertia: ArrayLike) -> Self:
        """Body from Π = [[∫ρ r rᵀ, m c], [m cᵀ, m]], shape (4, 4), about the origin of the frame.

        S about the centre of mass is the difference S_o − m c cᵀ: a Π taken about an origin at n sizes of the body has
        lost 2 log₁₀ n digits of it already.

        Returns
        -------
        MassProperties
            In the frame of Π.

        Raises
        ------
        InvalidInput
            If it is not a symmetric finite 4×4 matrix, or its mass is zero.
        """
        pi = _symmetric(pseudo_inertia, (4, 4), "pseudo-inertia")
        mass, first = float(pi[3, 3]), pi[:3, 3]
        _require_mass(mass, "pseudo-inertia")
        return cls(mass, first / mass, inertia_of(pi[:3, :3] - np.outer(first, first) / mass))

    @classmethod
    def from_point_masses(cls, masses: ArrayLike, points: ArrayLike) -> Self:
        """Rigid set of n point masses: `masses` shape (n,) in kg, `points` shape (n, 3) in metres.

        Returns
        -------
        MassProperties
            In the frame of the points.

        Raises
        ------
        InvalidInput
            If shapes do not match, a number is not finite, or the masses sum to zero.
        """
        m = finite_array(masses, (-1,), "masses")
        p = finite_array(points, (len(m), 3), "points")
        total = float(m.sum())
        _require_mass(total, "set of point masses")
        com = (m[:, None] * p).sum(axis=0) / total
        arms = p - com  # an error e of a distant com enters as m e², not as m |p|²
        return cls(total, com, inertia_of((m[:, None, None] * arms[:, :, None] * arms[:, None]).sum(axis=0)))

    @classmethod
    def from_ten_vector(cls, vector: ArrayLike, order: str) -> Self:
        """Body from ten numbers, shape (10,), in the order of a tool; see `ten_vector`.

        Returns
        -------
        MassProperties
            In the frame of the ten numbers.

        Raises
        ------
        InvalidInput
            If there is no such order, the shape is another, a number is not finite, or the order carries m c and m = 0.
        """
        mass, com, inertia = vectors.unpack(finite_array(vector, (10,), "ten-vector"), order)
        return cls(float(mass), com, inertia)

    @classmethod
    def from_spatial_inertia(
        cls, matrix: ArrayLike, *, order: TwistOrder = "linear-first", about: ArrayLike = (0, 0, 0)
    ) -> Self:
        """Body from a 6×6 spatial inertia about the point `about`, m, in the axes of the frame; see `spatial_inertia`.

        I_c is a difference: about a point n sizes of the body away, M has lost 2 log₁₀ n digits of it already.

        Returns
        -------
        MassProperties
            In the frame that `about` is given in.

        Raises
        ------
        InvalidInput
            If it is not symmetric, or its blocks are not those of a rigid body (m 1 and m [c]×), or its mass is zero.
        """
        symmetric = _symmetric(matrix, (6, 6), "spatial inertia")
        mass, arm, inertia = spatial.parts_of(symmetric, order, precision_of(matrix))
        return cls(mass, finite_array(about, (3,), "point") + arm, inertia)

    @classmethod
    def from_second_moment(cls, mass: float, com: ArrayLike, second_moment: ArrayLike) -> Self:
        """Body from S = ∫ρ r rᵀ about the centre of mass, shape (3, 3), kg m²; see `second_moment`.

        Returns
        -------
        MassProperties
            In the axes of S.

        Raises
        ------
        InvalidInput
            If a shape is wrong, a number is not finite, or S is not symmetric.
        """
        second = _symmetric(second_moment, (3, 3), "second moment")
        return cls(mass, np.asarray(com), inertia_of(second))

    @classmethod
    def from_principal(cls, mass: float, moments: ArrayLike, pose: Pose | None = None) -> Self:
        """Body from its principal moments, shape (3,), kg m², and the pose of its principal frame.

        `pose` X_FP has the centre of mass as its translation and the principal axes as the columns of its rotation, in the
        order of the moments; without one they are those of the frame.

        Returns
        -------
        MassProperties
            In the frame that the pose is given in.

        Raises
        ------
        InvalidInput
            If there are not three finite moments.
        """
        inertia = np.diag(finite_array(moments, (3,), "principal moments"))
        principal = cls(mass, np.zeros(3), inertia)
        return principal if pose is None else cls._of(principal.transformed(pose))

    @classmethod
    def from_log_cholesky(cls, parameters: ArrayLike) -> Self:
        """Body from its log-Cholesky parameters, any ten numbers, shape (10,); see `log_cholesky`."""
        mass, com, second = log_cholesky.body_of(finite_array(parameters, (10,), "log-Cholesky parameters"))
        return cls(mass, com, inertia_of(second))

    @classmethod
    def _of(cls, body: MassProperties) -> Self:
        return cls(body.mass, body.com, body.inertia)

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
        return self.inertia + point_inertia(self.mass, arm)

    def inertia_about_axis(self, point: ArrayLike, direction: ArrayLike) -> float:
        """Moment of inertia about a line: nᵀ I_BP n, n the unit vector along it; kg m².

        Parameters
        ----------
        point : array_like, shape (3,)
            Any point of the line, metres.
        direction : array_like, shape (3,)
            Along the line, of any length but zero.

        Returns
        -------
        float
            kg m².

        Raises
        ------
        InvalidInput
            If one of them is not three finite numbers, or the direction is zero.
        """
        n = unit_vector(direction, "direction of an axis")
        return float((n * product(self.inertia_about(point), n)).sum())

    def radius_of_gyration_about_axis(self, point: ArrayLike, direction: ArrayLike) -> float | None:
        """√(I/m) about a line, m; see `inertia_about_axis`. None where moment and mass differ in sign, or there is no mass."""
        moment = self.inertia_about_axis(point, direction)
        square = moment / self.mass if self.mass else -1.0
        return square**0.5 if square >= 0 else None

    def second_moment(self, point: ArrayLike | None = None) -> Array:
        """S = ∫ρ r rᵀ about `point`, shape (3,), m, by default the centre of mass; shape (3, 3), kg m²: ½ tr(I) 1 − I."""
        central = second_of(self.inertia)
        if point is None:
            return central
        arm = self.com - finite_array(point, (3,), "point")
        return central + self.mass * np.outer(arm, arm)

    def pseudo_inertia(self) -> Array:
        """Π = [[∫ρ r rᵀ, m c], [m cᵀ, m]] about the origin of the frame, shape (4, 4), kg and metres."""
        first = self.mass * self.com
        pi = np.empty((4, 4))
        pi[:3, :3] = second_of(self.inertia) + self.mass * outer(self.com, self.com)
        pi[:3, 3] = pi[3, :3] = first
        pi[3, 3] = self.mass
        return pi

    def spatial_inertia(self, *, order: TwistOrder = "linear-first", about: ArrayLike = (0, 0, 0)) -> Array:
        """M with momentum = M · twist, shape (6, 6), in the axes of the frame.

        Linear first: [[m 1, −m [c]×], [m [c]×, I_c − m [c]×[c]×]], c from `about` to the centre of mass.

        Parameters
        ----------
        order : {"linear-first", "angular-first"}
            (v, ω) and (p, L), or (ω, v) and (L, p).
        about : array_like, shape (3,)
            The point that twists and momenta refer to, m; by default the origin of the frame.

        Returns
        -------
        ndarray, shape (6, 6)
            Mass in kg, first moments in kg m, moments of inertia in kg m².
        """
        arm = self.com - finite_array(about, (3,), "point")
        return spatial.spatial_inertia(self.mass, arm, self.inertia, order)

    def ten_vector(self, order: str, dtype: DTypeLike = np.float64) -> NDArray[np.floating]:
        """The ten numbers of the body in the order of a tool, shape (10,); `massprops.rigid_body.ten_vectors.LAYOUTS` says which they are.

        Parameters
        ----------
        order : str
            ``urdf``, ``sdf``, ``mjcf``, ``ksl``, ``pinocchio``, ``spatial-v2``, ``drake``.
        dtype : data type
            float64 or float32. Single precision moves moments by 6e-8 of themselves: a thin plate may then break the
            triangle inequality, which `consistency` of the body read back tells.

        Returns
        -------
        ndarray, shape (10,)
            kg, kg m or m, and kg m², in the frame of the body.

        Raises
        ------
        InvalidInput
            If there is no such order or type, or the numbers leave the range of float32.

        Examples
        --------
        >>> MassProperties(2.0, [0, 0, 3], np.diag([4, 5, 6])).ten_vector("mjcf")
        array([2., 0., 0., 3., 4., 5., 6., 0., 0., 0.])
        """
        return vectors.round_to(vectors.pack(self.mass, self.com, self.inertia, order), dtype)

    def log_cholesky(self) -> Array:
        """(α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃), shape (10,): ten numbers without constraints.

        Rucker and Wensing (2022); Π = U Uᵀ, see `massprops.rigid_body.log_cholesky`.

        Returns
        -------
        ndarray, shape (10,)
            What `from_log_cholesky` takes.

        Raises
        ------
        InvalidInput
            If the mass is not positive, or the body does not extend in all three directions.
        """
        return log_cholesky.parameters_of(self.mass, self.com, self.second_moment())

    def factor(self) -> Factor:
        """F with F Fᵀ = I_c, and its rank: principal moments above `CONSISTENCY_TOLERANCE` of the largest.

        Returns
        -------
        Factor
            F, shape (3, 3), and the rank.

        Raises
        ------
        InvalidInput
            If I_c is not positive semi-definite: it has no such factor.
        """
        report = self.consistency()
        if not report.inertia_is_semidefinite:
            what = f"inertia has no factor F Fᵀ: its principal moments {_listed(report.moments)} kg m² are not all positive"
            raise InvalidInput(what, code="not-positive-definite")
        return factor_of(self.principal(), CONSISTENCY_TOLERANCE)

    def equivalent_box(self) -> EquivalentBox:
        """The uniform solid box of the same mass, centre and inertia: S = m/12 diag(a², b², c²) in its own axes.

        Returns
        -------
        EquivalentBox
            Its edges, m, and its pose in the frame of the body.

        Raises
        ------
        InvalidInput
            If no body has this mass and inertia.
        """
        variances, pose = self._principal_variances("equivalent box")
        return EquivalentBox(_read_only(np.sqrt(12.0 * variances)), pose)

    def equivalent_ellipsoid(self) -> EquivalentEllipsoid:
        """The uniform solid ellipsoid of the same mass, centre and inertia: S = m/5 diag(a², b², c²) in its own axes.

        Returns
        -------
        EquivalentEllipsoid
            Its semi-axes, m, and its pose in the frame of the body.

        Raises
        ------
        InvalidInput
            If no body has this mass and inertia.
        """
        variances, pose = self._principal_variances("equivalent ellipsoid")
        return EquivalentEllipsoid(_read_only(np.sqrt(5.0 * variances)), pose)

    @property
    def minimum_length(self) -> float:
        """The least distance between the two points furthest apart of any body with this mass and inertia, m.

        A body whose geometry is smaller cannot have this inertia; see `massprops.rigid_body.mass_properties.minimum_length`.

        Raises
        ------
        InvalidInput
            If no body has this mass and inertia.
        """
        return minimum_length(self._principal_variances("minimum length")[0])

    def _principal_variances(self, what: str) -> tuple[Array, Pose]:
        """Eigenvalues of S_c / m, descending, and the frame of their axes: those of the ascending principal moments.

        What `consistency` counts as no extent is zero here too: the root of a rounding would be a thickness of 1e-8.
        """
        report = self.consistency()
        if not report.ok:
            message = f"no body has a mass of {self.mass!r} kg and principal moments {_listed(report.moments)} kg m², so it has no {what}"
            raise InvalidInput(message, code="triangle-inequality" if self.mass > 0 else "non-positive-mass")
        principal = self.principal()
        second = second_of(np.diag(principal.moments)).diagonal()
        extent = np.where(np.arange(3) < report.rank, second, 0.0)
        return extent / self.mass, Pose(principal.axes.T, self.com)

    def principal(self) -> Principal:
        """Principal moments and axes about the centre of mass."""
        return principal_of(self.inertia)

    @property
    def radii_of_gyration(self) -> Array | None:
        """√(Ixx/m), √(Iyy/m), √(Izz/m) about axes through the centre of mass, parallel to those of the frame.

        Shape (3,), metres, as CAD dialogs print them (not about the principal axes). None where a moment and the mass
        differ in sign by more than rounding, or there is no mass: no such radius exists.
        """
        return radii_of(self.mass, self.inertia)

    # ---- algebra ---------------------------------------------------------------------------------------------------

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused
    def transformed(self, pose: Pose) -> MassProperties:
        """Body in another frame: self in B, `pose` X_AB, result in A.

        Equals the sandwich Π_A = X_AB Π_B X_ABᵀ; the pose is exact.
        """
        require_type(pose, Pose, "pose", "a massprops.Pose")
        turn = np.eye(4)
        turn[:3, :3] = pose.rotation
        sources = {name: s.moved(turn) for name, s in self.sources.items()}
        inertia = _symmetric_part(sandwich(pose.rotation, self.inertia))
        return MassProperties(self.mass, pose.apply(self.com), inertia, sources)

    def mirrored(self, plane: str) -> MassProperties:
        """The body mirrored in a plane through the origin, ``"xy"``, ``"xz"`` or ``"yz"``; in xz, y of the centre, Ixy and Iyz change sign.

        With S = diag(1, −1, 1): the centre is S c, the inertia S I S, since the second moment is; every number is exact.
        """
        require_word(plane, MIRRORS, "plane")
        signs = np.array(MIRRORS[plane])
        sources = {name: s.moved(np.diag([*signs, 1.0])) for name, s in self.sources.items()}
        return MassProperties(self.mass, signs * self.com + 0.0, outer(signs, signs) * self.inertia + 0.0, sources)

    def rotated(self, rotation: ArrayLike) -> MassProperties:
        """The body turned about the origin of the frame by R, shape (3, 3): Ad* of a pure rotation."""
        return self.transformed(Pose(finite_array(rotation, (3, 3), "rotation"), np.zeros(3)))

    def translated(self, translation: ArrayLike) -> MassProperties:
        """The body moved by `translation`, shape (3,), m; its inertia about the centre of mass stays, bit for bit."""
        com = self.com + finite_array(translation, (3,), "translation")
        return MassProperties(self.mass, com, self.inertia, self.sources)

    def merge(self, child: MassProperties, pose: Pose) -> MassProperties:
        """Both as one rigid body in the frame of this one, as KSL's `ksl_inertia_merge` is defined.

        Parameters
        ----------
        child : MassProperties
            In its own frame j.
        pose : Pose
            X_ij: takes coordinates in the child's frame to this one's.

        Returns
        -------
        MassProperties
            The sum, in this body's frame.
        """
        require_type(child, MassProperties, "child", "MassProperties")
        return self + child.transformed(pose)

    def scaled_to_mass(self, mass: float) -> MassProperties:
        """Body of the same shape with another density: `mass` in kg, positive, and exact; errors of the shape remain.

        Returns
        -------
        MassProperties
            In the same frame, with the same centre.

        Raises
        ------
        InvalidInput
            If `mass` is not positive, or there is no mass to scale.
        """
        _require_mass(self.mass, "body")
        factor = positive(mass, "mass", "kg") / self.mass
        sources = {}
        if self.sources:  # Π' = M Π / m: δΠ' = M (δΠ − Π δm / m) / (m + δm)
            unit = _central_pseudo_inertia(self) / self.mass
            most = mass / self.uncertainty.least_mass()
            for name, s in self.sources.items():
                shape = s.changes - s.changes[:, 3, 3, None, None] * unit
                sources[name] = replace(s, changes=(most if s.kind == "bound" else factor) * shape)
        return MassProperties(mass, self.com, self.inertia * factor, sources)

    def repeated(self, count: int) -> MassProperties:
        """`count` such bodies in one place: errors that bodies do not share are independent."""
        require_type(count, int | np.integer, "count", "a whole number")
        sources = {
            name: s.scaled(count if s.shared or s.kind == "bound" else count**0.5) for name, s in self.sources.items()
        }
        return MassProperties(count * self.mass, self.com, count * self.inertia, sources)

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused
    def __add__(self, other: MassProperties) -> MassProperties:
        """Both bodies as one rigid body."""
        if not isinstance(other, MassProperties):
            return NotImplemented
        total = self.mass + other.mass
        _require_mass(total, "joined body")
        apart = other.com - self.com
        # about the common centre of mass, through the reduced mass: no detour over the origin, no lost digits
        reduced = self.mass * (other.mass / total)
        inertia = self.inertia + other.inertia + point_inertia(reduced, apart)
        com = self.com + (other.mass / total) * apart
        return MassProperties(total, com, inertia, merge(self._sources_about(com), other._sources_about(com)))

    def __radd__(self, other: object) -> MassProperties:
        """Makes `sum` work, which begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __neg__(self) -> MassProperties:
        """A hole of this shape."""
        sources = {name: s.scaled(-1.0) for name, s in self.sources.items()}
        return MassProperties(-self.mass, self.com, -self.inertia, sources)

    def __sub__(self, other: MassProperties) -> MassProperties:
        """Rest of this body after the other, inside it, is cut out."""
        return self + (-other) if isinstance(other, MassProperties) else NotImplemented

    # ---- errors ----------------------------------------------------------------------------------------------------

    @property
    def uncertainty(self) -> BodyErrors:
        """How far each number can be off: bounds and standard deviations of mass, centre, tensor, principal moments, radii.

        Examples
        --------
        >>> beam = MassProperties(10.0, [0, 0, 1], np.diag([3, 3, 1])).with_relative_error(0.05, "steel", "sigma")
        >>> (beam + beam.translated([0, 1, 0])).uncertainty.mass.sigma.item()  # one density: fully correlated
        1.0
        """
        return BodyErrors(self.mass, self.com, self.inertia, self.sources)

    def with_relative_error(
        self, relative: float, name: str, kind: ErrorKind = "bound", *, shared: bool = True
    ) -> MassProperties:
        """The body with a density, or a mass, that can be off by a share of itself: a bound or one standard deviation.

        Parameters
        ----------
        relative : float
            The share.
        name : str
            Of the source.
        kind : {"bound", "sigma"}
            What it is.
        shared : bool
            A density is the same in all bodies that have a source of this name; the mass of each body has an error of its own.

        Returns
        -------
        MassProperties
            The same numbers with one error more.
        """
        return self.with_source(name, Source(kind, relative * _central_pseudo_inertia(self)[None], shared))

    def with_errors(
        self, mass: ArrayLike, com: ArrayLike, inertia: ArrayLike, kind: ErrorKind = "bound", *, of_all: bool = False
    ) -> MassProperties:
        """The body with independent errors of its mass, its centre, shape (3,), and the entries of its tensor, shape (3, 3).

        Where they are those `of_all` sources together, the bounds of the sources that the body has are taken off.

        Returns
        -------
        MassProperties
            The same numbers with one source of errors more.

        Raises
        ------
        InvalidInput
            If a shape is wrong or a number is not finite or negative.
        """
        shapes = ((mass, (), "mass"), (com, (3,), "the centre"), (inertia, (3, 3), "inertia"))
        errors = [finite_array(value, shape, f"error of {what}") for value, shape, what in shapes]
        if any((e < 0).any() for e in errors):
            raise InvalidInput("an error (±) cannot be negative")
        if kind == "sigma":
            return self.with_source("entries (σ)", standard_deviations(self.mass, *errors))
        known = self.uncertainty
        return self.with_source("bounds", bounds_of_entries(known, *errors, of_all=of_all))

    def with_source(self, name: str, source: Source) -> MassProperties:
        """The body with another source of errors, or with one that it has added to its own."""
        return replace(self, sources=merge(self.sources, {name: source} if len(source.changes) else {}))

    def _sources_about(self, point: Array) -> Mapping[str, Source]:
        """Contributions of the sources to Π about another point than the centre of mass."""
        return {name: s.moved(shift(self.com - point)) for name, s in self.sources.items()}

    # ---- motion ----------------------------------------------------------------------------------------------------

    def momentum(self, twist: ArrayLike, *, order: TwistOrder = "linear-first") -> Array:
        """(p, L), shape (6,), in the order of the twist: M · twist, L about the origin of the frame.

        Computed through the centre of mass: p = m (v + ω × c), L = I_c ω + c × p.

        Parameters
        ----------
        twist : array_like, shape (6,)
            (v, ω), m/s and rad/s: v of the body's point at the origin of the frame; (ω, v) if `order` is "angular-first".
        order : {"linear-first", "angular-first"}
            Of the twist and of the result; kg m/s and kg m²/s.

        Returns
        -------
        ndarray, shape (6,)
            N s and N m s.
        """
        v, omega = spatial.halves(twist, order)
        p = self.mass * (v + np.cross(omega, self.com))
        return spatial.joined(p, product(self.inertia, omega) + np.cross(self.com, p), order)

    def kinetic_energy(self, twist: ArrayLike, *, order: TwistOrder = "linear-first") -> float:
        """½ twistᵀ M twist, J: ½ m |v + ω × c|² + ½ ωᵀ I_c ω; see `momentum`.

        Returns
        -------
        float
            J.

        Examples
        --------
        >>> MassProperties(2.0, [1, 0, 0], np.diag([1, 1, 1])).kinetic_energy([0, 0, 0, 0, 0, 3])
        13.5
        """
        v, omega = spatial.halves(twist, order)
        at_com = v + np.cross(omega, self.com)
        return 0.5 * float(self.mass * (at_com * at_com).sum() + (omega * product(self.inertia, omega)).sum())

    # ---- physics ---------------------------------------------------------------------------------------------------

    def consistency(self) -> Consistency:
        """Whether any distribution of mass has these parameters, and by which margins."""
        return consistency_of(self.mass, self.inertia, self.com)


def _central_pseudo_inertia(body: MassProperties) -> Array:
    pi = np.zeros((4, 4))
    pi[:3, :3], pi[3, 3] = body.second_moment(), body.mass
    return pi


N = TypeVar("N", float, Fraction)


def _density(measure: N, density: N | None, mass: N | None) -> N:
    if density is not None and mass is None:
        return positive(density, "density", "kg/m³")
    if mass is not None and density is None:
        return positive(mass, "mass", "kg") / measure
    raise InvalidInput("expected one of density and mass, got " + ("neither" if mass is None else "both"))


def _require_mass(mass: float, what: str) -> None:
    if mass == 0.0:
        raise InvalidInput(f"{what} has a mass of 0.0 kg, so its centre of mass is undefined", code="non-positive-mass")


def _symmetric(value: ArrayLike, shape: tuple[int, int], name: str) -> Array:
    """The symmetric part of a finite matrix that is symmetric within the precision of its numbers."""
    matrix = finite_array(value, shape, name)
    if (matrix == matrix.T).all():
        return matrix
    difference = np.abs(matrix - matrix.T)
    largest = float(np.abs(matrix).max())
    if difference.max() > max(SYMMETRY_TOLERANCE, _SYMMETRY_ROUNDINGS * precision_of(value)) * largest:
        i, j = map(int, np.unravel_index(int(difference.argmax()), matrix.shape))
        one, other = float(matrix[i, j]), float(matrix[j, i])
        what = f"{name} must be symmetric, got {one!r} at [{i}, {j}] and {other!r} at [{j}, {i}]"
        raise InvalidInput(what, hint="if the difference is rounding, pass (I + I.T) / 2")
    return _read_only(_symmetric_part(matrix))


def _symmetric_part(matrix: Array) -> Array:
    half: Array = 0.5 * matrix
    return half + half.T


def _read_only(array: Array) -> Array:
    array.setflags(write=False)
    return array


def _listed(values: tuple[float, ...]) -> str:
    return ", ".join(map(repr, values))
