"""Expansion of xacro: by the package `xacro`, where it can be imported; which files of a folder are expanded, and which are not.

The package evaluates expressions and reads whatever files the text names, so nothing is expanded where files may be read below some folders
alone. Lines of what is expanded are those of the text that ``xacro FILE`` prints. ``$(find NAME)`` is looked for as ``package://NAME`` is,
then as the package does it, in what ROS has installed; files below it are those of ``package://NAME`` in what is expanded.

Tests: `tests/formats/robot/test_expansion.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from threading import Lock
from typing import BinaryIO

from massprops.access import access
from massprops.errors import MasspropsError, ReadError, result_or_error
from massprops.formats.files import read_bytes
from massprops.formats.search_path import SearchPath
from massprops.formats.text import EXPAND, shorten
from massprops.formats.xml import Node
from massprops.wording import plural

XACRO = ".xacro"
_INCLUDED = re.compile(rb"""<xacro:include\b[^>]*\bfilename\s*=\s*["']([^"']*)""")
#: Characters of the reason of the package that a message shows.
_SHOWN = 200
#: The package keeps what it expands in variables of its modules.
_ALONE = Lock()
_CANNOT, _COMMAND = "xacro cannot expand it: ", "'xacro FILE NAME:=VALUE > robot.urdf' expands one"


def is_xacro(path: str) -> bool:
    """Whether a file is to be expanded, by its suffix."""
    return PurePath(path).suffix.lower() == XACRO


def robot_bytes(path: str, stdin: BinaryIO | None = None, search: SearchPath | None = None) -> bytes:
    """The bytes of a robot file, of xacro as the package `xacro` expands it, if it is there, with the packages of `search`.

    Raises
    ------
    ReadError
        If the file cannot be read, or cannot be expanded (``bad-xacro``).
    """
    data = read_bytes(path, stdin)
    expand = _expander() if is_xacro(path) else None
    return data if expand is None else expand(path, search)


def expandable(paths: Sequence[str], search: SearchPath | None = None) -> tuple[list[str], str]:
    """Xacro files that expand to robots by themselves, and what to say of those that are not expanded; empty if there are none.

    Files of macros alone, and those that others include, are no robots.
    """
    expand = _expander() if paths else None
    if expand is None:
        what = f"{plural(len(paths), 'xacro file is', 'xacro files are')} not expanded: {', '.join(paths)}"
        return [], f"{what}; {_COMMAND}, as does massprops with the package xacro" if paths else ""
    found, failed = [], []
    included = {PurePath(name.decode("utf-8", "replace")).name for path in paths for name in _includes(path)}
    for path in (path for path in paths if PurePath(path).name not in included):
        data = result_or_error(expand, path, search)
        if isinstance(data, MasspropsError):
            failed.append(f"{path} ({data.text.removeprefix(_CANNOT)})")
        elif b"<link" in data or b"<model" in data or b"<body" in data:
            found.append(path)
    what = f"{plural(len(failed), 'xacro file cannot', 'xacro files cannot')} be expanded: {', '.join(failed)}"
    return found, f"{what}; {_COMMAND}" if failed else ""


def unexpanded_elements(root: Node) -> Iterator[tuple[str, ReadError]]:
    """Places and errors of the elements of xacro in a `<robot>`, each of which may stand for any number of links."""
    for node in root.children:
        if node.tag.startswith("xacro:") and node.tag not in ("xacro:arg", "xacro:property"):
            what = f"{node.place}: <{node.tag[:40]}> is not expanded, so what it stands for is not read"
            yield node.place, ReadError(what, code="unread-include", hint=EXPAND)


def _includes(path: str) -> list[bytes]:
    data = result_or_error(read_bytes, path)
    return [] if isinstance(data, MasspropsError) else _INCLUDED.findall(data)


def _expander() -> Callable[[str, SearchPath | None], bytes] | None:
    """Function that expands a file; None where the package is not installed, or may not read what it wants."""
    if access().roots is not None:
        return None
    from xml.sax.saxutils import escape  # loads a client of HTTP: 20 ms of start-up

    try:
        from xacro import process_file
    except ImportError:
        return None

    def expand(path: str, search: SearchPath | None) -> bytes:
        missing: list[ReadError] = []
        found: dict[str, str] = {}
        try:
            with _ALONE, _finding((search or SearchPath()).beside(path), found, missing):
                text: str = process_file(path).toprettyxml(indent="  ")
        except Exception as error:  # of any kind: the package evaluates expressions of the file
            reason = shorten(" ".join(str(error).split()) or type(error).__name__, _SHOWN)
            reason, hint = (missing[0].text, missing[0].remedy) if missing else (reason, _COMMAND)
            raise ReadError(f"{_CANNOT}{reason}", place=path, code="bad-xacro", hint=hint) from error
        for name, folder in found.items():
            text = re.sub(rf'(?<=["\s>])(?:file:(?://)?)?{re.escape(escape(folder))}/', f"package://{name}/", text)
        return text.encode()

    return expand


@contextmanager
def _finding(search: SearchPath, found: dict[str, str], missing: list[ReadError]) -> Iterator[None]:
    """Let ``$(find NAME)`` be what `search` has for ``package://NAME``, else what the package finds; which were `found`, and the errors."""
    try:
        from xacro import substitution_args
    except ImportError:  # of another version
        yield
        return
    original = substitution_args._eval_find

    def find(name: str) -> str:
        try:
            found[name] = str(search.package(name).absolute())
            return found[name]
        except ReadError as error:
            try:
                return str(original(name))
            except Exception:
                what = f"$(find {shorten(name, _SHOWN)}): the package is not found"
                missing.append(ReadError(what, hint=error.remedy))
                raise

    substitution_args._eval_find = substitution_args._eval_dict["find"] = find
    try:
        yield
    finally:
        substitution_args._eval_find = substitution_args._eval_dict["find"] = original
