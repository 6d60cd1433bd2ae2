"""Inertials: the numbers that a dialect states about a body, the body itself, and the numbers that are printed of it.

Tests: `tests/formats/bodies/test_round_trip.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from massprops.errors import InvalidInput, MasspropsError, Remedy, as_read_error, require_count
from massprops.findings import Finding, worst_first
from massprops.formats.address import Place
from massprops.formats.inertial.numbers import MOST_DIGITS, round_to, shortest_within
from massprops.formats.link_names import some
from massprops.frames import Pose
from massprops.moments.arrays import Array, ByValue, symmetric_eigen
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import body_findings
from massprops.values import dataclass


@dataclass(frozen=True, eq=False)
class Inertial:
    """The numbers of an `<inertial>` as they are written: a tensor along the axes of a frame at the centre of mass.

    Attributes
    ----------
    mass : float
        kg.
    frame : Pose
        X_BI, the inertial frame in the frame of the body; its origin is the centre of mass.
    tensor : ndarray, shape (3, 3)
        About the centre of mass, along the axes of the inertial frame, kg m², tensor convention (Ixy = −∫ρ x y).
    diagonal : bool
        Whether only three moments are written, so that the products are zero by the form of the text.
    """

    mass: float
    frame: Pose
    tensor: Array
    diagonal: bool = False

    @cached_property
    def is_principal(self) -> bool:
        """Whether the axes of the inertial frame are principal axes: all products are 0."""
        return bool(np.count_nonzero(self.tensor - np.diag(self.tensor.diagonal())) == 0)

    @cached_property
    def moments(self) -> tuple[float, ...]:
        """Principal moments, ascending: the numbers themselves where they are written, else eigenvalues."""
        found = self.tensor.diagonal() if self.is_principal else symmetric_eigen(self.tensor)[0]
        return tuple(sorted(found.tolist()))

    @cached_property
    def properties(self) -> MassProperties:
        """The body that is meant, in the axes of the body's own frame; where the frames are parallel, bit for bit.

        Raises
        ------
        InvalidInput
            If a number is not finite.
        """
        turned = Pose(self.frame.rotation, np.zeros(3))
        central = MassProperties(self.mass, np.zeros(3), self.tensor).transformed(turned)
        return MassProperties(self.mass, self.frame.translation, central.inertia)


@dataclass(frozen=True)
class ItemBudget:
    """Statements of a row of a mass budget beside its body.

    Attributes
    ----------
    growth : float
        Mass growth allowance as a share of the mass.
    maturity : str
        Its maturity class, whose items grow together; empty for none.
    group : str or None
    limit : float or None
        Mass limit, kg.
    """

    growth: float = 0.0
    maturity: str = ""
    group: str | None = None
    limit: float | None = None


@dataclass(frozen=True, eq=False)
class NamedBody(ByValue):
    """A rigid body with the name it goes by, and where both come from.

    Attributes
    ----------
    name : str or None
        Of the link, body or part; None for one that needs none.
    properties : MassProperties
        In the frame of the body, SI.
    place : str
        ``robot.urdf:12``, or the file alone; empty for what was made in memory.
    dialect : str
        What it was read from: ``urdf``, ``sdf`` …; ``shape``, ``assembly`` for what was made.
    findings : tuple of Finding
        What was noticed on reading.
    stated : Inertial or None
        The numbers as the file has them, before they are turned into the axes of the body.
    volume : float or None
        m³, where the file states it: the text of a CAD program.
    inferred : bool
        Whether the file states no inertial: the simulator infers it from geometry (MuJoCo), or takes a default (SDFormat).
    scale : tuple of float
        By which the file multiplies its coordinates (nodes of glTF); empty for none.
    budget : ItemBudget or None
        Growth, group and limit of a row of a mass budget.
    has_points : bool
        Whether parts of it are point masses, so that its mass is spread farther than its inertia says.
    """

    name: str | None
    properties: MassProperties
    place: str = ""
    dialect: str = ""
    findings: tuple[Finding, ...] = ()
    stated: Inertial | None = None
    volume: float | None = None
    inferred: bool = False
    scale: tuple[float, ...] = ()
    budget: ItemBudget | None = None
    has_points: bool = False

    @cached_property
    def all_findings(self) -> tuple[Finding, ...]:
        """The findings of reading it and of its physics, worst first."""
        known, p = {f.code for f in self.findings}, self.properties
        known |= {"implausible-density"} if "default-inertial" in known else set()
        stated = None if self.stated is None else self.stated.tensor
        found = [
            *self.findings,
            *(f for f in body_findings(p, stated, has_points=self.has_points) if f.code not in known),
        ]
        if not p.uncertainty.mass_is_certain:
            message = "the ± of the mass is not below the mass itself, so the other numbers have no ±"
            found.append(Finding("uncertainty-left-out", "warning", message, where=self.place))
        return worst_first(found)

    @property
    def path(self) -> str:
        """The file of `place`, without the line or the prim."""
        return Place.of(self.place).file

    @classmethod
    def of(
        cls, name: str | None, stated: Inertial, place: str, dialect: str, findings: tuple[Finding, ...] = ()
    ) -> NamedBody:
        """The body that an inertial means.

        Returns
        -------
        NamedBody
            With `stated` as it is in the file.

        Raises
        ------
        ReadError
            If its numbers overflow when they are turned into the axes of the body; the message begins with `place`.
        """
        with as_read_error(place, "bad-inertial"):
            return cls(name, stated.properties, place, dialect, findings, stated)

    def with_properties(self, properties: MassProperties) -> NamedBody:
        """Body of this name and origin with other numbers, as after a change of frame."""
        return replace(self, properties=properties, stated=None)


#: Entries of the tensor by the names of URDF and SDFormat, in the order in which these are written.
ENTRIES = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def symmetric(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Array:
    """The tensor with these six entries, shape (3, 3)."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@dataclass(frozen=True, eq=False)
class FileBodies:
    """Bodies of a file, and what else the file holds.

    Attributes
    ----------
    bodies : sequence of NamedBody
        In the order of the file.
    without : tuple of str
        The names of the links that state no inertial.
    remarks : tuple of str
        About what is not read.
    general : tuple of str
        The remarks that hold for each body, too.
    failed : tuple of (str or None, MasspropsError)
        The links that cannot be read, by name, and the files that are included and cannot be.
    computed : tuple of NamedBody
        The bodies that are not stated, but computed from geometry.
    limits : mapping of str to float
        Mass limits of a budget, kg, by group, and by the empty name that of all bodies.
    """

    bodies: Sequence[NamedBody]
    without: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    failed: tuple[tuple[str | None, MasspropsError], ...] = ()
    computed: tuple[NamedBody, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)
    general: tuple[str, ...] = ()

    def only(self, body: NamedBody) -> FileBodies:
        """Contents with one body alone, and the remarks on all and on its row."""
        own = tuple(text for text in self.remarks if text in self.general or text.startswith(f"{body.place}: "))
        return FileBodies([body], (), own, computed=tuple(b for b in self.computed if b is body))

    @property
    def of_rows(self) -> tuple[str, ...]:
        """The remarks, if they are about the rows of a table: others stand in the findings of bodies."""
        return self.remarks if self.bodies[0].dialect == "csv" else ()

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Findings with the remarks, for those that show no others."""
        return tuple(Finding("table-rows", "info", text) for text in self.remarks)

    def notes_about(self, file: str) -> tuple[Finding, ...]:
        """Findings about what of a file is not in the bodies, or is not stated in it."""
        lacking = [f"{file}: no inertial is stated for {', '.join(self.without)}"] if self.without else []
        if self.computed:
            names = some([body.name or "?" for body in self.computed])
            lacking.append(f"{file}: computed from geometry, not stated: {names}")
        return (*self.notes, *(Finding("no-inertial", "info", text) for text in lacking))

    def whole(self) -> FileBodies:
        """The contents themselves; raise the first error of a link or file that cannot be read."""
        for _, error in self.failed:
            raise error
        return self


@dataclass(frozen=True)
class WriteOptions:
    """Options of writing an inertial.

    Attributes
    ----------
    principal : bool
        Three principal moments along a turned frame, instead of six entries along the axes of the body.
    quaternion : bool
        SDF: the pose as a position and a quaternion x y z w, instead of roll, pitch and yaw.
    digits : int or None
        Significant digits of every number; None for the shortest decimals that `within_errors` allows.
    order : str
        Of a ten-vector: the tool whose order it is.
    """

    principal: bool = False
    quaternion: bool = False
    digits: int | None = None
    order: str = "pinocchio"

    def __post_init__(self) -> None:
        object.__setattr__(self, "digits", digits_of(self.digits))


def digits_of(digits: object) -> int | None:
    """A count of significant digits, or None; InvalidInput for one that doubles do not have."""
    return None if digits is None else require_count(digits, "digits", MOST_DIGITS)


@dataclass(frozen=True, eq=False)
class PrintedNumbers:
    """Numbers that are printed of one body: mass (kg), centre (m), tensor (kg m²) along a frame turned by `rpy`, which is `wxyz`."""

    mass: float
    com: tuple[float, ...]
    tensor: Array
    rpy: tuple[float, ...]
    wxyz: tuple[float, ...]

    @property
    def moments(self) -> tuple[float, ...]:
        """The diagonal of the tensor."""
        return tuple(self.tensor.diagonal().tolist())


def numbers_of(body: MassProperties, form: WriteOptions, *, single: bool = False) -> PrintedNumbers:
    """The numbers to print, each rounded on its own to the digits of the form, and then to single precision where asked for."""

    def rule(x: float) -> float:
        return float(np.float32(round_to(x, form.digits))) if single else round_to(x, form.digits)

    body = within_errors(body) if form.digits is None else body
    tensor, frame = body.inertia, Pose.identity()
    # along axes that are principal already nothing is turned and no bit is lost
    if form.principal and np.count_nonzero(tensor - np.diag(tensor.diagonal())):
        principal = body.principal()
        tensor, frame = np.diag(principal.moments), Pose(principal.axes.T, np.zeros(3))  # its columns are the axes
    vectors = body.com, frame.to_rpy() + 0.0, frame.to_quaternion_wxyz()  # no −0.0
    com, rpy, wxyz = (tuple(map(rule, values.tolist())) for values in vectors)
    rounded = np.array([[rule(x) for x in row] for row in tensor.tolist()])
    return PrintedNumbers(rule(body.mass), com, rounded, rpy, wxyz)


#: What some sums and products of doubles can have cost, of the size of a number.
_ROUNDING = 16 * 2.0**-53


def within_errors(body: MassProperties) -> MassProperties:
    """The body with the shortest decimals that lie within the ± of each number; itself where no ± is known.

    Rounding takes all of a ± that is itself rounding (1e-12 of the number), else a hundredth of it and at most 1e-6 of the number, so
    that it adds nothing that matters. A tensor that is that of a body stays one: where the decimals break A + B ≥ C of the
    principal moments or a positive sign, they get longer.
    """
    if not body.sources or not body.uncertainty.mass_is_certain:
        return body
    off, size = body.uncertainty, float(np.abs(body.inertia).max())
    arm = max(float(np.abs(body.com).max()), math.sqrt(size / abs(body.mass)))
    mass, com = shorten(body.mass, off.mass.bound, abs(body.mass)), shorten(body.com, off.center_of_mass.bound, arm)
    least, bound = min(_margin(body.inertia), 0.0), off.inertia.bound
    tensors = (shorten(body.inertia, bound / finer, size) for finer in (1.0, 1e2, 1e4, 1e6))
    tensor = next((t for t in tensors if _margin(t) >= least), body.inertia)
    return MassProperties(float(mass), com, tensor, body.sources)


def without_rounding(body: MassProperties, share: float = 0.0, size: float = 0.0) -> MassProperties:
    """The body with the shortest decimals within what is not known of it: what arithmetic can have left, and a `share` of a solid.

    Parameters
    ----------
    body : MassProperties
        Computed, without errors of its own; one that has them is returned as it is.
    share : float
        How far its volume can be off, of itself; its mass is certain where that was given.
    size : float
        Of the solid, m.
    """
    if body.sources or body.mass == 0.0:
        return body
    reach = max(size, float(np.abs(body.com).max()), math.sqrt(float(np.abs(body.inertia).max()) / abs(body.mass)))
    center = np.full(3, _ROUNDING * reach + share * size)
    tensor = np.full((3, 3), _ROUNDING * float(np.abs(body.inertia).max()) + share * abs(body.mass) * size**2)
    found = within_errors(body.with_errors(abs(body.mass) * (_ROUNDING + share), center, tensor))
    return MassProperties(found.mass, found.com, found.inertia)


def round_numbers(body: MassProperties, digits: int) -> MassProperties:
    """The body with so many significant digits of each number.

    Raises
    ------
    InvalidInput
        If these are the numbers of no body, and its own are of one.
    """

    def all_of(values: Array) -> Array:
        return np.reshape([round_to(x, digits) for x in values.ravel().tolist()], values.shape)

    found = MassProperties(round_to(body.mass, digits), all_of(body.com), all_of(body.inertia))
    if body.consistency().ok and not found.consistency().ok:
        what = f"{digits} digits are too few: no body has the rounded moments"
        raise InvalidInput(what, code="not-a-body", hint=Remedy("give more {}", "digits"))
    return found


def shorten(values: Array | float, bounds: Array | float, size: float) -> Array:
    """Numbers with these bounds on their errors, as the shortest decimals that `within_errors` allows beside a number of this `size`."""
    room = np.minimum(bounds, np.clip(np.divide(bounds, 100.0), 1e-12 * size, 1e-6 * size))
    pairs = zip(np.ravel(values).tolist(), np.broadcast_to(room, np.shape(values)).ravel().tolist(), strict=True)
    return np.reshape([shortest_within(*pair) for pair in pairs], np.shape(values))


def _margin(tensor: Array) -> float:
    """The least of the principal moments and of A + B − C of them."""
    a, b, c = symmetric_eigen(tensor)[0].tolist()
    return float(min(a, (a + b) - c))
