"""The command line: parse, call the library, print. Its one error boundary is `main`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from massprops.errors import MasspropsError
from massprops.formats.escaping import plain

DEFECT = 70
INTERRUPTED = 130


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is returned. `args` without the program's name; None for the process's own."""
    # Products of 3 × 3 matrices need no threads, and starting the pool costs 50 ms: before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _settle_streams()
    if args is None:
        signal.signal(signal.SIGTERM, _interrupt)
    from massprops.cli.streams import discard_stdout, say_error

    try:
        return _run(sys.argv[1:] if args is None else list(args))
    except MasspropsError as error:
        say_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        print("massprops: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader has closed the pipe (head, less)
        discard_stdout()
        return 0
    except Exception:
        import traceback  # nine milliseconds that only a defect needs

        traceback.print_exc()
        print("massprops: this is a defect in massprops; please report it with the lines above", file=sys.stderr)
        return DEFECT


def _interrupt(_signal: int, _frame: Any) -> NoReturn:
    raise KeyboardInterrupt


def _settle_streams() -> None:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller: as good as /dev/null
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal without "³" gets \xb3, not a traceback


def _run(args: list[str]) -> int:
    from massprops.cli.app import command
    from massprops.cli.streams import cannot_write, deliver, discard_stdout

    try:
        status = command(args[0] if args else None).main(args, prog_name="massprops", standalone_mode=False)
        deliver("", None)  # flush: help is printed by typer
    except OSError as error:
        if isinstance(error, BrokenPipeError) or not {"-h", "--help", "--version"} & {
            *args,
            *(["--help"] * (not args)),
        }:
            raise
        discard_stdout()
        raise cannot_write(error, None) from error
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
