"""Bodies without geometry, as text: what transform, combine, convert and shape have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from massprops.cli.options import FailOn, Format, failed
from massprops.cli.output_format import Style
from massprops.cli.streams import say, screen
from massprops.findings import Finding
from massprops.formats.inertial import DIALECTS, NamedBody, write
from massprops.formats.inertial.json_results import all_findings


def in_dialect(bodies: Sequence[NamedBody], style: Style, fail_on: FailOn) -> tuple[str, int]:
    """The proven text, and the exit code that the findings ask for; these go to stderr, for the text has no room for them."""
    text, stated = write(bodies, style.format.value, style.form)
    found = [(b, f) for b, again in zip(bodies, stated, strict=True) for f in _findings_of(b, again, style)]
    for body, finding in found:
        _tell(body, finding)
    return text, int(failed(tuple(f for _, f in found), fail_on))


def render(
    bodies: Sequence[NamedBody], style: Style, fail_on: FailOn, *, about: Any, products: Any, output: str | None
) -> tuple[str, int]:
    """Bodies in any format, and the exit code that their findings ask for."""
    if style.is_dialect:
        return in_dialect(bodies, style, fail_on)
    status = int(failed(tuple(f for b in bodies for f in all_findings(b)), fail_on))
    if style.format is Format.json:
        from massprops.formats.inertial.json_results import write as write_json

        return write_json(list(bodies), about=about or "com", products=products), status
    from massprops.report.inertials import many, single

    if len(bodies) == 1:
        return single(bodies[0], all_findings(bodies[0]), about, products, screen(output)), status
    return many([(b, all_findings(b)) for b in bodies], screen(output)), status


def renamed(bodies: Sequence[NamedBody], link: str | None) -> list[NamedBody]:
    """The one body under the name that --link gives it; as they are without."""
    return [replace(b, name=link) if link is not None else b for b in bodies]


def _findings_of(body: NamedBody, stated: NamedBody, style: Style) -> list[Finding]:
    """Of the body, of its numbers after rounding, and what a simulator will say to these."""
    from massprops.formats.inertial.simulator_rules import predict

    found = list(all_findings(body))
    if style.digits is not None:
        known = {f.code for f in found}
        found += [
            replace(f, message=f"after rounding to {style.digits} digits: {f.message}")
            for f in all_findings(stated)
            if f.code not in known
        ]
    verdict = predict(style.consumer.value, stated) if style.consumer is not None else None
    return found if verdict is None else [*found, verdict]


def _tell(body: NamedBody, finding: Finding) -> None:
    name = body.name if body.dialect in (*DIALECTS, "json") else None  # a mesh is known by its file
    place = ": ".join(part for part in (body.place, name) if part)
    say(f"{place + ': ' if place else ''}{finding.severity}: {finding.code}: {finding.message}")
