"""Everything that `massprops` raises on purpose.

    MasspropsError
    ├── InvalidInput (also a ValueError)     a value from the caller breaks a rule            exit 2
    │   └── MissingExtra                     an optional dependency cannot be imported        exit 2
    ├── ReadError                            a file could not be read or parsed               exit 3
    │   └── UnknownFormat                    no reader for this suffix or content             exit 3
    └── InvalidGeometry                      the surface has no valid integral                exit 4

Every error says where, which rule, what was found and what to do. `str(error)` is one line:
the message, then the remedy. Anything else that escapes is a defect in massprops (exit 70).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from massprops.access import Spelling, access
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.findings import Finding

#: Processes or threads at most, and the least number that messages do not write out.
MOST_JOBS, _LONG = 10_000, 10**20


def spelling() -> Spelling:
    """The spelling of messages that holds now."""
    return access().spelling


def spell(argument: str) -> str:
    """An argument ``name`` or ``name=value`` as messages of this process spell it: ``nested='cavity'``, ``--nested cavity``."""
    name, _, value = argument.partition("=")
    return spelling().argument(name, value)


@dataclass(frozen=True)
class Remedy:
    """Advice on an error, with the arguments that it names: spelled when it is read.

    >>> str(Remedy("choose {} for a sheet", "on_open=shell"))
    "choose on_open='shell' for a sheet"
    >>> str(Remedy("mend the export", see="on_overlap"))
    'mend the export, or see on_overlap='

    Attributes
    ----------
    text : str
        A template with ``{}`` for each of the arguments.
    arguments : tuple of str
        Their names in Python, or ``name=value``.
    see : tuple of str
        Arguments that offer another way; those that a command does not have are left out.
    python : str
        The template in Python, if the text is about commands.
    """

    text: str
    arguments: tuple[str, ...]
    see: tuple[str, ...]
    python: str

    def __init__(self, text: str, *arguments: str, see: str | tuple[str, ...] = (), python: str = "") -> None:
        values = text, arguments, (see,) if isinstance(see, str) else see, python
        for name, value in zip(("text", "arguments", "see", "python"), values, strict=True):
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        template = self.python if self.python and spelling().is_python else self.text
        text = template.format(*map(spell, self.arguments)) if self.arguments else template
        names = [spell(name) for name in self.see if spelling().has(name.partition("=")[0])]
        if names:
            joined = (" or " if "=" in self.see[0] else " and ").join(names)
            return f"{text}, or see {joined}" if text else f"see {joined}"
        return text or "mend it in the program that made it"


class MasspropsError(Exception):
    """Base of all errors that massprops raises on purpose.

    Parameters
    ----------
    message : str
        Where, which rule and what was found.
    code : str
        A stable word for programs, such as ``truncated-file``.
    hint : str or Remedy
        What the user can do about it; empty where there is nothing to add. `remedy` is the value, and `hint` its text, in which a function
        stands for each ``'massprops COMMAND …'`` in Python.
    parameter : str
        The argument that is wrong, as the subject of `message`. The command line prints the name of its option instead.
    argument : str
        The same before a message that is a sentence of its own: ``axis: there is no axis 3``.
    names : sequence of str
        Options as in Python, ``name`` or ``name=value``, that stand for the ``{}`` of `message`.
    place : str
        The file, line or input where it is wrong; `message` begins with it.
    findings : sequence of Finding
        Of a geometry: what is wrong with it; the message is taken from the first.
    """

    exit_code: ClassVar[int] = 70
    default_code: ClassVar[str] = "defect"
    #: The length unit of the file that it is about. The texts are in SI; the command line converts them.
    unit = "m"

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        hint: str | Remedy = "",
        parameter: str = "",
        argument: str = "",
        names: Sequence[str] = (),
        place: str = "",
        findings: Sequence[Finding] = (),
    ) -> None:
        super().__init__(message, hint)
        self.text = message
        self.code = code or self.default_code
        self.remedy = hint
        self.parameter = parameter or argument
        self._is_apart = bool(argument)
        self._names = tuple(names)
        self.place = place
        self.findings = tuple(findings)

    @property
    def hint(self) -> str:
        """Advice: what the user can do about it."""
        return _without_marks(self.marked_hint)

    @property
    def marked_hint(self) -> str:
        """The advice, marked as `marked`."""
        return spelling().commands(str(self.remedy), self.place)

    @property
    def message(self) -> str:
        """Where, which rule and what was found."""
        return _without_marks(self._sentence(spelling()))

    @property
    def message_in_file(self) -> str:
        """The message about a value of a file, whose keys are called as the arguments in Python."""
        return _without_marks(self._sentence(Spelling()))

    @property
    def marked(self) -> str:
        """Message and hint with a no-break space before the unit of each quantity; see `OutputUnits.sentence`."""
        text, hint = self._sentence(spelling()), self.marked_hint
        return f"{text}; {hint}" if hint else text

    def _sentence(self, spelled: Spelling) -> str:
        subject = spelled.subject(self.parameter) + ":" * self._is_apart if self.parameter else ""
        text = self.text.format(*map(spelled.name, self._names)) if self._names else self.text
        text = f"{subject} {text}" if subject else text
        return f"{self.place}: {text}" if self.place else text

    def __str__(self) -> str:
        return _without_marks(self.marked)

    def __reduce__(self) -> tuple[Any, ...]:
        # by its attributes: the default calls the class with `args`, which keyword-only parameters do not take
        return _restored, (type(self), self.args, self.__dict__)

    def at(self, place: str) -> Self:
        """Copy of the error with the file, line or input where it is wrong in front."""
        found = _restored(type(self), self.args, self.__dict__)
        found.place = f"{place}: {self.place}" if self.place else place
        return cast("Self", found)

    def to_dict(self) -> dict[str, object]:
        """The error as the JSON schema `massprops/1` spells it."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


def _without_marks(text: str) -> str:
    from massprops.findings import without_marks  # imported lazily

    return without_marks(text)


def _restored(kind: type[MasspropsError], args: tuple[Any, ...], attributes: dict[str, Any]) -> MasspropsError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error


class InvalidInput(MasspropsError, ValueError):
    """A value given by the caller breaks a rule (an option, an argument, a wrong shape)."""

    exit_code = 2
    default_code = "invalid-input"


class MissingExtra(InvalidInput):
    """An optional dependency is needed and cannot be imported; the hint names the extra."""

    default_code = "missing-extra"


class ReadError(MasspropsError):
    """A file could not be read or parsed; the message begins with the file and the place."""

    exit_code = 3
    default_code = "unreadable-file"


class UnknownFormat(ReadError):
    """No reader is registered for the file's suffix."""

    default_code = "unknown-format"


class InvalidGeometry(MasspropsError):
    """The geometry has no valid integral and no policy allows going on; `findings` say what is wrong with it."""

    exit_code = 4
    default_code = "invalid-geometry"

    def noting(self, findings: Sequence[Finding]) -> Self:
        """Copy of the error with what the reader of the file has noticed, which may be the cause."""
        found = self.also(findings)
        found.text += "".join(f"; {f.code}: {f.marked}" for f in findings)
        return found

    def also(self, findings: Sequence[Finding]) -> Self:
        """Copy of the error with more findings, which its message does not mention."""
        found = cast("Self", _restored(type(self), self.args, self.__dict__))
        found.findings = (*self.findings, *findings)
        return found


def written(value: object) -> str:
    """A wrong value in a message; of numbers with thousands of digits Python makes no text."""
    if isinstance(value, Integral) and abs(int(value)) >= _LONG:
        return "a number of more than 20 digits"
    try:
        return f"{' '.join(repr(value).split()):.80}"
    except ValueError:
        return f"a {type(value).__name__} with thousands of digits"


def require_type(value: object, kind: Any, parameter: str, expected: str) -> None:
    """Raise InvalidInput for an argument of another type: ``links must be names, got 3``; no number is a bool."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidInput(f"must be {expected}, got {written(value)}", parameter=parameter)


def require_count(value: Any, parameter: str, most: int = MOST_JOBS, least: int = 1) -> int:
    """The whole number, also one of NumPy; InvalidInput if it is none in a range: ``lines must be from 1 to 2000, got 0``."""
    require_type(value, Integral, parameter, "a whole number")
    if not least <= value <= most:
        raise InvalidInput(f"must be from {least} to {most}, got {written(value)}", parameter=parameter)
    return int(value)


def require_word(value: object, words: Iterable[str], parameter: str = "") -> str:
    """The value, if it is one of these words; else raise InvalidInput: ``mode must be one of all, none, got 'some'``."""
    known = tuple(words)
    if not isinstance(value, str) or value not in known:
        raise InvalidInput(f"must be one of {', '.join(known)}, got {value!r}", parameter=parameter)
    return str(value)


@contextmanager
def as_read_error(place: str, code: str = "") -> Iterator[None]:
    """A value of a file that breaks a rule becomes a ReadError whose message begins with `place`, by default with the same code."""
    try:
        yield
    except MissingExtra:
        raise
    except InvalidInput as error:
        raise ReadError(f"{place}: {error.message_in_file}", code=code or error.code, hint=error.remedy) from error


@contextmanager
def needing(extra: str, message: str, otherwise: str = "") -> Iterator[None]:
    """Imports of an optional package: where they fail, MissingExtra with `message`, whose hint names the extra and what to do without it.

    What is damaged, or mixed with another version or package of the same name, can raise anything; warnings are
    no damage, also where they are errors.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError)
        why = f"{error.name} is not installed" if missing else f"it is damaged: its import fails with {error!r:.80}"  # type: ignore[attr-defined]
        hint = f"pip install 'massprops[{extra}]'{'' if missing else ' in a new environment'}{otherwise}"
        raise MissingExtra(f"{message}: {why}", hint=hint) from error


@contextmanager
def stating_unit(unit: str) -> Iterator[None]:
    """Context whose errors know the length unit of the file that they are about."""
    try:
        yield
    except MasspropsError as error:
        error.unit = unit
        raise


T = TypeVar("T")


def result_or_error(function: Callable[..., T], *args: Any) -> T | MasspropsError:
    """Result of a function, or the error that it raises on purpose."""
    try:
        return function(*args)
    except MasspropsError as error:
        return error


def as_error(error: Exception, name: str) -> MasspropsError:
    """Error of ours for whatever went wrong with the input `name`, which it names; a defect's error has the traceback as a note."""
    if isinstance(error, InvalidInput) and not error.place and error.code == InvalidInput.default_code and name != "-":
        return error.at(name)
    if isinstance(error, MasspropsError):
        return error
    if isinstance(error, OSError):  # in the middle of a file: a failing disk, a lost network drive
        return ReadError(f"reading stopped: {error.strerror or error}", place=name)
    import traceback  # nine milliseconds that only a defect needs

    defect = MasspropsError(f"a defect in massprops: {error!r}", place=name, hint="please report it with the traceback")
    defect.add_note("".join(traceback.format_exception(error)))
    return defect
