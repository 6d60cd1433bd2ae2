"""The one table of quantities: of measured bodies, sections, and bodies without geometry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from rich.text import Text

from massprops.measurement.output_units import OutputUnits
from massprops.measurement.short_table import Quantity
from massprops.moments.arrays import Array
from massprops.report.console import Screen
from massprops.rigid_body.as_json import Products, inertia_about, with_sign
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.uncertain import View
from massprops.units import Dimension

#: Longer titles get a line of their own.
_TITLE = 22
_TENSOR = (("Ixx", 0, 0), ("Iyy", 1, 1), ("Izz", 2, 2), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyz", 1, 2))


def laid_out(quantities: Sequence[Quantity], units: OutputUnits, screen: Screen) -> Iterator[Text]:
    """Titles, up to three numbers in a line, each with its name, and a column for ±; one number a line where that is too wide."""
    entries = [q.entries(units) for q in quantities]
    number = max(len(n) for row in entries for _, n in row)
    name = max(len(n) for row in entries for n, _ in row)
    title = max((len(q.title(units)) for q in quantities if len(q.title(units)) <= _TITLE), default=0)
    most = max(len(row) for row in entries)
    column = title + min(most, 3) * (name + number + 2) + 2
    if screen.width < column + max(len(q.errors(units)) for q in quantities):
        yield from _narrow(quantities, units, screen)
        return
    for q, row in zip(quantities, entries, strict=True):
        label = q.title(units)
        if len(label) > title:
            yield Text(label, style="bold")
            label = ""
        for start in range(0, len(row), 3):
            line = f"{label:<{title}}" + "".join(f" {n:>{name}} {x:>{number}}" for n, x in row[start : start + 3])
            yield Text(f"{line:<{column}}{'' if start else q.errors(units)}".rstrip())
            label = ""


def _narrow(quantities: Sequence[Quantity], units: OutputUnits, screen: Screen) -> Iterator[Text]:
    indent = "  " if screen.width >= 22 else ""
    for q in quantities:
        entries, title = q.entries(units), q.title(units)
        if len(entries) == 1:
            line = f"{title:<19}{entries[0][1]:>9}  {q.errors(units)}".rstrip()
            if len(line) <= screen.width and len(title) < 19:
                yield Text(line)
                continue
        yield Text(title, style="bold")
        for i, (name, number) in enumerate(entries):
            line, error = f"{indent}{name:<4}{number:>12}", q.errors(units, i) if len(entries) <= 3 else ""
            is_long = len(line) + 2 + len(error) > screen.width
            yield Text(line if is_long else f"{line}  {error}".rstrip())
            if is_long:
                yield Text(f"{indent}{error:>16}")
        if len(entries) > 3 and q.errors(units):
            yield Text(f"{indent}each {q.errors(units):>11}")


def off_by(q: Quantity, bound: ArrayLike | None, sigma: ArrayLike | None = None) -> Quantity:
    """The quantity with bounds and standard deviations of its numbers, where there are any."""
    off, deviations = (None if x is None or not np.any(x) else np.ravel(x).tolist() for x in (bound, sigma))
    return replace(q, off=off if off else q.off, sigma=deviations)


def _of_view(q: Quantity, view: View | None) -> Quantity:
    return q if view is None else off_by(q, *view)


def six(tensor: Array) -> list[float]:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a tensor, shape (3, 3)."""
    return [float(tensor[i, j]) for _, i, j in _TENSOR]


def centre(body: MassProperties, name: str = "Centre of mass") -> Quantity:
    """The centre of mass; what is small beside the body is rounding."""
    radii = body.radii_of_gyration
    return Quantity(name, (0, 1), body.com.tolist(), scale=0.0 if radii is None else float(radii.max()))


def inertias(
    body: MassProperties,
    units: OutputUnits,
    *,
    verbose: bool,
    about: ArrayLike | str | None,
    products: Products,
    axes: str = "",
    label: str = "Inertia",
    dimension: Dimension = (1, 2),
) -> Iterator[Quantity]:
    """The tensor about the centre of mass and about the point that was asked for, and principal moments; `verbose`: axes and radii."""
    off = body.uncertainty if body.sources and body.uncertainty.mass_is_certain else None
    sign = "−" if products == "tensor" else "+"
    points: list[ArrayLike | str] = ["com"]
    if about is not None and not (isinstance(about, str) and about == "com"):
        points.append(about)
    elif about is None and verbose:
        points.append("origin")
    for point in points:
        tensor = Quantity(
            f"{label} about {_place(point, units)}{axes}, Ixy = {sign}∫ρxy",
            dimension,
            six(with_sign(inertia_about(body, point), products)),
            names=[name for name, _, _ in _TENSOR],
        )
        view = None
        if off is not None:
            where = np.zeros(3) if isinstance(point, str) else point
            view = off.inertia if isinstance(point, str) and point == "com" else off.inertia_about(where)
        yield tensor if view is None else off_by(tensor, six(view.bound), six(view.sigma))
    principal = body.principal()
    names = ("I1", "I2", "I3")
    moments = Quantity("  principal moments", dimension, principal.moments.tolist(), names=names, is_below=True)
    yield _of_view(moments, None if off is None else off.principal_moments)
    if verbose:
        for i, (axis, free) in enumerate(zip(principal.axes.tolist(), principal.arbitrary, strict=True), 1):
            yield Quantity(f"Axis of I{i}{' (any)' if free else ''}", (0, 0), axis)
        if (radii := body.radii_of_gyration) is not None:
            gyration = Quantity("Radii of gyration", (0, 1), radii.tolist(), names=("kx", "ky", "kz"))
            yield _of_view(gyration, None if off is None else off.radii_of_gyration)


def _place(about: ArrayLike | str, units: OutputUnits) -> str:
    if isinstance(about, str):
        return "the centre of mass" if about == "com" else "the origin"
    return in_words(np.asarray(about, dtype=np.float64).tolist(), units)


def in_words(point: Sequence[float], units: OutputUnits) -> str:
    """``(0, 0, 12.5) mm``."""
    return f"({', '.join(units.number(units.of(x, (0, 1))) for x in point)}) {units.length}"
