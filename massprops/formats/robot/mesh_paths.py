"""Where the mesh files of a robot are.

``package://name/rest`` and ``model://name/rest`` are looked for in this order: the folder given for the name; ``name`` below the
folders of the package path, and these folders themselves if they are called so; then the folders around the robot file, nearest
first: one that is called ``name``, one that holds ``name/rest``, and, since checkouts are renamed, one that holds ``rest``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from massprops.errors import ReadError


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
    """

    folder: Path
    packages: Mapping[str, str] = field(default_factory=dict)
    package_path: Sequence[str] = ()

    def find(self, uri: str) -> Path:
        """The file that a URI means.

        Raises
        ------
        ReadError
            If there is none, code ``missing-file``.
        """
        scheme, mark, rest = uri.partition("://")
        if not mark:
            return _existing(self.folder / uri.replace("\\", "/"), uri)
        if scheme == "file":
            return _existing(Path(unquote(rest)), uri)
        if scheme not in ("package", "model"):
            raise ReadError(f"{uri}: files of {scheme}:// are not fetched", code="missing-file")
        package, _, tail = rest.partition("/")
        return self._in_package(package, tail, uri)

    def _in_package(self, package: str, tail: str, uri: str) -> Path:
        for candidate in self._candidates(package, tail):
            if candidate.is_file():
                return candidate
        given = f"{self.packages[package]} is its folder" if package in self.packages else "its package is not found"
        hint = "" if package in self.packages else f"say where it is with --package {package}=FOLDER"
        raise ReadError(f"{uri}: no such file; {given}", code="missing-file", hint=hint)

    def _candidates(self, package: str, tail: str) -> Iterator[Path]:
        if package in self.packages:
            yield Path(self.packages[package]) / tail
            return  # the user's word: nothing else is tried
        for root in map(Path, self.package_path):
            yield root / package / tail
            if root.name == package:
                yield root / tail
        around = self.folder.absolute()
        for folder in (around, *around.parents):
            if folder.name == package:
                yield folder / tail
            yield folder / package / tail
            if len(PurePosixPath(tail).parts) > 1:  # a bare file name would be found anywhere
                yield folder / tail


def _existing(path: Path, uri: str) -> Path:
    if not path.is_file():
        raise ReadError(f"{uri}: no such file", code="missing-file")
    return path
