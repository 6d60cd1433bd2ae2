"""Nanoseconds and bytes per facet of the proof that a surface is embedded, beside libigl and pymeshlab; and small files, one by one.

python benchmarks/proof.py [facets of the largest mesh]
"""

from __future__ import annotations

import importlib.metadata
import platform
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from bumpy_torus import grid, row_of_points
from torus_files import halves, rows_of_quads
from usage import words

from massprops import measure, native
from massprops.formats.mesh.arrays import from_object
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.proof.embedding import embedding_of
from massprops.mesh.validated_solid import proved_up_to

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
    """Nanoseconds of CPU per facet, the least of half a second of runs, three at least, after a first one that is not counted."""
    work()
    times: list[float] = []
    while len(times) < 3 or sum(times) < 0.5:
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times) / facets * 1e9


def memory(work: Callable[[], object], facets: int) -> float:
    """Bytes per facet at the peak, the mesh included, without what the compiled core holds of one tile."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / facets


def fans(sides: int) -> dict[str, Mesh]:
    """Thousands of facets round one corner, turned off the axes: a prism, its caps cut from a corner of their rim, and a double cone."""
    angle = 2 * np.pi * np.arange(sides) / sides
    rim = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    turned = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turned *= np.linalg.det(turned)
    k, after = np.arange(sides), np.roll(np.arange(sides), -1)
    cap = np.column_stack([0 * k, k, after])[1:-1]
    wall = [np.column_stack([k, after, k + sides]), np.column_stack([after, after + sides, k + sides])]
    prism = np.concatenate([rim, rim + np.array([0, 0, 1])]), np.concatenate([*wall, cap[:, ::-1], cap + sides])
    tips = np.full(sides, sides), np.full(sides, sides + 1)
    cones = np.concatenate([np.column_stack([k, after, tips[0]]), np.column_stack([after, k, tips[1]])])
    double_cone = np.concatenate([rim, [(0, 0, 1), (0, 0, -1)]]), cones
    return {
        f"{name}, {sides:,} sides": (p @ turned.T, f)
        for name, (p, f) in {"prism": prism, "double cone": double_cone}.items()
    }


def tetrahedra(side: int) -> Mesh:
    """A cube of parts that are apart, in no line."""
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 1, 3)
    places = places + np.random.default_rng(1).uniform(0, 0.4, places.shape)
    faces = 4 * np.arange(side**3)[:, np.newaxis, np.newaxis] + [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    return (places + 0.5 * np.eye(4, 3, -1)).reshape(-1, 3), faces.reshape(-1, 3)


#: About how many facets a small file has.
SMALL = (300, 1_000, 5_000)


def parts(facets: int, count: int) -> Iterator[Mesh]:
    """Different small files of two kinds."""
    random = np.random.default_rng(1)
    for k in range(count):
        points, faces = (torus if k % 2 else bushings)(facets)
        yield (points * random.uniform(0.5, 2, 3)).astype(np.float32), faces


def write_stl(path: Path, mesh: Mesh) -> None:
    rows = np.zeros(len(mesh[1]), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    rows["corners"] = mesh[0][mesh[1]]
    path.write_bytes(bytes(80) + len(rows).to_bytes(4, "little") + rows.tobytes())


def of_command(command: str, files: list[Path]) -> float:
    """Seconds of CPU of a command with some files, in one process."""
    options = [
        "--units",
        "mm",
        "--jobs",
        "1",
        *(["--require", "proved"] if command == "check" else ["--density", "1000"]),
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "massprops", command, *map(str, files), *options, "--format", "json"],
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def small_files(count: int) -> None:
    """Print what a file costs above start-up."""
    print(
        f"{count:,} small STL files of each size [ms of CPU per file above start-up]; all up to {proved_up_to():,} facets are proved"
    )
    for facets in SMALL:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / f"{k}.stl" for k in range(count)]
            times = []
            for path, mesh in zip(files, parts(facets, count), strict=True):
                write_stl(path, mesh)
                begin = time.process_time()
                if (grade := measure(path, units="mm", density=1000).grade) != "proved":
                    raise SystemExit(f"{facets} facets: {grade}")
                times.append(time.process_time() - begin)
            line = f"  about {facets:5,} facets: measure {np.median(times) * 1e3:.2f}"
            for command in ("compute", "check"):
                above = of_command(command, files) - min(of_command(command, files[:1]) for _ in range(3))
                line += f", {command} {above / (count - 1) * 1e3:.2f}"
            print(line, flush=True)


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
    for name, mesh in fans(10_000).items():
        print(f"  {name}: {processor_time(ours(mesh), len(mesh[1])):.0f}", flush=True)
    points, faces = tetrahedra(47)
    begin = time.process_time()
    ours((points, faces))()
    print(f"  {47**3:,} parts: {(time.process_time() - begin) / len(faces) * 1e9:.0f}, once", flush=True)
    small_files(334)


if __name__ == "__main__":
    main(*map(int, words(__doc__)[:1]))
