"""Elements of SDFormat: what is read, what bears no mass, and findings about all others.

Tests: `tests/formats/robot/test_sdf.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.robot.sdf_of_urdf import IS_URDF
from massprops.formats.xml import Node

_PLACED = "pose frame"
_LINKED = "model frame joint plugin light"
#: Children of each element that are read, or bear no mass, in any version.
KNOWN: dict[str, frozenset[str]] = {
    tag: frozenset(words.split())
    for tag, words in {
        "sdf": f"world link {_LINKED}",
        "world": f"audio wind gravity magnetic_field atmosphere gui physics scene road spherical_coordinates link {_LINKED}",
        "model": f"static self_collide allow_auto_disable enable_wind link gripper model_state {_LINKED} {_PLACED}",
        "link": f"inertial collision visual gravity enable_wind self_collide kinematic must_be_base_link velocity_decay damping velocity "
        f"acceleration wrench sensor projector audio_sink audio_source battery light particle_emitter {_PLACED}",
        "inertial": f"mass inertia density auto_inertia_params fluid_added_mass {_PLACED}",
        "inertia": "ixx ixy ixz iyy iyz izz",
        "collision": f"geometry density auto_inertia_params laser_retro max_contacts surface {_PLACED}",
        "visual": f"geometry cast_shadows laser_retro transparency visibility_flags material meta plugin {_PLACED}",
        "mesh": "uri submesh scale convex_decomposition",
        "axis": "xyz limit dynamics mimic initial_position",
    }.items()
}
#: Elements of the specification that may hold bodies, and are not read.
UNREAD = ("actor", "population", "state")
#: Elements that bear mass, or hold what does.
_BODIES = ("model", "link", "inertial", "collision", "include")

#: A finding, or the error of bodies that are not read, and the link in which it is; None where it is in no link.
Unread = tuple[Node | None, Finding | ReadError]


def unread(node: Node, link: Node | None = None) -> Iterator[Unread]:
    """Findings about what is not read of an element of the latest version, and of all below it."""
    link = node if node.tag == "link" else link
    known = KNOWN.get("sdf" if node.tag == "gazebo" else node.tag)
    for child in () if IS_URDF in node.attributes else node.children:
        if ":" in child.tag:  # of another namespace
            continue
        if child.tag == "pose" and "frame" in child.attributes:
            yield link, _ignored(child, "frame= of a <pose>, from version 1.7 on relative_to=,")
        if known is None or child.tag in known:
            yield from unread(child, link)
        elif (body := _body_in(child)) is not None:
            what = f"{child.place}: <{child.tag[:40]}> is not read, and the <{body.tag}> in it is not counted"
            hint = f"put the <{body.tag}> where SDFormat has it, or leave it out"
            yield link, ReadError(what, code="unread-element", hint=hint)
        elif child.tag not in UNREAD:
            yield link, _ignored(child, f"<{child.tag[:40]}> in <{node.tag}>")


def _body_in(node: Node) -> Node | None:
    """The first element that bears mass in one that is not read, or itself; of a state, which repeats models, in what it inserts."""
    if node.tag == "state":
        return next((body for inserted in node.all("insertions") for body in inserted.children), None)
    return next((each for each in node.walk() if each.tag in _BODIES), None)


def _ignored(node: Node, what: str) -> Finding:
    message = f"{node.place}: {what} is not known, and SDFormat ignores it"
    return Finding("ignored-element", "warning", message, where=node.place)
