"""What `check` found, in the words of CI systems: a format is a module with `text(report) -> str` and a line in `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from massprops.checking.report import Report


def _of(module: str) -> Callable[[Report], str]:
    def text(report: Report) -> str:
        function: Callable[[Report], str] = import_module(f"massprops.report.ci.{module}").text
        return function(report)

    return text


#: Name to the function that makes the text; its module is imported when it is called.
FORMATS: Mapping[str, Callable[[Report], str]] = {
    name: _of(name) for name in ("junit", "sarif", "github", "gitlab", "markdown")
}
