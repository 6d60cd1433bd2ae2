"""What a cold process loads and how much memory it takes. Time is measured in `benchmarks/`, never asserted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from console import environment
from oracles import box, write_binary_stl
from places import ROOT

#: Runs the command line and tells what it had loaded by the end, and what numpy found in the environment.
SPY = """
import json, os, sys

class Watch:
    threads = "numpy was never imported"
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            Watch.threads = os.environ.get("OPENBLAS_NUM_THREADS")
        return None

sys.meta_path.insert(0, Watch())
from massprops.cli import main
status = main(sys.argv[1:])
print(json.dumps([status, Watch.threads, sorted(sys.modules)]), file=sys.stderr)
"""

#: Runs the command line and tells the most memory that it ever held, MiB. (The peak that `resource` tells is no less than that of the
#: process which started this one.)
SCALE = """
import re, sys
from massprops.cli import main
status = main(sys.argv[1:])
with open("/proc/self/status") as stream:
    peak = re.search(r"VmHWM:\\s*(\\d+) kB", stream.read())[1]
print(int(peak) / 1024, file=sys.stderr)
sys.exit(status)
"""


def run(code: str, *args: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = environment(OPENBLAS_NUM_THREADS=None, PYTHONWARNINGS=None)
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)], capture_output=True, text=True, env=env, check=False, cwd=cwd
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str | None, set[str]]:
    """A part, as JSON, in a folder without a configuration."""
    folder = tmp_path_factory.mktemp("part")
    return loaded("compute", write_binary_stl(folder / "box.stl", box()), "--format", "json", cwd=folder)


def loaded(*args: str | Path, cwd: Path | None = None) -> tuple[int, str | None, set[str]]:
    status, threads, modules = json.loads(run(SPY, *args, cwd=cwd).stderr.splitlines()[-1])
    return status, threads, set(modules)


Loaded = tuple[int, str | None, set[str]]


def test_json_of_an_stl_loads_numpy_and_nothing_heavy(measured: Loaded) -> None:
    status, _, modules = measured
    assert status == 0
    assert "numpy" in modules
    assert modules & {"rich", "trimesh", "pydantic", "scipy", "pygments", "networkx", "numpy.random", "PIL"} == set()


def test_a_part_loads_a_bounded_number_of_modules(measured: Loaded) -> None:
    # each costs half a millisecond, and a dataclass of the standard library another one: see `massprops.values`
    status, _, modules = measured
    assert status == 0
    own = {name for name in modules if name.split(".")[0] == "massprops"}
    # nine of them prove that the surface is embedded; one is the compiled core, one spells arguments as options, one writes files
    assert len(own) <= 94, sorted(own)
    assert modules & {"typer", "click", "shutil", "tempfile", "shlex", "difflib", "tomllib", "csv", "argparse"} == set()
    made = {name for name in own if re.search(r"^from dataclasses import .*\bdataclass\b", source(name), re.MULTILINE)}
    assert made <= {"massprops.findings"}  # `massprops.errors` imports it, and would come to stand a floor higher


def source(module: str) -> str:
    path = ROOT.joinpath(*module.split("."))
    if module == "massprops._native":  # compiled
        return ""
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")


def test_without_a_configuration_nothing_that_reads_one_is_loaded(measured: Loaded) -> None:
    _, _, modules = measured
    assert [name for name in modules if name.startswith("massprops.checking")] == []


def test_urdf_and_an_error_load_nothing_heavy_either(tmp_path: Path) -> None:
    part = write_binary_stl(tmp_path / "box.stl", box())
    for args in ([part, "--mass", "1", "--format", "urdf"], [tmp_path / "none.stl", "--format", "json"]):
        assert loaded("compute", *args)[2] & {"rich", "trimesh", "pydantic", "scipy"} == set()


def test_inertials_load_no_client_of_the_internet(tmp_path: Path) -> None:
    # `xml.sax.saxutils` imports one, 20 ms and 40 modules, to escape three characters
    (tmp_path / "bolt.csv").write_text("name,mass [g],x [m],y [m],z [m]\nbolt,1,0,0,0\n")
    status, _, modules = loaded("convert", tmp_path / "bolt.csv", "--format", "sdf")
    assert status == 0
    assert "massprops.formats.robot.opening" in modules
    assert modules & {"urllib.request", "http.client", "email", "ssl", "socket", "rich", "trimesh", "scipy"} == set()


def test_a_section_loads_nothing_heavy_and_a_mesh_no_curves(tmp_path: Path) -> None:
    section = tmp_path / "angle.csv"
    section.write_text("0,0\n4,0\n4,1\n1,1\n1,6\n0,6\n")
    status, _, modules = loaded("compute", section, "--units", "mm", "--format", "json")
    assert status == 0
    assert modules & {"rich", "trimesh", "pydantic", "scipy", "shapely", "ezdxf"} == set()
    code = (
        "import sys, massprops.measurement.pipeline; print([m for m in sys.modules if 'planar.' in m or 'curves' in m])"
    )
    assert run(code).stdout == "[]\n"


def test_a_table_loads_rich_but_no_mesh_library(tmp_path: Path) -> None:
    _, _, modules = loaded("compute", write_binary_stl(tmp_path / "box.stl", box()))
    assert "rich" in modules  # else the tests above look in the wrong place
    assert modules & {"trimesh", "pydantic", "scipy", "PIL"} == set()


def test_the_threads_are_settled_before_numpy_is_imported(measured: Loaded) -> None:
    # starting a pool that 3 × 3 products never use costs more than measuring a part
    assert measured[1] == "1"


def test_importing_the_package_does_not_import_numpy() -> None:
    # else the command line could not settle the threads
    done = run("import sys, massprops; print('numpy' in sys.modules, massprops.__version__)")
    assert (done.stdout.split()[0], done.stderr, done.returncode) == ("False", "", 0)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from Linux's /proc")
@pytest.mark.parametrize(("verify", "most"), [("xray", 150), ("proof", 240)])
def test_a_million_triangles_take_bounded_memory(tmp_path: Path, verify: str, most: int) -> None:
    # the file has 48 MiB and its coordinates, doubled, 69: whole-array code holds several of these at once
    side = 83_334  # boxes of twelve triangles: a million in all, a unit apart, so that the answer is known
    triangles = np.tile(box() / 2, (side, 1, 1))
    row, column = np.divmod(np.arange(side), 289)  # near the origin single precision is fine enough
    triangles[..., :2] += np.repeat(np.stack([row, column], axis=1), 12, axis=0)[:, None]
    part = write_binary_stl(tmp_path / "million.stl", triangles)
    done = run(SCALE, "compute", part, "--units", "mm", "--format", "json", "--verify", verify)
    assert done.returncode == (verify == "xray")  # test lines leave 3 % of so many bodies open
    result = json.loads(done.stdout)
    assert result["input"]["facets"] == len(triangles) >= 1_000_000
    # every coordinate is a multiple of ½ below 2¹⁷, so all that is rounded is the sums: 1e6 of them, at most
    assert result["volume"] == pytest.approx(side / 8 * 1e-9, rel=1e-10)
    peak = float(done.stderr.splitlines()[-1])
    assert (
        20 < peak < most
    )  # an interpreter with numpy alone has more than 20: less would mean that nothing was measured
