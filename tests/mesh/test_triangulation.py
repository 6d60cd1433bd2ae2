"""Faces become triangles that cover them once and keep their boundary: `triangulation` and `ear_clipping`."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from cases import each
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import determinant

from massprops.errors import ReadError
from massprops.mesh import triangulation as polygons
from massprops.mesh.ear_clipping import PlaneRing
from massprops.mesh.triangulation import Polygons, rounding, triangulate

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
# Integer points of a lattice plane, so that every face is exactly flat in space, and its area exact.
LIFT = np.array([[2, 1, -3], [1, -4, 2]])


def lifted(flat):
    return np.array(flat, float) @ LIFT + np.array([7.0, -5.0, 11.0])


def place(face):
    return f"a face, number {face},"


def cut(points, faces=None):
    faces = [range(len(points))] if faces is None else faces
    corners = np.array([c for face in faces for c in face])
    polygons = Polygons(corners, np.array([len(face) for face in faces]))
    return triangulate(np.asarray(points, float), polygons, rounding(np.asarray(points, float), text=False), place)


def ears(points):
    return list(PlaneRing(points).cut())


def exact(points):
    return [[Fraction(float(x)) for x in p] for p in points]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def doubled_area_vector(points):
    """Newell: the sum of p × q over the edges, exact."""
    edges = pairwise([*points, points[0]])
    return [sum(parts) for parts in zip(*(cross(p, q) for p, q in edges), strict=True)]


def edges_that_remain(triangles):
    """Directed edges after each has cancelled with its opposite: the boundary of the chain."""
    edges = Counter((t[i], t[(i + 1) % 3]) for t in map(tuple, np.asarray(triangles).tolist()) for i in range(3))
    return +Counter({edge: count - edges[edge[::-1]] for edge, count in edges.items()})


def edges_of(face):
    return Counter(pairwise([*face, face[0]]))


def assert_exact_cover(points, triangles):
    """No triangle turned against the face, areas that sum to the face's, and the face's edges: together the cover is exact."""
    corners = exact(points)
    normal = doubled_area_vector(corners)
    areas = [doubled_area_vector([corners[i] for i in t]) for t in np.asarray(triangles).tolist()]
    along = [sum(a * n for a, n in zip(area, normal, strict=True)) for area in areas]
    assert min(along) >= 0
    assert [sum(parts) for parts in zip(*areas, strict=True)] == normal
    assert edges_that_remain(triangles) == edges_of(list(range(len(points))))
    assert len(triangles) == len(points) - 2


def assert_no_slivers(points, triangles):
    corners = exact(points)
    assert all(any(doubled_area_vector([corners[i] for i in t])) for t in np.asarray(triangles).tolist())


def spiral(turns):
    """A corridor of unit width wound inward, at integer points."""
    n = 2 * turns
    steps = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    outer, p = [(0, 0)], (0, 0)
    for i in range(2 * n):
        length = 4 * (n - i // 2)
        p = (p[0] + steps[i % 4][0] * length, p[1] + steps[i % 4][1] * length)
        outer.append(p)
    inner = []
    for i, (x, y) in enumerate(outer):
        before, after = steps[(i - 1) % 4], steps[i % 4]
        left = (-(before[1] if i else 0) - after[1], (before[0] if i else 0) + after[0])
        inner.append((x + left[0], y + left[1]))
    return outer + inner[::-1]


def comb(teeth):
    top = [p for i in reversed(range(teeth)) for p in ((2 * i + 1, 9), (2 * i + 1, 1), (2 * i, 1), (2 * i, 9))]
    return [(0, 0), (2 * teeth - 1, 0), *[(x, y) for x, y in top if (x, y) != (0, 1)]][: 2 + 4 * teeth - 1]


CONCAVE = {
    "L": [(0, 0), (5, 0), (5, 2), (2, 2), (2, 5), (0, 5)],
    "arrow": [(0, 0), (6, 3), (0, 6), (2, 3)],
    "comb": comb(7),
    "spiral": spiral(3),
    "flat corners on every side": [(0, 0), (1, 0), (3, 0), (6, 0), (6, 2), (6, 5), (4, 5), (0, 5), (0, 1)],
    "flat corners between notches": [(0, 0), (4, 0), (8, 0), (8, 4), (6, 4), (6, 2), (4, 2), (2, 2), (2, 4), (0, 4)],
    "a repeated corner": [(0, 0), (5, 0), (5, 0), (5, 2), (2, 2), (2, 2), (2, 5), (0, 5)],
    "a spike": [(0, 0), (4, 0), (4, 2), (9, 2), (4, 2), (4, 5), (2, 1), (0, 5)],
    "a hole on a bridge": [(0, 0), (9, 0), (9, 9), (0, 9), (0, 0), (3, 3), (3, 6), (6, 6), (6, 3), (3, 3)],
    "two holes on bridges from one corner": [
        *[(0, 0), (12, 0), (12, 12), (0, 12), (0, 0)],
        *[(1, 6), (2, 9), (4, 8), (1, 6), (0, 0), (7, 1), (7, 3), (9, 3), (9, 1), (7, 1)],
    ],
    "a hole that touches a corner and hangs on a bridge elsewhere": [
        *[(0, 0), (9, 0), (9, 9), (8, 4), (0, 0), (4, 8), (8, 4), (9, 9), (0, 9)]
    ],
    "two squares that touch": [(0, 0), (4, 0), (4, 4), (8, 4), (8, 8), (4, 8), (4, 4), (0, 4)],
    "a star of four": [(0, 9), (-2, 2), (-9, 0), (-2, -2), (0, -9), (2, -2), (9, 0), (2, 2)],
}


@pytest.mark.parametrize("name", CONCAVE)
@pytest.mark.parametrize("reverse", [False, True], ids=["as listed", "reversed"])
def test_concave_faces_are_covered_once_whichever_corner_the_list_starts_with(name, reverse):
    """A fan over a concave corner counts area outside the face."""
    flat = CONCAVE[name][::-1] if reverse else CONCAVE[name]
    for start in range(len(flat)):
        points = lifted(flat[start:] + flat[:start])
        triangles, findings = cut(points)
        assert_exact_cover(points, triangles)
        assert findings == []


@each("reflex", range(4))
@each("turn", range(4))
def test_a_quad_is_cut_at_its_reflex_corner(reflex, turn):
    """The other diagonal of a concave quad runs outside it."""
    flat = np.array([(0, 0), (6, 1), (2, 2), (1, 6)])  # reflex at number 2
    flat = flat @ np.linalg.matrix_power(np.array([[0, 1], [-1, 0]]), turn)
    points = lifted(np.roll(flat, reflex - 2, axis=0))
    triangles, findings = cut(points)
    assert_exact_cover(points, triangles)
    assert all(reflex in t for t in triangles.tolist())
    assert findings == []


def test_quads_with_a_straight_corner_give_two_proper_triangles():
    """A triangle without area would be reported as a flaw of the file."""
    for start in range(4):
        flat = [(0, 0), (2, 0), (5, 0), (1, 4)]
        points = lifted(flat[start:] + flat[:start])
        triangles, _ = cut(points)
        assert_exact_cover(points, triangles)
        assert_no_slivers(points, triangles)


@st.composite
def star_shaped(draw):
    """Simple polygons around the origin: distinct directions in order, any radius."""
    directions = draw(
        st.sets(
            st.tuples(st.integers(-6, 6), st.integers(-6, 6)).filter(lambda d: np.gcd(*d) == 1), min_size=5, max_size=24
        )
    )
    ring = sorted(directions, key=lambda d: np.arctan2(d[1], d[0]))
    radii = draw(st.lists(st.integers(1, 20), min_size=len(ring), max_size=len(ring)))
    # Beside the reach of the directions drawn, corners all around: the origin is then surely inside.
    points = {d: (d[0] * r, d[1] * r) for d, r in zip(ring, radii, strict=True)}
    for d in ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)):
        points.setdefault(d, (d[0] * 3, d[1] * 3))
    return [points[d] for d in sorted(points, key=lambda d: np.arctan2(d[1], d[0]))]


@given(star_shaped(), st.integers(0, 100))
def test_random_simple_faces_are_covered_once(flat, start):
    """Exact: integer corners in a lattice plane."""
    start %= len(flat)
    points = lifted(flat[start:] + flat[:start])
    triangles, findings = cut(points)
    assert_exact_cover(points, triangles)
    assert findings == []


@given(star_shaped())
def test_ears_alone_cover_every_simple_face(flat):
    """The clipper must not lean on the fans that are tried before it."""
    points = lifted(flat)
    triangles = ears(points)
    assert_exact_cover(points, triangles)
    assert_no_slivers(points, triangles)


@pytest.mark.parametrize("name", [name for name in CONCAVE if name.startswith("flat corners")])
def test_straight_corners_become_corners_of_proper_triangles(name):
    """Cutting them off as triangles without area would report flaws that the file does not have."""
    points = lifted(CONCAVE[name])
    assert_no_slivers(points, cut(points)[0])
    assert_no_slivers(points, ears(points))


@given(st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=4, max_size=12))
def test_any_ring_of_corners_keeps_its_edges_and_its_area_vector(corners):
    """Crossing, folded, repeated and degenerate faces, too: else the boundary certificate would fail for a closed file."""
    triangles, _ = cut(corners)
    points = exact(corners)
    areas = [doubled_area_vector([points[i] for i in t]) for t in triangles.tolist()]
    assert [sum(parts) for parts in zip(*areas, strict=True)] == doubled_area_vector(points)
    assert edges_that_remain(triangles) == +Counter(
        {e: n - edges_of(range(len(points)))[e[::-1]] for e, n in edges_of(list(range(len(points)))).items()}
    )


@given(
    st.lists(st.tuples(*[st.floats(-1, 1).filter(lambda x: abs(x) > 1e-3)] * 3), min_size=4, max_size=9, unique=True),
    st.integers(1, 8),
)
def test_the_cut_of_a_bent_face_does_not_depend_on_where_its_list_starts(corners, start):
    """Else two exporters of one body would disagree about its volume."""
    start %= len(corners)
    order = list(range(start, len(corners))) + list(range(start))
    first, _ = cut(corners)
    second, _ = cut(corners, [order])
    assert {frozenset(t) for t in first.tolist()} == {frozenset(t) for t in second.tolist()}


def test_faces_of_all_sizes_come_back_in_their_order():
    """Faces are grouped by size on the way; facets must still be found where the file has them."""
    points = lifted([(0, 0), (4, 0), (4, 4), (0, 4), (2, 6)])
    triangles, _ = cut(points, [[0, 1, 2], [0, 1, 2, 3], [2, 4, 3], [0, 1, 2, 4, 3], [3, 2, 1, 0]])
    starts = [0, 1, 3, 4, 7, 9]
    sets = [set(triangles[a:b].ravel().tolist()) for a, b in pairwise(starts)]
    assert sets == [{0, 1, 2}, {0, 1, 2, 3}, {2, 3, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3}]


def test_triangles_are_handed_on_as_they_are():
    corners = np.array([[2, 0, 1], [1, 1, 1]])
    triangles, findings = triangulate(np.zeros((3, 3)), Polygons(corners), 0.0, place)
    assert triangles is corners
    assert findings == []


def test_a_bent_quad_is_told_with_the_volume_that_its_diagonal_decides():
    """Unit square with one corner lifted by 0.3: the two cuts enclose a tetrahedron of 0.3 / 6.

    Its diagonals (1, 1, 0.3) and (−1, 1, 0) pass each other at 0.3 / √4.18 = 0.147, and its area is √4.18 / 2.
    """
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0.3), (0, 1, 0)]
    _, (finding,) = cut(points)
    assert finding.code == "non-planar-faces"
    assert finding.severity == "warning"
    assert finding.value == pytest.approx(0.3 / 6, rel=1e-14)
    assert finding.message == (
        "1 of 1 faces with more than three corners are not flat (by up to 0.147 in the file's units):"
        " the volume depends on how they are cut into triangles"
    )


def signed_volume(points, triangles) -> Fraction:
    """Of the cone over triangles from the origin, exactly."""
    corners = np.asarray(points)[np.asarray(triangles)]
    return sum(determinant([[Fraction(float(x)) for x in row] for row in facet]) for facet in corners) / 6


@given(
    st.lists(st.tuples(*[st.floats(-1, 1).filter(lambda x: abs(x) > 1e-3)] * 3), min_size=4, max_size=4, unique=True)
)
def test_the_other_cut_of_a_bent_quad_adds_as_much_as_is_told(corners):
    triangles, findings = cut(corners)
    bent = [f for f in findings if f.code == "non-planar-faces"]
    assume(bent)
    cuts = [[(0, 1, 2), (0, 2, 3)], [(1, 2, 3), (1, 3, 0)]]
    (other,) = [c for c in cuts if {frozenset(t) for t in c} != {frozenset(t) for t in triangles.tolist()}]
    added = float(signed_volume(corners, other) - signed_volume(corners, triangles))
    less, more = bent[0].change
    assert less - 1e-15 <= added <= more + 1e-15  # a dozen roundings of numbers below 1
    assert bent[0].value == pytest.approx(abs(added), abs=1e-15)


@each("start", range(4))
@each("lift", [0.3, -0.3])
def test_which_way_the_other_cut_of_a_quad_goes_is_known(lift, start):
    points = np.roll([(0, 0, 0), (1, 0, 0), (1, 1, lift), (0, 1, 0)], start, axis=0)
    _, (finding,) = cut(points)
    assert sorted(map(abs, finding.change)) == [0, pytest.approx(0.05, rel=1e-14)]


def test_a_quad_that_no_fan_covers_may_be_off_either_way():
    # a bow tie: its cut is not by a diagonal, so the tetrahedron is a bound and no more
    points = [(0, 0, 0), (1, 1, 0.25), (1, 0, 0), (0, 1, 0)]
    _, findings = cut(points)
    (bent,) = [f for f in findings if f.code == "non-planar-faces"]
    assert bent.change == (-bent.value, bent.value)
    assert bent.value == pytest.approx(0.25 / 6, rel=1e-14)


@each("corners", [5, 6, 9])
@each("lifted_corner", range(4))
def test_the_thickness_of_a_bent_face_is_that_of_all_its_corners(corners, lifted_corner):
    """Area times the distance of the planes along the Newell normal: also where the corner that sticks out is the first."""
    angle = 2 * np.pi * np.arange(corners) / corners + 0.3
    points = np.stack([np.cos(angle), np.sin(angle), np.zeros(corners)], axis=1)
    points[lifted_corner, 2] = 0.25
    normal = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0) / 2
    area = np.linalg.norm(normal)
    _, findings = cut(points)
    (value,) = [f.value for f in findings if f.code == "non-planar-faces"]
    assert value == pytest.approx(area * np.ptp(points @ normal / area), rel=1e-12)  # a few dozen roundings


@pytest.mark.parametrize("power", [-6, 0, 6])
def test_what_rounding_explains_is_not_called_bent(power):
    """A tilted square printed with six digits is as flat as its file can say."""
    words = [("0", "0", "0"), ("1", "0", "0.123457"), ("1", "1", "0.469136"), ("0", "1", "0.345678")]  # off by 1e-6
    points = np.array([[float(f"{word}e{power}") for word in row] for row in words])
    polygons = Polygons(np.array([[0, 1, 2, 3]]))
    assert triangulate(points, polygons, rounding(points, text=True), place)[1] == []
    assert [f.code for f in triangulate(points, polygons, rounding(points, text=False), place)[1]] == [
        "non-planar-faces"
    ]


def test_a_bend_far_from_the_origin_is_no_rounding():
    """Else a face bent by half its size passes for flat a million sizes away, because six digits were assumed."""
    points = np.array(
        [(1000000.25, 2e6, 0), (1000001.25, 2e6, 0), (1000001.25, 2000001, 0.5), (1000000.25, 2000001, 0)]
    )
    polygons = Polygons(np.array([[0, 1, 2, 3]]))
    found = triangulate(points, polygons, rounding(points, text=True), place)[1]
    assert [f.code for f in found] == ["non-planar-faces"]


@pytest.mark.parametrize(
    "flat",
    [[(0, 0), (4, 4), (4, 0), (0, 4)], [(0, 0), (4, 4), (4, 0), (0, 3)], [(0, 5), (3, -4), (-5, 2), (5, 2), (-3, -4)]],
    ids=["even bow-tie", "uneven bow-tie", "pentagram of odd area"],
)
def test_a_face_that_crosses_itself_is_told(flat):
    triangles, findings = cut(lifted(flat))
    if flat[0] != (0, 5):  # a pentagram winds twice round its middle: every triangle can look one way
        assert [f.code for f in findings] == ["self-intersecting-faces"]
        assert findings[0].message == (
            "1 of 1 faces with more than three corners cross themselves: their triangles overlap,"
            " so areas count twice there, and volumes with their sign"
        )
    assert edges_that_remain(triangles) == edges_of(list(range(len(flat))))


@each("size", [2.0**-1040, 1e-150, 1e-9, 1.0, 1e150, 1e300])
def test_the_size_of_a_face_does_not_matter(size):
    """Products of coordinates overflow beyond 1e154, and vanish below 1e-162."""
    points = np.array(lifted(CONCAVE["L"])) * size
    triangles, findings = cut(points)
    assert_exact_cover(points, triangles)
    # Scaling by what is no power of two rounds each corner.
    assert [f.code for f in findings if f.code != "non-planar-faces"] == []


def test_a_face_beyond_the_limit_is_refused_where_no_fan_is_good(monkeypatch):
    """Ears cost the square of their number, and a fan that leaves the face shows an area that is not the face's."""
    spiral_, convex = CONCAVE["spiral"], [(x, x * x) for x in range(-6, 7)]  # 26 and 13 corners
    points = lifted([*convex, *SQUARE, *spiral_])
    faces = [range(13), range(13, 17), range(17, 17 + len(spiral_)), range(13, 17)]
    for limit, most, are in (
        ("LARGEST", 10, "10 corners"),
        ("MOST_CONCAVE", 10, "10 concave or straight ones, not 11"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(polygons, limit, most)
            # a fan costs nothing: a large face that has one is no reason to refuse
            assert_exact_cover(lifted(convex), cut(lifted(convex))[0])
            with pytest.raises(ReadError) as caught:
                cut(points, faces)
        assert caught.value.code == "large-face"
        assert str(caught.value) == (
            f"a face, number 2, has 26 corners and is not star-shaped, and such faces are cut up to {are};"
            " export the mesh in triangles"
        )
    monkeypatch.setattr(polygons, "LARGEST", 26)
    monkeypatch.setattr(polygons, "MOST_CONCAVE", 11)
    assert_exact_cover(lifted(spiral_), cut(lifted(spiral_))[0])


def test_the_faces_before_a_large_one_of_the_same_size_are_counted(monkeypatch):
    """Faces are handled in blocks of one size: the message must still name the face of the file."""
    monkeypatch.setattr(polygons, "LARGEST", 10)
    monkeypatch.setattr(polygons, "_CORNERS", 26 * 2)
    convex = [(x, x * x) for x in range(-13, 13)]
    points = lifted([*convex, *CONCAVE["spiral"]])
    with pytest.raises(ReadError, match=r"^a face, number 4, has 26 corners"):
        cut(points, [range(26), [0, 1, 2], range(26), range(26), range(26, 52), range(26)])


def zigzag(count):
    return [*((i, i % 2 + 0.01 * (7 * i % 13)) for i in range(count - 2)), (count, -1), (0, -1)]


@pytest.mark.parametrize("kind", ["random", "zigzag"])
def test_each_corner_is_compared_with_the_others_a_few_times_whatever_the_face(kind: str, monkeypatch) -> None:
    """One face of 1,600 corners that crosses itself took 5 s: every corner was tried again after every cut."""
    flat = np.random.default_rng(1).random((600, 2)) if kind == "random" else zigzag(600)
    ring, compared = PlaneRing(np.pad(np.array(flat, float), ((0, 0), (0, 1)))), []
    turn = PlaneRing._turn
    monkeypatch.setattr(PlaneRing, "_turn", lambda *args: (compared.append(args), turn(*args))[1])
    triangles = list(ring.cut())
    assert len(triangles) == len(flat) - 2
    assert len(compared) <= 20 * len(flat)  # two for each cut, and one to three for each corner near an ear
    assert any(map(ring.is_turned, triangles)) == (kind == "random")
