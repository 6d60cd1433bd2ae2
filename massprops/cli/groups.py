"""Options of commands, as the defaults of parameters; groups of them that commands share are frozen dataclasses.

A command is a function whose parameters are groups, or have an `option`, `flag` or `argument` as their default. `read` gives its
arguments for a command line, or says what is wrong with it; help and completion are typer's, which takes half as long to import as numpy
and is imported for these alone: see `massprops.cli.with_typer`.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from functools import cache
from inspect import get_annotations
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_args, get_origin

from massprops.declarations import INVALID, OUTPUT, flag, is_given, option
from massprops.errors import InvalidInput, written
from massprops.formats.config_file import nearest
from massprops.formats.escaping import plain
from massprops.values import dataclass
from massprops.wording import did_you_mean, shell_word

if TYPE_CHECKING:
    from massprops.checking.config import Config

Word = TypeVar("Word", bound=str)
#: Options that ask for help; before the command also those that typer answers by itself.
HELP = ("--help", "--help-all", "-h")
COMPLETION = ("--install-completion", "--show-completion")
#: The option of the output format, and the word that stands for one of its values.
FORMAT, JSON = "--format", "--json"
FORMAT_JSON = f"{FORMAT}=json"


@dataclass(frozen=True, kw_only=True)
class Group:
    """Base of all groups; the default of every field is an `option`.

    ``class Measuring(Group, of=Options, scope="file body")`` has the options that a class of the library declares with one of these
    scopes, or those of one panel.
    """

    def __init_subclass__(cls, *, of: Any = None, scope: str = "file", panel: str | None = None) -> None:
        if of is None:
            return
        found = [
            f for f in fields(of) if f.metadata.get("scope", "-") in scope and panel in (None, f.metadata["panel"])
        ]
        own = get_annotations(cls)
        inherited = {}
        for f in sorted(found, key=lambda f: f.metadata["panel"] == INVALID):  # which `Options` inherits, last
            kind = str(f.type).partition("[")[0]
            is_list = kind in ("list", "tuple", "Mapping", "Sequence")
            inherited[f.name] = kind if kind in ("bool", "int") else "list[str] | None" if is_list else "str | None"
            setattr(cls, f.name, field(default=f.default if kind in ("bool", "int") else None, metadata=f.metadata))
        cls.__annotations__ = inherited | own

    def given(self) -> dict[str, Any]:
        """The options that were given, by name, as the library takes them; the library has the defaults of the others."""
        values = ((f, getattr(self, f.name)) for f in fields(self))
        return {f.name: _library_value(f, v) for f, v in values if is_given(v, f.default)}


def _library_value(f: Field[Any], value: Any) -> Any:
    """The value of an option as the library takes it: pairs ``NAME=VALUE`` are a mapping."""
    if "pairs" not in f.metadata:
        return value
    name = spellings(f.name, f)[0]
    found = parse_pairs(name, value, *f.metadata["pairs"])
    convert = f.metadata.get("convert")
    return found if convert is None else {k: convert(v, name=f"{name[2:]} of {k}") for k, v in found.items()}


def parse_pairs(option: str, given: Sequence[str] | None, form: str, example: str, joined: str = "") -> dict[str, str]:
    """Values of `NAME=VALUE` options by name; a name may hold `=` itself, and be given again where `joined` stands between values.

    Raises
    ------
    InvalidInput
        If one has no name or no value, or a name is given twice.
    """
    found: dict[str, str] = {}
    for text in given or ():
        name, _, value = text.rpartition("=")
        if not name or not value:
            raise InvalidInput(f"{option} {text!r} is not {form}", hint=f"for example {option} {example}")
        if name in found and not joined:
            raise InvalidInput(f"{option} {name} is given twice", hint="give it once")
        found[name] = f"{found[name]}{joined}{value}" if name in found else value
    return found


def spellings(name: str, f: Field[Any]) -> tuple[str, ...]:
    """The names of an option on the command line; a parameter of a function has a field without a name."""
    return f.metadata["names"] or (f"--{name.replace('_', '-')}",)


class CommandParameter(NamedTuple):
    """A parameter of a command: its name, its declaration, its type as written, and where that is written."""

    name: str
    field: Field[Any]
    type_text: str
    module: str

    @property
    def is_argument(self) -> bool:
        """Whether it has a place instead of a name."""
        return "names" not in self.field.metadata

    @property
    def takes_value(self) -> bool:
        """Whether it is an option that a value follows."""
        return not self.is_argument and self.type_text != "bool"

    @property
    def spellings(self) -> tuple[str, ...]:
        """The names of an option."""
        return spellings(self.name, self.field)

    @property
    def forms(self) -> str:
        """Names of the option, the short one first, or the argument, as help and documents have them."""
        if self.is_argument:
            name: str = self.field.metadata["metavar"]
            return name if self.field.default is MISSING else f"[{name}]"
        return ", ".join(sorted(self.spellings, key=len))

    @property
    def placeholder(self) -> str:
        """Placeholder of the value in help and documents; empty for flags and arguments."""
        known = self.field.metadata.get("metavar") or "|".join(self.words)
        return (known or {int: "N", float: "X"}.get(self.type, "TEXT")) if self.takes_value else ""

    @property
    def is_file(self) -> bool:
        """Whether its value is the name of a file, or of several."""
        form = self.field.metadata["metavar"] if self.is_argument else self.placeholder
        return any(kind in form for kind in ("FILE", "MESH", "ROBOT", "PATH"))

    @property
    def writes(self) -> bool:
        """Whether it names a file that the command writes."""
        return bool(self.field.metadata.get("writes"))

    @property
    def title(self) -> str:
        """Its names, or what stands for its value, in messages about mistakes."""
        return " / ".join(
            f"'{name}'" for name in ((self.field.metadata["metavar"],) if self.is_argument else self.spellings)
        )

    @property
    def type(self) -> Any:
        """Its type, without None."""
        if words := self.field.metadata.get("words"):
            return Literal.__getitem__(words)
        if self.type_text.startswith("list["):
            return list[str]
        found = eval(self.type_text, vars(sys.modules[self.module]))  # noqa: S307  # what a module of ours says
        return (
            next(t for t in (*get_args(found), found) if t is not type(None))
            if get_origin(found) is not Literal
            else found
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it can be; empty if it is a text or a number."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    def value(self, word: str) -> Any:
        """A word of the command line as a value of its type; InvalidInput if it is none."""
        if (words := self.words) and word not in words:
            raise self._mistake(f"{word!r} is not one of {', '.join(map(repr, words))}")
        if self.type not in (int, float):
            return word
        try:
            value = self.type(word)
        except ValueError:
            raise self._mistake(f"{written(word)} is not a {'whole ' if self.type is int else ''}number") from None
        if self.type is float and not math.isfinite(value):
            raise self._mistake(f"{word!r} is not a finite number")
        low, high = (self.field.metadata.get(end) for end in ("min", "max"))
        if (low is not None and value < low) or (high is not None and value > high):
            limits = f"x>={low}" if high is None else f"{low}<=x<={high}"
            raise self._mistake(f"{written(value)} is not in the range {limits}")
        return value

    def parsed(self, words: Sequence[Any]) -> Any:
        """The value that the words of a command line give it, the last one if it is not repeatable; a flag has True for a word."""
        found = [w if w is True else self.value(w) for w in (words if self.is_repeatable else words[-1:])]
        return found if self.is_repeatable else found[-1]

    def _mistake(self, what: str) -> InvalidInput:
        return InvalidInput(f"invalid value for {self.title}: {what}")

    @property
    def is_repeatable(self) -> bool:
        """Whether it takes several values."""
        return self.type_text.startswith("list[")


def groups_of(function: Callable[..., Any]) -> dict[str, type[Group]]:
    """The parameters of a command that are groups."""
    own = function.__kwdefaults__ or {}
    kinds = {name: kind for name, kind in function.__annotations__.items() if name not in (*own, "return")}
    return {name: vars(sys.modules[function.__module__])[kind] for name, kind in kinds.items()}


#: The option of the commands that print no tables; of others it also leaves numbers out.
QUIET = CommandParameter(
    "quiet", flag(OUTPUT, "Errors, warnings and findings only.", "--quiet", "-q"), "bool", __name__
)


def declarations(function: Callable[..., Any], *, is_root: bool = False) -> Iterator[CommandParameter]:
    """The parameters of a command, with the fields of its groups in their place; every command has --quiet, but not the root."""
    found = _declared(function)
    yield from found if is_root or QUIET.name in {d.name for d in found} else (*found, QUIET)


@cache
def _declared(function: Callable[..., Any]) -> tuple[CommandParameter, ...]:
    groups, own = groups_of(function), function.__kwdefaults__ or {}
    found = []
    for name, text in function.__annotations__.items():
        if name in own:
            found.append(CommandParameter(name, own[name], text, function.__module__))
        elif name in groups:
            for f in fields(groups[name]):
                home = next(c for c in groups[name].__mro__ if f.name in get_annotations(c))
                found.append(CommandParameter(f.name, f, str(f.type), home.__module__))
    return tuple(found)


def format_for(format: Word | None, output: str | None, suffixes: Mapping[str, Word], default: Any = "table") -> Word:
    """The output format: the one given, else that of the output file's suffix, else the default.

    Raises
    ------
    InvalidInput
        If the suffix is that of another format.
    """
    suffix = PurePath(output or "").suffix.lower()
    implied = suffixes.get(suffix)
    chosen: Word = format or implied or default
    # .xml and .txt may hold any text, and .json what is JSON
    is_same = suffix == ".xml" or (implied == "json" and chosen in ("gitlab", "sarif"))
    if implied not in (None, chosen) and not is_same:
        what = f"{output}: {suffix} files hold {implied}, not {format}"
        raise InvalidInput(what, hint="leave --format out, or choose another suffix")
    return chosen


def call(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Run a command with values by name."""
    groups = groups_of(function)
    grouped = {name: kind(**{f.name: values.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
    if QUIET.name not in function.__annotations__:  # that of all commands, which no group took
        values.pop(QUIET.name, None)
    return function(**values, **grouped)


def read(known: Sequence[CommandParameter], words: Sequence[str], *, is_root: bool = False) -> dict[str, Any] | None:
    """The values of a command line, by name; None if it asks for help. The words of a root end before the first one without a dash.

    Raises
    ------
    InvalidInput
        If an option or an argument is unknown, missing or breaks its rule.
    """
    given: dict[str | None, list[Any]] = {}
    for d, value in _parsed(known, words, is_root=is_root):
        given.setdefault(d and d.name, []).append(value)
    free = given.pop(None, [])
    if True in free:
        return None
    for d in (d for d in known if d.is_argument and free):
        given[d.name], free = (free, []) if d.is_repeatable else (free[:1], free[1:])
    values = {d.name: d.parsed(given[d.name]) if d.name in given else d.field.default for d in known}
    for d in sorted(known, key=lambda d: not d.is_argument):
        if values[d.name] is MISSING:
            raise InvalidInput(f"missing {'argument' if d.is_argument else 'option'} {d.title}")
    if free:
        raise InvalidInput(f"got unexpected extra argument(s) ({' '.join(free)})", code="extra-arguments")
    return values


def _parsed(
    known: Sequence[CommandParameter], words: Sequence[str], *, is_root: bool
) -> Iterator[tuple[CommandParameter | None, Any]]:
    """Each option of a command line with its value, or with True if it takes none; None with each other word, with True for help."""
    by_word = {name: d for d in known if not d.is_argument for name in d.spellings}
    left = list(reversed(words))
    while left:
        word = left.pop()
        if word[:1] != "-" or word in ("-", "--") or word[:2] == "-#":  # a link on standard input
            rest = left if is_root or word == "--" else []
            yield from ((None, free) for free in (*[word] * (word != "--"), *reversed(rest)))
            rest.clear()
            continue
        word = FORMAT_JSON if word == JSON and JSON not in by_word and FORMAT in by_word else word
        name, equals, text = word.partition("=") if word.startswith("--") else (word[:2], "", word[2:])
        d = by_word.get(name)
        if d is None and name not in (*HELP, *(COMPLETION if is_root else ())):
            is_file = os.path.exists(word)  # noqa: PTH110  # pathlib's raises for a name that is too long
            near = f"the file is {shell_word(word)}" if is_file else _nearest_option(name, known, by_word)
            raise InvalidInput(f"no such option: {plain(name)}", hint=near)
        is_last = not equals and (not left or left[-1][:1] == "-")
        takes_value = d is not None and d.takes_value and not (is_last and d.field.metadata.get("is_optional"))
        if takes_value and not (equals or text or left):
            raise InvalidInput(f"option '{name}' requires an argument")
        if equals and not takes_value:
            raise InvalidInput(f"option '{name}' does not take a value")
        if text and not takes_value:  # short options that are joined, as -vq
            left.append(f"-{text}")
        yield d, True if not takes_value else text if equals or text else left.pop()


def _nearest_option(name: str, known: Sequence[CommandParameter], by_word: dict[str, CommandParameter]) -> str:
    """The option that was probably meant by an unknown one; a format is a value of an option."""
    if meant := next((d for d in known if name[2:] in d.field.metadata.get("synonyms", "").split()), None):
        return f"did you mean {meant.spellings[0]}?"
    if FORMAT in by_word and name[2:] in by_word[FORMAT].words:
        return f"did you mean {FORMAT} {name[2:]}?"
    return did_you_mean(name, [word for word in (*by_word, *HELP) if word.startswith("--")], "")


#: Panels of the help that several commands have, besides those of `massprops.declarations`.
REFERENCE = "Reference geometry"
ROBOT = "Robots (URDF, SDF, MJCF)"
POSE = "'X Y Z R P Y'"

Text = str | None


def format_option(**rules: Any) -> Any:
    """The output format of a command, by name or by the suffix of its file."""
    text = "Format; --json is --format json. [default: by the suffix of --output, else table]"
    return option(OUTPUT, text, FORMAT, "-f", common=True, synonyms="to", **rules)


def output_option(help: str = "Write to FILE (atomically).", metavar: str = "FILE", **rules: Any) -> Any:
    """The file, or with another `metavar` the folder, that a command writes."""
    return option(OUTPUT, help, "--output", "-o", metavar=metavar, common=True, writes=True, synonyms="out", **rules)


@dataclass(frozen=True, kw_only=True)
class DisplayOptions(Group):
    """Display of numbers: their units and digits, and how much of a result is printed. JSON and robot files are SI."""

    output_units: Text = option(
        OUTPUT,
        "Units of tables, Markdown and CSV, in any order: mm,g or in,lb. [default: tables: those of the file; else SI]",
        metavar="UNITS",
        common=True,
    )
    digits: int | None = option(
        OUTPUT,
        "Significant digits. Robot formats: rounded numbers are checked again. [default: tables: at most 6; robots: as the ±; else all]",
        metavar="N",
        min=1,
        max=17,
    )
    verbose: bool = flag(
        OUTPUT, "Tables: more numbers, the sources of the ±, the checks that passed.", "--verbose", "-v", common=True
    )
    quiet: bool = flag(OUTPUT, "Tables: findings only.", "--quiet", "-q")

    def __post_init__(self) -> None:
        if self.output_units is not None:  # a wrong unit is refused also where none is shown
            from massprops.measurement.output_units import OutputUnits

            OutputUnits().chosen(self.output_units)

    def check_digits(self, kind: str, *formats: str) -> None:
        """Raise InvalidInput where digits are asked for in a format that is not rounded."""
        if self.digits is not None and kind not in formats:
            raise InvalidInput(
                "{} has no meaning for {}", names=("digits", f"dialect={kind}"), hint=f"it is for {', '.join(formats)}"
            )

    def units(self, config: Config | None = None) -> str | None:
        """The units that were asked for: on the command line, else in the configuration, by default the nearest one."""
        source = self.units_source(config)
        return self.output_units if source is None else source.run.output_units

    def units_source(self, config: Config | None = None) -> Config | None:
        """The configuration that the units are from, by default the nearest one; None where they are from elsewhere."""
        if self.output_units is not None:
            return None
        if config is None and nearest(Path.cwd()) is not None:
            from massprops.checking.config import Config

            config = Config.find(Path.cwd())
        return config if config is not None and config.run.output_units is not None else None
