"""Small parts of sentences: counts with their nouns, shares in percent, and "did you mean"."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

#: Smaller shares are rounding: they are shown as "less than" this one.
LEAST_SHARE = 1e-9


def plural(count: int, noun: str, nouns: str = "") -> str:
    """A count with its noun: ``1 edge``, ``3 edges``, ``2 vertices`` (`nouns` is the plural; by default `noun` with an s)."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def several(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def either(words: Sequence[str]) -> str:
    """Words of which one is meant: ``a, b or c``."""
    return " or ".join([*filter(None, [", ".join(words[:-1])]), *words[-1:]])


def shell_word(name: str) -> str:
    """A file name as a command line takes it: quoted where a shell needs that, and with its folder where it looks like an option."""
    from os import fsencode
    from shlex import quote  # imported lazily

    name = f"./{name}" if name[:1] == "-" and name != "-" else name
    if name.isprintable():
        return quote(name)
    return "$'" + "".join(chr(b) if 31 < b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in fsencode(name)) + "'"


def percent(share: float, digits: int = 3) -> str:
    """A share as a sentence shows it: ``9.66 %``; above 2 as a factor, ``23 times``; rounding errors as ``less than 1e-07 %``.

    Parameters
    ----------
    share : float
        1 is the whole. The sign is kept.
    digits : int
        Significant digits, at most 4.
    """
    size = abs(share)
    if 0 < size < LEAST_SHARE:
        return f"less than {100 * LEAST_SHARE:g} %"
    if size > 2:
        return f"{_rounded(share, digits)} times" if size < 1e6 else "more than 1e6 times"
    return f"{_rounded(100 * share, digits)} %"


def limit_share(share: float) -> str:
    """A limit as a sentence shows it, however small: ``1 %``, ``1e-12 of it``."""
    return percent(share) if share >= LEAST_SHARE else f"{share:.2g} of it"


def sizes(share: float, digits: int = 3) -> str:
    """A length as a share of the size of a body: ``0.4 % of the size``; above 2 as ``87 sizes``."""
    text = percent(share, digits)
    return f"{text.removesuffix(' times')} sizes" if abs(share) > 2 else f"{text} of the size"


def _rounded(x: float, digits: int) -> str:
    """At most `digits` significant digits, without an exponent where there are only a few zeros."""
    text = f"{x:.{min(digits, 4)}g}"
    return f"{float(text):.0f}" if math.isfinite(x) and 1 <= abs(x) < 1e6 and "e" in text else text


def did_you_mean(word: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """The remedy for an unknown word: ``did you mean x?``, or `otherwise` (by default a list of the known words)."""
    words = list(known)
    near = nearest(word, words, 1)
    if near:
        return f"did you mean {near[0]}?"
    return f"known: {', '.join(words)}" if otherwise is None else otherwise


def nearest(word: str, known: Iterable[str], count: int, cutoff: float = 0.6) -> list[str]:
    """The known words that are like `word`, the most similar first; capitals do not matter."""
    import difflib  # only on the way to an error: 3 ms of start-up otherwise

    folded: dict[str, str] = {}
    for name in known:
        folded.setdefault(name.casefold(), name)
    return [folded[name] for name in difflib.get_close_matches(word.casefold(), list(folded), n=count, cutoff=cutoff)]


def by_end(word: str, known: Sequence[str]) -> str | None:
    """The known name that is `word`, or the only one that ends in it after a separator (``/``, ``|``, ``-`` …)."""
    ends = [name for name in known if name.endswith(word) and not name[: -len(word)][-1:].isalnum()] if word else []
    return word if word in known else ends[0] if len(ends) == 1 else None
