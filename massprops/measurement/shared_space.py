"""Parts of an assembly that share space: found, and counted once where the assembly says which part takes the place of which.

A part that `displaces` others, or has a higher `priority`, keeps its space; the others lose what they share with it. A stated mass stays
the mass of its part. What is shared without such a statement is refused, or, where overlaps are to be counted, a finding and a ±.

Tests: `tests/measurement/test_shared_space.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from massprops.errors import InvalidGeometry, Remedy
from massprops.findings import Finding, point_text
from massprops.formats.link_names import some
from massprops.frames import Pose
from massprops.measurement.checks import too_uncertain
from massprops.measurement.mesh_integration import MeshIntegration
from massprops.mesh.box_tree import overlapping_pairs
from massprops.mesh.policies import LIMITS
from massprops.mesh.repair.overlap import LINES_TO_SEE, FilledSpace, common_space, remainder
from massprops.mesh.surface import Surface
from massprops.mesh.winding_policy import OVERLAP_LIMIT
from massprops.moments.arrays import Array, ByValue
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, Uncertainty
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shape_facets import facets_of_shape
from massprops.rigid_body.shapes import shape_moments
from massprops.rigid_body.uncertain import Source, shift
from massprops.values import dataclass

#: A smaller share of the smaller part is rounding, and not remarked on.
_NOTABLE = 1e-6
#: Facets of a part; more are not compared.
_MOST_FACETS = 1_000_000
#: Copies of parts, and pairs of them with overlapping boxes, each some hundredths of a second; more are not compared.
MOST_COPIES, _MOST_PAIRS = 1_000, 1_000
#: Boxes that overlap by less than this share of their size touch.
_TOUCHING = 1e-12


@dataclass(frozen=True, eq=False)
class Occupant(ByValue):
    """A copy of a part, or `count` of them in one place, in the frame of an assembly.

    Attributes
    ----------
    name : str
    body : MassProperties
        Of one copy; negative mass for a hole.
    space : FilledSpace or None
        What it fills; None where its geometry is not known, or it encloses nothing.
    count : int
    density : float
        Of what it fills, kg/m³.
    has_extent : bool
        Whether it may fill space that is not known.
    mass_is_given : bool
        Whether its mass stays when it loses space; else its density does.
    cut : tuple of FilledSpace
        Where it is not: holes, and what has taken its place.
    family : object
        Occupants of one family are not compared: they were, in a file of their own.
    """

    name: str
    body: MassProperties
    space: FilledSpace | None = None
    count: int = 1
    density: float = 0.0
    has_extent: bool = False
    mass_is_given: bool = False
    cut: tuple[FilledSpace, ...] = ()
    family: object = field(default_factory=object, compare=False, repr=False)

    @property
    def filled(self) -> FilledSpace:
        """Its space, where that is known."""
        assert self.space is not None  # noqa: S101  # only such are compared
        return self.space

    @property
    def is_hole(self) -> bool:
        """Whether it is cut out of others."""
        return self.body.mass < 0

    def settled(self, family: object, name: str = "") -> Occupant:
        """Occupant as one of a family; a hole is known as what is cut from the others of it."""
        return replace(self, name=name or self.name, family=family, space=None if self.is_hole else self.space)

    def transformed(self, pose: Pose) -> Occupant:
        """Moved by X_AB from its frame B into frame A."""
        space = self.space and self.space.moved(pose.rotation, pose.translation)
        cut = tuple(c.moved(pose.rotation, pose.translation) for c in self.cut)
        return replace(self, body=self.body.transformed(pose), space=space, cut=cut)


def space_of_shape(name: str, lengths: Mapping[str, float]) -> FilledSpace | None:
    """Space of a shape in its own frame, lengths in m; None of one without volume."""
    inside, around = (facets_of_shape(name, lengths, side) for side in ("inside", "around"))
    if inside is None or around is None:
        return None
    moments = shape_moments(name, lengths)
    if np.array_equal(inside, around):
        return FilledSpace(moments, inside, inside)
    less, more = (Surface.of(corners, np.zeros(3)).solid.measure for corners in (inside, around))
    return FilledSpace(moments, inside, around, more - less)


def space_of_mesh(integration: MeshIntegration) -> FilledSpace | None:
    """Space of a measured mesh, in metres and the frame of its file; None where it has too many facets, or no triangles bound it."""
    mesh = integration.body.mesh
    if integration.body.dimension != 3 or mesh is None or mesh.facets > _MOST_FACETS:
        return None
    corners = np.concatenate([c.astype(np.float64) for c in mesh.chunks()]) * integration.scale
    moments = integration.body.moments.scaled(integration.scale).recentred()
    if (exact := integration.exact_solid) is None:
        return FilledSpace(moments, corners, corners)
    area = integration.bounding.sheet.measure * integration.scale**2
    return FilledSpace(moments, corners, corners.copy(), exact.deviation * integration.scale * area)


@dataclass(frozen=True, eq=False)
class Statements:
    """Statements of an assembly about parts that share space, by number of the part.

    `displaces` has the parts whose place a part takes, or which a hole is cut from; a part of higher `priority` takes that of others.
    `count` says that what is shared without a statement is meant.
    """

    displaces: Mapping[int, frozenset[int]] = field(default_factory=dict)
    priority: Mapping[int, float] = field(default_factory=dict)
    count: bool = False

    def takes_place(self, one: int, other: int) -> bool:
        """Whether one part takes the place of another."""
        if other in self.displaces.get(one, ()) or one in self.displaces.get(other, ()):
            return other in self.displaces.get(one, ())
        return self.priority.get(one, 0.0) > self.priority.get(other, 0.0)

    def may_be_cut(self, hole: int, part: int) -> bool:
        """Whether a hole can be cut from a part."""
        named = self.displaces.get(hole)
        return hole != part and (named is None or part in named)


#: Number of a part, and of its occupant.
Key = tuple[int, int]


@dataclass(frozen=True, eq=False)
class _Shared:
    """Space that two occupants have in common, and how far its volume can be off."""

    keys: tuple[Key, Key]
    names: tuple[str, str]
    densities: tuple[float, float]
    common: Moments
    off: float
    share: float

    def finding(self, severity: str) -> Finding:
        """Finding of the shared space: where it is, and how much of each mass."""
        volume, where = self.common.measure, tuple(self.common.centroid.tolist())
        masses = [
            f"{volume * density:.4g}\xa0kg of {name}" for name, density in zip(self.names, self.densities, strict=True)
        ]
        one, other = self.names
        what = f"{one} and {other} share {volume:.4g}\xa0m³ near {point_text(where)}: {masses[0]}, {masses[1]}"
        return Finding("shared-space", severity, what, volume, OVERLAP_LIMIT, where)  # type: ignore[arg-type]

    def uncertain(self, occupant: Occupant) -> Occupant:
        """With a ± of the heavier reading of what is shared."""
        factor = max(self.densities) * (1 + self.off / self.common.measure)
        own = self.common.about(occupant.body.com)
        change = _second_moments(own.second, own.first, own.measure)[np.newaxis]
        body = occupant.body.with_source("shared space", Source("bound", factor / occupant.count * change))
        return replace(occupant, body=body)


def resolve(
    parts: Sequence[Sequence[Occupant]], statements: Statements, place: str = "", hint: Remedy | str = ""
) -> tuple[list[tuple[Occupant, ...]], list[Finding]]:
    """Occupants of all parts, with each point of space counted once, and what was found.

    Parameters
    ----------
    parts : sequence of sequences of Occupant
        In one frame.
    statements : Statements
        Which part takes the place of which.
    place : str
        The file, for errors.
    hint : Remedy or str
        What to do where space is shared without a statement.

    Raises
    ------
    InvalidGeometry
        If parts share space without a statement, nothing is left of a part, or a hole reaches out of what it is cut from.
    """
    known = {(n, k): o for n, occupants in enumerate(parts) for k, o in enumerate(occupants)}
    solids = {key: o for key, o in known.items() if o.space is not None}
    pairs = list(itertools.islice(near(solids), _MOST_PAIRS + 1))
    if len(pairs) > _MOST_PAIRS:
        what = f"it is not known whether parts share space: more than {_MOST_PAIRS:,} pairs have boxes that overlap"
        return [tuple(occupants) for occupants in parts], [Finding("unverified-overlap", "warning", what)]
    hosts = _hosts(solids, pairs, statements)
    taken: dict[Key, list[Key]] = {}
    for pair in pairs:
        # stepped bores: what two holes share is cut out once of the part that both are in
        if hosts.get(pair[0], set()) & hosts.get(pair[1], set()):
            taken.setdefault(pair[1], []).append(pair[0])
        for one, other in (pair, pair[::-1]):
            if not (solids[one].is_hole or solids[other].is_hole) and statements.takes_place(one[0], other[0]):
                taken.setdefault(other, []).append(one)
    left, found = dict(known), list[Finding]()
    for key in solids:
        cutters = [solids[other].filled for other in taken.get(key, ())]
        holes = [solids[hole].filled for hole, own in hosts.items() if key in own]
        left[key] = _without(known[key], cutters, holes, place, found)
    untaken = [(a, b) for a, b in pairs if a not in taken.get(b, ()) and b not in taken.get(a, ())]
    wrong = list(_shared_pairs(left, untaken))
    outside = list(_outside(known, hosts, statements))
    errors = [s.finding("error") for s in sorted(wrong, key=lambda s: -s.common.measure) if s.share > OVERLAP_LIMIT]
    if (errors + outside) and not statements.count:
        first, *others = errors + outside
        more = f"; and {len(others)} more" if others else ""
        remedy = hint if errors else "make the hole as long as the part, and of its density, and place it inside"
        what = first.message + more
        raise InvalidGeometry(what, place=place, code=first.code, hint=remedy, findings=[first, *others])
    for s in wrong:
        left[s.keys[1]] = s.uncertain(left[s.keys[1]])
    found += [s.finding("warning" if s.share > OVERLAP_LIMIT else "info") for s in wrong if s.share > _NOTABLE]
    found += [replace(f, severity="warning") for f in outside]
    found += [*_copies(known), *_not_seen(known)]
    return [tuple(left[n, k] for k in range(len(occupants))) for n, occupants in enumerate(parts)], found


def near(solids: Mapping[Key, Occupant]) -> Iterator[tuple[Key, Key]]:
    """Pairs whose boxes have more than a face in common, and that are not of one family."""
    keys, boxes = list(solids), [solid.filled.bounds for solid in solids.values()]
    for i, j in overlapping_pairs(boxes, _TOUCHING * np.abs(boxes).max(initial=0.0)):
        one, other = sorted((keys[i], keys[j]))
        if solids[one].family is not solids[other].family:
            yield one, other


def _hosts(
    solids: Mapping[Key, Occupant], pairs: Sequence[tuple[Key, Key]], statements: Statements
) -> dict[Key, set[Key]]:
    """Solids that each hole is cut from: those that it names, else those of its density, else all that it meets."""
    met: dict[Key, set[Key]] = {}
    for pair in pairs:
        for hole, part in (pair, pair[::-1]):
            if solids[hole].is_hole and not solids[part].is_hole and statements.may_be_cut(hole[0], part[0]):
                met.setdefault(hole, set()).add(part)
    hosts: dict[Key, set[Key]] = {}
    for hole, own in met.items():
        alike = {p for p in own if np.isclose(solids[p].density, solids[hole].density, rtol=1e-9)}
        hosts[hole] = alike if hole[0] not in statements.displaces and alike else own
    return hosts


def _without(
    occupant: Occupant, cutters: list[FilledSpace], holes: list[FilledSpace], place: str, noticed: list[Finding]
) -> Occupant:
    """Occupant outside of others; holes are bodies of their own, and are not taken away here; `noticed` gets what is found."""
    cut = (*occupant.cut, *holes, *cutters)
    if not cutters:
        return replace(occupant, cut=cut)
    found = remainder(occupant.filled, cutters, holes)
    if found is None:
        what = f"nothing is left of {occupant.name}: other parts take all of its place"
        hint = "leave it out, or turn the order of the two round"
        raise InvalidGeometry(what, place=place, code="shared-space", hint=hint)
    moments, spread = found
    if moments is occupant.filled.moments:
        return occupant
    if spread.volume > LIMITS["safe"] * moments.measure:
        noticed.append(
            too_uncertain(f"what is left of {occupant.name}", spread.volume / moments.measure, LIMITS["safe"])
        )
    filled = replace(occupant, body=-occupant.body) if occupant.is_hole else occupant
    body = _reshaped(filled, moments, spread)
    density = body.mass / moments.measure
    return replace(occupant, body=-body if occupant.is_hole else body, density=density, cut=cut)


def _reshaped(occupant: Occupant, moments: Moments, spread: Spread) -> MassProperties:
    """The body of an occupant in another space, of its density or of its mass, with the errors of both."""
    old = occupant.body
    given = {"mass": old.mass} if occupant.mass_is_given else {"density": occupant.density}
    new = MassProperties.from_moments(moments, **given)
    density = new.mass / moments.measure
    was, now = (_second_moments(body.second_moment(), np.zeros(3), body.mass) for body in (old, new))
    sources = {}
    for name, source in old.sources.items():
        relative = source.changes[0, 3, 3] / old.mass
        if len(source.changes) == 1 and np.allclose(source.changes[0], relative * was, rtol=1e-9, atol=0.0):
            sources[name] = replace(source, changes=relative * now[np.newaxis])  # of the density: of what is left
        else:
            sources[name] = source.moved(shift(old.com - new.com))
    off = Uncertainty.of(spread, moments, density, solid=True, mass_is_given=occupant.mass_is_given)
    assert off.mass is not None  # noqa: S101  # the density is known
    assert off.inertia is not None  # noqa: S101
    return replace(new, sources=sources).with_errors(off.mass, off.center_of_mass, off.inertia)


def _second_moments(second: Array, first: Array, measure: float) -> Array:
    """∫ρ (x, 1) (x, 1)ᵀ, shape (4, 4)."""
    return np.block([[second, first[:, np.newaxis]], [first, measure]])


def _shared_pairs(left: Mapping[Key, Occupant], pairs: Sequence[tuple[Key, Key]]) -> Iterator[_Shared]:
    for keys in pairs:
        one, other = (left[key] for key in keys)
        if one.is_hole or other.is_hole:
            continue
        found = common_space(one.filled, other.filled, (*one.cut, *other.cut))
        if found is None:
            continue
        common, off = found
        # less than `off` may be none: surfaces that touch
        share = max(common.measure - off, 0.0) / min(o.filled.moments.measure for o in (one, other))
        yield _Shared(keys, (one.name, other.name), (one.density, other.density), common, off, share)


def _copies(known: Mapping[Key, Occupant]) -> list[Finding]:
    """Solids that are stated to be in one place several times."""
    each = [f"{o.count} of {o.name}" for o in known.values() if o.count > 1 and o.space is not None]
    what = f"copies are in one place, as is stated: {some([*dict.fromkeys(each)])}"
    return [Finding("shared-space", "info", what)] if each else []


def _outside(
    known: Mapping[Key, Occupant], cut_from: Mapping[Key, set[Key]], statements: Statements
) -> Iterator[Finding]:
    """Holes that reach out of all that they can be cut from, where the geometry of that is known, or are denser than it."""
    for key, hole in known.items():
        if not hole.is_hole or hole.space is None:
            continue
        hosts = [o for other, o in known.items() if not o.is_hole and statements.may_be_cut(key[0], other[0])]
        spaces = [o.space for o in hosts if o.space is not None]
        if not spaces or any(o.space is None and o.has_extent for o in hosts):
            continue
        rest = remainder(hole.space, spaces, lines=LINES_TO_SEE)
        if rest is None or rest[0].measure - rest[1].volume <= OVERLAP_LIMIT * hole.space.moments.measure:
            densest = max(known[part].density for part in cut_from[key])
            if hole.density > densest * (1 + OVERLAP_LIMIT):
                what = f"the hole {hole.name} has {hole.density:.4g}\xa0kg/m³, and what it is cut from at most {densest:.4g}\xa0kg/m³"
                yield Finding("hole-outside", "error", what, hole.density / densest, 1, tuple(hole.body.com.tolist()))
            continue
        where = tuple(rest[0].centroid.tolist())
        what = f"the hole {hole.name} takes {rest[0].measure:.4g}\xa0m³ from where no part is, near {point_text(where)}"
        yield Finding("hole-outside", "error", what, rest[0].measure / hole.space.moments.measure, OVERLAP_LIMIT, where)


def _not_seen(known: Mapping[Key, Occupant]) -> list[Finding]:
    """Parts that are not compared with others, since their geometry is not known."""
    unknown = [o.name for o in known.values() if o.space is None and o.has_extent]
    if not unknown or len(known) < 2:
        return []
    what = f"{some([*dict.fromkeys(unknown)])}: without geometry, so not compared with others"
    return [Finding("unverified-overlap", "info", what)]
