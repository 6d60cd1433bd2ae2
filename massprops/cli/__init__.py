"""The command line: parse, call the library, print. Its one error boundary is `main`."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NoReturn

from massprops.access import allowing
from massprops.errors import MasspropsError, ReadError

DEFECT = 70
INTERRUPTED = 130


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is returned. `args` without the program's name; None for the process's own."""
    # Products of 3 × 3 matrices need no threads, and starting the pool costs 50 ms: before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if len(columns := os.environ.get("COLUMNS", "")) > 4 and columns.isdecimal():
        os.environ["COLUMNS"] = "9999"  # rich fills lines with blanks
    own = args is None  # else the process and its signals are the caller's
    if own:
        gc.set_threshold(50_000)  # modules are no garbage: looking for some every 700 objects takes a tenth of a start
        _at_interrupt(signal.SIG_DFL)  # one that comes while modules are loaded ends the process without a traceback
    _settle_streams()
    from massprops.cli.app import COMMANDS, with_command
    from massprops.cli.spelling import CommandLine
    from massprops.cli.streams import discard, say_error

    words = with_command(sys.argv[1:] if args is None else list(args))
    command = next((word for word in words if word in COMMANDS), "")
    with allowing(spelling=CommandLine(command), words=tuple(words), materials=_own_materials):
        try:
            return _run(words, own)
        except MasspropsError as error:
            say_error(error)
            return error.exit_code
        except KeyboardInterrupt:
            if own:
                _at_interrupt(signal.SIG_DFL)
            print("massprops: interrupted", file=sys.stderr)
            return INTERRUPTED
        except BrokenPipeError:  # the reader has closed the pipe (head, less)
            discard(sys.stdout)
            return 0
        except Exception as error:
            return _unexpected(error)
        finally:
            if own:
                gc.freeze()  # the process ends: Python need not look through all objects for garbage once more


def _own_materials() -> Iterable[Any]:
    """Materials of the nearest configuration, for commands that read no other."""
    from massprops.formats.own_materials import nearest_materials

    return nearest_materials()


def _at_interrupt(action: Any) -> None:
    """Set the action of SIGINT and SIGTERM; a signal that the caller ignores (nohup, a job in the background) stays ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, action)


def _interrupt(_signal: int, _frame: Any) -> NoReturn:
    raise KeyboardInterrupt


def _raise_again(lost: Any) -> None:
    """An interrupt that came in a finalizer or a callback, where Python drops exceptions, is raised again after it."""
    if lost.exc_type is KeyboardInterrupt:
        import threading

        # later: what is raised in this function is dropped, too
        threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)


def _settle_streams() -> None:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller: as good as /dev/null
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal without "³" gets \xb3, not a traceback


def _unexpected(error: Exception) -> int:
    """The exit code of a defect, after its traceback; a name that no file can have is none."""
    from massprops.cli.streams import log_error, say_error

    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        from massprops.formats.text import shorten  # imported lazily

        what = f"{shorten(str(error.filename), 80)}: the file name is too long"
        say_error(ReadError(what, code="missing-file"))
        return ReadError.exit_code
    import traceback  # nine milliseconds that only a defect needs

    traceback.print_exc()
    log_error("this is a defect in massprops; please report it with the lines above")
    return DEFECT


def _run(args: list[str], own: bool) -> int:
    from massprops.cli.app import prepare, print_help, print_overview, print_version
    from massprops.cli.streams import discard, write_output
    from massprops.formats.saving import cannot_write

    asks_for_completion = "_MASSPROPS_COMPLETE" in os.environ  # by a shell; the words are in one of its variables
    run = None if asks_for_completion else prepare(args) if args else print_overview
    try:
        if run is None:
            from massprops.cli.with_typer import command

            args = ["--help" if word == "--help-all" else word for word in args]
            words = args
            if asks_for_completion:
                words = (os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")).split()[1:]
            run = partial(command(next(iter(words), None)).main, args, "massprops", standalone_mode=False)
        if own:
            sys.unraisablehook = _raise_again
            _at_interrupt(_interrupt)
        status = run()
        write_output("", None)  # flush: help is printed by typer
        if not args and not asks_for_completion:
            prepare(args)
    except SystemExit as error:  # what rich and click, which print help, make of a closed pipe
        if isinstance(error.__context__, BrokenPipeError):
            raise error.__context__ from None
        raise
    except OSError as error:
        is_text = (
            getattr(run, "func", run) in (print_help, print_overview, print_version)
            or "massprops.cli.with_typer" in sys.modules
        )
        if isinstance(error, BrokenPipeError) or error.errno == errno.ENAMETOOLONG or not is_text:
            raise
        discard(sys.stdout)
        raise cannot_write(error, None) from error
    return int(status or 0)
