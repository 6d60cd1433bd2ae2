"""The unit that a file is read in: stated, given or replaced; each format × each way of giving a unit × each way of measuring.

Module tested: `measurement/options`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from console import run
from step_files import written

import massprops
from massprops.units import length_unit

#: Sides of a box, or of its outline, in the unit of the file.
SIDES = 2.0, 3.0, 5.0
OUTLINE = [(0, 0), (2, 0), (2, 3), (0, 3)]
CLOSED = ", ".join(f"{x} {y}" for x, y in [*OUTLINE, OUTLINE[0]])
#: ETRS89 / UTM zone 32N: metres.
UTM = "urn:ogc:def:crs:EPSG::25832"


def exported(kind: str, **options: Any) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        body = trimesh.creation.box(SIDES)
        for name, value in options.items():
            setattr(body, name, value)
        body.export(path, file_type=kind)

    return write


def text(content: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(content, encoding="utf-8")


def collada(path: Path) -> None:
    exported("dae")(path)
    plain = re.sub(r"<unit[^>]*/>", "", path.read_text("utf-8"))
    path.write_text(plain.replace("</asset>", '<unit meter="0.0254" name="inch"/></asset>'), "utf-8")


def drawing(path: Path) -> None:
    import ezdxf

    document = ezdxf.new(units=1)  # inches
    document.modelspace().add_lwpolyline(OUTLINE, close=True)
    document.saveas(path)


def solid(path: Path) -> None:
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox

    # the kernel's numbers are millimetres: in the file they are inches
    written(lambda tool, _: tool.AddShape(BRepPrimAPI_MakeBox(*(25.4 * s for s in SIDES)).Shape()), path, unit="INCH")


#: By name: the unit that the file states, or None; how it is written.
FILES: dict[str, tuple[str | None, Callable[[Path], object]]] = {
    "box.stl": (None, exported("stl")),
    "box.obj": (None, exported("obj")),
    "box.ply": (None, exported("ply")),
    "box.off": (None, exported("off")),
    "box.glb": ("m", exported("glb")),
    "box.3mf": ("mm", exported("3mf")),
    "box.dae": ("in", collada),
    "ring.dxf": ("in", drawing),
    "ring.svg": ("mm", text('<svg xmlns="http://www.w3.org/2000/svg" width="9mm" height="9mm" viewBox="0 0 9 9">'
                            '<rect width="2" height="3"/></svg>')),
    "ring.csv": ("cm", text("x [cm],y [cm]\n" + "".join(f"{x},{y}\n" for x, y in OUTLINE))),
    "plain.csv": (None, text("".join(f"{x},{y}\n" for x, y in OUTLINE))),
    "ring.json": ("in", text(json.dumps({"outer": OUTLINE, "units": "in"}))),
    "ring.geojson": ("m", text(json.dumps({
        "type": "Polygon", "coordinates": [[*OUTLINE, OUTLINE[0]]], "crs": {"properties": {"name": UTM}}}))),
    "ring.wkt": ("m", text(f"SRID=25832; POLYGON (({CLOSED}))")),
    "plain.wkt": (None, text(f"POLYGON (({CLOSED}))")),
    "box.step": ("in", solid),
}  # fmt: skip
#: A unit that no file states.
OTHER = "ft"


def expected(stated: str | None, given: dict[str, str]) -> tuple[str, list[str]]:
    """The unit that is right, and the code that has to be said."""
    override, units = given.get("override_units"), given.get("units")
    if stated is None:
        return override or units or "m", []
    if override is not None:
        return override, ["units-overridden"]
    return stated, ["units-stated"] if units not in (None, stated) else []


@pytest.fixture(params=FILES)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str | None]:
    stated, write = FILES[request.param]
    if request.param.endswith(".step") and find_spec("OCP") is None:
        pytest.skip("the extra `step` is not installed")
    write(tmp_path / request.param)
    return tmp_path / request.param, stated


def size_of(result: dict[str, Any]) -> list[float]:
    bounds = result["bounds"]
    return [b - a for a, b in zip(bounds["min"], bounds["max"], strict=True)][:2]


def test_a_stated_unit_is_used_and_a_given_one_is_for_files_without(file: tuple[Path, str | None]) -> None:
    path, stated = file
    ways: list[dict[str, str]] = [{}, {"units": OTHER}, {"override_units": OTHER}]
    ways += [{"units": stated or "mm"}, {"units": "mm", "override_units": OTHER}]
    for given in ways:
        unit, codes = expected(stated, given)
        words = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", value)]
        right = [s * length_unit(unit) for s in SIDES[:2]]
        measured = massprops.measure(path, **given)
        results = [measured.to_dict()]
        if OTHER in given.values():
            config = path.with_name("massprops.toml")
            config.write_text("".join(f'{k.replace("_", "-")} = "{v}"\n' for k, v in given.items()), "utf-8")
            results += [run("compute", path, *how, "-f", "json").result for how in (words, ["--config", config])]
        for result in results:
            assert size_of(result) == pytest.approx(right, rel=1e-6), (given, unit)
            assert result["input"]["units"] == unit
            assert [f["code"] for f in result["findings"] if f["code"].startswith("units-")] == codes
        checked = massprops.check(path, **given).checked[0]
        assert [f.code for f in checked.findings if f.code.startswith("units-")] == codes
        # what a length without a unit means
        side = 5.0 if measured.section is None else 3.0
        larger, smaller = (massprops.check(path, max_size=str(k * side), **given).checked[0] for k in (1.0001, 0.99))
        assert (larger.status == "failed", smaller.status) == (False, "failed")
        body = {} if measured.section is None else {"area_density": 1}  # a section alone has no pose
        shift = massprops.measure(path, pose="7 0 0", **given, **body).center_of_mass - measured.center_of_mass
        assert shift == pytest.approx([7 * length_unit(unit), 0, 0], rel=1e-9, abs=1e-12)


def test_a_pair_in_two_units_is_the_same_body(file: tuple[Path, str | None]) -> None:
    """The line of docs/step.md: `--units` is the unit of the file that states none."""
    path, stated = file
    if stated is None or path.suffix == ".step":  # the kernel takes seconds for each reading
        return
    scale, twin = length_unit(stated) / length_unit("mm"), path.with_name("twin.csv")
    flat = massprops.measure(path).section is not None
    if flat:
        # in SVG y points down from the top of the page
        turned = [(x, 9.0 - y) for x, y in OUTLINE] if path.suffix == ".svg" else OUTLINE
        twin.write_text("".join(f"{x * scale!r},{y * scale!r}\n" for x, y in turned), "utf-8")
    else:
        body = trimesh.creation.box([scale * s for s in SIDES])
        body.apply_translation(-body.bounds[0] + np.asarray(massprops.measure(path).bounds[0]) / length_unit("mm"))
        body.export(twin := path.with_name("twin.ply"))
    for pair in ((path, twin), (twin, path)):
        done = run("diff", *pair, "--units", "mm", "--rtol", "1e-6")
        assert done.returncode == 0, done.out
        assert run("diff", *pair, "--units", OTHER).returncode == 1


def test_a_part_of_an_assembly_is_read_in_its_own_unit(tmp_path: Path) -> None:
    exported("3mf")(tmp_path / "box.3mf")
    text = '[[part]]\nmesh = "box.3mf"\n{}\ndensity = 1000\npose = [10, 0, 0]\n'
    for keys, unit in (("", "mm"), ('units = "in"', "mm"), ('override_units = "in"', "in")):
        (tmp_path / "whole.toml").write_text(text.format(keys), "utf-8")
        whole = run("combine", tmp_path / "whole.toml", "-f", "json").result
        assert whole["mass"] == pytest.approx(1000 * 30 * length_unit(unit) ** 3, rel=1e-9)
        assert whole["center_of_mass"][0] == pytest.approx(10 * length_unit(unit), rel=1e-9)
        assert ("units-" in str(whole["findings"])) == bool(keys)


#: Files whose unit is no named one, or is converted: how each is written, and how it states that unit.
CONVERTED = {
    "box.dae": (
        "0.37 m",
        lambda path: (collada(path), path.write_text(path.read_text("utf-8").replace("0.0254", "0.37"))),
    ),
    "box.usda": (
        "cm",
        text(
            '#usda 1.0\n(\n    metersPerUnit = 0.01\n)\ndef Mesh "m"\n{\n    int[] faceVertexCounts = [3, 3, 3, 3]\n'
            "    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n"
            "    point3f[] points = [(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 5)]\n}\n"
        ),
    ),
}


@pytest.mark.parametrize("name", CONVERTED)
def test_a_unit_that_was_converted_is_named_and_not_replaced(name: str, tmp_path: Path) -> None:
    """The coordinates are no longer those of the file: millimetres of what is in metres would be a mass of another body."""
    if name.endswith(".usda"):
        pytest.importorskip("pxr")
    stated, write = CONVERTED[name]
    path = tmp_path / name
    write(path)
    found = massprops.measure(path, units="mm")
    scale = 0.37 if name.endswith(".dae") else 0.01
    assert size_of(found.to_dict()) == pytest.approx([2 * scale, 3 * scale], rel=1e-6)
    (said,) = (f.message for f in found.findings if f.code == "units-stated")
    assert stated in said
    assert "override" not in said
    in_mm = (
        lambda: massprops.diff(path, path, override_units="mm"),
        lambda: massprops.plot(path, override_units="mm"),
    )
    for call in (
        lambda: massprops.measure(path, override_units="mm"),
        lambda: massprops.convert(path, "stl", override_units="mm"),
        lambda: massprops.measure([path], together=True, override_units="mm"),
        *([] if name.endswith(".usda") else in_mm),  # they read USD as a robot
    ):
        with pytest.raises(massprops.InvalidInput, match=rf"override_units.*{stated}.*converted to m"):
            call()
