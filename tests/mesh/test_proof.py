"""The proof (`embedding`, `meeting`, `nesting`, `prove`, `box_tree`): against rational geometry, exact motions and rounding."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import raised
from cores import CORES, compiled, core_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import box, bumpy_torus, moved, reversed_facets, rotated, write_binary_stl

import massprops
from massprops import InvalidGeometry, native
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.box_tree import (
    NO_LIMIT,
    BoxTree,
    TooManyPairs,
    along_a_fine_curve,
    facet_boxes,
)
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.proof.embedding import (
    Embedding,
    _near_compiled,
    _near_numpy,
    _relation,
    embedding_of,
)
from massprops.mesh.proof.meeting import apart_diagonally
from massprops.mesh.proof.nesting import _ambient, _signs_and_boxes, winds_once
from massprops.moments.signs import integers, side_of_line, side_of_plane, small_integers

Point = tuple[Any, ...]


def found(triangles: Any, most: int = NO_LIMIT) -> Embedding:
    return embedding_of(IndexedMesh.of(from_soup(np.asarray(triangles, dtype=np.float64))), most)


# --- an oracle: the points that two triangles have in common, in rational numbers


def minus(a: Point, b: Point) -> Point:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def cross(a: Point, b: Point) -> Point:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Point, b: Point) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))


def is_in_triangle(p: Point, t: tuple[Point, ...]) -> bool:
    normal = cross(minus(t[1], t[0]), minus(t[2], t[0]))
    if normal == (0, 0, 0):
        return any(is_on_edge(p, t[i - 1], t[i]) for i in range(3))
    return dot(normal, minus(p, t[0])) == 0 and all(
        dot(normal, cross(minus(t[i - 2], t[i]), minus(p, t[i]))) >= 0 for i in range(3)
    )


def is_on_edge(p: Point, a: Point, b: Point) -> bool:
    d = minus(b, a)
    return cross(d, minus(p, a)) == (0, 0, 0) and 0 <= dot(d, minus(p, a)) <= dot(d, d)


def extremes(a: Point, b: Point, t: tuple[Point, ...]) -> set[Point]:
    """Corners of what the edge a b and the triangle have in common."""
    points = {p for p in (a, b) if is_in_triangle(p, t)}
    normal = cross(minus(t[1], t[0]), minus(t[2], t[0]))
    above, below = dot(normal, minus(a, t[0])), dot(normal, minus(b, t[0]))
    crossings = []
    if above != below:
        crossings.append(Fraction(above) / (above - below))
    elif above == 0:
        for i in range(3):
            c, d, e = t[i], minus(b, a), minus(t[i - 2], t[i])
            if (m := cross(d, e)) != (0, 0, 0):
                crossings.append(Fraction(dot(cross(minus(c, a), e), m)) / dot(m, m))
        points |= {c for c in t if is_on_edge(c, a, b)}
    for share in crossings:
        p = tuple(x + share * (y - x) for x, y in zip(a, b, strict=True))
        if 0 <= share <= 1 and is_in_triangle(p, t):
            points.add(p)
    return points


def in_common(one: tuple[Point, ...], other: tuple[Point, ...]) -> set[Point]:
    pairs = itertools.chain(
        ((one[i - 2], one[i], other) for i in range(3)), ((other[i - 2], other[i], one) for i in range(3))
    )
    return set().union(*(extremes(*p) for p in pairs))


def edges_of(t: tuple[Point, ...]) -> set[tuple[Point, Point]]:
    return {(t[i - 1], t[i]) for i in range(3)}


def as_integers(points: np.ndarray) -> list[Point]:
    """Points, shape (3, n), all multiplied by one number that makes them whole: what meets does so in any unit, and fractions take time."""
    exact = [[Fraction(x) for x in p] for p in points.T.tolist()]
    unit = math.lcm(*(x.denominator for p in exact for x in p))
    return [tuple(int(x * unit) for x in p) for p in exact]


coordinate = st.integers(-3, 3)
corner = st.tuples(coordinate, coordinate, coordinate)


@st.composite
def pairs_of_triangles(draw: Callable[..., Any]) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    pool = draw(st.lists(corner, min_size=4, max_size=6, unique=True))
    one = tuple(draw(st.permutations(pool))[:3])
    other = tuple(draw(st.permutations(pool))[:3])
    return one, other


@example(
    pair=(((1, 1, 1), (2, 0, 0), (0, 2, 2)), ((1, 1, 1), (0, 1, 2), (1, 2, 2))), scale=1.0
)  # a needle through a corner
@example(
    pair=(((0, 0, 0), (-1, 1, -1), (-2, 2, -2)), ((0, 0, 0), (1, -1, 1), (2, -2, 2))), scale=1.0
)  # two, end to end
@settings(max_examples=60)
@given(pair=pairs_of_triangles(), scale=st.sampled_from([1.0, 0.1, 1e-160]))
def test_two_triangles_are_apart_where_rational_numbers_say_so(pair, scale):
    """Nothing else decides a proof, so a pair that is apart and is not known as such, or the reverse, makes it wrong."""
    numbers = {p: i for i, p in enumerate(dict.fromkeys((*pair[0], *pair[1])))}
    points = np.array(list(numbers), dtype=float).T / 4 * scale
    whole = as_integers(points)
    rational = [tuple(whole[numbers[p]] for p in t) for t in pair]
    if set(pair[0]) == set(pair[1]):
        return
    one, other = (np.array([[numbers[p]] for p in t]) for t in pair)
    (exact,), (fast,) = _relation(integers(points), one, other)[0], _relation(points, one, other)[0]
    shared = {rational[0][i] for i, p in enumerate(pair[0]) if p in pair[1]}
    same_direction = bool(edges_of(pair[0]) & edges_of(pair[1]))  # never in an embedded surface
    flat = any(cross(minus(t[1], t[0]), minus(t[2], t[0])) == (0, 0, 0) for t in rational)
    by_an_edge = flat and len(shared) == 2  # a facet without area is in contact with its neighbours
    assert (exact == 1) == (in_common(*rational) <= shared and not same_direction and not by_an_edge)
    assert fast in (0, exact)


@compiled
@example(seed=3846, count=2, flat=False, whole=True)  # one part
@example(seed=60, count=53, flat=True, whole=True)  # a facet on a line, and one beside that: boxes along edges see it
@given(seed=st.integers(0, 2**32), count=st.integers(2, 80), flat=st.booleans(), whole=st.booleans())
def test_both_cores_find_the_same_relations(seed, count, flat, whole):
    """What rounding leaves open, which may depend on the order of two facets, is decided in integers."""
    rng = np.random.default_rng(seed)
    points = rng.integers(-8, 9, size=(3, 60)) / 8 if whole else rng.uniform(-1, 1, size=(3, 60))
    if flat:
        points[2] = points[0] * 0.3
    faces = rng.permuted(np.tile(np.arange(60)[:, np.newaxis], count), axis=0)[:3]
    told = [_near_numpy(points, faces), _near_compiled(native._built()[0], points.T, faces.T)]
    decided = []
    for met in told:
        exact = _relation(integers(points), *faces[:, met.pairs].transpose(2, 0, 1))[0]
        assert set(met.relation[met.relation != 0]) <= {-1}
        assert (met.relation == np.where(met.relation, exact, 0)).all()
        decided.append({(*sorted(p), r) for p, r in zip(met.pairs.tolist(), exact.tolist(), strict=True) if r < 1})
    assert decided[0] == decided[1]
    assert (told[0].part == (0 if told[1].part is None else told[1].part)).all()


@given(
    corners=st.lists(st.tuples(*[st.integers(-(2**30), 2**30)] * 3), min_size=6, max_size=6), near=st.integers(0, 12)
)
def test_facets_are_apart_along_a_diagonal_only_where_their_sums_are(corners, near):
    # whole numbers; those of the second facet close to the first's, by less and less than single precision tells
    corners[3:] = [tuple(a + b // 8**near for a, b in zip(corners[0], c, strict=True)) for c in corners[3:]]
    sums = [[(p[k] + sign * p[(k + 1) % 3]) for p in corners] for k in range(3) for sign in (1, -1)]
    gap = max(max(min(s[:3]) - max(s[3:]), min(s[3:]) - max(s[:3])) for s in sums)
    one, other = (tuple(np.array(p, dtype=float)[:, np.newaxis] / 2**31 for p in f) for f in (corners[:3], corners[3:]))
    (found,) = apart_diagonally(one, other)
    assert found == (gap > 0) or (not found and gap <= 2**12)


# --- bodies

CUBE = np.asarray(box((0, 0, 0), (1, 1, 1)), dtype=float)
TORUS = np.asarray(bumpy_torus(24, 12), dtype=float)


def cube(lower: Any, size: float = 1.0) -> np.ndarray:
    return np.asarray(CUBE * size + np.asarray(lower))


BODIES = {
    "a cube": (CUBE, "embedded"),
    "a bumpy torus": (TORUS, "embedded"),
    "inside out": (reversed_facets(CUBE), "nesting"),
    "a cavity": (np.concatenate([CUBE, reversed_facets(cube((0.25, 0.25, 0.25), 0.5))]), "embedded"),
    "a body inside a body": (np.concatenate([CUBE, cube((0.25, 0.25, 0.25), 0.5)]), "nesting"),
    "a body in a cavity": (
        np.concatenate([CUBE, reversed_facets(cube((0.125, 0.125, 0.125), 0.75)), cube((0.25, 0.25, 0.25), 0.5)]),
        "embedded",
    ),
    "a hole in the open": (np.concatenate([CUBE, reversed_facets(cube((2, 0, 0)))]), "nesting"),
    "two apart": (np.concatenate([CUBE, cube((1 + 2.0**-52, 0, 0))]), "embedded"),
    "one ulp into each other": (np.concatenate([CUBE, cube((1 - 2.0**-53, 0.25, 0.25), 0.5)]), "crossing"),
    "overlapping": (np.concatenate([CUBE, cube((0.5, 0.25, 0.125))]), "crossing"),
    "one on the other": (np.concatenate([CUBE, cube((0.25, 0.25, 1), 0.5)]), "touching"),
    "side by side, whole faces": (np.concatenate([CUBE, cube((1, 0, 0))]), "touching"),
    "along an edge": (np.concatenate([CUBE, cube((1, 1, 0.25))]), "touching"),
    "corner to corner": (np.concatenate([CUBE, cube((1, 1, 1), 0.1)]), "embedded"),
    "twice": (np.concatenate([CUBE, CUBE]), "contact"),
    "shells one ulp apart": (
        np.concatenate([CUBE + 1, reversed_facets(np.where(CUBE > 0.5, 2 - 2.0**-51, 1 + 2.0**-51))]),
        "embedded",
    ),
}


def moved_exactly(triangles: np.ndarray) -> np.ndarray:
    """Where no coordinate is rounded; the torus stays."""
    away = triangles - 1
    return away if (away + 1 == triangles).all() else triangles


#: Motions that change no coordinate's last bit, and so no outcome.
EXACT: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as it is": lambda t: t,
    "a quarter turn": lambda t: np.stack([-t[..., 1], t[..., 0], t[..., 2]], axis=-1),
    "an exact translation": moved_exactly,
    "a power of two larger": lambda t: np.ldexp(t, 600),
    "a power of two smaller": lambda t: np.ldexp(t, -400),
    "facets in another order": lambda t: np.random.default_rng(1).permutation(t),
    "corners in another order": lambda t: np.roll(t, 1, axis=1),
}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("motion", EXACT)
@pytest.mark.parametrize("name", BODIES)
def test_the_outcome_is_a_theorem_about_the_coordinates(name, motion, core):
    """Nothing that leaves the coordinates what they are may change it: no tolerance decides."""
    triangles, outcome = BODIES[name]
    with core_of(core):
        assert found(EXACT[motion](np.asarray(triangles, dtype=float))).outcome == outcome


@pytest.mark.parametrize("core", CORES)
def test_a_corner_one_ulp_through_a_face_is_seen(core):
    """A tetrahedron whose tip ends just above, on, or just inside the top of a cube."""
    base = np.array([[0.4, 0.4, 1.5], [0.6, 0.4, 1.5], [0.5, 0.6, 1.5]])
    outcomes = []
    for tip in (np.nextafter(1, 2), 1.0, np.nextafter(1, 0)):
        p, q, r, s = (*base, np.array([0.51, 0.47, tip]))
        outcomes.append(np.concatenate([CUBE, np.array([[p, q, r], [p, s, q], [q, s, r], [r, s, p]])]))
    with core_of(core):
        assert [found(t).outcome for t in outcomes] == ["embedded", "touching", "crossing"]


@pytest.mark.parametrize("core", CORES)
def test_slivers_needles_and_fans_are_embedded(core):
    needle = CUBE * (1e7, 1, 1e-7)
    cone = cone_over(around(300))
    with core_of(core):
        for body in (needle, rotated(needle), cone, rotated(cone), moved(rotated(cone), (1e6, -1e6, 1e6))):
            assert found(body).outcome == "embedded"


@pytest.mark.parametrize("core", CORES)
def test_an_immersed_klein_bottle_is_refuted_with_the_facets_that_cross(core):
    """The figure-eight immersion, doubled so that it is oriented: it crosses itself along a curve."""
    n, m = 40, 24
    u, v = np.meshgrid(np.arange(2 * n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    r = 2 + np.cos(u / 2) * np.sin(v) - np.sin(u / 2) * np.sin(2 * v)
    z = np.sin(u / 2) * np.sin(v) + np.cos(u / 2) * np.sin(2 * v)
    points = np.stack([r * np.cos(u), r * np.sin(u), z], axis=-1)
    # after one turn it comes back with its sides changed, after two as it was: shifted a little the second time, so nothing coincides
    points[n:] += 0.01
    i, j = np.meshgrid(np.arange(2 * n), np.arange(m), indexing="ij")
    a, b, c, d = (points[(i + x) % (2 * n), (j + y) % m].reshape(-1, 3) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    with core_of(core):
        result = found(triangles)
    assert result.outcome == "crossing"
    rational = [tuple(tuple(Fraction(x) for x in p) for p in t) for t in triangles.tolist()]
    for one, other in result.crossings[:5]:
        assert not in_common(rational[one], rational[other]) <= set(rational[one]) & set(rational[other])


@pytest.mark.parametrize("core", CORES)
def test_a_thousand_parts_are_told_apart(core):
    grid = np.stack(np.meshgrid(*[np.arange(10.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 1, 3)
    with core_of(core):
        # each is in its own box alone: to compare it with all those above it would take 20,000 pairs more
        result = found((grid + tetrahedra([UNIT]) / 2).reshape(-1, 3, 3), most=10_000)
    assert (result.outcome, len(set(result.part.tolist()))) == ("embedded", 1000)


def tetrahedra(corners: Any) -> Any:
    """Outward facets of tetrahedra, shape (n, 4, 3), whose corners turn as those of the unit one."""
    return np.asarray(corners)[:, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]].reshape(-1, 3, 3)


UNIT = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(5))
def test_both_cores_give_up_at_the_same_number_of_pairs(seed, core, monkeypatch):
    """Of facets that are in no patch: the compiled core counts no others."""
    generator = np.random.default_rng(seed)
    scale = 10.0 ** generator.integers(-5, 6, (80, 1, 1))
    mesh = IndexedMesh.of(from_soup(generator.uniform(-1, 1, (80, 1, 3)) + scale * generator.normal(size=(80, 3, 3))))
    points = np.ldexp(mesh.points.T, -int(np.frexp(np.abs(mesh.points).max())[1]))
    pairs = sum(len(i) for i, _ in BoxTree.over(facet_boxes(points, mesh.faces.T)).pairs(10**9))
    assert pairs > 80
    monkeypatch.setattr("massprops.mesh.proof.embedding._INTEGERS", 1)
    with core_of(core):
        embedding_of(mesh, pairs)
        with pytest.raises(TooManyPairs):
            embedding_of(mesh, pairs - 1)


def test_a_surface_that_loses_digits_to_the_range_of_floats_is_not_proved():
    """2⁻⁸⁰⁰ beside 2³⁰⁰ cannot be scaled exactly, so a shift by it is not seen: what is compared is not the file."""
    low, high = 2.0**-800 * UNIT, 2.0**300 * UNIT
    assert found(tetrahedra([high])).outcome == "embedded"
    assert found(tetrahedra([low])).outcome == "embedded"
    assert found(tetrahedra([low - 2.0**-798, high])).outcome != "embedded"


def scaled(points: np.ndarray) -> np.ndarray:
    return points / 4


def fan_over(rim: np.ndarray, tip: Any) -> np.ndarray:
    """Facets from a closed line to a point, their front where the line turns left."""
    return np.stack([rim, np.roll(rim, -1, axis=0), np.broadcast_to(tip, rim.shape)], axis=1)


def cone_over(rim: np.ndarray) -> np.ndarray:
    """A closed cone over a rim about the origin, its tip 1 above it."""
    return np.concatenate([fan_over(rim, [0, 0, 1]), fan_over(rim, [0, 0, 0])[:, ::-1]])


def around(count: int) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1)


def drum(rim: np.ndarray, hub: Any) -> np.ndarray:
    """A prism with two fans round a hub in the one plane, and in the other."""
    height = np.array([0, 0, 1])
    top = rim + height
    after = np.roll(rim, -1, axis=0)
    wall = np.stack([rim, after, top], axis=1), np.stack([after, after + height, top], axis=1)
    floor = fan_over(rim, hub)[:, ::-1]
    caps = np.concatenate([floor, fan_over(top, hub + height)])
    whole = (caps != np.roll(caps, 1, axis=1)).any(axis=2).all(axis=1)  # without those beside a hub on the rim
    return np.concatenate([*wall, caps[whole]])


def spindle(rim: np.ndarray) -> np.ndarray:
    """Two fans over a rim, to a tip above and one below."""
    return np.concatenate([fan_over(rim, [0, 0, 1]), fan_over(rim, [0, 0, -1])[:, ::-1]])


@functools.cache
def needles_that_meet() -> tuple[np.ndarray, set[tuple[int, int]]]:
    """Needles in four bundles that pass near the origin, and the pairs that rational numbers find to meet."""
    generator = np.random.default_rng(3)
    tip, shift = generator.integers(-40, 41, size=(4, 1, 1, 3)), generator.integers(-5, 6, size=(4, 1, 1, 3))
    ends = np.concatenate([tip, shift - tip], axis=2) + generator.integers(-3, 4, size=(4, 8, 2, 3))
    needles = np.stack([ends[:, :, 0], ends[:, :, 1], ends[:, :, 1] + (0, 1, 2)], axis=2).reshape(-1, 3, 3)
    whole = [tuple(map(tuple, t)) for t in needles.tolist()]
    return needles, {
        (i, j)
        for (i, one), (j, other) in itertools.combinations(enumerate(whole), 2)
        if edges_of(one) & edges_of(other) or not in_common(one, other) <= set(one) & set(other)
    }


@pytest.mark.parametrize("core", CORES)
def test_needles_that_meet_are_found(core):
    needles, pairs = needles_that_meet()
    with core_of(core):
        result = found(needles)
    assert {(*p,) for p in (*result.crossings.tolist(), *result.contacts.tolist())} == pairs


@compiled
def test_bundles_of_bundles_hide_no_bristle_that_passes_through_others():
    """Against brushes of a few bristles each, in which there are no bundles."""
    side, bristle = 22, np.asarray(box((0, 0, 0), (0.5, 0.5, 40)))
    places = np.array([*itertools.product(range(side), range(side), [0])])
    brush = np.array([moved(bristle, p) for p in places])
    for k, lean in ((0, (0.05, 0.21, 0)), (200, (-0.11, 0.004, 0)), (470, (-0.31, -0.3, 0))):
        brush[k] += brush[k][:, :, 2:] * lean
    brush = rotated(brush.reshape(-1, 3, 3)).reshape(-1, 12, 3, 3)
    whole = found(brush.reshape(-1, 3, 3))
    expected = set()
    for some in np.array_split(np.setdiff1d(np.arange(side**2), [0, 200, 470]), 25):
        chosen = np.append([0, 200, 470], some)
        few = found(brush[chosen].reshape(-1, 3, 3)).crossings
        expected |= set(map(tuple, np.sort(12 * chosen[few // 12] + few % 12, axis=1).tolist()))
    assert len(expected) > 30
    assert set(map(tuple, whole.crossings.tolist())) == expected


@compiled
def test_ten_thousand_facets_round_a_corner_need_few_pairs():
    """All pairs of them would be a thousand times as many."""
    rim = around(10_000)
    for body in (drum(rim, np.zeros(3)), drum(rim, rim[0]), rotated(drum(rim, rim[0])), spindle(rim), cone_over(rim)):
        for dented in (body, np.concatenate([body, moved(CUBE, (3, 0, 0))])):
            mesh = IndexedMesh.of(from_soup(dented))
            with core_of("native"):
                assert embedding_of(mesh, 100).outcome == "embedded"


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("kind", ["nested", "in one place"])
def test_auto_gives_up_a_proof_that_compares_everything_with_everything(kind, core):
    """2,000 shells in each other, or on each other: 4,000,000 pairs and more, some of them in integers."""
    size = np.arange(1.0, 2001)[:, np.newaxis, np.newaxis] if kind == "nested" else np.ones((2000, 1, 1))
    mesh = IndexedMesh.of(from_soup(tetrahedra(size * (UNIT - 0.25))))
    most = 200_000 if core == "native" and kind == "nested" else 500_000  # bundles settle half of those
    with core_of(core), pytest.raises(TooManyPairs):
        embedding_of(mesh, most)


# --- what a caller sees


def test_a_proved_part_has_no_error_of_sampling():
    result = massprops.measure(TORUS, units="m")
    assert (result.grade, sorted(result.sources)) == ("proved", ["arithmetic", "resolution"])
    assert massprops.measure(TORUS, units="m", verify="xray").grade == "certified"


def test_a_cone_of_thousands_of_facets_is_proved():
    """A box of its base meets a quarter of those of its side: too many pairs to compare them all by default."""
    verify = "auto" if native.core() else "proof"  # numpy compares more pairs than `auto` allows
    assert massprops.measure(cone_over(around(1500)), units="m", verify=verify).grade == "proved"


@pytest.mark.parametrize(("name", "says"), [("one on the other", "is proved"), ("twice", "X-ray")])
def test_contact_is_named_and_says_where(name, says):
    body = BODIES[name][0]
    result = massprops.measure(body, units="m", verify="proof", on_overlap="count")
    assert result.grade == ("proved" if name != "twice" else "closed")
    assert ("xray" in result.sources) <= (name == "twice")
    findings = result.findings
    (finding,) = (f for f in findings if f.code == "touching-facets")
    assert says in finding.message
    assert finding.severity == "info"
    assert finding.value == len(found(body).contacts)
    assert np.isin(finding.where[2], (0, 0.5, 1))


def test_what_crosses_is_counted_and_the_first_ten_are_named():
    first, *rest = (
        f
        for f in raised(InvalidGeometry, massprops.measure, BODIES["overlapping"][0], units="m", repair="none").findings
        if f.code == "self-intersecting"
    )
    crossings = found(BODIES["overlapping"][0]).crossings
    assert first.message.startswith(
        f"{len(crossings)} pairs of facets cross each other, between parts; the first: facets "
    )
    assert (first.value, len(rest)) == (len(crossings), min(9, len(crossings) - 1))
    for f in (first, *rest):  # on the surface of both cubes
        assert all(0 <= x <= 1 for x in f.where)
        assert all(low <= x <= low + 1 for x, low in zip(f.where, (0.5, 0.25, 0.125), strict=True))


def test_the_place_of_a_crossing_is_the_middle_of_what_the_boxes_of_both_facets_share():
    """In metres; and what crosses itself is told apart from what crosses another part."""
    bent = np.where(
        (CUBE == 1).all(axis=2, keepdims=True), [0.375, 0.25, -0.5], CUBE
    )  # a corner pulled through the base
    both = np.concatenate([BODIES["overlapping"][0], bent + 4])
    alone, between = (len(found(t).crossings) for t in (bent, BODIES["overlapping"][0]))
    for body, where in ((bent, "within one part"), (both, f"{alone} of them within one part")):
        with pytest.raises(InvalidGeometry) as caught:
            massprops.measure(body, units="mm", repair="none")
        findings = [f for f in caught.value.findings if f.code == "self-intersecting"]
        assert f"{alone + (body is both) * between} pairs of facets cross each other, {where}; " in findings[0].message
        for f in findings:
            one, other = (body[int(n) - 1] for n in re.search(r"facets (\d+) and (\d+)", f.message).groups())
            low, high = np.maximum(one.min(axis=0), other.min(axis=0)), np.minimum(one.max(axis=0), other.max(axis=0))
            assert f.where == pytest.approx((low + high) / 2 / 1000, rel=1e-15)


def lattice_nest(rng: np.random.Generator, depth: int) -> tuple[list[np.ndarray], list[int], list[int]]:
    """Boxes in each other and side by side, some inside out: lower and upper corners, signs, and w of the others at each of them.

    All corners are whole numbers, many on one line with corners of others.
    """
    spans, signs, ambient, size = [], [], [], 1 << 2 * depth
    waiting = [(np.zeros(3), size, depth, 0)]
    while waiting:
        low, size, depth, w = waiting.pop()
        sign = int(rng.choice([-1, 1]))
        spans.append(np.array([low, low + size])), signs.append(sign), ambient.append(w)
        places = rng.permutation(list(itertools.product((0, 1), repeat=3)))[: rng.integers(1, 4) if depth > 1 else 0]
        waiting += [(low + 1 + p * (size // 2), size // 2 - 2, depth - 1, w + sign) for p in places]
    return spans, signs, ambient


def as_parts(spans: list[np.ndarray], signs: list[int], rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Points, shape (3, V), facets and part of each, in another order; corner k of part p is corner 0 of its first facet."""
    corners = np.array(list(itertools.product((0, 1), repeat=3)))
    faces = np.array([[(corners == x).all(axis=1).argmax() for x in t] for t in CUBE])
    points = np.concatenate([np.stack([s[c, np.arange(3)] for c in corners]) for s in spans])
    all_faces = np.concatenate([(faces if w > 0 else faces[:, ::-1]) + 8 * k for k, w in enumerate(signs)])
    part = np.repeat(np.arange(len(spans)), 12)
    order = rng.permutation(len(part))
    return points.T / (2.0 * np.abs(points).max()), all_faces[order].T, part[order]


@pytest.mark.parametrize("turned", [False, True])
def test_the_winding_number_round_each_part_is_that_of_the_parts_round_it(turned, monkeypatch):
    """Nests of known depth, whatever corner of a part is asked: also where corners, edges and faces of others are straight above it."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        monkeypatch.setattr("massprops.mesh.proof.nesting._BOXES", int(rng.choice([0, 32])))
        spans, signs, ambient = lattice_nest(rng, int(rng.integers(1, 6)))
        points, faces, part = as_parts(spans, signs, rng)
        if turned:
            turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            points = turn @ points * np.linalg.det(turn)
        corner = 8 * np.arange(len(spans)) + rng.integers(0, 8, len(spans))
        assert ambient_of(points, faces, part, corner, NO_LIMIT) == ambient, seed


def beginning_at(triangles: np.ndarray, corner: Point, where: int) -> np.ndarray:
    """The same body, with this corner in this place of its first facet."""
    facet, place = np.argwhere((triangles == corner).all(axis=2))[0]
    return np.concatenate([np.roll(triangles[[facet]], where - place, axis=1), np.delete(triangles, facet, axis=0)])


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("where", range(3))
def test_a_corner_that_parts_share_is_in_none_of_them(core, sign, where):
    """How parts lie in each other is seen from a corner that is one part's alone: points near a common one may be in the other part."""
    one, other = (beginning_at((CUBE + k)[:, ::sign] * sign, (sign,) * 3, where) for k in (0, 1))
    with core_of(core):
        assert [found(np.concatenate(b)).outcome for b in ((one, other), (other, one))] == ["embedded"] * 2


def as_they_are(points: np.ndarray) -> np.ndarray:
    """Coordinates that are at most 1 already."""
    return points


def ambient_of(points: np.ndarray, faces: np.ndarray, part: np.ndarray, corner: np.ndarray, most: int) -> list[int]:
    first = np.unique(part, return_index=True)[1]
    _, boxes = _signs_and_boxes(points.T, faces.T, part, first, as_they_are, 1)
    return _ambient(points.T, faces.T, part, corner, boxes, as_they_are, most).tolist()


def shells(count: int) -> np.ndarray:
    """Boxes close to each other and in each other, outward and inward in turn, turned, and in another order."""
    sizes = np.linspace(1, 0.5, count)[:, np.newaxis, np.newaxis, np.newaxis]
    bodies = (CUBE - 0.5) * sizes
    bodies[1::2] = bodies[1::2, :, ::-1]
    return rotated(np.random.default_rng(3).permutation(bodies).reshape(-1, 3, 3))


@compiled
def test_shells_in_each_other_are_compared_with_their_neighbours_alone():
    """Boxes round facets that are large beside the distance of two shells do not tell them apart: 13 million pairs would meet."""
    with core_of("native"):
        result = found(shells(600), most=400 * 7200)
    assert (result.outcome, len(set(result.part.tolist()))) == ("embedded", 600)


def test_a_path_through_shells_in_each_other_meets_few_facets():
    spans = [np.array([[-k] * 3, [k] * 3]) for k in range(600, 0, -1)]
    points, faces, part = as_parts(spans, [1] * 600, np.random.default_rng(1))
    points = rotated(points.T).T / 2
    assert ambient_of(points, faces, part, 8 * np.arange(600), 30 * 7200) == list(range(600))


def test_a_fine_curve_has_neighbours_in_order_at_all_scales():
    order = np.random.default_rng(1).permutation(1500)
    points = np.array([[0.7], [0.6], [0.5]]) * 0.7**order
    assert (abs(np.diff(order[along_a_fine_curve(points)])) == 1).all()


def test_the_sign_of_a_volume_is_that_of_rational_numbers():
    """Tetrahedra flat but for the rounding of their last corner, in one call; and as small as products still are numbers."""
    rng, n = np.random.default_rng(4), 90
    a, b, c = rng.uniform(-1, 1, (3, 3, n))
    s, t = rng.uniform(0, 0.5, (2, n))
    points = np.stack([a, b, c, a + s * (b - a) + t * (c - a)], axis=2).reshape(3, -1)
    points[:, ::4][:, :9] = points[:, 3::4][:, :9]  # some without volume
    faces = (4 * np.arange(n)[:, None] + np.ravel([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])).reshape(-1, 3).T
    part, whole = np.repeat(np.arange(n), 4), as_integers(points)
    sides = [[minus(whole[k + i], whole[k]) for i in (1, 2, 3)] for k in range(0, 4 * n, 4)]
    volumes = [dot(cross(one, other), third) for one, other, third in sides]
    signs = np.array([(v > 0) - (v < 0) for v in volumes])
    assert set(signs.tolist()) == {-1, 0, 1}
    for power in (0, -357, -359):
        found, boxes = _signs_and_boxes(points.T * 2.0**power, faces.T, part, 4 * np.arange(n), as_they_are, 2)
        assert (found == signs).all()
        corners = points.reshape(3, n, 4) * 2.0**power
        assert (boxes[0] <= corners.min(axis=2)).all()
        assert (boxes[1] >= corners.max(axis=2)).all()
    for count in (1, 2):  # what has no volume has no inside
        assert not winds_once(points.T, faces.T[: 4 * count], 4 * part[: 4 * count], as_they_are)


def test_check_can_require_a_proof(tmp_path):
    codes = []
    for name in ("a cube", "twice"):
        path = write_binary_stl(tmp_path / f"{name}.stl", BODIES[name][0])
        (checked,) = massprops.check(path, units="m", on_overlap="count", require=["proved"]).checked
        codes.append([f.code for f in checked.findings if f.severity == "error"])
    assert codes == [[], ["requirement-not-met"]]


def test_signs_in_int64_are_those_in_integers_without_limit() -> None:
    """Coordinates up to the limit, and determinants that are 0 or as near to it as can be."""
    r = np.random.default_rng(0)
    a, b, c = r.integers(0, 2, (3, 3, 4000)) * (2**30 - 1) - r.integers(-9, 10, (3, 3, 4000)) * r.integers(0, 2, 4000)
    a, b, c = (np.clip(x, 0, 2**30 - 1) for x in (a, b, c))
    d = np.clip(a + b - c + r.integers(-1, 2, a.shape), 0, 2**30 - 1)
    whole = [x.astype(object) for x in (a, b, c, d)]
    expected = side_of_plane(*whole)
    assert set(expected) == {-1, 0, 1}
    assert np.array_equal(side_of_plane(a, b, c, d), expected)
    assert np.array_equal(side_of_line(a[:2], b[:2], c[:2]), side_of_line(*(x[:2] for x in whole[:3])))


def test_small_integers_are_the_coordinates_moved_and_times_a_power_of_two() -> None:
    r = np.random.default_rng(1)
    fine = np.ldexp(r.integers(-(2**20), 2**20, (300, 6, 3)) * 1.0, -r.integers(20, 900, (300, 1, 1)))
    far = fine + np.where(r.random((300, 1, 1)) < 0.5, 0, 2.0**-20)
    far[::7, 0] = r.random((43, 3))  # of many bits
    far[1::7] = 0
    numbers, fits = small_integers(far)
    assert 100 < fits.sum() < 290
    for group, own in zip(far[fits], numbers[fits], strict=True):
        exact = [[Fraction(float(x)) - Fraction(float(y)) for x, y in zip(p, group[0], strict=True)] for p in group]
        ratios = {
            x / int(n - m)
            for line, p in zip(exact, own, strict=True)
            for x, n, m in zip(line, p, own[0], strict=True)
            if n != m
        }
        assert all(
            x == 0
            for line, p in zip(exact, own, strict=True)
            for x, n, m in zip(line, p, own[0], strict=True)
            if n == m
        )
        assert len(ratios) < 2
        assert all(x > 0 and (x.numerator == 1 or x.denominator == 1) for x in ratios)
        assert own.min() >= 0
        assert own.max() < 2**30
