"""Certificates of proved meshes: the integrals as whole numbers, which anyone can compute again from the file.

The format: docs/verification-and-uncertainty.md; a checker of it in plain Python: docs/checker.py.

Tests: `tests/measurement/test_certificate.py`.
"""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, ReadError
from massprops.findings import Finding
from massprops.formats.files import read_bytes
from massprops.formats.registry import open_mesh
from massprops.formats.strict_json import load
from massprops.formats.text import quote
from massprops.measurement.result import Measurement
from massprops.mesh.source import MeshFile
from massprops.moments.exact import COLUMNS, ROWS, exact_moments
from massprops.rigid_body.as_json import CERTIFICATE_SCHEMA
from massprops.units import length_unit, unit_of

#: What the grade `proved` says of the triangles of the file.
_PROVED = ["every edge is cancelled by its reverse", "no facets cross", "the winding number is 0 or 1 everywhere"]


def certificate_of(m: Measurement, format: str | None = None) -> dict[str, object]:
    """The certificate of a file that was measured: the same of every machine, and but for ``sha256`` of all files with these triangles.

    Raises
    ------
    InvalidGeometry
        If its surface was not proved as it is.
    InvalidInput
        If its coordinates are not those of a file.
    ReadError
        If the file is not the one that was measured, as far as its SHA-256 is part of the measurement.
    """
    if m.grade != "proved" or m.method != "exact":
        found = f"the grade is '{m.grade}'" if m.method == "exact" else f"it was measured as '{m.method}'"
        what = f"no certificate: {found}, and a certificate states what is proved of a solid"
        raise InvalidGeometry(what, code="not-proved", place=m.input.path, hint="see the findings of 'massprops check'")
    with open_mesh(m.input.path, format=format) as mesh:
        if mesh.file is not None and mesh.file.part:
            raise InvalidInput("no certificate: it is of a whole file", place=mesh.name, hint="export the part alone")
        if mesh.is_rounded():
            what = "no certificate: the file places its mesh by a transform that rounds its coordinates"
            raise InvalidInput(what, place=m.input.path, hint="export it with the transforms applied")
        digest = mesh.digest()
        if m.input.sha256 not in (None, digest):
            what = f"{m.input.path}: the file changed after it was measured"
            raise ReadError(what, code="file-changed", hint="wait until it is written, and try again")
        moments, exponent = exact_moments(mesh.chunks()), _exponent(mesh)
        unit = Fraction(2) ** exponent
        return {
            "schema": CERTIFICATE_SCHEMA,
            "sha256": digest,
            "unit": unit_of(m.input.unit)[0],
            "facets": mesh.facets,
            "exponent": exponent,
            "integrals": {
                "6 V": _whole(6 * moments.measure / unit**3),
                "24 first": [_whole(24 * x / unit**4) for x in moments.first],
                "120 second": [_whole(120 * x / unit**5) for x in moments.second[ROWS, COLUMNS]],
            },
            "proved": _PROVED,
        }


def _whole(value: Fraction) -> str:
    """A whole number in decimal digits, which no reader of JSON rounds."""
    return str(int(value))


def _exponent(mesh: MeshFile) -> int:
    """The largest power of two, of which all coordinates are multiples."""
    least = []
    for chunk in mesh.chunks():
        mantissa, exponent = np.frexp(chunk[chunk != 0].astype(np.float64))
        whole = (mantissa * 2.0**53).astype(np.int64)
        least.append(int((exponent - 54 + np.frexp((whole & -whole).astype(np.float64))[1]).min(initial=1 << 11)))
    return 0 if (found := min(least)) == 1 << 11 else found


def certificate_text(certificate: dict[str, object]) -> str:
    """A certificate as it is written to a file."""
    return json.dumps(certificate, indent=2) + "\n"


def read_certificate(path: str) -> dict[str, object]:
    """The certificate that a file holds; whether its entries are right is not known.

    Raises
    ------
    ReadError
        If the certificate cannot be read, is of another version, or its unit is none.
    """
    stated: object = load(path, read_bytes(path))
    schema = stated.get("schema") if isinstance(stated, dict) else None
    if not isinstance(stated, dict) or schema != CERTIFICATE_SCHEMA:
        what = "it has no 'schema'" if schema is None else f"its schema is {quote(str(schema))}"
        raise ReadError(
            f"{path}: {what}, expected {CERTIFICATE_SCHEMA}", code="bad-certificate", hint="is it the right file?"
        )
    unit = stated.get("unit")
    if isinstance(unit, str):
        try:
            length_unit(unit)
        except InvalidInput as error:
            raise ReadError(f"{path}: its unit: {error.text}", code="bad-certificate") from None
    return stated


def compare(m: Measurement, stated: dict[str, object], path: str, format: str | None = None) -> list[Finding]:
    """Findings on a measured file that is not the one of the certificate of a path: none, or one."""
    found = certificate_of(m, format)
    names = [name for name in {**found, **stated} if _text(found.get(name)) != _text(stated.get(name))]
    if not names:
        return []
    what = f"the file is not the one of the certificate {path}: it differs in {', '.join(names)}"
    if names == ["unit"]:
        what = f"the certificate {path} is of a file in {quote(str(stated.get('unit')))}, and this one is read in {quote(m.input.unit)}"
    return [Finding("certificate-mismatch", "error", what)]


def _text(value: object) -> str:
    """A value as JSON: 1, 1.0 and true are three texts."""
    return json.dumps(value, sort_keys=True)
