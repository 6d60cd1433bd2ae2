"""Damaged files of every format give a ReadError or rings of finite numbers: no other exception, no hang, no NaN."""

from __future__ import annotations

import contextlib
import io
import json
import random
import time

import numpy as np
import pytest
from planar_reading import read

import massprops
from massprops.errors import MasspropsError, ReadError

POINTS = "x,y\n" + "".join(f"{i * 0.37:.3f},{(i * i) % 17 - 3.25}\n" for i in range(12)) + "\n5,5\n6,5\n6,6.5\n"
AIRFOIL = "NACA 12\n 4. 3.\n\n0 0\n.3 .08\n.6 .05\n1 .002\n\n0 0\n.4 -.05\n1 -.002\n"
JSON = (
    '{"name": "p", "outer": [[0, 0], [4.5, 0], [4e0, 3], [0, 2]], "holes": [[[1, 1], [2, 1], [1, 2]]], "units": "mm"}'
)
GEOJSON = (
    '{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:25832"}}, "features": [{"type":'
    ' "Feature", "geometry": {"type": "MultiPolygon", "coordinates": [[[[0, 0], [4, 0], [4, 3], [0, 0]]]]}}]}'
)
WKT = "SRID=25832;MULTIPOLYGON (((0 0, 4 0, 4 4, 0 0), (1 .5, 2 .5, 2 1, 1 .5)), EMPTY)\nPOLYGON ((0 0, 3 0, 3 3, 0 0))"
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="10mm" height="10mm" viewBox="0 0 10 10"><style>.a{fill:none}</style>'
    '<defs><symbol id="s" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></symbol></defs><g transform="rotate(30 1 2) scale(2)">'
    '<path class="b" d="M0 0 h4 v3 c1 1 2 2 3 0 s1 1 2 2 q1 1 2 0 t1 1 a2 3 30 1 0 4 4 z m1 1h1v1z"/></g>'
    '<use href="#s" x="3" width="2" height="2"/><rect width="50%" height="3" rx="1"/><polygon points="0,0 1,0 1,1"/></svg>'
)


def dxf() -> bytes:
    ezdxf = pytest.importorskip("ezdxf", reason="DXF drawings are made and read through ezdxf")
    document = ezdxf.new("R12")
    space, block = document.modelspace(), document.blocks.new("part")
    block.add_circle((1, 2), 3)
    space.add_blockref("part", (5, 5), dxfattribs={"xscale": 2, "rotation": 30, "row_count": 2, "row_spacing": 9})
    space.add_polyline2d([(0, 0, 0.5), (4, 0, 0), (4, 3, 0)], format="xyb", close=True)
    space.add_arc((0, 0), 1, 10, 200)
    stream = io.StringIO()
    document.write(stream)
    text = stream.getvalue()
    return text[text.index("  0\nSECTION\n  2\nBLOCKS") :].encode()


#: Text to damage, by name of the file, and how often: ezdxf takes its time.
FILES = {
    "p.csv": (POINTS.encode(), 1000),
    "p.dat": (AIRFOIL.encode(), 1000),
    "p.json": (JSON.encode(), 1000),
    "p.geojson": (GEOJSON.encode(), 1000),
    "p.wkt": (WKT.encode(), 1000),
    "p.svg": (SVG.encode(), 1000),
    "p.dxf": (None, 200),
}
#: What parsers stumble over: brackets, signs, huge and odd numbers, control characters, other alphabets.
SPICE = [
    b"",
    b"\0",
    b"\xff",
    b"-",
    b"e",
    b"9" * 30,
    b"1e308",
    b"1e-320",
    b"nan",
    b"inf",
    b"((",
    b"]]",
    b"<g>",
    b"&a;",
    b'"',
    b"\n",
    b",",
    b"\xe2\x88\x92",
    b"0",
]


def damaged(data: bytes, chance: random.Random) -> bytes:
    """A file cut off, with bytes flipped, a piece doubled, dropped or moved, or something strange put in."""
    for _ in range(chance.randint(1, 3)):
        a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        data = chance.choice(
            [
                data[:a],
                data[:a] + data[b:],
                data[:b] + data[a:],
                data[a:b] + data[:a] + data[b:],
                data[:a] + bytes([chance.randrange(256)]) + data[a + 1 :],
                data[:a] + chance.choice(SPICE) + data[a:],
                data[:a] + chance.choice(SPICE) + data[a + 1 :],
            ]
        )
    return data


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_refused_or_read_to_finite_rings(name: str) -> None:
    data, times = FILES[name]
    data = dxf() if data is None else data
    assert read(data, name).rings  # whole, it is read: else this would test nothing
    refused = 0
    for seed in range(times):
        text = damaged(data, random.Random(seed))  # noqa: S311  # the same damage every time
        start = time.process_time()
        try:
            source = read(text, name)
        except ReadError as error:
            refused += "\n" not in str(error)
            continue
        finally:
            assert time.process_time() - start < 5, text
        assert source.rings
        for ring in source.rings:
            for curve in ring.curves:
                assert np.isfinite([curve.start, curve.end]).all(), text
                assert np.isfinite(curve.chords()).all(), text
    assert refused > times / 4


@pytest.mark.parametrize("name", [name for name in FILES if name != "p.dxf"])
def test_damaged_files_are_measured_in_finite_numbers_or_refused(name: str) -> None:
    """From the file to the JSON: no other exception, no warning of numpy, no NaN."""
    for seed in range(60):
        text = damaged(FILES[name][0], random.Random(seed))  # noqa: S311  # the same damage every time
        for options in ({}, {"rings": "nonzero"}, {"thickness": 2, "density": 7800}):
            with contextlib.suppress(MasspropsError):
                found = massprops.measure("-", format=name[2:], stdin=io.BytesIO(text), units="mm", **options)
                json.dumps(found.to_dict(), allow_nan=False)
