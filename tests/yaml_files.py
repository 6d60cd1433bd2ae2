"""YAML files that other programs read, under the schemas that those programs publish."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from jsonschema.validators import validator_for


def parsed(text: str) -> Any:
    """YAML 1.2, in which `on` is a word."""
    return pytest.importorskip("ruamel.yaml").YAML(typ="safe").load(text)


def published_schema(name: str) -> Any:
    """The schema, as check-jsonschema ships it."""
    package = pytest.importorskip("check_jsonschema")
    return json.loads(resources.files(package).joinpath(f"builtin_schemas/vendor/{name}.json").read_text("utf-8"))


def validate(document: Any, name: str) -> None:
    schema = published_schema(name)
    assert [error.message for error in validator_for(schema)(schema).iter_errors(document)] == []
