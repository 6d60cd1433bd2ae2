"""Values of options that commands share: words, points, poses, parts and exit codes.

Tests: `tests/cli/test_compute.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from massprops.access import adopt, allowing
from massprops.cli.groups import POSE, REFERENCE, ROBOT, Group, Text
from massprops.declarations import OUTPUT, check_kinds, flag, option
from massprops.errors import InvalidInput, result_or_error
from massprops.findings import Finding, reaches
from massprops.formats.config_file import nearest
from massprops.formats.files import read_bytes
from massprops.formats.kinds import named_kind
from massprops.frames import GltfUp, Pose, split_words
from massprops.units import Quantity, number, parse_point
from massprops.values import dataclass
from massprops.wording import plural

if TYPE_CHECKING:
    from massprops.checking.config import Config
    from massprops.diagnosis.robot_links import LinkOptions
    from massprops.formats.search_path import SearchPath
    from massprops.rigid_body.line import Line

#: Exit codes, the better first: the worst of several files is returned.
WORST = (0, 1, 3, 4, 2, 70, 130)

_MANY = "Many files"
#: The least severity that makes a command fail.
FailOn = Literal["error", "warning", "info", "never"]
#: Which geometry of a link is the reference.
LinkGeometry = Literal["auto", "visual", "collision", "none"]


def worst(codes: Iterable[int]) -> int:
    """The exit code of several inputs."""
    return max(codes, key=WORST.index, default=0)


def fails(findings: Iterable[Finding], fail_on: FailOn) -> bool:
    """Whether a finding is at or above the severity `fail_on`."""
    return any(reaches(f.severity, fail_on) for f in findings)


def check_stdin_once(files: Sequence[str]) -> None:
    """Raise InvalidInput if standard input is given twice."""
    if [f.partition("#")[0] for f in files].count("-") > 1:
        raise InvalidInput("'-' (standard input) can be given only once")


@cache  # files of one unit have one point and one line
def parse_about(text: str | None, *, flat: bool = False, unit: str = "m") -> str | list[float] | None:
    """`com`, `origin`, or a point `X,Y,Z` (`flat`: also `X,Y`): lengths in `unit`, or with units of their own.

    Raises
    ------
    InvalidInput
        If it is none of these.
    """
    if text in (None, "com", "origin"):
        return text
    parts = split_words(text.strip(), "--about")
    if len(parts) != 3 and not (flat and len(parts) == 2):
        raise InvalidInput(f"--about {text!r} is not com, origin or three lengths", hint="for example --about 0,0,12mm")
    return parse_point(parts, name="--about", bare=unit)


@cache
def parse_axis(text: str | None, *, unit: str = "m") -> Line | None:
    """The line of ``X Y Z DX DY DZ``: a point, lengths in `unit` or with units, and a direction, bare numbers.

    Raises
    ------
    InvalidInput
        If it is anything else.
    """
    if text is None:
        return None
    from massprops.rigid_body.line import Line

    parts = split_words(text.strip(), "--axis")
    if len(parts) != 6:
        hint = "a point and a direction: --axis '0 0 12mm 0 0 1'"
        raise InvalidInput(f"--axis {text!r} has {plural(len(parts), 'value')}, and a line needs 6", hint=hint)
    point = parse_point(parts[:3], name="--axis", bare=unit)
    return Line.through(point, [number(p, name="direction of --axis") for p in parts[3:]])


@dataclass(frozen=True, kw_only=True)
class OutsideFiles(Group):
    """Permission to read files outside a folder."""

    allow_outside: bool = flag(
        "Files", "Read files that a glTF or STEP file or a robot names outside its folder and packages."
    )


@dataclass(frozen=True, kw_only=True)
class Packages(OutsideFiles):
    """Places of the files that a robot file includes or names."""

    package: list[str] | None = option(
        REFERENCE,
        "Folder of package://NAME; also searched: ROS_PACKAGE_PATH, GZ_SIM_RESOURCE_PATH …",
        metavar="NAME=FOLDER",
        pairs=("NAME=FOLDER", "my_robot=../my_robot"),
    )

    @cached_property
    def _given(self) -> dict[str, str]:
        packages: dict[str, str] = self.given().get("package", {})
        for name, folder in packages.items():
            if not Path(folder).is_dir():
                raise InvalidInput(f"--package {name}: {folder} is not a folder")
        return packages

    def search(self, config: Config | None = None) -> SearchPath:
        """The packages that are given, those of a configuration, and the folders of ROS_PACKAGE_PATH and of Gazebo's paths.

        Raises
        ------
        InvalidInput
            If the folder of a package is not one.
        """
        from massprops.formats.search_path import SearchPath

        configured = {} if config is None else {n: config.path(folder) for n, folder in config.run.packages.items()}
        names = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")
        path = tuple(folder for name in names for folder in os.environ.get(name, "").split(os.pathsep) if folder)
        packages = configured | self._given
        return SearchPath(packages=packages, package_path=path, allow_outside=self.allow_outside)

    def check_files(self, files: Collection[str], **more: Any) -> None:
        """Raise InvalidInput if an option of these or of `more` is given, and is for none of the files."""
        given = self.given() | more
        if given and files:
            check_kinds(given, {*map(named_kind, files)})

    def links(self, geometry: LinkGeometry = "auto", config: Config | None = None) -> LinkOptions:
        """How the geometry of links is found."""
        from massprops.diagnosis.robot_links import LinkOptions

        return LinkOptions(geometry, self.search(config))


@dataclass(frozen=True, kw_only=True)
class RobotMeshes(Packages):
    """Places and axes of the meshes that a robot file names."""

    gltf_up: GltfUp | None = option(
        REFERENCE,
        "Axis that is up in glTF meshes of a robot. [default: what its inertials and collision shapes say, else y]",
    )

    def search(self, config: Config | None = None) -> SearchPath:
        """The search path with the axis that is given, or that of a configuration."""
        configured = None if config is None else config.run.gltf_up
        return replace(Packages.search(self, config), gltf_up=self.gltf_up or configured)

    def require_gltf(self, files: Iterable[str]) -> None:
        """Raise InvalidInput if the axis is given, and no file is a robot that names a glTF mesh."""
        if self.gltf_up is not None:
            from massprops.measurement.gltf_axes import require_gltf

            require_gltf(files, self.search())

    def gltf_up_of(self, robot: str, search: SearchPath) -> GltfUp | None:
        """The axis that the library takes, which refuses one without effect: that of a configuration may be for other robots."""
        from massprops.measurement.gltf_axes import lacks_gltf

        has_no_effect = self.gltf_up is None and search.gltf_up and result_or_error(lacks_gltf, robot, search) is True
        return None if has_no_effect else search.gltf_up

    def check_files(self, files: Collection[str], **more: Any) -> None:
        """Like that of `Packages`; the axis is for robots with glTF meshes."""
        Packages.check_files(self, files, **more)
        self.require_gltf(files)


@dataclass(frozen=True, kw_only=True)
class RobotFiles(RobotMeshes):
    """Places of the files that a robot names, which may come on standard input."""

    base: Text = option(
        REFERENCE,
        "Folder of a robot on standard input, where its meshes are looked for. [default: the current one]",
        metavar="FOLDER",
    )

    def name_of(self, file: str) -> str:
        """The name by which a file is read: what is on standard input stands in its folder, as ``FOLDER/-``."""
        path, mark, link = file.partition("#")
        if self.base is None or path != "-":
            return file
        if not Path(self.base).is_dir():
            raise InvalidInput(f"--base: {self.base} is not a folder")
        return f"{(Path(self.base) / path).as_posix()}{mark}{link}"

    def reading_stdin(self, *files: str | None) -> AbstractContextManager[None]:
        """Read standard input, if one of some files is that, and let it be the content of this name for as long as the context lasts.

        Raises
        ------
        InvalidInput
            If a folder of it is given, and no file is that.
        """
        if any(f is not None and f.partition("#")[0] == "-" for f in files):
            return allowing(contents=dict.fromkeys(("-", self.name_of("-")), read_bytes("-", sys.stdin.buffer)))
        if self.base is not None:
            raise InvalidInput("--base is the folder of a robot on standard input", hint="name '-', or leave it out")
        return allowing()


@dataclass(frozen=True, kw_only=True)
class Joints(Group):
    """Values of the joints of a robot."""

    joint: list[str] | None = option(
        ROBOT,
        "Value of a joint: 90deg, 12mm; numbers are rad or m. [default: at rest]",
        metavar="NAME=VALUE",
        pairs=("NAME=VALUE", "elbow=90deg"),
        common=True,
    )

    @property
    def values(self) -> dict[str, Quantity]:
        """The values by the name of the joint."""
        return {**self.given().get("joint", {})}


@dataclass(frozen=True, kw_only=True)
class Configured(Group):
    """The configuration that is used."""

    config: Text = option(
        "Files", "Configuration. [default: the nearest massprops.toml or pyproject.toml]", metavar="FILE"
    )
    no_config: bool = flag("Files", "Use no configuration.")

    def read(self) -> Config:
        """The configuration that is named, else the nearest one."""
        from massprops.checking.config import Config

        if self.config is not None:
            found = Config.read(Path(self.config))
        elif self.no_config:
            found = Config()
        else:
            found = Config.find(Path.cwd())
        adopt(materials=partial(tuple, found.materials), settings=found.measuring)
        return found

    def of_measurements(self) -> Config | None:
        """Like `read`; None if there is no configuration, without importing its reader."""
        named = self.config is not None or self.no_config
        return self.read() if named or nearest(Path.cwd()) is not None else None


def config_options(config: Config | None, path: str, given: Mapping[str, Any], is_flat: bool) -> dict[str, Any]:
    """The options that the configuration has for a file, and the command line leaves out."""
    units = {"units", "override_units"}  # one unit, however it is stated
    hidden = given.keys() | (units if units & given.keys() else set())
    found = {} if config is None else {k: v for k, v in config.measuring(path).items() if k not in hidden}
    if is_flat:
        found.pop("verify", None)  # it is for the meshes beside it
    # a plane file is a sheet, which has no density, until it has a thickness
    has_mass = {"density", "material", "mass", "area_density"} & given.keys()
    if has_mass or (is_flat and "thickness" not in given):
        found = {k: v for k, v in found.items() if k not in ("density", "material")}
    return found


@dataclass(frozen=True, kw_only=True)
class Placement(Group):
    """A pose in the parent frame."""

    pose: Text = option(
        OUTPUT, "Place the body: its pose in the parent frame; the file's unit and rad, or 12mm, 90deg.", metavar=POSE
    )
    matrix: Text = option(
        OUTPUT, "The --pose as a 4 × 4 matrix in a file, its lengths in the file's unit.", metavar="FILE"
    )

    @cached_property
    def pose_in_parent(self) -> str | None:
        """The --pose: a text, or what the matrix is."""
        return _pose(self.pose, self.matrix)


@dataclass(frozen=True, kw_only=True)
class Motion(Placement):
    """A pose in the parent frame, or the frame of an observer."""

    frame: Text = option(OUTPUT, "Move the observer: report in a frame at this pose in the file.", metavar=POSE)
    frame_matrix: Text = option(
        OUTPUT, "The --frame as a 4 × 4 matrix in a file, its lengths in the file's unit.", metavar="FILE"
    )

    @cached_property
    def pose_of_observer(self) -> str | None:
        """The --frame: a text, or what the matrix is."""
        return _pose(self.frame, self.frame_matrix)


def _pose(text: str | None, matrix: str | None) -> str | None:
    if matrix is None:
        return text
    from massprops.formats.pose_file import read_pose

    return read_pose(matrix)


def in_metres(pose: str | None) -> Pose | None:
    """The pose of a body whose lengths are metres."""
    return None if pose is None else Pose.parse(pose)


@dataclass(frozen=True, kw_only=True)
class ManyFiles(OutsideFiles):
    """Options of folders and of many files."""

    include: list[str] | None = option(_MANY, "Patterns of the files taken from folders: '*.stl'.", metavar="PATTERN")
    exclude: list[str] | None = option(_MANY, "Patterns of files that are skipped: 'drafts/**'.", metavar="PATTERN")
    output_table: Text = option(
        _MANY,
        "Write a row for each file into this table, .parquet, .csv or .jsonl. A later run measures what is new or changed.",
        metavar="FILE",
        writes=True,
    )
    timing: bool = flag(
        _MANY, "--output-table: columns for the time that each file took, and when; they differ at every run."
    )
    fail_fast: bool = flag(_MANY, "--output-table: stop at the first file that fails.")
    jobs: int | None = option(
        _MANY,
        "Processes for many files, or threads for one large mesh. 0 takes all cores. "
        "[default: 1, and all cores for one mesh of more than a million triangles]",
        "--jobs",
        "-j",
        min=0,
    )
    cluster: Text = option(
        _MANY,
        "--output-table: measure on the Dask cluster with this scheduler, tcp://HOST:PORT; workers read the same paths.",
        metavar="ADDRESS",
    )
    send_files: bool = flag(_MANY, "--cluster: send the files to the workers, which share no folder with this machine.")
