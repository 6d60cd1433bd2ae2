"""Search for the files that a file refers to, such as the meshes of a robot, and permission to read them.

``package://name/rest`` and ``model://name/rest`` are looked for in this order: the folder given for the name; ``name`` below
the folders of the package path, and these folders themselves if they are called so; then the folders around the robot file,
nearest first: one that is called ``name``, or is by its ``package.xml``, one that holds ``name/rest`` or ``models/name/rest``,
and, since checkouts are renamed, ``rest`` in the tree; last, since exporters write the file without a package, ``name/rest``
beside the robot file and in ``assets`` and ``meshes`` there. A path of SDFormat without a scheme is looked for beside its file,
then as ``name/rest`` in the same folders of the package path and of the tree.

A robot file may come from anybody, so files are read only below its tree, the packages given, and packages around it that have
the name asked for. The tree is that of the Python package in which the robot is installed (the outermost folder with ``__init__.py``,
beside a ``.dist-info`` or in a namespace package there), else the nearest folder that is marked as a package or checkout, else the
Python package of a project without such a mark (editable installs), else the folder of the robot file, or the one around it where it
has a conventional name (``urdf``, ``mjcf`` …).

A mesh file that refers to others, such as the buffers of glTF, may come from anybody too: they are read in its own folder and below, and
for a robot in the folder of the robot file and the packages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import get_args
from urllib.parse import unquote

from massprops.access import allowing
from massprops.errors import ReadError, Remedy, require_word
from massprops.formats.address import split_part
from massprops.formats.files import (
    check_within_roots,
    is_below,
    is_within_roots,
    marks_of,
    note_opened,
    path_of_uri,
    read_head,
)
from massprops.formats.plugins import is_mesh
from massprops.formats.table import MESHES
from massprops.formats.text import quote, shorten
from massprops.frames import GltfUp

_MARKS = ("package.xml", "model.config", ".git")
#: What stands beside the Python packages of a distribution that is installed, or of a project, and how many folders above at most.
_INSTALLED, _PROJECT, _DEEP = ("*.dist-info",), ("pyproject.toml", "setup.py", "*.egg-info"), 3
_CONVENTIONAL = {"urdf", "urdfs", "sdf", "mjcf", "xml", "xmls", "robot", "robots", "model", "models", "worlds"}
#: The name in `package.xml`, in its first bytes.
_NAME, _HEAD = re.compile(rb"<name>\s*([^<\s]+)\s*</name>"), 1 << 16
#: Names of packages.
_PACKAGE = re.compile(r"\w[\w.-]*")
#: Places where a file is not, in which one of a similar name is looked for.
_LOOKED_AT = 12
#: Characters of a URI that a message shows.
_SHOWN = 60


@dataclass(frozen=True)
class SearchPath:
    """Packages, folders and permissions by which the files that a file refers to are found; see the module.

    Attributes
    ----------
    folder : Path
        Folder of the file that refers to others; `beside` sets it.
    packages : mapping of str to str
        Folders by package.
    package_path : sequence of str
        Folders below which packages are looked for.
    allow_outside : bool
        Whether files outside the tree of the robot may be read.
    gltf_up : {"y", "z"}, optional
        The axis that is up in the glTF meshes of a robot; by default what its inertials and collision shapes say.
    of_stdin : bool
        Whether the file that refers to others is standard input, whose folder is a guess.
    """

    folder: Path = Path()
    packages: Mapping[str, str] = field(default_factory=dict)
    package_path: Sequence[str] = ()
    allow_outside: bool = False
    gltf_up: GltfUp | None = None
    of_stdin: bool = False

    def __post_init__(self) -> None:
        if self.gltf_up is not None:
            require_word(self.gltf_up, get_args(GltfUp), "gltf_up")

    def beside(self, path: str | Path) -> SearchPath:
        """Search path with these packages and permissions, for a file that refers to others."""
        return replace(self, folder=Path(path).parent, of_stdin=Path(path).name == "-")

    def mesh_file(self, uri: str, model: str = "") -> Path:
        """The mesh file that a URI means; `model` is what it states, where that may be ``name/rest`` of a model (SDFormat).

        Raises
        ------
        ReadError
            If there is none (``missing-file``), it is outside the tree (``outside-file``), or not of a mesh format.
        """
        uri, part = split_part(uri)
        path = self.resolve(uri, (self.folder,), split_part(model)[0])
        if not is_mesh(path.suffix.lower()):
            hint = f"known: {' '.join(MESHES)}"
            raise ReadError(f"{_short(uri)}: is not a mesh file", code="unknown-format", hint=hint)
        note_opened(marks_of(path))  # also where what was measured of it is remembered
        return Path(f"{path}#{part}") if part else path

    def resolve(self, uri: str, folders: Sequence[Path], model: str = "") -> Path:
        """The file or folder that a URI means, a relative one in the first of `folders` that has it, or as ``model://`` with `model`.

        Raises what `mesh_file` does.
        """
        elsewhere: list[Path] = []
        tried: list[Path] = []
        allowed: list[bool] = []
        for path, root, given in self._candidates(uri, folders, model):
            if not is_within_roots(path):
                elsewhere.append(path)
                continue
            allowed.append(self._allows(path, root, given))
            if allowed[-1]:
                if os.path.exists(path):  # noqa: PTH110  # pathlib's raises for a name that is too long
                    return path
                tried.append(path)
        if not allowed:
            check_within_roots(elsewhere[0] if elsewhere else self.folder)
        if not all(allowed):
            what = f"{_short(uri)}: is outside the robot's folder and packages, and is not read"
            raise ReadError(what, code="outside-file", hint=Remedy("{} reads it", "allow_outside=True"))
        like = (
            found for path in tried[:_LOOKED_AT] if (found := _similar(path)) and self._allows(found, self.tree, False)
        )
        raise self._missing(uri, model, next(like, None))

    def package(self, name: str) -> Path:
        """The folder of a package of ROS, as ``package://name``: the first with a `package.xml`, else the first.

        Raises what `resolve` does, and for what is no name of a package.
        """
        if not _PACKAGE.fullmatch(name):
            hint = "a name has letters, digits, '_', '-' and '.' alone"
            raise ReadError(f"{quote(name, _SHOWN)} is not the name of a package", code="missing-file", hint=hint)
        folders = (place[0] for place in self._in_packages(name, "") if self._allows(*place))
        marked = next((folder for folder in folders if (folder / _MARKS[0]).is_file()), None)
        return marked or self.resolve(f"package://{name}", ())

    def _candidates(self, uri: str, folders: Sequence[Path], model: str) -> Iterable[tuple[Path, Path, bool]]:
        """Places where a file may be, as `_in_packages` has them."""
        (scheme, mark, rest), own = uri.partition("://"), path_of_uri(uri)
        if mark and scheme.lower() in ("package", "model"):
            return self._in_packages(*rest.partition("/")[::2])
        if mark and own is None:
            raise ReadError(f"{_short(uri)}: files of {scheme[:20].lower()}:// are not fetched", code="missing-file")
        relative = uri.replace("\\", "/") if own is None else own
        found = ((folder / relative, self.tree, False) for folder in folders)
        if not model or own is not None:
            return found
        return chain(found, (c for c in self._models(model.replace("\\", "/")) if self._allows(*c)))

    def reading_meshes(self) -> AbstractContextManager[None]:
        """Read meshes of the robot, for as long as the context lasts, and the files that they refer to."""
        return allowing(outside=self.allow_outside or None, folders=(self.folder, *self._given_folders))

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Folders below which the robot's own files and those of its packages are."""
        return self.tree, *self._given_folders

    @property
    def _given_folders(self) -> tuple[Path, ...]:
        return *map(Path, self.packages.values()), *map(Path, self.package_path)

    def _missing(self, uri: str, model: str, like: Path | None) -> ReadError:
        """The error for a file that is not there; `like` is one whose name is the same but for its spelling."""
        if like is not None:
            there, by = quote(os.path.relpath(like, self.folder), _SHOWN), " and ".join(_differences(uri, like))
            similar = f"{there} is there, which differs by {by}"
            return ReadError(f"{_short(uri)}: no such file", code="missing-file", hint=similar)
        scheme, mark, rest = uri.partition("://")
        package = (rest if mark else model).partition("/")[0]
        if not package or (scheme.lower() == "file" if mark else "." in package):  # a file, or a folder beside it
            hint = Remedy("give the folder of the robot with {}", "base=FOLDER") if self.of_stdin else ""
            return ReadError(f"{_short(uri)}: no such file", code="missing-file", hint=hint)
        if package in self.packages:
            what = f"{_short(uri)}: no such file; {self.packages[package]} is its folder"
            return ReadError(what, code="missing-file")
        named = filter(os.path.isdir, self._folders_of(package))  # pathlib's raises for a name that is too long
        found = next((folder for folder in named if self._allows(folder, self.tree, False)), None)
        where = "; its package is not found"
        if found is not None:  # one outside the tree is not named
            where = f" in {quote(os.path.relpath(found, self.folder), _SHOWN)}"
        hint = Remedy("give its folder with {}", f"packages={_short(package)}=FOLDER")
        return ReadError(f"{_short(uri)}: no such file{where}", code="missing-file", hint=hint)

    def _allows(self, path: Path, root: Path, given: bool) -> bool:
        """Whether a file is below `root`; links are followed, but in what the user gave, where packages are installed as links."""
        if self.allow_outside:
            return True
        plain = Path(os.path.normpath(path.absolute()))
        if given:
            return plain.is_relative_to(os.path.normpath(root.absolute()))
        return is_below(path, (root, self.tree, *self._given_folders))

    def _in_packages(self, package: str, tail: str) -> Iterator[tuple[Path, Path, bool]]:
        """Places where a file of a package may be, the folder that it has to be in, and whether the user gave this folder."""
        if package in self.packages:
            yield Path(self.packages[package]) / tail, Path(self.packages[package]), True
            return  # nothing else is tried
        for root in map(Path, self.package_path):
            yield root / package / tail, root, True
            if root.name == package:
                yield root / tail, root, True
        yield from self._around(package, tail)
        for name in ("", "assets", "meshes"):
            yield self.folder / name / package / tail, self.tree, False
            if tail:
                yield self.folder / name / tail, self.tree, False

    def _folders_of(self, package: str) -> Iterator[Path]:
        """Folders that have the name of a package, in the package path and around the file."""
        around = self.folder.absolute()
        yield from (Path(root) / package for root in self.package_path)
        for folder in (around, *around.parents[:-1]):
            yield folder if folder.name == package else folder / package

    def _models(self, name: str) -> Iterator[tuple[Path, Path, bool]]:
        """Places where a model may be that is named without a scheme, or a file of it, as `_in_packages` has them."""
        package, _, tail = name.partition("/")
        if package in self.packages:
            yield Path(self.packages[package]) / tail, Path(self.packages[package]), True
        for root in map(Path, self.package_path):
            yield root / name, root, True
        around = self.folder.absolute()
        for folder in (around, *around.parents[:-1]):
            yield from ((path, self.tree, False) for path in (folder / name, folder / "models" / name))

    def _around(self, package: str, tail: str) -> Iterator[tuple[Path, Path, bool]]:
        """Places in the folders around the file, nearest first."""
        around = self.folder.absolute()
        for folder in (around, *around.parents[:-1]):
            found = [folder] if package in (folder.name, _stated_name(folder)) else []
            if not package.startswith("."):
                found += [folder / package, folder / "models" / package]
            # all folders have files of no package, and of one that is ".."
            for root in filter(self._may_be_package, found if package.strip(".") else []):
                yield root / tail, root, False
            # a bare file name would be found anywhere
            if len(PurePosixPath(tail).parts) > 1 and self._allows(folder / tail, self.tree, False):
                yield folder / tail, self.tree, False

    def _may_be_package(self, root: Path) -> bool:
        """Whether a folder with the name of a package is taken for it: not the home of the user or a folder above. A folder in one of
        these has to have a mark of a package, to hold the robot, or to be in its tree.
        """
        # as links lead to them, and without "..": else another way of naming the robot would open more
        home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111  # pathlib's raises where there is none
        above, tree = Path(os.path.realpath(root.parent)), Path(os.path.realpath(self.tree))
        place, tops = above / root.name, {home, *home.parents}
        if above not in tops or self.allow_outside:
            return place not in tops or self.allow_outside
        has_robot = place.is_relative_to(tree) or (above == home and tree.is_relative_to(place))
        return place not in tops and (has_robot or any((root / mark).exists() for mark in _MARKS))

    @cached_property
    def tree(self) -> Path:
        """The folder below which the robot's own files are."""
        folder = self.folder.absolute()
        marked = (f for f in (folder, *folder.parents) if any((f / mark).exists() for mark in _MARKS))
        known = _package_of(folder, _INSTALLED) or next(marked, None) or _package_of(folder, _PROJECT)
        return known or (folder.parent if folder.name.lower() in _CONVENTIONAL else folder)


def _stated_name(folder: Path) -> str:
    """The name of the package of ROS in a folder, which may be called otherwise; empty if there is none."""
    found = _NAME.search(read_head(str(folder / _MARKS[0]), _HEAD))
    return found[1].decode("utf-8", "replace") if found else ""


def _package_of(folder: Path, marks: Sequence[str]) -> Path | None:
    """The outermost Python package with this folder, if one of the marks stands beside it or its namespaces."""
    packages = [f for f in (folder, *folder.parents) if (f / "__init__.py").is_file()]
    marked = (f for f in packages[::-1] if any(any(above.glob(mark)) for above in f.parents[:_DEEP] for mark in marks))
    return next(marked, None)


def _differences(uri: str, path: Path) -> list[str]:
    """By what a URI differs from the path of a file of a similar name, in words."""
    plain, actual = unquote(uri).replace("\\", "/"), unquote(path.as_posix())
    pairs = zip(plain.split("/")[::-1], actual.split("/")[::-1], strict=False)
    differs = {
        "capital letters": any(a != b and a.casefold() == b.casefold() for a, b in pairs),
        "%20": (unquote(uri) != uri) != (actual != path.as_posix()),
        "backslashes": "\\" in uri,
    }
    return [what for what, is_so in differs.items() if is_so]


def _similar(path: Path) -> Path | None:
    """A file whose path differs by capital letters, percent signs or backslashes; None if there is none, or several."""
    first, *names = Path(os.path.normpath(path.absolute().as_posix().replace("\\", "/"))).parts
    found = Path(first)
    for name in names:
        if os.path.exists(found / name):  # noqa: PTH110  # pathlib's raises for a name that is too long
            found /= name
            continue
        with suppress(OSError):
            alike = [each for each in found.iterdir() if _spelled(each.name) == _spelled(name)]
            if len(alike) == 1:
                found = alike[0]
                continue
        return None
    return found


def _spelled(name: str) -> str:
    return unquote(name).casefold()


def _short(uri: str) -> str:
    return shorten(uri, _SHOWN)
