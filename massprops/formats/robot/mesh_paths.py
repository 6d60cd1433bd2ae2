"""Where the meshes and included files of a robot are, and which of them may be read.

``package://name/rest`` and ``model://name/rest`` are looked for in this order: the folder given for the name; ``name`` below the
folders of the package path, and these folders themselves if they are called so; then the folders around the robot file, nearest
first: one that is called ``name``, one that holds ``name/rest``, and, since checkouts are renamed, ``rest`` in the tree; last,
since exporters write the file without a package, ``name/rest`` beside the robot file and in ``assets`` and ``meshes`` there.

A robot file may come from anybody, so files are read only below its tree, the packages given, and packages around it that have
the name asked for. The tree is the nearest folder that is marked as a package or checkout, else that of the robot file, or the
one around it where it has a conventional name (``urdf``, ``mjcf`` …).

Included files are spliced into the tree; what cannot be followed is kept as an error ``unread-include``. MJCF, as MuJoCo 4.0 does: the
children of the root of an included file replace `<include>`; the file is looked for beside the main file, then beside the file that
includes it; each file can be included once. `<model file>` is a model of its own, for `<attach>`. SDFormat: a model replaces `<include>`,
with its `<name>`, `<pose>` and `<placement_frame>`; with `<merge>`, the children of the model do, placed relative to a `<frame>` that
stands for the frame of the model.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePath, PurePosixPath
from typing import TypeVar
from urllib.parse import unquote

from massprops.errors import ReadError
from massprops.formats.files import read_bytes
from massprops.formats.registry import FORMATS
from massprops.formats.xml import DEEPEST, Node, parse

_MARKS = ("package.xml", "model.config", ".git")
_CONVENTIONAL = {"urdf", "urdfs", "sdf", "mjcf", "xml", "xmls", "robot", "robots", "model", "models", "worlds"}
#: Characters of a URI that a message shows.
_SHOWN = 60


@dataclass(frozen=True)
class Finder:
    """How the meshes of one robot file are found; see the module.

    Attributes
    ----------
    folder : Path
        Of the robot file.
    packages : mapping of str to str
        Folders by package.
    package_path : sequence of str
        Folders below which packages are looked for.
    allow_outside : bool
        Whether files outside the tree of the robot may be read.
    """

    folder: Path
    packages: Mapping[str, str] = field(default_factory=dict)
    package_path: Sequence[str] = ()
    allow_outside: bool = False

    def find(self, uri: str) -> Path:
        """The mesh file that a URI means.

        Raises
        ------
        ReadError
            If there is none (``missing-file``), it is outside the tree (``outside-file``), or not of a mesh format.
        """
        path = self.locate(uri, (self.folder,))
        if path.suffix.lower() not in FORMATS:
            raise ReadError(
                f"{_short(uri)}: is not a mesh file", code="unknown-format", hint=f"known: {' '.join(FORMATS)}"
            )
        return path

    def locate(self, uri: str, folders: Sequence[Path]) -> Path:
        """The file or folder that a URI means, a relative one in the first of `folders` that has it; raises what `find` does."""
        scheme, mark, rest = uri.partition("://")
        if not mark or scheme == "file":
            relative = unquote(rest) if mark else uri.replace("\\", "/")
            candidates = [(folder / relative, self.tree, False) for folder in folders]
        elif scheme in ("package", "model"):
            candidates = list(self._in_packages(*rest.partition("/")[::2]))
        else:
            raise ReadError(f"{_short(uri)}: files of {scheme[:20]}:// are not fetched", code="missing-file")
        allowed = [path for path, root, given in candidates if self._allows(path, root, given)]
        for path in allowed:
            if os.path.exists(path):  # noqa: PTH110  # pathlib's raises for a name that is too long
                return path
        if len(allowed) < len(candidates):
            what = f"{_short(uri)}: is outside the robot's folder and packages, and is not read"
            raise ReadError(what, code="outside-file", hint="--allow-outside reads it")
        raise self._missing(uri, scheme if mark else "", rest.partition("/")[0])

    def _missing(self, uri: str, scheme: str, package: str) -> ReadError:
        if scheme not in ("package", "model"):
            return ReadError(f"{_short(uri)}: no such file", code="missing-file")
        if package in self.packages:
            where, hint = f"{self.packages[package]} is its folder", ""
        else:
            where, hint = "its package is not found", f"give its folder with --package {_short(package)}=FOLDER"
        return ReadError(f"{_short(uri)}: no such file; {where}", code="missing-file", hint=hint)

    def _allows(self, path: Path, root: Path, given: bool) -> bool:
        """Whether a file is below `root`; links are followed, but in what the user gave, where packages are installed as links."""
        if self.allow_outside:
            return True
        plain = Path(os.path.normpath(path.absolute()))
        if given:
            return plain.is_relative_to(os.path.normpath(root.absolute()))
        roots = (root, self.tree, *map(Path, self.packages.values()), *map(Path, self.package_path))
        return any(path.resolve().is_relative_to(r.resolve()) for r in roots)

    def _in_packages(self, package: str, tail: str) -> Iterator[tuple[Path, Path, bool]]:
        """Where a file of a package may be, the folder that it has to be in, and whether the user gave this folder."""
        if package in self.packages:
            yield Path(self.packages[package]) / tail, Path(self.packages[package]), True
            return  # nothing else is tried
        for root in map(Path, self.package_path):
            yield root / package / tail, root, True
            if root.name == package:
                yield root / tail, root, True
        around = self.folder.absolute()
        for folder in (around, *around.parents[:-1]):
            if folder.name == package:
                yield folder / tail, folder, False
            if not package.startswith("."):
                yield folder / package / tail, folder / package, False
            # a bare file name would be found anywhere
            if len(PurePosixPath(tail).parts) > 1 and self._allows(folder / tail, self.tree, False):
                yield folder / tail, self.tree, False
        for name in ("", "assets", "meshes"):
            yield self.folder / name / package / tail, self.tree, False
            if tail:
                yield self.folder / name / tail, self.tree, False

    @cached_property
    def tree(self) -> Path:
        """The folder below which the robot's own files are."""
        folder = self.folder.absolute()
        marked = (f for f in (folder, *folder.parents) if any((f / mark).exists() for mark in _MARKS))
        return next(marked, folder.parent if folder.name.lower() in _CONVENTIONAL else folder)


def _short(uri: str) -> str:
    return uri if len(uri) <= _SHOWN else uri[: _SHOWN - 3] + "..."


T = TypeVar("T")
#: Files that one robot may include: models that each include the next one twice double with every level.
MOST = 10_000


@dataclass(frozen=True, eq=False)
class MjcfFile:
    """A MJCF model with its includes spliced in.

    Attributes
    ----------
    root : Node
    path : str
    finder : Finder
        Of the main file.
    folder : str
        Of this file, relative to that of the main file: where its meshes are.
    above : tuple of Path
        The models that attach this one.
    failed : list of (str, ReadError)
        Place and reason of the includes that could not be followed.
    opened : list of str
        The files that the main file includes or attaches, so far.
    """

    root: Node
    path: str
    finder: Finder
    folder: str = ""
    above: tuple[Path, ...] = ()
    failed: list[tuple[str, ReadError]] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, root: Node, path: str, finder: Finder, parent: MjcfFile | None = None) -> MjcfFile:
        """The model with this root, which is changed in place, attached by `parent`."""
        above = () if parent is None else (*parent.above, Path(parent.path).resolve())
        folder = os.path.relpath(Path(path).parent, finder.folder) if above else ""
        opened = [] if parent is None else parent.opened
        file = cls(root, path, finder, "" if folder == "." else folder, above, [], opened)
        main, seen = Path(path).parent, {Path(path).resolve()}

        def included(node: Node) -> list[Node]:
            own = Path(node.place.rpartition(":")[0]).parent
            found = finder.locate(node.attribute("file"), (main, own))
            if found.resolve() in seen:
                raise ReadError(f"{found}: is already included", code="cycle", hint="include each file once")
            seen.add(found.resolve())
            children = _opened(found, opened).children
            if not children:
                raise ReadError(f"{found}: the file is empty", code="empty-file")
            return children

        _splice(root, included, file.failed)
        return file

    def attached(self, attach: Node) -> MjcfFile:
        """The model that an `<attach>` names.

        Raises
        ------
        ReadError
            With code ``unread-include`` if it is not defined, or cannot be read.
        """
        name = attach.attribute("model")
        for node in (n for asset in self.root.all("asset") for n in asset.all("model")):
            if node.attributes.get("name") == name:
                return _following(node, lambda node=node: self._opened(node))  # type: ignore[misc]
        raise ReadError(f"{attach.place}: no <model> is named {name[:40]!r}", code="unread-include")

    def _opened(self, model: Node) -> MjcfFile:
        own = Path(model.place.rpartition(":")[0]).parent
        found = self.finder.locate(model.attribute("file"), (Path(self.path).parent, own))
        if found.resolve() in (*self.above, Path(self.path).resolve()):
            raise ReadError(f"{found}: the model attaches itself", code="cycle", hint="break the cycle")
        root = _opened(found, self.opened)
        if root.tag != "mujoco":
            raise ReadError(f"{root.place}: the root element is <{root.tag[:40]}>, not <mujoco>", code="unknown-format")
        return MjcfFile.of(root, str(found), self.finder, self)


def with_sdf_includes(root: Node, path: str, finder: Finder) -> list[tuple[str, ReadError]]:
    """Replace every `<include>` of an SDFormat document; the place and reason of those that cannot be followed."""
    failed: list[tuple[str, ReadError]] = []
    opened: list[str] = []

    def included(node: Node, above: tuple[Path, ...]) -> list[Node]:
        own = Path(node.place.rpartition(":")[0]).parent
        found = _model_file(finder.locate(node.need("uri").text.strip(), (own,)))
        if found.resolve() in above:
            raise ReadError(f"{found}: the model includes itself", code="cycle", hint="break the cycle")
        document = _opened(found, opened)
        if document.tag not in ("sdf", "gazebo", "model"):
            raise ReadError(
                f"{document.place}: the root element is <{document.tag[:40]}>, not <sdf>", code="unknown-format"
            )
        models = [document] if document.tag == "model" else document.all("model")
        deeper = (*above, found.resolve())
        for model in models:
            _splice(model, lambda inner: included(inner, deeper), failed)
            _rebase(model, os.path.relpath(found.parent, finder.folder))
        name, merge = node.one("name"), node.one("merge")
        if name is not None:
            models = [replace(m, attributes={**m.attributes, "name": name.text.strip()}) for m in models]
        models = [_placed(model, node) for model in models]
        merged = merge is not None and merge.text.strip().lower() in ("true", "1")
        return [child for model in models for child in _merged(model)] if merged else models

    _splice(root, lambda node: included(node, (Path(path).resolve(),)), failed)
    return failed


def _placed(model: Node, include: Node) -> Node:
    """An included model with the pose that `<include>` states."""
    pose, frame = include.one("pose"), include.one("placement_frame")
    if pose is not None:
        model = replace(model, children=[pose, *(child for child in model.children if child.tag != "pose")])
    if frame is None:
        return model
    return replace(model, attributes={**model.attributes, "placement_frame": frame.text.strip()})


def _merged(model: Node) -> list[Node]:
    """The children of a model, placed relative to a frame at its pose."""
    pose, own = model.one("pose"), [child for child in model.children if child.tag != "pose"]
    if "placement_frame" in model.attributes:
        raise ReadError(f"{model.place}: a merged model with a placement_frame is not read", code="unread-include")
    if pose is None:
        return own
    name = f"_merged__{model.attributes.get('name', '')}__model__"
    for child in own:
        stated = child.one("pose") if child.tag in ("link", "model", "frame") else None
        if stated is not None and stated.attributes.get("relative_to", "__model__") == "__model__":
            stated.attributes["relative_to"] = name
        elif stated is None and child.tag in ("link", "model", "frame") and "attached_to" not in child.attributes:
            child.children.append(Node("pose", {"relative_to": name}, child.place))
    return [Node("frame", {"name": name}, model.place, [pose]), *own]


def _opened(path: Path, opened: list[str]) -> Node:
    """The root of an included file."""
    if len(opened) >= MOST:
        raise ReadError(f"{path}: more than {MOST} files are included", code="too-many-files")
    opened.append(str(path))
    return parse(read_bytes(str(path)), str(path))


def _splice(
    node: Node, included: Callable[[Node], list[Node]], failed: list[tuple[str, ReadError]], depth: int = 0
) -> None:
    """Replace `<include>` elements by what `included` finds for them, and those in that too."""
    if depth > DEEPEST:
        raise ReadError(f"{node.place}: elements are nested more than {DEEPEST} deep", code="too-deep")
    children: list[Node] = []
    waiting = node.children[::-1]
    while waiting:
        child = waiting.pop()
        if child.tag != "include":
            _splice(child, included, failed, depth + 1)
            children.append(child)
            continue
        try:
            waiting += _following(child, lambda child=child: included(child))[::-1]  # type: ignore[misc]
        except ReadError as error:
            failed.append((child.place, error))
    node.children = children


def _following(node: Node, read: Callable[[], T]) -> T:
    try:
        return read()
    except ReadError as error:
        reason = error.message.removeprefix(f"{node.place}: ")
        raise ReadError(
            f"{node.place}: cannot follow <{node.tag}>: {reason}", code="unread-include", hint=error.hint
        ) from error


def _model_file(found: Path) -> Path:
    """The SDF file of a model folder: that of the latest version in its model.config."""
    if not found.is_dir():
        return found
    config = found / "model.config"
    if not config.is_file():
        return found / "model.sdf"
    listed = [n for n in parse(read_bytes(str(config)), str(config)).all("sdf") if n.text.strip()]
    versions = [
        ([int(w) for w in n.attributes.get("version", "0").split(".") if w.isdecimal()], n.text.strip()) for n in listed
    ]
    name = max(versions, default=([], "model.sdf"))[1]
    if PurePath(name).name != name:
        raise ReadError(f"{config}: names a file outside its folder, {name[:40]!r}", code="outside-file")
    return found / name


def _rebase(node: Node, folder: str) -> None:
    """Write the relative mesh files of an included model as seen from the main file."""
    for child in node.children:
        if node.tag == "mesh" and child.tag == "uri" and "://" not in child.text:
            child.text = posixpath.join(folder.replace(os.sep, "/"), child.text.strip())
        _rebase(child, folder)
