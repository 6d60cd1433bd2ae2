"""The arguments of the library as options of the command line, for messages.

Tests: `tests/test_errors.py`.
"""

from __future__ import annotations

from massprops.access import Spelling


class CommandLine(Spelling):
    """Spelling of arguments as the options of the running command."""

    is_python = False

    def __init__(self, command: str) -> None:
        self._command = command

    def subject(self, name: str) -> str:
        """The option of an argument."""
        return option_name(name)

    def argument(self, name: str, value: str = "") -> str:
        """The option, and its value: ``--nested cavity``."""
        return f"{option_name(name)} {value}".removesuffix(" True").rstrip()

    def has(self, name: str) -> bool:
        """Whether the command has the option: meshes are also measured by commands without policies."""
        from massprops.cli.app import COMMANDS
        from massprops.cli.groups import declarations

        if self._command not in COMMANDS or name == "max_bytes":
            return True
        command, _ = COMMANDS[self._command].load()
        return any(option_name(name) in d.spellings for d in declarations(command) if not d.is_argument)


#: Options whose name is neither that of the argument nor declared with it.
_NAMES = {"dialect": "--format", "masses": "--set", "packages": "--package"}


def option_name(argument: str) -> str:
    """Name of an option on the command line, for an argument of the library."""
    from massprops.measurement.options import Options

    found = Options.__dataclass_fields__.get(argument)
    names = () if found is None else found.metadata.get("names")
    return names[0] if names else _NAMES.get(argument) or f"--{argument.replace('_', '-')}"
