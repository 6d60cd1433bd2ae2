"""Groups of options: a frozen dataclass whose fields are options of a command, so that commands can share them as one value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer


@dataclass(frozen=True, kw_only=True)
class Group:
    """Base of all groups; every field is ``Annotated[type, typer.Option(...)]`` with a default."""

    def given(self) -> dict[str, Any]:
        """The options that were given, by name; the library has the defaults of the others."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) not in (None, [])}


def option(panel: str | None, help: str, *names: str, metavar: str | None = None, **rules: Any) -> Any:
    """An option in a panel of the help; its brackets are text, not markup."""
    return typer.Option(*names, help=help.replace("[", "\\["), metavar=metavar, rich_help_panel=panel, **rules)


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the fields of its groups as parameters, as typer reads them."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, type[Group]] = {
        name: kind for name, kind in hints.items() if isinstance(kind, type) and issubclass(kind, Group)
    }
    own = inspect.signature(function).parameters

    def parameters() -> Iterator[inspect.Parameter]:
        for name, parameter in own.items():
            if name not in groups:
                yield parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
                continue
            types = get_type_hints(groups[name], include_extras=True)
            for f in fields(groups[name]):
                default = inspect.Parameter.empty if f.default is MISSING else f.default
                yield inspect.Parameter(
                    f.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=types[f.name]
                )

    @wraps(function)
    def run(**values: Any) -> Any:
        grouped = {name: kind(**{f.name: values.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
        return function(**values, **grouped)

    signature = inspect.Signature(list(parameters()))
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    return run


#: Panels of the help that several commands have.
MATERIAL = "Material and mass"
UNITS = "Units and accuracy"
INVALID = "Invalid geometry"
OUTPUT = "Output"
REFERENCE = "Reference geometry"
POSE = "'X Y Z R P Y'"

Text = str | None
ConfigFile = Annotated[
    Text,
    option(
        "Files", "Configuration. [default: the nearest massprops.toml or pyproject.toml]", "--config", metavar="FILE"
    ),
]
NoConfig = Annotated[bool, option("Files", "Use no configuration.", "--no-config")]
AllowOutside = Annotated[
    bool,
    option(REFERENCE, "Read meshes and includes outside the robot's folder and packages.", "--allow-outside"),
]
Package = Annotated[
    list[str] | None,
    option(
        REFERENCE,
        "Folder of package://NAME; also searched: ROS_PACKAGE_PATH, GZ_SIM_RESOURCE_PATH …",
        metavar="NAME=FOLDER",
    ),
]
