"""`massprops fill`: inertials from the geometry of links, put into the robot file.

Tests: `tests/cli/test_fill_command.py`.
"""

from __future__ import annotations

import difflib
import json
import sys
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from massprops._version import __version__
from massprops.cli import streams
from massprops.cli.groups import DisplayOptions, Group, Text, output_option, parse_pairs
from massprops.cli.options import Configured, RobotFiles, worst
from massprops.cli.output_format import Consumer
from massprops.declarations import OUTPUT, argument, flag, option
from massprops.errors import InvalidInput
from massprops.filling import Filled, FilledLink, MassRule
from massprops.filling import fill as filled_robot
from massprops.filling.robot import stage_in_place
from massprops.filling.settings import FillOptions, FillSettings, fill_settings
from massprops.formats.address import Place
from massprops.formats.escaping import plain
from massprops.formats.files import read_bytes, read_head
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.inertial.simulator_rules import predict
from massprops.formats.robot.links import relative_meshes
from massprops.formats.robot.opening import links_of
from massprops.formats.robot.usd import is_usd
from massprops.formats.table import USD_SUFFIXES
from massprops.formats.text import EXPAND
from massprops.rigid_body.as_json import SCHEMA
from massprops.values import dataclass
from massprops.wording import plural

if TYPE_CHECKING:
    from massprops.checking.config import Config

#: Fewer digits than this change a number by more than half a percent.
_COARSE = 3


@dataclass(frozen=True, kw_only=True)
class Filling(Group, of=FillOptions, scope="file robot"):
    """Links that are filled, their geometry and their masses."""

    def given(self) -> dict[str, Any]:
        """The options that were given, as `fill_settings` takes them."""
        found = Group.given(self)
        if "set" in found:
            rules = parse_pairs("--set", found["set"], "LINK=KEY:VALUE", "gripper=mass:0.42kg", joined=";")
            found["set"] = {name: MassRule.parse(name, rule, "--set") for name, rule in rules.items()}
        if len(found.get("links", ())) == 1:
            (found["links"],) = found["links"]
        return found


#: Suffixes that are said by the root elements of XML; and those that say what a file is: others, as .txt, hold robots of any format.
_ROOTS = {b"<mujoco": ".xml", b"<sdf": ".sdf", b"<robot": ".urdf"}
_SAYS_A_FORMAT = frozenset((".urdf", ".sdf", *USD_SUFFIXES, ".json", ".csv", ".md"))


@dataclass(frozen=True, kw_only=True)
class Targets(Group):
    """Destination of the filled robot; by default stdout."""

    output: Text = output_option()
    in_place: bool = flag(OUTPUT, "Write the robot file, and the files it includes.", synonyms="overwrite inplace")
    diff: bool = flag(OUTPUT, "Print what would change, as a unified diff; write nothing.")
    check: bool = flag(OUTPUT, "Write nothing; exit 1 if a file would change.")
    report: Text = option(OUTPUT, "Write the result for every link as JSON.", metavar="FILE", writes=True)

    def check_paths(self, robot: str) -> None:
        """Raise InvalidInput if input and output are the same file, or an output is of another format."""
        is_stdin = PurePath(robot).name == "-"
        if self.in_place and is_stdin:
            raise InvalidInput("--in-place writes a file, and the robot is on standard input", hint="give -o FILE")
        if self.in_place and is_usd(robot):
            raise stage_in_place(robot)
        kinds = [PurePath(name or "").suffix.lower() for name in (robot, self.output)]
        if kinds[0] == ".xml" or is_stdin:
            head = read_bytes(robot)[:4096] if is_stdin else read_head(robot, 4096)
            kinds[0] = next((s for root, s in _ROOTS.items() if root in head), ".xml")
        is_other = kinds[0] != kinds[1] and not (is_usd(robot) and kinds[1] in USD_SUFFIXES)
        says = kinds[1] in _SAYS_A_FORMAT or {".glb", ".gltf"} & {*kinds}
        if self.output not in (None, "-") and is_other and says:
            what = f"the robot stays {kinds[0]}, and {kinds[1] or 'no suffix'} says another format"
            hint = EXPAND if kinds[0] == ".xacro" else f"name a file that ends with {kinds[0]}"
            raise InvalidInput(what, place=self.output, hint=hint)
        if self.report == "-" and self.output in (None, "-") and not (self.check or self.in_place or self.diff):
            raise InvalidInput(
                "--report is where the robot goes, too", place="standard output", hint="give another file"
            )

    def write(self, found: Filled) -> int:
        """Write the robot, or what would change in it; 1 if that is what --check looks for."""
        if self.diff and self.report != "-":
            streams.write_output(_differences(found), None)
        elif self.diff:
            return 0
        elif self.in_place:
            found.write_in_place()
        elif not self.check:
            included = [path for path in found.files if path != found.target]
            if included:
                what = f"{included[0]}: an included file would change"
                raise InvalidInput(what, hint="use --in-place, or --diff to see it")
            streams.write_output(found.data if self.output in (None, "-") else found.data_for(self.output), self.output)
        elif found.files:
            streams.log(f"{plural(len(found.files), 'file')} would change: {', '.join(found.files)}")
            return 1
        return 0

    def write_report(self, found: Filled, settings: FillSettings, filled: list[FilledLink]) -> None:
        """Write the outcome of every link as JSON, with --diff also what would change."""
        content = {
            "schema": SCHEMA,
            "massprops": __version__,
            "path": found.path,
            "settings": {k: {"value": settings.arguments[k], "from": p} for k, p in settings.places.items()},
            "filled": [f.to_dict() for f in filled],
        }
        if self.report is not None:
            streams.check_not_read(self.report, self.output)
            if self.diff:
                content["diff"] = _differences(found).decode("utf-8", "backslashreplace")
            streams.write_output(json.dumps(content, indent=2, allow_nan=False) + "\n", self.report)


def fill(
    *,
    robot: str = argument("ROBOT", "URDF, SDF, MJCF, USD, or glTF with physics."),
    filling: Filling,
    configured: Configured,
    packages: RobotFiles,
    shown: DisplayOptions,
    provenance: bool = flag(OUTPUT, "Add a comment: mesh, density, grade, version."),
    consumer: Consumer | None = option(OUTPUT, "Predict whether this simulator accepts the numbers: exit 1.", "--for"),
    targets: Targets,
    jobs: int = option(None, "Processes. 0 takes all cores.", "--jobs", "-j", default=0, min=0),
) -> int:
    """Fill in inertials of a robot from its geometry; no byte outside the inertials changes.

    Of USD the result is a layer over the file, which stays as it is: -o robot.massprops.usda.
    A table of the links goes to stderr. A link that cannot be filled stays as it is: exit 4.
    """
    config = configured.read()
    settings = fill_settings(config.fill, config.lines, config.relative(robot), filling.given())
    taken = {k: p for k, p in settings.places.items() if not p.startswith("--")}
    if shown.digits is not None and shown.digits < _COARSE:
        off = f"{50 / 10 ** (shown.digits - 1):g} %"
        streams.log(f"warning: --digits {shown.digits} rounds numbers of the file by up to {off} of themselves")
    if taken:
        streams.note("from the configuration: " + ", ".join(f"{k.replace('_', '-')} ({p})" for k, p in taken.items()))
    search = packages.search(config)
    with packages.reading_stdin(robot):
        targets.check_paths(packages.name_of(robot))
        try:
            found = filled_robot(
                packages.name_of(robot),
                **settings.arguments,
                packages=search.packages,
                package_path=search.package_path,
                allow_outside=search.allow_outside,
                gltf_up=packages.gltf_up_of(packages.name_of(robot), search),
                provenance=provenance,
                jobs=streams.cores(jobs),
                digits=shown.digits,
            )
        except InvalidInput as error:
            raise settings.locate(error) from error
    filled = [replace(f, source=settings.places.get(f.source, f.source)) for f in found.links]
    # by their places, since names may repeat
    verdicts = [
        predict(consumer, NamedBody(f.name, f.after)) if consumer and f.after is not None else None for f in filled
    ]
    filled = [replace(f, findings=(*f.findings, v)) if v else f for f, v in zip(filled, verdicts, strict=True)]
    _say_links(filled, shown, config)
    targets.write_report(found, settings, filled)
    status = targets.write(found)
    if targets.output not in (None, "-") and found.target == found.path:  # a layer of USD names its stage
        relative = relative_meshes(links_of(found.original, found.path, search))
        streams.note_relative(relative, found.path, Path(targets.output).parent)
    refused = any(v and v.severity == "error" for v in verdicts)
    failed = [link.error.exit_code if link.is_unread else 4 for link in filled if link.error is not None]
    return worst([int(status or refused), *failed])


def _say_links(filled: list[FilledLink], shown: DisplayOptions, config: Config) -> None:
    """A table of the links, their findings, and why one could not be filled."""
    from massprops.writers.fill import filled_text

    if not filled:  # by default, only those are chosen that state none
        streams.log("no link to fill: those with geometry state their numbers; see --links all")
        return
    sys.stderr.write(
        filled_text(filled, screen=(on := streams.text_output(None, shown, config)))
        + streams.configuration_note(on, shown, config)
    )
    for link in filled:
        streams.say_findings(link.title, link.findings, shown.verbose, on.units())
        if link.error is not None:
            named = link.error.message.startswith(f"{Place.of(link.place).file}:")
            places = [*([] if named else [link.place]), *([] if link.title == link.place else [f"link {link.name}"])]
            streams.say_error(link.error.at(": ".join(places)) if places else link.error, on.output_units)


def _differences(found: Filled) -> bytes:
    before = {p: found.original if p == found.target else read_bytes(p) for p in found.files}
    return b"".join(_difference(p, before[p], data) for p, data in found.files.items())


def _difference(path: str, before: bytes, after: bytes) -> bytes:
    """A unified diff of the file as it is and as it would be, which `patch` takes."""
    old, new = (
        [line + b"\n" for line in own] + [last] * bool(last) for *own, last in (before.split(b"\n"), after.split(b"\n"))
    )
    name = plain(path).encode()
    found = difflib.diff_bytes(difflib.unified_diff, old, new, name, name + b" (filled)")
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in found)
