"""STEP: exact integrals of solids with curved faces, held to closed forms; and what a damaged file leads to.

Files are written by the kernel itself, which is an extra of 380 MB: tests of them skip without it. Most run it in this process; one starts
the process that users start.

Modules tested: `formats/mesh/step`, `formats/mesh/step_kernel`, `formats/mesh/step_integrals`,
`formats/mesh/step_text`, `mesh/exact_solid`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each, refused
from places import CORPUS
from step_files import named, needs_kernel, written

from massprops import measure
from massprops.access import allowing
from massprops.checking.check_file import Checker
from massprops.errors import InvalidGeometry, MasspropsError, ReadError
from massprops.formats import child_process
from massprops.formats.mesh import step, step_kernel, step_text

STEP = "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AP242_MANAGED'));\nENDSEC;\nDATA;\n{}\nENDSEC;\nEND-ISO-10303-21;\n"


DENSITY = """#1=PRODUCT('p1','bolt, M6','',(#9)); #2=PRODUCT_DEFINITION_FORMATION('','',#1); #3=PRODUCT_DEFINITION('d','',#2,#9);
#4=PROPERTY_DEFINITION('material property','density',#3); #5=PROPERTY_DEFINITION_REPRESENTATION(#4,#6);
#6=REPRESENTATION('density',(#7),#9); #7=MEASURE_REPRESENTATION_ITEM('density measure',POSITIVE_RATIO_MEASURE({value}),#8);
#8=DERIVED_UNIT((#10,#11)); #10=DERIVED_UNIT_ELEMENT(#12,{mass}); #11=DERIVED_UNIT_ELEMENT(#13,{length});
#12=(MASS_UNIT()NAMED_UNIT(*)SI_UNIT({gram},.GRAM.)); #13=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT({metre},.METRE.)); #9=X();"""


@each("value, gram, metre, mass, length, kg_per_m3", [
    ("7850.", ".KILO.", "$", "1.", "-3.", 7850.0),
    ("7.85", "$", ".CENTI.", "1.", "-3.", 7850.0),
    ("7.85E-6", ".KILO.", ".MILLI.", "1.", "-3.", 7850.0),
    ("2.7", "$", ".CENTI.", "1.", "3.", 2700.0),  # Fusion and Inventor
    ("2700.", ".KILO.", "$", "1.", "3.", 2700.0),
    ("2.7E-6", ".KILO.", ".MILLI.", "1.", "3.", 2700.0),
    ("7.85", "$", ".CENTI.", "3.", "2.", None),  # what Open CASCADE writes for g/cm³
    ("-1.", ".KILO.", "$", "1.", "-3.", None),
])  # fmt: skip
def test_densities_are_read_with_their_units(
    value: str, gram: str, metre: str, mass: str, length: str, kg_per_m3: float | None
) -> None:
    """The kernel takes kg/m³ for g/m³: a steel bolt would have the mass of air."""
    text = DENSITY.format(value=value, gram=gram, metre=metre, mass=mass, length=length)
    found = step_text.densities(STEP.format(text).encode())
    density, turned = found["bolt, M6"]
    assert density == (kg_per_m3 and pytest.approx(kg_per_m3, rel=1e-14))
    assert turned == (length == "3.")


def test_text_that_the_kernel_overlooks() -> None:
    text = STEP.format(
        "#1=MANIFOLD_SOLID_BREP('a #7',#2); #2 = CLOSED_SHELL('',(#3)); #9=BREP_WITH_VOIDS('',#2,(#2));"
    ).encode()
    assert step_text.solids_promised(text) == 2
    assert step_text.missing_entities(text) == 1  # #3; #7 is a part of a name
    assert step_text.schema_of(text) == "ap242"
    usages = "#1=CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#2,#3); #3=PRODUCT_DEFINITION_SHAPE('#7;',$,#{});"
    usages += "#4=CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#2,#5); #5 = PRODUCT_DEFINITION_SHAPE ( '', '', #6 );"
    usages += "#7=SPECIFIED_HIGHER_USAGE_OCCURRENCE('',#6);"
    assert [step_text.usages_promised(usages.format(n).encode()) for n in (6, 7, 8)] == [1, 1, 2]
    assert not step_text.end_is_missing(text)
    assert step_text.end_is_missing(text[:-20])


# --- with the kernel --------------------------------------------------------------------------------------------------


def primitives() -> dict[str, tuple[Any, float, tuple[float, float, float]]]:
    """Shape, volume and principal second moments of inertia per density, by textbook formulas."""
    from OCP import BRepPrimAPI

    def solid(volume: float, *per_volume: float) -> tuple[float, tuple[float, float, float]]:
        x, y, z = (volume * p for p in per_volume)
        return volume, (x, y, z)

    def revolved_ellipse() -> Any:
        """About an axis that does not pass through the origin: neither a torus nor, for the kernel, any elementary surface."""
        from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeWire
        from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_Elips, gp_Pnt

        ellipse = gp_Elips(gp_Ax2(gp_Pnt(big - 5, 2, 1), gp_Dir(0, 1, 0), gp_Dir(0, 0, 1)), h / 2, r)
        face = BRepBuilderAPI_MakeFace(BRepBuilderAPI_MakeWire(BRepBuilderAPI_MakeEdge(ellipse).Edge()).Wire()).Face()
        return BRepPrimAPI.BRepPrimAPI_MakeRevol(face, gp_Ax1(gp_Pnt(-5, 2, 0), gp_Dir(0, 0, 1))).Shape()

    pi, r, h, big = math.pi, 3.0, 7.0, 11.0
    disc = (3 * r * r + h * h) / 12
    ring = big * big / 2 + 5 * r * r / 8
    cap = 3 / 20 * r * r + 3 / 80 * h * h
    return {
        "box": (BRepPrimAPI.BRepPrimAPI_MakeBox(2.0, 3.0, 5.0).Shape(), *solid(30, 34 / 12, 29 / 12, 13 / 12)),
        "cylinder": (BRepPrimAPI.BRepPrimAPI_MakeCylinder(r, h).Shape(), *solid(pi * r * r * h, disc, disc, r * r / 2)),
        "sphere": (BRepPrimAPI.BRepPrimAPI_MakeSphere(r).Shape(), *solid(4 / 3 * pi * r**3, *3 * (0.4 * r * r,))),
        "torus": (
            BRepPrimAPI.BRepPrimAPI_MakeTorus(big, r).Shape(),
            *solid(2 * pi**2 * big * r * r, ring, ring, big * big + 3 / 4 * r * r),
        ),
        "revolved ellipse": (
            revolved_ellipse(),
            *solid(pi**2 * big * r * h, *2 * (big * big / 2 + 3 / 8 * r * r + h * h / 16,), big * big + 3 / 4 * r * r),
        ),
        "cone": (
            BRepPrimAPI.BRepPrimAPI_MakeCone(r, 0.0, h).Shape(),
            *solid(pi * r * r * h / 3, cap, cap, 0.3 * r * r),
        ),
    }


def moved(shape: Any) -> Any:
    """Turned about a skew axis and far from the origin: three distinct products of inertia."""
    from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
    from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec

    turn, shift = gp_Trsf(), gp_Trsf()
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(1, 2, 3)), 0.7)
    shift.SetTranslation(gp_Vec(100, -50, 20))
    return BRepBuilderAPI_Transform(shape, shift.Multiplied(turn), True).Shape(), np.array(
        [[turn.Value(i, j) for j in (1, 2, 3)] for i in (1, 2, 3)]
    )


@needs_kernel
@each("name", ["box", "cylinder", "sphere", "torus", "cone", "revolved ellipse"])
def test_integrals_are_those_of_closed_forms(name: str) -> None:
    """As elementary surfaces, and as rational B-splines, for which every point is evaluated; the stated ± holds and is small."""
    from OCP.BRepBuilderAPI import BRepBuilderAPI_NurbsConvert

    from massprops.formats.mesh.step import exact_solid
    from massprops.formats.mesh.step_kernel import measure_solid

    plain, volume, principal = primitives()[name]
    turned, rotation = moved(plain)
    inertia = rotation @ np.diag(principal) @ rotation.T
    for body in (turned, BRepBuilderAPI_NurbsConvert(turned).Shape()):
        found = measure_solid(body)
        arrays = {f"{k}0": v for k, v in found.items() if isinstance(v, np.ndarray)}
        exact = exact_solid(arrays, found, 0)
        second = exact.moments.recentred().second
        tensor = np.trace(second) * np.eye(3) - second
        assert exact.problem == ""
        assert exact.moments.measure == pytest.approx(volume, rel=1e-13)
        assert np.abs(tensor - inertia).max() < 1e-13 * 100**2 * volume  # rounding at the distance from the origin
        off = exact.sources["arithmetic"]
        assert abs(exact.moments.measure - volume) <= off.volume < 1e-11 * volume
        assert off.second.max() < 1e-10 * np.abs(inertia).max()


@needs_kernel
@pytest.mark.parametrize("everywhere", [True, False])
def test_what_never_agrees_is_halved_no_further_than_the_limit(
    everywhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged surface has no smooth parts: it costs a bounded time, and its differences are in the stated error."""
    from OCP.TopAbs import TopAbs_ShapeEnum as Kind
    from OCP.TopExp import TopExp_Explorer

    from massprops.formats.mesh import step_integrals

    face = TopExp_Explorer(primitives()["sphere"][0], Kind.TopAbs_FACE).Current()
    plain = step_integrals.face_integrals(face, np.zeros(3))[0]
    along, counts = step_integrals._Surface.along, []

    def counted(self: Any, curve: Any, spans: Any, *order: int) -> Any:
        counts.append(len(spans))
        bad = np.ones(len(spans)) if everywhere else spans[:, 0] == spans[:, 0].min()
        return along(self, curve, spans, *order) + (order[0] == 20) * 1e-9 * bad[:, np.newaxis]

    monkeypatch.setattr(step_integrals._Surface, "along", counted)
    sums, errors = step_integrals.face_integrals(face, np.zeros(3))
    if everywhere:
        assert step_integrals._MOST < max(counts) <= 2 * step_integrals._MOST + 8
        assert (errors >= 1e-9 * max(counts) * (1 - 1e-6)).all()
    assert (np.abs(sums - plain) <= errors + 1e-12).all()


@pytest.fixture(scope="module")
def hinge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two instances of a pin and a plate with a hole for it, in an assembly within an assembly, one of them turned."""

    def shapes(tool: Any, _document: Any) -> None:
        from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
        from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
        from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
        from OCP.TopLoc import TopLoc_Location

        pin = BRepPrimAPI_MakeCylinder(3.0, 30.0).Shape()
        block = BRepPrimAPI_MakeBox(gp_Pnt(-20, -10, 0), 40.0, 20.0, 10.0).Shape()
        plate = named(tool.AddShape(BRepAlgoAPI_Cut(block, pin).Shape(), False), "plate")
        pin = named(tool.AddShape(pin, False), "pin")
        inner, outer = named(tool.NewShape(), "half"), named(tool.NewShape(), "hinge")
        turn, shift = gp_Trsf(), gp_Trsf()
        turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(1, 0, 0)), math.pi / 2)
        shift.SetTranslation(gp_Vec(0, 200, 0))
        for part in (plate, pin):
            tool.AddComponent(inner, part, TopLoc_Location())
        for name, place in {"left": TopLoc_Location(), "right": TopLoc_Location(shift.Multiplied(turn))}.items():
            named(tool.AddComponent(outer, inner, place), name)
        tool.UpdateAssemblies()

    return written(shapes, tmp_path_factory.mktemp("step") / "hinge.step")


PIN, PLATE = math.pi * 9 * 30e-9, (8000 - math.pi * 90) * 1e-9


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_an_assembly_is_the_sum_of_its_placed_solids(hinge: Path) -> None:
    """The pin touches its hole: the triangles of both cross, the surfaces do not."""
    m = measure(hinge, densities={"pin": 7800}, density=1000)
    assert [(str(p.label), p.measurement.grade) for p in m.parts] == 2 * [
        ("hinge/half/plate", "certified"),
        ("hinge/half/pin", "certified"),
    ]
    assert m.mass == pytest.approx(2 * (PIN * 7800 + PLATE * 1000), rel=1e-12)
    # the turn by 90° about x takes (0, 0, z) to (0, −z, 0)
    height = (PIN * 7800 * 0.015 + PLATE * 1000 * 0.005) / (PIN * 7800 + PLATE * 1000)
    assert m.center_of_mass == pytest.approx([0, (0.2 - height) / 2, height / 2], abs=1e-13)
    assert m.uncertainty is not None
    assert 0 < m.uncertainty.volume < 1e-6 * m.volume  # the tolerances of the edges, 1e-7 mm


PROPERTY = """#9001=PROPERTY_DEFINITION('geometric_validation_property','',#{pin}); #9002=REPRESENTATION('',(#9003),#{context});
#9003=MEASURE_REPRESENTATION_ITEM('volume measure',VOLUME_MEASURE({volume}),#9004); #9004=DERIVED_UNIT((#9005));
#9005=DERIVED_UNIT_ELEMENT(#9006,3.); #9006=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));
#9007=PROPERTY_DEFINITION_REPRESENTATION(#9001,#9002); #9008=PROPERTY_DEFINITION('geometric validation property','',#{usage});
#9009=REPRESENTATION('',(#9010),#{context}); #9010=CARTESIAN_POINT('centre point',(0.,200.,0.));
#9011=PROPERTY_DEFINITION_REPRESENTATION(#9008,#9009);
"""


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_validation_properties_find_their_bodies_in_a_file(hinge: Path, tmp_path: Path) -> None:
    """The kernel's names lead to the part and to the usage: a wrong volume and a wrong place are findings, and required."""
    text = hinge.read_text(encoding="utf-8")
    products = {m[2]: m[1] for m in re.finditer(r"#(\d+) = PRODUCT\('[^']*','(\w+)'", text)}
    formation = re.search(rf"#(\d+) = PRODUCT_DEFINITION_FORMATION\('[^']*','[^']*',#{products['pin']}\)", text)
    assert formation is not None
    pin = re.search(rf"#(\d+) = PRODUCT_DEFINITION\('[^']*','[^']*',#{formation[1]},", text)
    usage = re.search(r"#(\d+) = NEXT_ASSEMBLY_USAGE_OCCURRENCE\('[^']*','right'", text)
    context = re.search(r"#(\d+) = \( GEOMETRIC_REPRESENTATION_CONTEXT\(3\)", text)
    assert pin is not None
    assert usage is not None
    assert context is not None
    found = {}
    for volume in (f"{PIN * 1e9:.9f}", "850."):
        added = PROPERTY.format(pin=pin[1], context=context[1], usage=usage[1], volume=volume)
        path = tmp_path / "stated.step"
        path.write_text(text.replace("ENDSEC;\nEND-ISO", f"{added}ENDSEC;\nEND-ISO"), encoding="utf-8")
        m = measure(path)
        found[volume] = [f.code for f in m.findings]
        json: Any = m.to_dict()["stored"]
        assert [value["quantity"] for value in json] == ["volume", "center_of_mass"]
        assert json[0]["ours"] == pytest.approx([PIN], rel=1e-12)
        height = (PIN * 15 + PLATE * 5) / (PIN + PLATE)
        assert json[1]["ours"] == pytest.approx([0, 0.2 - height / 1e3, 0], abs=1e-13)
        (checked,) = Checker(last={"require": ("gvp",)}).check(str(path))
        required = "".join(f.message for f in checked.findings if f.code == "requirement-not-met")
        assert required == f"gvp is required, and {len(found[volume])} of 2 stored values do not agree"
    assert list(found.values()) == [["gvp-centroid"], ["gvp-volume", "gvp-centroid"]]
    (checked,) = Checker(last={"require": ("gvp",)}).check(str(hinge))
    assert [f.message for f in checked.findings] == ["gvp is required, and the file states no validation properties"]


@needs_kernel
@pytest.mark.skipif(not (CORPUS / "cad").is_dir(), reason="no corpus of CAD files")
@pytest.mark.usefixtures("in_this_process")
def test_a_kernels_sample_states_a_bolt_that_it_does_not_have() -> None:
    """The known case: 3200.717 mm³ are stated, 7e-5 more than its surfaces enclose, with an accuracy of 1e-5 mm."""
    (checked,) = Checker().check(str(CORPUS / "cad/as1-oc-214.stp"))
    bolt = next(f for f in checked.findings if f.code == "gvp-volume" and "for bolt;" in f.message)
    assert bolt.severity == "error"
    assert bolt.value == pytest.approx((3200.717 - 3200.498) * 1e-9, rel=0.01)
    (stored,) = (v for v in checked.stored if (v["of"], v["quantity"]) == ("bolt", "volume"))
    assert stored["stored"][0] / stored["ours"][0] - 1 == pytest.approx(7e-5, abs=1e-5)
    assert bolt.value > 5 * stored["error"][0]


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_units_names_and_limits_of_a_file(tmp_path: Path) -> None:
    """An inch file is measured in inches; its bounds are those of the surface, not of triangles; a mass gives the density."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeTorus

    def torus(tool: Any, _document: Any) -> None:
        named(tool.AddShape(BRepPrimAPI_MakeTorus(25.4 * 3, 25.4).Shape(), False), "ring")

    m = measure(written(torus, tmp_path / "ring.stp", "INCH"), mass=2.0)
    assert (m.input.unit, m.input.format, m.input.encoding, m.input.facets) == ("in", "step", "ap214", None)
    assert m.volume == pytest.approx(6 * math.pi**2 * 0.0254**3, rel=1e-13)
    assert m.area == pytest.approx(12 * math.pi**2 * 0.0254**2, rel=1e-8)
    assert m.bounds == pytest.approx(np.array([[-4, -4, -1], [4, 4, 1]]) * 0.0254, abs=1e-12)
    assert m.mass == 2.0
    assert m.grade == "certified"
    across, axial = 9 / 2 + 5 / 8, 9 + 3 / 4
    assert m.inertia == pytest.approx(np.diag([across, across, axial]) * 2 * 0.0254**2, abs=1e-13)


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_damaged_files_are_refused(hinge: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each mutant, the error and its words: a solid that is lost would leave a wrong total."""
    text = hinge.read_text(encoding="utf-8")
    solid = re.search(r"#(\d+) = MANIFOLD_SOLID_BREP\('[^']*',#(\d+)\)", text)
    assert solid is not None
    shell = re.search(rf"#{solid[2]} = CLOSED_SHELL\('',\((#\d+),", text)
    assert shell is not None
    opened = shell[0].replace(f"({shell[1]},", "(")
    cases = {
        "truncated": (text[:-2000], "truncated", ReadError),
        "missing entity": (text.replace(f"#{solid[2]} = ", "#999999 = "), "referred to, and are not there", ReadError),
        "lost usage": (
            text.replace("SHAPE_REPRESENTATION_RELATIONSHIP()", "X()", 1),
            "places 3 of 4 usages",
            ReadError,
        ),
        "open shell": (text.replace(shell[0], opened), "reads 1 of its 2 solids", ReadError),
        "not STEP": ("solid a\nendsolid a\n", "STL", ReadError),
    }
    for name, (damaged, words, kind) in cases.items():
        path = tmp_path / f"{name}.step"
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(MasspropsError, match=words) as error:
            measure(path)
        assert isinstance(error.value, kind), name
        assert len(error.value.message) <= 200 + len(str(path)), name
    monkeypatch.setattr(step_kernel, "_problem", lambda _solid: "2 faces")
    with pytest.raises(InvalidGeometry, match=r"invalid-solid: .* fails: 2 faces of it are invalid"):
        measure(hinge, verify="none")


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_faces_without_triangles_do_not_stop_the_integrals(hinge: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other deflections are tried; then the edges verify the solid, which are not closed where a face is missing."""
    triangles_of, tried = step_kernel.triangles_of, []

    def missing(good: int, solid: Any, faces: Any, deflection: float, angle: float) -> Any:
        vertices, triangles, unmeshed = triangles_of(solid, faces, deflection, angle)
        tried.append(len(triangles))
        return (vertices, triangles, unmeshed) if len(tried) == good else (vertices, triangles[3:], unmeshed + 1)

    block = hinge.parent / "block.step"
    written(lambda tool, _: named(tool.AddShape(primitives()["torus"][0], False), "ring"), block)
    volume = primitives()["torus"][1] * 1e-9
    for good, verify, grade, codes in (
        (3, "auto", "certified", []),
        (9, "auto", "closed", ["verified-by-edges"]),
        (9, "none", "unverified", []),
    ):
        tried.clear()
        monkeypatch.setattr(step_kernel, "triangles_of", partial(missing, good))
        m = measure(block, verify=verify)
        assert (m.grade, [f.code for f in m.findings]) == (grade, codes)
        assert m.volume == pytest.approx(volume, rel=1e-12)
        assert m.uncertainty is not None
        assert len(tried) == len({*tried}) == 3  # triangles are not those of the try before
    monkeypatch.setattr(step_kernel, "triangles_of", partial(missing, 99))
    monkeypatch.setattr(step_kernel, "_edges_meet", lambda _faces: False)
    with pytest.raises(InvalidGeometry, match="open-edges"):
        measure(block)


@needs_kernel
@each("name", ["box", "cylinder", "sphere", "torus", "cone", "revolved ellipse"])
def test_edges_of_solids_meet_and_those_of_sheets_do_not(name: str) -> None:
    """Also those of a face that meets itself; a missing face leaves edges open, and a vector area."""
    faces = list(step_kernel.within(primitives()[name][0], "FACE"))
    assert step_kernel._edges_meet(faces)
    assert step_kernel._edges_meet(faces[1:]) == (len(faces) == 1)


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_a_density_with_a_wrong_exponent_is_used_and_told(hinge: Path, tmp_path: Path) -> None:
    """As Fusion writes it: the pins are steel; the plates have the density that is given."""
    text = DENSITY.format(value="7.85", gram="$", metre=".CENTI.", mass="1.", length="3.").replace("bolt, M6", "pin")
    numbered = re.sub(r"#(\d+)", r"#90\1", text)
    path = tmp_path / "fusion.step"
    path.write_text(hinge.read_text(encoding="utf-8").replace("ENDSEC;\nEND-ISO", f"{numbered}\nENDSEC;\nEND-ISO"))
    m = measure(path, densities={"plate": 1000})
    assert m.mass == pytest.approx(2 * (PIN * 7850 + PLATE * 1000), rel=1e-12)
    assert [f.code for f in m.findings] == ["density-exponent"]


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_protocols_names_and_sizes(tmp_path: Path) -> None:
    """Each protocol with a name in Unicode; cylinders from 10 µm to a kilometre, and far away; a sheet is no solid."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

    path = tmp_path / "a.step"
    schemas = {"ap203": "CONFIG_CONTROL_DESIGN", "ap214": "AUTOMOTIVE_DESIGN", "ap242": "AP242_MANAGED_MODEL_BASED_3D"}
    for protocol, r, far in (("ap203", 10.0, 0.0), ("ap214", 1e-2, 0.0), ("ap242", 1e6, 0.0), ("ap214", 10.0, 1e5)):
        body = BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(far, -far, far), gp_Dir(0, 0, 1)), r, 2 * r).Shape()
        written(lambda tool, _, body=body: named(tool.AddShape(body, False), "Bügel 歯車"), path)
        path.write_text(
            path.read_text(encoding="utf-8").replace("AUTOMOTIVE_DESIGN", schemas[protocol]), encoding="utf-8"
        )
        m = measure(path)
        assert m.input.encoding == protocol
        assert abs(m.volume - 2 * math.pi * r**3 * 1e-9) <= 1e-11 * m.volume + 1e-15 * (far / 1e3) * m.area
        assert m.center_of_mass == pytest.approx([far / 1e3, -far / 1e3, far / 1e3 + r / 1e3], rel=1e-12, abs=1e-14 * r)
        assert m.grade == "certified"
        assert [str(p.label) for p in measure(path, list_parts=True).parts or ()] in ([], ["Bügel 歯車"])
    face = next(step_kernel.within(body, "FACE"))
    written(lambda tool, _: named(tool.AddShape(face, False), "sheet"), path)
    assert "the file holds surfaces, but no solid" in refused(ReadError, measure, path)


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_wide_gaps_are_a_warning_and_wider_ones_than_the_limit_an_error(
    hinge: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third of the gaps times the reach from the middle, (20, 10, 5) mm and (3, 3, 15) mm, is open in each solid."""
    plate, pin = (math.hypot(*reach) / 3e9 / volume for reach, volume in (((20, 10, 5), PLATE), ((3, 3, 15), PIN)))
    for slits, shares in ((0.3, [pin]), (5.0, [plate, pin]), (0.01, [])):
        monkeypatch.setattr(step_kernel, "_slits", lambda _solid, slits=slits: slits)
        m = measure(hinge)
        found = {f.value: f.severity for f in m.findings if f.code in ("wide-uncertainty", "uncertain-volume")}
        # and what lines miss
        assert sorted(found) == pytest.approx(sorted(share * slits for share in shares), rel=0.02)
        assert all((severity == "error") == (share > 0.01) for share, severity in found.items())
        assert m.grade == "certified"


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_an_integral_that_the_triangles_contradict_is_refused(hinge: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One face looks the wrong way: the topology is valid, and the sum over the exact surfaces is not the volume."""
    from massprops.formats.mesh.step_integrals import face_integrals

    signs = iter([-1.0, 1.0, *20 * [1.0]])

    def turned(face: Any, reference: Any) -> Any:
        sums, errors = face_integrals(face, reference)
        return next(signs) * sums, errors

    monkeypatch.setattr(step_kernel, "face_integrals", turned)
    with pytest.raises(InvalidGeometry, match="over its exact surfaces and over triangles near them differ") as error:
        measure(hinge)
    assert [f.code for f in error.value.findings] == ["integrals-disagree"]


@needs_kernel
def test_the_kernel_runskernel_finds_of_its_own(
    hinge: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It prints to standard output, and crashes on some damaged files; neither reaches the user."""
    assert measure(hinge).volume == pytest.approx(2 * (PIN + PLATE), rel=1e-12)
    assert capfd.readouterr().out == ""
    monkeypatch.setattr(child_process, "_RUN", "import time; time.sleep(60)")
    monkeypatch.setattr(step, "PATIENCE", 0.01)
    monkeypatch.setattr(child_process, "_PATIENCE", 1)
    assert "the CAD kernel has not read it within 0 s" in refused(ReadError, measure, hinge)
    monkeypatch.undo()
    monkeypatch.setattr(child_process, "_RUN", "import signal; signal.raise_signal(signal.SIGXCPU)")
    with allowing(seconds=7):
        limit = "within 7 s of processor time; massprops.access.allowing(seconds=S) allows more"
        assert limit in refused(ReadError, measure, hinge)
    monkeypatch.setattr(child_process, "_RUN", "import os; os.abort()")
    assert "the CAD kernel crashes on it (-6)" in refused(ReadError, measure, hinge)


def test_the_caller_hears_how_long_the_kernel_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was shown: seconds and infinity, more of them each time."""
    wait = "import time, sys; time.sleep(1); sys.exit(3)"
    monkeypatch.setattr(child_process, "_RUN", wait)
    monkeypatch.setattr(child_process, "_TELL", 0.1)
    heard: list[tuple[float, float]] = []
    with (
        allowing(progress=lambda *seconds: heard.append(seconds)),
        pytest.raises(child_process.SubprocessFailed, match="crashes"),
    ):
        child_process.run_in_subprocess("none", "", 60)
    seconds = [s for s, _ in heard]
    assert len(heard) >= 2
    assert seconds == sorted(seconds)
    assert {total for _, total in heard} == {math.inf}


@needs_kernel
def test_the_kernel_imports_nothing_from_the_working_directory(
    hinge: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert measure(hinge).volume == pytest.approx(2 * (PIN + PLATE), rel=1e-12)
