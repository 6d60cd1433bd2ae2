"""Bodies from files: the dialect is told by the content, the link by what follows ``#``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO

import numpy as np

from massprops.errors import InvalidInput, MissingExtra, ReadError, UnknownFormat
from massprops.formats.files import read_bytes
from massprops.formats.inertial.inertial import Contents, NamedBody
from massprops.formats.link_names import named_link, some
from massprops.formats.registry import FORMATS
from massprops.formats.text import decode
from massprops.formats.xml import Node

USD_SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")


@dataclass(frozen=True)
class Address:
    """A file and, after ``#``, the link in it; no link is all of them."""

    path: str
    link: str | None = None

    @classmethod
    def parse(cls, text: str) -> Address:
        """``robot.urdf#forearm``; a file that has a # in its name is taken at its word if it exists."""
        path, mark, link = text.rpartition("#")
        if not mark or Path(text).exists():
            return cls(text)
        if not link or not path:
            raise InvalidInput(f"{text!r} names no {'link after' if path else 'file before'} the #")
        return cls(path, link)


def open_bodies(text: str, *, stdin: BinaryIO | None = None) -> Contents:
    """The bodies that ``file`` or ``file#link`` names.

    Parameters
    ----------
    text : str
        URDF, SDF, MJCF, USD, JSON results, CSV tables or ten-vectors; ``-`` is standard input.
    stdin : BinaryIO, optional
        What ``-`` reads.

    Raises
    ------
    ReadError
        If the file cannot be read, holds no body, or the link is not there, has no inertial, or is one of several of its name.
    MissingExtra
        If a package that reads the format is not installed.
    """
    address = Address.parse(text)
    contents = read_contents(address.path, stdin)
    if address.link is not None:
        return Contents([select(contents, address.link, address.path)], (), contents.remarks)
    if not contents.bodies:
        without = f"; {len(contents.without)} without one: {some(contents.without)}" if contents.without else ""
        raise ReadError(f"{address.path}: states no inertial{without}", code="no-inertial")
    return contents


def select(contents: Contents, link: str, path: str) -> NamedBody:
    """The body of this name; the last part of a nested name will do where it is the only one.

    Raises
    ------
    ReadError
        If there is none, or several.
    """
    if link in contents.without and not any(b.name == link for b in contents.bodies):
        raise ReadError(f"{path}: link {link!r} states no inertial", code="no-inertial")
    return named_link(contents.bodies, link, path)


def read_contents(path: str, stdin: BinaryIO | None = None) -> Contents:
    """All that a file holds, also one that states no inertial; raises what `open_bodies` does."""
    suffix = PurePath(path).suffix.lower()
    if suffix in FORMATS:
        raise UnknownFormat(
            f"{path}: is a mesh, and a body with a mass is wanted",
            hint="measure it first, 'massprops compute … --density … --format json', or name it in an assembly",
        )
    if suffix == ".toml":
        raise UnknownFormat(f"{path}: is an assembly", hint="use 'massprops combine'")
    data = read_bytes(path, stdin)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is not finite, and refused as such
            return _by_content(data, path, suffix)
    except MissingExtra:
        raise
    except InvalidInput as error:
        raise ReadError(f"{path}: {error.message}", code="bad-inertial", hint=error.hint) from error


def _by_content(data: bytes, path: str, suffix: str) -> Contents:
    if suffix in USD_SUFFIXES or data.startswith((b"#usda", b"PXR-USDC")):
        return _usd(path)
    text = decode(data)
    head = text.lstrip()[:64]
    if head.startswith("<"):
        return _xml(data, path)
    if head.startswith(("{", "[")):
        from massprops.formats.inertial.json_results import read as read_results

        return read_results(text, path)
    if head.startswith("# ten-vector"):
        from massprops.formats.inertial.ten_vector_text import read as read_vectors

        return read_vectors(text, path)
    if suffix == ".csv" or head.startswith("name,"):
        from massprops.formats.inertial.csv_markdown import read_csv

        return read_csv(text, path)
    raise UnknownFormat(
        f"{path}: is no dialect that is known", hint="known: URDF, SDF, MJCF, USD, massprops JSON, CSV, ten-vectors"
    )


def _usd(path: str) -> Contents:
    if path == "-":
        raise InvalidInput(
            "a USD stage refers to other files and is not read from standard input", hint="name its file"
        )
    from massprops.formats.inertial.usd import read_file

    return read_file(path)


def _xml(data: bytes, path: str) -> Contents:
    from massprops.formats import xml as markup
    from massprops.formats.inertial import mjcf, sdf, urdf

    root = markup.parse(data, path)
    if root.tag in ("inertial", "link"):
        return {"mjcf": mjcf.read, "sdf": sdf.read, "urdf": urdf.read}[_fragment(root)](root)
    if root.tag == "robot":
        return urdf.read(root)
    if root.tag in ("sdf", "gazebo", "model"):
        return sdf.read(root)
    if root.tag in ("mujoco", "mujocoinclude", "body"):
        return mjcf.read(root)
    raise UnknownFormat(
        f"{root.place}: <{root.tag}> begins no robot file that is known",
        hint="known: <robot> (URDF), <sdf>, <mujoco>; a xacro file is expanded to URDF first",
    )


def _fragment(root: Node) -> str:
    """Whose `<inertial>` it is: MJCF has its numbers in attributes, SDF in texts, URDF in attributes of children."""
    inertial = root if root.tag == "inertial" else root.one("inertial")
    if inertial is None:
        return "urdf"
    if "mass" in inertial.attributes or "pos" in inertial.attributes:
        return "mjcf"
    mass, inertia = inertial.one("mass"), inertial.one("inertia")
    states_values = (mass is not None and "value" in mass.attributes) or (inertia is not None and inertia.attributes)
    return "urdf" if states_values or inertial.one("origin") is not None else "sdf"
