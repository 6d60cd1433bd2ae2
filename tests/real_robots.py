"""The robots of the corpus, whose meshes overlap: measuring them takes seconds, and tests of several modules do it once a process."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from places import CORPUS

from massprops.diagnosis.robot_links import ComparedLink, LinkOptions, link_findings, measured_links
from massprops.measurement import links, pipeline

ROBOTS = CORPUS / "robots"
needs_robots = pytest.mark.skipif(
    not ROBOTS.is_dir(), reason=f"no corpus of robots at {CORPUS}; MASSPROPS_CORPUS names its folder"
)


def known_links() -> list[dict[str, Any]]:
    """What another library measured of links, with marks of what is wrong with them."""
    path = ROBOTS / "links_measured.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


_measured = functools.cache(pipeline.measure)


def _remembering(source: object, **options: Any) -> Any:
    return (_measured if isinstance(source, Path) else pipeline.measure)(source, **options)


@contextmanager
def files_measured_once() -> Iterator[None]:
    """Measurements of files are remembered, by path and options; arrays and refusals are not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "measure", _remembering)
        yield


@functools.cache
def links_of(robot: str) -> list[ComparedLink]:
    """The links of a robot of the corpus, measured."""
    with files_measured_once():
        return measured_links(ROBOTS / robot, LinkOptions())


@functools.cache
def findings_of_links(robot: str) -> list[ComparedLink]:
    """The links of a robot of the corpus, compared with their geometry."""
    with files_measured_once():
        return list(link_findings(ROBOTS / robot, None, LinkOptions()))
