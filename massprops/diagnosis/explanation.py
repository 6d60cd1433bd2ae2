"""Explanation of an inertial: whether it is possible, by how much, the shape that its numbers claim, and the likely mistake.

A mistake is a hypothesis. Without a geometry it is one if undoing it makes an impossible body possible, and an ordinary one: as thick
as real parts are, and of a density that materials have. With a geometry it is one if undoing it makes the numbers the geometry's.
Where several corrections would do, all are given and none is preferred; nothing is ever applied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from massprops._version import __version__
from massprops.declarations import check_applicable, public
from massprops.diagnosis import geometry_comparison
from massprops.diagnosis.common_mistakes import Mistake, all_mistakes, along_link, correction
from massprops.diagnosis.evidence import SAME, RankedMistake, alternatives, likely_mistakes, pool
from massprops.diagnosis.geometry_comparison import GeometryComparison
from massprops.diagnosis.reference import Reference, inertial_of, reference_of
from massprops.diagnosis.robot_links import LinkOptions, measured_links, reference_of_link
from massprops.diagnosis.twins import NO_OTHERS, OtherLinks
from massprops.errors import InvalidInput, spelling
from massprops.findings import Finding, worst_first
from massprops.formats.address import Address
from massprops.formats.bodies import NamedBody, as_body
from massprops.formats.bodies.snippets import snippet
from massprops.formats.inertial.inertial import Inertial
from massprops.formats.link_names import named_link, some
from massprops.formats.search_path import SearchPath
from massprops.frames import GltfUp, finite_array
from massprops.json_values import json_object
from massprops.measurement.gltf_axes import require_robots
from massprops.measurement.inferred import known_bodies
from massprops.measurement.pipeline import measure
from massprops.measurement.result import Measurement
from massprops.moments.arrays import symmetric_eigen
from massprops.rigid_body.as_json import numbers_dict
from massprops.rigid_body.consistency import Consistency, consistency_of
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.nearest import Nearest, nearest_consistent
from massprops.rigid_body.plausibility import PLAUSIBLE_DENSITY, is_common_density
from massprops.rigid_body.principal import fix_sign
from massprops.rigid_body.ten_vectors import tensor_of
from massprops.rigid_body.tensors import Array, second_of
from massprops.units import Quantity, parse_lengths, parse_mass, parse_moments

ExplanationVerdict = Literal["unneeded", "unique", "ambiguous", "none"]

#: Thickness over length of the equivalent box. Links of real robots are above 1/20; thinner corrections are possible by a hair only.
THINNEST = 1 / 30
#: Formats whose bodies have geometry of their own.
OF_ROBOTS = ("urdf", "sdf", "mjcf", "usd", "gltf")


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A mistake that may have been made, and the numbers without it.

    Attributes
    ----------
    kind, words : str
        See `massprops.diagnosis.common_mistakes.Mistake`.
    body : MassProperties
        What the numbers would be, in the frame of the link.
    text : str
        The same in the words of the file, URDF where it has none.
    distance : float or None
        Of the corrected tensor (of the centre, if that is corrected) from the geometry's, relative; None without a geometry.
    """

    kind: str
    words: str
    body: MassProperties
    text: str
    distance: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        return json_object(self, "kind words") | numbers_dict(self.body) | json_object(self, "distance text")


@dataclass(frozen=True, eq=False)
class Explanation:
    """Explanation of an inertial.

    Attributes
    ----------
    body : NamedBody
        As it is stated.
    report : Consistency
        Whether it is possible, and by which margins.
    edges, axes : ndarray, shape (3,) and (3, 3)
        Of the uniform box that the numbers claim, m, ascending, and their directions in rows, axes of the link. A negative edge
        is one whose square is negative: the direction in which no body extends.
    findings : tuple of Finding
        About the body itself and, with a geometry, about both; worst first.
    comparison : GeometryComparison or None
        With the geometry.
    size : ndarray, shape (3,), or None
        Edges of the equivalent box of the geometry, ascending, m.
    hypotheses : tuple of Hypothesis
        Corrections that differ from each other.
    verdict : {"unneeded", "unique", "ambiguous", "none"}
        Whether a mistake was looked for, and how many were found.
    nearest : tuple of Nearest or None
        The nearest consistent bodies, where they were asked for: none where the mass is not positive.
    """

    body: NamedBody
    report: Consistency
    edges: Array
    axes: Array
    findings: tuple[Finding, ...]
    comparison: GeometryComparison | None
    size: Array | None
    hypotheses: tuple[Hypothesis, ...]
    verdict: ExplanationVerdict
    nearest: tuple[Nearest, ...] | None = None

    def __repr__(self) -> str:
        """One line."""
        kinds = ", ".join(h.kind for h in self.hypotheses)
        verdict = "no common mistake" if self.verdict == "none" else self.verdict
        return f"<Explanation: {self.body.name or 'the body'}, {verdict}{f': {kinds}' if kinds else ''}>"

    def text_of(self, corrected: MassProperties) -> str:
        """A body in the words of the file, URDF where it has none."""
        return snippet(corrected, self.body.dialect, self.body.scale)

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        return {
            "schema": "massprops/1",
            "massprops": __version__,
            "input": {"path": self.body.path},
            "name": self.body.name,
            "explanation": {
                **json_object(possible=self.report.ok, triangle_margin=self.report.triangle_margin),
                **json_object(principal_moments=self.report.moments, second_moments=self.report.second_moments),
                **json_object(self, "edges axes", geometry_edges=self.size),
                **json_object(self, "comparison verdict hypotheses"),
                "nearest": self.nearest and [n.to_dict() | {"text": self.text_of(n.body)} for n in self.nearest],
            },
            **json_object(self, "findings"),
        }


def nothing_explained(file: str, why: str) -> dict[str, object]:
    """The JSON object of a file of several bodies of which none is explained."""
    head = {"schema": "massprops/1", "massprops": __version__, "input": {"path": file}}
    return {**head, "name": None, "explanation": None, "findings": [], "remarks": [why]}


@np.errstate(over="ignore", invalid="ignore")  # as in a check: what is not finite is judged as such
def explain_body(
    body: NamedBody, reference: Reference | None = None, others: OtherLinks = NO_OTHERS, *, nearest: bool = False
) -> Explanation:
    """Explanation of a body's mass, centre and inertia, compared with a geometry in the same frame if one is given.

    `others` are the other links of its robot, by name.
    `nearest`: with the nearest consistent body, in the affine-invariant sense, too, where there is a geometry.
    """
    stated = body.stated or inertial_of(body.properties)
    report = body.properties.consistency()
    has_both = reference is not None and body.properties.mass > 0
    compared = geometry_comparison.compare(body.properties, reference) if reference is not None and has_both else None
    edges, axes = claimed_box(body.properties)
    is_unwritten = body.inferred and reference is None  # nobody stated the numbers
    is_wrong = not is_unwritten and _is_wrong(body.properties, compared)
    # beside a geometry mistakes are looked for as `findings_of` does: a small difference may have one
    likely = None if reference is None or stated.mass <= 0 else likely_mistakes(stated, reference, others)
    found = list(_hypotheses(body, stated, likely)) if is_wrong or has_both else []
    names: tuple[ExplanationVerdict, ...] = ("none" if is_wrong else "unneeded", "unique", "ambiguous")
    verdict = names[min(len(found), 2)]
    findings: list[Finding] = []
    if reference is not None:
        findings += geometry_comparison.findings_of(stated, reference, others, likely)
        findings += geometry_comparison.volume_findings(body.volume, reference.moments.measure)
    volume = None if reference is None else reference.moments.measure
    findings = [*geometry_comparison.by_itself(body, findings, volume), *findings]
    if found:  # more mistakes are tried here than by the comparison, which knows none that explains the difference
        findings = [f for f in findings if f.code != "differs-from-geometry"]
    size = None if reference is None else claimed_box(reference.body(1.0))[0]
    near = tuple(_nearest(body.properties, reference)) if nearest else None
    return Explanation(body, report, edges, axes, worst_first(findings), compared, size, tuple(found), verdict, near)


def _nearest(body: MassProperties, reference: Reference | None) -> Iterator[Nearest]:
    if body.mass > 0:
        yield nearest_consistent(body)
        if reference is not None:
            yield nearest_consistent(body, sense="affine-invariant", reference=reference.body(body.mass))


def claimed_box(body: MassProperties) -> tuple[Array, Array]:
    """Edges, shape (3,), m, ascending, and axes in rows of the uniform box of this mass and inertia: S = m/12 diag(a², b², c²).

    Where S has a negative eigenvalue the edge is imaginary, and given as a negative number. Without a mass all are zero.
    """
    second, columns = symmetric_eigen(second_of(body.inertia))
    axes = np.array([fix_sign(axis) for axis in columns.T])
    if body.mass == 0:
        return np.zeros(3), axes
    squares = 12.0 * second / abs(body.mass)
    return np.sign(squares) * np.sqrt(np.abs(squares)), axes


def _is_wrong(body: MassProperties, compared: GeometryComparison | None) -> bool:
    if not body.consistency().ok:
        return True
    if compared is not None:
        return compared.differs or not is_common_density(compared.density)
    return not _has_common_density(body)


def is_thick(report: Consistency) -> bool:
    """Whether a body is possible and not paper-thin, taken for a box."""
    least, _, most = report.second_moments  # of a box they are as the squares of its edges
    return report.ok and least >= THINNEST**2 * most


def _has_common_density(body: MassProperties) -> bool:
    """Whether the equivalent box has a common density; True for a plate, a rod or a point, which have none."""
    if body.consistency().rank < 3:
        return True
    edges, _ = claimed_box(body)
    return PLAUSIBLE_DENSITY[0] <= body.mass / float(edges.prod()) <= PLAUSIBLE_DENSITY[1]


# ---- of files ------------------------------------------------------------------------------------------------------------


@public()
def explain(
    source: Any = None,
    *,
    mass: Quantity | None = None,
    com: ArrayLike | None = None,
    inertia: ArrayLike | None = None,
    against: Any = None,
    units: str | None = None,
    override_units: str | None = None,
    geometry: Literal["auto", "visual", "collision", "none"] = "auto",
    nearest: bool = False,
    packages: Mapping[str, str] | None = None,
    gltf_up: GltfUp | None = None,
    cad: str = "auto",
) -> Explanation:
    """Explanation of one inertial: whether it is possible, which shape it belongs to, and which mistake is likely.

    Parameters
    ----------
    source : path, MassProperties, Measurement or NamedBody
        A path is ``file`` or ``file#link`` of inertials in any format.
    mass, com, inertia : float or str; array_like, shape (3,), or str; array_like, shape (3, 3) or (6,), or str
        The numbers in place of a source: kg; m, by default the origin; kg m² about the centre of mass, tensor convention, six as
        Ixx Ixy Ixz Iyy Iyz Izz. Texts have units: ``"340 g"``, ``"1 2 3 mm"``, ``"3 1 0 2 0 4 g mm^2"``.
    against : path or object, optional
        Mesh of the part as `massprops.measure` takes it, in the frame of the link; by default the link is compared with its own geometry.
    units, override_units : str, optional
        Length unit of `against`: if it states none, and whatever it states.
    geometry : {"auto", "visual", "collision", "none"}
        Which geometry of the link.
    nearest : bool
        Whether the nearest physically consistent inertia is computed.
    packages : mapping, optional
        Folders of ``package://`` names.
    gltf_up : {"y", "z"}, optional
        The axis that is up in glTF meshes; by default what the robot's inertials and collision shapes say, else y.
    cad : str
        The CAD program whose mass properties a text is (``"onshape"``); by default the one that it names.

    Returns
    -------
    Explanation
        Its `hypotheses` are corrections, none of which is applied.

    Raises
    ------
    ReadError
        If a file cannot be read or has no inertial.
    InvalidInput
        If the source is no body, or several.
    """
    search, file = SearchPath(packages=packages or {}, gltf_up=gltf_up), None
    of_links = {"geometry": None if geometry == "auto" else geometry, "gltf_up": gltf_up}
    of_mesh = {"units": units, "override_units": override_units}
    given = {k: v for k, v in {**of_links, **of_mesh, "against": against}.items() if v is not None}
    check_applicable(given, more="units override_units needs against")
    if source is None or any(number is not None for number in (mass, com, inertia)):
        if source is not None:
            raise InvalidInput("a source and numbers are mutually exclusive", hint="give one of them")
        bodies = [NamedBody(None, body_of_numbers(mass, com, inertia))]
    elif isinstance(source, str | PathLike):
        file = fspath(source)
        bodies = list(known_bodies(file, search=search, cad=cad).bodies)
        if len(bodies) != 1:
            names = some([b.name or b.place for b in bodies])
            raise InvalidInput(f"has {len(bodies)} bodies", place=file, hint=f"name one with #, of {names}")
    else:
        bodies = [as_body(source, "source")]
    require_robots([] if file is None else [file], search)
    ((found, _),) = explain_all(bodies, file, against, of_mesh, LinkOptions(geometry, search), nearest=nearest)
    return found


def body_of_numbers(mass: Any, com: Any, inertia: Any) -> MassProperties:
    """The body of numbers that a caller gives, as `explain` takes them; raises InvalidInput if one is missing or none."""
    names = {name: spelling().subject(name) for name in ("mass", "com", "inertia")}
    if missing := [names[name] for name, value in (("mass", mass), ("inertia", inertia)) if value is None]:
        what = f"{missing[0]} is missing" if len(missing) == 1 else "no file and no numbers given"
        hint = f"name a file, as robot.urdf#link, or give {names['mass']} and {names['inertia']}"
        raise InvalidInput(what, hint=hint)
    values = parse_moments(inertia, name=names["inertia"]) if isinstance(inertia, str) else inertia
    tensor = finite_array(values, (...,), names["inertia"])
    if tensor.size not in (6, 9):
        what = f"{names['inertia']} needs 6 or 9 numbers, got {tensor.size}"
        raise InvalidInput(what, hint="Ixx Ixy Ixz Iyy Iyz Izz, or nine row by row")
    tensor = tensor_of(tensor.ravel(), "urdf") if tensor.size == 6 else tensor.reshape(3, 3)
    com = (0.0, 0.0, 0.0) if com is None else com
    center = parse_lengths(com, name=names["com"]) if isinstance(com, str) else com
    center = finite_array(center, (...,), names["com"]).ravel()
    if center.size != 3:
        raise InvalidInput(f"{names['com']} needs 3 numbers, got {center.size}")
    number, sign = mass, 1
    if isinstance(mass, str):
        number, sign = mass.strip().lstrip("-"), -1 if mass.strip().startswith("-") else 1
    elif isinstance(mass, float | int | np.number) and not isinstance(mass, bool):
        number, sign = abs(mass), -1 if mass < 0 else 1  # a sign may be the mistake that is looked for
    return MassProperties(sign * parse_mass(number, name=names["mass"]), center, tensor)


def explain_all(
    bodies: Sequence[NamedBody],
    file: str | None,
    against: Any,
    units: Mapping[str, Any],
    links: LinkOptions,
    *,
    nearest: bool,
) -> Iterator[tuple[Explanation, list[str]]]:
    """Explanation of each body, compared with a mesh or with the geometry of its own link, and remarks on it."""
    path = None if file is None else Address.parse(file).path
    if against is not None and not isinstance(against, Measurement):
        against = measure(against, repair="full", **units)
    of_mesh = None if against is None else reference_of(against)
    of_file = [] if against is None else [f.marked for f in against.findings if f.severity == "warning"]
    are_links = [of_mesh is None and b.name and b.dialect in OF_ROBOTS and not b.inferred for b in bodies]
    every = measured_links(path, links) if path is not None and links.geometry != "none" and any(are_links) else []
    for body, is_link in zip(bodies, are_links, strict=True):
        reference, remarks, others, hull = of_mesh, [*of_file], NO_OTHERS, None
        if every and is_link:
            link = named_link(every, str(body.name), str(path))
            reference, others = reference_of_link(link.geometry), link.others
            if (own := link.geometry) is not None:
                remarks, hull = [f.marked for f in (*own.findings, *own.warnings)], own.around()
        found = explain_body(body, reference, others, nearest=nearest)
        if hull is not None:
            beyond = geometry_comparison.outside(body.properties, hull)
            found = replace(found, findings=worst_first([*found.findings, *beyond]))
        if found.nearest == ():
            remarks.append(f"no consistent body is nearest to a mass of {body.properties.mass!r} kg")
        yield found, remarks


# ---- hypotheses ---------------------------------------------------------------------------------------------------------


def _hypotheses(body: NamedBody, stated: Inertial, likely: Sequence[RankedMistake] | None) -> Iterator[Hypothesis]:
    """Mistakes that may explain the numbers of a body: of the `likely` ones where it has a geometry."""
    if likely is not None:
        # a geometry cannot tell corrections that differ by less than parts differ from their geometry: the likeliest is kept
        parts = [[one for one in likely if (one.mistake.about == "centre") == centre] for centre in (False, True)]
        named = [one for part in parts for one in alternatives(part, geometry_comparison.NOTICED / 4)]
        if not parts[0] and not stated.properties.consistency().ok:
            named = []  # what mends the centre alone does not explain an impossible tensor
    else:
        named = alternatives(list(pool([RankedMistake(mistake, 0.0, None) for mistake in _possible(stated)])), SAME)
    for one in named:
        corrected = one.mistake.corrected.properties
        yield Hypothesis(
            one.mistake.kind, one.words, corrected, snippet(corrected, body.dialect, body.scale), one.distance
        )


def _possible(stated: Inertial) -> list[Mistake]:
    """Mistakes that would make an impossible body possible; rounding alone explains what it can explain.

    Where no correction has a common density, that of the body was never meant: then it is not asked for.
    """
    of_tensor = (m for m, _ in all_mistakes(stated) if m.about == "tensor")
    possible = [m for m in of_tensor if is_thick(consistency_of(m.mass, m.tensor, m.centre))]  # the axes do not matter
    # several mistakes explain nothing that one explains
    mistakes = list(_rounding(stated)) or [m for m in possible if m.kind != "several-mistakes"] or possible
    common = [s for s in mistakes if _has_common_density(s.corrected.properties)]
    return common if common or stated.properties.consistency().ok else mistakes


def _rounding(stated: Inertial) -> Iterator[Mistake]:
    """Printed digits so few that the true numbers may be possible."""
    body = stated.properties
    if body.mass <= 0 or not body.consistency().is_rounded(stated.tensor):
        return
    words = "the numbers were rounded to too few digits: this is the nearest possible inertia, that of a plate"
    nearest = along_link(stated, nearest_consistent(body, margin=0).body.inertia)
    yield correction(stated, "rounding", words, tensor=nearest)
