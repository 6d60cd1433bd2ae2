"""Values as JSON has them.

Tests: `tests/test_values.py`.
"""

from __future__ import annotations

from typing import Any


def json_value(value: Any) -> Any:
    """A value as JSON has it: arrays and tuples are lists, objects what their `to_dict` says."""
    if value is None or type(value) in (float, str, int):
        return value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(map(json_value, value)) if isinstance(value, tuple | list) else value


def json_object(thing: object = None, names: str = "", /, **others: object) -> dict[str, Any]:
    """Attributes of an object under their names, then other values under theirs, as JSON has them; None has only None."""
    found = {name: None if thing is None else getattr(thing, name) for name in names.split()}
    return {name: json_value(value) for name, value in (found | others).items()}
