"""The address of the repository, which pyproject.toml states, and links with it.

Pages link to each other by relative paths, which work in a clone and where the repository is shown; a package index and the built
documentation need whole addresses.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: A link, which may be a picture or hold one: its text, and its relative target with an anchor.
LINK = re.compile(r"\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def repository(tree: Path = ROOT) -> str:
    """The address of the repository without a slash at its end; empty if none is set."""
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))
    address: str = project["tool"]["repository"]["address"]
    return address.rstrip("/")


def absolute(path: str, address: str) -> str:
    """The address of a file or folder; pictures as they are shown, not the page about them."""
    kind = "raw" if path.endswith((".png", ".svg")) else "blob" if (ROOT / path).is_file() else "tree"
    return f"{address}/{kind}/main/{path}"


def with_addresses(text: str, page: str, address: str, *, inside: str = "") -> str:
    """A page whose relative links are addresses; their texts alone if there is no address.

    Parameters
    ----------
    text : str
        Markdown.
    page : str
        Its place in the repository, from which links start.
    address : str
        That of the repository, or empty.
    inside : str
        Links below this folder stay as they are.
    """

    def link(match: re.Match[str]) -> str:
        shown, target, anchor = LINK.sub(link, match[1]), match[2], match[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        if inside and path.startswith(inside):
            return f"[{shown}]({target}{anchor})"
        return f"[{shown}]({absolute(path, address)}{anchor})" if address else shown

    return LINK.sub(link, text)


def index_links(address: str) -> str:
    """The table of pyproject.toml with the links of a package index."""
    links = {
        "Documentation": absolute("docs/index.md", address),
        "Source": address,
        "Changelog": absolute("CHANGELOG.md", address),
        "Issues": f"{address}/issues",
    }
    return "\n[project.urls]\n" + "".join(f'{name} = "{link}"\n' for name, link in links.items())


def publish(tree: Path) -> bool:
    """Write the address into README and pyproject.toml of a source tree; whether one is set."""
    address = repository(tree)
    if address:
        readme, project = tree / "README.md", tree / "pyproject.toml"
        readme.write_text(with_addresses(readme.read_text(encoding="utf-8"), "README.md", address), encoding="utf-8")
        project.write_text(project.read_text(encoding="utf-8") + index_links(address), encoding="utf-8")
    return bool(address)
