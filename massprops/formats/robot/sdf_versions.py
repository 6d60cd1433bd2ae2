"""Versions of SDFormat: a document of any version as one of the latest, as libsdformat converts it when it is read.

===================================  ============================================================================================
up to 1.4                            the axis of a joint is in the frame of its model, unless ``use_parent_model_frame`` is false;
                                     not so for joints of nested models
up to 1.6                            ``use_parent_model_frame`` stands for ``expressed_in="__model__"``, over a stated one
up to 1.6                            ``frame`` of a `<pose>` stands for ``relative_to``, over a stated one
1.7 and later                        neither is defined, and both are ignored
===================================  ============================================================================================

Each document is of its own version, that of an include too. Tests: `tests/formats/robot/test_sdf.py`.
"""

from __future__ import annotations

from massprops.errors import ReadError
from massprops.formats.xml import Node

#: The version that is written, and taken for a document that states none.
LATEST = "1.11"
_TRUE = ("true", "True", "TRUE", "1")


def version_of(root: Node, default: str = LATEST) -> tuple[int, ...]:
    """The version that the root of a document states."""
    return tuple(int(word) if word.isdecimal() else 0 for word in root.attributes.get("version", default).split("."))


def upgrade(root: Node) -> None:
    """Change a document in place so that it says the same in the latest version; ReadError where it is older than 1.2."""
    version = version_of(root)
    if version < (1, 2):
        what = f"{root.place}: SDFormat {root.attributes['version'][:10]}, whose numbers are attributes, is not read"
        raise ReadError(what, code="unread-element", hint="convert it with gz sdf, which prints the latest version")
    if version >= (1, 7):
        return
    outer = [root, *root.all("world")] if root.tag != "model" else []
    models = [model for node in outer for model in node.all("model")] if outer else [root]
    in_models = {id(joint) for model in models for joint in model.all("joint")} if version < (1, 5) else set[int]()
    for node in list(root.walk()):
        if node.tag == "pose" and "frame" in node.attributes:
            node.attributes["relative_to"] = node.attributes.pop("frame")
        if node.tag == "joint":
            for axis in node.all("axis"):
                _upgrade_axis(axis, "true" if id(node) in in_models else "false")


def _upgrade_axis(axis: Node, default: str) -> None:
    stated = axis.one("use_parent_model_frame")
    axis.children = [child for child in axis.children if child is not stated]
    if (default if stated is None else stated.text.strip()) not in _TRUE:
        return
    if not axis.all("xyz"):
        axis.children.append(Node("xyz", {}, axis.place, text="0 0 1"))
    for xyz in axis.all("xyz"):
        xyz.attributes["expressed_in"] = "__model__"
