"""A million facets on the web page and on the command line with the numpy core, and larger files on the page.

python benchmarks/web_page.py SITE [FILE...]

SITE is a folder of integrations/browser/build.py. Seconds are those of processors, since other work may share the machine, and in brackets
those of a clock, without the report that the page draws afterwards.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bumpy_torus import write_stl

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from browser import browser  # noqa: E402
from web_page import WebPage, served  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def browser_time() -> float:
    """Seconds of processors of all processes of browsers that this one started."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
        used[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / TICKS

    def is_ours(pid: int) -> bool:
        while pid := parents.get(pid, 0):
            if pid == os.getpid():
                return True
        return False

    return sum(seconds for pid, seconds in used.items() if is_ours(pid))


def native(path: Path, words: list[str]) -> tuple[float, float]:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "massprops", "compute", str(path), *words]
    subprocess.run(command, env={**os.environ, "MASSPROPS_CORE": "numpy"}, check=True, stdout=subprocess.DEVNULL)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - start


def on_page(page: WebPage, path: Path, more: str) -> tuple[float, float]:
    page.choose(path)
    before, start = browser_time(), time.monotonic()
    page.begin(units="mm", more=more)
    page.wait("/^Measured|Stopped/.test(document.getElementById('status').textContent)", 3000)
    return browser_time() - before, time.monotonic() - start


def main() -> None:
    site, *files = map(Path, sys.argv[1:])
    with TemporaryDirectory() as folder, served(site) as (address, requests), browser() as tab:
        start = time.monotonic()
        page = WebPage(tab, address, requests)
        print(f"ready after {browser_time():.1f} s ({time.monotonic() - start:.1f} s)")
        part = Path(folder) / "torus.stl"
        write_stl(part, 1_000_000)
        for more in ("--verify closed", ""):
            here, there = native(part, ["--units", "mm", *more.split()]), on_page(page, part, more)
            page.wait("document.getElementById('stop').disabled", 3000)
            print(f"a million facets {more or 'proved':15} native {here[0]:5.1f} s ({here[1]:.1f})", end="   ")
            print(f"page {there[0]:5.1f} s ({there[1]:.1f})   ratio {there[0] / here[0]:.2f}")
        for path in files:
            cpu, clock = on_page(page, path, "")
            said = page.said("text") or page.said("messages")
            print(f"{path.name}: {cpu:.1f} s ({clock:.1f}): {page.said('status')} {said[:300]}")
            page.wait("document.getElementById('stop').disabled", 3000)
            print(page.said("messages")[:300])


if __name__ == "__main__":
    main()
