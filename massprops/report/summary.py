"""A report in one line."""

from __future__ import annotations

from massprops.checking.result import Report


def summary(report: Report) -> str:
    """One line: ``212 files, 3 failed, 1 unreadable, 14 warnings, 2.1 s``."""
    known = sum(len(c.known) for c in report.checked)
    return ", ".join(
        [
            _counted(report.files, "file"),
            f"{report.with_status('failed')} failed",
            f"{report.with_status('unreadable')} unreadable",
            _counted(report.with_severity("warning"), "warning"),
            *([f"{known} known"] if known else []),
            f"{report.seconds:.1f} s",
        ]
    )


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
