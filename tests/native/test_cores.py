"""The compiled core against the numpy one: the same results, to the bit, and nothing that its buffers do not hold is ever read."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each
from console import Run, run
from cores import _native, compiled, core_of
from hypothesis import given
from hypothesis import strategies as st
from oracles import bumpy_torus, moved, rotated
from places import ROOT

from massprops import InvalidInput, __version__, native
from massprops.formats.mesh.arrays import from_object
from massprops.mesh import boundary
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import CHUNK, SUMMED, IndexedFacets, Triangles
from massprops.mesh.surface import Surface
from massprops.mesh.xray.line_crossings import shoot
from massprops.mesh.xray.line_grid import Lattice

#: Around the blocks in which sums are taken, and the groups of eight.
COUNTS = [*range(1, 18), *range(126, 138), 256, 257, 1000, 1023, SUMMED - 1, SUMMED, SUMMED + 9, 3 * SUMMED, CHUNK]
DTYPES = [np.float32, np.float64]


def by_both(work: Callable[[], Any]) -> tuple[Any, Any]:
    results = []
    for choice in ("numpy", "native"):
        with core_of(choice), np.errstate(all="ignore"):
            results.append(work())
    return results[0], results[1]


def bits(value: Any) -> Any:
    """Every number of a result as its bytes, the signs of zeros too."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, float):
        return np.float64(value).tobytes()
    if isinstance(value, list):
        return [bits(item) for item in value]
    if is_dataclass(value):
        return [bits(getattr(value, f.name)) for f in fields(value)]
    return value


def same_surface(corners: np.ndarray, reference: np.ndarray) -> None:
    one, other = by_both(lambda: Surface.of(corners, reference))
    assert bits(one) == bits(other)


def same_crossings(corners: np.ndarray, lattice: Lattice, first: int = 0) -> int:
    """How many there are."""
    one, other = by_both(lambda: shoot(lattice, corners, first))
    assert bits(one) == bits(other)
    return sum(len(family.line) for family in one)


def soup(count: int, dtype: Any, spread: float = 0.2, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng((count, seed))
    return (random.normal(size=(count, 1, 3)) + spread * random.normal(size=(count, 3, 3))).astype(dtype)


@compiled
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", COUNTS)
def test_sums_bounds_and_certificates_are_the_same_for_any_count(count: int, dtype: Any) -> None:
    corners = soup(count, dtype)
    for reference in (np.zeros(3), corners[0, 0].astype(np.float64)):
        same_surface(corners, reference)


@compiled
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 8, 129, 1000, SUMMED + 1])
@pytest.mark.parametrize("spread", [0.003, 0.1, 3.0], ids=["fine", "middling", "coarse"])
def test_crossings_are_the_same_for_any_count_and_size(count: int, dtype: Any, spread: float) -> None:
    corners = soup(count, dtype, spread)
    bounds = np.array([corners.min(axis=(0, 1)), corners.max(axis=(0, 1))], dtype=np.float64)
    found = same_crossings(corners, Lattice.over(bounds, 12, seed=count), first=2**40)
    assert found or count * spread < 100


#: Doubles of any size, and zeros of both signs; few, so that corners, edges and coordinates coincide.
values = st.sampled_from(
    [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-300, -1e-30, 1e30, -1e150, 5e-324, 2.0**-149, 1e6 + 1]
) | st.floats(-1e3, 1e3)
soups = st.lists(st.lists(values, min_size=9, max_size=9), min_size=1, max_size=12)


@compiled
@given(soups, st.sampled_from(DTYPES), st.lists(values, min_size=3, max_size=3), st.integers(1, 40))
def test_both_cores_agree_on_whatever_finite_triangles(rows: list, dtype: Any, reference: list, lines: int) -> None:
    with np.errstate(over="ignore"):
        corners = np.array(rows).astype(dtype).reshape(-1, 3, 3)
    corners[~np.isfinite(corners)] = 7
    same_surface(corners, np.array(reference))
    bounds = np.array([corners.min(axis=(0, 1)), corners.max(axis=(0, 1))], dtype=np.float64)
    with np.errstate(all="ignore"):
        lattice = Lattice.over(bounds, lines, seed=1)
    if np.isfinite(lattice.low).all() and np.isfinite(lattice.cell).all():
        same_crossings(corners, lattice)


@compiled
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 8, 129, 1000])
def test_triangles_by_their_numbers_are_the_triangles(count: int, dtype: Any) -> None:
    points = soup(count, dtype, 0.02).reshape(-1, 3)
    facets = IndexedFacets(points, np.random.default_rng(count).integers(0, len(points), (count, 3), np.uint32))
    lattice = Lattice.over(np.array([points.min(axis=0), points.max(axis=0)], np.float64), 12, seed=count)
    hashes = np.empty(len(points), np.uint64)
    _native.hashes(points, boundary.KEYS, hashes)
    hashed = replace(facets, hashes=lambda: hashes)
    for choice in ("numpy", "native"):
        with core_of(choice):
            for work in (lambda chunk: Surface.of(chunk, np.ones(3)), lambda chunk: shoot(lattice, chunk, 7)):
                assert bits(work(facets)) == bits(work(hashed)) == bits(work(points[facets.numbers]))


@compiled
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e9])
def test_both_cores_agree_far_from_the_origin(offset: float) -> None:
    body = moved(rotated(bumpy_torus(40, 30)), (offset, -offset, offset / 3))
    same_surface(body, body[0, 0])
    bounds = np.array([body.min(axis=(0, 1)), body.max(axis=(0, 1))])
    for lines in (6, 40):  # with few of them most groups of triangles are left out together
        assert same_crossings(body, Lattice.over(bounds, lines, seed=3))


@compiled
@given(soups, st.sampled_from(DTYPES), st.integers(1, 40))
def test_both_cores_number_the_same_vertices(rows: list, dtype: Any, copies: int) -> None:
    """In the order in which they come first; both zeros are one position."""
    with np.errstate(over="ignore"):
        corners = np.tile(np.array(rows).astype(dtype).reshape(-1, 3, 3), (copies, 1, 1))
    corners[~np.isfinite(corners)] = 7
    source = from_object(corners)
    one, other = by_both(lambda: IndexedMesh.of(source))
    assert bits(one) == bits(other)
    assert np.array_equal(one.points[one.faces], corners)


@compiled
def test_chunks_of_double_precision_after_single_have_the_same_vertices() -> None:
    """More of them than a closed surface has, so the table grows; a position of both chunks is one."""
    corners = soup(400, np.float32)
    corners[200:300] = corners[:100]
    chunks = [corners[:150], corners[150:].astype(np.float64)]
    chunks[1][-1] += 2.0**-40
    one, other = by_both(lambda: IndexedMesh.of(Triangles("", 400, lambda: iter(chunks))))
    assert bits(one) == bits(other)
    assert np.array_equal(one.points[one.faces], np.concatenate(chunks))
    assert len(one.points) == 900


# --- what the compiled core refuses -----------------------------------------------------------------------------------

KEYS = np.ones(6, dtype=np.uint64)
GOOD = np.zeros((2, 3, 3))
NUMBERS = np.array([0, 1, 2], np.int32)

#: Arguments that each function takes.
TAKEN: dict[str, list[Any]] = {
    "surface": [GOOD, np.zeros(3), KEYS],
    "crossings": [GOOD, np.zeros(9), np.zeros(3), np.zeros(54), 3, 0],
    "meetings": [
        np.zeros((3, 3)),
        NUMBERS,
        np.ones(1),
        bytes(4),
        np.zeros(3, np.uint16),
        0,
        np.full(3, -1, np.int32),
        np.zeros(1, np.uint8),
        9,
    ],
}
#: A function, the argument that is changed, and to what; the error, and what it says.
REFUSED = [
    ("surface", 0, None, TypeError, "buffer|bytes-like"),
    ("surface", 0, GOOD.astype(int), TypeError, "triangles must have items of type 'fd', got '[lq]'"),
    ("surface", 0, GOOD.astype(">f8"), TypeError, "got '>d'"),
    ("surface", 0, GOOD.astype(complex), TypeError, "got 'Zd'"),
    ("surface", 0, b"x" * 72, TypeError, "got 'B'"),
    ("surface", 0, GOOD[0], ValueError, "shape"),
    ("surface", 0, GOOD[:, :2].copy(), ValueError, "shape"),
    ("surface", 0, np.zeros((2, 3, 4)), ValueError, "shape"),
    ("surface", 0, np.zeros((2, 3, 6))[..., ::2], ValueError, "contiguous"),
    ("surface", 1, np.zeros(2), ValueError, "the reference must have 3 items"),
    ("surface", 1, np.zeros(3, np.float32), TypeError, "the reference"),
    ("surface", 2, KEYS[:5], ValueError, "the keys must have 6 items"),
    ("surface", 2, KEYS.astype(float), TypeError, "the keys"),
    ("crossings", 1, np.zeros(8), ValueError, "the axes must have 9 items"),
    ("crossings", 2, np.zeros(4), ValueError, "the origin must have 3 items"),
    ("crossings", 3, np.zeros(53), ValueError, "the places must have 54 items"),
    ("crossings", 4, 4, ValueError, "the places must have 96 items"),
    ("crossings", 4, 0, ValueError, "lines along a side must be from 1 to 46340"),
    ("crossings", 4, 46341, ValueError, "lines along a side must be from 1 to 46340"),
    ("crossings", 4, 2**40, ValueError, "from 1 to 46340"),
    ("crossings", 5, 2**64, OverflowError, "int"),
    ("crossings", 5, "1", TypeError, "int"),
    # the first item alone, and the last
    *(("meetings", 0, np.roll([[x, 0, 0], *np.zeros((2, 3))], k), ValueError, "coordinates from -1 to 1")
      for x in (2.0, -2.0, np.nan, -np.inf) for k in (0, -1)),
    *(("meetings", 1, np.roll([x, 1, 2], k).astype(np.int32), ValueError, "corners must be numbers of points")
      for x in (3, -1) for k in (0, -1)),
    *(("meetings", 1, np.zeros(n, np.int32), ValueError, "corners must have 3 items") for n in (4, 5)),
    *(("meetings", 3, np.int32(x).tobytes(), ValueError, "facets must be numbers") for x in (1, -1)),
    # nor what another thread could change after it was checked, nor a number of pairs below none
    ("meetings", 3, bytearray(4), ValueError, "in bytes"),
    ("meetings", 8, -1, ValueError, "from 0 to"),
]  # fmt: skip


@compiled
@each(("name", "place", "value", "error", "says"), REFUSED)
def test_what_does_not_fit_is_refused(name: str, place: int, value: Any, error: type, says: str) -> None:
    arguments = TAKEN[name].copy()
    getattr(_native, name)(*arguments)
    arguments[place] = value
    with pytest.raises(error, match=says):
        getattr(_native, name)(*arguments)


@compiled
def test_too_few_arguments_are_refused_and_no_facets_meet() -> None:
    for arguments in ((), TAKEN["surface"][:2]):
        with pytest.raises(TypeError, match="3 to 5 arguments"):
            _native.surface(*arguments)
    tile = np.zeros(1, np.uint16), 0, np.zeros(1, np.int32), np.empty(0, np.uint8)
    assert _native.meetings(np.zeros(3), np.empty(0, np.int32), np.ones(1), b"", *tile, 9) == (b"", None, True, 0)
    points, places, axes, at, _, home, following, *_ = good_calls()["divide"]
    assert _native.divide(points, places, axes, at, None, home, following) == 0


@compiled
def test_no_triangles_have_no_sums() -> None:
    sums, words = _native.surface(np.zeros((0, 3, 3)), np.zeros(3), KEYS)
    assert (words, np.frombuffer(sums)[:21].any()) == ((0, 0), False)


@compiled
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
def test_numbers_that_no_reader_lets_through_do_no_harm(bad: float) -> None:
    # readers refuse them; here they must not lead a line or a sum out of its array
    corners = soup(50, np.float64)
    corners[17, 1, 2] = corners[23, 0, 0] = bad
    lattice = Lattice.over(np.array([[-3.0] * 3, [3.0] * 3]), 12, seed=1)
    with core_of("native"), np.errstate(over="ignore"):
        assert len(shoot(lattice, corners)) == 3
        Surface.of(corners, np.zeros(3))


FACET = b"facet normal 0 0 1 outer loop vertex 1 2 3 vertex 4 5 6 vertex 7 8 9 endloop endfacet\n"


NUMBERS_OF_30 = np.arange(90, dtype=np.int32).reshape(30, 3)


def good_calls() -> dict[str, list[Any]]:
    """Arguments of every function, large enough that another thread can come between."""
    corners, cells = soup(300, np.float64), np.stack(np.divmod(np.arange(9), 3)) + 0.5
    points, apart = corners.reshape(-1, 3), np.random.default_rng(1).uniform(-1, 1, (90, 3))
    values, lengths, indices = np.empty(9000), np.empty(9000, np.int32), np.empty(9000, np.int32)
    numbers = (np.arange(900, dtype=np.uint32) % 300).reshape(-1, 3, 1).view(np.uint8)
    places, columns = np.stack([cells] * 3), np.array([[1, 1, 1], [0, 1, 1]], np.int32).tobytes()
    return {
        "surface": [points, np.zeros(3), KEYS, numbers, np.zeros(900, np.uint64)],
        "hashes": [points, KEYS, np.empty(900, np.uint64)],
        "vertices": [corners, KEYS, np.empty(900, np.int32), np.empty((900, 3)), np.full(2048, 2**31, np.uint32), 0],
        "crossings": [points, np.eye(3), np.zeros(3), places, 3, 0, numbers],
        "triples": [np.zeros(13 * 90, np.uint8)],
        "rows": [b"1 2.5e-7 3\n" * 300, 0, values, lengths],
        "obj": [b"v 1 2 3\nf 1 1 1\n" * 300, 0, values, lengths, indices, 0],
        "facets": [FACET * 300, 0, values],
        "ply": [np.ones(900, np.uint8), columns, 0, *np.empty((2, 900), np.uint8), lengths],
        "ply_rows": [b"1 2.5 7\n" * 300, 0, values, lengths, indices, 0, np.int32([0, 3, 1]).tobytes()],
        "divide": [
            apart,
            np.array([0, 0.5, -0.5, 0.1]),
            np.array([0, 1, 2, 0], np.uint8),
            np.empty(90, np.uint16),
            NUMBERS_OF_30,
            np.empty(30, np.uint16),
            np.zeros(4, np.int64),
            0,
            np.empty(120, np.int32),
            np.empty(120, np.uint8),
        ],
        "meetings": [
            apart,
            NUMBERS_OF_30,
            np.ones(1),
            np.arange(30, dtype=np.int32).tobytes(),
            np.zeros(90, np.uint16),
            0,
            np.full(90, -1, np.int32),
            np.arange(30, dtype=np.uint8),
            10**6,
        ],
    }


def refusals(function: Callable, arguments: list, bad: list) -> int:
    """How many calls are refused, of those with one bad argument or one too many."""
    refused = 0
    for place, value in product(range(len(arguments) + 1), bad):
        try:
            function(*arguments[:place], value, *arguments[place + 1 :])
        except (TypeError, ValueError, OverflowError, BufferError):
            refused += 1
    return refused


@compiled
def test_arguments_are_given_back_whatever_happens() -> None:
    bad = [None, "1", -1, 2**70, b"1", bytearray(8), np.zeros(3, complex), np.zeros((1, 3, 2)), np.zeros(5)[::2]]
    calls = good_calls()
    assert set(calls) == {name for name, value in vars(_native).items() if callable(value) and not name.startswith("_")}
    for name, arguments in calls.items():
        counted = [value for value in (*arguments, *bad) if isinstance(value, np.ndarray | bytearray)]
        held = [sys.getrefcount(value) for value in counted]
        assert refusals(getattr(_native, name), arguments, bad) > 7 * len(arguments), name
        getattr(_native, name)(*arguments)
        assert [sys.getrefcount(value) for value in counted] == held, name


@compiled
def test_buffers_that_another_thread_changes_do_no_harm() -> None:
    # a result may then be of neither content; nothing outside the arrays is read or written, which the sanitizers would see
    calls, done = good_calls(), threading.Event()
    given = (value for arguments in calls.values() for value in arguments)
    changed = [value for value in given if isinstance(value, np.ndarray) and value is not KEYS]

    def change() -> None:
        random = np.random.default_rng(5)
        while not done.is_set():
            for values in changed:
                flat = values.reshape(-1)
                flat[random.integers(0, len(flat), 40)] = (
                    random.choice(flat, 40) if random.random() < 0.9 else np.resize([48, 46, 1e9], 40) % 256
                )

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(60):
            for name, arguments in calls.items():
                with suppress(ValueError):  # of points that are found too large
                    getattr(_native, name)(*arguments)
    finally:
        done.set()
        thread.join()


EXHAUSTING = """
import resource
import numpy as np
from massprops import _native
lines = 300
cells = np.stack(np.divmod(np.arange(lines * lines), lines)) + 0.5
triangles = np.tile(np.array([[-600.0, 0, 0], [600, 600, 0], [0, -600, 900]]), (300, 1, 1))
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (1 << 28),) * 2)
try:
    _native.crossings(triangles, np.eye(3), np.zeros(3), np.stack([cells] * 3), lines, 0)
except MemoryError:
    print("MemoryError")
"""


@compiled
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited as on Linux")
def test_exhausted_memory_is_an_error() -> None:
    # of more crossings than 256 MiB hold
    done = subprocess.run([sys.executable, "-c", EXHAUSTING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "MemoryError\n", "")


# --- which core -------------------------------------------------------------------------------------------------------


def version(choice: str) -> Run:
    return run("--version", env={"MASSPROPS_CORE": choice})


def test_the_version_says_which_core_runs() -> None:
    assert version("numpy").out.startswith(f"massprops {__version__} (numpy core: ")
    if _native:
        assert "compiled core" in version("native").out
        assert version("").out == version("native").out


@compiled
def test_a_build_of_other_sources_is_left_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an old build in an editable installation fails somewhere inside."""
    monkeypatch.setattr(native, "INTERFACE", native.INTERFACE + 1)
    is_left_aside("belongs to another version")


def test_a_build_that_cannot_be_loaded_is_left_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """One for another machine, or cut short when it was copied."""

    def load(_name: str) -> None:
        raise ImportError("wrong ELF class")

    monkeypatch.setattr(native, "import_module", load)
    is_left_aside("cannot be loaded")


def test_nothing_was_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "massprops._native", None)
    is_left_aside("was not built")


def is_left_aside(wrong: str) -> None:
    """Numpy does its work, as `--version` says; who asks for it by name is told what is wrong."""
    with core_of(""):
        assert native.core() is None
        assert native.description().startswith("numpy core")
        assert native.description().endswith(
            f"the compiled core, which {wrong}: install massprops again with a C compiler, without -ffast-math"
        )
    with core_of("native"), pytest.raises(InvalidInput, match=f"the compiled core {wrong}; install massprops again"):
        native.core()


def test_an_unknown_core_is_an_error_that_names_the_known_ones() -> None:
    done = version("fortran")
    assert (done.returncode, done.out) == (2, "")
    said = "massprops: MASSPROPS_CORE must be 'native' or 'numpy', got 'fortran'\n"
    assert done.err == said
    for command in ("explain", "check", "compute", "plot", "diff"):  # none takes it for a fault of a mesh
        files = [ROOT / "samples/robots/arm.urdf"] * (1 + (command == "diff"))
        done = run(command, *files, env={"MASSPROPS_CORE": "fortran"})
        assert (done.returncode, done.out, done.err) == (2, "", said)
