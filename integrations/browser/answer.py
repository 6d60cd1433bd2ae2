"""Python's side of the page: what the worker asks is in /request.json, the answer in /answer.json; texts go to stdout and stderr."""

import gc
import json
import os
import shlex
import sys
import zipfile
from pathlib import Path

PROGRESS = 5  # the worker's device: a line is the share that is read

gc.set_threshold(50_000)  # modules are no garbage
sys.dont_write_bytecode = True
os.chdir("/work")
os.environ["HOME"] = "/tmp"  # noqa: S108  # ezdxf looks there for its settings

from massprops._version import __version__  # noqa: E402
from massprops.access import allowing  # noqa: E402
from massprops.cli import main  # noqa: E402
from massprops.formats.kinds import kind_of  # noqa: E402
from massprops.materials import all_materials  # noqa: E402


def about():
    """Load what the first command needs, while files are chosen; the version, and the names of materials."""
    Path("/first.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    main(["compute", "/first.obj", "--output", "/first.txt"])
    return {"version": f"massprops {__version__}", "materials": [material.name for material in all_materials()]}


def inputs():
    """Unpack archives; the files that are there now, and whether to measure them: the robots, or what is no texture or table of others."""
    for path in [p for p in Path().rglob("*") if p.suffix.lower() == ".zip"]:
        try:
            zipfile.ZipFile(path).extractall(path.parent)
            path.unlink()
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as error:  # damaged, encrypted, unknown
            print(f"massprops: {path}: not a zip archive that can be unpacked: {error}", file=sys.stderr)
    kinds = {str(p): kind_of(p) for p in sorted(Path().rglob("*")) if p.is_file()}
    wanted = {"robot"} if "robot" in kinds.values() else {"mesh", "section"} & {*kinds.values()} or {*kinds.values()}
    return [[path, kind in wanted] for path, kind in kinds.items()]


def command(name, files, words, more):
    """The exit code of a command; `more` is typed as in a shell."""
    try:
        words = [*words, *shlex.split(more)]
    except ValueError as error:
        print(f"massprops: {more}: {error}", file=sys.stderr)
        return 2
    with allowing(watcher=lambda done, total, _note="": os.write(PROGRESS, b"%f" % (done / total))):
        name = name or ("check" if {"robot", "results"} & {*map(kind_of, files)} else "compute")
        return main([name, *("./" * (file[0] == "-") + file for file in files), *words])


def answer():
    """Do what the request asks."""
    request = json.loads(Path("/request.json").read_text(encoding="utf-8"))
    result = {"about": about, "inputs": inputs, "command": command}[request["do"]](*request["with"])
    Path("/answer.json").write_text(json.dumps(result), encoding="utf-8")
