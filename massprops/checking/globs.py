"""Patterns of file names as people write them for tools: `*.stl`, `parts/**/*.stl`, `robot.urdf#left_*`."""

from __future__ import annotations

import functools
import re

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)
_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(pattern: str, path: str, place: str | None = None) -> bool:
    """Whether a pattern means a file, or a link in it.

    A pattern without a slash means the file's name in any folder; one with a slash the whole path; ``*`` stays within a folder and
    ``**`` does not. What follows a ``#`` means links; a pattern without one means all of the file.

    Examples
    --------
    >>> matches("*.stl", "parts/left/arm.stl"), matches("parts/*.stl", "parts/left/arm.stl")
    (True, False)
    >>> matches("parts/**/*.stl", "parts/arm.stl"), matches("robot.urdf#left_*", "robot.urdf", "left_arm")
    (True, True)
    """
    files, mark, links = pattern.partition("#")
    name = path if "/" in files else path.rpartition("/")[2]
    if _regex(files.removeprefix("./")).fullmatch(name) is None:
        return False
    return not mark or (place is not None and _regex(links).fullmatch(place) is not None)


@functools.cache
def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(map(_translated, _TOKEN.findall(pattern))), re.DOTALL)


def _translated(token: str) -> str:
    if len(token) > 1 and token.startswith("["):
        return token.replace("[!", "[^", 1).replace("\\", "\\\\")
    return _MEANING.get(token) or re.escape(token)
