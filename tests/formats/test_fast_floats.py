"""Numbers of a text are those of `float()` and `int()` to the last bit, or are handed back."""
# ruff: noqa: S311  # cases that come back with their seed, not secrets

from __future__ import annotations

import random
import re
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from massprops.formats.fast_floats import Words, all_whole, finite_floats, floats, integers

# Written out once more, so that a slip in the program's own pattern is seen.
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[+-]?[0-9]+")


def bits(values):
    return [struct.pack("<d", value) for value in values]


def check(tokens):
    """What is not left is the double of `float()`; how many are left comes back."""
    values, left = floats(Words(" ".join(tokens).encode()))
    assert len(values) == len(tokens)
    done = sorted(set(range(len(tokens))) - set(left.tolist()))
    wrong = [tokens[i] for i in done if not DECIMAL.fullmatch(tokens[i])]
    assert wrong == []
    assert bits(values[done]) == bits([float(tokens[i]) for i in done])
    return len(left)


def check_all(tokens):
    assert check(tokens) == 0


# What files have is done without help.

FORMS = ["%.6f", "%.9f", "%+.3f", "%e", "%.3E", "%g", "%.9g", "%.15g", "%d"]


@pytest.mark.parametrize("form", FORMS)
def test_numbers_as_programs_print_them_are_those_of_float(form):
    random.seed(form)
    check_all([form % (random.gauss(0, 1) * 10.0 ** random.randrange(-4, 5)) for _ in range(20_000)])


@pytest.mark.parametrize("form", ["%.16g", "%.17g", "%r"])
def test_doubles_in_full_are_those_of_float(form):
    """Up to 17 digits: beyond 2⁵³, one division rounds twice."""
    random.seed(form)
    check_all(
        [
            form % (random.choice((-1, 1)) * random.uniform(0.1, 1) * 10.0 ** random.randrange(-3, 6))
            for _ in range(40_000)
        ]
    )


def test_short_forms_are_read():
    check_all(["1", "-1", "+1", "0", "-0", "+0", "-0.0", "5.", ".5", "-.5", "+.5", "007", "-00.500", "0.", ".0"])
    check_all(["1234567890123456789", "0.1234567890123456789", "-0.0001234567890123456", "12345678901.12345678e-5"])
    check(["1e000000005", "1e-0000000003", "1.5e00000000000000000002", "1e0000000050", "1e99999999", "1e-999999999"])
    check_all(["1e5", "1E5", "1e+5", "1e-5", "1.e5", ".1e5", "-1.5E-05", "0e0", "0e9", "12345678e-3", "1e22", "1e-22"])


def test_minus_zero_keeps_its_sign():
    values, left = floats(Words(b"-0 -0.00 -.0e3 0"))
    assert left.tolist() == []
    assert np.signbit(values).tolist() == [True, True, True, False]


@pytest.mark.parametrize("digits", range(1, 25))
def test_every_number_of_digits_before_and_behind_the_point(digits):
    random.seed(digits)
    run = ["".join(random.choices("0123456789", k=digits)) for _ in range(300)]
    check(run)
    check_all([f"0.{'0' * (22 - digits)}{r}" for r in run] if digits < 19 else ["1"])
    for point in range(digits + 1):
        check([f"{r[:point]}.{r[point:]}" for r in run])


def test_a_block_may_mix_all_layouts():
    """The places of points and exponents are then no longer one for each word."""
    random.seed(1)
    tokens = [random.choice(FORMS) % random.uniform(-99, 99) for _ in range(20_000)]
    check_all(tokens)


# Rounding.


def halfway(count):
    """Decimals of points exactly between two doubles, and their neighbours one unit of the last digit off."""
    for _ in range(count):
        odd = 2 * (random.getrandbits(52) | 1 << 52) + 1
        places = random.randrange(0, 6)
        digits = str(odd * 5**places)
        for last in (-1, 0, 1):
            near = str(int(digits) + last)
            yield f"{near[:-places]}.{near[-places:]}" if places else near


def test_halves_between_two_doubles_round_to_even():
    random.seed(2)
    check_all([token for token in halfway(20_000) if int(token.replace(".", "")) < 10**19])


def test_as_near_to_a_half_as_nineteen_digits_come_the_neighbour_decides():
    """m / 10²² = (h ± δ / 5²²) 2⁻ʲ with h odd, of 54 bits: off the half by 2⁻¹⁰⁵ of itself."""
    tokens = []
    for shift, delta in ((s, d) for s in (42, 43, 44) for d in (-5, -3, -1, 1, 3, 5)):
        h = -delta * pow(5**22, -1, 2**shift) % 2**shift
        h += 2**53 - 2**53 % 2**shift + (0 if h else 2**shift)
        for half in range(h, 2**54, 2**shift * max(1, 2 ** (44 - shift))):
            m, rest = divmod(half * 5**22 + delta, 2**shift)
            assert (rest, half % 2) == (0, 1)
            tokens += [f"{m}e-22"] * (m < 10**19)
    assert len(tokens) > 1000
    check_all(tokens)


def test_beside_a_half_the_neighbour_decides():
    random.seed(3)
    tokens = []
    for _ in range(20_000):
        k = random.randrange(0, 20)
        half = Fraction(2 * (random.getrandbits(52) | 1 << 52) + 1, 2 ** random.randrange(20, 60))
        m = round(half * 10**k)
        if m < 10**19:
            tokens += [f"{m + d}e-{k}" for d in (-1, 0, 1)]
    check_all(tokens)


def test_any_mantissa_over_any_power_of_ten():
    random.seed(4)
    tokens = [f"{random.getrandbits(random.randrange(1, 64))}e{random.randrange(-24, 24)}" for _ in range(50_000)]
    check(tokens)


def test_any_double_at_all():
    """Every exponent, subnormals too: most are left, none is wrong."""
    random.seed(5)
    values = [struct.unpack("<d", struct.pack("<Q", random.getrandbits(64)))[0] for _ in range(50_000)]
    check([repr(value) for value in values if abs(value) < float("inf")])
    check(["5e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308", "1e309", "1e-400"])


def test_the_ends_of_what_is_exact():
    edges = [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 3, 10**19 - 1, 10**19, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**24 - 1]
    check([f"{m}{e}" for m in edges for e in ("", ".", ".0", "e1", "e-1", "e22", "e-22", "e23", "e-23", "e-30")])
    check([f"0.{m:024}" for m in edges] + [f"1.{m:024}" for m in edges] + [f"{m}.{m}" for m in edges])


# What is no number of a file is left.

OTHERS = [
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1.#QNAN", "0x10", "0x1p3", "1_000", "1_0.5", "1e1_0"),
    *("1,5", "1.5d3", "1.0D+00", "1+5", "1-5", "--1", "+-1", "-+1", "1-", "1+", "-", "+", ".", "-.", "e", "e5", ".e5"),
    *(
        "1e",
        "1e+",
        "1e-",
        "1.e",
        "1e5.0",
        "1e5e5",
        "1.2.3",
        "..1",
        "1..2",
        "1ee5",
        "1e+-5",
        "1e5-",
        "v",
        "1f",
        "/",
        "1/2",
    ),
    *("1\x00", "1\x1c2", "\x001", "1:", "1;", "½", "１２", "٣", "1\u00a02"),
]


@pytest.mark.parametrize("token", OTHERS)
def test_what_is_no_decimal_number_is_left(token):
    assert not DECIMAL.fullmatch(token)
    for text in (token, f"0.5 {token} 2", f"1e5 {token} 2e-5 3.5", f"-7 {token} 8 9", f"{token} " * 3):
        words = Words(text.encode())
        _, left = floats(words)
        assert left.tolist() == [i for i in range(len(words)) if words[i].decode() == token]
        with pytest.raises(ValueError, match=r"^not all words are finite decimal numbers$"):
            finite_floats(words)


def test_one_bad_word_does_not_spoil_the_others():
    words = Words(b"1.5 nan 2.5 1.2.3 -3e5 0x5 .25")
    values, left = floats(words)
    assert left.tolist() == [1, 3, 5]
    assert values[[0, 2, 4, 6]].tolist() == [1.5, 2.5, -3e5, 0.25]


def test_a_missing_mark_of_one_word_is_not_made_up_by_another():
    """As many points as words, but not one in each."""
    values, left = floats(Words(b"15 1.2.3 2.5"))
    assert left.tolist() == [1]
    assert values[[0, 2]].tolist() == [15, 2.5]


def test_what_is_too_large_for_a_double_is_no_finite_number():
    assert finite_floats(Words(b"1e308 1e-999")).tolist() == [1e308, 0]
    with pytest.raises(ValueError, match="finite"):
        finite_floats(Words(b"1 1e309"))


alphabet = st.text("0123456789.+-eE_ \nx/", max_size=60)


@settings(max_examples=500, deadline=None)
@given(alphabet)
def test_any_text_is_read_as_float_reads_it_or_left(text):
    words = text.encode().split()
    if words:
        check([word.decode() for word in words])


# Whole numbers.


def test_whole_numbers_of_every_length_are_those_of_int():
    random.seed(6)
    tokens = [
        random.choice(["", "-", "+"]) + str(random.randrange(10 ** random.randrange(1, 21))) for _ in range(20_000)
    ]
    values, left = integers(Words(" ".join(tokens).encode()))
    assert left.tolist() == [i for i, token in enumerate(tokens) if len(token.lstrip("+-")) > 18]
    done = np.setdiff1d(np.arange(len(tokens)), left)
    assert values[done].tolist() == [int(tokens[i]) for i in done]


@pytest.mark.parametrize("token", ["1.5", "1e5", "-", "+", "--1", "1-", "x", "1_0", "", "1/2", "٣"])
def test_what_is_no_whole_number_is_left(token):
    words = Words(f"1 {token} -2".encode())
    expected = [1] if token else []
    assert integers(words)[1].tolist() == expected
    assert all_whole(words) == (not expected)


@settings(max_examples=300, deadline=None)
@given(st.text("0123456789+- \n/", max_size=40))
def test_any_text_is_read_as_int_reads_it_or_left(text):
    tokens = text.split()
    words = Words(text.encode())
    values, left = integers(words)
    assert left.tolist() == [i for i, t in enumerate(tokens) if not WHOLE.fullmatch(t) or len(t.lstrip("+-")) > 18]
    done = [i for i in range(len(tokens)) if i not in left]
    assert values[done].tolist() == [int(tokens[i]) for i in done]
    assert all_whole(words) == all(WHOLE.fullmatch(t) for t in tokens)


# Words.


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.text(" \n\t\r\v\f\x1c12", max_size=60).map(str.encode))
def test_words_and_lines_are_those_of_split(data):
    words = Words(data)
    assert [words[i] for i in range(len(words))] == data.split()
    assert words.per_line().tolist() == [len(line.split()) for line in data.split(b"\n")]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.integers(1, 3), st.booleans())
def test_lines_of_as_many_words_on_average_are_told_apart(counts, width, uniform):
    # as many words as lines times the width, mostly: only where each has its own do all have the same
    counts = [width] * len(counts) if uniform else counts
    data = b"".join(b" 12" * n + b"\n" for n in counts)
    assert Words(data).per_line().tolist() == [*counts, 0]


def test_a_separator_ends_a_word_too():
    words = Words(b"1/2/3 4//5 /6", b"/")
    assert [words[i] for i in range(len(words))] == [b"1", b"2", b"3", b"4", b"5", b"6"]


@pytest.mark.parametrize(
    "text", [b"1e+0e 77", b"1E-0E 77", b"1e+e5 7", b"1e-e5 7 1e+05", b"2.e-05 . 1e-05", b"- .5 1.5", b"+ 1.e+05"]
)
def test_marks_are_looked_for_in_their_own_words(text):
    # The letter four bytes before the end of one word, or the point behind its sign, is that of its neighbour.
    words = Words(text)
    values, left = floats(words)
    for i in range(len(words)):
        try:
            expected = float(words[i])
        except ValueError:
            assert i in left
        else:
            assert i in left or values[i] == expected


def test_a_selection_of_words_is_read_alone():
    words = Words(b"v 1.5 x 2e3")
    assert finite_floats(words.select([1, 3])).tolist() == [1.5, 2000]
    assert floats(words.select(slice(0, 0)))[0].tolist() == []
    for text in (b"1 x.5 2", b"1 x5e3 2", b"x5e3 1 2", b"1 2 x5.e3"):  # points and exponents of the words left out
        words = Words(text)
        numbers = words.select([i for i in range(3) if b"x" not in words[i]])
        assert finite_floats(numbers).tolist() == [1, 2]


@pytest.mark.parametrize("kind", [floats, integers])
def test_no_words_are_no_numbers(kind):
    values, left = kind(Words(b" \n "))
    assert (len(values), len(left)) == (0, 0)
