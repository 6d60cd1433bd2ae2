"""URDF with fixed links merged into their parents, as simulators load it: an edit of bytes, read again before it is handed out."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

import numpy as np

from massprops.errors import InvalidInput, ReadError
from massprops.filling.inertials import Edit, edit_of
from massprops.filling.spans import Document, Span
from massprops.findings import Finding
from massprops.formats.inertial.numbers import words
from massprops.formats.inertial.urdf import pose_of
from massprops.formats.robot.mesh_paths import Finder
from massprops.formats.robot.opening import links_of
from massprops.formats.xml import Node
from massprops.frames import Pose
from massprops.measurement.robot import Missing, Robot

#: Of the mass, its distances and their squares: links are composed in another order.
TOLERANCE = 1e-12


def lump_fixed(
    data: bytes, path: str, missing: Missing = "error", finder: Finder | None = None
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
    robot = Robot.of(links_of(data, path, finder), path)
    document = Document.parse(path, data)
    if document.root.tag != "robot":
        raise InvalidInput(
            "only URDF is written with fixed links merged", place=path, hint="use --format table or json"
        )
    lumped, groups, massive = robot.lumped(missing), robot.groups(), robot.bodies(robot.links, missing)[0]
    heads = {head for name, (head, _) in groups.items() if head != name}
    empty = [link for link in document.root.all("link") if link.attributes.get("name") in heads and link.is_empty]
    document = Document.parse(path, document.edited([(link.end - 2, link.end, b"></link>") for link in empty]))
    spans = {link.attributes.get("name", ""): link for link in document.root.all("link")}
    edits = [
        edit
        for name in spans
        if name not in heads and groups[name][0] != name
        for edit in [_removed(document, spans[name])]
    ]
    for head in heads:
        merged = [(spans[name], pose) for name, (top, pose) in groups.items() if top == head and name != head]
        shapes = [
            _moved(document, shape, pose) for link, pose in merged for shape in link.children if shape.tag in _SHAPES
        ]
        if any(name in massive and name != head for name, (top, _) in groups.items() if top == head):
            edits.append(edit_of(document, spans[head], "urdf", lumped[head].properties, None))
        at = len(document.text[: spans[head].inner_end].rstrip())
        edits.append((at, at, b"".join(shapes)))
    edits += _joints(document, groups)
    result = document.edited(edits)
    _check(robot, Robot.of(links_of(result, path, finder), path), missing)
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
            yield _removed(document, joint)
        elif head != parents[0].attributes["link"]:
            yield parents[0].start, parents[0].end, f"<parent link={quoteattr(head)}/>".encode()
            yield _origin(joint, pose)


def _origin(span: Span, pose: Pose) -> Edit:
    """The edit that places an element by its `<origin>` in the frame around its own."""
    own = span.all("origin")
    if own:
        pose = pose @ pose_of(Node("origin", own[0].attributes, ""))
    origin = f'<origin xyz="{words((pose.translation + 0.0).tolist())}" rpy="{words((pose.to_rpy() + 0.0).tolist())}"/>'.encode()
    return (own[0].start, own[0].end, origin) if own else (span.inner, span.inner, origin)


def _moved(document: Document, shape: Span, pose: Pose) -> bytes:
    """The text of a visual or collision with the blanks before it, placed in the link that it moves to."""
    start, end, origin = _origin(shape, pose)
    text = document.text
    return text[_line_start(text, shape.start) : start] + origin + text[end : shape.end]


def _removed(document: Document, span: Span) -> Edit:
    """An element with the blanks before it and the line end."""
    return _line_start(document.text, span.start), span.end, b""


def _line_start(text: bytes, at: int) -> int:
    """Where the line end and the blanks before an element begin."""
    return len(text[:at].rstrip(b" \t\r\n")) if text[:at].rstrip(b" \t").endswith((b"\n", b"\r")) else at


def _references(document: Document, groups: dict[str, tuple[str, Pose]]) -> Iterator[Finding]:
    """Elements that name a link which is no longer there."""
    for node in document.root.children:
        name = node.attributes.get("reference", "")
        if node.tag == "gazebo" and name in groups and groups[name][0] != name:
            text = f"<gazebo> refers to {name[:40]}, which is merged into {groups[name][0][:40]}"
            yield Finding("stale-reference", "warning", text, where=f"{document.name}:{node.line}")


def _check(before: Robot, after: Robot, missing: Missing) -> None:
    """Raise ReadError unless both are the same body, at rest and where every joint has another value."""
    for step in (0.0, 0.1):
        free = [j.name for j in before.joints.values() if j.kind != "other" and j.mimic is None]
        values = {name: step * (k % 7 + 1) for k, name in enumerate(free)}
        one, other = (robot.combined(values, None, missing).body.properties for robot in (before, after))
        size = float(np.linalg.norm(one.com) + np.sqrt(abs(np.trace(one.inertia)) / abs(one.mass)))
        apart = (
            abs(one.mass - other.mass) / abs(one.mass),
            np.abs(one.com - other.com).max(),
            np.abs(one.inertia - other.inertia).max(),
        )
        if not (
            apart[0] <= TOLERANCE and apart[1] <= TOLERANCE * size and apart[2] <= TOLERANCE * abs(one.mass) * size**2
        ):
            raise ReadError("the robot that was written is not the same body", place=before.path, code="round-trip")
