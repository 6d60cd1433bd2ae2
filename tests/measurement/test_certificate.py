"""Certificates: the checker docs/checker.py, in a process of its own, and the same bytes from every format and core."""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from console import run
from cores import CORES, core_of
from oracles import box, bumpy_torus, write_ascii_stl, write_binary_stl

import massprops
from massprops.errors import InvalidGeometry, ReadError
from massprops.measurement.certificate import certificate_of, certificate_text, compare, read_certificate

CHECKER = Path(__file__).parents[2] / "docs" / "checker.py"
TORUS = np.asarray(bumpy_torus(16, 8), dtype=np.float32)


def certificate(path: Path, **options) -> dict:
    return certificate_of(massprops.measure(path, units="mm", **options))


def write_obj(path: Path, triangles: np.ndarray) -> Path:
    rows = [f"v {x!r} {y!r} {z!r}" for x, y, z in triangles.reshape(-1, 3).astype(float).tolist()]
    faces = [f"f {k} {k + 1} {k + 2}" for k in range(1, len(rows), 3)]
    path.write_text("\n".join(rows + faces) + "\n")
    return path


def write_ply(path: Path, triangles: np.ndarray, encoding: str) -> Path:
    corners = [
        f"{'-0.0' if x == 0 else x!r} {y!r} {z!r}" for x, y, z in triangles.reshape(-1, 3).astype(float).tolist()
    ]
    faces = [(3, k, k + 1, k + 2) for k in range(0, len(corners), 3)]
    head = ["ply", f"format {encoding} 1.0", f"element vertex {len(corners)}", *(f"property float {x}" for x in "xyz")]
    head += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", ""]
    body = "\n".join([*corners, *("{} {} {} {}".format(*f) for f in faces), ""]).encode()
    if encoding != "ascii":
        body = triangles.astype("<f4").tobytes() + b"".join(struct.pack("<B3i", *f) for f in faces)
    path.write_bytes("\n".join(head).encode() + body)
    return path


def every_format(folder: Path, triangles: np.ndarray) -> list[Path]:
    """The same triangles in five encodings."""
    ascii_, binary = (write_ply(folder / f"{e}.ply", triangles, e) for e in ("ascii", "binary_little_endian"))
    files = [write_binary_stl(folder / "b.stl", triangles), write_ascii_stl(folder / "a.stl", triangles)]
    return [*files, write_obj(folder / "a.OBJ", triangles), ascii_, binary]


def checker() -> str:
    return CHECKER.read_text()


def refused(folder: Path, mesh: Path, stated: dict | str, unit: str = "mm") -> str:
    """What the checker of the page says against a certificate, assertions or not."""
    (folder / "checker.py").write_text(checker())
    (folder / "c.json").write_text(stated if isinstance(stated, str) else certificate_text(stated))
    words = [sys.executable, "-O", str(folder / "checker.py"), str(mesh), unit, str(folder / "c.json")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (bool(done.stderr), "")
    return done.stderr.strip().rpartition("\n")[2]


def integrals_by_hand(triangles: np.ndarray, unit: Fraction) -> dict:
    """Integrals in powers of `unit`, of coordinates that are cut to whole numbers of it."""
    sums = [0] * 10
    for a, b, c in triangles.astype(float).tolist():
        a, b, c = ([int(Fraction(x) / unit) for x in p] for p in (a, b, c))
        s = [sum(x) for x in zip(a, b, c, strict=True)]
        det = sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2]) for i in range(3))
        second = [sum(p[i] * p[j] for p in (a, b, c, s)) for i in range(3) for j in range(i, 3)]
        sums = [total + det * x for total, x in zip(sums, [1, *s, *second], strict=True)]
    texts = [str(x) for x in sums]
    return {"6 V": texts[0], "24 first": texts[1:4], "120 second": texts[4:]}


def spellings(folder: Path, triangles: np.ndarray) -> list[Path]:
    """The same triangles in every way to write the formats that the checker knows."""
    corners = triangles.reshape(-1, 3).astype(float)
    text = (folder / "a.stl").read_text()
    found = [folder / name for name in ("upper.STL", "crlf.stl", "two.stl", "one_line.stl", "solid.stl")]
    found[0].write_text(text.upper())
    found[1].write_bytes(text.replace("\n", "\r\n").encode())
    half = text.index("\nfacet", len(text) // 2) + 1
    found[2].write_text(f"{text[:half]}endsolid a\nsolid a second one\n{text[half:]}")
    found[3].write_text("solid a\n" + " ".join(text.split("\n")[1:-2]) + "\nendsolid a\n")
    found[4].write_bytes(b"solid of Materialise" + (folder / "b.stl").read_bytes()[20:])
    points = {tuple(p): None for p in corners.tolist()}
    number = {p: k for k, p in enumerate(points)}
    faces = [[number[tuple(p)] for p in t] for t in triangles.astype(float).tolist()]
    rows = [f"v {x!r} {y!r} {z!r} 1.0 # note f 1 2 3" for x, y, z in points]
    from_1 = [[k + 1 for k in f] for f in faces]
    lines = {
        "negative.obj": [*rows, *("f {} {} {}".format(*(k - len(points) for k in f)) for f in faces)],
        "slashes.obj": ["# v 1 2 3", "o part", *rows, "vn 0 0 1", "s off", *("f {}/1/1 {}//1 {}/1".format(*one) for one in from_1)],
        "comment.obj": ["\ufeff# exported by C:\\parts\\", *rows, *("f {} {} {}".format(*one) for one in from_1)],
        "bom.obj": ["\ufeff" + rows[0], *rows[1:], *("f {} {} {}".format(*one) for one in from_1)],
        "continued.obj": ["mtllib \\", "a.mtl", *rows, *("f {} \\\n {} {}".format(*one) for one in from_1)],
    }  # fmt: skip
    for name, of_file in lines.items():
        found.append(folder / name)
        found[-1].write_text("\n".join(of_file) + "\n")
    for name, kind, order, scalar, index in (
        ("comment.ply", "ascii", "", "float", "int"),
        ("little.ply", "binary_little_endian", "<", "double", "uint"),
        ("big.ply", "binary_big_endian", ">", "float32", "int32"),
    ):
        head = f"ply\nformat {kind} 1.0\ncomment element vertex 3\ncomment end_header\nobj_info x\nelement vertex {len(points)}\n"
        head += "".join(f"property {scalar} {axis}\n" for axis in "xyz") + "property uchar red\n"
        head += (
            f"element face {len(faces)}\nproperty uchar flags\nproperty list uchar {index} vertex_indices\nend_header\n"
        )
        if order:
            code, whole = ("d" if scalar == "double" else "f"), ("I" if index == "uint" else "i")
            body = b"".join(struct.pack(f"{order}3{code}B", *p, 7) for p in points)
            body += b"".join(struct.pack(f"{order}BB3{whole}", 1, 3, *f) for f in faces)
        else:
            body = "".join("{!r} {!r} {!r} 7\n".format(*p) for p in points).encode()
            body += "".join("1 3 {} {} {}\n".format(*f) for f in faces).encode()
            head, body = head.replace("\n", "\r\n"), body.replace(b"\n", b"\r\n")
        found.append(folder / name)
        found[-1].write_bytes(head.encode() + body)
    found.append(folder / "cr.ply")
    found[-1].write_bytes((folder / "comment.ply").read_bytes().replace(b"\r\n", b"\r"))
    return found


def test_the_checker_of_the_page_agrees_in_every_format_and_spelling(tmp_path):
    assert len([line for line in checker().splitlines() if line]) <= 113
    files = every_format(tmp_path, TORUS)
    for mesh in (*files, *spellings(tmp_path, TORUS)):
        assert refused(tmp_path, mesh, certificate(mesh)) == "", mesh.name


def test_no_facet_is_hidden_from_the_checker_behind_a_name(tmp_path):
    mesh = write_ascii_stl(tmp_path / "a.stl", TORUS)
    stated, text = certificate(mesh), mesh.read_text()
    facets = " ".join(write_ascii_stl(tmp_path / "b.stl", TORUS + 20).read_text().split("\n")[1:-2])
    mesh.write_text(f"{text}solid more {facets} endsolid\n")
    assert massprops.measure(mesh, units="mm").input.facets == 2 * len(TORUS)
    assert refused(tmp_path, mesh, stated) == "no STL file"


def test_what_is_no_certificate_is_named(tmp_path):
    mesh = write_binary_stl(tmp_path / "a.stl", TORUS)
    for text in ("[]", "null", "{", "{}{}", "[" * 100_000, "nonsense"):
        assert refused(tmp_path, mesh, text).startswith("no certificate"), text
    assert refused(tmp_path, mesh, "\ufeff" + certificate_text(certificate(mesh))) == ""


def test_the_checker_of_the_page_finds_a_change(tmp_path):
    mesh = write_binary_stl(tmp_path / "a.stl", TORUS)
    stated = certificate(mesh)
    integrals = stated["integrals"]
    for name in ("24 first", "120 second"):
        changed = [*integrals[name][:-1], str(int(integrals[name][-1]) + 1)]
        assert refused(tmp_path, mesh, {**stated, "integrals": {**integrals, name: changed}}) == "differs in integrals"
    other = write_binary_stl(tmp_path / "b.stl", TORUS[:-1])
    assert refused(tmp_path, other, stated) == "not closed, or inside out"
    assert refused(tmp_path, mesh, {**stated, "schema": "massprops-certificate/2"}) == "differs in schema"


def test_the_checker_does_not_cut_coordinates_to_a_coarser_unit(tmp_path):
    """A forged certificate of the right file: integrals of its coordinates cut to multiples of 1/8, or to nothing."""
    mesh = write_binary_stl(tmp_path / "a.stl", TORUS)
    stated = certificate(mesh)
    forged = {**stated, "exponent": -3, "integrals": integrals_by_hand(TORUS, Fraction(1, 8))}
    assert refused(tmp_path, mesh, forged) == "differs in exponent, integrals"
    forged = {**stated, "exponent": 10**9, "integrals": integrals_by_hand(TORUS, Fraction(10**9))}
    assert refused(tmp_path, mesh, forged) == "differs in exponent, integrals"
    finer = {
        **stated,
        "exponent": stated["exponent"] - 1,
        "integrals": integrals_by_hand(TORUS, Fraction(2) ** (stated["exponent"] - 1)),
    }
    assert refused(tmp_path, mesh, finer) == "differs in exponent, integrals"


def forgeries(stated: dict) -> dict[str, str]:
    """Texts that are no certificate of the file, by what is wrong."""
    good = certificate_text(stated)
    volume = stated["integrals"]["6 V"]
    return {
        "another unit": good.replace('"mm"', '"m"'),
        "no unit": certificate_text({k: v for k, v in stated.items() if k != "unit"}),
        "more facets": certificate_text({**stated, "facets": stated["facets"] + 4}),
        "facets as text": certificate_text({**stated, "facets": str(stated["facets"])}),
        "facets as a float": good.replace(f'"facets": {stated["facets"]}', f'"facets": {stated["facets"]}.0'),
        "less proved": certificate_text({**stated, "proved": stated["proved"][:2]}),
        "more proved": certificate_text({**stated, "proved": [*stated["proved"], "it weighs 3 kg"]}),
        "an exponent below all": certificate_text({**stated, "exponent": -5000}),
        "a volume with a sign": good.replace(f'"{volume}"', f'"+{volume}"'),
        "a volume as a number": good.replace(f'"6 V": "{volume}"', f'"6 V": {volume}'),
        "a key twice": good.replace('"facets": ', '"facets": 1, "facets": '),
        "not a number": good.replace(f'"facets": {stated["facets"]}', '"facets": NaN'),
        "one entry more": certificate_text({**stated, "remark": "approved"}),
        "another file": good.replace(stated["sha256"], "0" * 64),
        "half": good[: len(good) // 2],
    }


def test_forged_certificates_are_refused_by_both(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mesh = write_binary_stl(tmp_path / "a.stl", TORUS)
    stated = certificate(mesh)
    assert refused(tmp_path, mesh, stated) == ""
    assert run("check", mesh, "--units=mm", "--certificate", "c.json").returncode == 0
    for name, text in forgeries(stated).items():
        assert refused(tmp_path, mesh, text), name
        assert run("check", mesh, "--units=mm", "--certificate", "c.json").returncode in (1, 3), name
    # the right certificate, and a file of another size, or one whose facets are not all that it holds
    refused(tmp_path, mesh, stated)
    assert refused(tmp_path, mesh, stated, unit="m") == "differs in unit"
    assert run("check", mesh, "--units=m", "--certificate", "c.json").returncode == 1
    tetra = box().astype(np.float32)
    text = write_ascii_stl(tmp_path / "t.stl", tetra[:4]).read_bytes()
    behind = tmp_path / "behind.stl"
    behind.write_bytes(write_binary_stl(tmp_path / "b.stl", tetra).read_bytes() + text)
    claim = {
        **certificate(write_binary_stl(tmp_path / "b.stl", tetra)),
        "sha256": hashlib.sha256(behind.read_bytes()).hexdigest(),
    }
    assert refused(tmp_path, behind, claim) == "no STL file"


@pytest.mark.parametrize("core", CORES)
def test_formats_cores_and_the_order_of_facets_change_nothing_but_the_hash(core, tmp_path):
    found = [certificate(mesh) for mesh in every_format(tmp_path, TORUS)]
    obj = write_obj(tmp_path / "reversed.obj", TORUS[::-1])
    with core_of(core):
        found += [certificate(tmp_path / "b.stl", jobs=2), certificate(obj)]
    assert len({f.pop("sha256") for f in found}) == 6
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
    assert compare(m, read_certificate(str(path)), str(path)) == []
    path.write_text(json.dumps({**certificate(mesh), "unit": "m", "facets": 3}))
    (finding,) = compare(m, read_certificate(str(path)), str(path))
    assert (finding.code, finding.severity) == ("certificate-mismatch", "error")
    assert "differs in unit, facets" in finding.message
    later = json.dumps({**certificate(mesh), "schema": "massprops-certificate/2"})
    version = "its schema is 'massprops-certificate/2', expected massprops-certificate/1"
    for text, told in ((later, version), *((text, "it has no 'schema'") for text in ("{}", "[]", "null"))):
        path.write_text(text)
        with pytest.raises(ReadError, match=told):
            read_certificate(str(path))


def test_a_wall_has_no_certificate_for_its_method(tmp_path):
    mesh = write_binary_stl(tmp_path / "a.stl", np.array(box(), np.float32))
    with pytest.raises(InvalidGeometry, match="it was measured as 'wall'"):
        certificate(mesh, kind="wall", thickness="0.1mm")


def test_a_file_that_changed_after_it_was_measured_has_no_certificate(tmp_path):
    mesh = write_binary_stl(tmp_path / "a.stl", TORUS)
    m = massprops.measure(mesh, units="mm", hash=True)
    assert certificate_of(m)["sha256"] == m.input.sha256
    write_binary_stl(mesh, TORUS[::-1])
    with pytest.raises(ReadError, match="changed after it was measured"):
        certificate_of(m)
