"""Mass properties of ideal shapes in closed form: solids, the thin shells around them, sheets, a rod, a point.

Every function takes lengths in metres and one of `density` and `mass` (kg); the density is per volume of a solid (kg/m³), per
area of a shell or a sheet (kg/m²), per length of a rod (kg/m). Round shapes have z as their axis. The centre of mass is the
origin, except for the cone and its shell (base in z = 0, apex upward), the frustum (its origin is halfway up) and the triangular prism
(see there). A shell is the whole surface of its solid, of uniform thickness that tends to zero.

Formulas without another source: Meriam, Kraige and Bolton, *Engineering Mechanics: Dynamics*, table D/4, as second moments
S = ∫ρ r rᵀ about the centre of mass, from which the tables' moments are sums: Ixx = Syy + Szz.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from massprops.errors import InvalidInput
from massprops.frames import finite_array
from massprops.moments.arrays import product
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.tensors import Array
from massprops.units import positive

LengthKind = Literal["length", "coordinate"]
#: A density or a mass; None where the other one is given.
Amount = float | None
_SOLID, _AREAL, _LINEAR = "kg/m³", "kg/m²", "kg/m"


@dataclass(frozen=True)
class Parameter:
    """One number that a shape is made from.

    Attributes
    ----------
    name : str
        As in the function's signature.
    kind : {"length", "coordinate"}
        Metres, both: a length is positive, a coordinate has any sign.
    optional : bool
        Whether the function has a default for it.
    """

    name: str
    kind: LengthKind
    optional: bool


@dataclass(frozen=True)
class Shape:
    """A shape by name: what makes it, from what.

    Attributes
    ----------
    name : str
        With hyphens, as on the command line.
    function : callable
        Takes the parameters by name, and `density` or `mass`.
    parameters : tuple of Parameter
        In the order of the signature.
    dimension : int
        Of what its density is per: 3 volume, 2 area, 1 length, 0 none.
    summary : str
        First line of the function's docstring.
    """

    name: str
    function: Callable[..., MassProperties]
    parameters: tuple[Parameter, ...]
    dimension: int
    summary: str


# ---- solids -------------------------------------------------------------------------------------------------------------


def box(x: float, y: float, z: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Solid cuboid of edges x, y, z: S = m/12 diag(x², y², z²)."""
    _lengths(x=x, y=y, z=z)
    return _given(_moments(x * y * z, (x * x / 12, y * y / 12, z * z / 12)), density, mass)


def sphere(radius: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Solid ball: S = m/5 r² 1."""
    _lengths(radius=radius)
    return _given(_moments(4 / 3 * math.pi * radius**3, (radius**2 / 5,) * 3), density, mass)


def ellipsoid(rx: float, ry: float, rz: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Solid ellipsoid of semi-axes rx, ry, rz: S = m/5 diag(rx², ry², rz²)."""
    _lengths(rx=rx, ry=ry, rz=rz)
    return _given(_moments(4 / 3 * math.pi * rx * ry * rz, (rx * rx / 5, ry * ry / 5, rz * rz / 5)), density, mass)


def homoeoid(
    rx: float, ry: float, rz: float, inner_rx: float, *, density: Amount = None, mass: Amount = None
) -> MassProperties:
    """Space between an ellipsoid and a similar one inside it, k = inner_rx / rx times as large.

    S = m/5 (1 − k⁵)/(1 − k³) diag(rx², ry², rz²). A thin one has S = m/3 diag(rx², ry², rz²), and is thicker where the surface
    is further out: `ellipsoid_shell` is not.
    """
    _lengths(rx=rx, ry=ry, rz=rz, inner_rx=inner_rx)
    if inner_rx >= rx:
        raise InvalidInput(f"inner_rx {inner_rx!r} m must be below rx {rx!r} m", hint="give a smaller one")
    k = inner_rx / rx
    cubic = 1 + k + k**2  # (1 − k³) / (1 − k), which does not cancel
    share = (cubic + k**3 + k**4) / cubic / 5
    volume = 4 / 3 * math.pi * (rx - inner_rx) * ry * rz * cubic
    return _given(_moments(volume, (share * rx * rx, share * ry * ry, share * rz * rz)), density, mass)


def cylinder(radius: float, length: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Solid circular cylinder along z: S = m diag(r²/4, r²/4, l²/12)."""
    _lengths(radius=radius, length=length)
    return _given(_cylinder(radius, length), density, mass)


def tube(
    outer_radius: float, inner_radius: float, length: float, *, density: Amount = None, mass: Amount = None
) -> MassProperties:
    """Hollow circular cylinder with a thick wall, along z, open at both ends: S = m diag((R² + r²)/4, (R² + r²)/4, l²/12)."""
    _lengths(outer_radius=outer_radius, inner_radius=inner_radius, length=length)
    if inner_radius >= outer_radius:
        what = f"inner_radius {inner_radius!r} m must be below outer_radius {outer_radius!r} m"
        raise InvalidInput(what, hint="give a smaller one")
    across = (outer_radius**2 + inner_radius**2) / 4
    volume = math.pi * (outer_radius - inner_radius) * (outer_radius + inner_radius) * length
    return _given(_moments(volume, (across, across, length**2 / 12)), density, mass)


def cone(radius: float, height: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Solid circular cone, its base in z = 0, its apex at z = h: c = h/4, S = m diag(3/20 r², 3/20 r², 3/80 h²)."""
    _lengths(radius=radius, height=height)
    across = 3 / 20 * radius**2
    second = (across, across, 3 / 80 * height**2)
    return _given(_moments(math.pi * radius**2 * height / 3, second, height / 4), density, mass)


def frustum(
    radius: float, top_radius: float, height: float, *, density: Amount = None, mass: Amount = None
) -> MassProperties:
    """Solid circular cone that is cut off, its base in z = −h/2, its top in z = h/2; a top radius of 0 is a cone."""
    _lengths(radius=radius, height=height)
    if not 0 <= top_radius < math.inf:
        raise InvalidInput(f"top_radius must not be negative, got {top_radius!r} m", hint="give the radius of the top")
    r, s = radius, top_radius
    squares = r * r + r * s + s * s  # of r(z), linear in z: ∫ r² = h/3 squares, and so on
    across = 3 / 20 * (r**4 + r**3 * s + r**2 * s**2 + r * s**3 + s**4) / squares
    centre = (r * r + 2 * r * s + 3 * s * s) / (4 * squares)
    along = (r * r + 3 * r * s + 6 * s * s) / (10 * squares) - centre**2
    moments = _moments(math.pi * height * squares / 3, (across, across, along * height**2), (centre - 0.5) * height)
    return _given(moments, density, mass)


def capsule(radius: float, length: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Solid cylinder of `length` along z with a half ball on each end; length + 2 radius overall."""
    _lengths(radius=radius, length=length)
    ends = (_half_ball(radius, length / 2, sign) for sign in (1.0, -1.0))
    return _given(sum(ends, _cylinder(radius, length)), density, mass)


def torus(radius: float, tube_radius: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Solid ring around z; `radius` R from its centre to that of the tube: S = m diag(R²/2 + 3/8 r², same, r²/4)."""
    _ring(radius, tube_radius)
    across, volume = radius**2 / 2 + 3 / 8 * tube_radius**2, 2 * math.pi**2 * radius * tube_radius**2
    return _given(_moments(volume, (across, across, tube_radius**2 / 4)), density, mass)


def triangular_prism(
    base: float, height: float, length: float, apex: float | None = None, *, density: Amount = None, mass: Amount = None
) -> MassProperties:
    """Solid prism over the triangle (0, 0), (base, 0), (apex, height) in the plane z = 0, up to z = length.

    The apex stands over the middle of the base by default: apex = 0 makes a right angle at the origin, and any sign will do.
    In its plane, by the simplex formula about the centroid c of the corners pᵢ: S = m/12 Σ (pᵢ − c)(pᵢ − c)ᵀ.
    """
    _lengths(base=base, height=height, length=length)
    top = base / 2 if apex is None else float(finite_array(apex, (), "apex"))
    corners = np.array([[0.0, 0.0, 0.0], [base, 0.0, 0.0], [top, height, 0.0]])
    middle = corners.mean(axis=0)
    arms = corners - middle
    second = product(arms.T, arms) / 12
    second[2, 2] = length**2 / 12
    middle[2] = length / 2
    volume = base * height / 2 * length
    return _given(Moments(volume, np.zeros(3), volume * second, middle), density, mass)


# ---- thin shells: the whole surface of the solid ------------------------------------------------------------------------


def box_shell(x: float, y: float, z: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin closed surface of a cuboid of edges x, y, z.

    Sum of three pairs of plates: ∫x² = x² (yz/2 + (zx + xy)/6), cyclically, over the area 2 (xy + yz + zx).
    """
    _lengths(x=x, y=y, z=z)
    a, b, c = y * z, z * x, x * y  # areas across x, y and z
    total = 2 * (a + b + c)
    shares = (a / 2 + (b + c) / 6) / total, (b / 2 + (c + a) / 6) / total, (c / 2 + (a + b) / 6) / total
    return _given(_moments(total, (x * x * shares[0], y * y * shares[1], z * z * shares[2])), density, mass, _AREAL)


def sphere_shell(radius: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin sphere: S = m/3 r² 1."""
    _lengths(radius=radius)
    return _given(_moments(4 * math.pi * radius**2, (radius**2 / 3,) * 3), density, mass, _AREAL)


def ellipsoid_shell(rx: float, ry: float, rz: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin surface of an ellipsoid of semi-axes rx, ry, rz, the same mass on equal areas.

    Its moments are elliptic integrals, not elementary; see `_ellipsoid_areas`. It is *not* the thin `homoeoid`, whose
    S = m/3 diag(rx², ry², rz²) is sometimes given for it; nor the space between ellipsoids whose semi-axes differ by one
    length, which is not of uniform thickness either.
    """
    _lengths(rx=rx, ry=ry, rz=rz)
    semi_axes = np.array([rx, ry, rz])
    areas = _ellipsoid_areas(semi_axes)
    total = float(areas.sum())
    x, y, z = (semi_axes**2 * areas / total).tolist()
    return _given(_moments(total, (x, y, z)), density, mass, _AREAL)


def cylinder_shell(radius: float, length: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin closed can along z: a pipe and two discs."""
    _lengths(radius=radius, length=length)
    lids = (_disc(radius, z) for z in (length / 2, -length / 2))
    return _given(sum(lids, _pipe(radius, length)), density, mass, _AREAL)


def pipe(radius: float, length: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin cylinder along z, open at both ends: S = m diag(r²/2, r²/2, l²/12)."""
    _lengths(radius=radius, length=length)
    return _given(_pipe(radius, length), density, mass, _AREAL)


def cone_shell(radius: float, height: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin closed surface of a cone, its base in z = 0, its apex at z = h.

    The slanted part, of area π r √(r² + h²), has c = h/3 and S = m diag(r²/4, r²/4, h²/18); the base is a disc.
    """
    _lengths(radius=radius, height=height)
    across = radius**2 / 4
    area = math.pi * radius * math.hypot(radius, height)
    slant = _moments(area, (across, across, height**2 / 18), height / 3)
    return _given(slant + _disc(radius, 0.0), density, mass, _AREAL)


def capsule_shell(radius: float, length: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin closed surface of a capsule: a pipe of `length` along z with a half sphere on each end."""
    _lengths(radius=radius, length=length)
    ends = (_half_sphere(radius, length / 2, sign) for sign in (1.0, -1.0))
    return _given(sum(ends, _pipe(radius, length)), density, mass, _AREAL)


def torus_shell(radius: float, tube_radius: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin surface of a ring around z: S = m diag(R²/2 + 3/4 r², same, r²/2), area 4 π² R r.

    The area at angle φ of the tube is in proportion to R + r cos φ: ∫(R + r cos φ)³ / ∫(R + r cos φ) = R² + 3/2 r².
    """
    _ring(radius, tube_radius)
    across, area = radius**2 / 2 + 3 / 4 * tube_radius**2, 4 * math.pi**2 * radius * tube_radius
    return _given(_moments(area, (across, across, tube_radius**2 / 2)), density, mass, _AREAL)


# ---- sheets, wires, points ----------------------------------------------------------------------------------------------


def disc(radius: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin disc across z: S = m diag(r²/4, r²/4, 0)."""
    _lengths(radius=radius)
    return _given(_disc(radius, 0.0), density, mass, _AREAL)


def plate(x: float, y: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin rectangle of edges x, y across z: S = m diag(x²/12, y²/12, 0)."""
    _lengths(x=x, y=y)
    return _given(_moments(x * y, (x * x / 12, y * y / 12, 0.0)), density, mass, _AREAL)


def rod(length: float, *, density: Amount = None, mass: Amount = None) -> MassProperties:
    """Thin rod along z: S = m diag(0, 0, l²/12)."""
    _lengths(length=length)
    return _given(_moments(length, (0.0, 0.0, length**2 / 12)), density, mass, _LINEAR)


def point(*, density: Amount = None, mass: Amount = None) -> MassProperties:
    """All mass in the origin; it has no extent for a density to be per."""
    if density is not None or mass is None:
        raise InvalidInput("a point has no volume, so it needs a mass and takes no density")
    return MassProperties(positive(mass, "mass", "kg"), np.zeros(3), np.zeros((3, 3)))


# ---- parts --------------------------------------------------------------------------------------------------------------


def _cylinder(radius: float, length: float) -> Moments:
    return _moments(math.pi * radius**2 * length, (radius**2 / 4, radius**2 / 4, length**2 / 12))


def _pipe(radius: float, length: float) -> Moments:
    return _moments(2 * math.pi * radius * length, (radius**2 / 2, radius**2 / 2, length**2 / 12))


def _disc(radius: float, z: float) -> Moments:
    return _moments(math.pi * radius**2, (radius**2 / 4, radius**2 / 4, 0.0), z)


def _half_ball(radius: float, flat: float, sign: float) -> Moments:
    """Half ball on the plane z = sign · flat: c = 3/8 r from it, ∫z² = (1/5 − (3/8)²) r² = 19/320 r² about c."""
    across = radius**2 / 5
    volume = 2 / 3 * math.pi * radius**3
    return _moments(volume, (across, across, 19 / 320 * radius**2), sign * (flat + 3 / 8 * radius))


def _half_sphere(radius: float, flat: float, sign: float) -> Moments:
    """Thin half sphere on the plane z = sign · flat: c = r/2 from it, ∫z² = (1/3 − 1/4) r² = r²/12 about c."""
    across = radius**2 / 3
    return _moments(2 * math.pi * radius**2, (across, across, radius**2 / 12), sign * (flat + radius / 2))


def _ellipsoid_areas(semi_axes: Array) -> Array:
    """∫uᵢ² dA over the surface of an ellipsoid, x = diag(a) u with |u| = 1; shape (3,), m². Their sum is the area.

    dA = abc √q du with q = Σ pⱼ uⱼ², pⱼ = 1/aⱼ², which needs the means Kᵢ of uᵢ² √q over the unit sphere. For a
    Gaussian vector g, E[gᵢ² √(Σ pⱼ gⱼ²)] = E|g|³ Kᵢ, and E|g|³ = 8 √(2/π). With √q = (2√π)⁻¹ ∫ (1 − e^(−qt)) t^(−3/2) dt, the
    Gaussian mean of gᵢ² e^(−qt) = rᵢ √(r₁ r₂ r₃), rⱼ = 1 / (1 + 2 pⱼ t), one integration by parts, and t = v²,

        E[…] = 2/√π ∫₀^∞ √(r₁ r₂ r₃) rᵢ (Σⱼ pⱼ rⱼ + 2 pᵢ rᵢ) dv.

    Every term is positive, and with v = e^s the integrand is analytic for |Im s| < π/2 whatever the shape: the trapezoidal rule
    of step h errs by some powers of 1/h times e^(−π²/h), 4e-22 for h = 1/5 (Trefethen and Weideman 2014, SIAM Review 56(3), theorem 5.1).
    """
    size = semi_axes.max()
    a = semi_axes / size
    # below v = e^lower · a_min the integrand is constant and what is left out is its e^−40; above a_max it falls as v^−7
    v = np.exp(_STEP * np.arange(math.floor((math.log(a.min()) - 40.0) / _STEP), math.ceil(8.0 / _STEP)))
    p = (1.0 / a**2)[:, None]
    r = 1.0 / (1.0 + 2.0 * p * v**2)
    rates = p * r
    integrand = np.sqrt(r.prod(axis=0)) * r * (rates.sum(axis=0) + 2.0 * rates)
    means = 2.0 / math.sqrt(math.pi) * _STEP * (integrand * v).sum(axis=1) / (8.0 * math.sqrt(2.0 / math.pi))
    areas: Array = 4.0 * math.pi * size**2 * a.prod() * means
    return areas


_STEP = 0.2


# ---- pieces of the functions above --------------------------------------------------------------------------------------


def _lengths(**values: float) -> None:
    for name, value in values.items():
        positive(float(finite_array(value, (), name)), name, "m")


def _ring(radius: float, tube_radius: float) -> None:
    _lengths(radius=radius, tube_radius=tube_radius)
    if tube_radius > radius:
        what = f"tube_radius {tube_radius!r} m is above radius {radius!r} m: the ring would run through itself"
        raise InvalidInput(what)


def _moments(measure: float, variances: tuple[float, float, float], z: float = 0.0) -> Moments:
    """Moments of a shape that is symmetric about the z axis or all planes, about its own centre (0, 0, z)."""
    return Moments(measure, np.zeros(3), measure * np.diag(variances), np.array([0.0, 0.0, z]))


def _given(moments: Moments, density: Amount, mass: Amount, unit: str = _SOLID) -> MassProperties:
    if density is not None:
        positive(density, "density", unit)
    return MassProperties.from_moments(moments, density=density, mass=mass)


# ---- by name ------------------------------------------------------------------------------------------------------------


def _shape(function: Callable[..., MassProperties], dimension: int) -> Shape:
    name = function.__name__.replace("_", "-")
    given = [p for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    summary = (function.__doc__ or "").partition("\n")[0]
    parameters = tuple(
        Parameter(p.name, "coordinate" if p.name in ("apex", "top_radius") else "length", p.default is not p.empty)
        for p in given
    )
    return Shape(name, function, parameters, dimension, summary)


_BY_DIMENSION: dict[int, tuple[Callable[..., MassProperties], ...]] = {
    3: (box, sphere, ellipsoid, homoeoid, cylinder, tube, cone, frustum, capsule, torus, triangular_prism),
    2: (
        *(box_shell, sphere_shell, ellipsoid_shell, cylinder_shell, pipe, cone_shell, capsule_shell, torus_shell),
        *(disc, plate),
    ),
    1: (rod,),
    0: (point,),
}

#: All shapes by name.
SHAPES: dict[str, Shape] = {
    shape.name: shape
    for dimension, functions in _BY_DIMENSION.items()
    for shape in (_shape(function, dimension) for function in functions)
}


def shape_moments(name: str, lengths: Mapping[str, float]) -> Moments:
    """Moments of a solid in its own frame, lengths in metres."""
    unit = SHAPES[name].function(**lengths, density=1.0)
    return Moments(unit.mass, np.zeros(3), unit.second_moment(), unit.com)
