"""Sources of a call of the library: files, results, and objects of other libraries, which have a name for as long as the call lasts.

By that name they are opened, measured, drawn and checked as a file is, so that Python and the command line take one way.

Tests: `tests/test_python_calls.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from massprops.access import allowing
from massprops.declarations import check_applicable
from massprops.errors import InvalidInput, MasspropsError, ReadError
from massprops.formats.kinds import named_kind
from massprops.formats.mesh.arrays import from_object as mesh_of
from massprops.formats.mesh.arrays import is_mesh_object
from massprops.formats.section.arrays import from_object as section_of
from massprops.measurement.links import ALONE
from massprops.measurement.options import Options, check_names
from massprops.measurement.pipeline import are_paths, is_section, measure_with
from massprops.measurement.result import Measurement


class NamedSource(NamedTuple):
    """The name of a source, which opens it during the call, how it is measured, and the result where there is one."""

    name: str
    options: Options
    known: Measurement | None = None


def each(given: Iterable[Any]) -> list[Any]:
    """Sources one by one: those of lists, iterators and columns of a table, too."""
    found: list[Any] = []
    for item in given:
        inner = _items(item)
        found += [item] if inner is None else each(inner)
    return found


def _items(item: Any) -> Iterable[Any] | None:
    """The sources that a list, iterator or column holds; None of a source, also of one that is an array."""
    if _is_source(item) or isinstance(item, Mapping) or not isinstance(item, Iterable):
        return None
    if isinstance(item, Iterator):
        return item
    is_column = hasattr(item, "dtype") and getattr(item, "ndim", True)
    held = list(item) if isinstance(item, list | tuple | set | frozenset) or is_column else []
    return held if all(map(_is_source, held)) and (held or isinstance(item, list)) else None


def _is_source(item: Any) -> bool:
    return isinstance(item, str | os.PathLike | Measurement) or is_mesh_object(item) or hasattr(item, "exterior")


@contextmanager
def naming(sources: Iterable[Any], options: Mapping[str, Any]) -> Iterator[list[NamedSource]]:
    """The sources by names that open them for as long as the context lasts; a result is opened as what was measured.

    Raises
    ------
    InvalidInput
        If there is no such option, a source is none, or options are given for a result, which has its own.
    ReadError
        If there is no such file, or that of a result has changed.
    """
    check_names(options)
    objects: dict[str, tuple[str, Any]] = {}
    with ExitStack() as stack:
        found = [_named(source, options, objects, stack) for source in sources]
        stack.enter_context(allowing(objects=objects))
        yield found


def check_measured(options: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raise InvalidInput for options of measuring where every source states what it weighs."""
    given = {name: value for name, value in options.items() if value is not None and name != "hash"}
    kinds = {named_kind(name) for name in names} if given and "format" not in given else {"mesh"}
    if kinds.isdisjoint(("mesh", "section", "stdin")):
        check_applicable(given, kind=min(kinds), more=f"{' '.join(given)} of mesh section")


@contextmanager
def naming_results(sources: Iterable[Any]) -> Iterator[list[str]]:
    """Names that open the sources for as long as the context lasts; a result is judged as it is, not measured again."""
    objects: dict[str, tuple[str, Any]] = {}
    names = [
        _new(objects, source.input.path, "results", source.to_dict())
        if isinstance(source, Measurement)
        else _name_of(source, objects)
        for source in sources
    ]
    with allowing(objects=objects):
        yield names


def _named(
    source: Any, options: Mapping[str, Any], objects: dict[str, tuple[str, Any]], stack: ExitStack
) -> NamedSource:
    if not isinstance(source, Measurement):
        return NamedSource(_name_of(source, objects), Options(**options))
    path = source.input.path
    if others := [name for name, value in options.items() if value is not None and name != "hash"]:
        what = f"{others[0]} is an option of measuring, and {path} is measured already"
        raise InvalidInput(what, hint=f"pass {others[0]} to massprops.measure")
    made = vars(source).get("_made")  # that `measure` puts there
    if made is None:
        what = "a measurement that was stored or sent does not know its source"
        raise InvalidInput(what, place=path, hint="measure it again")
    original, chosen, limits, written = made
    if are_paths(original) or (isinstance(original, str) and original == "-"):
        raise InvalidInput("a measurement of several files, or of standard input", place=path, hint="name one file")
    stack.enter_context(limits())
    if not _is_as_written(original, written) and measure_with(chosen, original) != source:
        raise ReadError(f"{path}: it has changed since it was measured", code="changed-file", hint="measure it again")
    return NamedSource(_name_of(original, objects), replace(chosen, **options), source)


def _is_as_written(source: Any, written: os.stat_result | None) -> bool:
    """Whether a source is a file that refers to no others, and that was not written since."""
    if written is None or Path(source).suffix.lower() not in ALONE or not Path(source).is_file():
        return False
    now = Path(source).stat()
    return all(getattr(now, name) == getattr(written, name) for name in ("st_dev", "st_ino", "st_size", "st_mtime_ns"))


def _name_of(source: Any, objects: dict[str, tuple[str, Any]]) -> str:
    """The name of a file, which is there, or a new one for an object."""
    if isinstance(source, str | os.PathLike):
        return os.fsdecode(source)
    if are_paths(source):
        what = f"one source is expected, got a list of {len(source)}"
        raise InvalidInput(what, hint="give one, or call it for each")
    kind = "array" if isinstance(source, tuple | list) or type(source).__name__ == "ndarray" else type(source).__name__
    if is_section(source, None):
        return _new(objects, kind, "section", section_of(source))
    return _new(objects, kind, "mesh", mesh_of(source))


def _new(objects: dict[str, tuple[str, Any]], wanted: str, kind: str, value: Any) -> str:
    wanted = wanted.replace("#", " ")  # after which the name of a link would stand
    names = (wanted if n == 1 else f"{wanted} ({n})" for n in range(1, len(objects) + 2))
    name = next(name for name in names if name not in objects)
    if kind == "mesh":
        value = replace(value, name=name)
    elif kind == "section":
        value.name = name
    objects[name] = kind, value
    return name


def raise_missing(path: str, error: MasspropsError | None) -> None:
    """Raise the error of a file that is not there; others are part of a report."""
    if error is not None and error.code == "missing-file" and not Path(path).exists():
        raise error
