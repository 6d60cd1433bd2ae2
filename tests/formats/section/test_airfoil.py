"""Airfoils: Selig's and Lednicer's order are the same outline, and blunt trailing edges are closed with a remark."""

from __future__ import annotations

from cases import each
from planar_reading import codes, points, read, refusal

UPPER = [(0.0, 0.0), (0.3, 0.08), (1.0, 0.002)]
LOWER = [(0.0, 0.0), (0.4, -0.05), (1.0, -0.002)]
OUTLINE = [*UPPER[::-1], *LOWER[1:]]


def rows(table) -> str:
    return "".join(f"  {x:.6f}  {y:.6f}\n" for x, y in table)


SELIG = "TEST 12 FOIL\n" + rows(OUTLINE)
LEDNICER = f"TEST 12 FOIL\n   3.    3.\n\n{rows(UPPER)}\n{rows(LOWER)}"


@each(
    "text", [SELIG, SELIG.partition("\n")[2], SELIG.replace("  ", "\t"), LEDNICER, LEDNICER.replace("3.\n\n", "3.\n")]
)
def test_both_orders_are_the_same_outline(text: str) -> None:
    (ring,) = read(text, "foil.dat").rings
    assert points(ring) == [list(point) for point in OUTLINE]
    assert ring.closing == "implied"  # the trailing edge is blunt


def test_only_lednicer_is_remarked_on() -> None:
    assert codes(read(SELIG, "foil.dat")) == []
    assert codes(read(LEDNICER, "foil.dat")) == ["airfoil-order"]


def test_leading_edges_that_differ_are_both_kept() -> None:
    text = f"F\n 3 3\n\n{rows(UPPER)}\n{rows([(0.0, -0.001), *LOWER[1:]])}"
    assert points(read(text, "foil.dat").rings[0]) == [
        [1, 0.002],
        [0.3, 0.08],
        [0, 0],
        [0, -0.001],
        [0.4, -0.05],
        [1, -0.002],
    ]


def test_an_outline_in_millimetres_that_begins_with_whole_numbers_is_no_count() -> None:
    assert points(read("100 3\n50 10\n0 2\n50 -5", "foil.dat").rings[0])[0] == [100, 3]


def test_a_footer_is_left_out_with_a_remark() -> None:
    source = read(SELIG + "\n\nfrom: someone's page\n", "foil.dat")
    assert points(source.rings[0]) == [list(point) for point in OUTLINE]
    (finding,) = source.findings
    assert (finding.code, finding.where) == ("trailing-text", "line 9")
    assert finding.message == 'text below the last point was left out: "from: someone\'s page"'


@each(
    ("text", "message"),
    [
        ("F\n4 3\n\n" + rows(UPPER) + "\n" + rows(LOWER), "a.dat:2: the file promises 4 + 3 points but has 6; is the file cut off?"),
        (
            "F\n1.0 ......\n0.5 0.1\n0 0\n",
            "a.dat:2: y '......' is not a number; a number is expected here; is the line damaged, or the file of another format?",
        ),
        (
            "F\n1 0\n0.5 0.1\nchanged 2 points\n0 0\n",
            "a.dat:4: 'changed 2 points' stands among the points; a line holds one point of the plane, x and y; comments begin with #",
        ),
        (
            "F\n1 0\n0.5 0.1\n0 0\n\n1 -.1\n.5 -.2\n",
            "a.dat:6: the points stop at a blank line and go on here, but an airfoil has one outline; take the blank line out",
        ),
        ("NACA\n", "a.dat: the file holds no points; is the file cut off?"),
        ("F\n1 0\n0 0\n1 0\n", "a.dat: line 2: the ring has 2 different points, it needs at least 3; is the file cut off?"),
    ],
)  # fmt: skip
def test_bad_airfoils_are_refused(text: str, message: str) -> None:
    assert refusal(text, "a.dat") == message
