"""Explanations of inertials that stand in files, with the geometry that they belong to.

Tests: `tests/diagnosis/test_explanation.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal

from massprops.diagnosis import explanation
from massprops.diagnosis.explanation import OF_ROBOTS, Explanation
from massprops.diagnosis.reference import Reference, reference_of
from massprops.diagnosis.robot_links import LinkOptions, measured_links, reference_of_link
from massprops.diagnosis.twins import Neighbours
from massprops.errors import InvalidInput
from massprops.formats.address import Address
from massprops.formats.bodies import NamedBody, as_body
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.link_names import named_link, some
from massprops.formats.search_path import SearchPath
from massprops.measurement.pipeline import measure


def explain(
    source: Any,
    *,
    against: str | PathLike[str] | None = None,
    units: str | None = None,
    geometry: Literal["auto", "visual", "collision", "none"] = "auto",
    nearest: bool = False,
    packages: Mapping[str, str] | None = None,
    cad: str = "auto",
) -> Explanation:
    """Explanation of one inertial: whether it is possible, which shape it belongs to, and which mistake is likely.

    Parameters
    ----------
    source : path, MassProperties, Measurement or NamedBody
        A path is ``file`` or ``file#link`` of inertials in any format.
    against : path, optional
        Mesh of the part, in the frame of the link; by default the link is compared with its own geometry.
    units : str, optional
        Length unit of `against`.
    geometry : {"auto", "visual", "collision", "none"}
        Which geometry of the link.
    nearest : bool
        Whether the nearest physically consistent inertia is computed.
    packages : mapping, optional
        Folders of ``package://`` names.
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
    search, file = SearchPath(packages=packages or {}), None
    if isinstance(source, str | PathLike):
        file = fspath(source)
        bodies = list(open_bodies(file, search=search, cad=cad).bodies)
        if len(bodies) != 1:
            names = some([b.name or b.place for b in bodies])
            raise InvalidInput(f"has {len(bodies)} bodies", place=file, hint=f"name one with #, of {names}")
    else:
        bodies = [as_body(source, "source")]
    mesh = None if against is None else fspath(against)
    ((reference, _, others),) = references_of(bodies, file, mesh, units, LinkOptions(geometry, search))
    return explanation.explain(bodies[0], reference, others, nearest=nearest)


def references_of(
    bodies: Sequence[NamedBody], file: str | None, against: str | None, units: str | None, links: LinkOptions
) -> Iterator[tuple[Reference | None, list[str], Neighbours]]:
    """Reference geometry of each body (named, or that of the link itself), remarks on it, and the other links."""
    path = "-" if file is None else Address.parse(file).path
    if against is not None:
        reference = reference_of(measure(against, units=units, on_open="integrate"))
        yield from ((reference, [], {}) for _ in bodies)
        return
    are_links = [b.name is not None and b.dialect in OF_ROBOTS for b in bodies]
    every = measured_links(path, links) if path != "-" and links.geometry != "none" and any(are_links) else []
    for body, is_link in zip(bodies, are_links, strict=True):
        if not every or not is_link:
            yield None, [], {}
            continue
        _, geometry, others = named_link(every, str(body.name), path)
        remarks = [] if geometry is None else [f.marked for f in geometry.findings]
        yield reference_of_link(geometry), remarks, others
