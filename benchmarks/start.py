"""What starting takes: CPU time of whole processes, as ratios to `import numpy`: `python benchmarks/start.py [RUNS]`.

The commands take turns, and the least time of each counts. Compiled modules are kept in a folder of their own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from usage import words

PART = Path(__file__).resolve().parent.parent / "sample_meshes" / "bracket.stl"
COMMANDS = {
    "nothing": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "import numpy, typer": ["-c", "import numpy, typer"],
    "compute bracket.stl --format json": ["-m", "massprops", "compute", str(PART), "--format", "json"],
    "compute bracket.stl": ["-m", "massprops", "compute", str(PART)],
    "compute --help": ["-m", "massprops", "compute", "--help"],
}


def cpu(words: list[str], environment: dict[str, str]) -> float:
    """Seconds of user and system time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(runs: int) -> None:
    """Print the least time of each command, and its ratio to `import numpy`."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": folder, "OPENBLAS_NUM_THREADS": "1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        times: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for _ in range(runs + 1):
            for name, words in COMMANDS.items():
                times[name].append(cpu(words, environment))
    least = {name: min(seconds[1:]) for name, seconds in times.items()}  # the first run compiles
    print(f"CPU of whole processes, least of {runs} runs in turn")
    for name, seconds in least.items():
        print(f"{name:36} {seconds * 1e3:6.0f} ms  {seconds / least['import numpy']:5.2f}")


if __name__ == "__main__":
    main(int((words(__doc__) or ["20"])[0]))
