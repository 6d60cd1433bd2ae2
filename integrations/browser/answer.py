"""The Python side of the page: what the worker asks is in /request.json, and what it gets in /answer.json; text goes to stdout and stderr."""

import gc
import json
import os
import shlex
import sys
import traceback
import zipfile
from pathlib import Path

PROGRESS = 5  # the worker's device: a line is the share that is read

gc.set_threshold(50_000)  # modules are no garbage
sys.dont_write_bytecode = True
sys.path.insert(0, "/program")
os.chdir("/work")

from massprops._version import __version__  # noqa: E402
from massprops.access import allowing  # noqa: E402
from massprops.cli import main  # noqa: E402
from massprops.formats.kinds import kind_of  # noqa: E402
from massprops.materials import all_materials  # noqa: E402


def about():
    """Load what the first command needs, while files are chosen; the version, and the names of materials."""
    Path("/tmp/a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    main(["compute", "/tmp/a.obj", "--output", "/tmp/a.txt"])
    return {"version": f"massprops {__version__}", "materials": [material.name for material in all_materials()]}


def inputs(archives):
    """Unpack archives; the files that are there now, with their kinds."""
    for name in archives:
        with zipfile.ZipFile(name) as archive:
            archive.extractall(Path(name).parent)
        Path(name).unlink()
    return [[str(p), kind_of(p)] for p in sorted(Path().rglob("*")) if p.is_file()]


def command(name, files, words, more):
    """The exit code of a command; `more` is typed as in a shell."""

    def watch(done, total, _note=""):
        os.write(PROGRESS, f"{done / total}".encode())

    try:
        words = [*words, *shlex.split(more)]
    except ValueError as error:
        print(f"massprops: {more}: {error}", file=sys.stderr)
        return 2
    with allowing(watcher=watch):
        return main([*filter(None, [name]), *("./" * (file[0] == "-") + file for file in files), *words])


def answer():
    """Do what the request asks."""
    request = json.loads(Path("/request.json").read_text(encoding="utf-8"))
    try:
        result = {"about": about, "inputs": inputs, "command": command}[request["do"]](*request["with"])
    except Exception:  # of the page or of an archive; the command line has its own boundary
        traceback.print_exc()
        result = None
    sys.stdout.flush()
    sys.stderr.flush()
    Path("/answer.json").write_text(json.dumps(result), encoding="utf-8")
