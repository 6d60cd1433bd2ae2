"""URDF with fixed links merged into their parents, as simulators load it: an edit of bytes, read again before it is handed out."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import numpy as np

from massprops.errors import InvalidInput, ReadError, Remedy
from massprops.filling.inertials import Document, Edit, edit_of
from massprops.findings import Finding
from massprops.formats.inertial.inertial import without_rounding
from massprops.formats.inertial.numbers import words
from massprops.formats.robot.opening import links_of
from massprops.formats.robot.urdf import pose_of
from massprops.formats.search_path import SearchPath
from massprops.formats.text import quote
from massprops.formats.xml import Node
from massprops.frames import Pose
from massprops.measurement.robot import Missing, Robot
from massprops.moments.arrays import length

#: Of the mass, its distances and their squares: links are composed in another order.
TOLERANCE = 1e-12


def lump_fixed(
    data: bytes, path: str, missing: Missing = "error", search: SearchPath | None = None
) -> tuple[bytes, list[Finding]]:
    """A URDF file whose fixed links are merged into the links that they are fixed to, and what was found about the links.

    Inertials are added up, visuals, collisions and joints placed in the frame of the link that stays; nothing else changes. A massless
    root that is named ``world`` stays as it is, as in Gazebo.

    Raises
    ------
    InvalidInput
        If the file is not URDF.
    ReadError
        If it cannot be read, links have geometry and no inertial, or the result is not the same robot.
    """
    robot = Robot.of(links_of(data, path, search), path)
    document = Document.parse(path, data)
    if document.root.tag != "robot":
        what = "only URDF is written with fixed links merged"
        hint = Remedy("use --format table or json", python="combine its links instead")
        raise InvalidInput(what, place=path, hint=hint)
    lumped, groups, massive = robot.lump_fixed(missing), robot.groups(), robot.bodies(robot.links, missing)[0]
    merged: dict[str, dict[str, Pose]] = {}
    for name, (head, pose) in groups.items():
        if head != name:
            merged.setdefault(head, {})[name] = pose
    empty = [link for link in document.root.all("link") if link.is_empty and link.attributes.get("name") in merged]
    document = Document.parse(path, document.apply_edits([(link.end - 2, link.end, b"></link>") for link in empty]))
    spans = {link.attributes.get("name", ""): link for link in document.root.all("link")}
    edits = list(_joints(document, groups))
    for head, links in merged.items():
        shapes = [(s, pose) for name, pose in links.items() for s in spans[name].children if s.tag in _SHAPES]
        edits += [_remove_element(document, spans[name]) for name in links]
        if links.keys() & massive.keys():
            edits.append(edit_of(document, spans[head], without_rounding(lumped[head].properties)))
        at = len(document.text[: spans[head].inner_end].rstrip())
        edits.append((at, at, b"".join(_move_shape(document, shape, pose) for shape, pose in shapes)))
    result = document.apply_edits(edits)
    _check(robot, Robot.of(links_of(result, path, search), path), missing)
    found = [finding for body in lumped.values() for finding in body.findings]
    return result, [*found, *_references(document, groups)]


_SHAPES = ("visual", "collision")


def _joints(document: Document, groups: dict[str, tuple[str, Pose]]) -> Iterator[Edit]:
    """Fixed joints are removed; others get the link that their parent is merged into, and are placed in it."""
    for joint in document.root.all("joint"):
        parents, children = joint.all("parent"), joint.all("child")
        if not parents or not children:
            continue  # as in a <transmission>
        (head, pose), child = groups[parents[0].attributes["link"]], children[0].attributes["link"]
        if groups[child][0] != child:
            yield _remove_element(document, joint)
        elif head != parents[0].attributes["link"]:
            yield parents[0].start, parents[0].end, ET.tostring(ET.Element("parent", link=head), "utf-8")
            yield _origin(joint, pose)


def _origin(span: Node, pose: Pose) -> Edit:
    """The edit that places an element by its `<origin>` in the frame around its own."""
    own = span.all("origin")
    if span.is_empty:
        return span.end, span.end, b""
    if own:
        pose = pose @ pose_of(Node("origin", own[0].attributes, ""))
    origin = f'<origin xyz="{words((pose.translation + 0.0).tolist())}" rpy="{words((pose.to_rpy() + 0.0).tolist())}"/>'.encode()
    return (own[0].start, own[0].end, origin) if own else (span.inner, span.inner, origin)


def _move_shape(document: Document, shape: Node, pose: Pose) -> bytes:
    """The text of a visual or collision with the blanks before it, placed in the link that it moves to."""
    start, end, origin = _origin(shape, pose)
    text = document.text
    return text[_line_start(text, shape.start) : start] + origin + text[end : shape.end]


def _remove_element(document: Document, span: Node) -> Edit:
    """Edit that removes an element with the blanks before it and the line end."""
    return _line_start(document.text, span.start), span.end, b""


def _line_start(text: bytes, at: int) -> int:
    """Position where the line end and the blanks before an element begin."""
    return len(text[:at].rstrip(b" \t\r\n")) if text[:at].rstrip(b" \t").endswith((b"\n", b"\r")) else at


def _references(document: Document, groups: dict[str, tuple[str, Pose]]) -> Iterator[Finding]:
    """Elements that name a link or joint which is no longer there."""
    moving = {group[0] for group in groups.values()}
    fixed = [joint for joint in document.root.all("joint") if joint.attributes.get("type") == "fixed"]
    fixed = [joint for joint in fixed if {child.attributes.get("link") for child in joint.all("child")} - moving]
    gone = (groups.keys() - moving) | {joint.attributes.get("name", "") for joint in fixed}
    for top in (node for node in document.root.children if node.tag not in ("link", "joint")):
        for node in top.walk():
            for name in (node.attributes[key] for key in ("reference", "link") if node.attributes.get(key) in gone):
                text = f"<{node.tag[:40]}> refers to {quote(name)}, which is merged into another link"
                yield Finding("stale-reference", "warning", text, where=node.place)


def _check(before: Robot, after: Robot, missing: Missing) -> None:
    """Raise ReadError unless both are the same body, at rest and where every joint has another value."""
    free = [joint.name for joint in before.joints.values() if joint.kind != "other" and joint.mimic is None]
    for step in (0.0, 0.1):
        values = {name: step * (k % 7 + 1) for k, name in enumerate(free)}
        one, other = (robot.combine(values, None, missing).body.properties for robot in (before, after))
        size = length(one.com) + np.sqrt(np.abs(one.inertia / one.mass).max()) or 1.0
        lengths = np.array([size, size, size, 1.0])
        apart = np.abs((one.pseudo_inertia() - other.pseudo_inertia()) / np.outer(lengths, lengths)).max()
        if not apart <= TOLERANCE * abs(one.mass):
            raise ReadError("the robot that was written is not the same body", place=before.path, code="round-trip")
