"""Access of the command or call that runs: how its messages are spelled, and which files it may read and write, and how.

It is the only state that no signature shows. Tests: `tests/formats/test_files.py`, `tests/test_errors.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from massprops.values import dataclass, regex

_COMMAND = regex(r"'massprops ([a-z]+)[^']*'")
#: What does in Python what a command does, where that is not the function of its name.
_FUNCTIONS = {"compute": "measure", "table": "measure_many", "materials": "materials.known_materials"}


class Spelling:
    """How messages spell the arguments of the library: as Python does; the command line has a spelling of its own."""

    #: Whether `Remedy.python` replaces a text about commands.
    is_python: ClassVar[bool] = True

    def subject(self, name: str) -> str:
        """An argument as the subject of a sentence: ``density``."""
        return name

    def argument(self, name: str, value: str = "") -> str:
        """An argument in a remedy: ``on_open=`` or ``nested='cavity'``; a value ``NAME=FOLDER`` is an item of a mapping."""
        key, is_item, item = value.partition("=")
        literal = value if value in ("", "True") or value.isdigit() else repr(value)
        return f"{name}={{{key!r}: {item!r}}}" if is_item else f"{name}={literal}"

    def name(self, option: str) -> str:
        """An option ``name``, or a value of it ``name=value``, as a noun of a sentence: ``density``, ``kind='wall'``."""
        name, _, value = option.partition("=")
        return self.argument(name, value) if value else self.subject(name)

    def commands(self, text: str, path: str = "") -> str:  # noqa: ARG002  # of a command line
        """Advice in which functions stand for commands: ``massprops.fill`` for ``'massprops fill FILE'``."""
        return _COMMAND.sub(lambda match: f"massprops.{_FUNCTIONS.get(match[1], match[1])}", text)

    def has(self, _name: str) -> bool:
        """Whether the caller can give this argument."""
        return True


@dataclass(frozen=True)
class Access:
    """Access of a command or call to its surroundings.

    Attributes
    ----------
    spelling : Spelling
        Of messages.
    words : tuple of str
        The command line, without the program's name.
    watcher : callable or None
        Who gets the progress of a command instead of the terminal.
    quiet : bool
        Whether the command says nothing but errors, warnings and findings.
    max_bytes : int or None
        The largest file that is read; None: the limit of its format.
    seconds : float or None
        Of processor time that a reader in a process of its own may take; None: as the size of a file asks for.
    progress : callable or None
        Who wants to know how much of the work is done: see `follow`.
    folders : tuple of Path
        Folders below which mesh files may refer to others, beside their own.
    outside : bool
        Whether they may refer to others anywhere.
    roots : tuple of Path or None
        Folders that hold every file that may be read or written, links followed; None: no limit.
    contents : mapping of str to bytes
        Files whose bytes were sent here: they are not on this machine.
    objects : mapping of str to (kind, object)
        What a call of the library was given in place of files, by the names that it gave them: a mesh, a section, the JSON of a result.
    materials : callable
        Gives the materials of the user, beside the built-in ones.
    settings : callable or None
        Gives the options that the configuration of a command sets for a file.
    opened : massprops.formats.files.Opened or None
        The files that were opened; None: nobody asks.
    """

    spelling: Spelling = field(default_factory=Spelling)
    words: tuple[str, ...] = ()
    watcher: Callable[..., None] | None = None
    quiet: bool = False
    max_bytes: int | None = None
    seconds: float | None = None
    progress: Callable[..., None] | None = None
    folders: tuple[Path, ...] = ()
    outside: bool = False
    roots: tuple[Path, ...] | None = None
    contents: Mapping[str, bytes] = field(default_factory=dict)
    objects: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    materials: Callable[[], Iterable[Any]] = tuple
    settings: Callable[[str], Mapping[str, Any]] | None = None
    opened: Any = None

    def of_worker(self) -> Access:
        """Access of another thread or process that works for this one."""
        return replace(self, watcher=None, progress=None, contents={}, objects={}, opened=None)


T = TypeVar("T")
_access: ContextVar[Access] = ContextVar("access", default=Access())  # noqa: B039  # frozen


def access() -> Access:
    """The access that holds now."""
    return _access.get()


@contextmanager
def having(other: Access) -> Iterator[None]:
    """Another access for as long as the context lasts."""
    token = _access.set(other)
    try:
        yield
    finally:
        _access.reset(token)


@contextmanager
def allowing(**changes: Any) -> Iterator[None]:
    """Changes of the access for as long as the context lasts; of None, nothing is changed."""
    with having(replace(access(), **{name: value for name, value in changes.items() if value is not None})):
        yield


def adopt(**changes: Any) -> None:
    """Changes of the access until the context that holds now ends: of a command that has read its configuration."""
    _access.set(replace(access(), **changes))


def follow(items: Iterable[T], total: float, size: Callable[[T], float] = lambda _: 1.0, noun: str = "") -> Iterator[T]:
    """Items as they are done, and to who follows the progress: the sum of the sizes of those that are done, and the total.

    The items are passes over a mesh; or with a `noun`, what has such passes in it, counted from 0.
    """
    tell, done = access().progress or (lambda *_: None), 0.0
    words = (noun,) if noun else ()
    if noun:
        tell(0.0, total, *words)
    for item in items:
        yield item
        done += size(item)
        tell(done, total, *words)
