"""Declarations that a start can afford (dataclasses that generate no code, patterns compiled when first used).

A frozen dataclass takes Python a millisecond to make and a pattern half of one, and measuring a part loads a hundred of them.
"""

from __future__ import annotations

import dataclasses
import re
from _thread import RLock
from collections.abc import Iterable
from dataclasses import MISSING, FrozenInstanceError
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass

    regex = re.compile
else:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True, kw_only: bool = False
    ) -> Any:
        """Decorator like `dataclasses.dataclass`, with the methods below, which all classes share; `fields`, `replace`, `asdict` work."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, eq=eq, repr=repr, kw_only=kw_only)
        cls.__doc__ = cls.__doc__ or cls.__name__  # else the signature would be made, for a docstring
        own = cls.__dict__
        methods: dict[str, Any] = {"__init__": _init, "__signature__": _Signature()}
        methods["__dataclass_fields__"] = _Fields(cls, kw_only)
        if repr:
            methods["__repr__"] = _repr
        if eq:
            methods["__eq__"] = _eq
        if frozen:
            methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
        methods = {name: method for name, method in methods.items() if name not in own}
        if eq and own.get("__hash__") is None:
            methods["__hash__"] = _hash if frozen else None
        for name, method in methods.items():
            setattr(cls, name, method)
        return cls

    class regex:  # noqa: N801  # as `re.compile`, whose arguments it has
        """Pattern like that of `re.compile`, compiled when a method of it is first used."""

        _asked = "", 0  # for a copy that has no state yet: it is asked how it takes one

        def __init__(self, text: str | bytes, flags: int = 0) -> None:
            self._asked = text, flags

        def __getattr__(self, name: str) -> Any:
            return self.__dict__.setdefault(name, getattr(re.compile(*self._asked), name))


def flat(items: Iterable[Any]) -> list[Any]:
    """Items in order, those of a list one by one."""
    return [one for item in items for one in (item if isinstance(item, list) else [item])]


_Forms = tuple[tuple[str, ...], frozenset[str], tuple[tuple[str, Any, Any], ...], bool]
#: Instances of a class after which its `__init__` is generated: it then takes a third of the time.
_MANY = 64
#: How many of these instances each class still has to make.
_LEFT: dict[type, int] = {}
#: Of each class that has an instance: the names of positional arguments; of all fields; name, default and factory of those that may be
#: left out; and whether there is a `__post_init__`.
_FORMS: dict[type, _Forms] = {}
#: Held while the fields of a class are made, which moves their defaults out of the class: a second thread would not find them.
_LOCK = RLock()


def _form(cls: type) -> _Forms:
    found = [f for f in dataclasses.fields(cls) if f.init]
    form = _FORMS[cls] = (
        tuple(f.name for f in found if not f.kw_only),
        frozenset(f.name for f in found),
        tuple(
            (f.name, f.default, f.default_factory)
            for f in found
            if f.default is not MISSING or f.default_factory is not MISSING
        ),
        hasattr(cls, "__post_init__"),
    )
    return form


def _generate(cls: type) -> None:
    """Give a class the `__init__` that `_init` stands for."""
    positional, names, optional, completes = _FORMS[cls]
    known = {f"_{name}": default if factory is MISSING else factory for name, default, factory in optional}
    made = {name for name, _, factory in optional if factory is not MISSING}
    arguments = [f"{name}=_{name}" if f"_{name}" in known else name for name in positional]
    rest = [f"{name}=_{name}" if f"_{name}" in known else name for name in names.difference(positional)]
    values = (
        f"{name}=_{name}() if {name} is _{name} else {name}" if name in made else f"{name}={name}" for name in names
    )
    text = f"def __init__(self, {', '.join([*arguments, *(['*', *rest] if rest else [])])}):\n"
    text += f"    self.__dict__.update({', '.join(values)})\n" + "    self.__post_init__()\n" * completes
    exec(text, known)  # noqa: S102  # as `dataclasses` does
    cls.__init__ = known["__init__"]  # type: ignore[misc]


def _init(self: Any, /, *args: Any, **given: Any) -> None:
    cls = type(self)
    left = _LEFT[cls] = _LEFT.get(cls, _MANY) - 1
    if left == 0 and cls.__init__ is _init and cls in _FORMS:
        _generate(cls)
    positional, names, optional, completes = _FORMS.get(cls) or _form(cls)
    put = self.__dict__
    put.update(zip(positional, args, strict=False))
    put.update(given)
    count = len(args) + len(given)
    if len(args) > len(positional) or len(put) != count:
        raise TypeError(f"{cls.__name__}() takes {len(positional)} positional arguments, each value once")
    if count < len(names):
        for name, default, factory in optional:
            if name not in put:
                put[name] = factory() if default is MISSING else default
    if len(put) != len(names) or (given and put.keys() != names):
        wrong, rule = (put.keys() - names, "has no argument") if put.keys() - names else (names - put.keys(), "needs")
        raise TypeError(f"{cls.__name__}() {rule} {', '.join(sorted(wrong))}")
    if completes:
        self.__post_init__()


def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, f.name) for f in dataclasses.fields(self) if f.compare)


def _eq(self: Any, other: Any) -> bool:
    return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _refuse(_self: Any, name: str, *value: Any) -> None:
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


class _Fields:
    """The fields of a class, which `dataclasses` looks for and puts in place of this, when they are first asked for."""

    def __init__(self, cls: type, kw_only: bool) -> None:
        self._cls, self._kw_only = cls, kw_only

    def __get__(self, instance: Any, owner: type) -> Any:
        with _LOCK:
            if vars(self._cls)["__dataclass_fields__"] is self:
                make = dataclasses.dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=self._kw_only)
                make(self._cls)
            return vars(self._cls)["__dataclass_fields__"]


class _Signature:
    """The arguments of a class, for `help` and `inspect.signature`, made when they are asked for."""

    def __get__(self, instance: Any, owner: type) -> Any:
        from inspect import Parameter, Signature

        def parameter(f: dataclasses.Field[Any]) -> Parameter:
            kind = Parameter.KEYWORD_ONLY if f.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            default: Any = Parameter.empty if f.default is MISSING else f.default
            default = default if f.default_factory is MISSING else f.default_factory
            return Parameter(f.name, kind, default=default, annotation=f.type)

        found = [f for f in dataclasses.fields(owner) if f.init]
        return Signature([parameter(f) for f in sorted(found, key=lambda f: bool(f.kw_only))], return_annotation=None)
