"""The arguments of the library as options of the command line, for messages.

Tests: `tests/test_errors.py`.
"""

from __future__ import annotations

from functools import cached_property

from massprops.errors import Spelling


class CommandLine(Spelling):
    """Spelling of arguments as the options of the running command."""

    is_python = False

    def __init__(self, command: str) -> None:
        self._command = command

    @cached_property
    def _names(self) -> dict[str, str] | None:
        """Names of the parameters of the command, as it has them; None where no command is known."""
        from massprops.cli.app import COMMANDS
        from massprops.cli.groups import declarations

        if self._command not in COMMANDS:
            return None
        return {
            d.name: d.field.metadata["metavar"] if d.is_argument else d.spellings[0]
            for d in declarations(COMMANDS[self._command].load()[0])
        }

    def subject(self, name: str) -> str:
        """The option of an argument."""
        found = option_name(name)
        return found if self._names is None or found in self._names.values() else self._names.get(name, found)

    def argument(self, name: str, value: str = "") -> str:
        """The option, and its value: ``--nested cavity``."""
        return f"{self.subject(name)} {value}".removesuffix(" True").rstrip()

    def has(self, name: str) -> bool:
        """Whether the command has the option: meshes are also measured by commands without policies."""
        return self._names is None or name == "max_bytes" or option_name(name) in self._names.values()


#: Options whose name is neither that of the argument nor declared with it.
_NAMES = {"dialect": "--format", "masses": "--set", "packages": "--package"}


def option_name(argument: str) -> str:
    """Name of an option on the command line, for an argument of the library."""
    from massprops.measurement.options import Options

    found = Options.__dataclass_fields__.get(argument)
    names = () if found is None else found.metadata.get("names")
    return names[0] if names else _NAMES.get(argument) or f"--{argument.replace('_', '-')}"
