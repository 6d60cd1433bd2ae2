"""Nanoseconds and bytes per facet of the proof that a surface is embedded, beside libigl and pymeshlab; and small files, one by one.

python benchmarks/proof.py [facets of the largest mesh]
"""

from __future__ import annotations

import importlib.metadata
import platform
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from bumpy_torus import grid, row_of_points
from torus_files import halves, rows_of_quads
from usage import words

from massprops import measure, native
from massprops.formats.mesh.arrays import from_object
from massprops.mesh.enclosed_solid import PROVED_UP_TO
from massprops.mesh.proof.embedding import embedding_of
from massprops.mesh.repair.indexed import IndexedMesh

Mesh = tuple[np.ndarray, np.ndarray]
SIZES = (1_000, 10_000, 100_000, 1_000_000)


def torus(facets: int) -> Mesh:
    """Smooth: points of single precision, as an STL file has them."""
    rows, columns = grid(facets)
    points = np.concatenate([row_of_points(i, rows, columns) for i in range(rows)])
    return points, np.concatenate([halves(quads) for quads in rows_of_quads(rows, columns)])


def bushings(facets: int, sides: int = 48) -> Mesh:
    """CAD-like: a square grid of hollow cylinders, rings of long thin facets in planes and along axes; no two touch."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    profile = [(2.0, 0.0), (2.0, 3.0), (1.0, 3.0), (1.0, 0.0)]
    points = np.concatenate([np.column_stack([r * ring, np.full(sides, z)]) for r, z in profile])
    faces = np.concatenate([halves(quads)[:, [0, 2, 1]] for quads in rows_of_quads(4, sides)])
    count = max(1, round(facets / len(faces)))
    side = int(np.ceil(count**0.5))
    places = [(5.0 * (k % side), 5.0 * (k // side), 0.0) for k in range(count)]
    return (
        np.concatenate([points + p for p in places]).astype(np.float32),
        np.concatenate([faces + k * len(points) for k in range(count)]),
    )


def ours(mesh: Mesh) -> Callable[[], object]:
    source = from_object(mesh)

    def prove() -> object:
        found = embedding_of(IndexedMesh.of(source))
        if found.outcome != "embedded":
            raise SystemExit(f"not embedded: {found.outcome}")
        return found

    return prove


def libigl(mesh: Mesh) -> Callable[[], object]:
    import igl

    predicates: Any = getattr(igl, "predicates", None) or __import__("igl.predicates").predicates
    points, faces = np.asfortranarray(mesh[0], dtype=np.float64), np.asfortranarray(mesh[1], dtype=np.int64)
    return lambda: predicates.find_self_intersections(points, faces)


def pymeshlab(mesh: Mesh) -> Callable[[], object]:
    import pymeshlab as library

    meshes = library.MeshSet()
    meshes.add_mesh(library.Mesh(mesh[0].astype(np.float64), mesh[1].astype(np.int32)))
    return lambda: meshes.apply_filter("compute_selection_by_self_intersections_per_face")


def agreement() -> None:
    """Print how many pairs of facets that meet are found by both this program and libigl, which is exact too and shares no code with it.

    Left out are facets without area, and pairs with a common edge: two facets on one side of an edge are a contact here and none there.
    """
    random = np.random.default_rng(1)
    cases: dict[str, list[Mesh]] = {"crossing meshes": [], "random facets": [], "facets of a lattice": []}
    for k in range(20):
        points, faces = (torus if k % 2 else bushings)(1_000)
        shifted = points + 0.3 * random.normal(size=3)
        both = np.concatenate([points, shifted]).astype(np.float32), np.concatenate([faces, faces + len(points)])
        cases["crossing meshes"].append(both)
        corners = random.permuted(np.tile(np.arange(40)[:, np.newaxis], 60), axis=0)[:3].T.copy()
        cases["random facets"].append((random.random((40, 3)), corners))
        cases["facets of a lattice"].append((random.integers(0, 5, size=(40, 3)).astype(float), corners))
    for name, meshes in cases.items():
        counts = np.zeros(3, dtype=int)
        for mesh in meshes:
            surface = IndexedMesh.of(from_object(mesh))
            surface = surface.with_area()
            found = embedding_of(surface)
            other = libigl((surface.points, surface.faces))()[1]
            one, two = (_without_common_edge(surface, p) for p in ([*found.crossings, *found.contacts], other))
            counts += len(one & two), len(one - two), len(two - one)
        both, own, theirs = counts
        print(f"{name}: {both:,} pairs that meet by both, {own} by massprops alone, {theirs} by libigl alone")


def _without_common_edge(mesh: IndexedMesh, pairs: Any) -> set[tuple[int, int]]:
    found = {(min(p), max(p)) for p in np.asarray(pairs, dtype=int).reshape(-1, 2).tolist()}
    return {p for p in found if len(np.intersect1d(*mesh.faces[list(p)])) < 2}


def processor_time(work: Callable[[], object], facets: int) -> float:
    """Nanoseconds of CPU per facet, the least of a few runs."""
    runs = 20 if facets < 20_000 else 2
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times) / facets * 1e9


def memory(work: Callable[[], object], facets: int) -> float:
    """Bytes per facet at the peak, without what the compiled core holds: 48 more."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / facets


def parts(count: int) -> Iterator[tuple[int, Mesh]]:
    """Different small files: two kinds, 300 to 5,000 facets."""
    random = np.random.default_rng(1)
    for k in range(count):
        facets = (300, 1_000, 5_000)[k % 3]
        points, faces = (torus if k % 2 else bushings)(facets)
        yield facets, ((points * random.uniform(0.5, 2, 3)).astype(np.float32), faces)


def main(largest: int = SIZES[-1]) -> None:
    print(f"{native.description()}; numpy {np.__version__}, Python {platform.python_version()}")
    peers = {}
    for name, peer in (("libigl", libigl), ("pymeshlab", pymeshlab)):
        try:
            peers[f"{name} {importlib.metadata.version(name)}"] = peer
        except importlib.metadata.PackageNotFoundError:
            print(f"{name} is not installed: left out")
    if any(name.startswith("libigl") for name in peers):
        agreement()
    print("CPU time per facet [ns], its ratio to this program's, and memory per facet [bytes]")
    for kind in (torus, bushings):
        for size in (s for s in SIZES if s <= largest):
            mesh = kind(size)
            facets = len(mesh[1])
            own = processor_time(ours(mesh), facets)
            line = f"  {kind.__name__:9} {facets:9,}  massprops {own:7.0f}, {memory(ours(mesh), facets):4.0f} bytes"
            for name, peer in peers.items():
                line += f"  {name} {(theirs := processor_time(peer(mesh), facets)):7.0f} ({theirs / own:.1f} times)"
            print(line, flush=True)
    times: dict[int, list[float]] = {}
    for facets, mesh in parts(1_000):
        begin = time.process_time()
        grade = measure(mesh, units="mm", density=1000).grade
        times.setdefault(facets, []).append(time.process_time() - begin)
        if grade != "proved":
            raise SystemExit(f"{facets} facets: {grade}")
    print(f"massprops.measure on 1,000 small meshes; `auto` proves those of at most {PROVED_UP_TO:,} facets")
    for facets, seconds in times.items():
        print(f"  about {facets:5,} facets: {np.median(seconds) * 1e3:.2f} ms of CPU each")


if __name__ == "__main__":
    main(*map(int, words(__doc__)[:1]))
