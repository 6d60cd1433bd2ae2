"""Typeface of pictures, for letters that Pillow's own lacks: `python extras/packaging/letters.py DejaVuSansCondensed.ttf`.

It needs fonttools. Latin, Greek, Cyrillic, and signs of engineering. The licence asks for another name than that of the original.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FILE = Path(__file__).resolve().parents[2] / "massprops" / "writers" / "picture" / "letters.ttf"
NAME = "massprops letters"
#: Unicode: Latin with its extensions, Greek, Cyrillic, Vietnamese; punctuation, superscripts and subscripts, arrows, signs.
RANGES = [(0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x3FF), (0x400, 0x45F), (0x490, 0x491), (0x1E00, 0x1EFF)]
RANGES += [(0x2010, 0x203A), (0x2070, 0x208E), (0x20AC, 0x20AC), (0x2116, 0x2122), (0x2190, 0x2199)]
RANGES += [(0x2205, 0x2206), (0x2211, 0x221E), (0x222B, 0x222B), (0x2248, 0x2248), (0x2260, 0x2265)]


def main() -> None:
    """Write the subset."""
    font = TTFont(sys.argv[1], recalcTimestamp=False)
    options = Options(hinting=False, layout_features=[], name_IDs=[0, 1, 2, 3, 4, 5, 6, 13], notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[code for low, high in RANGES for code in range(low, high + 1)])
    subsetter.subset(font)
    for number, text in {1: NAME, 2: "Book", 3: NAME, 4: NAME, 6: NAME.replace(" ", "-")}.items():
        font["name"].setName(text, number, 3, 1, 0x409)
        font["name"].setName(text, number, 1, 0, 0)
    font.save(FILE)


if __name__ == "__main__":
    main()
