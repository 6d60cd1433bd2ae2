"""`massprops sample`: a folder of robots whose inertials vary at random, with a manifest.

Tests: `tests/cli/test_sample_command.py`.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING

from massprops.cli.groups import Text, output_option
from massprops.cli.options import Packages
from massprops.cli.streams import log, note, note_relative
from massprops.declarations import argument, option
from massprops.errors import InvalidInput
from massprops.formats.files import check_within_roots
from massprops.formats.saving import cannot_write
from massprops.wording import plural

if TYPE_CHECKING:
    from massprops.filling.robot_samples import RobotSamples

_SPREAD = "Standard deviations"
#: The file beside the samples that has their settings and numbers.
MANIFEST = "manifest.json"


def sample(
    *,
    robot: str = argument("ROBOT", "URDF, SDF or MJCF, whose inertials are the means."),
    n: int = option(None, "Number of samples.", "--n", "-n", default=1, min=1),
    seed: int = option(None, "The same seed gives the same bytes.", default=0, min=0),
    mass: Text = option(_SPREAD, "Of the mass of each link: 5%.", metavar="SHARE"),
    com: Text = option(_SPREAD, "Of each coordinate of its centre of mass: 3mm.", metavar="LENGTH"),
    inertia: Text = option(_SPREAD, "Of its second moment per mass, along every direction: 10%.", metavar="SHARE"),
    links: list[str] | None = option(
        "Links", "Name or pattern of the links that vary; repeatable. [default: all]", metavar="WHICH"
    ),
    packages: Packages,
    output: str = output_option(
        "Folder of the samples and manifest.json; a new or an empty one.", "FOLDER", default=MISSING
    ),
) -> int:
    """Write robots with random inertials: they stay physically possible, for domain randomisation.

    The means are the numbers of the file. No byte outside the inertials changes.
    """
    if robot == "-":
        raise InvalidInput("a robot on standard input has no meshes beside it", hint="name a file")
    from massprops.filling.robot_samples import sample as sample_robot

    packages.check_files([robot])
    search = packages.search()
    samples = sample_robot(
        robot,
        n=n,
        mass=mass,
        com=com,
        inertia=inertia,
        seed=seed,
        links=links or "*",
        packages=search.packages,
        package_path=search.package_path,
        allow_outside=search.allow_outside,
    )
    if samples.unchanged:
        note(f"unchanged: {plural(len(samples.unchanged), 'link')} without an inertial or not chosen")
    _write(samples, Path(output))
    return 0


def _write(samples: RobotSamples, folder: Path) -> None:
    """Write the samples and the manifest into a folder, all or nothing."""
    try:
        check_within_roots(folder)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InvalidInput("is not an empty folder", place=str(folder), hint="choose another --output")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".massprops-", dir=folder.parent) as temporary:
            place = Path(temporary, "samples")
            place.mkdir()
            made, changed = [], list[str]()
            for each in samples:
                (place / each.name).write_bytes(each.data)
                made.append(each.to_dict())
                changed += [f"as in {each.name}: {f.message}" for f in each.findings[:1]]
            manifest = json.dumps(samples.settings() | {"samples": made}, indent=2, allow_nan=False)
            (place / MANIFEST).write_text(manifest + "\n", encoding="utf-8")
            if folder.exists():
                folder.rmdir()
            place.rename(folder)
    except OSError as error:
        raise cannot_write(error, str(folder)) from error
    if changed:
        which = f"{len(changed)} of {plural(len(samples), 'sample')}"
        log(f"warning: MuJoCo does not take {which} as written, {changed[0]}; {MANIFEST} lists all")
    note_relative(samples.relative_meshes(), samples.path, folder)
    note(f"{plural(len(samples), 'sample')} and {MANIFEST} in {folder}")
