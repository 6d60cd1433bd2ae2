"""Torsion of a bar with a plane section: torsion constant, warping constant and shear centre, by the finite elements of sectionproperties.

The region is meshed with quadratic triangles, each time with a quarter of the area and of the distance from polygon to curve, until two
meshes agree. At a corner with the angle α > π inside, where the stress is singular, the error falls by 2^(2π/α) from one mesh to the next,
which is 2 at least: what is left is then smaller than the last difference, which is the ±. It is an estimate and no bound.
"""

from __future__ import annotations

import functools
import operator
import warnings
from itertools import combinations
from typing import Any

import numpy as np

from massprops.errors import InvalidInput, Remedy, needing
from massprops.moments.arrays import Array
from massprops.section.properties import Section, Torsion

#: Two meshes agree where both constants differ by less than this share, and the shear centre by less than this share of the size.
AGREEMENT = 1e-3
#: Of the first mesh, the triangles at least, and the distance from polygon to curve over the mean half thickness.
_FIRST, _FLATNESS = 100, 2e-3
#: No mesh that can have more elements than this is made, whether the last two agree or not.
_MOST, _GROWTH = 30_000, 5
#: Warping constants below this share of the area times the polar moment are zero: of circles and thin circular tubes.
_NO_WARPING = 1e-6
#: Rings that are this near, as a share of the size, touch.
_TOUCHING = 1e-9
_APART = Remedy("move apart rings that touch in a point, or leave {} out", "torsion")


def torsion_of(section: Section, name: str) -> Torsion:
    """The torsion of a section, which messages call `name`.

    Raises
    ------
    InvalidInput
        If it has several materials or pieces, is too slender to be meshed, or the equations of its mesh have no solution.
    MissingExtra
        If sectionproperties is not installed.
    """
    if any(abs(o.weight) != 1.0 for o in section.outlines):
        what = "torsion is that of one material, and the parts have ratios"
        raise InvalidInput(what, place=name, hint=Remedy("leave the ratios out, or {}", "torsion"))
    with needing("torsion", "torsion needs the finite elements of sectionproperties"):
        import sectionproperties.analysis  # noqa: F401  # matplotlib with it: seconds
    size, thickness = float(np.ptp(section.bounds, axis=0).max()), section.area / section.perimeter
    if (least_mesh := section.perimeter / 4 / thickness) > _MOST:  # squares as wide as the wall
        what = f"torsion would need more than {least_mesh:,.0f} elements: the section is {section.perimeter:.4g}\xa0m round"
        what += f", and on average {2 * thickness:.4g}\xa0m thick"
        raise InvalidInput(what, place=name, hint=Remedy("use a formula of thin walls, or leave {} out", "torsion"))
    powers = np.array([4, 6, 1, 1])

    def solved(level: int, grown: float = 0.0) -> tuple[Array, int]:
        region = _region(section, name, _FLATNESS * thickness / 4**level, grown)
        values, elements = _solved(region, section.area / _FIRST / 4**level, size)
        if not np.isfinite(values).all():
            what = "the equations of torsion have no solution on the mesh of this section"
            raise InvalidInput(what, place=name, hint=_APART)
        return values * size**powers, elements

    least = np.array([0.0, _NO_WARPING * section.area * section.polar, size, size])
    first, elements = solved(0)
    values, off, level = first, np.full(4, np.inf), 0
    while (off > AGREEMENT * np.maximum(np.abs(values), least)).any() and _GROWTH * elements <= _MOST:
        level += 1
        finer, elements = solved(level)
        values, off = finer, np.abs(finer - values)
    if section.edge_error:
        # more material is stiffer: the true constant lies between those of the outline moved out and in
        off = off + np.max([np.abs(solved(0, side * section.edge_error)[0] - first) for side in (1, -1)], axis=0)
    center = section.centroid + values[2:]
    return Torsion(float(values[0]), float(values[1]), center, float(off[0]), float(off[1]), off[2:], elements)


def _region(section: Section, name: str, tolerance: float, grown: float) -> Any:
    """The outlines as a polygon of shapely about the centroid, moved outward by `grown`; refused if it is not one piece."""
    import shapely

    outlines = [(o.flattened(tolerance / s) - section.centroid / s) * s for o, s, _ in section.outlines]
    region = functools.reduce(operator.xor, (shapely.Polygon(points).buffer(0) for points in outlines))
    slack = 1e-9 * section.area + (tolerance + section.edge_error) * section.perimeter
    hint = Remedy("measure each piece alone, or leave {} out", "torsion")
    if abs(region.area - section.area) > slack:
        what = "torsion needs outlines that neither overlap nor touch themselves"
        raise InvalidInput(what, place=name, hint=hint)
    region = region.buffer(grown, join_style="mitre") if grown else region
    if (pieces := shapely.get_num_geometries(region)) != 1:
        what = f"torsion needs one connected piece, and this section has {pieces}"
        raise InvalidInput(what, place=name, hint=hint)
    (piece,) = shapely.get_parts(region)
    size = float(np.ptp(section.bounds, axis=0).max())
    # the mesh generator can crash on these
    if any(a.distance(b) <= _TOUCHING * size for a, b in combinations([piece.exterior, *piece.interiors], 2)):
        what = "the equations of torsion have no solution where two rings of the section touch"
        raise InvalidInput(what, place=name, hint=_APART)
    return piece


def _solved(region: Any, area: float, size: float) -> tuple[Array, int]:
    """J, Γ and the shear centre in powers of `size`, on a mesh of triangles up to `area`; and the number of elements."""
    from sectionproperties.analysis.section import Section as Elements
    from sectionproperties.pre.geometry import Geometry
    from shapely.affinity import scale

    unit = 1 / size
    geometry = Geometry(scale(region, unit, unit, origin=(0, 0)))
    geometry.create_mesh(mesh_sizes=[area * unit**2])
    elements = Elements(geometry)
    elements.calculate_geometric_properties()
    with warnings.catch_warnings():  # that a matrix is singular: the values are then no numbers
        warnings.simplefilter("ignore")
        elements.calculate_warping_properties()
    values = np.array([elements.get_j(), elements.get_gamma(), *elements.get_sc()], dtype=np.float64)
    return values, len(elements.elements)
