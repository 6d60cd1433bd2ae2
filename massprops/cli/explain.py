"""`massprops explain`: why an inertial is impossible, or not that of its geometry."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from massprops.cli.groups import REFERENCE, DisplayOptions, Group, Text, format_for, format_option, output_option
from massprops.cli.options import FailOn, LinkGeometry, Packages, RobotFiles, fails
from massprops.cli.streams import configuration_note, log, say_error, say_findings, text_output, write_output
from massprops.declarations import OUTPUT, argument, check_applicable, flag, option, option_of
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, ReadError
from massprops.findings import without_marks
from massprops.formats.address import Address
from massprops.formats.escaping import plain
from massprops.formats.link_names import some
from massprops.measurement.options import Options
from massprops.rigid_body.as_json import error_object
from massprops.rigid_body.mass_properties import MassProperties
from massprops.values import dataclass
from massprops.wording import percent, shell_word

if TYPE_CHECKING:
    from massprops.diagnosis.robot_links import ComparedLink
    from massprops.formats.bodies import NamedBody
    from massprops.writers.console import TextOutput

_ROBOTS: tuple[Literal["urdf", "sdf", "mjcf"], ...] = ("urdf", "sdf", "mjcf")
#: Of the inertial that is shown for a link without one, kg/m³: that of water, since only the geometry is known.
_DENSITY = 1000.0
_NUMBERS = "Numbers, if there is no file"


@dataclass(frozen=True, kw_only=True)
class Numbers(Group):
    """A body by its numbers."""

    mass: Text = option(_NUMBERS, "kg, or with a unit.")
    com: Text = option(_NUMBERS, "Centre of mass, m, or with units: 1 2 3 mm. [default: 0 0 0]", metavar="'X Y Z'")
    inertia: Text = option(
        _NUMBERS,
        "About the centre of mass, kg m², or with a unit (… g mm^2): Ixx Ixy Ixz Iyy Iyz Izz, or nine, row by row.",
        metavar="NUMBERS",
    )

    def body(self) -> NamedBody:
        """The body; raises InvalidInput if a number is missing or none."""
        from massprops.diagnosis.explanation import body_of_numbers
        from massprops.formats.bodies import NamedBody

        return NamedBody(None, body_of_numbers(self.mass, self.com, self.inertia))


def explain(
    *,
    file: str | None = argument(
        "FILE[#LINK]|CODE",
        "URDF, SDF, MJCF, USD, a JSON result, CSV, a ten-vector, mass properties of a CAD program; or the code of a finding.",
        default=None,
    ),
    numbers: Numbers,
    against: Text = option(REFERENCE, "Mesh of the part, in the frame of the link.", metavar="MESH"),
    units: Text = option_of(
        Options, "units", panel=REFERENCE, help="Length unit of the --against file, if it states none. [default: m]"
    ),
    override_units: Text = option_of(
        Options, "override_units", panel=REFERENCE, help="Length unit of the --against file, whatever it states."
    ),
    geometry: LinkGeometry = option(REFERENCE, "Without --against: which geometry of the link itself.", default="auto"),
    nearest: bool = flag(
        OUTPUT,
        "Also the nearest physically consistent inertia and its distance; as urdf, sdf, mjcf alone (Frobenius sense).",
    ),
    cad: Literal[
        "auto", "solidworks", "inventor", "fusion", "creo", "catia", "nx", "rhino", "freecad", "meshlab", "onshape"
    ] = option(None, "Program whose mass properties a text is. [default: auto, by its layout]", default="auto"),
    packages: RobotFiles,
    format: Literal["table", "json", "urdf", "sdf", "mjcf"] | None = format_option(),
    fail_on: FailOn = option(OUTPUT, "Exit 1 if there is a finding of this severity or worse.", default="error"),
    shown: DisplayOptions,
    output: Text = output_option(),
) -> int:
    """Explain an inertial or a finding: whether it is possible, which shape it belongs to, and which mistake is likely.

    Of a file of several bodies those with an error, or with a warning where only collision geometry is compared.
    Every mistake is a hypothesis, with the corrected numbers; nothing is changed.
    """
    if file is not None and (code := _as_code(file)) is not None:
        of_body: dict[str, object] = {"against": against, "units": units, "override_units": override_units}
        of_body |= {"nearest": nearest, "fail_on": fail_on != "error"}
        of_body |= {"dialect": (format or "table") != "table", "cad": cad != "auto", "geometry": geometry != "auto"}
        return _write_page(code, of_body | packages.given(), output)
    suffixes: dict[str, Literal["json", "urdf", "sdf", "mjcf"]] = {".json": "json", ".jsonl": "json"}
    kind = format_for(format, output, suffixes | {f".{name}": name for name in _ROBOTS})
    shown.check_digits(kind, "table")
    if kind in _ROBOTS and not nearest:
        raise InvalidInput(f"--format {kind} is of the nearest consistent inertia", hint="add --nearest")
    of_reference = {"units": units, "override_units": override_units}
    try:
        with packages.reading_stdin(file):
            file = None if file is None else packages.name_of(file)
            packages.check_files([file] if file else [], **({} if geometry == "auto" else {"geometry": geometry}))
            on = text_output(output, shown)
            bodies, remark, is_computed, missing = _bodies_or_none(
                file, numbers, packages, geometry, cad, against, kind
            )
            is_shown = is_computed and (missing or (kind == "table" and not nearest and against is None))
            if is_shown and file and (text := _from_geometry(file, bodies, missing, geometry, packages, on)):
                write_output(text + configuration_note(on, shown), output)
                return 0
            if kind in _ROBOTS:
                return _write_nearest(bodies, kind, output)
            from massprops.diagnosis.explanation import explain_all, nothing_explained

            found = [*explain_all(bodies, file, against, of_reference, packages.links(geometry), nearest=nearest)]
    except (ReadError, InvalidGeometry) as error:
        is_other = file is None or str(error).startswith(f"{against}:")
        return _write_error(str(against if is_other else file), error, kind, output)
    if kind == "json":
        said = [each.to_dict() | {"remarks": [*map(without_marks, remarks)]} for each, remarks in found]
        text = "".join(json.dumps(of_body) + "\n" for of_body in said or [nothing_explained(str(file), remark)])
    else:
        from massprops.writers.explain import explanation_text

        text = "\n".join(explanation_text(each, remarks, on) for each, remarks in found)
        text = text + configuration_note(on, shown) if found else f"{plain(str(file))}: {plain(remark)}\n"
    write_output(text, output)
    return int(any(fails(each.findings, fail_on) for each, _ in found))


def _as_code(name: str) -> str | None:
    """A name that is the code of a finding, right or misspelt, also in capitals or with underscores; None for others, and for files."""
    code = name.lower().replace("_", "-")
    return code if re.fullmatch("[a-z]+(-[a-z0-9]+)+", code) and not Path(name).exists() else None


def _write_page(code: str, options: Mapping[str, object], output: str | None) -> int:
    """Write the page of a finding; raises InvalidInput for options, which are of bodies."""
    from massprops.cli.check import finding_page

    given = {name: value for name, value in options.items() if value}
    check_applicable(given, kind="finding", more=f"{' '.join(given)} of robot results bodies" if given else "")
    write_output(finding_page(code, output), output)
    return 0


def _write_error(file: str, error: MasspropsError, kind: str, output: str | None) -> int:
    """Write the error of a file as JSON, and on stderr; raise it where that is not asked for."""
    if kind != "json":
        raise error
    write_output(json.dumps(error_object(file, error)) + "\n", output)
    say_error(error)
    return error.exit_code


def _bodies_or_none(
    file: str | None,
    numbers: Numbers,
    packages: RobotFiles,
    geometry: LinkGeometry,
    cad: str,
    against: str | None,
    kind: str,
) -> tuple[list[NamedBody], str, bool, ReadError | None]:
    """Bodies and what else `_bodies_in` finds; none, and the error, for one link that states no inertial: its geometry can have one."""
    if file is None:
        return [numbers.body()], "", False, None
    try:
        return *_bodies_in(file, packages, geometry, cad, against), None
    except ReadError as error:
        if error.code != "no-inertial" or kind == "json" or "#" not in file:
            raise
        return [], "", True, error


def _write_nearest(bodies: list[NamedBody], kind: str, output: str | None) -> int:
    """Write the nearest consistent bodies in a robot format, and on stderr how far they are."""
    from massprops.cli.output_format import check_not_a_robot
    from massprops.formats.bodies import NamedBody, write
    from massprops.rigid_body.nearest import nearest_consistent

    if output is not None:
        check_not_a_robot(output)
    found = [(b, nearest_consistent(b.properties)) for b in bodies]
    for b, near in found:
        name = ": ".join(part for part in (b.place, b.name) if part) or "the body"
        log(f"{name}: {near.distance:.4g} kg m² from the stated inertia, {percent(near.relative)} of its size")
        say_findings(name, [f for f in b.findings if f.severity == "warning"])
    if found:
        write_output(write([NamedBody(b.name, near.body, b.path) for b, near in found], kind)[0], output)
    else:
        log("no inertial has an error: nothing is written")
    return 0


def _bodies_in(
    file: str, packages: Packages, which: LinkGeometry, cad: str, against: str | None
) -> tuple[list[NamedBody], str, bool]:
    """The only body of a file or the one that is named, and whether it is computed from geometry; of several those with an error, and
    what to say if none has one.
    """
    from massprops.diagnosis.explanation import OF_ROBOTS
    from massprops.measurement.inferred import known_bodies

    contents = known_bodies(file, search=packages.search(), cad=cad)
    for text in contents.of_rows:
        log(text)
    if len(bodies := contents.bodies) == 1:
        return list(bodies), "", bool(contents.computed) or bodies[0].inferred
    if against is not None:
        names = ", ".join(b.name or b.place for b in bodies[:8]) + (" …" if len(bodies) > 8 else "")
        raise InvalidInput(f"{file}: has {len(bodies)} bodies: {names}", hint=f"name one: {file}#{bodies[0].name}")
    found: dict[str | None, ComparedLink] = {}
    if all(b.dialect in OF_ROBOTS for b in bodies):
        from massprops.diagnosis.robot_links import link_findings

        found = {f.link.name: f for f in link_findings(Address.parse(file).path, None, packages.links(which))}
    stated = [b for b in bodies if not (b.inferred or any(b is own for own in contents.computed))]
    unseen = [b.name or "?" for b in stated if b.name not in found or found[b.name].numbers.get("volume") is None]
    remark = "no inertial has an error"
    if unseen:
        seen = len(stated) - len(unseen)
        remark = f"no inertial is impossible, and {seen} of {len(stated)} were compared with geometry: {some(unseen)} "
        remark += "has none that can be measured" if len(unseen) == 1 else "have none that can be measured"
    suspect = [b for b in bodies if fails(b.all_findings, "error") or (_is_wrong(found.get(b.name)) and not b.inferred)]
    return suspect, remark, False


def _is_wrong(link: ComparedLink | None) -> bool:
    """Whether the comparison of a link has an error, or a warning where it would be one against the visual geometry."""
    from massprops.diagnosis.link_geometry import UNMEASURED

    if link is None:
        return False
    solid = None if link.geometry is None else link.geometry.solid
    compared = [f for f in link.findings if f.code not in (*UNMEASURED, "other-geometry")]
    return fails(compared, "warning" if solid is not None and solid.is_simpler else "error")


def _from_geometry(
    file: str,
    bodies: Sequence[NamedBody],
    error: ReadError | None,
    which: LinkGeometry,
    packages: RobotFiles,
    on: TextOutput,
) -> str:
    """Inertial from the geometry of a link that states none; empty, or `error` raised, if the geometry is not measured."""
    from massprops.diagnosis.robot_links import measured_link
    from massprops.formats.bodies import NamedBody
    from massprops.formats.bodies.snippets import snippet
    from massprops.formats.inertial.inertial import without_rounding
    from massprops.measurement.inferred import inferred_body
    from massprops.writers.explain import geometry_text

    address, options = Address.parse(file), packages.links(which)
    path = address.path
    link, measured = measured_link(path, address.link or bodies[0].name or "", options)
    if measured is None or measured.solid is None or not measured.complete:
        if error is None:
            return ""
        why = "" if measured is None else measured.findings[-1].message  # `fill` cannot measure it either
        raise ReadError(error.text, code=error.code, hint=why) from error
    uniform = without_rounding(MassProperties.from_moments(measured.solid.moments, density=_DENSITY))
    inferred = inferred_body(link, options.measurer(path))
    link = replace(link, default=inferred or link.default)  # with what MuJoCo changes
    inferred = inferred if inferred and inferred.properties.mass else None  # a geom may count
    body = inferred or link.body or NamedBody(link.name, uniform, path)
    text = snippet(body.properties, link.dialect, (1.0, 1.0, -1.0) if link.is_mirrored else ())
    named = shell_word(path) if packages.base is None else f"- --base {shell_word(packages.base)}"
    command = f"massprops fill {named} --links {shlex.quote(link.name or '')}"
    command += " --mass-from density" * any(g.weighed for g in (*link.visual, *link.collision))
    return geometry_text(link, measured, None if body.inferred else _DENSITY, text, command, on)
