"""`massprops report`: numbers, findings and a view of files as one HTML page.

Tests: `tests/writers/test_page.py`.
"""

from __future__ import annotations

import shlex
from dataclasses import MISSING
from pathlib import PurePath

from massprops.access import access
from massprops.cli import options
from massprops.cli.groups import Text, output_option
from massprops.cli.measuring import MEASURED, Shown
from massprops.cli.options import Configured, FailOn, Joints, RobotMeshes, fails
from massprops.cli.streams import note, say_error, write_output
from massprops.declarations import INVALID, UNITS, argument, check_kinds, option
from massprops.errors import InvalidInput
from massprops.formats.kinds import measured_kind
from massprops.measurement.options import Options


def report(
    *,
    files: list[str] = argument(
        "FILE...", "Meshes, robots (.urdf .sdf .mjcf .xml), plane files, assemblies (.toml) and tables of masses."
    ),
    output: str = output_option("The page: .html.", default=MISSING),
    measuring: Shown,
    packages: RobotMeshes,
    joints: Joints,
    output_units: Text = option(
        UNITS, "Units of the numbers: mm,g or in,lb. [default: those of each file]", metavar="UNITS", common=True
    ),
    configured: Configured,
    digits: int | None = option(UNITS, "Significant digits.", metavar="N", min=1, max=17),
    fail_on: FailOn = option(INVALID, "Exit 1 if there is a finding of this severity or worse.", default="error"),
) -> int:
    """Write an HTML page about bodies: numbers with their ±, what was verified, findings, and a view to rotate and cut.

    The page is one file that opens offline. The options of compute are for meshes and plane files; others state their masses.
    """
    from massprops.checking.config import Config
    from massprops.measurement.output_units import OutputUnits
    from massprops.writers.page.entries import PageOptions, entry_of
    from massprops.writers.page.page import document

    if "-" in files:
        raise InvalidInput("standard input is not reported on", hint="name a file")
    if output != "-" and PurePath(output).suffix.lower() not in (".html", ".htm"):
        raise InvalidInput("a report is written as HTML", place=output, hint="choose a .html file")
    OutputUnits().chosen(output_units)
    kinds = {path: measured_kind(path) for path in files}
    measuring.check(kinds.values())
    check_kinds(joints.given() | packages.given(), kinds.values())
    packages.require_gltf(files)
    config = configured.of_measurements() or Config()
    given = {path: measuring.for_kind(kind, kinds.values()) for path, kind in kinds.items()}
    own = {p: options.config_options(config, p, given[p], kind == "section") for p, kind in kinds.items()}
    page = PageOptions(
        options={p: Options(**own[p], **given[p], hash=True) for p, kind in kinds.items() if kind in MEASURED},
        config=config,
        links=packages.links(config=config),
        joints=joints.values,
        units=output_units or config.run.output_units,
        digits=digits,
        reference=measuring.reference,
    )
    entries = [entry_of(path, page) for path in files]
    write_output(document(entries, shlex.join(["massprops", *access().words])), output)
    statuses = []
    for entry in entries:
        for error in entry.errors:
            say_error(error, page.units)
        statuses += [error.exit_code for error in entry.errors]
        statuses.append(int(fails((f for _, f in entry.findings), fail_on)))
    if output != "-":
        note(f"{output}: {len(entries)} input{'s' if len(entries) > 1 else ''}")
    return options.worst(statuses)
