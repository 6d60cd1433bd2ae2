"""Decimal numbers as texts have them, of any length, drawn from integers: regular expressions take ten times as long."""

from __future__ import annotations

from hypothesis import strategies as st


def _digits(longest: int) -> st.SearchStrategy[str]:
    """1 to `longest` digits, zeros in front among them."""
    return st.integers(1, longest).flatmap(lambda n: st.integers(0, 10**n - 1).map(lambda value: f"{value:0{n}}"))


def decimals(before: int, behind: int, power: int) -> st.SearchStrategy[str]:
    """Numbers with at most so many digits before and behind the point, and an exponent up to `power`, in all their spellings."""
    whole, part = _digits(before), st.just("") | _digits(behind)
    mantissa = whole | st.builds("{}.{}".format, whole, part) | _digits(behind).map(".{}".format)
    sign = st.sampled_from(["", "+", "-"])
    exponent = st.just("") | st.builds("{}{}{}".format, st.sampled_from("eE"), sign, st.integers(0, power).map(str))
    return st.builds("{}{}{}".format, sign, mantissa, exponent)
