"""Sphinx: `sphinx-build -W --keep-going -b html docs build/docs`, after `pip install '.[docs]'`."""

from __future__ import annotations

import massprops

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
