"""The rows of a table of results: the numbers of the JSON result under the names that they have there, in SI units.

Tests: `tests/fleet/test_table.py`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from typing import Any

from massprops._version import __version__
from massprops.access import access
from massprops.errors import as_error
from massprops.findings import SEVERITIES, Finding
from massprops.fleet.many import PreviousRow, Task
from massprops.formats.escaping import plain
from massprops.formats.kinds import refers_to_others
from massprops.json_values import json_object
from massprops.measurement.options import Options
from massprops.measurement.quantities import QUANTITIES, Components, value_at
from massprops.measurement.result import Measurement, Outcome
from massprops.mesh.source import InputFile, digest_of_several

#: The columns; a change of them is a new version.
SCHEMA = "massprops-table/2"

#: A row: the values of columns by name.
Row = dict[str, Any]

#: Quantities that have columns, and those whose ± has some.
_PATHS = (
    *("density", "volume", "area", "mass", "center_of_mass", "inertia.tensor", "principal.moments", "principal.axes"),
    *("radii_of_gyration", "bounds.min", "bounds.max", "perimeter", "centroid", "section.about_centroid"),
)
_BOUNDED = ("volume", "mass", "center_of_mass", "inertia.tensor")
_PLACES: tuple[tuple[str, Components], ...] = (
    *((path, QUANTITIES[path].components) for path in _PATHS),
    *((QUANTITIES[path].error, QUANTITIES[path].components) for path in _BOUNDED),
    *((path, {"min": (0,), "max": (1,)}) for path in ("uncertainty.volume_change", "uncertainty.mass_change")),
)
#: Columns of numbers, and the place of each in the JSON result.
NUMBERS = {
    f"{path.replace('.', '_')}_{name}".rstrip("_"): (*path.split("."), *keys)
    for path, components in _PLACES
    for name, keys in components.items()
}
#: All columns in their order: the type of their values, and what those of the table alone are.
COLUMNS: dict[str, tuple[type, str]] = {
    "path": (str, "The file as it was named, or the stem of pieces; characters that cannot be printed are escaped."),
    "part": (str, "Name of a part of the file, which has a row of its own; empty in the row of the whole."),
    "parts": (int, "In the row of the whole: number of rows of parts."),
    "format": (str, "`input.format`"),
    "units": (str, "`input.units`"),
    "facets": (int, "`input.facets`"),
    "method": (str, "`method`"),
    "grade": (str, "`grade`"),
    **{name: (float, f"`{'.'.join(map(str, keys))}`") for name, keys in NUMBERS.items()},
    "section": (str, "`section` as JSON text: every number of a plane section."),
    "repairs": (str, "Steps of repairs and their counts: `weld:12 fill:1`."),
    "findings": (str, "Codes of findings, the worst first, also of a body that was refused."),
    "severity": (str, "The worst severity of the findings."),
    "error": (str, "Code of the error, if there is no result."),
    "error_message": (str, "Its message."),
    "exit_code": (int, "Of the error: 3 unreadable, 4 invalid geometry …; 0 if there is a result."),
    "sha256": (
        str,
        "Of the bytes of the file, or of the digests of its pieces; empty where it is to be measured again by the next run.",
    ),
    "settings": (str, "Digest of all options and of the version of massprops."),
    "seconds": (float, "Time that it took, where times are requested."),
    "measured_at": (str, "When: UTC, ISO 8601, where times are requested."),
    "massprops": (str, "Version of massprops."),
    "schema": (str, f"`{SCHEMA}`: the version of these columns."),
}
#: Columns whose values differ from run to run, so that a table has them only on request.
TIMING = ("seconds", "measured_at")
#: Errors that say nothing about the file, or cost nothing: it is measured again by the next run, as after a defect.
_PASSING = ("worker-killed", "executor-stopped", "file-changed", "missing-extra", "too-large")


def settings_of(options: Options) -> str:
    """A digest of everything but the file that a result depends on."""
    chosen = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in ("hash", "jobs")}
    own = repr([*access().materials()]) if options.material or options.materials else ""  # a name is of any density
    text = json.dumps(
        [SCHEMA, __version__, chosen, own], default=lambda pose: json_object(pose, "rotation translation")
    )
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_unchanged(task: Task, known: PreviousRow) -> bool:
    """Whether content and settings of a file are those of the row that is known."""
    if not known.sha256 or known.settings != task.settings or known.sha256 != _digest(task):
        return False
    contents = task.contents or {}
    return not any(refers_to_others(name, task.options.format, contents.get(name)) for name in task.names)


def previous_row(row: Row) -> PreviousRow:
    """Content of a row that later runs need."""
    return PreviousRow(
        row.get("sha256") or "", row["settings"], row["exit_code"], row.get("error") or "", row.get("severity") or ""
    )


def rows_of(task: Task, outcome: Outcome) -> list[Row]:
    """An outcome as rows: of each part of a file that has parts, then of the whole; columns without a value are left out."""
    m, error = outcome.measurement, outcome.error
    whole: Row = {}
    parts: list[Row] = []
    try:
        if m is not None:
            parts = [_result(p.measurement) | {"part": p.label.name} for p in m.parts]
            whole = _result(m) | {"parts": len(parts) or None}
    except Exception as failure:  # numbers that cannot be printed
        error, parts = as_error(failure, task.path), []
    if error is not None:
        whole = {"error": error.code, "error_message": error.message_in_file, **_findings(error.findings)}
        if error.exit_code in (2, 3, 4) and error.code not in _PASSING:
            whole["sha256"] = _digest(task)
    path: Row = {"path": plain(task.path)}
    common: Row = {
        "exit_code": 0 if error is None else error.exit_code,
        "settings": task.settings,
        "massprops": __version__,
        "schema": SCHEMA,
    }
    if task.timing:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        common |= {"seconds": round(outcome.seconds, 6), "measured_at": now}
    return [{n: v for n, v in (path | row | common).items() if v not in (None, "")} for row in (*parts, whole)]


def _result(m: Measurement) -> Row:
    result: Any = m.numbers()
    found: Row = json_object(m.input, "format facets sha256", units=m.input.unit)
    found |= {column: value_at(result, keys) for column, keys in NUMBERS.items()}
    found |= {"method": m.method, "grade": m.grade, "section": result["section"] and json.dumps(result["section"])}
    return found | {"repairs": " ".join(f"{r.step}:{r.count}" for r in m.repairs), **_findings(m.findings)}


def _findings(found: Sequence[Finding]) -> Row:
    worst = min((f.severity for f in found), key=SEVERITIES.index, default=None)
    return {"findings": " ".join(dict.fromkeys(f.code for f in found)), "severity": worst}


def _digest(task: Task) -> str:
    """SHA-256 of a file, or of those of its pieces as a text; empty if one cannot be read."""
    digests = []
    try:
        for name in task.names:
            content = (task.contents or {}).get(name)
            with Path(name).open("rb") if content is None else BytesIO(content) as stream:
                digests.append(InputFile(name, stream, 0).digest())
    except (OSError, ValueError):
        return ""
    return digest_of_several(digests) or ""
