"""Parts of sentences that every message shares."""

from __future__ import annotations

import math

from cases import each

from massprops.wording import did_you_mean, limit_share, percent, plural, sizes


def test_one_thing_is_singular_and_any_other_number_plural() -> None:
    assert [plural(n, "edge") for n in (0, 1, 2)] == ["0 edges", "1 edge", "2 edges"]
    assert plural(2, "vertex", "vertices") == "2 vertices"
    assert plural(1, "vertex", "vertices") == "1 vertex"


@each(
    ("share", "text"),
    [
        (0.0966, "9.66 %"),
        (0.0, "0 %"),
        (-0.25, "-25 %"),
        (1.0, "100 %"),
        (1.5, "150 %"),
        (2.0, "200 %"),
        (22.96, "23 times"),
        (28117808592.75, "more than 1e6 times"),
        (12345.6, "12300 times"),
        (6.6e-17, "less than 1e-07 %"),
        (math.inf, "more than 1e6 times"),
        (1e-5, "0.001 %"),
    ],
)
def test_shares_are_in_percent_and_large_ones_are_factors(share: float, text: str) -> None:
    assert percent(share) == text


def test_a_limit_is_a_number_however_small() -> None:
    """What is above it is never "more than less than 1e-07 %"."""
    assert [limit_share(x) for x in (0.1, 1e-12)] == ["10 %", "1e-12 of it"]


def test_a_share_has_no_more_than_four_digits() -> None:
    assert percent(1 / 3, digits=9) == "33.33 %"


def test_the_nearest_word_is_suggested_or_else_all_are_listed() -> None:
    assert did_you_mean("volum", ["volume", "mass"]) == "did you mean volume?"
    assert did_you_mean("xyz", ["volume", "mass"]) == "known: volume, mass"
    assert did_you_mean("xyz", ["volume", "mass"], otherwise="see --help") == "see --help"


@each(
    ("share", "text"),
    [(0.004, "0.4 % of the size"), (2.0, "200 % of the size"), (87.2, "87.2 sizes"), (1e9, "more than 1e6 sizes")],
)
def test_a_length_beside_a_size_is_a_share_or_a_number_of_sizes(share: float, text: str) -> None:
    assert sizes(share) == text
