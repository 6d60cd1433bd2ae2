"""What is wrong with a surface that is not closed: how many edges, in how many loops, where and how wide.

Modules tested: `mesh/edge_defects`, `mesh/connectivity`, `mesh/indexed_mesh`.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from oracles import box, bumpy_torus, moebius_band, moved, polycube, reversed_facets, rotated, star_body, tetrahedron

from massprops.findings import Finding
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh import boundary
from massprops.mesh.boundary import Boundary
from massprops.mesh.connectivity import components
from massprops.mesh.edge_defects import DefectLoop, diagnose
from massprops.mesh.enclosed_solid import MeshSurface
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import CHUNK, Triangles
from massprops.mesh.surface import Surface

CUBE = box()  # facets 0, 1: x = 0; 2, 3: x = 1; 4, 5: y = 0; 6, 7: y = 1; 8, 9: z = 0; 10, 11: z = 1


def defects(triangles, dtype=np.float64, size=CHUNK):
    corners = np.asarray(triangles, dtype=dtype)
    chunks = partial(map, lambda k: corners[k : k + size], range(0, len(corners), size))
    return diagnose(IndexedMesh.of(Triangles("a.stl", len(corners), chunks)))


def in_metres() -> MeshSurface:
    """A surface of a file in metres: a finding needs no more of it."""
    return MeshSurface(from_soup(CUBE), Surface.of(CUBE, CUBE[0, 0]), 1.0)


def only(triangles, dtype=np.float64):
    (defect,) = defects(triangles, dtype)
    return defect


def turned(triangles, *facets):
    result = np.array(triangles)
    result[list(facets)] = result[list(facets), ::-1]
    return result


def closed(triangles) -> bool:
    return Boundary.of(np.ascontiguousarray(np.asarray(triangles).transpose(1, 2, 0))).closed


# --- known defects, their messages in full ---------------------------------------------------------------------------


#: The second lacks the face x = 1, and one facet of a face of a smaller cube beside it: its diagonal is √2 / 4 long.
OPEN, HOLES = CUBE[2:], np.concatenate([moved(CUBE / 4, (5, 6, 7)), np.delete(CUBE, [2, 3], axis=0)])[1:]
TURNED, THRICE = turned(CUBE, 0), np.concatenate([CUBE, CUBE[10:11], CUBE[10:11]])
THREE = "join three faces or more without cancelling, in 1 loop,"
OPPOSITE = "are traversed twice in the same direction: adjacent faces have opposite orientation, in 1 loop,"


@each("dtype", [np.float32, np.float64])
@each(
    ("triangles", "code", "edges", "said", "where"),
    [
        # five faces of two triangles: 8 + 4 diagonals and the rest of the 12 edges, 17 in all
        (OPEN, "open-edges", 4, "of 17 edges belong to one face only, in 1 loop,", (0, 0.5, 0.5)),
        (HOLES, "open-edges", 7, "of 35 edges belong to one face only, in 2 loops, the largest", (1, 0.5, 0.5)),
        (TURNED, "inconsistent-winding", 3, f"of 18 edges {OPPOSITE}", (0, 0.5, 0.5)),
        (THRICE, "non-manifold-edges", 3, f"of 18 edges {THREE}", (0.5, 0.5, 1)),
    ],
)
def test_a_defect_is_told_with_its_edges_its_loops_and_the_widest_of_them(triangles, code, edges, said, where, dtype):
    x, y, z = where
    message = f"{edges} {said} 1.41 m wide, near ({x}, {y}, {z}) m"
    finding = only(triangles, dtype).finding(in_metres())
    assert finding == Finding(code, "error", message, value=edges, limit=0, where=where)


def test_the_widest_hole_is_not_the_one_with_the_most_edges():
    # Six edges around two faces of a small cube, three around one facet of a large one.
    small, large = np.delete(CUBE / 8, [0, 1, 4, 5], axis=0), moved(CUBE, (4, 0, 0))[1:]
    defect = only(np.concatenate([small, large]))
    assert (defect.edges, defect.loops, defect.largest.edges) == (9, 2, 3)
    assert defect.largest.width == pytest.approx(math.sqrt(2), rel=1e-15)  # one square root


def test_a_face_turned_round_has_its_rim_for_a_seam():
    # The diagonal inside the face is run both ways: its two facets agree.
    defect = only(turned(CUBE, 0, 1))
    assert (defect.edges, defect.total, defect.loops, defect.largest.edges) == (4, 18, 1, 4)


def test_a_fin_on_an_edge_has_two_open_edges_and_one_of_three_faces():
    fin = np.array([[[0, 0, 0], [1, 0, 0], [0.5, -3, -3]]], dtype=float)
    found = defects(np.concatenate([CUBE, fin]))
    told = [(d.code, d.edges, d.total, d.loops) for d in found]
    assert told == [("open-edges", 2, 20, 1), ("non-manifold-edges", 1, 20, 1)]


def test_every_kind_of_defect_is_told_open_edges_first():
    apart = [moved(CUBE, (3 * k, 0, 0)) for k in range(3)]
    found = defects(np.concatenate([turned(apart[0], 5), apart[1], apart[1][:1], apart[2][1:]]))
    assert [(d.code, d.edges, d.loops) for d in found] == [
        ("open-edges", 3, 1),
        ("inconsistent-winding", 3, 1),
        ("non-manifold-edges", 3, 1),
    ]
    assert [d.largest.center for d in found] == [(6.0, 0.5, 0.5), (0.5, 0.0, 0.5), (3.0, 0.5, 0.5)]


def test_a_band_with_a_half_twist_is_open_around_and_twisted_where_its_ends_meet():
    # Moebius: whichever way the facets look, they disagree across one of the rungs; its one rim runs round twice.
    n = 8
    found = defects(moebius_band(n))
    assert [(d.code, d.edges, d.total, d.loops) for d in found] == [
        ("open-edges", 2 * n, 4 * n, 1),
        ("inconsistent-winding", 1, 4 * n, 1),
    ]


def test_two_cubes_that_share_an_edge_are_closed_and_have_no_defect():
    # Four faces meet there, and cancel: not a manifold, and a body all the same.
    pair = np.concatenate([CUBE, moved(CUBE, (1, 1, 0))])
    assert closed(pair)
    assert defects(pair) == []


def test_of_equally_wide_holes_the_first_in_the_file_is_told():
    # The order of hashes is another in every process: the same file must say the same words.
    pair = np.concatenate([CUBE[2:], moved(CUBE, (5, 0, 0))[2:]])
    for _ in range(12):  # a coin would fall the same way twelve times once in 4096 runs
        boundary.KEYS = boundary.fresh_keys()
        assert only(pair).largest == DefectLoop(4, (0.0, 0.5, 0.5), math.sqrt(2))


@pytest.mark.parametrize("size", [1, 22, 100])
def test_first_is_first_in_the_file_and_not_in_a_chunk(size):
    body = np.concatenate([moved(CUBE, (9, 0, 0)), CUBE[2:], moved(CUBE, (5, 0, 0))[2:]])
    (defect,) = defects(body, size=size)
    assert defect.largest.center == (0.0, 0.5, 0.5)


def test_an_edge_is_where_it_comes_first():
    # The other faces at the seam of the first cube come after the second cube.
    first, second = turned(CUBE, 0), turned(moved(CUBE, (5, 0, 0)), 0)
    body = np.concatenate([first[:1], second, first[1:]])
    (defect,) = defects(body, size=1)
    assert defect.largest.center == (0.0, 0.5, 0.5)


def test_loose_facets_are_a_loop_each():
    apart = np.array([[[x, 0, 0], [x + 3, 0, 0], [x, 4, 0]] for x in range(0, 90, 10)], dtype=float)
    found = defects(np.concatenate([turned(CUBE, 0), moved(apart, (20, 0, 0))]))
    assert [(d.code, d.edges, d.total, d.loops) for d in found] == [
        ("open-edges", 27, 45, 9),
        ("inconsistent-winding", 3, 45, 1),
    ]
    assert found[0].largest == DefectLoop(3, (21.5, 2.0, 0.0), 5.0)


# --- what is no defect -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [tetrahedron, box, bumpy_torus])
def test_closed_surfaces_have_no_defects(make):
    assert defects(make()) == []


def test_facets_without_extent_have_no_edges():
    assert defects(np.zeros((3, 3, 3))) == []
    defect = only(np.concatenate([CUBE[2:], np.zeros((1, 3, 3)), [[[7, 7, 7], [7, 7, 7], [0, 0, 0]]]]))
    assert (defect.edges, defect.total) == (4, 18)  # the needle's edge is run both ways


def test_zero_has_no_sign():
    signed = np.array(CUBE[2:])
    signed[::2][signed[::2] == 0] = -0.0
    assert only(signed).edges == 4


def test_corners_that_differ_in_the_last_place_are_told_apart():
    cracked = np.array(CUBE)
    cracked[0, 0, 0] = np.nextafter(0, 1)
    found = only(cracked)
    assert (found.code, found.edges, found.loops) == ("open-edges", 4, 1)  # two edges, each from both sides


# --- laws ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(0.25, 4), min_size=14, max_size=14), st.sets(st.integers(0, 23), min_size=1, max_size=23))
def test_open_edges_are_those_that_only_one_remaining_facet_has(radii, lost):
    # Counted again with a dictionary; a hole's edges are also the rim of what was cut out.
    body = star_body(radii)
    kept, cut = np.delete(body, sorted(lost), axis=0), body[sorted(lost)]
    rim, all_edges = rim_of(kept)
    defect = only(kept)
    assert (defect.code, defect.edges, defect.total) == ("open-edges", len(rim), len(all_edges))
    assert only(cut).edges == len(rim)
    assert defect.loops == only(cut).loops == islands(rim)


def rim_of(triangles):
    """Undirected edges with one facet, and all of them, by the coordinates of their ends."""
    count: dict[frozenset, int] = {}
    for t in np.asarray(triangles).tolist():
        corners = [tuple(p) for p in t]
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
            count[frozenset((a, b))] = count.get(frozenset((a, b)), 0) + 1
    return [edge for edge, n in count.items() if n == 1], count


def islands(rim) -> int:
    """Connected sets of edges, joined one after the other."""
    groups: list[set] = []
    for edge in rim:
        touching = [g for g in groups if g & edge]
        groups = [g for g in groups if not g & edge] + [set(edge).union(*touching)]
    return len(groups)


@given(st.sets(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=6), st.data())
def test_turned_facets_are_told_by_the_seams_around_them(cells, data):
    triangles = polycube(cells)[0]
    facet = data.draw(st.integers(0, len(triangles) - 1))
    found = {d.code: d.edges for d in defects(turned(triangles, facet))}
    # An edge of four faces, where cubes touch, is then run through without cancelling.
    assert sum(found.values()) == 3
    assert set(found) <= {"inconsistent-winding", "non-manifold-edges"}
    assert found.get("inconsistent-winding", 0) >= 1  # the diagonal has two faces, always


@given(st.randoms(use_true_random=False))
def test_neither_the_order_of_facets_nor_their_first_corner_matters(random):
    body = np.delete(rotated(bumpy_torus()), [3, 4, 100], axis=0)
    order = random.sample(range(len(body)), len(body))
    shuffled = np.array([np.roll(t, random.randrange(3), axis=0) for t in body[order]])
    assert defects(shuffled) == defects(body)


def test_all_facets_reversed_have_the_same_defects():
    body = np.delete(bumpy_torus(), [3, 4, 100], axis=0)
    assert defects(reversed_facets(body)) == defects(body)


@pytest.mark.parametrize("position", [0, CHUNK - 1, CHUNK, -1])
def test_places_are_found_in_every_chunk(position):
    torus = bumpy_torus(160, 128)  # 40,960 facets
    assert len(torus) > CHUNK
    low, high = torus[position].min(axis=0), torus[position].max(axis=0)
    defect = only(np.delete(torus, position, axis=0))
    assert (defect.edges, defect.loops) == (3, 1)
    assert defect.largest.center == tuple((low + high) / 2)
    assert defect.largest.width == pytest.approx(np.linalg.norm(high - low), rel=1e-15)


@given(st.integers(1, 40), st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=60))
def test_components_are_those_of_a_walk(count, pairs):
    pairs = [(u % count, v % count) for u, v in pairs]
    u, v = (np.array([p[k] for p in pairs], dtype=np.intp) for k in (0, 1))
    labels = components(count, u, v)
    reached = {k: {k} for k in range(count)}
    for a, b in pairs:
        together = reached[a] | reached[b]
        for k in together:
            reached[k] = together
    for k in range(count):
        assert {j for j in range(count) if labels[j] == labels[k]} == reached[k]


def test_components_of_a_long_chain_are_one():
    # In either direction, and shuffled: label propagation must not stop half way.
    n = 5000
    nodes = np.random.default_rng(3).permutation(n)
    for order in (np.arange(n), np.arange(n)[::-1], nodes):
        assert len(np.unique(components(n, order[:-1], order[1:]))) == 1
        assert len(np.unique(components(n + 1, order[:-1], order[1:]))) == 2


def test_what_is_left_of_a_mesh_or_turned_has_the_edges_that_sorting_them_again_gives():
    """Also their order, which says where a defect is first."""
    mesh = IndexedMesh.of(from_soup(np.concatenate([bumpy_torus()[:-7], bumpy_torus()[:9]])))
    mesh = IndexedMesh(mesh.points, np.concatenate([mesh.faces, [[3, 3, 5], [4, 4, 4]]]))
    mask = np.random.default_rng(1).random(len(mesh.faces)) < 0.3
    assert len(mesh.open_edges()) > 0  # they are sorted
    turning, left = mesh.turning(mask), mesh.keeping(mask)
    assert (turning.corners == np.where(mask[:, None, None], mesh.corners[:, ::-1], mesh.corners)).all()
    assert (left.corners == mesh.corners[mask]).all()
    for found in (turning, left):
        assert "sorted_edges" in vars(found)
        many = np.broadcast_to(found.points[0], (1 << 31, 3))  # so many that no word holds an edge and its place
        for points in (found.points, many):
            again = IndexedMesh(points, found.faces).sorted_edges
            for name in ("order", "heads", "count", "net"):
                assert np.array_equal(getattr(found.sorted_edges, name), getattr(again, name)), name


def test_edges_are_numbered_by_facet_and_side_and_keep_the_order_of_the_file():
    edges = IndexedMesh(np.eye(4)[:, :3], np.array([[2, 1, 0], [3, 3, 0], [0, 1, 3], [0, 1, 2]])).sorted_edges
    # 0–1: edge 1 of facet 0 (1 → 0), edge 0 of facets 2 and 3; 0–2: 2 and 11; 0–3: 4, 5, 8; 1–2: 0 and 10; 1–3: 7
    assert edges.order.tolist() == [1, 6, 9, 2, 11, 4, 5, 8, 0, 10, 7]
    assert edges.count.tolist() == [3, 2, 3, 2, 1]
    assert edges.net.tolist() == [1, 0, -1, 0, 1]
    assert edges.heads.tolist() == [0, 3, 5, 8, 10]
