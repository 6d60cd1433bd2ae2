"""Whole cold processes on a million facets with planted damage: CPU seconds, ratios to massprops on the same mesh undamaged, peak memory.

    python benchmarks/broken.py [facets]

The damage is spread evenly: 1 % of the facets turned round, 0.1 % missing, 1 % there twice, and all of it. Of massprops the ± is
printed; of it and of the others that are installed, how far the volume is from that of the undamaged facets. Each of the others is asked
for all of its repairs that fit: trimesh drops copies, makes the winding consistent and fills small holes; pymeshlab also splits
edges of many facets; admesh does what it does by itself.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from bumpy_torus import RECORD
from proof import torus
from run import in_turns, ours
from usage import words

import massprops

#: Shares of the facets that are turned, missing and doubled.
DAMAGES = {
    "undamaged": (0, 0, 0),
    "turned": (0.01, 0, 0),
    "missing": (0, 0.001, 0),
    "doubled": (0, 0, 0.01),
    "all": (0.01, 0.001, 0.01),
}
TRIMESH = """import sys, trimesh
m = trimesh.load_mesh(sys.argv[1])
m.update_faces(m.unique_faces())
trimesh.repair.fix_winding(m), trimesh.repair.fill_holes(m)
print(m.mass_properties["volume"])"""
PYMESHLAB = """import pymeshlab, sys
m = pymeshlab.MeshSet()
m.load_new_mesh(sys.argv[1])
m.meshing_remove_duplicate_faces()
m.meshing_repair_non_manifold_edges()
m.meshing_re_orient_faces_coherently()
m.meshing_close_holes(maxholesize=30)
print(m.get_geometric_measures()["mesh_volume"])"""
#: admesh prints six decimals: they tell more of a larger body.
ADMESH_SCALE = 100
#: Programs that repair meshes: commands that end with the file; the last number that they print alone or as `Volume` is that.
PEERS = {
    "trimesh": [sys.executable, "-c", TRIMESH],
    "pymeshlab": [sys.executable, "-c", PYMESHLAB],
    "admesh": ["admesh", f"--scale={ADMESH_SCALE}"],
}
#: Runs a command, the words after the first, with its output in the file that the first names.
INTO = ["sh", "-c", 'out=$1; shift; exec "$@" > "$out"', "sh"]


def damaged(triangles: np.ndarray, turned: float, missing: float, doubled: float) -> np.ndarray:
    generator, count = np.random.default_rng(1), len(triangles)
    result = triangles.copy()
    chosen = generator.choice(count, int(turned * count), replace=False)
    result[chosen] = result[chosen, ::-1]
    copies = result[generator.choice(count, int(doubled * count), replace=False)]
    kept = np.delete(result, generator.choice(count, int(missing * count), replace=False), axis=0)
    return np.concatenate([kept, copies])


def write_files(folder: Path, facets: int) -> tuple[dict[str, Path], float]:
    """A file for each damage, and the volume of the undamaged one: the sum of its tetrahedra about a corner."""
    points, faces = torus(facets)
    files = {}
    for name, shares in DAMAGES.items():
        mesh = damaged(points[faces], *shares)
        records = np.zeros(len(mesh), RECORD)
        records["corners"] = mesh
        files[name] = folder / f"{name}.stl"
        files[name].write_bytes(b"torus".ljust(80) + np.uint32(len(mesh)).tobytes() + records.tobytes())
    a, b, c = (points.astype(np.float32).astype(float) - points[0])[faces].transpose(1, 0, 2)
    return files, float((np.cross(a, b) * c).sum() / 6)


def is_installed(peer: str) -> bool:
    return bool(importlib.util.find_spec(peer) if PEERS[peer][0] == sys.executable else shutil.which(peer))


def volume_in(output: Path) -> float:
    found = float(re.findall(r"(?:^|Volume *: *)([-+.\de]+)$", output.read_text(), re.M)[-1])
    return found / ADMESH_SCALE**3 if output.suffix == ".admesh" else found


def main(facets: str = "1000000") -> None:
    peers = [peer for peer in PEERS if is_installed(peer)]
    for peer in PEERS.keys() - peers:
        print(f"{peer} is not installed: left out")
    with tempfile.TemporaryDirectory() as folder:
        # the memory of a process that is started counts from that of this one: another one makes the meshes
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            files, truth = other.submit(write_files, Path(folder), int(facets)).result()
        commands, outputs = {}, {}
        for name, path in files.items():
            commands[name] = ours(path)
            for peer in peers:
                outputs[f"{name}, {peer}"] = output = path.with_suffix(f".{peer}")
                commands[f"{name}, {peer}"] = [*INTO, str(output), *PEERS[peer], str(path)]
        found = in_turns(commands, 3)
        for name, (cpu, memory) in found.items():
            line = f"{name:20} {cpu:6.2f} s of CPU, {cpu / found['undamaged'][0]:6.2f} times, {memory:4.0f} MiB; volume off by "
            if name in files:
                m = massprops.measure(files[name], units="m")
                parts = ", ".join(f"{source} {spread.volume / m.volume:.1e}" for source, spread in m.sources.items())
                line += f"{m.volume / truth - 1:.1e}; {m.grade}, ± of the volume: {parts}"
            else:
                line += f"{volume_in(outputs[name]) / truth - 1:.1e}"
            print(line, flush=True)


if __name__ == "__main__":
    main(*words(__doc__)[:1])
