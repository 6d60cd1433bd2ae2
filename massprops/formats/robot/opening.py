"""Robot files by their root element: the links with all that is stated about them, or their bodies alone.

Tests: `tests/formats/robot/test_links.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import PurePath
from typing import BinaryIO

from massprops.errors import InvalidInput, ReadError, UnknownFormat
from massprops.formats.inertial.inertial import FileBodies, NamedBody
from massprops.formats.recognition import BY_SUFFIX, content_type
from massprops.formats.robot import gltf, mjcf_model, sdf, urdf, usd
from massprops.formats.robot.expansion import robot_bytes
from massprops.formats.robot.includes import MjcfFile, with_sdf_includes
from massprops.formats.robot.links import MOST_GEOMETRIES, Link
from massprops.formats.search_path import SearchPath
from massprops.formats.text import decode, quote
from massprops.formats.xml import Node, parse

#: Links of a robot with all its includes.
MOST_LINKS = 2_000
#: Bytes in which XML begins, if it is.
_HEAD = 256
#: Dialect by the tag of the root element.
DIALECT_OF_ROOT = {
    "robot": "urdf",
    **dict.fromkeys(("sdf", "gazebo", "model"), "sdf"),
    **dict.fromkeys(("mujoco", "mujocoinclude", "body"), "mjcf"),
}


def read_robot(path: str, stdin: BinaryIO | None = None, search: SearchPath | None = None) -> list[Link]:
    """The links of a URDF, SDF, MJCF or xacro file and of the files that it includes, or the bodies of a glTF file, in their order.

    Parameters
    ----------
    path : str
        ``-`` is standard input.
    stdin : BinaryIO, optional
        What ``-`` reads.
    search : SearchPath, optional
        Where included files are looked for; by default around the robot file.

    Raises
    ------
    ReadError
        If the file cannot be read, is not well-formed, or has an unknown root element. What is wrong with one link or one
        `<include>` is in the `error` of a `Link`.
    """
    return links_of(robot_bytes(path, stdin, search), path, search)


def is_robot(data: bytes, path: str) -> bool:
    """Whether bytes are those of a robot: XML, glTF, or a stage of USD."""
    return usd.is_usd(path) or gltf.is_gltf(data) or decode(data[:_HEAD]).lstrip().startswith("<")


def links_of(data: bytes, path: str, search: SearchPath | None = None) -> list[Link]:
    """The links of a document of these bytes; raises what `read_robot` does."""
    if gltf.is_gltf(data):
        if PurePath(path).name == "-":
            raise InvalidInput("glTF names its own meshes, and is not read from stdin", hint="name its file")
        return _bounded(gltf.links(data, path))
    if usd.is_usd(path):
        return _bounded(usd.read_stage(path, search).links())
    try:
        root = parse(data, path)
    except ReadError as error:
        is_xml = data[:64].translate(None, b"\0 \t\r\n\xef\xbb\xbf\xfe\xff").startswith(b"<")
        known = BY_SUFFIX.get(PurePath(path).suffix.lower()) or content_type(data, len(data))
        kind = None if is_xml or error.code != "bad-xml" else known
        if kind is None:
            raise
        what = f"{path}: not a URDF, SDF or MJCF file: the content looks like {kind.name}"
        raise UnknownFormat(what, hint="name a robot description") from error
    return _bounded(_links(root, path, (search or SearchPath()).beside(path)))


def nothing_checked(path: str) -> ReadError:
    """The error of a file in which there is nothing to judge or fill."""
    what = f"{path}: holds no link, body or result"
    part = " Of a part of a MJCF model, check the file that includes it" if path.lower().endswith(".xml") else ""
    return ReadError(what, code="nothing-checked", hint=f"is it the right file?{part}")


def _bounded(found: Iterable[Link]) -> list[Link]:
    """All links; ReadError as soon as they, or their geometries, are too many."""
    links: list[Link] = []
    geometries = 0
    for link in found:
        links.append(link)
        geometries += len(link.visual) + len(link.collision)
        for count, most, what in ((len(links), MOST_LINKS, "links"), (geometries, MOST_GEOMETRIES, "geometries")):
            if count > most:
                message = f"{link.place}: the robot has more than {most:,} {what}"
                raise ReadError(message, code="too-large", hint="use meshes, or split it into several robot files")
    return links


def _links(root: Node, path: str, search: SearchPath) -> Iterator[Link]:
    dialect = _dialect_of(root) if root.tag in ("inertial", "link") else DIALECT_OF_ROOT.get(root.tag)
    failed: list[tuple[str, ReadError]] = []
    if dialect == "mjcf":
        file = MjcfFile.of(root, path, search)
        failed = file.failed
        reread = cache(lambda name: _bounded(mjcf_model.links(file, mjcf_model.READINGS[name])))
        links = enumerate(mjcf_model.links(file))
        yield from (replace(link, reread=partial(lambda k, name: reread(name)[k], k)) for k, link in links)
    elif root.tag == "inertial":
        yield Link(None, root.place, urdf.body_of(None, root) if dialect == "urdf" else sdf.body_of(None, root, ""))
    elif dialect == "urdf":
        yield from urdf.links(root)
    elif dialect == "sdf":
        failed = with_sdf_includes(root, path, search)
        yield from sdf.links(root)
    else:
        what = f"{root.place}: not a URDF, SDF or MJCF file: the root element is <{quote(root.tag)[1:-1]}>"
        raise UnknownFormat(what, hint="expand a xacro file first: xacro FILE > robot.urdf")
    for place, error in failed:
        yield Link(None, place, error=error)


def _dialect_of(root: Node) -> str:
    """Dialect of an `<inertial>` or `<link>`: MJCF has its numbers in attributes, SDF in texts, URDF in attributes of children."""
    inertial = root if root.tag == "inertial" else root.one("inertial")
    if inertial is None:
        return "urdf"
    if "mass" in inertial.attributes or "pos" in inertial.attributes:
        return "mjcf"
    mass, inertia = inertial.one("mass"), inertial.one("inertia")
    states_values = (mass is not None and "value" in mass.attributes) or (inertia is not None and inertia.attributes)
    return "urdf" if states_values or inertial.one("origin") is not None else "sdf"


#: Adds to links the inertials that they do not state.
Completing = Callable[[list[Link]], Sequence[Link]]


def contents_of(data: bytes, path: str, search: SearchPath | None = None, complete: Completing = list) -> FileBodies:
    """The bodies of a document, without their geometry; raises what `read_robot` does.

    Where no geom counts, MuJoCo infers nothing, and the link states no inertial.
    """
    stated = links_of(data, path, search)
    links = complete(stated)
    known = [(x, _known(own, x)) for own, x in zip(stated, links, strict=True)]
    bodies = [body for _, body in known if body is not None]
    computed = tuple(body for own, (x, body) in zip(stated, known, strict=True) if body and x.body and not own.body)
    without = tuple(link.name or "?" for link, body in known if not (body or link.error))
    massless = [(x.name, x.body) for x, body in known if body is None and x.body is not None]
    raised = (f"{name}: {finding.message}" for name, body in massless for finding in body.findings)
    remarks = (*(finding.message for link in links for finding in link.findings), *raised)
    failed = tuple((x.name, x.error) for x in links if x.error is not None)
    return FileBodies(bodies, without, remarks, failed, computed)


def _known(stated: Link, link: Link) -> NamedBody | None:
    """The body of a link, computed with what there is to say of a link that states none."""
    body = link.body
    if body is None or (body.inferred and not body.properties.mass):
        return link.default
    return body if stated.body is not None else replace(body, findings=(*body.findings, *link.findings))


def read_text(text: str, path: str) -> FileBodies:
    """The bodies of URDF, SDF or MJCF text."""
    return contents_of(text.encode(), path)
