"""Decimal numbers of a text, thousands at a time: each bit for bit what `float()` makes of it, or left to `float()`.

Numbers are found by comparing all bytes at once, and their digits summed eight to a machine word. The digits of a number, its
point left out, are a whole number m below 10¹⁹, and the number is m / 10ᵏ. Both are doubles where m < 2⁵³ and |k| ≤ 22, and
then one division or multiplication rounds as `float()` does (W. Clinger, "How to read floating point numbers accurately",
1990). For larger m the remainder of the division is divided too, which leaves one rounding again. Other numbers (subnormal ones,
endless ones, `nan`, …) are left to the caller, with their places.

No library does this for text that is no table. `float()` and fastnumbers take objects, one at a time: with the splitting of the text
`float()` takes 64 to 170 ns a number, where this takes 29 to 64 (six decimals to seventeen digits). `numpy.fromstring` takes 59 to 160
and stops without a place; `numpy.loadtxt` takes 47 to 171, wants rows of one length and takes `nan`; pandas and pyarrow are
heavy, and know neither keywords nor lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.formats.text import is_decimal

Bytes = NDArray[np.uint8]
Places = NDArray[np.intp]
Doubles = NDArray[np.float64]
Whole = NDArray[np.uint64]
Mask = NDArray[np.bool_]

#: Bytes looked at together: their words and numbers stay in the processor's cache, and the calls of numpy cost little beside them.
BLOCK = 1 << 17
#: White space behind a text: words of eight bytes are read from the start of every run of digits, and from 16 bytes on.
_MARGIN = 32
_POINT, _PLUS, _MINUS, _E, _CAPITAL_E = b".+-eE"
#: 10ᵏ is a double up to k = 22, and a 64-bit number up to 19.
_POWERS: Doubles = np.array([float(10**k) for k in range(23)])
_WHOLE_POWERS = np.array([10**k for k in range(20)], np.uint64)
_DIGITS = 24
_EXACT = 1 << 53


def line_blocks(text: bytes, size: int = BLOCK) -> Iterator[Bytes]:
    """Stretches of whole lines, ended by LF, of some `size` bytes; the last line may have no end."""
    start = 0
    while start < len(text):
        stop = (text.rfind(b"\n", start, start + size) + 1) or (text.find(b"\n", start + size) + 1) or len(text)
        yield np.frombuffer(text, np.uint8, stop - start, start)
        start = stop


class Words:
    """Words of a text between white space (that of `bytes.split`), as places in its bytes.

    Parameters
    ----------
    block : bytes or ndarray of uint8
        Of which a copy is made, with white space around it.
    separator : bytes
        One more byte that ends a word.

    Attributes
    ----------
    text : ndarray of uint8
        The copy; a place in `block` is one more here.
    starts, ends : ndarray of int, shape (n,)
        Word i is ``text[starts[i]:ends[i]]``.
    """

    def __init__(self, block: bytes | Bytes, separator: bytes = b"") -> None:
        self.text: Bytes = np.full(1 + len(block) + _MARGIN, ord(" "), np.uint8)
        self.text[1:-_MARGIN] = np.frombuffer(block, np.uint8)
        self.digit: Mask = self.text - np.uint8(ord("0")) <= 9
        self.white = _white(self.text)
        if separator:
            self.white |= self.text == separator[0]
        #: How many bytes are neither white space nor digits.
        self.others = len(self.text) - int(np.count_nonzero(self.white)) - int(np.count_nonzero(self.digit))
        edges = np.flatnonzero(self.white[1:] != self.white[:-1]) + 1
        self.starts = edges[::2].copy()
        self.ends = edges[1::2].copy()

    def __getitem__(self, i: int) -> bytes:
        return self.text[self.starts[i] : self.ends[i]].tobytes()

    def __len__(self) -> int:
        return len(self.starts)

    def select(self, which: Any, letters: int = 0) -> Words:
        """Some of the words, of the same text; the words left out have so many bytes that are no digits, where that is known."""
        part = object.__new__(Words)
        part.text, part.white, part.digit, part.others = self.text, self.white, self.digit, self.others - letters
        part.starts, part.ends = self.starts[which], self.ends[which]
        return part

    def have(self, keywords: list[tuple[int, bytes]], width: int) -> bool:
        """Whether the words, in rows of so many, have these keywords in these columns, of at most eight letters."""
        columns = [column for column, _ in keywords]
        starts = self.starts.reshape(-1, width)[:, columns]
        lengths = np.array([len(word) for _, word in keywords])
        wanted = np.array([int.from_bytes(word, "little") for _, word in keywords], np.uint64)
        shifts = (64 - 8 * lengths).astype(np.uint64)
        if not (self.ends.reshape(-1, width)[:, columns] - starts == lengths).all():
            return False
        found = _eight_bytes(self.text, starts.reshape(-1)).reshape(starts.shape)
        found <<= shifts
        return bool((found == wanted << shifts).all())

    def per_line(self) -> Places:
        """How many words each line has; lines are ended by LF, and what follows the last one is a line."""
        feeds = np.flatnonzero(self.text == ord("\n"))
        width = self._words_of_each(feeds)
        if width:
            return np.append(np.full(len(feeds), width), 0)
        starts = ~self.white[1:] & self.white[:-1]
        events = np.flatnonzero(starts | (self.text[1:] == ord("\n")))
        ends = np.flatnonzero(self.text[1 + events] == ord("\n"))
        before = np.concatenate([[-1], ends, [len(events)]])
        return np.diff(before) - 1

    def _words_of_each(self, feeds: Places) -> int:
        """How many words every line has that ends in one of these places; 0 where they differ, or words follow the last."""
        width, rest = divmod(len(self), max(len(feeds), 1))
        if rest or not width or not len(feeds):
            return 0
        first, last = self.starts[::width], self.ends[width - 1 :: width]
        return width if (first[1:] > feeds[:-1]).all() and (last <= feeds).all() else 0


def _white(text: Bytes) -> Mask:
    white: Mask = (text == ord(" ")) | (text - np.uint8(9) <= 4)
    return white


def floats(words: Words) -> tuple[Doubles, Places]:
    """Values of decimal numbers, and which words are left: not decimal numbers, or none that are done here.

    Returns
    -------
    values : ndarray, shape (n,)
        Those of `float()` to the last bit; of no meaning for words that are left.
    left : ndarray of int
        Numbers of the words that the caller must give to `float()` or refuse.
    """
    text, starts, ends = words.text, words.starts, words.ends
    if not len(starts):
        return np.empty(0), np.empty(0, np.intp)
    minus, signed = _signs(words)
    begin = starts + signed
    if words.others == signed.sum():  # nothing but digits and signs in front of them
        mantissa, good = _digits(text, begin, ends - begin)
        good &= ends > begin
        places = np.zeros(len(words), np.intp)
    else:
        exponent, until, marks = _exponents(words)
        point = begin + 1  # as in all numbers below ten
        if not _all_are(text, point, _POINT):
            point = _marks(text == _POINT, starts, ends)
        point = np.minimum(point, until)
        good = _all_digits(words, marks + signed + (point < until))
        mantissa, places = _joined(text, (begin, point, until), good)
        places -= exponent
    mantissa *= good  # of the others nothing is known, not even that it stayed below 2⁶⁴
    values, sure = _scaled(mantissa, places)
    np.negative(values, out=values, where=minus)
    return values, np.flatnonzero(~(good & sure))


def _joined(text: Bytes, run: tuple[Places, Places, Places], good: Mask) -> tuple[Whole, Places]:
    """Digits before and behind the point as one number, and how many are behind; not `good` where that cannot be done."""
    begin, point, until = run
    behind = np.maximum(until - point - 1, 0)
    whole, good_whole = _digits(text, begin, point - begin)
    parts, good_parts = _digits(text, point + 1, behind)
    count = point - begin + behind
    good &= good_whole & good_parts & (count > 0) & ((whole == 0) | (count < len(_WHOLE_POWERS)))
    return whole * _WHOLE_POWERS.take(behind, mode="clip") + parts, behind


def finite_floats(words: Words) -> Doubles:
    """Values of decimal numbers, those of `float()` to the last bit.

    Raises
    ------
    ValueError
        If a word is something else, or too large for a double.
    """
    values, left = floats(words)
    for i in left.tolist():
        token = words[i].decode("latin-1")
        values[i] = float(token) if is_decimal(token) else math.nan
    if len(left) and not np.isfinite(values[left]).all():
        raise ValueError("not all words are finite decimal numbers")
    return values


def integers(words: Words) -> tuple[NDArray[np.int64], Places]:
    """Values of whole numbers of at most 18 digits with or without a sign, and which words are left; see `floats`."""
    if not len(words):
        return np.empty(0, np.int64), np.empty(0, np.intp)
    minus, signed = _signs(words)
    begin = words.starts + signed
    length = words.ends - begin
    whole, good = _digits(words.text, begin, length)
    good &= _all_digits(words, signed) & (length > 0) & (length <= 18)
    values = whole.view(np.int64)
    np.negative(values, out=values, where=minus)
    return values, np.flatnonzero(~good)


def all_whole(words: Words) -> bool:
    """Whether all words are whole numbers, of any length, with or without a sign."""
    if not len(words):
        return True
    _, signed = _signs(words)
    return bool((_all_digits(words, signed) & (words.ends - words.starts > signed)).all())


def _signs(words: Words) -> tuple[Mask, Places]:
    """Which words begin with a minus, and how many signs (none or one) each begins with."""
    first = words.text[words.starts]
    minus = first == _MINUS
    return minus, (minus | (first == _PLUS)).astype(np.intp)


def _exponents(words: Words) -> tuple[Any, Places, Any]:
    """Exponents of ten; where the mantissas end; and how many letters and signs the exponents have."""
    text, starts, ends = words.text, words.starts, words.ends
    until = ends - 4  # as in `e-05`
    if not ((_all_are(text, until, _E) or _all_are(text, until, _CAPITAL_E)) and (until >= starts).all()):
        letters = (text | 0x20) == _E
        letters[1:] &= words.digit[:-1] | (text[:-1] == _POINT)  # not those of other words
        if not letters.any():
            return 0, ends, 0
        until = _marks(letters, starts, ends)
    there = until < ends
    if not there.any():
        return 0, ends, 0
    which: Any = slice(None) if there.all() else np.flatnonzero(there)
    sign = text[until[which] + 1]
    signed = (sign == _MINUS) | (sign == _PLUS)
    begin = until[which] + 1 + signed
    length = ends[which] - begin
    size, _ = _digits(text, begin, _within(length, 8))
    value = size.view(np.int64)
    value[(length <= 0) | (length > 8)] = _EXACT  # left, since no power of ten is that large
    np.negative(value, out=value, where=sign == _MINUS)
    exponents, marks = np.zeros((2, len(starts)), np.int64)
    exponents[which], marks[which] = value, 1 + signed
    return exponents, until, marks


def _all_are(text: Bytes, places: Places, byte: int) -> bool:
    """Whether all places have this byte; mostly the first one shows that they do not."""
    return bool(text[places[0]] == byte and (text[places] == byte).all())


def _marks(mask: Mask, starts: Places, ends: Places) -> Places:
    """Where the words have a mark, the last if there are several; their ends where there is none."""
    marks = np.flatnonzero(mask)
    if len(marks) == len(starts) and (starts <= marks).all() and (marks < ends).all():
        return marks
    if not len(marks):
        return ends
    word = np.searchsorted(starts, marks, side="right") - 1
    inside = (word >= 0) & (marks < ends[word])
    found = ends.copy()
    found[word[inside]] = marks[inside]
    return found


def _all_digits(words: Words, marks: Places) -> Mask:
    """Whether words have no other bytes than digits and so many marks."""
    if words.others == marks.sum():
        return np.ones(len(words), np.bool_)  # each mark is a byte of a word, so no other byte is left
    upto = np.cumsum(~(words.white | words.digit), dtype=np.int32)
    good: Mask = upto[words.ends - 1] - upto[words.starts - 1] == marks
    return good


def _within(numbers: Places, most: int) -> Places:
    """Numbers below 0 as 0, and above `most` as `most`: what `numpy.clip` takes twice as long for."""
    return np.minimum(np.maximum(numbers, 0), most)


def _digits(text: Bytes, starts: Places, lengths: Places) -> tuple[Whole, Mask]:
    """Values of runs of digits, below 10¹⁹, and which are so short."""
    longest = int(lengths.max())
    good = lengths <= _DIGITS
    if longest <= 2:
        return _two(text, starts, lengths), good
    if longest <= 8:
        return _eight(text, starts, lengths), good
    lengths = np.minimum(lengths, _DIGITS)
    value = _eight(text, starts + np.maximum(lengths - 8, 0), np.minimum(lengths, 8))
    value += _WHOLE_POWERS[8] * _eight(text, starts + np.maximum(lengths - 16, 0), _within(lengths - 8, 8))
    if longest > 16:
        high = _eight(text, starts, np.maximum(lengths - 16, 0))
        value += _WHOLE_POWERS[16] * high
        good &= high < 1000
    return value, good


def _two(text: Bytes, starts: Places, lengths: Places) -> Whole:
    """Values of runs of at most two digits: of most whole parts and exponents, in half the time that eight take."""
    first, second = (text[starts + i] & np.uint8(0x0F) for i in range(2))
    value = np.where(lengths == 2, 10 * first + second, first * (lengths == 1))
    return value.astype(np.uint64)


def _eight(text: Bytes, starts: Places, lengths: Places) -> Whole:
    """Values of runs of at most eight digits: neighbours are joined to pairs, pairs to fours, fours to eight."""
    words = _eight_bytes(text, starts)
    words <<= (64 - 8 * lengths).astype(np.uint64)  # the last digit to the highest byte, and nothing below the first
    words &= np.uint64(0x0F0F0F0F0F0F0F0F)
    words *= np.uint64((10 << 8) + 1)
    words >>= np.uint64(8)
    words &= np.uint64(0x00FF00FF00FF00FF)
    words *= np.uint64((100 << 16) + 1)
    words >>= np.uint64(16)
    words &= np.uint64(0x0000FFFF0000FFFF)
    words *= np.uint64((10_000 << 32) + 1)
    words >>= np.uint64(32)
    return words


def _eight_bytes(text: Bytes, starts: Places) -> Whole:
    """Eight bytes from each place on, the first one lowest."""
    words: Whole = np.ndarray((len(text) - 7,), "<u8", text, strides=(1,))[starts]
    return words


def _scaled(mantissa: Whole, places: Places) -> tuple[Doubles, Mask]:
    """m / 10ᵏ, rounded once, and for which this is certain."""
    sure = (places <= 22) & (places >= -22)
    below = _within(places, 22)
    values = mantissa.astype(np.float64)
    values /= _POWERS[below]
    if places.min() < 0:
        values *= _POWERS[_within(-places, 22)]  # where one factor is not 1, the other is
    large = np.flatnonzero(mantissa >= _EXACT)
    if len(large):
        values[large] = _quotient(mantissa[large], _POWERS[below[large]])
        sure[large] &= places[large] >= 0
    return values, sure


def _quotient(mantissa: Whole, divisor: Doubles) -> Doubles:
    """m / d, rounded once, for 2⁵³ ≤ m < 10¹⁹ and d = 10ᵏ, k ≤ 22.

    m = a + b, q = a / d rounded, r = m − q d, and m / d = q + r / d. The product is that of T. Dekker (1971), so r is summed without
    error: in units of the last place of q d, or of 1 where that is more, it is a whole number below 2 · 5ᵏ < 2⁵³ (b adds no more
    than the rounding of q). So r / d is either just on a half or a quarter between two doubles, and then has no error, or beside it by
    1 / (3 · 5ᵏ) > 2⁻⁵³ of itself, which its rounding does not cross. On both sides of a half, and on it, q + r / d rounds as m / d.
    """
    a = mantissa.astype(np.float64)
    b = (mantissa - a.astype(np.uint64)).view(np.int64).astype(np.float64)
    q = a / divisor
    high, low = _product(q, divisor)
    quotient: Doubles = q + ((a - high) - low + b) / divisor
    return quotient


def _product(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """x y = high + low, exactly."""
    (x1, x2), (y1, y2) = _halves(x), _halves(y)
    high = x * y
    return high, ((x1 * y1 - high) + x1 * y2 + x2 * y1) + x2 * y2


def _halves(x: Doubles) -> tuple[Doubles, Doubles]:
    """x in two parts of 26 bits (G. Veltkamp, 1968)."""
    scaled = x * (2.0**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high
