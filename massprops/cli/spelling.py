"""The arguments of the library as options of the command line, for messages.

Tests: `tests/test_errors.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from massprops.access import Spelling, access
from massprops.values import regex
from massprops.wording import shell_word

#: Options whose name is neither that of the argument nor declared with it.
_NAMES = {"format": "--type", "dialect": "--format", "masses": "--set", "packages": "--package"}


#: Commands in advice that read a mesh, and state no unit.
_MEASURING = regex(r"massprops (compute|repair)(?= )(?!.* (?:-u|--(?:override-)?units|--help))")


def _units(words: Sequence[str]) -> str:
    """The unit of meshes that a command line states, as an option; empty without one."""
    for word, value in zip(words, [*words[1:], ""], strict=False):
        name, is_joined, joined = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        if name in ("-u", "--units", "--override-units"):
            return f" {name} {shell_word(joined if is_joined else value)}"
    return ""


def _configured_units(path: str) -> str:
    """The unit that the configuration sets for a file, as an option; empty without one."""
    settings = access().settings
    unit = settings(path).get("units") if settings is not None and path else None
    return "" if unit is None else f" --units {shell_word(unit)}"


@cache
def _names_of(command: str) -> dict[str, str]:
    """The options and arguments of a command, by their names in Python; empty if it is none."""
    from massprops.cli.app import COMMANDS
    from massprops.cli.groups import declarations

    known = declarations(COMMANDS[command].load()[0]) if command in COMMANDS else ()
    return {d.name: d.field.metadata["metavar"] if d.is_argument else d.spellings[0] for d in known}


class CommandLine(Spelling):
    """Spelling of arguments as the options of the running command, or of `compute` where it lacks them."""

    is_python = False

    def __init__(self, command: str) -> None:
        self._command = command

    def subject(self, name: str) -> str:
        """The option of an argument."""
        declared = _NAMES.get(name) or _names_of(self._command).get(name) or _names_of("compute").get(name)
        return declared or f"--{name.replace('_', '-')}"

    def argument(self, name: str, value: str = "") -> str:
        """The option, and its value: ``--nested cavity``."""
        return f"{self.subject(name)} {value}".removesuffix(" True").rstrip()

    def commands(self, text: str, path: str = "") -> str:
        """The advice, with the unit of the running command or of its configuration: a mesh read in another one gives other numbers."""
        units = _units(access().words) or _configured_units(path)
        of_repair = units.replace(" --override-units ", " --units ")  # it has no other
        return _MEASURING.sub(lambda match: match[0] + (of_repair if match[1] == "repair" else units), text)

    def has(self, name: str) -> bool:
        """Whether the command has the option: meshes are also measured by commands without policies."""
        known = _names_of(self._command)
        return not known or name == "max_bytes" or self.subject(name) in known.values()
