"""Packages of the checkout, the same bytes at every run: `python extras/packaging/build.py [FOLDER]`, which needs the package `build`.

The date is SOURCE_DATE_EPOCH, else that of the last commit. The sdist is packed again with this date, without owners and in the order of
names; the wheel is built from it, so that the sdist is known to be complete.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from address import publish  # the file beside this one

ROOT = Path(__file__).resolve().parents[2]


def epoch() -> int:
    """Seconds of the date that all files get."""
    if stated := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(stated)
    return int(subprocess.run(["git", "log", "-1", "--pretty=%ct"], cwd=ROOT, capture_output=True, check=True).stdout)


def repack(sdist: Path, date: int) -> None:
    """Write an sdist again, without what differs between two runs."""
    packed = io.BytesIO()
    with tarfile.open(sdist) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = date, 0, 0, "", ""
            member.mode, member.pax_headers = (0o755 if member.isdir() or member.mode & 0o100 else 0o644), {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    sdist.write_bytes(gzip.compress(packed.getvalue(), mtime=date))


def build(folder: Path) -> None:
    """Build the sdist and the wheel of this machine into a folder."""
    date = epoch()
    with tempfile.TemporaryDirectory() as work:
        source = Path(work, "massprops")  # of a name that does not change, since compilers write it down
        flags = (
            f"{os.environ.get('CFLAGS', '')} -g0".strip() if sys.platform != "win32" else os.environ.get("CFLAGS", "")
        )
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(date), "CFLAGS": flags, "PYTHONHASHSEED": "0"}
        command = [sys.executable, "-m", "build", "--outdir", str(folder)]
        subprocess.run([*command, "--sdist", str(ROOT)], env=environment, check=True)
        (sdist,) = folder.glob("massprops-*.tar.gz")
        with tarfile.open(sdist) as archive:
            archive.extractall(work, filter="data")
        shutil.move(Path(work, sdist.name.removesuffix(".tar.gz")), source)
        if publish(source):
            subprocess.run([*command, "--sdist", str(source)], env=environment, check=True)
        repack(sdist, date)
        subprocess.run([*command, "--wheel", str(source)], env=environment, check=True)


if __name__ == "__main__":
    build(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
