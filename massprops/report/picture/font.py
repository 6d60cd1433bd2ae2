"""Texts in a picture: letters of five by nine dots, drawn with a pen from dot to dot."""

from __future__ import annotations

import functools
import unicodedata

import numpy as np

from massprops.moments.arrays import Array

#: Dots from one letter to the next, and from one line to the next; rows of a letter; width of the pen, in dots.
ADVANCE, LINE, ROWS, _PEN = 6, 11, 9, 0.9

_LETTERS = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~²³⁴⁵·±°–×"
#: Two hexadecimal digits for each of the five columns of a letter, the lowest bit on top.
_COLUMNS = bytes.fromhex(
    "0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649552250 0005030000 001c224100 0041221c00 14083e0814"
    "08083e0808 0050300000 0808080808 0060600000 2010080402 3e5149453e 00427f4000 4261514946 2141454b31 1814127f10 2745454539"
    "3c4a494930 0171090503 3649494936 064949291e 0036360000 0056360000 0814224100 1414141414 0041221408 0201510906 324979413e"
    "7e1111117e 7f49494936 3e41414122 7f4141221c 7f49494941 7f09090901 3e4149497a 7f0808087f 00417f4100 2040413f01 7f08142241"
    "7f40404040 7f020c027f 7f0408107f 3e4141413e 7f09090906 3e4151215e 7f09192946 4649494931 01017f0101 3f4040403f 1f2040201f"
    "3f4038403f 6314081463 0708700807 6151494543 007f414100 0204081020 0041417f00 0402010204 4040404040 0001020400 2054545478"
    "7f48444438 3844444420 384444487f 3854545418 087e090102 0c5252523e 7f08040478 00447d4000 2040443d00 7f10284400 00417f4000"
    "7c04180478 7c08040478 3844444438 7c14141408 081414187c 7c08040408 4854545420 043f444020 3c4040207c 1c2040201c 3c4030403c"
    "4428102844 0c5050503c 4464544c44 0008364100 00007f0000 0041360800 0804081008"
    "0019151200 0011150a00 0007041f00 0017150900 0000080000 44445f4444 0006090600 0808080808 2214081422"
)
#: Letters that go below the line, three hexadecimal digits a column.
_BELOW = {
    "g": "0381441441440fc",
    "j": "0001001000fd000",
    "p": "1fc044044044038",
    "q": "0380440440441fc",
    "y": "03c1401401400fc",
    ",": "000080060000000",
    ";": "000080064000000",
}
_UNKNOWN = "07f04104104107f"


def text_mask(text: str, size: float) -> Array:
    """How much of each pixel a text of one line covers, shape (9 size, 6 size letters); letters that are not known are boxes."""
    return np.concatenate([np.empty((round(ROWS * size), 0)), *(_drawn(letter, size) for letter in text)], axis=1)


@functools.cache
def _drawn(letter: str, size: float) -> Array:
    """A letter: strokes between dots that are neighbours; diagonal ones only where no dot is beside them."""
    base = unicodedata.normalize("NFD", letter)[0]
    at = _LETTERS.find(letter if letter in _LETTERS else base)
    digits = _BELOW.get(base, "".join(f"{c:03x}" for c in _COLUMNS[5 * at : 5 * at + 5]) if at >= 0 else _UNKNOWN)
    columns = [int(digits[i : i + 3], 16) for i in range(0, 15, 3)]
    dots = {(x, y) for x, column in enumerate(columns) for y in range(ROWS) if column >> y & 1}
    strokes = [(d, d) for d in dots]
    for x, y in dots:
        strokes += [((x, y), p) for p in ((x + 1, y), (x, y + 1)) if p in dots]
        strokes += [
            ((x, y), (x + 1, y + k)) for k in (1, -1) if (x + 1, y + k) in dots and not {(x + 1, y), (x, y + k)} & dots
        ]
    row, column = np.mgrid[0 : round(ROWS * size), 0 : round(ADVANCE * size)] / size
    cover = np.zeros(row.shape)
    for (x, y), (u, v) in strokes:
        across, down = column + 0.5 / size - x - 0.5, row + 0.5 / size - y - 0.5
        along = np.clip(((u - x) * across + (v - y) * down) / max((u - x) ** 2 + (v - y) ** 2, 1), 0.0, 1.0)
        far = np.hypot(across - along * (u - x), down - along * (v - y)) * size
        cover = np.maximum(cover, np.clip(_PEN * size / 2 + 0.5 - far, 0.0, 1.0))
    return cover
