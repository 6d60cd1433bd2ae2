"""Search for the files that a file refers to, such as the meshes of a robot, and permission to read them.

``package://name/rest`` and ``model://name/rest`` are looked for in this order: the folder given for the name; ``name`` below the
folders of the package path, and these folders themselves if they are called so; then the folders around the robot file, nearest
first: one that is called ``name``, one that holds ``name/rest``, and, since checkouts are renamed, ``rest`` in the tree; last,
since exporters write the file without a package, ``name/rest`` beside the robot file and in ``assets`` and ``meshes`` there.

A robot file may come from anybody, so files are read only below its tree, the packages given, and packages around it that have
the name asked for. The tree is the nearest folder that is marked as a package or checkout, else that of the robot file, or the
one around it where it has a conventional name (``urdf``, ``mjcf`` …).

A mesh file that refers to others, such as the buffers of glTF, may come from anybody too: they are read in its own folder and below, and
for a robot in the folder of the robot file and the packages.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from massprops.access import allowing
from massprops.errors import ReadError, Remedy
from massprops.formats.address import split_part
from massprops.formats.files import check_within_roots, is_below, is_within_roots, marks_of, note_opened
from massprops.formats.plugins import is_mesh
from massprops.formats.table import MESHES
from massprops.formats.text import shorten

_MARKS = ("package.xml", "model.config", ".git")
_CONVENTIONAL = {"urdf", "urdfs", "sdf", "mjcf", "xml", "xmls", "robot", "robots", "model", "models", "worlds"}
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
    of_stdin : bool
        Whether the file that refers to others is standard input, whose folder is a guess.
    """

    folder: Path = Path()
    packages: Mapping[str, str] = field(default_factory=dict)
    package_path: Sequence[str] = ()
    allow_outside: bool = False
    of_stdin: bool = False

    def beside(self, path: str | Path) -> SearchPath:
        """Search path with these packages and permissions, for a file that refers to others."""
        return replace(self, folder=Path(path).parent, of_stdin=Path(path).name == "-")

    def mesh_file(self, uri: str) -> Path:
        """The mesh file that a URI means.

        Raises
        ------
        ReadError
            If there is none (``missing-file``), it is outside the tree (``outside-file``), or not of a mesh format.
        """
        uri, part = split_part(uri)
        path = self.resolve(uri, (self.folder,))
        if not is_mesh(path.suffix.lower()):
            hint = f"known: {' '.join(MESHES)}"
            raise ReadError(f"{_short(uri)}: is not a mesh file", code="unknown-format", hint=hint)
        note_opened(marks_of(path))  # also where what was measured of it is remembered
        return Path(f"{path}#{part}") if part else path

    def resolve(self, uri: str, folders: Sequence[Path]) -> Path:
        """The file or folder that a URI means, a relative one in the first of `folders` that has it; raises what `mesh_file` does."""
        scheme, mark, rest = uri.partition("://")
        scheme = scheme.lower()
        candidates: Iterable[tuple[Path, Path, bool]]
        if not mark or scheme == "file":
            relative = unquote(rest) if mark else uri.replace("\\", "/")
            candidates = ((folder / relative, self.tree, False) for folder in folders)
        elif scheme in ("package", "model"):
            candidates = self._in_packages(*rest.partition("/")[::2])
        else:
            raise ReadError(f"{_short(uri)}: files of {scheme[:20]}:// are not fetched", code="missing-file")
        elsewhere: list[Path] = []
        allowed: list[bool] = []
        for path, root, given in candidates:
            if not is_within_roots(path):
                elsewhere.append(path)
                continue
            allowed.append(self._allows(path, root, given))
            if allowed[-1] and os.path.exists(path):  # noqa: PTH110  # pathlib's raises for a name that is too long
                return path
        if not allowed:
            check_within_roots(elsewhere[0] if elsewhere else self.folder)
        if not all(allowed):
            what = f"{_short(uri)}: is outside the robot's folder and packages, and is not read"
            raise ReadError(what, code="outside-file", hint=Remedy("{} reads it", "allow_outside=True"))
        raise self._missing(uri, scheme if mark else "", rest.partition("/")[0])

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

    def _missing(self, uri: str, scheme: str, package: str) -> ReadError:
        if scheme not in ("package", "model"):
            hint = Remedy("give the folder of the robot with {}", "base=FOLDER") if self.of_stdin else ""
            return ReadError(f"{_short(uri)}: no such file", code="missing-file", hint=hint)
        if package in self.packages:
            what = f"{_short(uri)}: no such file; {self.packages[package]} is its folder"
            return ReadError(what, code="missing-file")
        hint = Remedy("give its folder with {}", f"packages={_short(package)}=FOLDER")
        return ReadError(f"{_short(uri)}: no such file; its package is not found", code="missing-file", hint=hint)

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

    def _around(self, package: str, tail: str) -> Iterator[tuple[Path, Path, bool]]:
        """Places in the folders around the file, nearest first."""
        around = self.folder.absolute()
        for folder in (around, *around.parents[:-1]):
            if folder.name == package:
                yield folder / tail, folder, False
            if not package.startswith("."):
                yield folder / package / tail, folder / package, False
            # a bare file name would be found anywhere
            if len(PurePosixPath(tail).parts) > 1 and self._allows(folder / tail, self.tree, False):
                yield folder / tail, self.tree, False

    @cached_property
    def tree(self) -> Path:
        """The folder below which the robot's own files are."""
        folder = self.folder.absolute()
        marked = (f for f in (folder, *folder.parents) if any((f / mark).exists() for mark in _MARKS))
        return next(marked, folder.parent if folder.name.lower() in _CONVENTIONAL else folder)


def _short(uri: str) -> str:
    return shorten(uri, _SHOWN)
