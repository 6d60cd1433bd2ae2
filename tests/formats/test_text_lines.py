"""Numbers of a text are those of `float()` to the last bit for both readers, or are refused; lines are the same, whatever the blocks."""
# ruff: noqa: S311  # cases that come back with their seed, not secrets

from __future__ import annotations

import io
import random
import re
import struct
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from cores import compiled, core_of
from decimals import decimals
from hypothesis import given, settings
from hypothesis import strategies as st

from massprops.errors import ReadError
from massprops.formats import text_lines
from massprops.formats.text_lines import TextLines, scan_numbers, text_blocks

# Written out once more, so that a slip in the program's own pattern is seen.
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def bits(values):
    return [struct.pack("<d", value) for value in values]


def rows(text):
    """The numbers of some lines, and how many each line has, alike by both readers; None where the strict one refuses them."""
    scanned, lines = scan_numbers(text), TextLines("x", io.BytesIO())
    try:
        found = [lines.numbers(line.split(), "number") for line in text.removesuffix(b"\n").split(b"\n")]
    except ReadError:
        assert scanned is None
        return None
    values, lengths = list(chain.from_iterable(found)), list(map(len, found))
    if scanned and text:
        assert (bits(scanned[0]), scanned[1].tolist()) == (bits(values), lengths)
    return values, lengths


def check(tokens):
    """Finite decimal numbers are those of `float()`, in one row or in one each."""
    tokens = [token for token in tokens if abs(float(token)) < np.inf] or ["1"]
    for separator in (" ", "\n"):
        found = rows(separator.join(tokens).encode())
        assert found is not None
        assert bits(found[0]) == bits(map(float, tokens))
        assert found[1] == ([len(tokens)] if separator == " " else [1] * len(tokens))


# What files have is done without help.

FORMS = ["%.6f", "%.9f", "%+.3f", "%e", "%.3E", "%g", "%.9g", "%.15g", "%d"]


@pytest.mark.parametrize("form", FORMS)
def test_numbers_as_programs_print_them_are_those_of_float(form):
    random.seed(form)
    check([form % (random.gauss(0, 1) * 10.0 ** random.randrange(-4, 5)) for _ in range(8000)])


@pytest.mark.parametrize("form", ["%.16g", "%.17g", "%r"])
def test_doubles_in_full_are_those_of_float(form):
    """Up to 17 digits: beyond 2⁵³, one division rounds twice."""
    random.seed(form)
    sizes = (random.uniform(0.1, 1) * 10.0 ** random.randrange(-3, 6) for _ in range(15_000))
    check([form % (random.choice((-1, 1)) * size) for size in sizes])


def test_short_forms_are_read():
    check(["1", "-1", "+1", "0", "-0", "+0", "-0.0", "5.", ".5", "-.5", "+.5", "007", "-00.500", "0.", ".0"])
    check(["1234567890123456789", "0.1234567890123456789", "-0.0001234567890123456", "12345678901.12345678e-5"])
    check(["1e000000005", "1e-0000000003", "1.5e00000000000000000002", "1e0000000050", "1e99999999", "1e-999999999"])
    check(["1e5", "1E5", "1e+5", "1e-5", "1.e5", ".1e5", "-1.5E-05", "0e0", "0e9", "12345678e-3", "1e22", "1e-22"])


def test_minus_zero_keeps_its_sign():
    assert np.signbit(rows(b"-0 -0.00 -.0e3 0")[0]).tolist() == [True, True, True, False]


@pytest.mark.parametrize("digits", range(1, 25))
def test_every_number_of_digits_before_and_behind_the_point(digits):
    random.seed(digits)
    run = ["".join(random.choices("0123456789", k=digits)) for _ in range(100)]
    check(run)
    check([f"0.{'0' * (22 - digits)}{r}" for r in run] if digits < 19 else ["1"])
    for point in range(digits + 1):
        check([f"{r[:point]}.{r[point:]}" for r in run])


def test_a_block_may_mix_all_layouts():
    """The places of points and exponents are then no longer one for each word."""
    random.seed(1)
    tokens = [random.choice(FORMS) % random.uniform(-99, 99) for _ in range(20_000)]
    check(tokens)


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
    check([token for token in halfway(8000) if int(token.replace(".", "")) < 10**19])


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
    check(tokens)


def test_beside_a_half_the_neighbour_decides():
    random.seed(3)
    tokens = []
    for _ in range(8000):
        k = random.randrange(0, 20)
        half = Fraction(2 * (random.getrandbits(52) | 1 << 52) + 1, 2 ** random.randrange(20, 60))
        m = round(half * 10**k)
        if m < 10**19:
            tokens += [f"{m + d}e-{k}" for d in (-1, 0, 1)]
    check(tokens)


def test_any_mantissa_over_any_power_of_ten():
    random.seed(4)
    tokens = [f"{random.getrandbits(random.randrange(1, 64))}e{random.randrange(-24, 24)}" for _ in range(20_000)]
    check(tokens)


def test_any_double_at_all():
    """Every exponent, subnormals too: most are left, none is wrong."""
    random.seed(5)
    values = [struct.unpack("<d", struct.pack("<Q", random.getrandbits(64)))[0] for _ in range(20_000)]
    check([repr(value) for value in values if value == value])
    check(["5e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308", "1e309", "1e-400"])


def test_the_ends_of_what_is_exact():
    edges = [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 3, 10**19 - 1, 10**19, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**24 - 1]
    check([f"{m}{e}" for m in edges for e in ("", ".", ".0", "e1", "e-1", "e22", "e-22", "e23", "e-23", "e-30")])
    check([f"0.{m:024}" for m in edges] + [f"1.{m:024}" for m in edges] + [f"{m}.{m}" for m in edges])


# What is no number of a file is left.

OTHERS = [
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1.#QNAN", "0x10", "0x1p3", "1_000", "1_0.5", "1e1_0"),
    *("1,5", "1.5d3", "1.0D+00", "1+5", "1-5", "--1", "+-1", "-+1", "1-", "1+", "-", "+", ".", "-.", "e", "e5", ".e5"),
    *("1e", "1e+", "1e-", "1.e", "1e5.0", "1e5e5", "1.2.3", "..1", "1..2", "1ee5", "1e+-5", "1e5-"),
    *("v", "1f", "/", "1/2"),
    *("1\x00", "1\x1c2", "\x001", "1:", "1;", "½", "１２", "٣", "1\u00a02"),
]


@pytest.mark.parametrize("token", OTHERS)
def test_what_is_no_finite_decimal_number_is_refused(token):
    assert not DECIMAL.fullmatch(token)
    around = (token, f"0.5 {token} 2", f"1e5 {token} 2e-5 3.5", f"-7 {token} 8 9", f"{token} " * 3, f"1\n{token}\n2")
    for text in around:
        assert rows(text.encode()) is None


def test_what_is_too_large_for_a_double_is_refused():
    assert rows(b"1e308 1e-999 17976931348623158e292") == ([1e308, 0, 1.7976931348623157e308], [3])
    for token in (b"1e309", b"-1e999", b"2e308", b"17976931348623159e292"):
        assert rows(b"1 " + token) is None


alphabet = st.text("0123456789.+-eE_ \nx/", max_size=60)


@settings(max_examples=100)
@given(alphabet)
def test_any_text_is_read_as_float_reads_it_or_refused(text):
    words = [line.split() for line in text.encode().removesuffix(b"\n").split(b"\n")]
    found = rows(text.encode())
    good = all(DECIMAL.fullmatch(w.decode()) and abs(float(w)) < np.inf for line in words for w in line)
    assert found == ([float(word) for line in words for word in line], list(map(len, words))) if good else found is None


@settings(max_examples=60)
@given(st.lists(decimals(30, 900, 9999), min_size=1, max_size=5))
def test_mantissas_of_any_length_and_powers_of_any_size_are_rounded_once(tokens):
    check(tokens)


def test_halves_between_doubles_of_every_size_are_decided_by_their_last_digit():
    """In full they have up to 767 digits; one more, far behind them, decides."""
    random.seed(7)
    tokens = []
    for exponent in range(-1074, 971, 5):
        half = Fraction(2 * random.getrandbits(53) + 1) * Fraction(2) ** (exponent - 1)
        digits = str(half.numerator * 5 ** max(0, 1 - exponent) if exponent < 1 else half.numerator)
        power = min(0, exponent - 1)
        tokens += [
            f"{digits}e{power}",
            f"{digits}{'0' * 200}1e{power - 201}",
            f"{int(digits) - 1}{'9' * 100}e{power - 100}",
        ]
    check(tokens)


# Blocks.

LINES = st.lists(st.sampled_from([b"", b"v 1 2 3", b"# a", b"\xc3\xa9", b"x" * 50]), max_size=8)


@settings(max_examples=60)
@given(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"]), st.booleans(), st.sampled_from([1, 7, 60, 1 << 17]))
def test_blocks_are_whole_lines_and_join_to_the_text(lines, eol, last, size):
    blocks = list(text_blocks(io.BytesIO(eol.join(lines) + eol * last), size))
    assert b"".join(blocks) == b"\n".join(lines) + b"\n" * last
    assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_a_long_line_is_joined_once():
    """Else its time would be the square of its length."""
    text = b"1 " * 500_000
    (block,) = text_blocks(io.BytesIO(text), 64)
    assert block == text


# Rows.


@compiled
@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["1 2", "x", "", " \t", "# a", "7 # b", "3 4 5", "8"]), max_size=9),
    st.sampled_from([1, 9, 1 << 17]),
    st.integers(0, 5),
    st.booleans(),
)
def test_rows_are_the_filled_lines_with_their_numbers_whatever_is_scanned(written, block, most, last):
    """Here the core reads lines of two words, as long as they follow each other; the others are left, each with its line."""
    text = "\n".join(written) + "\n" * last
    expected = [(i, words) for i, line in enumerate(text.split("\n"), 1) if (words := line.partition("#")[0].split())]
    found = []

    def scan(text, start, most):
        for line in text[start:].splitlines(keepends=True):
            if len(line.split()) != 2 or b"#" in line or most == 0:
                break
            found.append((lines.line, line.decode().split()))
            lines.line += 1
            start, most = start + len(line), most - 1
        return start, len(found) - lines.rows

    def add(words):
        found.append((lines.line, [word.decode() for word in words]))

    with pytest.MonkeyPatch.context() as patch, core_of("native"):
        patch.setattr(text_lines, "BLOCK", block)
        lines = TextLines("x", io.BytesIO(text.encode()), comment=b"#")
        assert lines.read(most, scan, add) == min(most, len(expected))
        assert found == expected[:most]
        assert lines.rest() == len(expected[most:])


def test_a_bad_row_of_a_text_that_is_cut_off_counts_as_cut_off():
    def read(text, most):
        def add(words):
            if words != [b"1", b"2"]:
                raise lines.error("bad", "bad-row")

        lines = TextLines("x", io.BytesIO(text), line=4)
        return lines.read(most, lambda *_: None, add)

    assert read(b"1 2\n1 2\n1", 4) == 3
    with pytest.raises(ReadError, match=r"^x:7: bad$"):
        read(b"1 2\n1 2\n1", 3)
