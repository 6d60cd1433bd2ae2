"""Groups of the options that `massprops.measurement.options` declares, and what several commands make of them.

Tests: `tests/cli/test_compute.py`, `tests/cli/test_same_numbers.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from massprops.cli.groups import Group, Text
from massprops.cli.options import Motion, parse_about, parse_axis
from massprops.cli.output_format import BodyOutput
from massprops.declarations import MATERIAL, OUTPUT, applicable, check_applicable, option, option_of
from massprops.measurement.options import Options
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.rigid_body.line import InertiaReference

#: Fields of the groups below that are no fields of `Options`.
_NOT_OF_OPTIONS = ("matrix", "frame_matrix", "axis", "about")
#: The other option by which a pose is given.
_MATRICES = {"pose": "matrix", "frame": "frame_matrix"}
#: Kinds of files that are measured; the others state what they weigh.
MEASURED = ("mesh", "section")


@dataclass(frozen=True, kw_only=True)
class FileOptions(Group, of=Options):
    """Options of all commands that measure files."""


@dataclass(frozen=True, kw_only=True)
class MassOptions(Group, of=Options, scope="file body", panel=MATERIAL):
    """Options that a mass can follow from."""


@dataclass(frozen=True, kw_only=True)
class Measuring(Motion, of=Options, scope="file body parts"):
    """Options of the commands that show bodies: what is measured, where it is, and a line that its inertia is shown about."""

    axis: Text = option(
        OUTPUT,
        "Inertia and radius of gyration about a line, too: a point of it and its direction.",
        metavar="'X Y Z DX DY DZ'",
    )

    def given(self) -> dict[str, Any]:
        """The options of `Options` that were given, with the pose or the frame that a matrix is."""
        given = super().given()
        found = {name: value for name, value in given.items() if name not in _NOT_OF_OPTIONS}
        poses = {"pose": self.pose_in_parent, "frame": self.pose_of_observer}
        return found | {name: pose for name, pose in poses.items() if pose is not None}


@dataclass(frozen=True, kw_only=True)
class Shown(Measuring):
    """Options of the commands that show files of several kinds, each with what is for it."""

    about: Text = option_of(BodyOutput, "about", help="Point of the inertia, beside the centre of mass.", common=False)

    def check(self, kinds: Collection[str]) -> None:
        """Raise InvalidInput for an option that is for no file of these kinds, or a point or line that is none."""
        parse_about(self.about, flat={*kinds} <= {"section", "results"})
        parse_axis(self.axis)
        given = self.given()
        used = {name for kind in kinds for name, value in self.for_kind(kind, kinds).items() if value}
        # which others need
        beside: dict[str, Any] = {name: given[name] for name in ("kind", "thickness") if name in given}
        kind = min(kinds, key=lambda kind: kind in MEASURED, default="mesh")
        for name, value in given.items():
            if name not in used:
                named = name if getattr(self, name) is not None else _MATRICES[name]
                check_applicable({**beside, named: value}, kind=kind, more=f"{named} of mesh section")

    def for_kind(self, kind: str, among: Collection[str] = ()) -> dict[str, Any]:
        """The options of measurements that are for a kind of file; among plane files, those of sheets are not for meshes."""
        found = applicable(self.given(), kind) if kind in MEASURED else {}
        if kind == "mesh" and "section" in among and not {"kind", "on_open"} & found.keys():
            found = {name: value for name, value in found.items() if name not in ("thickness", "area_density")}
        return found

    def reference(self, unit: str) -> InertiaReference:
        """The point and the line that inertia is shown about; lengths without a unit are in this one."""
        from massprops.rigid_body.line import InertiaReference

        about = parse_about(self.about, flat=True, unit=unit)
        return InertiaReference(
            [*about, 0.0][:3] if isinstance(about, list) else about, parse_axis(self.axis, unit=unit)
        )


@dataclass(frozen=True, kw_only=True)
class ResultOptions(Group, of=Options, scope="result"):
    """Options of single results."""
