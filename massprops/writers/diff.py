"""Comparisons for people, as tables of a terminal and as Markdown.

Tests: `tests/comparison/test_diff.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from massprops.comparison import BodyRelation, Change, Comparison
from massprops.comparison.comparison import VERDICTS
from massprops.formats.escaping import markdown, plain
from massprops.measurement.output_units import OutputUnits, number_text
from massprops.measurement.quantities import QUANTITIES, Quantity
from massprops.mesh.stored_values import STORED
from massprops.units import Dimension
from massprops.wording import plural
from massprops.writers.console import NUMBER, TEXT, TextOutput

MARKS = {"equal": "=", "within": "~", "resolution": "±", "beyond": "!"}
_WORDS = {
    "equal": "equal",
    "within": "within the tolerance",
    "resolution": "within the files' own resolution",
    "beyond": "beyond the tolerance",
}
_STYLES = {"equal": "", "within": "", "resolution": "cyan", "beyond": "bold red"}
_LABELS = {
    "volume": "Volume",
    "area": "Area",
    "mass": "Mass",
    "center_of_mass": "Centre",
    "bounds.min": "Min",
    "bounds.max": "Max",
    "principal.axes": "Axes turned",
    "section.torsion.constant": "Torsion J",
    "section.torsion.warping_constant": "Warping constant",
    "section.about_centroid": "Centroidal",
    "section.about": "About the point",
    "section.moduli": "Elastic W",
    "section.plastic.modulus": "Plastic W",
    "section.torsion.shear_center": "Shear centre",
}
#: Units in results, as powers of mass and length.
_DIMENSIONS: dict[str, Dimension] = {q.unit: q.dimension for q in QUANTITIES.values() if q.unit} | {"m⁵": (0, 5)}
_STORED = re.compile(rf"stored\.(.*)\.({'|'.join(STORED)})((?:\.\w)?)$", re.DOTALL)
#: Columns of a screen that a row needs.
_WIDE = 70
#: Ratios of lengths that are two units, and those units.
_UNITS = {1000.0: "m and mm", 25.4: "in and mm", 39.37007874015748: "m and in", 100.0: "m and cm", 10.0: "cm and mm"}


_COLUMNS = {"": TEXT, "Before": NUMBER, "After": NUMBER, "Change": NUMBER, "Relative": NUMBER}


def diff_text(comparisons: Sequence[Comparison], screen: TextOutput, *, everything: bool = False) -> str:
    """Comparisons as text; with `everything` also the numbers that are equal or within the tolerance."""
    shown = (c for c in comparisons if c.error is None)
    return "\n".join(_one(c, screen, everything) for c in shown if not screen.quiet or c.verdict == "beyond" or c.came)


def _one(c: Comparison, screen: TextOutput, everything: bool) -> str:
    rows: list[list[str | Text]] = [
        [Text.assemble((f"{mark} ", _STYLES[verdict]), name), *numbers]
        for verdict, mark, name, *numbers in _rows(c, screen, everything)
    ]
    table, units = screen.table(_COLUMNS, rows, wide=_WIDE) if rows else "", screen.units(c.unit)
    below: list[RenderableType] = [Text(plain(line), overflow="fold") for line in sentences(c, units)]
    signed = [(sign, f) for sign, findings in (("+", c.came), ("−", c.went), ("=", c.stayed)) for f in findings]
    below += [
        Padding(Text(f"{s} {f.severity} {plain(f.code)}: {plain(units.sentence(f.marked))}"), (0, 0, 0, 2))
        for s, f in signed
    ]
    return screen.draw(Text(heading(c), style="bold", overflow="fold")) + table + (screen.draw(*below) if below else "")


def _rows(c: Comparison, screen: TextOutput, everything: bool) -> Iterator[tuple[str, ...]]:
    """Cells of the numbers to show: the verdict, its mark, the label, before, after, the difference, and that in percent."""
    masses = [m for x in c.changes if x.name == "mass" for m in (x.before, x.after) if m is not None]
    units = screen.units(c.unit, max(masses, default=None))  # those of the files, unless others were asked for
    for x in c.changes:
        if everything or screen.verbose or x.verdict in ("resolution", "beyond"):
            yield x.verdict, MARKS[x.verdict], label(x, units), *_numbers(x, units), relative(x)


def heading(c: Comparison) -> str:
    """Both places, or the one that there is."""
    if c.before is None or c.after is None:
        return f"{plain(c.before or c.after or '')}: {'is new' if c.before is None else 'is gone'}"
    return f"{plain(c.before)} → {plain(c.after)}"


def label(change: Change, units: OutputUnits) -> str:
    """The name of a number, with its unit."""
    unit = units.label(_DIMENSIONS[change.unit]) if change.unit in _DIMENSIONS else change.unit
    if change.name in _LABELS:
        return f"{_LABELS[change.name]} [{unit}]"
    if stored := _STORED.match(change.name):
        return f"{plain(stored[1])}: stored {STORED[stored[2]][1]}{stored[3].replace('.', ' ')} [{unit}]"
    group, _, last = change.name.rpartition(".")
    last = last.replace("_plus", "+").replace("_minus", "−")
    if group == "inertia.tensor" or change.name == "inertia.about_axis.moment":
        return f"{'I about the line' if last == 'moment' else f'I{last} about the point'} [{unit}]"
    title = f"I{last}" if group.endswith("principal.moments") else f"{_LABELS[group]} {last}"
    return f"{title} [{unit}]"


def _numbers(change: Change, units: OutputUnits) -> tuple[str, str, str]:
    """Before, after and the difference; what is below its own bound, or rounding, is 0."""
    dimension = _DIMENSIONS.get(change.unit)
    if dimension is None or change.before is None or change.after is None:
        return "–", "–", f"{change.difference:+.3g}"

    def display(value: float) -> str:
        # the bound is that of both together: a number far below the other has a smaller one of its own
        is_far = change.verdict == "beyond" and abs(value) <= change.uncertainty
        off = 0.0 if is_far else change.uncertainty
        return Quantity("", dimension, [value], [off], scale=change.scale).numbers(units)[0]

    before, after = display(change.before), display(change.after)
    difference = units.of(change.difference, dimension)
    return before, after, f"{'+' if difference > 0 else ''}{number_text(difference, digits=3)}"


def relative(change: Change) -> str:
    """The relative difference in percent; an angle has none."""
    if change.unit == "°" or change.relative is None:
        return ""
    share = 100 * change.relative
    return f"{share:+.3g} %" if math.isfinite(share) else "–"


def sentences(c: Comparison, units: OutputUnits) -> Iterator[str]:
    """Sentences beside the numbers: counts of verdicts, how the body was moved, and quantities that only one side has."""
    if c.changes:
        count = {v: sum(x.verdict == v for x in c.changes) for v in VERDICTS}
        yield f"{len(c.changes)} numbers: " + ", ".join(f"{n} {_WORDS[v]}" for v, n in count.items() if n)
    if c.relation is not None and (said := relation_text(c.relation, units)):
        yield said
    if c.export is not None:
        low, high = (f"{x:.2g}\N{NO-BREAK SPACE}m" for x in c.export.deflection)
        yield units.sentence(f"the facets are up to {c.export.chord:.3g}\N{NO-BREAK SPACE}m from the exact surfaces")
        told = f"they were made with a deflection of {low} to {high}, or a coarser one and an angle of {c.export.angle:.2g}°"
        yield units.sentence(told)
    if c.skipped:
        yield f"not compared, as only one side has it: {', '.join(c.skipped)}"
    if c.without_inertial is not None:
        before, after = c.without_inertial
        yield f"not compared: {plural(before, 'link')} before and {after} after that state no inertial"


def relation_text(r: BodyRelation, units: OutputUnits) -> str:
    """The motion, mirror image or scale between the bodies, and its evidence; empty for the same body in the same place."""
    scaled, evidence = _scaled(r.scale), _EVIDENCE[r.evidence]
    if r.kind == "other":
        return f"{scaled}another body: its second moments agree, its third moments do not"
    if r.kind == "alike":
        return (
            f"{scaled}the same body; its orientation cannot be decided, since two principal moments are equal{evidence}"
        )
    if r.kind == "same":
        return f"{scaled}the same body, neither moved nor turned{evidence}" if scaled else ""
    mirror = f"its mirror image, {r.mirror} → −{r.mirror}, " if r.mirror else "the same body, "
    several = ", or by another motion or mirror image that fits as well" if r.several else ""
    return f"{scaled}{mirror}moved by {_motion(r, units)}{several}{evidence}"


def _motion(r: BodyRelation, units: OutputUnits) -> str:
    if r.pose is None:
        return "nothing"
    # a picometre is below what any file is exact to: rounding of zero is not shown; the JSON has all digits
    xyz, rpy = ([round(x, 12) + 0.0 for x in v.tolist()] for v in (r.pose.translation, r.pose.to_rpy()))
    place = " ".join(f"{units.of(x, (0, 1)):.9g}" for x in xyz)
    return f"xyz {place} {units.length}, rpy {' '.join(f'{x:.9g}' for x in rpy)} rad"


def _scaled(scale: float) -> str:
    if scale == 1:
        return ""
    larger = max(scale, 1 / scale)
    units = next((u for ratio, u in _UNITS.items() if math.isclose(larger, ratio, rel_tol=1e-4)), None)
    return f"scaled by {scale:.9g}{f' ({units} are mixed up)' if units else ''}: "


_EVIDENCE = {
    "facets": " (every facet fits)",
    "corners": " (every corner fits)",
    "third moments": " (moments up to the third fit)",
    "second moments": " (second moments fit; a mirror image, or another body with the same ones, would look the same)",
}


def diff_markdown(comparisons: Sequence[Comparison], screen: TextOutput, *, everything: bool = False) -> str:
    """Comparisons as Markdown, for a job summary or a review."""
    return "\n".join(line for c in comparisons if c.error is None for line in _markdown(c, screen, everything))


def _markdown(c: Comparison, screen: TextOutput, everything: bool) -> Iterator[str]:
    yield f"### {markdown(heading(c))}\n"
    if rows := list(_rows(c, screen, everything)):
        yield "| | Quantity | Before | After | Change | Relative |\n|---|---|---:|---:|---:|---:|"
    yield from (f"| {' | '.join(cells)} |" for _, *cells in rows)
    yield from (f"\n{markdown(line)}" for line in sentences(c, screen.units(c.unit)))
    for verb, findings in (("came", c.came), ("went", c.went), ("stayed", c.stayed)):
        yield from (f"\n- {verb}: {f.severity} `{markdown(f.code)}`: {markdown(f.message)}" for f in findings)
    yield ""
