"""Comparisons for people, as tables of a terminal and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from massprops.diff import Change, Comparison, Relation
from massprops.diff.changes import VERDICTS
from massprops.formats.escaping import markdown, plain
from massprops.measurement.output_units import OutputUnits, rounded
from massprops.measurement.short_table import Quantity
from massprops.report.console import Screen
from massprops.units import Dimension

#: Columns of a row: the mark and the label, three numbers, the relative difference.
_LABEL, _NUMBER, _DIFFERENCE, _RELATIVE = 17, 17, 12, 12
_WIDE = 2 + _LABEL + 2 * _NUMBER + _DIFFERENCE + _RELATIVE

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
}
#: Units in results, as powers of mass and length.
_DIMENSIONS: dict[str, Dimension] = {
    OutputUnits().label(d): d for d in ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 0), (1, 2))
}
#: Ratios of lengths that are two units, and those units.
_UNITS = {1000.0: "m and mm", 25.4: "in and mm", 39.37007874015748: "m and in", 100.0: "m and cm", 10.0: "cm and mm"}


def diff_text(comparisons: Sequence[Comparison], screen: Screen, *, everything: bool = False) -> str:
    """Comparisons as text; with `everything` also the numbers that are equal or within the tolerance."""
    parts: list[RenderableType] = []
    for comparison in comparisons:
        if comparison.error is None and not (screen.quiet and comparison.verdict != "beyond" and not comparison.came):
            parts += [*_one(comparison, screen, everything), Text("")]
    return screen.draw(*parts[:-1]) if parts else ""


def _one(c: Comparison, screen: Screen, everything: bool) -> Iterator[RenderableType]:
    yield Text(heading(c), style="bold", overflow="fold")
    rows = [x for x in c.changes if everything or screen.verbose or x.verdict in ("resolution", "beyond")]
    units = _units(c, screen)
    for change in rows:
        yield from _wide(change, units) if screen.width >= _WIDE else _narrow(change, units)
    for line in sentences(c):
        yield Text(plain(line), overflow="fold")
    for sign, findings in (("+", c.came), ("−", c.went)):
        yield from (
            Padding(Text(f"{sign} {f.severity} {plain(f.code)}: {plain(f.message)}"), (0, 0, 0, 2)) for f in findings
        )


def heading(c: Comparison) -> str:
    """Both places, or the one that there is."""
    if c.before is None or c.after is None:
        return f"{plain(c.before or c.after or '')}: {'is new' if c.before is None else 'is gone'}"
    return f"{plain(c.before)} → {plain(c.after)}"


def _units(c: Comparison, screen: Screen) -> OutputUnits:
    """Those of the files, unless others were asked for."""
    masses = [m for x in c.changes if x.name == "mass" for m in (x.before, x.after) if m is not None]
    return screen.units(c.unit, max(masses, default=None))


def label(change: Change, units: OutputUnits) -> str:
    """The name of a number, with its unit."""
    unit = units.label(_DIMENSIONS[change.unit]) if change.unit in _DIMENSIONS else change.unit
    if change.name in _LABELS:
        return f"{_LABELS[change.name]} [{unit}]"
    group, _, last = change.name.rpartition(".")
    title = f"I{last}" if group == "principal.moments" else f"{_LABELS[group]} {last}"
    return f"{title} [{unit}]"


def _numbers(change: Change, units: OutputUnits) -> tuple[str, str, str]:
    """Before, after and the difference; what is below its own bound, or rounding, is 0."""
    dimension = _DIMENSIONS.get(change.unit)
    if dimension is None or change.before is None or change.after is None:
        return "–", "–", f"{change.difference:+.3g}"
    both = [change.before, change.after]
    shown = Quantity("", dimension, both, [change.uncertainty] * 2, scale=change.scale)
    before, after = shown.numbers(units)
    difference = units.of(change.difference, dimension)
    return before, after, f"{'+' if difference > 0 else ''}{rounded(difference, digits=3)}"


def _wide(change: Change, units: OutputUnits) -> Iterator[Text]:
    before, after, difference = _numbers(change, units)
    text = Text.assemble((f"{MARKS[change.verdict]} ", _STYLES[change.verdict]), f"{label(change, units):<{_LABEL}}")
    text.append(f"{before:>{_NUMBER}}{after:>{_NUMBER}}{difference:>{_DIFFERENCE}}{relative(change):>{_RELATIVE}}")
    yield text


def _narrow(change: Change, units: OutputUnits) -> Iterator[Text]:
    before, after, difference = _numbers(change, units)
    yield Text.assemble((f"{MARKS[change.verdict]} ", _STYLES[change.verdict]), label(change, units))
    if change.before is not None:
        yield Text(f"    before {before:>16}")
        yield Text(f"    after  {after:>16}")
    yield Text(f"    change {difference:>16}{relative(change):>11}")


def relative(change: Change) -> str:
    """The relative difference in percent; an angle has none."""
    if change.unit == "°" or change.relative is None:
        return ""
    return f"{100 * change.relative:+.3g} %"


def sentences(c: Comparison) -> Iterator[str]:
    """What is to be said beside the numbers."""
    if c.changes:
        count = {v: sum(x.verdict == v for x in c.changes) for v in VERDICTS}
        yield f"{len(c.changes)} numbers: " + ", ".join(f"{n} {_WORDS[v]}" for v, n in count.items() if n)
    if c.relation is not None and (said := relation_text(c.relation)):
        yield said
    if c.skipped:
        yield f"not compared, as only one side has it: {', '.join(c.skipped)}"


def relation_text(r: Relation) -> str:
    """What became of the body, and what that is known from; nothing for a body that is the same in the same place."""
    scaled, evidence = _scaled(r.scale), _EVIDENCE[r.evidence]
    if r.kind == "other":
        return f"{scaled}another body: its second moments agree, its third moments do not"
    if r.kind == "alike":
        return f"{scaled}the same moments; equal principal moments leave open how it is turned{evidence}"
    if r.kind == "same":
        return f"{scaled}the same body, neither moved nor turned{evidence}" if scaled else ""
    mirror = f"its mirror image, {r.mirror} → −{r.mirror}, " if r.mirror else "the same body, "
    several = ", or by another motion or mirror image that fits as well" if r.several else ""
    return f"{scaled}{mirror}moved by {_motion(r)}{several}{evidence}"


def _motion(r: Relation) -> str:
    if r.pose is None:
        return "nothing"
    # a picometre is below what any file is exact to: rounding of zero is not shown; the JSON has all digits
    both = (r.pose.translation, r.pose.to_rpy())
    xyz, rpy = (" ".join(f"{round(x, 12) + 0.0:.9g}" for x in v.tolist()) for v in both)
    return f"xyz {xyz} m, rpy {rpy} rad"


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


def diff_markdown(comparisons: Sequence[Comparison], screen: Screen, *, everything: bool = False) -> str:
    """Comparisons as Markdown, for a job summary or a review."""
    return "\n".join(line for c in comparisons if c.error is None for line in _markdown(c, screen, everything))


def _markdown(c: Comparison, screen: Screen, everything: bool) -> Iterator[str]:
    yield f"### {markdown(heading(c))}\n"
    rows = [x for x in c.changes if everything or screen.verbose or x.verdict in ("resolution", "beyond")]
    if rows:
        yield "| | Quantity | Before | After | Change | Relative |\n|---|---|---:|---:|---:|---:|"
    units = _units(c, screen)
    for x in rows:
        yield f"| {MARKS[x.verdict]} | {label(x, units)} | {' | '.join(_numbers(x, units))} | {relative(x)} |"
    yield from (f"\n{markdown(line)}" for line in sentences(c))
    for verb, findings in (("came", c.came), ("went", c.went)):
        yield from (f"\n- {verb}: {f.severity} `{markdown(f.code)}`: {markdown(f.message)}" for f in findings)
    yield ""
