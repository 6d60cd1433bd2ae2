"""The options of a measurement: one value from the command line, the configuration or Python to the integrals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any, Literal, get_args

from massprops import units as unit
from massprops.errors import InvalidInput, require_type, require_word
from massprops.frames import Pose
from massprops.grades import MeasuredAs, Repair
from massprops.mesh.policies import Policies
from massprops.moments.arrays import Density
from massprops.rigid_body.as_json import Axes
from massprops.rigid_body.mass_specification import Matter
from massprops.values import dataclass
from massprops.wording import did_you_mean

Rings = Literal["evenodd", "nonzero", "orientation"]

#: Options that only sections have.
_OF_SECTIONS = ("rings", "layers", "gap", "centered", "torsion", "ratios")


def check_names(given: Mapping[str, Any], *others: str) -> None:
    """Raise InvalidInput for a keyword that is no option; `others` are arguments besides the options."""
    known = [f.name for f in fields(Options)] + list(others)
    for name in sorted(given.keys() - set(known)):
        raise InvalidInput(f"there is no argument {name!r}", code="unknown-argument", hint=did_you_mean(name, known))


@dataclass(frozen=True, kw_only=True, eq=False)
class Options(Policies):
    """The options of `massprops.measure`, which explains each of them; checked once, for any number of sources.

    `count_bodies` is whether the separate bodies of a mesh are counted, which costs more than its integral.

    Raises
    ------
    InvalidInput
        If they contradict each other or break a rule.
    """

    density: unit.Quantity | Density | None = None
    mass: unit.Quantity | None = None
    material: str | None = None
    area_density: unit.Quantity | None = None
    thickness: unit.Quantity | None = None
    units: str | None = None
    chord_tolerance: unit.Quantity | None = None
    pose: Pose | None = None
    frame: Pose | None = None
    format: str | None = None
    hash: bool = False
    exact: bool = False
    jobs: int = 1
    rings: Rings | None = None
    layers: Sequence[str] = ()
    gap: unit.Quantity | None = None
    centered: bool = False
    torsion: bool = False
    ratios: Mapping[str, float] | None = None
    densities: Mapping[str, unit.Quantity] | None = None
    materials: Mapping[str, str] | None = None
    count_bodies: bool = False
    repair: Repair = "safe"
    kind: MeasuredAs = "solid"
    infill: unit.Quantity | None = None

    def __post_init__(self) -> None:
        self.check()
        if self.units is not None:
            unit.length_unit(self.units)
        if self.on_open == "shell" or self.kind == "sheet":
            self.matter.check_shell()
        require_word(self.kind, get_args(MeasuredAs), "kind")
        if self.kind == "wall" and (self.matter.thickness is None or self.area_density is not None):
            what = "wall needs a thickness"
            raise InvalidInput(what, parameter="kind", hint="give the thickness, and a density for its mass")
        if self.infill is not None and self.kind != "wall":
            raise InvalidInput("is for walls", parameter="infill", hint="measure it as a wall")
        if self.format is not None:
            require_type(self.format, str, "format", "the name of a format")
        if not isinstance(self.layers, list | tuple) or not all(isinstance(name, str) for name in self.layers):
            raise InvalidInput(f"must be a list of names, got {self.layers!r:.80}", parameter="layers")
        for name in ("ratios", "densities", "materials"):
            require_type(getattr(self, name) or {}, Mapping, name, "a mapping from names")
        for name in ("pose", "frame"):
            if not isinstance(value := getattr(self, name), Pose | None):
                what = f"must be a massprops.Pose, got {value!r}"
                raise InvalidInput(what, parameter=name, hint="see Pose.from_xyz_rpy")
        if callable(self.density):
            others = ("mass", "material", "area_density", "thickness", "densities", "materials", "exact")
            if also := [name.replace("_", " ") for name in others if getattr(self, name)]:
                raise InvalidInput(
                    f"a density that varies and {also[0]} are mutually exclusive", hint="give one of them"
                )
            if self.kind != "solid":
                raise InvalidInput("a density that varies is for solids", argument="kind", hint="leave it out")
        if self.pose is not None and self.frame is not None:
            raise InvalidInput("a pose moves the part and a frame moves the observer", hint="give one of them")
        require_type(self.jobs, int, "jobs", "a whole number")
        if self.jobs < 1:
            raise InvalidInput(f"must be 1 or more, got {self.jobs!r}", parameter="jobs")
        if self.rings is not None:
            require_word(self.rings, get_args(Rings), "rings")
        for name, ratio in (self.ratios or {}).items():
            if not 0 < ratio < float("inf"):
                raise InvalidInput(f"ratio of {name!r} must be positive and finite, got {ratio!r}")
        # each is parsed here, so that a wrong one is reported before any file is read
        _ = self.matter, self.chord, self.gap_length, self.infill_share
        for name, matter in self.part_matter.items():
            try:
                Matter.parse(**matter)
            except InvalidInput as error:
                raise InvalidInput(f"{name!r}: {error.message}", code=error.code, hint=error.hint) from error
        if self.part_matter and (self.mass is not None or self.area_density is not None or self.exact):
            given = "a mass" if self.mass is not None else "exact results" if self.exact else "an area density"
            raise InvalidInput(f"{given} and densities of parts are mutually exclusive", hint="give one of them")

    @cached_property
    def matter(self) -> Matter:
        """What is known of mass and density."""
        given = {name: getattr(self, name) for name in ("mass", "material", "area_density", "thickness")}
        return Matter.parse(**given, density=None if callable(self.density) else self.density)

    @cached_property
    def chord(self) -> float:
        """The chord tolerance, m; 0 if there is none."""
        if self.chord_tolerance is None:
            return 0.0
        return unit.parse_length(self.chord_tolerance, name="chord tolerance", must_be_positive=True)

    @cached_property
    def infill_share(self) -> float | None:
        """How much of the inside of a wall is filled, from 0 to 1."""
        return None if self.infill is None else unit.parse_share(self.infill, name="infill", ends=True)

    @cached_property
    def gap_length(self) -> float | None:
        """The gap, m."""
        return None if self.gap is None else unit.parse_length(self.gap, name="gap", must_be_positive=True)

    @cached_property
    def part_matter(self) -> dict[str, dict[str, Any]]:
        """The density or the material of parts, as options of `Matter`, by name or pattern."""
        found: dict[str, dict[str, Any]] = {name: {"density": d} for name, d in (self.densities or {}).items()}
        for name, material in (self.materials or {}).items():
            if name in found:
                raise InvalidInput(f"a density and a material are given for {name!r}", hint="give one of them")
            found[name] = {"material": material}
        return found

    @cached_property
    def motion(self) -> Pose | None:
        """The map from the coordinates of the file to those of the result."""
        return self.pose if self.frame is None else self.frame.inverse()

    @property
    def axes(self) -> Axes:
        """Whose axes the coordinates of the result refer to."""
        return "frame" if self.frame is not None else "file" if self.pose is None else "parent"

    @cached_property
    def _of_sections(self) -> list[str]:
        """The options given that only sections have."""
        defaults = {f.name: f.default for f in fields(self)}
        return [name for name in _OF_SECTIONS if getattr(self, name) not in (defaults[name], {}, [])]

    def check_for_section(self) -> None:
        """Raise InvalidInput where a section is given an option that only meshes have."""
        for name, given in (
            ("exact", self.exact),
            ("a density that varies", callable(self.density)),
            ("kind", self.kind != "solid"),
            ("verify", self.verify != "auto"),
        ):
            if given:
                raise InvalidInput("is for meshes, and this is a section", parameter=name, hint="leave it out")

    def check_for_mesh(self) -> None:
        """Raise InvalidInput where a mesh is given an option that only sections have."""
        for name in self._of_sections:
            raise InvalidInput("is for plane files, and this is a mesh", parameter=name, hint="leave it out")
