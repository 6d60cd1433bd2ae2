"""Checks of files from Python."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

from massprops.access import access, allowing
from massprops.checking.arguments import CheckSettings
from massprops.checking.baseline import Baseline
from massprops.checking.check_file import Checker, check_files
from massprops.checking.config import Config
from massprops.checking.discovery import expand
from massprops.checking.expected import ExpectedResults
from massprops.checking.report import Report
from massprops.checking.settings import Settings, parse
from massprops.comparison.comparison import RTOL
from massprops.declarations import check_kinds, public
from massprops.diagnosis.robot_links import LinkOptions
from massprops.errors import InvalidInput, require_count, require_type, written
from massprops.formats.kinds import named_kind
from massprops.formats.search_path import SearchPath
from massprops.frames import GltfUp
from massprops.materials import Material
from massprops.measurement.gltf_axes import require_robots
from massprops.measurement.sources import each, naming_results, raise_missing


@public(lambda: CheckSettings, Settings)
def check(
    *sources: Any,
    config: str | PathLike[str] | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    expect: str | PathLike[str] | None = None,
    rtol: float = RTOL,
    baseline: str | PathLike[str] | None = None,
    packages: Mapping[str, str] | None = None,
    allow_outside: bool = False,
    gltf_up: GltfUp | None = None,
    allow_unmatched: bool = False,
    jobs: int = 1,
    **settings: Unpack[CheckSettings],
) -> Report:
    """Check meshes, robots and results, as `massprops check` does.

    Parameters
    ----------
    sources : path, Measurement or object
        Files, ``file#link``, patterns, or folders of them; results, which are judged as they are; what `massprops.measure` takes; also
        lists and iterators of these.
    config : path, optional
        A configuration; without one there is none, whatever lies in the folder.
    include, exclude : sequence of str
        Patterns of the files that are taken from folders, and of those that are not.
    expect, rtol : path, float
        Recorded results to compare with, and the relative tolerance.
    baseline : path, optional
        Known findings: they count only if they get worse.
    packages : mapping, optional
        Folders of ``package://`` names.
    allow_outside, allow_unmatched : bool
        Whether robots and glTF files may read files outside their folder, and sections of the configuration may match no file.
    gltf_up : {"y", "z"}, optional
        The axis that is up in glTF meshes of robots; by default what inertials and collision shapes say, else y.
    jobs : int
        Processes.
    **settings
        Keys of the configuration with underscores, stronger than it: `units`, `density`, `max_mass`, `require`, `select`, `fail_on` …

    Returns
    -------
    Report
        Of each file and link its findings, or the error for which it could not be read: but for a missing file, those are not raised.

    Raises
    ------
    InvalidInput
        If no file is given, there is no such setting, a value breaks its rule, or a section of the configuration matches no file.
    ReadError
        If there is no such file, or the recorded results or the baseline cannot be read.
    """
    start = time.monotonic()
    given = each(sources)
    if not given:
        raise InvalidInput("no file given", argument="sources")
    for name, path in (("config", config), ("expect", expect), ("baseline", baseline)):
        require_type(path, str | PathLike | None, name, "the name of a file")
    share: object = rtol  # of a type of numpy, too
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 <= rtol <= 1:
        raise InvalidInput(f"must be a number from 0 to 1, got {written(rtol)}", argument="rtol")
    jobs = require_count(jobs, "jobs")
    chosen = Config() if config is None else Config.read(Path(config))
    search = SearchPath(packages=packages or {}, allow_outside=allow_outside, gltf_up=gltf_up)
    own = partial(tuple, chosen.materials) if chosen.materials else None
    with allowing(materials=own):
        parsed = {name: _parsed(name, value) for name, value in settings.items() if value is not None}
    links = LinkOptions(settings.get("geometry") or "auto", search)
    expected = None if expect is None else ExpectedResults.read(fspath(expect), rtol)
    known = None if baseline is None else Baseline.read(fspath(baseline))
    with naming_results(given) as names, allowing(outside=allow_outside or None, materials=own):
        found = expand(names, include, exclude, search=search)
        require_robots(found.names, search)
        if links.geometry != "auto" and found.names:
            check_kinds({"geometry": links.geometry}, {*map(named_kind, found.names)})
        checker = Checker(chosen, parsed, expected, alone=len(found.names) == 1, links=links).knowing(found.names)
        # what is in memory here is not in other processes
        jobs = 1 if access().objects else jobs
        checked = [c for outcomes in check_files(found.names, checker, jobs) for c in outcomes]
    for c in checked:
        raise_missing(c.subject.path, c.error)
    checked += checker.skipped(found.skipped)
    unmatched = None if allow_unmatched else chosen.unmatched(checked)
    if unmatched is not None:
        raise unmatched
    if known is not None:
        checked = list(map(known.separate_known, checked))
    return Report(tuple(checked), time.monotonic() - start)


def _parsed(name: str, value: Any) -> Any:
    """A setting as the configuration has it; lists of words may be any sequence."""
    if isinstance(value, Material):
        return value
    try:
        return parse(name.replace("_", "-"), list(value) if isinstance(value, tuple) else value)
    except InvalidInput as error:
        raise error.at(name) from None
