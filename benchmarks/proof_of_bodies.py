"""CPU time of the proof that a surface is embedded, by kind of body, of two versions of the program in turns.

    python benchmarks/proof_of_bodies.py OLD NEW [runs [words of the names of bodies...]]

OLD and NEW are checkouts with their compiled cores. A line for each body: its facets, µs of CPU per facet of the whole proof of both, the
ratio, the same of the core alone, and whether crossings, contacts, parts and outcome are equal. MASSPROPS_CORPUS names a folder of more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from usage import words

from massprops.errors import MasspropsError
from massprops.mesh.box_tree import TooManyPairs

Mesh = tuple[np.ndarray, np.ndarray]
UP = np.array([0, 0, 1])


def grid(rows: int, columns: int, closed: tuple[bool, bool] = (True, True)) -> np.ndarray:
    """Facets of a grid of points."""
    i, j = np.meshgrid(np.arange(rows - (not closed[0])), np.arange(columns - (not closed[1])), indexing="ij")
    a, b, c, d = ((i + x) % rows * columns + (j + y) % columns for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return np.stack([np.stack([a, b, c], -1), np.stack([a, c, d], -1)], 2).reshape(-1, 3)


def angles(n: int) -> np.ndarray:
    return np.arange(n) * 2 * np.pi / n


def ring(n: int) -> np.ndarray:
    return np.stack([np.cos(angles(n)), np.sin(angles(n)), np.zeros(n)], -1)


def torus(facets: float, bump: float = 0.0, noise: float = 0.0) -> Mesh:
    """Smooth, with bumps, or with points moved by noise, a share of the edges' length."""
    n = int(np.sqrt(facets / 6))
    rows = int(facets / 2 / n)
    u, v = np.meshgrid(angles(rows), angles(n), indexing="ij")
    r = 1 + bump * np.sin(17 * u) * np.sin(11 * v)
    r = r + np.random.default_rng(0).uniform(-noise, noise, u.shape) * 2 * np.pi / n if noise else r
    p = np.stack([(3 + r * np.cos(v)) * np.cos(u), (3 + r * np.cos(v)) * np.sin(u), r * np.sin(v)], -1)
    return p.reshape(-1, 3), grid(rows, n)


def icosphere(divisions: int) -> Mesh:
    """A sphere whose points have numbers without locality."""
    t = (1 + 5**0.5) / 2
    p = np.array([[-1, t, 0], [1, t, 0], [-1, -t, 0], [1, -t, 0]])
    p = np.concatenate([p, p[:, [2, 0, 1]], p[:, [1, 2, 0]]])
    normal = np.array([np.cross(p[j] - p[i], p[k] - p[i]) for i in range(12) for j in range(12) for k in range(12)])
    triples = np.array([(i, j, k) for i in range(12) for j in range(12) for k in range(12)])
    near = [np.allclose(np.linalg.norm(p[[i, j, k]] - p[[j, k, i]], axis=1), 2) for i, j, k in triples]
    outward = (normal * p[triples].sum(axis=1)).sum(axis=1) > 1e-9
    f = triples[near & outward & (triples[:, 0] < triples[:, 1]) & (triples[:, 0] < triples[:, 2])]
    for _ in range(divisions):
        edges = np.sort(np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]), axis=1)
        edges, number = np.unique(edges, axis=0, return_inverse=True)
        middle = p[edges].sum(axis=1) / 2
        a, b, c = number.reshape(3, -1) + len(p)
        x, y, z = f.T
        p = np.concatenate([p, middle])
        f = np.concatenate([np.stack(t, -1) for t in ((x, a, c), (y, b, a), (z, c, b), (a, b, c))])
    p = p / np.linalg.norm(p, axis=1, keepdims=True)
    order = np.random.default_rng(0).permutation(len(p))
    place = np.argsort(order)
    return p[order], place[f]


def shell(facets: float) -> Mesh:
    """A wavy plate of two sheets, two facets apart, closed at the rim."""
    n = int(np.sqrt(facets / 4)) + 1
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    z, number = 0.2 * np.sin(5 * x) * np.cos(4 * y), np.arange(n * n).reshape(n, n)
    p = np.concatenate([np.stack([x, y, z + h], -1).reshape(-1, 3) for h in (2 / n, 0)])
    top = grid(n, n, (False, False))
    rim = np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
    after = np.roll(rim, -1)
    sides = [np.stack([rim, rim + n * n, after], -1), np.stack([after, rim + n * n, after + n * n], -1)]
    return p, np.concatenate([top, top[:, ::-1] + n * n, *sides])


def cylinder(n: int, fan: bool) -> Mesh:
    """Its caps as fans about their middles, or cut from one corner."""
    i, j = np.arange(n), (np.arange(n) + 1) % n
    p = np.concatenate([ring(n) - 3 * UP, ring(n) + 3 * UP])
    f = [np.stack([i, j, j + n], -1), np.stack([i, j + n, i + n], -1)]
    if fan:
        p = np.concatenate([p, [[0, 0, -3], [0, 0, 3]]])
        caps = [np.stack([j, i, 0 * i + 2 * n], -1), np.stack([i + n, j + n, 0 * i + 2 * n + 1], -1)]
    else:
        q = np.arange(1, n - 1)
        caps = [np.stack([0 * q, q + 1, q], -1), np.stack([0 * q + n, q + n, q + 1 + n], -1)]
    return p, np.concatenate(f + caps)


def bushing(n: int, thin: float = 0.8) -> Mesh:
    rims = [ring(n) * [r, r, 1] + [0, 0, z] for r, z in ((1, -3), (1, 3), (thin, 3), (thin, -3))]
    return np.stack(rims, 1).reshape(-1, 3), grid(n, 4)


def cone(n: int) -> Mesh:
    """Two cones of needles."""
    i, j = np.arange(n), (np.arange(n) + 1) % n
    p = np.concatenate([ring(n) * 0.05, [[0, 0, 3], [0, 0, -3]]])
    return p, np.concatenate([np.stack([i, j, 0 * i + n], -1), np.stack([j, i, 0 * i + n + 1], -1)])


def turned(mesh: Mesh, count: int, spacing: float = 8) -> Mesh:
    """Copies in a grid, turned each in its own way."""
    random, side = np.random.default_rng(0), int(np.ceil(count ** (1 / 3)))
    places = [(k % side, k // side % side, k // side // side) for k in range(count)]
    turns = [np.linalg.qr(random.normal(size=(3, 3)))[0] for _ in range(count)]
    p = [mesh[0] @ (q * np.linalg.det(q)).T + np.multiply(spacing, at) for q, at in zip(turns, places, strict=True)]
    return np.concatenate(p), np.concatenate([mesh[1] + k * len(mesh[0]) for k in range(count)])


def plate(segments: int, edge: float = 0.0) -> Mesh:
    """A plate with rounded corners, holes, a boss and a dome, by manifold3d: coarse, or with edges of at most a length."""
    import manifold3d as m

    outline = m.CrossSection.square((10, 6), True).offset(1, m.JoinType.Round, 2, segments)
    for x in (-4, 0, 4):
        for y in (-2, 2):
            outline = outline - m.CrossSection.circle(0.8, segments).translate((x, y))
    boss = m.Manifold.cylinder(2, 1.4, 1.4, segments).translate((2, 0, 0.5))
    part = outline.extrude(1.0) + boss + m.Manifold.sphere(1.2, segments).translate((-2, 0, 0.8))
    part = part - m.Manifold.cylinder(20, 0.3, 0.3, segments, True).rotate((90, 0, 0)).translate((0, 0, 0.5))
    part = part - m.Manifold.cylinder(3, 0.9, 0.9, segments).translate((2, 0, -0.2))
    mesh = (part.refine_to_length(edge) if edge else part).to_mesh()
    p, number = np.unique(np.asarray(mesh.vert_properties[:, :3], np.float32), axis=0, return_inverse=True)
    return p, number.reshape(-1)[np.asarray(mesh.tri_verts)]


def ramp(facets: float, turns: int = 12) -> Mesh:
    """A thick ramp of many turns: its projections overlap."""
    across = int(np.sqrt(facets / 16)) + 1
    along = int(facets / 4 / across)
    a, r = np.meshgrid(np.linspace(0, 2 * np.pi * turns, along), np.linspace(1, 3, across), indexing="ij")
    p = [np.stack([r * np.cos(a), r * np.sin(a), a * 0.05 + h], -1).reshape(-1, 3) for h in (0.12, 0)]
    number, n, top = (
        np.arange(along * across).reshape(along, across),
        along * across,
        grid(along, across, (False, False))[:, ::-1],
    )
    rim = np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
    after = np.roll(rim, -1)
    sides = [np.stack([rim, after, rim + n], -1), np.stack([after, after + n, rim + n], -1)]
    return np.concatenate(p), np.concatenate([top, top[:, ::-1] + n, *sides])[:, ::-1]


def tetrahedra(count: int, size: float) -> Mesh:
    random = np.random.default_rng(0)
    p = random.random((count, 4, 3)) * size + random.random((count, 1, 3))
    negative = np.linalg.det(p[:, 1:] - p[:, :1]) < 0
    p[negative] = p[negative][:, [0, 2, 1, 3]]
    return p.reshape(-1, 3), (
        np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]) + 4 * np.arange(count)[:, None, None]
    ).reshape(-1, 3)


def shuffled(mesh: Mesh) -> Mesh:
    random = np.random.default_rng(0)
    order = random.permutation(len(mesh[0]))
    return mesh[0][order], np.argsort(order)[mesh[1]][random.permutation(len(mesh[1]))]


def damaged(mesh: Mesh, kind: str) -> Mesh:
    """A hundredth of the facets turned or doubled, a thousandth missing, or a second copy of it that crosses it."""
    p, f = mesh
    some = np.random.default_rng(0).permutation(len(f))[: len(f) // (1000 if kind == "missing" else 100)]
    if kind == "turned":
        f = f.copy()
        f[some] = f[some, ::-1]
    elif kind == "missing":
        f = np.delete(f, some, axis=0)
    elif kind == "doubled":
        f = np.concatenate([f, f[some]])
    else:
        p, f = np.concatenate([p, p + np.array([0.51, 0.13, 0.27])]), np.concatenate([f, f + len(p)])
    return p, f


BODIES: dict[str, Callable[[], Mesh]] = {
    "smooth torus 1M": lambda: torus(1e6),
    "smooth torus 5M": lambda: torus(5e6),
    "smooth torus 100k": lambda: torus(1e5),
    "smooth bumpy torus 1M": lambda: torus(1e6, 0.05),
    "smooth icosphere 1.3M": lambda: icosphere(8),
    "shell 1M": lambda: shell(1e6),
    "refined plate 1.3M": lambda: plate(400, 0.031),
    "coarse plates 25": lambda: turned(plate(96), 25, 16),
    "cylinders 1000 x 396, ears": lambda: turned(cylinder(100, False), 1000),
    "cylinders 1000 x 400, fans": lambda: turned(cylinder(100, True), 1000),
    "bushings 1000 x 800": lambda: turned(bushing(100), 1000),
    "bushings 40 x 16000": lambda: turned(bushing(2000), 40),
    "noise 19 degrees": lambda: torus(5e5, noise=0.3),
    "noise 29 degrees": lambda: torus(5e5, noise=0.5),
    "noise 40 degrees": lambda: torus(5e5, noise=0.8),
    "shuffled torus 500k": lambda: shuffled(torus(5e5)),
    "adversarial ramp 200k": lambda: ramp(2e5),
    "adversarial crossing tori 200k": lambda: damaged(torus(1e5), "crossing"),
    "adversarial needles 50 x 4000": lambda: turned(cone(2000), 50),
    "adversarial tetrahedra 100k": lambda: tetrahedra(25000, 0.01),
    "adversarial tetrahedra that cross 40k": lambda: tetrahedra(10000, 0.03),
    "broken 1M turned": lambda: damaged(torus(1e6), "turned"),
    "broken 1M missing": lambda: damaged(torus(1e6), "missing"),
    "broken 1M doubled": lambda: damaged(torus(1e6), "doubled"),
    "broken 1M crossing": lambda: damaged(torus(5e5), "crossing"),
}


def worker() -> None:
    """Reads the names of files, proves the meshes in them, and prints what was found and how long it took."""
    from massprops import native
    from massprops.mesh.indexed_mesh import NumberedFacets
    from massprops.mesh.proof import embedding
    from massprops.mesh.proof.embedding import embedding_of

    spent = [0.0]
    near = embedding._near_compiled

    def timed(*args: object) -> object:
        begin = time.thread_time()
        result = near(*args)  # type: ignore[arg-type]
        spent[0] += time.thread_time() - begin
        return result

    embedding._near_compiled = timed  # type: ignore[assignment]
    assert native.core()
    for line in sys.stdin:
        data = np.load(line.strip())
        mesh = NumberedFacets(data["p"], data["f"])
        spent[0], begin, limited = 0.0, time.process_time(), 0
        try:
            e = embedding_of(mesh, outward=True)
        except TooManyPairs:
            limited = 1
        whole = time.process_time() - begin
        found = (
            "limit"
            if limited
            else [
                e.outcome,
                len(e.crossings),
                len(e.contacts),
                e.closed,
                *(hash(x.tobytes()) for x in (e.crossings, e.contacts, e.part)),
            ]
        )
        print(json.dumps([whole, spent[0], found]), flush=True)


def corpus(folder: Path) -> dict[str, Callable[[], Mesh]]:
    from massprops.formats.registry import open_mesh
    from massprops.mesh.indexed_mesh import IndexedMesh

    def load(path: Path) -> Mesh:
        with open_mesh(str(path)) as file:
            mesh = IndexedMesh.of(file)
        return mesh.points, mesh.faces

    suffixes = (".stl", ".obj", ".ply", ".off", ".dae", ".glb", ".gltf")
    return {f"corpus {p.name}": lambda p=p: load(p) for p in sorted(folder.rglob("*")) if p.suffix.lower() in suffixes}  # type: ignore[misc]


def main(trees: list[str], runs: int, names: list[str]) -> None:
    bodies = BODIES | (corpus(Path(os.environ["MASSPROPS_CORPUS"])) if "MASSPROPS_CORPUS" in os.environ else {})
    workers = [
        subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            env=os.environ | {"PYTHONPATH": tree, "PYTHONHASHSEED": "0"},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for tree in trees
    ]
    sums = np.zeros(4)
    for name, make in bodies.items():
        if names and not any(word in name for word in names):
            continue
        with tempfile.NamedTemporaryFile(suffix=".npz") as file:
            try:
                p, f = make()
            except MasspropsError:  # a file without a mesh
                continue
            if len(f) < 100:
                continue
            np.savez(file, p=np.asarray(p, np.float32).astype(float), f=np.asarray(f, np.int32))
            file.flush()
            times: list[list[list[float]]] = [[], []]
            found = [None, None]
            for _ in range(runs + (len(f) < 50_000) * 2 * runs):
                for k, w in enumerate(workers):
                    assert w.stdin
                    assert w.stdout
                    print(file.name, file=w.stdin, flush=True)
                    whole, core, found[k] = json.loads(w.stdout.readline())
                    times[k].append([whole, core])
        (a, b), (c, d) = (np.median(t, axis=0) / len(f) * 1e6 for t in times)
        sums += np.array([a, b, c, d]) * len(f) * name.startswith("corpus")
        same = "equal" if found[0] == found[1] else f"DIFFERENT {found}"
        print(
            f"{name:38} {len(f):9,}  whole {a:.3f} {c:.3f} {a / c:5.2f}  core {b:.3f} {d:.3f} {b / d:5.2f}  {same} {(found[1] or ' ')[0]}",
            flush=True,
        )
    if sums.any():
        print(f"corpus: whole {sums[0] / sums[2]:.3f}, core {sums[1] / sums[3]:.3f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        worker()
    else:
        given = words(__doc__)
        main(given[:2], int(given[2]) if len(given) > 2 else 5, given[3:])
