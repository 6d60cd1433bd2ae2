"""Validation properties of STEP, held to boxes whose volumes, areas and centres are known.

Modules tested: `formats/mesh/step_validation`, `mesh/stored_values`, `report/validation_properties`.
The text is written here, and bodies are closed forms, so that no kernel is needed; `test_step.py` has a file that the kernel reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import each

from massprops.formats.mesh.step_text import statements
from massprops.formats.mesh.step_validation import has_properties, stored_values
from massprops.measurement.output_units import OutputUnits
from massprops.mesh.exact_solid import ExactSolid
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread
from massprops.writers.console import TextOutput
from massprops.writers.validation_properties import stored_table

INCH = 0.0254
#: A part of two solids, used once in an assembly; lengths in inches, areas in cm².
TEXT = r"""#1=PRODUCT('7','top','',(#9)); #2=PRODUCT_DEFINITION_FORMATION('','',#1); #3=PRODUCT_DEFINITION('d','',#2,#9);
#11=PRODUCT('8','b\X2\00FC\X0\gel','',(#9)); #12=PRODUCT_DEFINITION_FORMATION('','',#11); #13=PRODUCT_DEFINITION('d','',#12,#9);
#4=PRODUCT_DEFINITION_SHAPE('','',#3); #14=PRODUCT_DEFINITION_SHAPE('see #3','',#13); #9=X();
#20=NEXT_ASSEMBLY_USAGE_OCCURRENCE('u1','left','',#3,#13,$); #21=PRODUCT_DEFINITION_SHAPE('','',#20);
#30=MANIFOLD_SOLID_BREP('',#9); #31=MANIFOLD_SOLID_BREP('',#9); #32=ADVANCED_BREP_SHAPE_REPRESENTATION('',(#30,#31),#98);
#33=SHAPE_ASPECT('cube','',#14,.F.); #34=GEOMETRIC_ITEM_SPECIFIC_USAGE('','',#33,#32,#31);
#35=SHAPE_ASPECT('','',#14,.F.); #36=PROPERTY_DEFINITION('shape','',#35); #37=SHAPE_DEFINITION_REPRESENTATION(#36,#38);
#38=SHAPE_REPRESENTATION('',(#30),#98);
#89=DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.); #90=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));
#91=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#90); #92=(CONVERSION_BASED_UNIT('INCH',#91)LENGTH_UNIT()NAMED_UNIT(#89));
#93=DERIVED_UNIT((#94)); #94=DERIVED_UNIT_ELEMENT(#92,3.); #95=(AREA_UNIT()DERIVED_UNIT((#96))); #96=DERIVED_UNIT_ELEMENT(#99,2.);
#97=UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE({accuracy}),#92,'distance_accuracy_value','');
#98=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#97))GLOBAL_UNIT_ASSIGNED_CONTEXT((#92)));
#99=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.CENTI.,.METRE.));
#50=PROPERTY_DEFINITION('{name}','',#{target}); #51=PROPERTY_DEFINITION_REPRESENTATION(#50,#52);
#52=REPRESENTATION('',(#53),#98); #53={item};"""
VOLUME = "MEASURE_REPRESENTATION_ITEM('volume measure',VOLUME_MEASURE({}),#93)"
AREA = (
    "(MEASURE_REPRESENTATION_ITEM()MEASURE_WITH_UNIT(AREA_MEASURE({}),#95)REPRESENTATION_ITEM('surface area measure'))"
)
POINT = "CARTESIAN_POINT('centre point',({}))"


def box(size: tuple[float, float, float], centre: tuple[float, float, float]) -> ExactSolid:
    """A box with a ± of 1e-9 in³ of its volume."""
    a, b, c = size
    volume = a * b * c
    moments = Moments(volume, np.zeros(3), volume / 12 * np.diag([a * a, b * b, c * c]), np.array(centre))
    bounds = np.array([centre, centre]) + np.array([[-0.5], [0.5]]) * size
    sources = {"resolution": Spread(1e-9, np.full(3, 1e-9), np.zeros((3, 3)))}
    return ExactSolid(moments, 2 * (a * b + a * c + b * c), bounds, sources, 0.0, area_error=1e-9)


#: In the frame of the part 2 × 3 × 5 about (1, 1.5, 2.5), and a unit cube about (10.5, 0.5, 0.5); the part is turned by 90° about z and
#: moved by 100 in along x: (x, y, z) is at (100 − y, x, z).
SOLIDS = [box((3, 2, 5), (98.5, 1, 2.5)), box((1, 1, 1), (99.5, 10.5, 0.5))]
STILL = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
TURNED = [[0.0, -1.0, 0.0, 2540.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
TOP: dict[str, Any] = {"product": "top", "usage": "", "above": "", "label": "0:1", "pose": STILL, "outer": STILL}
PART: dict[str, Any] = {
    "product": "bügel",
    "usage": "left",
    "above": "top",
    "label": "0:2",
    "pose": TURNED,
    "outer": STILL,
}
NODES = [node | {"first": 0, "last": 2} for node in (TOP, PART)]
CENTRE = (40.5 / 31, 45.5 / 31, 75.5 / 31)


@each("target, of, item, number, right, wrong, unit", [
    (14, "bügel", VOLUME, (31.0,), "31.00000000", "31.0001", INCH**3),
    (13, "bügel", AREA, (68.0,), repr(68 * 2.54**2), "438.72", INCH**2),
    (14, "bügel", POINT, CENTRE, "1.306451613,1.467741935,2.435483871", "1.3064,1.4677,2.4354", INCH),
    (21, "left in top", POINT, (100 - CENTRE[1], *CENTRE[::2]), "98.532258065,1.306451613,2.435483871",
     "1.306451613,1.467741935,2.435483871", INCH),
    (4, "top", VOLUME, (31.0,), "3.1E1", "30.", INCH**3),
    (33, "cube of bügel", VOLUME, (1.0,), "1.00", "30.00", INCH**3),
    (35, "solid 1 of bügel", VOLUME, (30.0,), "30.00", "1.00", INCH**3),
    (35, "solid 1 of bügel", POINT, (1.0, 1.5, 2.5), "1.,1.5,2.5", "10.5,0.5,0.5", INCH),
])  # fmt: skip
@each("name", ["geometric validation property", "geometric_validation_property"])
def test_stored_values_are_compared_in_their_units_and_frames(
    name: str, target: int, of: str, item: str, number: tuple[float, ...], right: str, wrong: str, unit: float
) -> None:
    """A right value agrees; one that its digits do not explain is a finding about the file, whatever the target and the frame."""
    for written, verdict in ((right, "agrees"), (wrong, "differs")):
        text = TEXT.format(accuracy="0.", name=name, target=target, item=item.format(written))
        assert has_properties(text.encode())
        (value,) = stored_values(statements(text.encode()), NODES, SOLIDS, INCH)
        assert (value.of, value.verdict) == (of, verdict)
        assert value.ours == pytest.approx([x * unit for x in number], rel=1e-13)
        found = value.finding()
        assert (found is None) == (verdict == "agrees")
        if found is not None:
            codes = {"volume": "gvp-volume", "area": "gvp-area", "center_of_mass": "gvp-centroid"}
            assert (found.code, found.severity) == (codes[value.quantity], "error")
            assert f"for {of}; its surfaces give" in found.message


@each("item, written", [(VOLUME, "31.0600"), (AREA, "438.95"), (POINT, "1.308,1.4677419,2.4354839")])
def test_the_accuracy_of_the_file_explains_differences(item: str, written: str) -> None:
    """Surfaces that are 0.001 in off: 0.068 in³ (A δ), 0.1 in² (⅔ A²/V δ for convex bodies), and some 0.02 in of the centre."""
    verdicts = []
    for accuracy in ("0.00001", "0.001"):
        text = TEXT.format(
            accuracy=accuracy, name="geometric validation property", target=14, item=item.format(written)
        )
        verdicts += [v.verdict for v in stored_values(statements(text.encode()), NODES, SOLIDS, INCH)]
    assert verdicts == ["differs", "agrees"]


def test_a_body_that_cannot_be_identified_is_not_compared() -> None:
    """Two products of one name: neither is blamed; the table says so."""
    text = TEXT.format(accuracy="0.", name="geometric validation property", target=14, item=VOLUME.format("5."))
    twins = [*NODES, NODES[1] | {"label": "0:3"}]
    (value,) = stored_values(statements(text.encode()), twins, SOLIDS, INCH)
    assert (value.ours, value.verdict, value.finding()) == (None, "not compared", None)
    table = stored_table("a.stp", [value.to_dict()], OutputUnits("in"), TextOutput(width=90, color=False))
    assert table.splitlines()[-1].split() == ["bügel", "volume", "[in³]", "5", "–", "–", "not", "compared"]


def test_a_property_without_a_unit_is_left_out() -> None:
    text = TEXT.format(accuracy="0.", name="geometric validation property", target=14, item=VOLUME.format("31."))
    assert stored_values(statements(text.replace("#93=", "#193=").encode()), NODES, SOLIDS, INCH) == ()
    assert not has_properties(b"#1=PROPERTY_DEFINITION('volume','',#2);")
