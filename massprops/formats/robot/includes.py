"""Files that a robot file includes, spliced into its tree; what cannot be followed is kept as an error ``unread-include``.

MJCF, as MuJoCo 4.0 does: the children of the root of an included file replace `<include>`; the file is looked for beside the main
file, then beside the file that includes it; each file can be included once. `<model file>` is a model of its own, for `<attach>`.
SDFormat: a model, of URDF too, replaces `<include>`, with its `<name>`, `<pose>` and `<placement_frame>`; with ``merge="true"``,
the children of the model do, placed relative to a `<frame>` that stands for the frame of the model (SDFormat 1.9, "Merging for
Composition").
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from massprops.errors import ReadError
from massprops.formats.files import read_bytes, real_path
from massprops.formats.robot.sdf_of_urdf import model_of
from massprops.formats.robot.sdf_versions import upgrade
from massprops.formats.search_path import SearchPath
from massprops.formats.xml import DEEPEST, Node, parse

#: Files that one robot may include, and their bytes: models that each include the next one twice double with every level.
#: An element counts as `_ELEMENT` bytes at least.
MOST_FILES, _MOST_BYTES, _ELEMENT = 10_000, 32 << 20, 64
#: Includes that cannot be followed: each is looked for in many places.
_MOST_FAILED = 1_000
#: Attributes that name a frame of SDFormat.
_OF_FRAMES = ("relative_to", "attached_to", "expressed_in")
#: Attribute of the URI of a mesh: what was stated, before it was written as seen from the main file. No name that XML can hold.
STATED = " stated"
#: Place and reason of the includes that could not be followed.
Failed = list[tuple[str, ReadError]]
#: The name of a model of MuJoCo that states none.
_UNNAMED = "MuJoCo Model"


class TooMuch(ReadError):
    """Included files that exceed a limit together: the robot is not read any further."""


@dataclass(frozen=True, eq=False)
class MjcfFile:
    """A MJCF model with its includes spliced in.

    Attributes
    ----------
    root : Node
    path : str
    search : SearchPath
        Of the main file.
    folder : str
        Of this file, relative to that of the main file: where its meshes are.
    above : tuple of Path
        The models that attach this one.
    failed : list of (str, ReadError)
        Place and reason of the includes that could not be followed.
    opened : list of int
        The sizes of the files that the main file includes or attaches, so far.
    """

    root: Node
    path: str
    search: SearchPath
    folder: str = ""
    above: tuple[Path, ...] = ()
    failed: Failed = field(default_factory=list)
    opened: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, root: Node, path: str, search: SearchPath, parent: MjcfFile | None = None) -> MjcfFile:
        """The model with this root, which is changed in place, attached by `parent`."""
        above = () if parent is None else (*parent.above, real_path(parent.path))
        folder = os.path.relpath(Path(path).parent, search.folder) if above else ""
        opened = [] if parent is None else parent.opened
        file = cls(root, path, search, "" if folder == "." else folder, above, [], opened)
        main, seen = Path(path).parent, {real_path(path)}

        def expand(node: Node) -> list[Node]:
            found = search.resolve(node.attribute("file"), (main, node.folder))
            if real_path(found) in seen:
                raise ReadError(f"{found}: is already included", code="cycle", hint="include each file once")
            seen.add(real_path(found))
            children = _open_included(found, opened).children
            if not children:
                raise ReadError(f"{found}: the file is empty", code="empty-file")
            return children

        _splice(root, expand, file.failed)
        return file

    def attached(self, attach: Node) -> MjcfFile:
        """The model that an `<attach>` names.

        Raises
        ------
        ReadError
            With code ``unread-include`` if it is not defined, or cannot be read.
        """
        name = attach.attributes.get("model")
        if name is None:  # what stands in this model itself
            if "body" not in attach.attributes and "frame" not in attach.attributes:
                raise ReadError(f"{attach.place}: <attach> names no model, body or frame", code="missing-attribute")
            _check_opened(self.opened, self.path)
            self.opened.append(_ELEMENT)  # two that attach the next one twice double with every level
            return self
        models = [n for asset in self.root.all("asset") for n in asset.all("model")]
        for node in sorted(models, key=lambda n: "name" not in n.attributes):
            if node.attributes.get("name", name) == name:
                with _following(node):
                    found = self._open_included(node)
                if "name" in node.attributes or found.root.attributes.get("model", _UNNAMED) == name:
                    return found
        raise ReadError(f"{attach.place}: no <model> is named {name[:40]!r}", code="unread-include")

    def _open_included(self, model: Node) -> MjcfFile:
        found = self.search.resolve(model.attribute("file"), (Path(self.path).parent, model.folder))
        if real_path(found) in (*self.above, real_path(self.path)):
            raise ReadError(f"{found}: the model attaches itself", code="cycle", hint="break the cycle")
        return MjcfFile.of(_open_included(found, self.opened, "mujoco"), str(found), self.search, self)


def with_sdf_includes(root: Node, path: str, search: SearchPath) -> Failed:
    """Replace every `<include>` of an SDFormat document; the place and reason of those that cannot be followed."""
    failed: Failed = []
    opened: list[int] = []
    upgrade(root)

    def expand(node: Node, above: tuple[Path, ...]) -> list[Node]:
        uri = node.need("uri").text.strip()
        found = _model_file(search.resolve(uri, (node.folder,), uri))
        if real_path(found) in above:
            raise ReadError(f"{found}: the model includes itself", code="cycle", hint="break the cycle")
        document = _open_included(found, opened, "sdf", "gazebo", "model", "robot")
        document = model_of(document) if document.tag == "robot" else document
        upgrade(document)
        models = [document] if document.tag == "model" else document.all("model")
        if len(models) > 1 or not (models or document.all("light")):
            raise ReadError(f"{found}: holds {len(models)} models, and <include> takes one", code="unread-include")
        for changes in node.all("experimental:params"):
            raise ReadError(
                f"{changes.place}: <{changes.tag}> changes the model, and is not read", code="unread-element"
            )
        deeper = (*above, real_path(found))
        for model in models:
            _splice(model, lambda inner: expand(inner, deeper), failed)
            _rebase(model, os.path.relpath(found.parent, search.folder))
        if (name := node.one("name")) is not None:
            models = [replace(m, attributes={**m.attributes, "name": name.text.strip()}) for m in models]
        models = [_place_model(model, node) for model in models]
        merged = node.attributes.get("merge", "").strip().lower() in ("true", "1")
        return [child for model in models for child in _merge_model(model)] if merged else models

    _splice(root, lambda node: expand(node, (real_path(path),)), failed)
    return failed


def _place_model(model: Node, include: Node) -> Node:
    """An included model with the pose that `<include>` states."""
    pose, frame = include.one("pose"), include.one("placement_frame")
    if pose is not None:
        model = replace(model, children=[pose, *(child for child in model.children if child.tag != "pose")])
    if frame is None:
        return model
    return replace(model, attributes={**model.attributes, "placement_frame": frame.text.strip()})


def _merge_model(model: Node) -> list[Node]:
    """The bodies of a model, placed relative to a frame at its pose, which its canonical link carries."""
    pose = model.one("pose") or Node("pose", {}, model.place)
    own = [child for child in model.children if child.tag not in ("pose", "static")]
    if "placement_frame" in model.attributes:
        raise ReadError(f"{model.place}: a merged model with a placement_frame is not read", code="unread-include")
    name = f"_merged__{model.attributes.get('name', '')}__model__"
    for child in own:
        for node in (child, *child.all("pose")) if child.tag == "model" else child.walk():
            node.attributes |= {key: name for key in _OF_FRAMES if node.attributes.get(key) == "__model__"}
            if node.tag in ("parent", "child") and node.text.strip() == "__model__":
                node.text = name
        if child.tag == "frame" and not child.attributes.get("attached_to"):
            child.attributes["attached_to"] = name
        elif child.tag in ("link", "model"):
            if not child.all("pose"):
                child.children.append(Node("pose", {}, child.place))
            for stated in child.all("pose"):
                stated.attributes["relative_to"] = stated.attributes.get("relative_to") or name
    pose.attributes.setdefault("relative_to", "__model__")
    return [Node("frame", {"name": name, "attached_to": canonical_link(model)}, model.place, [pose]), *own]


def canonical_link(model: Node) -> str:
    """Name of the link to which the frame of a model is attached, or of the nested model that has it; empty without any."""
    first = next((n for tag in ("link", "model") for n in model.all(tag)), Node("", {}, ""))
    return model.attributes.get("canonical_link", first.attributes.get("name", ""))


def _check_opened(opened: list[int], path: Path | str) -> None:
    """Raise where one more file would be too much."""
    if len(opened) >= MOST_FILES:
        raise ReadError(f"{path}: more than {MOST_FILES} files are included", code="too-many-files")
    if sum(opened) > _MOST_BYTES:
        what = f"{path}: more than {_MOST_BYTES >> 20} MiB are included (an element counts as {_ELEMENT} bytes or more)"
        raise TooMuch(what, code="too-large", hint="include fewer files, or smaller ones")


def _open_included(path: Path, opened: list[int], *tags: str) -> Node:
    """The root of an included file, an element of one of these tags."""
    _check_opened(opened, path)
    data = read_bytes(str(path))
    opened.append(max(len(data), _ELEMENT * (data.count(b"<") - data.count(b"</"))))  # also of a file that is refused
    root = parse(data, str(path))
    if tags and root.tag not in tags:
        raise ReadError(f"{root.place}: the root element is <{root.tag[:40]}>, not <{tags[0]}>", code="unknown-format")
    return root


def _splice(node: Node, expand: Callable[[Node], list[Node]], failed: Failed, depth: int = 0) -> None:
    """Replace `<include>` elements by what `expand` finds for them, and those in that too."""
    if depth > DEEPEST:
        raise ReadError(f"{node.place}: elements are nested more than {DEEPEST} deep", code="too-deep")
    children: list[Node] = []
    waiting = node.children[::-1]
    while waiting:
        child = waiting.pop()
        if child.tag != "include":
            _splice(child, expand, failed, depth + 1)
            children.append(child)
            continue
        try:
            with _following(child):
                waiting += expand(child)[::-1]
        except TooMuch:
            raise
        except ReadError as error:
            failed.append((child.place, error))
            if len(failed) > _MOST_FAILED:
                what = f"{child.place}: more than {_MOST_FAILED:,} includes cannot be followed"
                raise TooMuch(what, code="too-many-files", hint="mend or remove them") from error
    node.children = children


@contextmanager
def _following(node: Node) -> Iterator[None]:
    """Raise the errors of an included file as errors of the element that names it."""
    try:
        yield
    except TooMuch:
        raise
    except ReadError as error:
        what = f"{node.place}: cannot follow <{node.tag}>: {error.message.removeprefix(f'{node.place}: ')}"
        raise ReadError(what, code="unread-include", hint=error.remedy) from error


def _model_file(found: Path) -> Path:
    """The SDF file of a model folder: that of the latest version in its model.config."""
    if not found.is_dir():
        return found
    config = found / "model.config"
    if not config.is_file():
        return found / "model.sdf"
    listed = [n for n in parse(read_bytes(str(config)), str(config)).all("sdf") if n.text.strip()]
    words = [n.attributes.get("version", "0").split(".") for n in listed]
    versions = [[int(word) for word in each if word.isdecimal()] for each in words]
    name = max(zip(versions, (n.text.strip() for n in listed), strict=True), default=([], "model.sdf"))[1]
    if PurePath(name).name != name:
        raise ReadError(f"{config}: names a file outside its folder, {name[:40]!r}", code="outside-file")
    return found / name


def _rebase(node: Node, folder: str) -> None:
    """Write the relative mesh files of an included model as seen from the main file; what was stated stays beside that."""
    folder = folder.replace(os.sep, "/")
    for mesh in (each for each in node.walk() if each.tag == "mesh"):
        if "://" not in mesh.attributes.get("filename", "://"):  # URDF
            mesh.attributes["filename"] = posixpath.join(folder, mesh.attributes["filename"])
        for uri in (child for child in mesh.all("uri") if "://" not in child.text):
            uri.attributes.setdefault(STATED, uri.text.strip())
            uri.text = posixpath.join(folder, uri.text.strip())
