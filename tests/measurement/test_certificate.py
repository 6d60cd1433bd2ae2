"""Certificates: the checker of docs/certificate.md, in a process of its own, and the same bytes from every format and core."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from cores import CORES, core_of
from oracles import box, bumpy_torus, write_binary_stl

import massprops
from massprops.errors import InvalidGeometry, InvalidInput
from massprops.measurement.certificate import certificate_of, certificate_text, compare

PAGE = Path(__file__).parents[2] / "docs" / "certificate.md"
TORUS = np.asarray(bumpy_torus(16, 8), dtype=np.float32)


def certificate(path: Path, **options) -> dict:
    return certificate_of(massprops.measure(path, units="mm", **options))


def write_obj(path: Path, triangles: np.ndarray) -> Path:
    rows = [f"v {x!r} {y!r} {z!r}" for x, y, z in triangles.reshape(-1, 3).astype(float).tolist()]
    faces = [f"f {k} {k + 1} {k + 2}" for k in range(1, len(rows), 3)]
    path.write_text("\n".join(rows + faces) + "\n")
    return path


def refused(folder: Path, mesh: Path, stated: dict) -> str:
    """What the checker of the page says against a certificate."""
    (folder / "checker.py").write_text(re.search(r"```py\n(.*?)```", PAGE.read_text(), re.DOTALL)[1])
    (folder / "c.json").write_text(certificate_text(stated))
    run = [sys.executable, str(folder / "checker.py"), str(mesh), str(folder / "c.json")]
    return subprocess.run(run, capture_output=True, text=True).stderr.strip().rpartition("\n")[2]


def test_the_checker_of_the_page_agrees_and_finds_a_change(tmp_path):
    checker = re.search(r"```py\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    assert len([line for line in checker.splitlines() if line]) <= 40
    mesh = write_binary_stl(tmp_path / "a.stl", TORUS)
    stated = certificate(mesh)
    assert refused(tmp_path, mesh, stated) == ""
    integrals = stated["integrals"]
    for name in ("24 first", "120 second"):
        changed = [*integrals[name][:-1], str(int(integrals[name][-1]) + 1)]
        assert "other integrals" in refused(tmp_path, mesh, {**stated, "integrals": {**integrals, name: changed}})
    assert "another file" in refused(tmp_path, write_binary_stl(tmp_path / "b.stl", TORUS[:-1]), stated)
    obj = write_obj(tmp_path / "a.obj", TORUS)
    assert refused(tmp_path, obj, certificate(obj)) == ""


@pytest.mark.parametrize("core", CORES)
def test_formats_cores_and_the_order_of_facets_change_nothing_but_the_hash(core, tmp_path):
    stl, obj = write_binary_stl(tmp_path / "a.stl", TORUS), write_obj(tmp_path / "a.obj", TORUS[::-1])
    found = [certificate(stl)]
    with core_of(core):
        found += [certificate(stl, jobs=2), certificate(obj)]
    assert len({f.pop("sha256") for f in found}) == 2
    assert all(f == found[0] for f in found)


def test_the_integrals_are_those_of_a_box_in_the_smallest_unit(tmp_path):
    low, high = (Fraction(1, 4), Fraction(-3), Fraction(0)), (Fraction(5, 4), Fraction(1, 2), Fraction(96))
    body = np.array([[[float(x) for x in p] for p in t] for t in box(low, high)])
    found = certificate(write_binary_stl(tmp_path / "box.stl", body))
    assert (found["exponent"], found["unit"], found["facets"]) == (-2, "mm", 12)
    sides = [h - x for h, x in zip(high, low, strict=True)]
    volume, middle = sides[0] * sides[1] * sides[2], [(h + x) / 2 for h, x in zip(high, low, strict=True)]
    integrals = found["integrals"]
    assert int(integrals["6 V"]) == 6 * volume * 4**3
    assert [int(x) for x in integrals["24 first"]] == [24 * volume * m * 4**4 for m in middle]
    second = [volume * (middle[i] * middle[j] + (i == j) * sides[i] ** 2 / 12) for i in range(3) for j in range(i, 3)]
    assert [int(x) for x in integrals["120 second"]] == [120 * x * 4**5 for x in second]


def test_only_what_is_proved_is_certified_and_a_difference_is_named(tmp_path):
    mesh = write_binary_stl(tmp_path / "a.stl", TORUS)
    with pytest.raises(InvalidGeometry, match="the grade is 'certified'"):
        certificate(mesh, verify="xray")
    path = tmp_path / "c.json"
    path.write_text(certificate_text(certificate(mesh)))
    m = massprops.measure(mesh, units="mm")
    assert compare(m, str(path)) == []
    path.write_text(json.dumps({**certificate(mesh), "unit": "m", "facets": 3}))
    (finding,) = compare(m, str(path))
    assert (finding.code, finding.severity) == ("certificate-mismatch", "error")
    assert "differs in unit, facets" in finding.message
    path.write_text("{}")
    with pytest.raises(InvalidInput, match="not a certificate"):
        compare(m, str(path))
