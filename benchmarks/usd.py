"""Verdicts of `check` for robots as URDF or MJCF, and for the same robots turned into USD by two converters that are not ours.

    python benchmarks/usd.py --robots 100 --converters PYTHON [--corpus FOLDER]

PYTHON is an interpreter that has the packages urdf-usd-converter and mujoco-usd-converter, which bring their own OpenUSD. Robots are
generated, a third of the links with a slip (grams for kilograms, a swapped axis, the sign of a product, a moment too large), their
geometry boxes, cylinders, spheres and STL meshes; with --corpus all URDF files below a folder are added. A link counts as equal if the
codes of its errors and warnings are; findings that only a stage can have (`usd-…`) are not compared.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from massprops.checking.check_file import Checker
from massprops.errors import MasspropsError
from massprops.formats.mesh.writing import stl_bytes
from massprops.formats.robot.links import Primitive
from massprops.frames import Pose
from massprops.measurement.links import facets_of
from massprops.rigid_body.shapes import SHAPES

CONVERT = """
import json, sys
import urdf_usd_converter, mujoco_usd_converter
for source, folder in json.loads(sys.stdin.read()):
    converter = urdf_usd_converter if source.endswith("urdf") else mujoco_usd_converter
    try:
        path = converter.Converter().convert(source, folder)
        print(json.dumps([source, path.path if hasattr(path, "path") else str(path)]))
    except Exception as error:
        print(json.dumps([source, None, str(error)[:200]]))
"""


def slip(rng: np.random.Generator, inertia: np.ndarray, mass: float) -> tuple[np.ndarray, float]:
    """The inertia and mass with one of the slips of the field, or none."""
    kind = rng.integers(12)
    if kind == 0:
        return inertia * 1000, mass * 1000
    if kind == 1:
        return inertia[np.ix_([1, 2, 0], [1, 2, 0])], mass
    if kind == 2:
        return 2 * np.diag(inertia.diagonal()) - inertia, mass
    if kind == 3:
        return inertia + np.diag([0, 0, 2 * inertia.trace()]), mass
    return inertia, mass


def generate(folder: Path, number: int) -> list[Path]:
    """A robot as URDF and as MJCF."""
    rng = np.random.default_rng(number)
    urdf, mjcf = [f'<robot name="r{number}">'], []
    assets, depth = [], int(rng.integers(2, 6))
    for k in range(depth):
        shape = ("box", "cylinder", "sphere", "mesh")[rng.integers(4)]
        lengths = rng.uniform(0.02, 0.3, 3)
        names = {"box": ("box", 3), "cylinder": ("cylinder", 2), "sphere": ("sphere", 1), "mesh": ("box", 3)}[shape]
        solid = Primitive.of(names[0], lengths[: names[1]])
        body = SHAPES[names[0]].function(**solid.lengths, density=float(rng.uniform(500, 8000)))
        rpy, xyz = rng.uniform(-1, 1, 3), rng.uniform(-0.1, 0.1, 3)
        placed = body.transformed(Pose.from_xyz_rpy(xyz, rpy))
        inertia, mass = slip(rng, placed.inertia, placed.mass)
        i = {
            name: f"{inertia[at]:.9g}"
            for name, at in zip(
                ["xx", "xy", "xz", "yy", "yz", "zz"], [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)], strict=True
            )
        }
        pose = f'xyz="{xyz[0]:.9g} {xyz[1]:.9g} {xyz[2]:.9g}" rpy="{rpy[0]:.9g} {rpy[1]:.9g} {rpy[2]:.9g}"'
        if shape == "mesh":
            file = folder / f"m{number}_{k}.stl"
            corners = facets_of(solid).reshape(-1, 3)
            file.write_bytes(stl_bytes(corners, np.arange(len(corners)).reshape(-1, 3)))
            geometry, geom = f'<mesh filename="{file.name}"/>', None
            assets.append(f'<mesh name="m{k}" file="{file.name}" inertia="exact"/>')
        else:
            words = {
                "box": 'size="{:.9g} {:.9g} {:.9g}"',
                "cylinder": 'radius="{:.9g}" length="{:.9g}"',
                "sphere": 'radius="{:.9g}"',
            }
            sizes = {"box": lengths / 2, "cylinder": [lengths[0], lengths[1] / 2], "sphere": lengths[:1]}[shape]
            geometry = f"<{shape} {words[shape].format(*lengths)}/>"
            geom = f'type="{shape}" size="{" ".join(f"{x:.9g}" for x in sizes)}"'
        com = " ".join(f"{x:.9g}" for x in placed.com)
        urdf.append(
            f'<link name="l{k}"><inertial><origin xyz="{com}"/><mass value="{mass:.9g}"/>'
            f"<inertia {' '.join(f'i{n}={v!r}' for n, v in i.items())}/></inertial>"
            f"<visual><origin {pose}/><geometry>{geometry}</geometry></visual>"
            f"<collision><origin {pose}/><geometry>{geometry}</geometry></collision></link>"
        )
        w, x, y, z = Pose.from_xyz_rpy(xyz, rpy).to_quaternion_wxyz()
        full = " ".join(i[n] for n in ["xx", "yy", "zz", "xy", "xz", "yz"])
        if (
            geom is not None
            and np.linalg.eigvalsh(inertia)[0] > 0
            and 2 * np.linalg.eigvalsh(inertia)[2] < np.trace(inertia)
        ):
            mjcf.append(
                f'<body name="l{k}" pos="0 0 {0.2 * k}"><freejoint/><inertial pos="{com}" mass="{mass:.9g}" fullinertia="{full}"/>'
                f'<geom {geom} pos="{xyz[0]:.9g} {xyz[1]:.9g} {xyz[2]:.9g}" quat="{w:.9g} {x:.9g} {y:.9g} {z:.9g}"/></body>'
            )
        if k:
            urdf.append(
                f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/><origin {pose}/>'
                '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
            )
    files = [folder / f"r{number}.urdf"]
    files[0].write_text("\n".join([*urdf, "</robot>"]), encoding="utf-8")
    if mjcf:
        files.append(folder / f"r{number}.xml")
        files[1].write_text(
            f'<mujoco model="m{number}"><worldbody>{"".join(mjcf)}</worldbody></mujoco>', encoding="utf-8"
        )
    return files


def verdicts(path: str) -> dict[str, set[str]]:
    """Codes of the errors and warnings about each link."""
    found = {}
    for checked in Checker().check(path):
        codes = {
            f.code for f in checked.findings if f.severity in ("error", "warning") and not f.code.startswith("usd-")
        }
        found[checked.subject.place or "?"] = codes | ({checked.error.code} if checked.error else set())
    return found


def main() -> None:
    """Print how many links have equal verdicts, and those that have not."""
    import json

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--converters", required=True)
    parser.add_argument("--corpus", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [f for k in range(asked.robots) for f in generate(folder, k)]
        files += sorted(asked.corpus.rglob("*.urdf")) if asked.corpus else []
        tasks = json.dumps([[str(f), str(folder / f"usd{k}")] for k, f in enumerate(files)])
        done = subprocess.run(
            [asked.converters, "-c", CONVERT], input=tasks, capture_output=True, text=True, check=True
        )
        counts: Counter[str] = Counter()
        for line in done.stdout.splitlines():
            if not line.startswith("["):
                continue
            source, stage, *why = json.loads(line)
            kind = "MJCF" if source.endswith(".xml") else "URDF"
            if stage is None:
                print(f"not converted: {Path(source).name}: {why[0]}")
                counts[f"{kind} not converted"] += 1
                continue
            try:
                before, after = verdicts(source), verdicts(stage)
            except MasspropsError as error:
                print(f"{Path(source).name}: {error}")
                continue
            counts[f"{kind} robots"] += 1
            for link, codes in before.items():
                if link not in after and not codes:
                    counts[f"{kind} frames without geometry or mass that the converter leaves out"] += 1
                    continue
                same = codes == after.get(link)
                counts[f"{kind} links {'equal' if same else 'differ'}"] += 1
                if not same:
                    print(
                        f"{Path(source).name}#{link}: {sorted(codes)} → {sorted(after[link]) if link in after else 'no such body'}"
                    )
        print(dict(counts))


if __name__ == "__main__":
    main()
