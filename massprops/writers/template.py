"""Markup that people read in a browser, as templates of Jinja: HTML and SVG.

Tests: `tests/writers/test_page.py`.
"""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from massprops.formats.escaping import plain


def fill_template(name: str, **values: Any) -> str:
    """Text of a template with these values. All texts are escaped, and pass through `plain`, which leaves no character that XML forbids."""
    return _template(name).render(values)


@functools.cache
def _template(name: str) -> Template:
    environment = Environment(
        autoescape=True,
        finalize=_plain_text,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(read_text(name))


def read_text(name: str) -> str:
    """Text of a file, by its path in this room."""
    return files("massprops.writers").joinpath(name).read_text("utf-8")


def _plain_text(value: Any) -> Any:
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value
