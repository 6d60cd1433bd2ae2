"""Whole cold processes on a million facets with planted damage: CPU seconds, ratios to the same mesh undamaged, peak memory and the ±.

    python benchmarks/broken.py [facets]

The damage is spread evenly: 1 % of the facets turned round, 0.1 % missing, 1 % there twice, and all of it. Where trimesh is
installed it gets the same files: it makes the winding consistent and fills small holes, and says nothing of what is left.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
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


def damaged(triangles: np.ndarray, turned: float, missing: float, doubled: float) -> np.ndarray:
    generator, count = np.random.default_rng(1), len(triangles)
    result = triangles.copy()
    chosen = generator.choice(count, int(turned * count), replace=False)
    result[chosen] = result[chosen, ::-1]
    copies = result[generator.choice(count, int(doubled * count), replace=False)]
    kept = np.delete(result, generator.choice(count, int(missing * count), replace=False), axis=0)
    return np.concatenate([kept, copies])


def write_files(folder: Path, facets: int) -> dict[str, Path]:
    points, faces = torus(facets)
    files = {}
    for name, shares in DAMAGES.items():
        mesh = damaged(points[faces], *shares)
        records = np.zeros(len(mesh), RECORD)
        records["corners"] = mesh
        files[name] = folder / f"{name}.stl"
        files[name].write_bytes(b"torus".ljust(80) + np.uint32(len(mesh)).tobytes() + records.tobytes())
    return files


def main(facets: str = "1000000") -> None:
    with tempfile.TemporaryDirectory() as folder:
        # the memory of a process that is started counts from that of this one: no mesh is held here
        files, commands = write_files(Path(folder), int(facets)), {}
        for name, path in files.items():
            commands[name] = ours(path)
            if importlib.util.find_spec("trimesh"):
                commands[f"{name}, trimesh"] = [sys.executable, "-c", TRIMESH, str(path)]
        found = in_turns(commands, 3)
        for name, (cpu, memory) in found.items():
            line = f"{name:20} {cpu:6.2f} s of CPU, {cpu / found['undamaged'][0]:5.2f} times, {memory:4.0f} MiB"
            if name in files:
                m = massprops.measure(files[name], units="m")
                parts = ", ".join(f"{source} {spread.volume / m.volume:.1e}" for source, spread in m.sources.items())
                line += f"; {m.grade}, ± of the volume: {parts}"
            print(line, flush=True)


if __name__ == "__main__":
    main(*words(__doc__)[:1])
