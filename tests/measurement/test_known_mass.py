"""Whether a mass is known is asked of the result: of a STEP file that states densities, every command and format knows the same mass."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from cases import each
from console import run
from oracles import box_obj
from step_files import named, needs_kernel, written

import massprops
from massprops.comparison.comparison import diff

#: Two boxes of 10 × 5 × 2 mm³, 50 mm apart: 0.785 g and 0.27 g.
MASS, CENTRE = 1.055e-3, (0.785 * 5 + 0.27 * 55) / 1.055e3
#: Izz about the common centre: m (a² + b²) / 12 of each, and m d².
IZZ = sum(m * ((100 + 25) / 12 + (x - CENTRE * 1e3) ** 2) * 1e-9 for m, x in ((0.785, 5), (0.27, 55)))
STATED = """#{n}1=PROPERTY_DEFINITION('material property','density',#{part}); #{n}2=PROPERTY_DEFINITION_REPRESENTATION(#{n}1,#{n}3);
#{n}3=REPRESENTATION('density',(#{n}4),#{context});
#{n}4=MEASURE_REPRESENTATION_ITEM('density measure',POSITIVE_RATIO_MEASURE({value}),#{n}5);
#{n}5=DERIVED_UNIT((#{n}6,#{n}7)); #{n}6=DERIVED_UNIT_ELEMENT(#{n}8,1.); #{n}7=DERIVED_UNIT_ELEMENT(#{n}9,-3.);
#{n}8=(MASS_UNIT()NAMED_UNIT(*)SI_UNIT($,.GRAM.)); #{n}9=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.CENTI.,.METRE.));
"""


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The boxes with their densities, 7.85 and 2.7 g/cm³."""

    def shapes(tool: Any, _document: Any) -> None:
        from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
        from OCP.gp import gp_Pnt

        for name, x in (("A", 0), ("B", 50)):
            named(tool.AddShape(BRepPrimAPI_MakeBox(gp_Pnt(x, 0, 0), 10.0, 5.0, 2.0).Shape(), False), name)

    path = written(shapes, tmp_path_factory.mktemp("step") / "boxes.step")
    text = path.read_text()
    context = re.search(r"SHAPE_REPRESENTATION\('',\([^)]*\),(#\d+)\)", text.replace("\n", ""))
    definitions = re.findall(r"#(\d+) = PRODUCT_DEFINITION\(", text)
    assert context is not None
    assert len(definitions) == 2
    more = "".join(
        STATED.format(n=n, part=part, value=value, context=context[1][1:])
        for n, part, value in zip((90, 91), definitions, ("7.85", "2.7"), strict=True)
    )
    path.write_text(text.replace("ENDSEC;\nEND-ISO", f"{more}ENDSEC;\nEND-ISO"))
    return path


def result_of(path: Path) -> Path:
    """The JSON result of a file."""
    found = path.with_suffix(".json")
    found.write_text(json.dumps(massprops.measure(path).to_dict()))
    return found


def body_is_right(mass: float, centre: float, izz: float) -> bool:
    return (mass, centre, izz) == (
        pytest.approx(MASS, rel=1e-6),
        pytest.approx(CENTRE, rel=1e-6),
        pytest.approx(IZZ, rel=1e-6),
    )


@needs_kernel
@each("format", ["urdf", "sdf", "mjcf", "usd", "csv", "markdown", "ten-vector", "json"])
def test_every_format_has_the_mass(stated: Path, tmp_path: Path, format: str) -> None:
    """What is written is read back by the reader of its format."""
    suffix = {"mjcf": "xml", "usd": "usda", "markdown": "md", "ten-vector": "txt"}.get(format, format)
    out = tmp_path / f"b.{suffix}"
    link = [] if format == "json" else ["--link", "boxes"]
    done = run("compute", stated, "--format", format, *link, "-o", out)
    assert done.returncode == 0, done.err
    if format in ("csv", "markdown"):
        text = out.read_text()
        rows = [*csv.reader(io.StringIO(text))] if format == "csv" else [r.split(" | ") for r in text.splitlines()]
        assert len({len(row) for row in rows if "---" not in row[0]}) == 1
        row = rows[-1]
        assert body_is_right(float(row[1]), float(row[2]), float(row[7]))
        return
    body = massprops.open_bodies(f"{out}").bodies[0].properties
    assert body_is_right(body.mass, body.com[0], body.inertia[2, 2])


@needs_kernel
def test_diff_knows_the_mass_of_both(stated: Path) -> None:
    """A file is equal to its own result, either way round, mass and centre included; geometry alone has its own centre."""
    result = result_of(stated)
    for pair in ((stated, result), (result, stated), (stated, stated)):
        (found,) = diff(*pair)
        assert found.verdict != "beyond"
        assert {"mass", "center_of_mass.x"} <= {c.name for c in found.changes}
        assert not found.skipped
    mesh = stated.with_suffix(".obj")  # the same boxes without any mass
    mesh.write_text("".join(box_obj((x, 0, 0), (x + 10, 5, 2), first) for first, x in ((0, 0), (8, 50))))
    for pair in ((stated, mesh), (mesh, stated)):
        (found,) = diff(*pair, units="mm")
        centre = next(c for c in found.changes if c.name == "center_of_mass.x")
        assert (centre.before, centre.after) == (pytest.approx(0.03), pytest.approx(0.03))


@needs_kernel
def test_assemblies_and_links_take_the_stated_densities(stated: Path, tmp_path: Path) -> None:
    """Without a density of their own; one that is given goes before, and then the centre is that of the volume."""
    assembly, robot = tmp_path / "a.toml", tmp_path / "r.urdf"
    assembly.write_text(f'[[part]]\nmesh = "{stated}"\n')
    body = massprops.combine(assembly).body.properties
    assert body_is_right(body.mass, body.com[0], body.inertia[2, 2])
    assembly.write_text(f'[[part]]\nmesh = "{stated}"\ndensity = 1000\n')
    assert massprops.combine(assembly).body.properties.com[0] == pytest.approx(0.03)

    link = f'<link name="a"><visual><geometry><mesh filename="{stated}"/></geometry></visual></link>'
    robot.write_text(f'<robot name="r">{link}</robot>')
    filled = massprops.fill(robot, allow_outside=True).links[0]
    assert filled.mass_from == "geometry"
    assert body_is_right(filled.after.mass, filled.after.com[0], filled.after.inertia[2, 2])
    filled = massprops.fill(robot, density=1000, allow_outside=True).links[0]
    assert (filled.after.mass, filled.after.com[0]) == (pytest.approx(2e-4), pytest.approx(0.03))


@needs_kernel
def test_a_sheet_weighs_its_densities_times_the_thickness(stated: Path) -> None:
    """160 mm² of each box; without a thickness there is no mass, and an area density that is given goes before."""
    m = massprops.measure(stated, kind="sheet", thickness=1e-3)
    assert m.mass == pytest.approx(160e-9 * (7850 + 2700), rel=1e-6)
    assert m.com[0] == pytest.approx(CENTRE, rel=1e-6)
    assert m.input.facets == 24
    assert massprops.measure(stated, kind="sheet").mass is None
    m = massprops.measure(stated, kind="sheet", area_density=2)
    assert (m.mass, m.com[0]) == (pytest.approx(640e-6, rel=1e-6), pytest.approx(0.03, rel=1e-6))


@each("format", ["csv", "markdown"])
@each("options", [
    "--combine --thickness 2 --part-density 1=1000 --part-density 2=2000",
    "--combine --thickness 2 --part-material '*=steel'",
    "--combine --thickness 2 --density 1000",
    "--combine --thickness 2",
    "--combine --mass 3",
    "--combine",
    "--area-density 3",
    "--thickness 2",
    "",
])  # fmt: skip
def test_rows_have_as_many_values_as_headings(tmp_path: Path, format: str, options: str) -> None:
    """Sections with and without a mass: densities of parts are a mass, too."""
    files = [tmp_path / "a.wkt", tmp_path / "b.wkt"]
    for i, file in enumerate(files):
        file.write_text(f"POLYGON(({i} 0,{i + 1} 0,{i + 1} 1,{i} 1,{i} 0))")
    out = run("compute", *files, *shlex.split(options), "--format", format).out
    rows = csv.reader(io.StringIO(out)) if format == "csv" else (line.split("|") for line in out.splitlines())
    counts = set(map(len, rows))
    assert len(counts) == 1
    assert ("mass" in out) == ("mass" in options or "density" in options or "material" in options)
