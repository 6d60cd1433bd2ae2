"""Bodies without geometry, as text: what combine, convert and shape have in common.

Tests: `tests/cli/test_output_format.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops.cli.options import fails
from massprops.cli.output_format import BodyOutput, check_no_fewer
from massprops.cli.streams import configuration_note, say_findings, text_output
from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.formats.bodies import DIALECTS, NamedBody, name_frame, write
from massprops.formats.bodies.json_results import write as write_json
from massprops.formats.inertial.inertial import without_rounding

if TYPE_CHECKING:
    from massprops.checking.config import Config
    from massprops.formats.robot.links import Geometry


def in_dialect(bodies: Sequence[NamedBody], output: BodyOutput, geometry: Geometry | None = None) -> tuple[str, int]:
    """The text, which has been read back, and the exit code that the findings ask for; these are printed on stderr."""
    if geometry is None:
        text, stated = write(bodies, output.kind, output.form)
    else:
        from massprops.formats.bodies.robot_model import write_model

        text, stated = write_model(bodies[0], geometry, output.kind, output.form)
    found = [_findings_of(body, again, output) for body, again in zip(bodies, stated, strict=True)]
    for body, own in zip(bodies, found, strict=True):
        name = body.name if body.dialect in (*DIALECTS, "json") else None  # a mesh is known by its file
        say_findings(": ".join(part for part in (body.place, name) if part), own, output.verbose)
    return text, int(fails((f for own in found for f in own), output.fail_on))


def render(
    bodies: Sequence[NamedBody],
    output: BodyOutput,
    about: Any,
    frame: str = "",
    unit: str | None = None,
    *,
    config: Config | None = None,
    settings: Sequence[Mapping[str, Any]] = (),
) -> tuple[str, int]:
    """Bodies in any format, and the exit code that their findings ask for; `frame` says in words whose frame they are in.

    The table of one body is in the length unit `unit`, and a unit of mass beside it, unless others are asked for. Below a table stand
    the `settings` of files that are from the configuration.
    """
    if output.is_rows:
        bodies = [replace(b, name=b.name or Path(b.path).stem or b.dialect or "body") for b in bodies]
    if (
        output.is_dialect and not output.is_rows and output.digits is None
    ):  # sums and motions of doubles leave digits that say nothing
        bodies = [b if b.stated else replace(b, properties=without_rounding(b.properties)) for b in bodies]
    if output.is_dialect:
        check_no_fewer(output.output, len(bodies))
        text, status = in_dialect(bodies, output)
        text = output.rows(config).converted(text) if output.is_rows else text
        return name_frame(text, output.kind, frame) if frame else text, status
    status = int(fails((f for b in bodies for f in b.all_findings), output.fail_on))
    if output.kind == "json":
        return write_json(list(bodies), about=about or "com", products=output.products), status
    from massprops.writers.inertials import many, single

    if len(bodies) > 1 and (of_one := [name for name in ("about", "products") if name in output.given()]):
        what = f"{{}} is for one body in a table, and there are {len(bodies)}"
        raise InvalidInput(what, names=of_one[:1], hint="choose one with FILE#LINK, or --format json")
    on = text_output(output.output, output, config)
    source = configuration_note(on, output, config, settings)
    if len(bodies) == 1:
        return single(bodies[0], about, output.products, on, frame, unit) + source, status
    return many(bodies, on) + source, status


def _findings_of(body: NamedBody, stated: NamedBody, output: BodyOutput) -> list[Finding]:
    """Findings about the body, about its numbers after rounding, and the verdict of a simulator on these."""
    from massprops.formats.inertial.simulator_rules import predict

    found = list(body.all_findings)
    if output.digits is not None:
        known = {f.code for f in found}
        found += [
            replace(f, message=f"after rounding to {output.digits} digits: {f.message}")
            for f in stated.all_findings
            if f.code not in known
        ]
    verdict = predict(output.consumer, stated) if output.consumer is not None else None
    return found if verdict is None else [*found, verdict]
