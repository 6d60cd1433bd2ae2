"""An explanation as text for people: possible or not, the box with these numbers, the findings, and the hypotheses.

Tests: `tests/cli/test_explain.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from massprops.diagnosis.explanation import Explanation, Hypothesis
from massprops.diagnosis.link_geometry import MeasuredGeometry
from massprops.formats.escaping import plain
from massprops.formats.robot.links import Link
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.quantities import Quantity
from massprops.rigid_body.nearest import Nearest
from massprops.wording import percent, sizes
from massprops.writers.console import Hanging, TextOutput, finding_lines
from massprops.writers.quantities import TENSOR_NAMES, six

_VERDICTS = {
    "unneeded": "The numbers need no mistake to explain them.",
    "none": "No common mistake explains it.",
    "unique": "One common mistake would explain it. A hypothesis, not a correction:",
    "ambiguous": "Several common mistakes would explain it, and the numbers do not decide which. Hypotheses, not corrections:",
}
SENSES = {"frobenius": "Frobenius sense", "affine-invariant": "affine-invariant sense, at the geometry"}
#: Of several hypotheses the first are printed in full; JSON has them all.
SHOWN = 4


def geometry_text(
    link: Link, measured: MeasuredGeometry, density: float | None, text: str, command: str, screen: TextOutput
) -> str:
    """The inertial that the geometry of a link without one gives at a density, or as it is inferred, and the command that writes it."""
    units, volume = screen.units(), 0.0 if measured.solid is None else measured.solid.moments.measure
    if link.body is not None:
        return screen.draw(
            Text.assemble((plain(link.name or "the link"), "bold"), f"  {plain(link.place)}"),
            *(Text(plain(f.marked)) for f in link.findings),
            *finding_lines(link.body.findings, screen, units),
            *_pasted(text),
            Text(plain(f"'{command}' writes it into the file")),
        )
    has = f"The {measured.which} geometry has {units.text(volume, (0, 3))}; "
    gives = "the simulator infers" if density is None else f"at {units.text(density, (1, -3))} that is"
    return screen.draw(
        Text.assemble((plain(link.name or "the link"), "bold"), f"  {plain(link.place)}"),
        Text("no inertial is stated"),
        *finding_lines(() if link.default is None else link.default.findings, screen, units),
        *(Text(plain(units.sentence(f.marked)), style="yellow") for f in measured.findings),
        *finding_lines(measured.warnings, screen, units),
        Text(has + gives),
        *_pasted(text),
        Text(plain(f"'{command} --density DENSITY' writes the inertial of a density into the file")),
    )


def explanation_text(found: Explanation, remarks: Sequence[str], screen: TextOutput) -> str:
    """The explanation on so many columns."""
    if screen.quiet:
        return screen.draw(*finding_lines(found.findings, screen, screen.units())) if found.findings else ""
    return screen.draw(*(Hanging(part) if isinstance(part, Text) else part for part in _parts(found, remarks, screen)))


def _parts(found: Explanation, remarks: Sequence[str], screen: TextOutput) -> Iterator[RenderableType]:
    body, units = found.body, screen.units()
    yield Text(plain(body.name or "the body"), style="bold") + Text(
        f"  {plain(body.place)}" if body.place else "", style=""
    )
    possible = found.report.ok
    yield Text(
        "possible" if possible else "impossible: no distribution of mass has these numbers",
        style="" if possible else "bold red",
    )
    margin = found.report.triangle_margin
    word = "holds by" if margin >= 0 else "is violated by"
    yield Text(f"the triangle inequality {word} {percent(abs(margin))} of the largest moment")
    yield Text("")
    yield from _shape(found, units)
    for remark in remarks:
        yield Text(plain(units.sentence(remark)), style="yellow")
    if found.findings:
        yield Text("")
    yield from finding_lines(found.findings, screen, units)
    yield Text("")
    yield Text(_VERDICTS[found.verdict], style="bold")
    for number, hypothesis in enumerate(found.hypotheses[:SHOWN], start=1):
        yield from _hypothesis(number, hypothesis)
    if len(found.hypotheses) > SHOWN:
        yield Text(f"and {len(found.hypotheses) - SHOWN} more: see --format json")
    for near in found.nearest or ():
        yield from _nearest(found, near, units)


def _nearest(found: Explanation, near: Nearest, units: OutputUnits) -> Iterator[RenderableType]:
    """How far the nearest consistent inertia is, which entries differ, and the inertial to paste."""
    yield Text("")
    distance, dimension = near.distance, (1, 2)
    size = units.text(distance, dimension) if near.sense == "frobenius" else f"{distance:.4g}"
    yield Text(f"Nearest possible inertia, {SENSES[near.sense]} [{units.label(dimension)}]", style="bold")
    if not distance:
        yield Text("the stated one: it is possible")
        return
    yield Text(f"distance {size}, {sizes(near.relative)}; mass and centre are kept")
    stated, after, change = (six(m) for m in (found.body.properties.inertia, near.body.inertia, near.change))
    yield Text(f"    {'stated':>11} {'nearest':>11} {'change':>11}")
    for name, *row in zip(TENSOR_NAMES, stated, after, change, strict=True):
        yield Text(f"{name} " + " ".join(f"{units.number(units.of(x, dimension)):>11}" for x in row))
    yield from _pasted(found.text_of(near.body))


def _shape(found: Explanation, units: OutputUnits) -> Iterator[RenderableType]:
    """Edges of the uniform box with these numbers; an imaginary one is what makes a body impossible."""
    yield Text(f"Uniform box of this mass and inertia [{units.length}]")
    edges = Quantity("", (0, 1), found.edges.tolist())
    for edge, number, axis in zip(edges.values, edges.numbers(units), found.axes.tolist(), strict=True):
        length = number if edge >= 0 else f"√−{units.number(units.of(edge * edge, (0, 2)))}"
        direction = " ".join(f"{round(x, 3) + 0.0:.3f}" for x in axis)
        yield Text(f"  {length:>10}  along {direction}" + ("  (impossible)" if edge < 0 else ""))
    if found.size is not None:
        yield Text("  of the geometry " + " × ".join(Quantity("", (0, 1), found.size.tolist()).numbers(units)))
    if found.comparison is not None:
        c = found.comparison
        yield Text(
            f"  implied density {units.text(c.density, (1, -3))}; "
            f"centre off by {sizes(c.centre)}, inertia by {percent(c.tensor)}"
        )


def _hypothesis(number: int, hypothesis: Hypothesis) -> Iterator[RenderableType]:
    left = "" if hypothesis.distance is None else f" (then {percent(hypothesis.distance, 2)} from the geometry)"
    yield Text(f"{number}. {hypothesis.kind}: {hypothesis.words}{left}")
    yield from _pasted(hypothesis.text)


def _pasted(text: str) -> Iterator[RenderableType]:
    """An inertial, to be pasted into a file."""
    return (Padding(Hanging(Text(line, overflow="fold")), (0, 0, 0, 3)) for line in text.splitlines())
