"""What is read of a command line without typer is what typer reads."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from massprops.cli import groups
from massprops.cli.app import COMMANDS
from massprops.cli.with_typer import command

#: Values of options, also wrong ones, and what stands between options.
VALUES = ("1", "0.5", "-1", "nan", "json", "table", "error", "shell", "a=b", "", "-", "x y", "--", "2*a.stl", "steel")
APP = command()


def of_typer(name: str, words: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any] | None:
    """The values that typer hands to the command; None if it refuses the words or prints its help."""
    seen: list[dict[str, Any]] = []
    monkeypatch.setattr(groups, "call", lambda _function, values: seen.append(values))
    try:
        APP.main([name, *words], "massprops", standalone_mode=False)
    except Exception as error:
        assert hasattr(error, "format_message"), error  # noqa: PT017  # of typer, whose classes differ from version to version
    return seen[0] if seen else None


def comparable(values: dict[str, Any] | None) -> dict[str, Any] | None:
    """Without the difference between no values and none."""
    return None if values is None else {k: repr(v or None) if v in ([], None) else repr(v) for k, v in values.items()}


@pytest.mark.parametrize("name", COMMANDS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_command_line_is_read_as_typer_reads_it(
    name: str, data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    # else an option would mean one thing, and another once a mistake stands beside it
    function, order = COMMANDS[name].load()
    spellings = [word for d in groups.declared(function) if not d.is_argument for word in d.spellings]
    words: list[str] = []
    for word in data.draw(st.lists(st.sampled_from([*spellings, *VALUES, "a.stl"]), max_size=8)):
        words += [word, *data.draw(st.lists(st.sampled_from(VALUES), max_size=1))]
        if data.draw(st.integers(0, 5)) == 0:
            words[-2:] = ["=".join(words[-2:])]
    read = groups.read(function, order(words))
    if read is not None:
        assert comparable(read) == comparable(of_typer(name, words, monkeypatch))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_every_help_is_read_without_typer(name: str) -> None:
    # else the test above would compare nothing
    function, order = COMMANDS[name].load()
    words = shlex.split(COMMANDS[name].example.partition(" >")[0])[1:]
    assert groups.read(function, order(words)) is not None
