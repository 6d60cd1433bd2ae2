"""The configuration: `massprops.toml`, or `[tool.massprops]` in `pyproject.toml`; keys for all files, and sections for some.

paths = ["parts", "robot.urdf"]      what `massprops check` alone checks
units = "mm"
require = ["certified"]

[files."parts/arm.stl"]              stronger than what stands above; the last section that matches is the strongest
mass = "1.2kg±5%"

[files."robot.urdf#left_*"]
max-mass = "3kg"

[materials]                          names that `material` takes, beside the built-in ones: see `massprops.formats.own_materials`
"PETG CF" = "1.29 g/cm3"

[fill]                               of `massprops fill`: see `massprops.filling.settings`
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, Self, get_args

from massprops.access import allowing
from massprops.checking import settings
from massprops.checking.report import Checked
from massprops.checking.settings import Settings
from massprops.errors import InvalidInput, Remedy, require_word
from massprops.formats.config_file import Lines, matches, nearest, read_tables
from massprops.formats.files import absolute_path
from massprops.formats.own_materials import materials_of
from massprops.frames import GltfUp
from massprops.materials import Material
from massprops.measurement.output_units import OutputUnits
from massprops.values import dataclass
from massprops.wording import did_you_mean

#: Of these, one level has one.
_EXCLUSIVE = ("density", "material")


@dataclass(frozen=True)
class Run:
    """Keys of a configuration about a whole run; None and empty where it has none. Paths are as written."""

    paths: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    expect: str | None = None
    rtol: float | None = None
    baseline: str | None = None
    output_units: str | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    gltf_up: GltfUp | None = None


@dataclass(frozen=True)
class Config:
    """A configuration, checked key by key.

    Attributes
    ----------
    folder : Path or None
        Where it stands: its paths and patterns are relative to that; None if there is none.
    run : Run
    common : mapping
        Settings for all files, parsed.
    sections : tuple of (pattern, mapping)
        Settings for some, in the order of the file.
    places : tuple of str
        Where the sections begin: ``massprops.toml:12``.
    fill : mapping
        The table ``[fill]``, as written.
    lines : Lines or None
        Where keys stand in the file.
    materials : tuple of Material
        The table ``[materials]``.
    """

    folder: Path | None = None
    run: Run = field(default_factory=Run)
    common: Mapping[str, Any] = field(default_factory=dict)
    sections: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    places: tuple[str, ...] = ()
    fill: Mapping[str, Any] = field(default_factory=dict)
    lines: Lines | None = None
    materials: tuple[Material, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file; InvalidInput with file and line if it is not TOML or a key breaks a rule."""
        document, lines = read_tables(path)
        others = [*_RUN, "files", "fill", "materials"]
        own = materials_of(document.get("materials", {}), lines)
        run = Run(**lines.level({k: v for k, v in document.items() if k in _RUN}, (), _RUN))
        files = lines.files(document, (), '[files."*.stl"]')
        with allowing(materials=partial(tuple, own)):
            common = lines.level(document, (), settings.PARSERS, others, _EXCLUSIVE)
            sections = [(k, lines.level(v, ("files", k), settings.PARSERS, (), _EXCLUSIVE)) for k, v in files.items()]
        places = tuple(lines.place(("files",), pattern) for pattern in files)
        return cls(path.parent, run, common, tuple(sections), places, document.get("fill", {}), lines, own)

    @classmethod
    def find(cls, start: Path) -> Self:
        """The nearest one in `start` or a folder above it; an empty one if there is none."""
        path = nearest(start)
        return cls() if path is None else cls.read(path)

    def settings(self, path: str, place: str | None, last: Mapping[str, Any]) -> Settings:
        """Settings of a file, or of a link in it; `last` has those of the command line."""
        return Settings.of([*self._levels(path, place), last])

    def measuring(self, path: str) -> dict[str, Any]:
        """The options of a measurement that it sets for a file."""
        return {k: v for k, v in settings.merge_levels(self._levels(path, None)).items() if k in settings.MEASURING}

    def _levels(self, path: str, place: str | None) -> list[Mapping[str, Any]]:
        name = self.relative(path)
        return [self.common, *(level for pattern, level in self.sections if matches(pattern, name, place))]

    def unmatched(self, report: Iterable[Checked]) -> InvalidInput | None:
        """The error for the first section that means none of what was checked; no link is missed in a file that could not be read."""
        report = list(report)
        unread = {c.subject.path for c in report if c.error is not None}
        subjects = [(self.relative(c.subject.path), c.subject.path, c.subject.place) for c in report]
        for (pattern, _), place in zip(self.sections, self.places, strict=True):
            files, mark, _ = pattern.partition("#")
            meant = [(name, path, link) for name, path, link in subjects if matches(files, name)]
            if any(path in unread or matches(pattern, name, link) for name, path, link in meant):
                continue
            known = {f"{name}#{link}" if mark and link else name for name, _, link in meant or subjects}
            what = f"{place}: [files.{json.dumps(pattern, ensure_ascii=False)}] matches none of the files checked"
            part = Remedy("use {} to check a part of the files", "allow_unmatched=True")
            return InvalidInput(what, code="unmatched-section", hint=did_you_mean(pattern, sorted(known), "") or part)
        return None

    @property
    def name(self) -> str:
        """Its file, as seen from the current folder; empty if there is none."""
        return "" if self.lines is None else self.path(Path(self.lines.path).name)

    def path(self, name: str) -> str:
        """A path of the configuration, as seen from the current folder."""
        return name if self.folder is None else _seen_from(Path.cwd(), self.folder / name)

    def relative(self, path: str) -> str:
        """A file as the patterns of the configuration see it."""
        return Path(path).as_posix() if self.folder is None else _seen_from(absolute_path(self.folder), Path(path))


def _seen_from(folder: Path, path: Path) -> str:
    """Relative to the folder for what is below it."""
    whole = absolute_path(path)
    return (whole.relative_to(folder) if whole.is_relative_to(folder) else path).as_posix()


def _must(what: str, good: Callable[[Any], object], made: Callable[[Any], Any] = lambda value: value) -> Any:
    """Parser of a value that has to be of one kind."""

    def parse(value: Any) -> Any:
        if not good(value):
            raise InvalidInput(f"must be {what}, got {value!r}")
        return made(value)

    return parse


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


#: Keys of the whole run, beside those of `Settings`.
_RUN: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("paths", "include", "exclude"), _must("a list of texts", _are_texts, tuple)),
    **dict.fromkeys(("expect", "baseline"), _must("the name of a file", _is_text)),
    "rtol": _must("a number from 0 to 1", lambda value: type(value) in (int, float) and 0 <= value <= 1),
    "packages": _must("a table of names and folders", lambda v: isinstance(v, dict) and _are_texts([*v.values()])),
    "gltf-up": lambda value: require_word(value, get_args(GltfUp)),
    "output-units": _must("units of length, mass or angle, as mm,g", lambda v: _is_text(v) and OutputUnits().chosen(v)),
}
