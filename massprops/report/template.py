"""Markup that people read in a browser, as templates of Jinja: HTML and SVG."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from massprops.formats.escaping import plain


def filled_in(name: str, **values: Any) -> str:
    """A template, by its path in this room, with these values: all texts pass through `plain`, in which XML has no forbidden character,
    and are escaped.
    """
    return _template(name).render(values)


@functools.cache
def _template(name: str) -> Template:
    environment = Environment(
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(text_of(name))


def text_of(name: str) -> str:
    """A file of this room."""
    return files("massprops.report").joinpath(name).read_text("utf-8")


def _shown(value: Any) -> Any:
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value
