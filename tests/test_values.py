"""Classes of `massprops.values` behave as those of `dataclasses`, which share no code with their methods."""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import importlib
import inspect
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from massprops import values

MAKERS = (dataclasses.dataclass, values.dataclass)


def made(maker: Any) -> tuple[type, type]:
    """A class and one that inherits from it, by one of the two makers."""

    @maker(frozen=True)
    class Base:
        """A base."""

        a: int
        b: list[int] = dataclasses.field(default_factory=list, repr=False)
        c: str = dataclasses.field(default="x", compare=False)

    @maker(frozen=True, kw_only=True)
    class Derived(Base):
        """With more."""

        d: int = 4

        def __post_init__(self) -> None:
            if self.d < 0:
                raise ValueError("d")

    return Base, Derived


PAIRS = tuple(zip(*map(made, MAKERS), strict=True))


@values.dataclass(frozen=True)
class Kept:
    """A value that is pickled."""

    a: int
    b: tuple[int, ...] = ()


def outcome(do: Any) -> Any:
    try:
        return do()
    except (TypeError, ValueError) as error:
        return type(error)


numbers = st.integers(-2, 4)
arguments = st.tuples(
    st.lists(numbers, max_size=4), st.dictionaries(st.sampled_from("abcde"), numbers, max_size=4), st.integers(0, 1)
)


@given(arguments, arguments)
def test_they_are_made_compared_shown_and_replaced_alike(one: Any, other: Any) -> None:
    seen = []
    for which in (0, 1):
        x, y = (outcome(lambda made=made, i=which: PAIRS[made[2]][i](*made[0], **made[1])) for made in (one, other))
        shown = [repr(v) if dataclasses.is_dataclass(v) else v for v in (x, y)]
        whole = not isinstance(x, type)
        changed = outcome(lambda x=x: dataclasses.astuple(dataclasses.replace(x, a=9))) if whole else None
        hashed = outcome(lambda x=x: hash(x)) if whole else None
        seen.append((shown, x == y, changed, hashed))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("which", [0, 1])
def test_they_are_frozen_and_have_their_own_signature(which: int) -> None:
    pair = PAIRS[which]
    for cls in pair:
        value = cls(1)
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'a'"):
            value.a = 2
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'a'"):
            del value.a
    of_both = [[(p.name, p.kind, p.annotation) for p in inspect.signature(cls).parameters.values()] for cls in pair]
    assert of_both[0] == of_both[1]


def test_a_value_outlives_copies_and_pickles() -> None:
    value = Kept(1, (2,))
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):  # noqa: S301
        assert again == value
        assert hash(again) == hash(value)
    assert Kept(1) != value
    assert Kept(1) != dataclasses.make_dataclass("Kept", [("a", int)])(1)


def test_threads_that_make_the_first_instance_at_once_all_find_the_defaults() -> None:
    """Else files that are measured in threads fail at random, with a field that lacks its default."""
    together, interval = Barrier(4), sys.getswitchinterval()

    def first(cls: type) -> Any:
        together.wait()
        return outcome(lambda: cls(1).b)

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            for cls in (made(values.dataclass)[i % 2] for i in range(60)):
                assert list(pool.map(first, [cls] * 4)) == [[]] * 4
    finally:
        sys.setswitchinterval(interval)


# --- names in JSON ---------------------------------------------------------------------------------------------------


def annotation_of(cls: Any, name: str) -> str:
    """The annotation of a field, or of what a property or method returns; AttributeError where there is none."""
    for base in inspect.getmro(cls):
        member = vars(base).get(name)
        function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
        found = vars(base).get("__annotations__", {}).get(name) or getattr(function, "__annotations__", {}).get(
            "return"
        )
        if found:
            return cls.__name__ if found == "Self" else str(found)
    raise AttributeError(f"{cls.__name__} has no {name}")


class Attributes:
    """Types of the things that a module of ours gives to `json_object`, from annotations alone."""

    def __init__(self, path: Path) -> None:
        self.name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = (n for n in ast.walk(self.tree) if isinstance(n, ast.ImportFrom) and n.module)
        self.origins = {a.asname or a.name: n.module for n in imported for a in n.names}

    def named(self, annotation: str) -> type:
        """The class of an annotation, which may be imported for type checking only, and may allow None."""
        (name,) = [part for part in annotation.split(" | ") if part != "None"]
        known = vars(importlib.import_module(self.name))
        module = self.origins.get(name) if name not in known else None
        return getattr(importlib.import_module(module), name) if module else known[name]

    def of(self, node: ast.expr, function: ast.FunctionDef, owner: str) -> tuple[type, Attributes]:
        """The type of an expression in a function, and the module whose words its annotations are in."""
        if isinstance(node, ast.Call):
            return self.of(node.func, function, owner)
        if isinstance(node, ast.Attribute):
            cls, module = self.of(node.value, function, owner)
            return module.member(cls, node.attr)
        assert isinstance(node, ast.Name)
        if node.id == "self":
            return self.named(owner), self
        for argument in function.args.args:
            if argument.arg == node.id and argument.annotation is not None:
                cls = self.named(ast.unparse(argument.annotation))
                return cls, attributes(cls)
        (value,) = [
            n.value
            for n in ast.walk(function)
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and n.targets[0].id == node.id
        ]
        return self.of(value, function, owner)

    def member(self, cls: type, name: str) -> tuple[type, Attributes]:
        """The type of an attribute of a class."""
        base = next(base for base in inspect.getmro(cls) if name in {**vars(base), **inspect.get_annotations(base)})
        found = attributes(base).named(annotation_of(cls, name))
        return found, attributes(found)


@functools.cache
def attributes(cls: type) -> Attributes:
    return Attributes(Path(inspect.getfile(cls)))


def json_objects() -> Iterator[tuple[Attributes, str, ast.FunctionDef, ast.Call]]:
    """Every call of `json_object`: its module, class and function."""
    for path in sorted((ROOT / "massprops").rglob("*.py")):
        if "json_object(" not in path.read_text(encoding="utf-8") or path.name == "values.py":
            continue
        module = Attributes(path)
        for owner in ast.walk(module.tree):
            if isinstance(owner, ast.Module | ast.ClassDef):
                for function in (n for n in owner.body if isinstance(n, ast.FunctionDef)):
                    for call in ast.walk(function):
                        if isinstance(call, ast.Call) and ast.unparse(call.func) == "json_object":
                            yield module, getattr(owner, "name", ""), function, call


def texts_of(node: ast.expr, within: Attributes, function: ast.FunctionDef) -> list[str]:
    """The texts that an argument can be: written there, or under a name."""
    if isinstance(node, ast.Name):
        scopes = (*ast.walk(function), *within.tree.body)
        assigned = [n for n in scopes if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == node.id]
        return texts_of(assigned[0].value, within, function)
    if isinstance(node, ast.IfExp):
        return texts_of(node.body, within, function) + texts_of(node.orelse, within, function)
    return [ast.literal_eval(node)]


def test_every_path_that_is_written_in_json_is_an_attribute() -> None:
    """`json_object(self, "mass center_of_mass=body.com")` is a language that no type checker reads."""
    seen = 0
    for module, owner, function, call in json_objects():
        start = module.of(call.args[0], function, owner)
        for text in texts_of(call.args[1], module, function):
            for _, path in values._paths(text):
                cls, within = start
                for left, name in enumerate(path, 1 - len(path)):
                    known = {*dir(cls), *getattr(cls, "__dataclass_fields__", ())}
                    assert name in known, f"{module.name}:{call.lineno}: {cls.__name__} has no {name}"
                    if left:
                        cls, within = within.member(cls, name)
                seen += 1
    assert seen > 100
