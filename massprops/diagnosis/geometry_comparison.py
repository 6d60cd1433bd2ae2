"""How far an inertial is from a geometry, and which mistakes undone bring it there.

Distances are relative. The centre's is that between the two centres over the diagonal of the bounds; the tensor's is the Frobenius
norm of the difference over that of the geometry's, at the stated mass and uniform density.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from massprops.diagnosis.common_mistakes import CENTRE_MISTAKES, Mistake, Source
from massprops.errors import InvalidInput
from massprops.formats.inertial.inertial import Inertial
from massprops.frames import Pose
from massprops.measurement.result import Measurement
from massprops.moments.integrals import Array, Moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import PLAUSIBLE_DENSITY

#: Tensors nearer than this are taken to agree. CAD-true inertials of real robots are at most 0.011 from their meshes (ten links of
#: `docs/robots.md`: material that is not quite uniform, meshes coarser than the part, six printed digits); this is twice that.
NOTICED = 0.02
#: A tensor that is nearer than this once a mistake is undone is explained by the mistake, and one that was nearer before is wrong by so
#: little that it is only warned of: parts of several materials differ from their geometry by more.
AGREES = 0.05
#: How many times nearer undoing a mistake has to bring the numbers: else a difference in density would be explained by any.
NEARER = 3.0
#: Below `NOTICED`, a mistake is only reported if undoing it brings the tensor this many times nearer, from more than `ROUNDED`:
#: agreement of six entries to a hundredth of their difference is no chance, and less can be the rounding of six printed digits.
MUCH_NEARER, ROUNDED = 100.0, 1e-4
#: The same three for the centre: CAD-true ones are at most 0.0083 of the diagonal away.
CENTRE_NOTICED, CENTRE_AGREES = 0.02, 0.02


@dataclass(frozen=True, eq=False)
class Reference:
    """The geometry that an inertial is compared with.

    Attributes
    ----------
    moments : Moments
        Of the geometry, in the frame of the link, m³ …
    bounds : ndarray, shape (2, 3)
        Of a box that holds it, m.
    doubts : tuple of str
        Why its integral may not be that of the body.
    """

    moments: Moments
    bounds: Array
    doubts: tuple[str, ...] = ()

    @property
    def size(self) -> float:
        """Diagonal of the bounds, m."""
        return float(np.linalg.norm(self.bounds[1] - self.bounds[0]))

    def body(self, mass: float) -> MassProperties:
        """The geometry as a body of uniform density and this mass, kg."""
        return MassProperties.from_moments(self.moments, mass=mass)


@dataclass(frozen=True)
class Comparison:
    """How far an inertial is from its geometry.

    Attributes
    ----------
    density : float
        Mass over volume, kg/m³.
    centre : float
        Distance of the centres over the diagonal of the bounds.
    tensor : float
        Relative distance of the tensors at the same mass.
    ratios : tuple of float
        Principal moments over those of the geometry, ascending both.
    isotropic : bool
        Whether the moments of the geometry are equal about every axis, as those of a ball or a cube are.
    """

    density: float
    centre: float
    tensor: float
    ratios: tuple[float, float, float]
    isotropic: bool = False

    def to_dict(self) -> dict[str, float]:
        """For display, by name."""
        return {
            "implied_density": self.density,
            "centre_distance": self.centre,
            "tensor_distance": self.tensor,
            "smallest_moment_ratio": min(self.ratios),
            "largest_moment_ratio": max(self.ratios),
        }


def compare(body: MassProperties, reference: Reference) -> Comparison:
    """The distances; `body` in the frame of the geometry, its mass positive.

    Raises
    ------
    InvalidInput
        If the mass is not positive: there is nothing to scale the geometry to.
    """
    if body.mass <= 0:
        raise InvalidInput(f"mass is {body.mass!r} kg; a positive mass is needed to compare an inertia with a geometry")
    uniform = np.linalg.eigvalsh(reference.body(body.mass).inertia)
    a, b, c = (np.linalg.eigvalsh(body.inertia) / uniform).tolist()
    return Comparison(
        body.mass / reference.moments.measure,
        centre_distance(body, reference),
        tensor_distance(body, reference),
        (a, b, c),
        bool(uniform[2] <= (1 + AGREES) * uniform[0]),
    )


def reference_of(measured: Measurement) -> Reference:
    """A measured solid as a reference; InvalidInput if it is a sheet."""
    if measured.method == "shell":
        raise InvalidInput(f"{measured.input.path}: was measured as a sheet, and an inertial is compared with a solid")
    doubts = (f"it is {measured.grade}",) if measured.grade in ("unverified", "estimated") else ()
    return Reference(measured.moments, measured.bounds, doubts)


def inertial_of(body: MassProperties) -> Inertial:
    """A body as numbers along the axes of its frame."""
    return Inertial(body.mass, Pose(np.eye(3), body.com), body.inertia)


def centre_distance(body: MassProperties, reference: Reference) -> float:
    """Between the two centres, over the diagonal of the bounds."""
    return float(np.linalg.norm(body.com - reference.moments.centroid)) / reference.size


def tensor_distance(body: MassProperties, reference: Reference) -> float:
    """Of the tensors, relative to the geometry's at the same mass."""
    uniform = reference.body(abs(body.mass)).inertia
    return float(np.linalg.norm(body.inertia - uniform) / np.linalg.norm(uniform))


def explained(stated: Inertial, reference: Reference, sources: Sequence[Source]) -> list[tuple[float, Mistake]]:
    """Mistakes whose correction brings the tensor to the geometry's, those of them that come nearest, in the order of the sources."""
    before = tensor_distance(stated.properties, reference)
    mistakes = [
        s for source in sources for s in source(stated) if _has_density(s.corrected.mass, stated.mass, reference)
    ]
    return nearest(before, [(tensor_distance(s.corrected.properties, reference), s) for s in mistakes], AGREES)


def _has_density(mass: float, before: float, reference: Reference) -> bool:
    """Whether a corrected mass makes a density that materials have; one that is not corrected need not."""
    low, high = PLAUSIBLE_DENSITY
    return mass == before or low <= mass / reference.moments.measure <= high


def explained_centre(
    stated: Inertial, reference: Reference, sources: Sequence[Source] = CENTRE_MISTAKES
) -> list[tuple[float, Mistake]]:
    """The same of the centre of mass.

    A centre divided by a thousand is near the origin of the link, whatever it was: where the geometry's centre is there too, the unit
    explains nothing.
    """
    before = centre_distance(stated.properties, reference)
    origin = float(np.linalg.norm(reference.moments.centroid)) / reference.size
    tried = [(centre_distance(s.corrected.properties, reference), s) for source in sources for s in source(stated)]
    telling = [(d, s) for d, s in tried if s.kind != "wrong-unit" or origin > max(CENTRE_NOTICED, NEARER * d)]
    return nearest(before, telling, CENTRE_AGREES)


def nearest(before: float, tried: list[tuple[float, Mistake]], agrees: float) -> list[tuple[float, Mistake]]:
    """Those that explain: near enough, much nearer than before, and none of the others twice as near."""
    good = [(d, s) for d, s in tried if d <= agrees and NEARER * d <= before]
    best = min((d for d, _ in good), default=0.0)
    return [(d, s) for d, s in good if d <= max(2.0 * best, NOTICED / 4)]
