"""The command line: parse, call the library, print. Its one error boundary is `main`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from massprops.errors import MasspropsError
from massprops.formats.escaping import plain

DEFECT = 70
INTERRUPTED = 130


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is returned. `args` without the program's name; None for the process's own."""
    # Products of 3 × 3 matrices need no threads, and starting the pool costs 50 ms: before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _settle_streams()
    try:
        return _run(sys.argv[1:] if args is None else list(args))
    except MasspropsError as error:
        print(f"massprops: {plain(str(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("massprops: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # the reader has what it wanted (head, less); keep Python from failing again when it flushes on the way out
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:
        import traceback  # nine milliseconds that only a defect needs

        traceback.print_exc()
        print("massprops: this is a defect in massprops; please report it with the lines above", file=sys.stderr)
        return DEFECT


def _settle_streams() -> None:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller: as good as /dev/null
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal without "³" gets \xb3, not a traceback


def _run(args: list[str]) -> int:
    from massprops.cli.app import command

    try:
        status = command(args[0] if args else None).main(args, prog_name="massprops", standalone_mode=False)
        sys.stdout.flush()
    except Exception as error:
        # click is vendored by some versions of typer and not by others: known by what it does, not by its class
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "massprops"
        message = plain(error.format_message()).removesuffix(".") or "no command is given"
        print(f"massprops: {message}; see '{path} --help'", file=sys.stderr)
        return int(getattr(error, "exit_code", 2))
    return int(status or 0)
