"""Many small files in one table: rate, memory, and what a file costs above measuring it. `python benchmarks/fleet.py --files 10000`.

Makes the files itself: 300 facets each, twenty kinds of part (prisms of gears, bumpy rings, lathed bodies), each turned,
scaled and placed at random, so that no two are equal. Three figures: the rate of `compute FOLDER --output-table` from the first
thousand files to the last, with the memory of the parent and of the largest worker; the cost per file above a plain loop of
`massprops.measure`; and a second run, which finds all files unchanged. `--cluster`: the scheduler of Dask and two workers, each a
process of this machine, measure the files, and one of the workers is killed in the middle; whether the rows are those of processes here,
and the processor time of scheduler, client and workers for each task and file, and above that of processes here.
`--memory`: instead, the largest memory of the command, all its processes together, for a new table, for one whose rows are
all replaced, and for one where all files are unchanged (Linux). Pages that processes share count once (PSS).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import massprops
from massprops import native
from massprops.fleet.many import Task
from massprops.fleet.run import measure_into
from massprops.fleet.table import _READERS, open_table
from massprops.measurement.options import Options
from massprops.measurement.pipeline import measure_with

if TYPE_CHECKING:
    import psutil

OPTIONS = {"units": "mm", "density": 7800}


def part(kind: int, chance: np.random.Generator) -> np.ndarray:
    """A closed body of 300 triangles, shape (300, 3, 3), about 50 mm large."""
    if kind < 7:
        corners = _gear(5 + kind)
    elif kind < 14:
        corners = _ring(kind - 6)
    else:
        corners = _lathed(kind - 13)
    q, _ = np.linalg.qr(chance.normal(size=(3, 3)))
    q *= np.sign(np.linalg.det(q))
    scale = chance.uniform(0.8, 1.2, size=3)
    return ((corners * scale) @ q.T + chance.uniform(-100, 100, size=3)).astype(np.float32)


def _gear(teeth: int) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, 75, endpoint=False)
    r = 20 + 4 * np.sign(np.sin(teeth * angle)) + np.sin(angle)
    low = np.column_stack([r * np.cos(angle), r * np.sin(angle), np.zeros(75)])
    high, after = low + np.array([0, 0, 12]), np.roll(low, -1, axis=0)
    top = after + np.array([0, 0, 12])
    middle, above = np.zeros_like(low), np.broadcast_to([0.0, 0, 12], low.shape)
    quads = [(low, after, top), (low, top, high), (middle, after, low), (above, high, top)]
    return np.concatenate([np.stack(q, axis=1) for q in quads])


def _grid(points: np.ndarray) -> np.ndarray:
    """Triangles of a grid that closes in both directions, shape (n, m, 3)."""
    a, b = points, np.roll(points, -1, axis=0)
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    return np.concatenate([np.stack(t, axis=2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])


def _ring(bumps: int) -> np.ndarray:
    u, v = np.meshgrid(*(np.linspace(0, 2 * np.pi, n, endpoint=False) for n in (15, 10)), indexing="ij")
    tube = 8 + np.sin(bumps * u) + np.cos(2 * v)
    ring = 25 + tube * np.cos(v)
    return _grid(np.stack([ring * np.cos(u), ring * np.sin(u), tube * np.sin(v) * (1 + bumps / 20)], axis=-1))


def _lathed(waves: int) -> np.ndarray:
    """A profile turned round an axis: 15 sectors of 10 triangles in rows, and 10 rows."""
    turn = np.linspace(0, 2 * np.pi, 15, endpoint=False)
    z = np.linspace(-25, 25, 11)[1:-1]
    r = 12 + 3 * np.cos(waves * z / 9) + 4 * np.sin(z / 20)
    r = np.append(r, r[-1] * 0.6)
    z = np.append(z, 24.0)
    rings = np.stack([np.outer(r, np.cos(turn)), np.outer(r, np.sin(turn)), np.outer(z, np.ones(15))], axis=-1)
    a, b = rings, np.roll(rings, -1, axis=1)
    side = [np.stack([p, q, s], axis=2) for p, q, s in ((a[:-1], b[:-1], b[1:]), (a[:-1], b[1:], a[1:]))]
    low, high = np.broadcast_to([0, 0, -25.0], a[0].shape), np.broadcast_to([0, 0, 25.0], a[0].shape)
    caps = [np.stack([low, b[0], a[0]], axis=1), np.stack([high, a[-1], b[-1]], axis=1)]
    return np.concatenate([*(s.reshape(-1, 3, 3) for s in side), *caps])


def write(folder: Path, count: int) -> None:
    """The files, a thousand in each folder."""
    records = np.zeros(300, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")])
    for number in range(count):
        if number % 1000 == 0:
            (folder / f"{number // 1000:04}").mkdir(parents=True)
        triangles = part(number % 20, np.random.default_rng(number))
        assert triangles.shape == (300, 3, 3)
        records["corners"] = triangles
        with (folder / f"{number // 1000:04}" / f"{number:07}.stl").open("wb") as stream:
            stream.write(bytes(80) + (300).to_bytes(4, "little") + records.tobytes())


def memory() -> float:
    """Of this process now, MiB."""
    with Path("/proc/self/statm").open() as stream:
        return int(stream.read().split()[1]) * resource.getpagesize() / 2**20


def largest_memory(command: list[str]) -> tuple[float, float]:
    """Largest PSS of a command and its processes together, sampled every 0.2 s, and the largest memory of the command alone, MiB."""
    top, command = 0.0, [sys.executable, "-m", "massprops", *command]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while True:
        ended, status, spent = os.wait4(process.pid, os.WNOHANG)
        if ended:
            assert status == 0, command
            return top, spent.ru_maxrss / 1024
        top = max(top, sum(map(_pss, _family(process.pid))))
        time.sleep(0.2)


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended
        return []
    return [pid, *(each for child in children for each in _family(int(child)))]


def _pss(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def print_memory(given: argparse.Namespace, folder: Path, scratch: Path) -> None:
    """The memory of three runs with the same table."""
    table = str(scratch / f"memory{given.kind}")
    for what, density in (("new", 7800), ("replaced", 7801), ("unchanged", 7801)):
        words = ["compute", str(folder), "--units", "mm", "--density", str(density)]
        together, alone = largest_memory([*words, "--output-table", table, "--jobs", str(given.jobs)])
        what = f"{given.files:,} files, --jobs {given.jobs}, rows {what}"
        print(f"{what}: {together:.0f} MiB together (PSS), {alone:.0f} MiB the first process (largest RSS)", flush=True)


def cpu() -> float:
    """Of this process and its children that have ended, seconds."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def loop(files: list[str]) -> float:
    """Seconds of processor time per file of a plain loop."""
    options = Options(**OPTIONS)
    for name in files[:20]:
        measure_with(options, name)
    start = time.process_time()
    for name in files:
        measure_with(options, name)
    return (time.process_time() - start) / len(files)


def fill(table: Path, files: list[str], executor, every: int) -> Iterator[tuple[int, float, float]]:
    """Measure into a table; after each `every` files their number, the rate in them and the memory."""
    chosen = Options(**OPTIONS)
    with open_table(table) as store:
        start = time.perf_counter()
        for counts, known in measure_into(store, (Task(name, chosen) for name in files), executor):
            assert not known.error, known
            if counts.done % every == 0:
                now = time.perf_counter()
                yield counts.done, every / (now - start), memory()
                start = now


def rows_of(table: Path) -> dict[str, dict]:
    """The rows of a table by the path of the file."""
    return {row["path"]: row for row in _READERS[table.suffix](table)}


@contextmanager
def dask(folder: Path) -> Iterator[tuple[str, psutil.Process, list[psutil.Process]]]:
    """The address of a scheduler, its process and those of two workers, which nobody starts again."""
    import psutil  # with distributed

    place = ["--scheduler-file", str(folder / "scheduler.json")]
    own = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
    commands = [["scheduler", *place, "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]]
    commands += [["worker", *place, *own]] * 2
    with ExitStack() as stack:
        running = []
        for words in commands:
            process = psutil.Popen(
                [sys.executable, "-m", "dask", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            running.append(process)
            while not Path(place[1]).exists():
                time.sleep(0.1)
        yield json.loads(Path(place[1]).read_text())["address"], running[0], running[1:]


def used(*processes: psutil.Process) -> float:
    """Processor time of processes so far, seconds."""
    return sum(p.cpu_times().user + p.cpu_times().system for p in processes)


def on_cluster(folder: Path, files: list[str], expected: dict[str, dict], here: float) -> None:
    """Two workers, one of which is killed in the middle; `here`: seconds for a file with --jobs."""
    from distributed import Client

    with dask(folder) as (address, scheduler, workers), Client(address) as client:
        client.wait_for_workers(2)
        executor = client.get_executor()
        executor._max_workers = 2
        tasks, submit = itertools.count(), executor.submit
        executor.submit = lambda *words: (next(tasks), submit(*words))[1]
        list(massprops.measure_many(files[:8], executor=executor, **OPTIONS))  # all is imported

        def spent(lost: float = 0.0) -> np.ndarray:
            return np.array([used(scheduler), time.process_time(), used(*workers) + lost])

        idle, start = spent(), time.perf_counter()
        time.sleep(5)
        idle = (spent() - idle) / (time.perf_counter() - start)
        what = ", ".join(f"{1e3 * each:.0f}" for each in idle)
        print(f"scheduler, client and workers without tasks: {what} ms a second, which are subtracted")
        start, first = time.perf_counter(), next(tasks)
        before, lost, halfway = spent(), 0.0, start
        for done, *_ in fill(folder / "cluster.csv", files, executor, len(files) // 2):
            if done == len(files) // 2:
                lost, halfway = used(workers[1]), time.perf_counter()
                workers.pop().kill()
                print(f"  {done:,} files done, one worker killed")
        now = time.perf_counter()
        both = (1 + (halfway - start) / (now - start)) / 2  # of the time that workers waited
        seconds = spent(lost) - before - idle * [1, 1, both] * (now - start)
        count = next(tasks) - first - 1
        print(f"two workers, then one: {len(files) / (time.perf_counter() - start):.0f} files/s, {count} tasks")
        for who, each in zip(("scheduler", "client, with the table", "workers"), seconds, strict=True):
            times = f"{1e3 * each / count:.1f} ms a task, {1e3 * each / len(files):.2f} ms a file"
            print(f"  {who}: {times} of processor time")
        above = seconds.sum() / len(files) - here
        print(f"  all of them: {1e3 * above:.2f} ms a file above processes here, just before")
        same = rows_of(folder / "cluster.csv") == expected
        print(f"rows are those of processes here: {same}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000, help="how many [10000]")
    parser.add_argument("--jobs", type=int, default=2, help="processes [2]")
    parser.add_argument("--kind", default=".parquet", help=".parquet, .csv or .jsonl [.parquet]")
    parser.add_argument("--cluster", action="store_true", help="also on a local cluster of Dask; needs distributed")
    parser.add_argument("--memory", action="store_true", help="the memory of the command instead; Linux")
    parser.add_argument("--folder", type=Path, help="keep the files here, for further runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run(given, given.folder or Path(scratch) / "parts", Path(scratch))


def run(given: argparse.Namespace, folder: Path, scratch: Path) -> None:
    if not folder.exists() or not any(folder.iterdir()):
        write(folder, given.files)
    if given.memory:
        print_memory(given, folder, scratch)
        return
    files = sorted(str(p) for p in folder.rglob("*.stl"))[: given.files]
    versions = f"{native.description()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    print(f"massprops {massprops.__version__}, {versions}")
    print(f"{len(files):,} files of 300 facets, {given.jobs} processes")
    plain = loop(files[:500])
    print(f"plain loop of measure: {plain * 1e3:.2f} ms of processor time per file")
    table = scratch / f"results{given.kind}"
    before, own, begun = cpu(), time.process_time(), time.perf_counter()
    every = max(1000, len(files) // 20)
    for done, rate, used in fill(table, files, given.jobs, every):
        print(f"  {done:9,} files, {rate:6.0f} files/s, this process {used:6.1f} MiB", flush=True)
    spent, seconds = (cpu() - before) / len(files), time.perf_counter() - begun
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"table of {table.stat().st_size / 2**20:.1f} MiB in {seconds:.1f} s: {len(files) / seconds:.0f} files/s")
    print(f"largest worker {largest:.0f} MiB")
    print(f"{spent * 1e3:.2f} ms of processor time per file: {(spent - plain) * 1e3:.2f} above the plain loop")
    own = (time.process_time() - own) / len(files)
    print(f"{1 / spent:.0f} files per second of processor time; {own * 1e3:.2f} ms per file of it in this process")
    begun = time.perf_counter()
    list(fill(table, files, given.jobs, every))
    print(f"second run, nothing new: {len(files) / (time.perf_counter() - begun):.0f} files/s")
    if given.cluster:
        on_cluster(scratch, files, rows_of(table), spent)


if __name__ == "__main__":
    sys.exit(main())
