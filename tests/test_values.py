"""Classes of `massprops.values` behave as those of `dataclasses`, which share no code with their methods."""

from __future__ import annotations

import ast
import copy
import dataclasses
import importlib
import inspect
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT, parsed

from massprops import values

MAKERS = (dataclasses.dataclass, values.dataclass)
_OF_SELF = ["json_object", "self"]


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
    assert pickle.loads(pickle.dumps(copy.copy(values.regex("a+")))).fullmatch("aa")  # noqa: S301
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


def test_every_name_that_is_written_in_json_is_an_attribute() -> None:
    """`json_object(self, "mass grade")` names attributes that no type checker reads."""
    seen = 0
    for path in sorted((ROOT / "massprops").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for owner in parsed(path).body if "json_object(" in text else ():
            for call in ast.walk(owner):
                if isinstance(call, ast.Call) and [ast.unparse(x) for x in (call.func, *call.args)][:2] == _OF_SELF:
                    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
                    cls = getattr(module, owner.name)
                    names = " ".join(n.value for n in ast.walk(call.args[1]) if isinstance(n, ast.Constant)).split()
                    known = {*dir(cls), *getattr(cls, "__dataclass_fields__", ())}
                    assert set(names) <= known, f"{path}:{call.lineno}"
                    seen += len(names)
    assert seen > 60
