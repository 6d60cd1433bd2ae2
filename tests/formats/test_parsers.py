"""Whatever Python's parsers of JSON and TOML raise is an error of ours: deep nesting, endless integers, damage.

Modules tested: `formats/text`, `formats/strict_json`, `formats/pose_file`.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from cases import raised

import massprops
from massprops.checking.baseline import Baseline
from massprops.checking.config import Config
from massprops.checking.expected import ExpectedResults
from massprops.errors import InvalidInput, ReadError
from massprops.formats import strict_json
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.pose_file import read_pose
from massprops.formats.text import toml_of
from massprops.measurement.assembly import read_assembly

READERS = {
    "section.json": lambda path: massprops.measure(path, units="m"),
    "section.geojson": lambda path: massprops.measure(path, units="m"),
    "mesh.gltf": massprops.measure,
    "result.json": lambda path: open_bodies(str(path)),
    "golden.json": lambda path: ExpectedResults.read(str(path)),
    "baseline.json": lambda path: Baseline.read(str(path)),
    "pose.json": read_pose,
    "assembly.toml": lambda path: read_assembly(str(path)),
    "massprops.toml": Config.read,
}
RESULT = '{"schema": "massprops/1", "mass": %s, "center_of_mass": [0, 0, 0], "inertia": {"tensor": [[1,0,0],[0,1,0],[0,0,1]]}}'
JSON = {
    "deep list": "[" * 100_000,
    "deep object": '{"a":' * 100_000,
    "endless integer": '{"mass": ' + "9" * 5000 + "}",
    "endless integers in a list": "[[" + "9" * 5000 + ",0],[1,1],[0,1]]",
    "long integer": RESULT % ("1" + "0" * 400),
    "long integers in a list": "[" + ",".join(["[1" + "0" * 400 + ",0,0,0]"] * 4) + "]",
    "huge number": RESULT % "1e999",
    "duplicate key": '{"mass": 1, "mass": 2}',
    "constant": "[[NaN, 0], [1, 1], [0, 1]]",
    "cut off": '{"mass": [1, 2',
}
TOML = {
    "deep list": "a = " + "[" * 100_000,
    "deep table": "a" + ".a" * 2_000 + " = 1",
    "endless dotted key": "a" + ".a" * 100_000 + " = 1",  # minutes and gigabytes in Python's parser
    "endless dotted header": "[a" + " . 'a'" * 100_000 + "]",
    "deep inline table": "a = " + "{a = " * 100_000,
    "endless integer": "count = " + "9" * 5000,
    "cut off": "a = [1,",
}


@pytest.mark.parametrize(
    ("name", "text"),
    [(name, text) for name in READERS for text in (TOML if name.endswith("toml") else JSON).values()],
    ids=[f"{name}-{each}" for name in READERS for each in (TOML if name.endswith("toml") else JSON)],
)
def test_no_error_of_a_parser_gets_out(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    caught = raised((ReadError, InvalidInput), READERS[name], path)
    assert "\n" not in str(caught)
    assert len(caught.message) < 400  # at most a few words of the file


def test_values_in_a_row_are_read_in_linear_time() -> None:
    """400 kB of them took half a minute when lines were counted from the beginning for each."""
    start = time.process_time()
    values = list(strict_json.objects("1\n" * 200_000, "x.json"))
    assert time.process_time() - start < 10
    assert values[0] == (1, "x.json:1")
    assert values[-1] == (1, "x.json:200000")


def test_places_count_lines_in_and_between_values() -> None:
    text = '\n\n{"a":\n1}  {"b": 2}\n3'
    assert [place for _, place in strict_json.objects(text, "x")] == ["x:3", "x:4", "x:5"]


def test_a_key_of_a_few_parts_and_dots_in_values_are_toml() -> None:
    text = f'{".".join("a" * 90)} = 1\nb = "{"a." * 90}"\nc = [{"1.5, " * 200}]'
    assert toml_of(text)["c"] == [1.5] * 200
