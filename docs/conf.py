"""Sphinx: `sphinx-build -W --keep-going -b html docs build/docs`, after `pip install '.[docs]'`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import massprops

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "extras" / "packaging"))
from address import repository, with_addresses

project = "massprops"
author = "The massprops developers"
version = release = massprops.__version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"massprops {release}"
html_copy_source = False
nitpicky = True
smartquotes = False  # an option is pasted as it is: two hyphens are no dash


def leave_by_address(_app: Any, page: str, source: list[str]) -> None:
    """Give links that leave docs/ the address of the repository: these files are not in the built pages."""
    source[0] = with_addresses(source[0], f"docs/{page}.md", repository(), inside="docs/")


def setup(app: Any) -> None:
    """Register what changes pages before they are read."""
    app.connect("source-read", leave_by_address)
