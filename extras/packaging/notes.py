"""Notes of a release: its section of CHANGELOG.md, printed if the tag, the version of the package and the date of the section agree."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def notes(tag: str, changelog: str, version: str) -> str:
    """The section of a version; SystemExit with the reason if it cannot be released under this tag."""
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag} and the version of the package {version}")
    found = re.search(rf"^## {re.escape(version)} \((.*?)\)\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None:
        sys.exit(f"CHANGELOG.md has no section '## {version} (DATE)'")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", found[1]):
        sys.exit(f"CHANGELOG.md: the section of {version} has no date: ({found[1]})")
    return found[2].strip() + "\n"


if __name__ == "__main__":
    stated = re.search(r'"(.+?)"', (ROOT / "massprops" / "_version.py").read_text("utf-8"))
    sys.stdout.write(notes(sys.argv[1], (ROOT / "CHANGELOG.md").read_text("utf-8"), stated[1] if stated else ""))
