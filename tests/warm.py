"""Runs of the command line without the half second that starting Python and numpy takes.

One process for each set of interpreter settings imports the program once and forks a child for every run. The child has its own arguments,
environment, folder and streams, ends as the interpreter ends, and shares nothing with the runs before it. What depends on how Python starts
(encodings, `-O`, another program, a shell) needs a real start: `console.run` knows which.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence

#: Environment variables of these beginnings are read once, when Python, the C library or OpenBLAS start.
READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "OPENBLAS", "OMP_", "MALLOC")

#: Imported before the first run, with all modules of the program. Not `typer.rich_utils`, which reads the environment when it is imported,
#: and of the optional packages only the one that `check` needs for every surface that it refuses.
LIBRARIES = [
    "numpy",
    "json",
    "xml.etree.ElementTree",
    "concurrent.futures.process",
    "typer",
    "rich.console",
    "rich.markdown",
    "rich.table",
]

#: Imported by these and by the program when they are needed, in runs that are common.
NEEDED_LATER = [
    "encodings.utf_8_sig",
    "rich._emoji_codes",
    "rich.abc",
    "rich.columns",
    "rich.panel",
    "rich.pretty",
    "rich.scope",
    "rich.traceback",
]


def at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """What of the environment matters before the first line of the program runs."""
    return {name: value for name, value in environment.items() if name.startswith(READ_AT_START)}


#: Asks a process that listens for a run with the streams, arguments, environment and folder of this one, and ends as the run does.
ASK = """import json, os, socket, sys
stream, request = socket.socket(socket.AF_UNIX), json.dumps([sys.argv[2:], dict(os.environ), os.getcwd()]).encode()
stream.connect(chr(0) + sys.argv[1])
socket.send_fds(stream, [len(request).to_bytes(8, "little"), request], [0, 1, 2])
sys.exit(int.from_bytes(stream.makefile("rb").read(16)[8:], "little", signed=True))"""


class Forked:
    """A process that has imported the program and forks a child for every run."""

    def __init__(self, environment: Mapping[str, str], *modules: str) -> None:
        """Import these modules of the program, or all of them: a process for few runs is ready sooner with few."""
        self._socket, theirs = socket.socketpair()
        self.address = f"massprops-{os.getpid()}-{id(self)}"
        with theirs, socket.socket(socket.AF_UNIX) as listening:
            listening.bind("\0" + self.address)
            listening.listen()
            ends = [theirs.fileno(), listening.fileno()]
            # its own streams are pipes as those of every child are: Python keeps what it finds out about them at the start
            self._process = subprocess.Popen(
                [sys.executable, __file__, *map(str, ends), *modules],
                env=dict(environment),
                pass_fds=ends,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )

    def close(self) -> None:
        self._socket.close()
        self._process.communicate()

    def run(
        self,
        args: Sequence[str],
        stdin: bytes | int,
        environment: Mapping[str, str],
        cwd: str,
        timeout: float,
        stdout: int | None = None,
    ) -> tuple[int, bytes, bytes]:
        """Exit code (−n for signal n), standard output and standard error of one run; descriptors of streams that are files."""
        (in_end, feed), (out, out_end), (err, err_end) = os.pipe(), os.pipe(), os.pipe()
        for own, end in ((stdin, in_end), (stdout, out_end)):
            if isinstance(own, int):
                os.dup2(own, end)
        request = json.dumps([args, dict(environment), cwd]).encode("ascii")
        socket.send_fds(self._socket, [_eight_bytes(len(request))], [in_end, out_end, err_end])
        self._socket.sendall(request)
        for end in (in_end, out_end, err_end):
            os.close(end)
        child = self._number()
        try:
            streams = _communicate(feed, out, err, stdin if isinstance(stdin, bytes) else b"", timeout)
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(args), timeout) from None
        finally:
            code = self._number()
        return code, *streams

    def _number(self) -> int:
        try:
            return int.from_bytes(_exactly(self._socket, 8), "little", signed=True)
        except EOFError:
            raise RuntimeError(os.fsdecode(self._process.communicate()[1])) from None


def _communicate(feed: int, out: int, err: int, text: bytes, timeout: float) -> tuple[bytes, bytes]:
    """Write one pipe and read two until all are closed; without threads, which would change how this process starts others."""
    end = time.monotonic() + timeout
    read: dict[int, list[bytes]] = {out: [], err: []}
    left = memoryview(text)
    with selectors.DefaultSelector() as pipes:
        for pipe, event in ((feed, selectors.EVENT_WRITE), (out, selectors.EVENT_READ), (err, selectors.EVENT_READ)):
            os.set_blocking(pipe, False)
            pipes.register(pipe, event)
        try:
            while pipes.get_map():
                ready = pipes.select(end - time.monotonic())
                if not ready:
                    raise TimeoutError
                for key, _ in ready:
                    if key.fd == feed:
                        try:
                            left = left[os.write(feed, left) :]
                        except BrokenPipeError:  # the program ended before it had read everything
                            left = left[:0]
                        done = not left
                    else:
                        data = os.read(key.fd, 1 << 16)
                        read[key.fd].append(data)
                        done = not data
                    if done:
                        pipes.unregister(key.fd)
                        os.close(key.fd)
        finally:
            for pipe in list(pipes.get_map()):
                os.close(pipe)
    return b"".join(read[out]), b"".join(read[err])


def _eight_bytes(number: int) -> bytes:
    return number.to_bytes(8, "little", signed=True)


def _exactly(stream: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        if not (more := stream.recv(size - len(data))):
            raise EOFError("the other process has ended")
        data += more
    return data


def _serve(own: socket.socket, listening: socket.socket) -> None:
    """Fork a child for every request and report how it ended. Returns in the child, once its surroundings are in place."""
    while True:
        (ready, *_), *_ = select.select([own, listening], [], [])
        stream = own if ready is own else listening.accept()[0]
        head, streams, _, _ = socket.recv_fds(stream, 8, 3)
        if not head:  # the tests are over
            os._exit(0)
        size = int.from_bytes(head + _exactly(stream, 8 - len(head)), "little")
        args, environment, cwd = json.loads(_exactly(stream, size))
        child = os.fork()
        if child == 0:
            for each in (stream, own, listening):
                each.close()
            for number, end in enumerate(streams):
                os.dup2(end, number)
                os.close(end)
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(cwd)
            sys.path[0] = cwd
            sys.argv[1:] = args
            signal.signal(signal.SIGINT, signal.default_int_handler)
            return
        for end in streams:
            os.close(end)
        stream.sendall(_eight_bytes(child))
        stream.sendall(_eight_bytes(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))


def _end(status: int) -> None:
    """End as the interpreter does, but for taking all modules apart: the child would copy every page of them, half of the time of a run."""
    threading._shutdown()
    atexit._run_exitfuncs()
    gc.collect()  # what is thrown away with a warning, such as an open file, is thrown away here
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)  # Python has its own words for a stream that cannot be written


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests, which then close the socket
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program does before it imports numpy
    import massprops

    if chosen := sys.argv[3:]:
        for name in chosen:
            importlib.import_module(name)
    else:
        names = [name for _, name, _ in pkgutil.walk_packages(massprops.__path__, "massprops.")]
        for name in [*LIBRARIES, *names]:
            if name != "massprops.__main__":
                importlib.import_module(name)
        for name in [*NEEDED_LATER, "scipy.spatial"]:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        sys.modules["rich.cells"].cell_len("±")  # loads a table of Unicode
        typed, values = sys.modules["massprops.cli.with_typer"], sys.modules["massprops.values"]
        for name in names:
            for value in vars(sys.modules[name]).values() if name in sys.modules else ():
                if isinstance(value, values.regex):
                    value.match  # noqa: B018  # which compiles it
                elif isinstance(value, type) and value.__init__ is values._init:
                    values._form(value)
        # made of the functions' signatures alone: each command by itself, and the list of all
        made = {name: typed.command(name) for name in [None, *typed.COMMANDS]}
        typed.command = lambda name=None: made.get(name, made[None])
    gc.freeze()  # a child that collects garbage does not copy all of it
    _serve(*(socket.socket(fileno=int(number)) for number in sys.argv[1:3]))
    _end(sys.modules["massprops.cli"].main())
