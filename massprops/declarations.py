"""Declaration of an option: a field whose metadata serve the command line, its help, the configuration and the documentation.

The library declares the options of a measurement here once; `massprops.cli.groups` makes options of commands of them, and
`massprops.formats.config_file.parsers` keys of the configuration.

Tests: `tests/cli/test_groups.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, field, fields
from typing import Any

#: Panels of the help that several commands have.
MATERIAL = "Material and mass"
UNITS = "Units and accuracy"
INVALID = "Invalid geometry"
PLANE = "Plane files"
OUTPUT = "Output"


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


def flag(panel: str | None, help: str, *names: str, **rules: Any) -> Any:
    """A switch, ``--name`` without ``--no-name``."""
    return option(panel, help, *names, default=False, **rules)


def argument(metavar: str, help: str, *, default: Any = MISSING, **rules: Any) -> Any:
    """An argument by its place, as the default of a parameter."""
    return field(default=default, metadata={"metavar": metavar, "help": help, **rules})
