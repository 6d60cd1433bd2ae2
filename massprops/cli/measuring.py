"""Groups of options about how meshes are measured: those of compute, check and diff."""

from __future__ import annotations

from typing import Any

from massprops.cli.groups import INVALID, MATERIAL, UNITS, Group, Text, option
from massprops.cli.options import parse_parts
from massprops.grades import MeasuredAs, Repair
from massprops.mesh.policies import Nested, OnInverted, OnOpen, OnOverlap, Verify
from massprops.values import dataclass


def material_names() -> list[str]:
    """The names that shells complete."""
    from massprops.materials import all_materials

    return [material.name for material in all_materials()]


@dataclass(frozen=True, kw_only=True)
class Material(Group):
    """A density, by number or by name."""

    density: Text = option(
        MATERIAL,
        "kg/m³, or with a unit: 7800, 7.8g/cm3; with a bound ('7800 +- 50') or a standard deviation ('7800 +- 50 sigma').",
        "--density",
        "-d",
    )
    material: Text = option(MATERIAL, "A name from 'massprops materials'.", "--material", "-m", complete=material_names)


@dataclass(frozen=True, kw_only=True)
class MassSpecification(Material):
    """Everything that a mass can follow from."""

    mass: Text = option(MATERIAL, "kg, or with a unit: 1.2kg, 340g, '1.2kg +- 5%'.")
    area_density: Text = option(
        MATERIAL, "Mass per area of a sheet (thin shape, section, --on-open shell): kg/m², 80gsm."
    )
    thickness: Text = option(
        MATERIAL, "Thickness of a sheet, with a density; height of the solid above a section: 1.5mm."
    )


@dataclass(frozen=True, kw_only=True)
class Parts(Group):
    """What the parts of a file are made of."""

    part_density: list[str] | None = option(
        MATERIAL,
        "Density of an object, group, node, layer or material of the file; a pattern ('bolt*') for several; repeatable.",
        metavar="NAME=DENSITY",
    )
    part_material: list[str] | None = option(MATERIAL, "The same by material: 'bolt*=steel'.", metavar="NAME=MATERIAL")

    def parsed(self) -> dict[str, Any]:
        """The options of the library."""
        return {
            "densities": parse_parts("--part-density", self.part_density, "NAME=DENSITY", "bolt=7800"),
            "materials": parse_parts("--part-material", self.part_material, "NAME=MATERIAL", "bolt=steel"),
        }


@dataclass(frozen=True, kw_only=True)
class MeasuredAsOptions(Group):
    """What the surface of a mesh is measured as."""

    kind: MeasuredAs | None = option(
        MATERIAL,
        "Measure the solid inside a surface, the surface as a thin sheet, or a wall inside it. [default: solid]",
        "--as",
    )
    infill: Text = option(MATERIAL, "Wall: share of its interior that is filled: 15%.", metavar="SHARE")


@dataclass(frozen=True, kw_only=True)
class Coordinates(Group):
    """What the coordinates of a file mean."""

    units: Text = option(
        UNITS,
        "Length unit of the coordinates: mm, in … [default: as the file states, else m]",
        "--units",
        "-u",
        metavar="UNIT",
        complete=lambda: ("mm", "cm", "m", "um", "in", "ft"),
    )
    chord_tolerance: Text = option(
        UNITS,
        "Largest distance of facets or outlines from the true surface: the export's setting.",
        metavar="LENGTH",
    )


@dataclass(frozen=True, kw_only=True)
class InvalidSurfaces(Group):
    """What is measured if a surface is not a valid solid."""

    on_open: OnOpen | None = option(
        INVALID,
        "Open or inconsistently oriented surface: refuse, integrate as it is, measure the convex hull, or measure "
        "the surface as a sheet. [default: error]",
    )
    on_inverted: OnInverted | None = option(
        INVALID, "Inside-out surface: refuse, or reverse all faces. [default: error]"
    )
    on_overlap: OnOverlap | None = option(
        INVALID,
        "Overlapping or self-intersecting solids: refuse (above 0.1 % of the volume), count the overlap twice, or take "
        "the union. [default: error]",
    )
    repair: Repair | None = option(
        INVALID,
        "Repair a surface that would be refused: never, if repairs leave less than 0.01 % of the volume open, or also "
        "wider gaps, holes and unions. [default: safe; in check: none]",
    )
    max_uncertainty: Text = option(
        INVALID,
        "Largest ± of the volume (section: area), repairs included: 1%. [default, of repairs alone: 0.01 %; full: 10 %]",
        metavar="SHARE",
    )
    nested: Nested | None = option(
        INVALID, "Solid inside another, same orientation: refuse, a cavity, or part of the solid. [default: ask]"
    )
    verify: Verify | None = option(
        INVALID,
        "What is verified: nothing; that the surface is closed; the winding number on X-ray lines; that no facets meet, "
        "a proof; or the proof up to 200,000 facets and the X-ray above. [default: auto]",
    )


@dataclass(frozen=True, kw_only=True)
class Measuring(InvalidSurfaces, Coordinates, MeasuredAsOptions, MassSpecification):
    """All of them."""
