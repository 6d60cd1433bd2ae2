"""Declaration of an option: a field whose metadata serve the command line, its help, the configuration and the documentation.

The library declares the options of a measurement here once; `massprops.cli.groups` makes options of commands of them, and
`massprops.formats.config_file.parsers` keys of the configuration. Which options go together is one table, which is read here alone. A row
begins with the options that it is about, ``name`` or ``name=value`` as in Python; its verb says what the words after it are:

excludes   options that cannot be given beside it, or each other
needs      options of which one must be given beside it
only       output formats that it is for, or options that make it of use
of         kinds of files that it is for
single     it is for one body, in these output formats or in any

Tests: `tests/cli/test_groups.py`, `tests/cli/test_every_option.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, field, fields
from functools import cache, wraps
from typing import Any, TypeVar, cast

from massprops.errors import InvalidInput, Remedy
from massprops.values import regex
from massprops.wording import did_you_mean, plural

#: Panels of the help that several commands have.
MATERIAL = "Material and mass"
UNITS = "Units and accuracy"
INVALID = "Invalid geometry"
PLANE = "Plane files"
OUTPUT = "Output"
LIMITS = "Limits and requirements"
#: The rows of all commands and of Python.
_TABLE = """
density material mass area_density exclude each other
area_density excludes thickness kind=wall
densities materials list_parts excludes mass area_density exact
varying excludes mass material area_density thickness densities materials exact kind
infill needs kind=wall
kind=wall centered needs thickness
pose matrix frame frame_matrix exclude each other
verbose quiet exclude each other
config no_config exclude each other
combine together excludes model certificate
combine together exclude each other
output_table excludes combine output output_units digits about products axis certificate list_parts
output in_place diff check exclude each other
against excludes gltf_up geometry
lump_fixed excludes joint root overlap link principal consumer
timing fail_fast cluster needs output_table
send_files needs cluster
output_table only table
about products list_parts only table json
hash only json output_table
axis only table json csv markdown
digits only table urdf sdf mjcf usd csv markdown ten-vector
link only urdf sdf mjcf usd csv markdown ten-vector
principal consumer only urdf sdf mjcf usd
model only urdf sdf mjcf
rotation only sdf
order only ten-vector
lump_fixed only table json urdf csv markdown ten-vector
varying kind=sheet infill list_parts verify show certificate model of mesh
kind of mesh section
rings layers gap centered torsion ratios of section
joint geometry of robot
package gltf_up of robot assembly
view of mesh robot
output_table of mesh section
link model certificate ratios single
about products axis single table
"""
#: What a file is, and the noun of several.
_KINDS = {
    "mesh": ("a mesh", "meshes"),
    "section": ("a plane file", "plane files"),
    "robot": ("a robot", "robots"),
    "assembly": ("an assembly", "assemblies"),
    "results": ("a result", "results"),
    "bodies": ("a file of inertials", "inertials"),
    "unknown": ("of no known format", ""),
    "stdin": ("standard input", ""),
    "finding": ("the code of a finding", ""),
}
#: Options that make one body of several files.
_JOINS = ("combine", "together")
#: What stands for an option that has two meanings.
_NAMES = {"varying": "a density that varies"}


def option(  # noqa: D417  # the rules are named one by one
    panel: str | None,
    help: str,
    *names: str,
    default: Any = None,
    factory: Callable[[], Any] | None = None,
    **rules: Any,
) -> Any:  # the rules are named one by one
    """An option in a panel of the help, as the default of a parameter or field.

    Parameters
    ----------
    panel, help, names
        The panel of the help; one sentence, whose brackets are text, not markup; the names on a command line, if the name of the field
        with hyphens is not the only one.
    default, factory
        The default of the field; or a function that makes it.
    metavar, min, max
        The value in the help, and the limits of a number.
    words, check, parse
        How the configuration reads it: the words that it can be; a function that raises InvalidInput for a text or number that breaks
        the rule; or a function that gives what is stored in place of the value.
    complete
        A function that gives the words by which a shell completes it.
    scope
        The commands that have an option of the library: see `massprops.measurement.options`. By default ``file``, which is the
        configuration too, if one of `words`, `check` and `parse` is given.
    synonyms
        Words of other programs for it, which the message about an unknown option explains.
    common
        Whether the short help of long commands has it.
    pairs
        Of ``NAME=VALUE`` options: how a pair is written, and an example.
    is_optional
        Whether the value may be left out, at the end of the command line or before another option; it is then True.
    convert
        Of ``NAME=VALUE`` options: what a value becomes, given the text and its name in messages.
    """
    if {"words", "check", "parse"} & rules.keys():  # the configuration can read it
        rules.setdefault("scope", "file")
    metadata = {"names": names, "panel": panel, "help": help, **rules}
    return field(metadata=metadata, **({"default": default} if factory is None else {"default_factory": factory}))


def option_of(kind: Any, name: str, default: Any = None, **changes: Any) -> Any:
    """An option that another class declares, with another default, or other words in its help."""
    declared = next(f for f in fields(kind) if f.name == name)
    return field(default=default, metadata={**declared.metadata, **changes})


F = TypeVar("F", bound=Callable[..., Any])
#: Types of arguments that may be arrays, or whose readers say what to give instead of one.
_OF_ARRAYS = regex(r"\b(?:Any|ArrayLike|Rings|Iterable|Sequence(?!\[str)|tuple|Pose|Words)\b")
#: What is advised where arrays are given one after the other.
_ONE_TUPLE = "give arrays as one tuple, (vertices, faces), and options by name"


def public(typed: Callable[[], Any] | None = None, declared: Any = None) -> Callable[[F], F]:
    """Decorator of a function of the library: arguments that it does not have are named, with advice.

    `typed` gives the TypedDict of its ``**options``, whose defaults are those of the fields of `declared`: `spell_out` puts them into its
    signature, which completion and `help` show.
    """

    def decorate(function: F) -> F:
        code = function.__code__
        places, known = code.co_argcount, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        required = known[: places - len(function.__defaults__ or ())]
        takes_more, takes_others = bool(code.co_flags & 4), bool(code.co_flags & 8)

        @wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            if len(given) > places and not takes_more:
                what = f"{function.__name__} takes {plural(places, 'argument')} by place, and {len(given)} are given"
                raise InvalidInput(what, code="unknown-argument", hint=_ONE_TUPLE)
            if missing := [name for name in required[len(given) :] if name not in named]:
                what = f"{function.__name__} needs {' and '.join(missing)}"
                hint = _ONE_TUPLE if "faces" in named else f"see help(massprops.{function.__name__})"
                raise InvalidInput(what, code="missing-argument", hint=hint)
            if not takes_others and (others := sorted(named.keys() - set(known))):
                hint = did_you_mean(others[0], known)
                raise InvalidInput(f"there is no argument {others[0]!r}", code="unknown-argument", hint=hint)
            for name, value in (*zip(known[:places], given, strict=False), *named.items()):
                if type(ndim := getattr(value, "ndim", 0)) is int and ndim and not takes_array(name, value):
                    raise InvalidInput(f"must not be an array, got one of shape {value.shape}", argument=name)
            return function(*given, **named)

        def takes_array(name: str, array: Any) -> bool:
            types = function.__annotations__ | (typed().__annotations__ if typed is not None else {})
            kind, dtype = _text(types.get(name, "Any")), getattr(array, "dtype", None)  # a frame of pandas has several
            of_texts = getattr(dtype, "kind", "") in ("O", "U", "T")
            return _OF_ARRAYS.search(kind) is not None or ("Sequence[str]" in kind and of_texts)

        def spell_out() -> None:
            from inspect import Parameter, signature

            stated = signature(function)
            own = [p for p in stated.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
            types = {} if typed is None else typed().__annotations__
            defaults = {} if declared is None else {f.name: f for f in fields(declared)}
            more = [
                Parameter(name, Parameter.KEYWORD_ONLY, default=_default(defaults.get(name)), annotation=_text(kind))
                for name, kind in types.items()
                if name not in stated.parameters
            ]
            call.__signature__ = stated.replace(parameters=[*own, *more])  # type: ignore[attr-defined]

        call.spell_out = spell_out  # type: ignore[attr-defined]
        return cast("F", call)

    return decorate


def _default(declared: Any) -> Any:
    """The default of a field; None where it is made, or there is no field."""
    return None if declared is None or declared.default is MISSING else declared.default


def _text(annotation: Any) -> Any:
    return getattr(annotation, "__forward_arg__", annotation)


def flag(panel: str | None, help: str, *names: str, **rules: Any) -> Any:
    """A switch, ``--name`` without ``--no-name``."""
    return option(panel, help, *names, default=False, **rules)


def argument(metavar: str, help: str, *, default: Any = MISSING, **rules: Any) -> Any:
    """An argument by its place, as the default of a parameter."""
    return field(default=default, metadata={"metavar": metavar, "help": help, **rules})


@cache
def _rows(table: str) -> list[tuple[frozenset[str], list[list[str]]]]:
    """The names of the options of each row; and the options, the verb and the words."""
    found = (re.split(r" (excludes?|needs|only|of|single)\b", line) for line in table.strip().splitlines())
    rows = ([part.split() for part in row] for row in found)
    return [(frozenset(option.partition("=")[0] for option in row[0]), row) for row in rows]


def is_given(value: Any, default: Any) -> bool:
    """Whether the value of an option is not its default, and no empty list or mapping."""
    if isinstance(value, list | tuple | Mapping):
        return bool(value)
    return value is not default and not (isinstance(value, str | int) and value == default)


def applicable(given: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The options that are for this kind of file."""
    rows = [(options, words) for _, (options, verb, words) in _rows(_TABLE) if verb == ["of"]]
    barred = {option for options, words in rows if kind not in words for option in options}
    return {name: value for name, value in given.items() if barred.isdisjoint((name, f"{name}={value}"))}


def check_kinds(given: Mapping[str, Any], kinds: Collection[str]) -> None:
    """Raise InvalidInput for the first option that is for none of these kinds of files; standard input is of any."""
    used = {name for kind in kinds for name in applicable(given, kind)}
    for name, value in given.items():
        if name not in used and "stdin" not in kinds:
            check_applicable({name: value}, kind=min(kinds, default="mesh"))


def check_applicable(
    given: Mapping[str, Any], *, format: str | None = None, kind: str = "", bodies: int = 1, more: str = ""
) -> None:
    """Raise InvalidInput for the first option that does not go with another one, or is not for the format, the file or the bodies.

    `given` are the values of the options that are given; an output format or a kind of file is left out where it is not known;
    `more` are rows for this call alone.
    """

    def has(option: str) -> bool:
        name, is_value, value = option.partition("=")
        return name in given and (not is_value or given[name] == value)

    for options, (verb,), words in (row for names, row in _rows(_TABLE + more) if not names.isdisjoint(given)):
        for option in filter(has, options):
            there, names = list(filter(has, words)), [_NAMES.get(option, option)]
            others = [o for o in options if has(o) and o != option] if verb == "exclude" else there
            if others and verb in ("exclude", "excludes"):
                what = "{} and {} are mutually exclusive"
                raise InvalidInput(what, names=[*names, others[0]], hint="give one of them")
            if verb == "needs" and not there:
                raise InvalidInput("{} needs " + " or ".join(["{}"] * len(words)), names=[*names, *words])
            if verb == "only" and format and format not in words and not there:
                hint = Remedy(f"it is for {', '.join(words)}".replace("output_table", "{}"), "output_table")
                raise InvalidInput("{} has no meaning for {}", names=[*names, f"dialect={format}"], hint=hint)
            if verb == "of" and kind and kind not in words:
                what = f"{{}} is for {' and '.join(_KINDS[word][1] for word in words)}, and this is {_KINDS[kind][0]}"
                raise InvalidInput(what, names=names, hint="leave it out")
            if verb == "single" and bodies > 1 and (not words or format in words):
                barred = {word for _, (one, _, others) in _rows(_TABLE) if one == [*_JOINS] for word in others}
                what, see = f"{{}} is for one body, and there are {bodies}", () if option in barred else _JOINS
                raise InvalidInput(what, names=names, hint=Remedy("give one file", see=see))
