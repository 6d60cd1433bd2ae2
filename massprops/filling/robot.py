"""Inertials of a whole robot file: measured, shared out, written as edits, and read again before they are returned.

Tests: `tests/filling/test_fill.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from massprops import errors
from massprops._version import __version__
from massprops.access import allowing
from massprops.declarations import public
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, ReadError, Remedy, result_or_error
from massprops.filling.gltf_document import GltfText
from massprops.filling.inertials import Document, Edit
from massprops.filling.masses import SELECTIONS, MassRule, rules_of, select_links, stated_mass
from massprops.filling.mirroring import Twin, plane_of, twins_of, words_of
from massprops.filling.solids import LinkSolid, Solids
from massprops.filling.usd_layer import StageLayer, layer_name, moved_layer
from massprops.findings import Finding
from massprops.formats.bodies.round_trip import is_same
from massprops.formats.escaping import html_table, plain
from massprops.formats.files import read_bytes
from massprops.formats.inertial.inertial import NamedBody, digits_of, round_numbers, without_rounding
from massprops.formats.inertial.numbers import round_to
from massprops.formats.link_names import some
from massprops.formats.robot.gltf import is_gltf
from massprops.formats.robot.links import GeometryKind, Link
from massprops.formats.robot.opening import links_of, nothing_checked
from massprops.formats.robot.usd import is_usd, read_stage
from massprops.formats.saving import cannot_write, check_writable, save
from massprops.formats.search_path import SearchPath
from massprops.formats.table import USD_SUFFIXES
from massprops.frames import GltfUp, Plane
from massprops.grades import Repair
from massprops.json_values import json_object
from massprops.materials import Material, find
from massprops.measurement.gltf_axes import is_gltf_mesh, names_gltf, require_gltf, settle_axes
from massprops.measurement.inferred import unstated_body
from massprops.measurement.links import LinkSolids
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.quantities import Quantity as Number
from massprops.measurement.quantities import centre
from massprops.measurement.united_solids import Overlap
from massprops.moments.arrays import ByValue, length
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import implausible_density, implausible_link_size, implausible_mass
from massprops.units import Dimension, Quantity, parse_density, parse_mass
from massprops.wording import plural

MassFrom = Literal["stated", "density"]
#: Arguments that are one of some words.
CHOICES = {"mass_from": MassFrom, "geometry": GeometryKind, "overlap": Overlap, "repair": Repair}
#: The name of a link that has none.
UNNAMED = "?"
#: Arguments that say what links are made of of which nothing else is known.
_COMMON = ("density", "material", "mass")
#: Share of the robot's mass by which the masses of its links may differ from it, as they are written with six digits.
_SAME_MASS = 1e-5


#: Roundings of one number of USD: to single precision and to other units and back; and those of the tensor in double precision.
_SINGLE, _DOUBLE = 1.01 * 2.0**-24, 8 * 2.0**-53
#: Titles and dimensions of the numbers of a link in tables.
COLUMNS: tuple[tuple[str, Dimension], ...] = (
    ("Mass", (1, 0)),
    ("Density", (1, -3)),
    ("Centre of mass", (0, 1)),
    ("Principal moments", (1, 2)),
    ("Ixy Ixz Iyz", (1, 2)),
)


@dataclass(frozen=True, eq=False)
class FilledLink(ByValue):
    """Result for one link.

    Attributes
    ----------
    name, place : str
        ``file:line`` of the link.
    before, after : MassProperties or None
        What it stated, and what it states now; `after` is None where it was left as it was.
    solid : LinkSolid or None
        What the new numbers come from.
    mass_from : str
        ``stated``, ``weighed``, ``density``, ``geometry`` (its files state densities), ``share`` (of the robot's mass), or ``mirrored``.
    source : str
        Where that mass or density was given: the argument, or the place that its rule names; empty if the link stated it; or the link
        that was mirrored.
    findings : tuple of Finding
        What the reader of the filled file says of the new inertial, such as that a setting makes MuJoCo ignore it.
    error : MasspropsError or None
        Why it could not be filled.
    is_unread : bool
        Whether that is because the robot file, or one that it includes, could not be read there.
    """

    name: str
    place: str
    before: MassProperties | None = None
    after: MassProperties | None = None
    solid: LinkSolid | None = None
    mass_from: str = ""
    source: str = ""
    findings: tuple[Finding, ...] = ()
    error: MasspropsError | None = None
    is_unread: bool = False

    @property
    def title(self) -> str:
        """The name; the place of a link without one, or of an `<include>` that cannot be followed."""
        return self.place if self.name == UNNAMED else self.name

    def failed(self, error: MasspropsError) -> FilledLink:
        """The link left as it was: nothing is said of numbers that it did not get."""
        return replace(self, after=None, mass_from="", source="", findings=(), error=error)

    def density(self, body: MassProperties | None) -> float | None:
        """Density that a mass, before or after, implies, kg/m³; None without a mass or a volume."""
        volume = 0.0 if self.solid is None else self.solid.moments.measure
        return body.mass / volume if body is not None and volume > 0 else None

    def cells(self, body: MassProperties | None, units: OutputUnits) -> tuple[str, ...]:
        """The numbers of `COLUMNS`, before or after, as text."""
        if body is None:
            return ("–",) * len(COLUMNS)
        moments, density = body.principal().moments, self.density(body)
        products = [float(body.inertia[k]) for k in ((0, 1), (0, 2), (1, 2))]
        quantities = (
            Number("", (1, 0), [body.mass]),
            None if density is None else Number("", (1, -3), [density]),
            centre(body),
            Number("", (1, 2), moments.tolist()),
            Number("", (1, 2), products, scale=float(moments.max())),
        )
        shown = replace(units, digits=units.digits or 4)
        return tuple("–" if q is None else " ".join(q.numbers(shown)) for q in quantities)

    def to_dict(self) -> dict[str, object]:
        """Dictionary of the JSON schema `massprops/1`."""
        numbers = {"before": self._numbers(self.before), "after": self._numbers(self.after)}
        origin = {"mass_from": self.mass_from or None, "source": self.source or None}
        s = self.solid
        solid = json_object(geometry=s and s.which, method=s and s.method, grade=s and s.grade)
        solid |= json_object(volume=s and s.moments.measure, uncertainty=s and s.known_uncertainty)
        return json_object(self, "name place") | numbers | origin | solid | json_object(self, "findings error")

    def _numbers(self, body: MassProperties | None) -> dict[str, object] | None:
        if body is None:
            return None
        return {
            "mass": body.mass,
            "density": self.density(body),
            **json_object(center_of_mass=body.com, inertia=body.inertia),
            "principal_moments": body.principal().moments.tolist(),
        }


@dataclass(frozen=True, eq=False)
class Filled(ByValue):
    """A robot with inertials: the new files, and the result for every requested link.

    Attributes
    ----------
    path : str
        Of the main file.
    files : mapping of str to bytes
        The files that changed, whole: the main file, or those that it includes.
    links : tuple of FilledLink
        In the order of the file.
    original : bytes
        The main file as it was.
    target : str
        Where the main file belongs: in its own place; of USD in a layer beside it, `original` being that layer without inertials.
    """

    path: str
    files: Mapping[str, bytes]
    links: tuple[FilledLink, ...]
    original: bytes = field(repr=False, default=b"")
    target: str = ""

    def __repr__(self) -> str:
        """One line."""
        done = sum(link.after is not None for link in self.links)
        return f"<Filled: {plain(self.path)}, {done} of {plural(len(self.links), 'link')} filled>"

    def _repr_html_(self) -> str:
        """Table of the links before and after, for notebooks."""
        units = OutputUnits()
        states = [(f, state, body) for f in self.links for state, body in (("before", f.before), ("after", f.after))]
        rows = [(f.title, state, *f.cells(body, units)) for f, state, body in states]
        heads = (f"{name} [{units.label(dimension)}]" for name, dimension in COLUMNS)
        return html_table(repr(self)[1:-1], rows, ("Link", "", *heads))

    @property
    def data(self) -> bytes:
        """The main file, filled."""
        return self.files.get(self.target or self.path, self.original)

    def data_for(self, target: str) -> bytes:
        """The main file, filled, for another place, from which a layer of USD names its stage."""
        return self.data if self.target == self.path else moved_layer(self.data, self.path, target)

    def write_in_place(self) -> None:
        """Write all files that changed in their places or, if one cannot be written, none; raises InvalidInput."""
        for path in map(Path, self.files):
            if not path.is_file():
                raise InvalidInput("is not a regular file", place=str(path), hint="write to another file")
            try:
                check_writable(path)
            except OSError as error:
                raise cannot_write(error, str(path)) from error
        for name, data in self.files.items():
            save(name, data)

    def save(self, path: str | Path) -> Path:
        """Write the main file, filled, as another file.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InvalidInput
            If it includes files that would change (fill with `in_place`), the suffix says another format, or it cannot be written.
        """
        errors.require_type(path, str | Path, "path", "the name of a file")
        if included := [name for name in self.files if name != self.target]:
            what = "includes files that would change"
            raise InvalidInput(f"{what}: {included[0]}", place=self.path, hint="fill it with in_place=True")
        return save(path, self.data_for(str(path)), USD_SUFFIXES if is_usd(self.path) else [Path(self.path).suffix])

    @property
    def text(self) -> str:
        """The main file, filled, as text."""
        return self.data.decode("utf-8", "replace")


@np.errstate(over="ignore", invalid="ignore")  # numbers that are not finite are refused
@public()
def fill(
    path: str | Path,
    *,
    density: Quantity | None = None,
    material: str | Material | None = None,
    mass: Quantity | None = None,
    links: str | Sequence[str] = "missing",
    masses: Mapping[str, MassRule | str | Mapping[str, object]] | None = None,
    mass_from: MassFrom = "stated",
    geometry: GeometryKind = "visual",
    overlap: Overlap = "union",
    repair: Repair = "full",
    max_uncertainty: Quantity | None = None,
    packages: Mapping[str, str] | None = None,
    package_path: Sequence[str] = (),
    allow_outside: bool = False,
    gltf_up: GltfUp | None = None,
    provenance: bool = False,
    jobs: int = 1,
    digits: int | None = None,
    mirror: str | Sequence[str] | None = None,
    mirror_plane: Plane | None = None,
    in_place: bool = False,
) -> Filled:
    """Compute inertials from the geometry of links and put them into the robot file, which is written only `in_place`, or by `save`.

    Parameters
    ----------
    path : str or Path
        URDF, SDF or MJCF, of which files that it includes are filled too; or USD, over which a layer is made.
    density, material, mass : float, str
        At most one: for links of which nothing else is known; `mass` is the robot's total, kg, shared out by volume over them, less
        what other links have.
    links : {"missing", "invalid", "all"} or names
        Which links: with geometry and no inertial, or mass 0; those and the impossible ones; all with geometry; names or patterns.
    masses : mapping of str to MassRule, str or mapping
        By link or pattern what is known of it: ``"mass:0.42kg"``, ``"density:2700"``, ``{"mass": "0.42kg", "com": [0, 0, "12mm"]}``. Such
        links are filled always.
    mass_from : {"stated", "density"}
        Whether a link that states a mass which its volume can have keeps it.
    geometry : {"visual", "collision"}
        What is measured; the other where a link has none of this kind, and with a warning where that is refused.
    overlap : {"union", "sum"}
        What overlapping geometries of one link are.
    repair, max_uncertainty
        Of meshes that are not valid, as for `massprops.measure`: by default a link whose volume is known within 10 % is filled.
    packages, package_path, allow_outside
        Where meshes are looked for.
    gltf_up : {"y", "z"}, optional
        The axis that is up in glTF meshes; by default what the robot's inertials and collision shapes say, else y.
    provenance : bool
        Whether a comment in each inertial says where it comes from.
    jobs : int
        Processes that measure; the results are the same.
    digits : int
        Significant digits of the numbers; by default those that their errors support.
    mirror : str or pair
        ``"left=right"``: each link with ``left`` in its name gives its inertial, mirrored, to that with ``right`` in its place. Without
        a mass and `links`, only those are filled.
    mirror_plane : {"xy", "xz", "yz"}
        Through the origin of the nearest common ancestor of both, joints at rest; by default the only one in which the places and the
        geometries of all such links are mirrored. A geometry that is no mirror image is an error of its link, if the plane is stated
        a warning.
    in_place : bool
        Whether the robot file, and the files that it includes, are written: all that change, or none. Not of USD.

    Returns
    -------
    Filled
        The changed files, and every link that was asked for: a link that cannot be filled keeps its bytes and has an error.

    Raises
    ------
    InvalidInput
        If an argument breaks a rule, no mass is known for any of the links, or a file cannot be written.
    ReadError
        If the file cannot be read, or what was written does not read back as the same numbers.
    """
    _check_arguments(path, links, masses, (mass_from, geometry, overlap, repair), mirror, mirror_plane)
    jobs, digits = errors.require_count(jobs, "jobs"), digits_of(digits)
    name = str(path)
    if in_place and is_usd(name):
        raise stage_in_place(name)
    given = [k for k, v in zip(_COMMON, (density, material, mass), strict=True) if v is not None]
    common = _common_density(density, material, given)
    search = SearchPath(Path(name).parent, packages or {}, package_path, allow_outside, gltf_up).beside(name)
    require_gltf([name], search)
    layer = StageLayer(read_stage(name, search)) if is_usd(name) else None
    data = read_bytes(name) if layer is None else layer.apply_edits([])
    found = links_of(data, name, search) if layer is None else layer.stage.links()
    if not found:
        raise nothing_checked(name)
    rules = rules_of(masses or {}, found)
    solids = Solids.repaired(search, repair, max_uncertainty, overlap=overlap)
    if gltf_up is None:
        solids.read_all((g for link in found for g in (*link.visual, *link.collision) if is_gltf_mesh(g)), jobs)
    found, about_gltf = settle_axes(found, solids)
    asked = [links] if isinstance(links, str) else list(links)
    twins = [] if mirror is None else twins_of(found, name, words_of(mirror))
    _require_one_rule(twins, found, rules)
    filling = _Filling(name, data, search, layer, found, twins)
    alone = bool(twins) and not given and not rules and asked == ["missing"]
    chosen = (set() if alone else select_links(found, asked, rules)) - {twin.target for twin in twins}
    filling.measure(sorted(chosen), solids, geometry, jobs)
    if not set(asked).isdisjoint(SELECTIONS):  # what cannot be read may be a link that is meant: it is named
        broken = {i: link.error for i, link in enumerate(found) if link.error is not None and i not in chosen}
        filling.filled.update(
            {i: replace(_start(found[i]), before=None, error=e, is_unread=True) for i, e in broken.items()}
        )
    total = None if mass is None else parse_mass(mass)
    if not alone:
        filling.weigh(rules, MassRule(common, source="".join(given)), total, mass_from, digits)
    if twins:
        filling.mirror(filling.solids_of_twins(solids, geometry, jobs), mirror_plane, digits)
    files = filling.write(provenance=provenance)
    filling.read_again(files)
    filling.remark(about_gltf)
    done = tuple(f for _, f in sorted(filling.filled.items()))
    filled = Filled(name, files, done, data, name if layer is None else layer.name)
    if in_place:
        filled.write_in_place()
    return filled


def _check_arguments(path: Any, links: Any, masses: Any, chosen: Sequence[str], mirror: Any, plane: Any) -> None:
    """Raise InvalidInput for an argument of another type, or that is none of its words."""
    if plane is not None:
        errors.require_word(plane, get_args(Plane), "mirror_plane")
        if mirror is None:
            raise InvalidInput("needs {}", parameter="mirror_plane", names=["mirror"])
    for parameter, word in zip(CHOICES, chosen, strict=True):
        errors.require_word(word, get_args(CHOICES[parameter]), parameter)
    errors.require_type(path, str | Path, "path", "the name of a robot file")
    errors.require_type(links, Iterable, "links", "missing, invalid, all or names")
    errors.require_type(masses, Mapping | None, "masses", "a mapping of links to masses")


def _require_one_rule(twins: Sequence[Twin], links: Sequence[Link], rules: Mapping[str, MassRule]) -> None:
    """Raise InvalidInput where a link that shall be mirrored has a rule that its source has not."""
    for twin in twins:
        source, target = (links[i].name or "?" for i in (twin.source, twin.target))
        rule, other = rules.get(target), rules.get(source, MassRule())
        if rule is not None and replace(rule, source="") != replace(other, source=""):
            place = rule.source if ":" in rule.source else ""
            what, hint = f"{target} is mirrored from {source}, and has a mass of its own", f"state that of {source}"
            raise InvalidInput(what, hint=hint, place=place, parameter="" if place else "set:")


def _common_density(density: Quantity | None, material: str | Material | None, given: Sequence[str]) -> float | None:
    """The density of the links of which nothing else is known, if it is given; InvalidInput if `given` are several of `_COMMON`."""
    if len(given) > 1:
        raise InvalidInput(f"{' and '.join(given)} are mutually exclusive", hint="give one of them")
    return parse_density(density) if density is not None else find(material).density if material is not None else None


def stage_in_place(name: str) -> InvalidInput:
    """The error of a USD stage that shall be edited."""
    what, layer = "a USD stage is not edited: its inertials are stated in a layer over it", layer_name(name)
    return InvalidInput(what, place=name, hint=Remedy(f"give -o {layer}", python=f"save it as {layer}"))


def _start(link: Link) -> FilledLink:
    return FilledLink(link.name or UNNAMED, link.place, None if link.body is None else link.body.properties)


#: A mass, kg; where it comes from: ``weighed``, ``density`` …; and where that was given.
_Mass = tuple[float, str, str]


@dataclass(frozen=True, eq=False)
class _Filling:
    """The links of a robot file by their numbers, and those of them that get inertials, step by step; `layer` is that over a stage."""

    path: str
    data: bytes
    search: SearchPath
    layer: StageLayer | None
    links: Sequence[Link]
    twins: Sequence[Twin] = ()
    filled: dict[int, FilledLink] = field(default_factory=dict)

    def measure(self, chosen: Sequence[int], solids: Solids, which: GeometryKind, jobs: int) -> None:
        """Measure the solids of some links."""
        found = solids.measure_all([self.links[i] for i in chosen], which, jobs)
        for i, solid in zip(chosen, found, strict=True):
            start = _start(self.links[i])
            if isinstance(solid, MasspropsError):
                start = replace(start, error=solid, is_unread=solid is self.links[i].error)
            else:
                start = replace(start, solid=solid)
            self.filled[i] = start

    def weigh(
        self,
        rules: Mapping[str, MassRule],
        common: MassRule,
        total: float | None,
        mass_from: MassFrom,
        digits: int | None,
    ) -> None:
        """Each link with its new numbers: weighed, stated, of a density, or its share of the robot's mass."""
        solids = {i: f.solid for i, f in sorted(self.filled.items()) if f.solid is not None}
        own = {i: rules.get(self.filled[i].name, MassRule()) for i in solids}
        known = self._known_masses(
            solids, lambda i: self._mass_of(self.links[i], solids[i], own[i], common, mass_from, total)
        )
        open_links, notes = [i for i in solids if i not in known], list[Finding]()
        if total is not None:
            volumes = {i: solids[i].moments.measure for i in open_links}
            others = self._unchanged_masses(solids)
            notes = self._without_mass(solids, others)
            known |= {
                i: (m, "share", common.source) for i, m in self._shares(known, others, total, volumes, digits).items()
            }
        elif open_links and not known:
            what = f"no density, material or mass is given for {len(open_links)} of the links"
            raise InvalidInput(what, hint=Remedy("give {}, {}, {} or {}", *_COMMON, "masses=LINK=mass:…"))
        said_of: set[str] = set()
        for i, solid in solids.items():
            try:
                filled = _weighed(self.filled[i], solid, known.get(i), own[i], digits, self.links[i].dialect)
            except MasspropsError as error:
                self.filled[i] = self.filled[i].failed(error)
                continue
            said = [*solid.findings, *solid.warnings]
            if i in open_links:
                said, notes = [*notes, *said], []
            said += implausible_link_size(float(solid.moments.box_edges[-1]))
            if own[i].density is not None or filled.source not in said_of:  # of what is given for all links once
                density = known[i][0] / solid.moments.measure
                said += implausible_density(density, from_mass=filled.mass_from != "density")
                said_of |= {filled.source} & {*_COMMON}
            self.filled[i] = replace(filled, findings=tuple(said))

    def _known_masses(self, solids: dict[int, LinkSolid], mass_of: Callable[[int], _Mass | None]) -> dict[int, _Mass]:
        """The masses of links that are known; a link whose mass is refused is taken out of the solids."""
        known: dict[int, _Mass] = {}
        for i in list(solids):
            found = result_or_error(mass_of, i)
            if isinstance(found, MasspropsError):
                self.filled[i] = self.filled[i].failed(found)
                del solids[i]
            elif found is not None:
                known[i] = found
        return known

    @staticmethod
    def _mass_of(
        link: Link, solid: LinkSolid, rule: MassRule, common: MassRule, mass_from: MassFrom, total: float | None
    ) -> _Mass | None:
        """The mass of a link: the first that is known of those that its rule, the file and the common density give; None without one."""
        volume = solid.moments.measure
        ways = (
            (rule.mass, "weighed", rule.source),
            (rule.mass_by_density(volume), "density", rule.source),
            (solid.computed.mass if solid.computed and mass_from == "stated" else None, "geometry", ""),
            (stated_mass(link, volume) if mass_from == "stated" else None, "stated", ""),
            (common.mass_by_density(volume), "density", common.source),
            (solid.mass_moments.measure if solid.mass_moments and total is None else None, "geometry", ""),
        )
        found = next(((m, how, source) for m, how, source in ways if m is not None), None)
        if mass_from == "stated" and (common.source if found is None else found[2]) in _COMMON:
            _require_unweighed(link)
        return found

    def _unchanged_masses(self, but: Collection[int]) -> dict[int, float]:
        """Masses of the other links, kg: stated, computed by the format or inferred by the simulator."""
        others = ((i, x) for i, x in enumerate(self.links) if i not in but)
        solids = LinkSolids(self.search)
        bodies = {i: x.body or result_or_error(unstated_body, x, solids) for i, x in others}
        return {i: x.properties.mass for i, x in bodies.items() if isinstance(x, NamedBody)}

    def _shares(
        self,
        known: Mapping[int, _Mass],
        others: Mapping[int, float],
        total: float,
        volumes: Mapping[int, float],
        digits: int | None,
    ) -> dict[int, float]:
        """Shares of the robot's mass by volume, which the images of links get, too."""
        rest = self._rest({**others, **{i: m for i, (m, *_) in known.items()}}, total, list(volumes), digits)
        images = sum(volumes.get(twin.source, 0.0) for twin in self.twins)
        share = rest / (sum(volumes.values()) + images) if volumes else 0.0
        return {i: share * v for i, v in volumes.items()}

    def _without_mass(self, *known: Collection[int]) -> list[Finding]:
        """Warning of the links with geometry of which no mass is known, where a mass is shared out."""
        given = {twin.target for twin in self.twins}.union(*known)
        others = [x.name or "?" for i, x in enumerate(self.links) if i not in given and x.has_geometry]
        text = f"the mass is shared out without {some(others)}, whose mass is not known"
        return [Finding("unknown-mass", "warning", text)] if others else []

    def solids_of_twins(self, solids: Solids, which: GeometryKind, jobs: int) -> dict[int, LinkSolid | MasspropsError]:
        """The solids of both links of each pair, by number; or why they are not measured."""
        numbers = sorted({i for twin in self.twins for i in (twin.source, twin.target)})
        found = solids.measure_all([self.links[i] for i in numbers], which, jobs)
        return dict(zip(numbers, found, strict=True))

    def mirror(self, found: Mapping[int, LinkSolid | MasspropsError], stated: Plane | None, digits: int | None) -> None:
        """The targets of twins with the inertials of their sources, mirrored: as they are filled now, else as the file states them."""
        solids = {i: s for i, s in found.items() if isinstance(s, LinkSolid) and not s.findings}
        shapes = {i: solid.moments for i, solid in solids.items()}
        plane, notes = plane_of(self.twins, shapes, stated)
        for twin in self.twins:
            source, target = self.links[twin.source], _start(self.links[twin.target])
            filled, target = self.filled.get(twin.source), replace(target, solid=solids.get(twin.target))
            body = filled.after if filled is not None and filled.after is not None else None
            body = body or (None if source.body is None else source.body.properties)
            here = {twin.source, twin.target} <= shapes.keys()
            off = twin.difference(shapes[twin.source], shapes[twin.target], plane) if here else ""
            if body is None:
                what = f"{source.name} states no inertial to mirror"
                self.filled[twin.target] = replace(target, error=InvalidInput(what, code="no-inertial"))
                continue
            if off:
                what = f"the geometry is not that of {source.name}, mirrored in {plane}: {off}"
                notes = [*notes, Finding("geometry-not-mirrored", "warning", what)]
            elif not here and (source.has_geometry or self.links[twin.target].has_geometry):
                why = next(self._why_not(i, found[i]) for i in (twin.source, twin.target) if i not in solids)
                what = f"the geometry is not compared with that of {source.name}, mirrored in {plane}: {why}"
                notes = [*notes, Finding("geometry-not-compared", "warning", what)]
            image = without_rounding(twin.image(body, plane))
            after = image if digits is None else round_numbers(image, digits)
            self.filled[twin.target] = replace(
                target, after=after, mass_from="mirrored", source=source.name or "?", findings=tuple(notes)
            )
            notes = []

    def _why_not(self, number: int, found: LinkSolid | MasspropsError) -> str:
        """Why the geometry of a link is not compared with another: it is refused, and another kind may stand in for it."""
        why = found.message if isinstance(found, MasspropsError) else found.findings[0].message.partition(";")[0]
        return f"{self.links[number].name}: {why}"

    def _rest(self, masses: dict[int, float], total: float, open_links: Sequence[int], digits: int | None) -> float:
        """Rest of the robot's mass for the links that get a share; InvalidInput if it is not positive, or no link gets one.

        The masses of links may differ from it by their rounding to so many significant digits.
        """
        for twin in self.twins:
            if twin.source in open_links:
                masses.pop(twin.target, None)
            elif twin.source in masses:
                masses[twin.target] = masses[twin.source]
        shares, rest = len(open_links), total - sum(masses.values())
        rounding = max(_SAME_MASS, 0.0 if digits is None else 10.0 ** (1 - digits) / 2)
        if not shares and abs(rest) > rounding * total and all(f.error is None for f in self.filled.values()):
            what = (
                f"the links have {total - rest:.6g}\xa0kg, not {total:.6g}\xa0kg, and no link can take the difference"
            )
            hint = Remedy("with {} and {}, links that state a mass get a share, too", "links=all", "mass_from=density")
            raise InvalidInput(what, argument="mass", hint=hint)
        if shares and rest <= 0:
            what = f"of {total:.6g}\xa0kg nothing is left for {plural(shares, 'link')}: the others have {total - rest:.6g}\xa0kg"
            raise InvalidInput(what, argument="mass", hint="give the mass of the whole robot")
        return rest

    def write(self, *, provenance: bool) -> dict[str, bytes]:
        """The changed files, by their names; of USD the layer over the stage."""
        document = cache(self._document)
        inertials: dict[tuple[str, int], bytes] = {}
        edits: dict[str, set[Edit]] = {}
        for i, f in self.filled.items():
            if f.after is None:
                continue
            link, file = self.links[i], self.links[i].file
            try:
                text = document(file)
                edit = text.edit(link, f.after, _provenance(f) if provenance else None, same=f.before == f.after)
                if inertials.setdefault((file, edit[0]), edit[2]) != edit[2]:  # a file that is included twice
                    what = f"{link.place}: this link stands in the robot twice, and each would get another inertial"
                    raise InvalidInput(what, code="shared-link", hint="give both the same mass, or each its own file")
            except MasspropsError as error:
                self.filled[i] = f.failed(error)
                continue
            if text.text[edit[0] : edit[1]] != edit[2]:
                edits.setdefault(file, set()).add(edit)
        return {document(file).name: document(file).apply_edits(sorted(own)) for file, own in edits.items()}

    def _document(self, file: str) -> Document | GltfText | StageLayer:
        if self.layer is not None:
            return self.layer
        data = self.data if file == self.path else read_bytes(file)
        return GltfText.parse(file, data) if is_gltf(data) else Document.parse(file, data)

    def remark(self, about_gltf: Finding | None) -> None:
        """Add what there is to say of the axes of glTF meshes to the first link that has one."""
        first = next((i for i in sorted(self.filled) if names_gltf(self.links[i])), None)
        if about_gltf is not None and first is not None:
            found = self.filled[first]
            self.filled[first] = replace(found, findings=(*found.findings, about_gltf))

    def read_again(self, files: Mapping[str, bytes]) -> None:
        """Take numbers and findings from the links in the changed files as they read now; ReadError if one has other numbers there."""
        if self.layer is None:
            with allowing(contents=files):
                again = links_of(files.get(self.path, self.data), self.path, self.search)
        elif files:
            again = read_stage(self.path, self.search, files[self.layer.name].decode()).links()
        else:
            return
        same = is_same if self.layer is None else _is_same
        for i, f in self.filled.items():
            if f.after is None:
                continue
            body = again[i].body
            if body is None or not same(NamedBody(None, f.after), body):
                raise ReadError("does not read back as the same numbers in its file", place=f.place, code="round-trip")
            self.filled[i] = replace(f, after=body.properties, findings=(*f.findings, *body.findings))


def _require_unweighed(link: Link) -> None:
    if any(geometry.weighed for geometry in (*link.visual, *link.collision)):
        what = f"{link.place}: the geoms of this body state masses or densities, which MuJoCo uses for its inertial"
        hint = Remedy("give {}, or the mass of the body: {}", "mass_from=density", f"masses={link.name}=mass:…")
        raise InvalidInput(what, code="stated-geom-mass", hint=hint)


#: Where a robot format says that a mesh is in millimetres.
_SCALES = {
    "urdf": 'multiply the scale of its <mesh> by 0.001 (scale="0.001 0.001 0.001" if it has none)',
    "sdf": "multiply the <scale> of its <mesh> by 0.001 (<scale>0.001 0.001 0.001</scale> if it has none)",
    "usd": "state metersPerUnit = 0.001 in the layer of the mesh, or scale its prim by 0.001",
    "gltf": "export the scene in metres",
}


def _weighed(
    f: FilledLink, solid: LinkSolid, known: _Mass | None, rule: MassRule, digits: int | None, dialect: str
) -> FilledLink:
    """The link with the inertial of its solid at this mass; `dialect` is that of advice."""
    if known is None:
        one = Remedy("give {}", "masses=LINK=mass:…")
        raise InvalidInput("no density, material or mass is given for this link", hint=one)
    mass, how, source = known
    moments = solid.mass_moments if how == "geometry" and solid.mass_moments else solid.moments
    is_computed = how == "geometry" and solid.computed is not None
    errors = solid.uncertainty / solid.moments.measure, length(solid.moments.box_edges)
    if how in ("density", "share"):  # as it is written, so that a link that states this mass has the same tensor
        mass = without_rounding(MassProperties.from_moments(moments, mass=mass), *errors).mass
    mass = mass if digits is None else round_to(mass, digits)
    body = solid.computed if is_computed else MassProperties.from_moments(moments, mass=mass)
    assert body is not None  # noqa: S101  # where the mass comes from
    if rule.com is not None:
        body = MassProperties(body.mass, np.array(rule.com), body.inertia)
    if body.inertia.diagonal().min() < np.finfo(np.float64).tiny:
        text = f"the moments of inertia of {mass:.4g}\xa0kg are too small for floating-point numbers"
        raise InvalidGeometry(text, code="underflow")
    if how in ("density", "share") and (heavy := implausible_mass(mass)):
        hint = f"{_SCALES.get(dialect, _SCALES['urdf'])}, or state the mass of the link"
        raise InvalidInput(heavy[0].message, code=heavy[0].code, hint=hint)
    clean = without_rounding(body, *errors)
    own_mass = clean.mass if how == "geometry" else body.mass
    kept = MassProperties(own_mass, clean.com if rule.com is None else body.com, clean.inertia)
    after = kept if digits is None else round_numbers(kept, digits)
    return replace(f, after=after, mass_from=how, source=source)


def _is_same(written: NamedBody, again: NamedBody) -> bool:
    """Whether numbers are equal but for single precision: of the mass and each coordinate; the tensor has double precision."""
    meant, read = written.properties, again.properties
    return bool(
        abs(read.mass - meant.mass) <= _SINGLE * meant.mass
        and (np.abs(read.com - meant.com) <= _SINGLE * np.abs(meant.com) + np.finfo(np.float32).tiny).all()
        and np.abs(read.inertia - meant.inertia).max() <= _DOUBLE * np.abs(meant.inertia).max()
    )


def _provenance(f: FilledLink) -> str | None:
    solid = f.solid
    if solid is None or f.after is None:
        return None
    density = f.after.mass / solid.moments.measure
    return f"{__version__}: {solid.method} ({solid.which}), {density:.6g} kg/m³, mass {f.mass_from}, {solid.grade}"
