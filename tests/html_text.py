"""HTML as a reader without JavaScript, or a screen reader, has it: by a parser of the standard, which is not ours."""

from __future__ import annotations

import html5lib


class Html:
    """The elements of a page or of a part of one, the cells of its rows, and its words."""

    def __init__(self, text: str) -> None:
        elements = list(html5lib.parseFragment(text, namespaceHTMLElements=False).iter())[1:]
        self.tags = {element.tag for element in elements} - {"tbody"}
        self.rows = [["".join(cell.itertext()) for cell in row] for row in elements if row.tag == "tr"]
        for unseen in (element for element in elements if element.tag in ("script", "style")):
            unseen.text = ""
        self.words = "".join((element.text or "") + (element.tail or "") for element in elements)
