"""A measurement in words: method, grade, the checks that it passed, and the parts of the ± of its volume.

Tests: `tests/writers/test_measurement.py`.
"""

from __future__ import annotations

from massprops.measurement.result import Measurement
from massprops.wording import LEAST_SHARE, percent, plural

METHODS = {
    "exact": "solid",
    "hull": "convex hull",
    "shell": "thin shell",
    "wall": "wall inside the surface",
    "infill": "wall and infill",
    "lamina": "section",
    "extrusion": "section and the solid above it",
}
_GRADES = {
    "proved": "no two facets cross",
    "certified": "the surface bounds every point once",
    "closed": "the surface is closed and consistently wound",
    "repaired": "after the repairs listed below",
    "estimated": "an estimate",
    "unverified": "the surface is not verified",
}
_SURFACES = {
    "proved": "closed and consistently wound; no two facets meet but in edges and corners that they share; ",
    "certified": "closed and consistently wound; winding number 0 or 1 on every line of the X-ray; ",
    "repaired": "after the repair closed and consistently wound; ",
    "closed": "closed and consistently wound; ",
}
_XRAYED = "after the repair closed and consistently wound, winding number 0 or 1 on every line of the X-ray; "
_RINGS = dict.fromkeys(_SURFACES, "rings close and bound one area; ")
_SOURCES = {
    "arithmetic": "arithmetic",
    "resolution": "coordinates as the file rounds them",
    "chord": "chord tolerance",
    "faces": "faces that are not flat",
    "matter": "density, mass or thickness",
    "xray": "overlaps between the lines of the X-ray (99.9 %)",
    "overlap": "overlaps that were found",
    "parts": "the parts",
    "estimate": "the estimate",
    "weld": "welded vertices",
    "split": "split edges",
    "fill": "filled holes",
    "nested": "bodies inside others",
    "inverted": "bodies inside out",
    "wall": "the wall",
}
#: Sources of the ± that repairs add.
_REPAIRS = ("weld", "split", "fill", "nested", "inverted", "estimate")
_PLANE_GRADES = _GRADES | {
    "certified": "polygons of which none crosses or touches another",
    "closed": "the rings close and bound one area",
}


def size_text(m: Measurement) -> str:
    """``12 facets``, ``2 rings``, or ``exact surfaces`` of a solid that is not made of facets."""
    if m.section is not None:
        return plural(m.input.rings or 0, "ring")
    return "exact surfaces" if m.input.facets is None else plural(m.input.facets, "facet")


def grade_in_words(m: Measurement) -> str:
    """The grade of its surface or rings, in words; of an estimate how much the repairs leave open."""
    if m.grade == "estimated" and m.repairs and m.volume:
        opened = sum(s.volume or 0.0 for name, s in m.sources.items() if name in _REPAIRS)
        if opened < LEAST_SHARE * m.volume:
            return "an estimate: a flat face was assumed in each gap that was filled"
        return f"an estimate: the repairs leave {percent(opened / m.volume)} of the volume open"
    return (_GRADES if m.section is None else _PLANE_GRADES)[m.grade]


def checks_text(m: Measurement) -> str:
    """The checks that the numbers passed, with margins; empty if there were none."""
    surface = (_SURFACES if m.section is None else _RINGS).get(m.grade, "")
    if surface == _SURFACES["repaired"] and "xray" in m.sources and "overlap" not in m.sources:
        surface = _XRAYED
    if m.method == "lamina" and m.density is None:
        return surface.removesuffix("; ")
    # a lamina's is zero, whatever rounding says
    margin = max(0.0, m.unit_density_properties.consistency().triangle_margin)
    return f"{surface}positive mass; pseudo-inertia positive; triangle inequality holds by {percent(margin)} of the largest moment"


def volume_errors(m: Measurement) -> list[tuple[str, float]]:
    """The parts of the ± of the volume by their source, m³."""
    return [(_SOURCES.get(name, name), s.volume) for name, s in m.sources.items() if s.volume]
