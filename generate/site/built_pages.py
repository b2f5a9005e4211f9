"""Checks of the built HTML: every link leads to a page and a place in it, and nothing is loaded from
another host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
IN_STYLES = re.compile(r"""(?:url\(|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")


class Page(HTMLParser):
    """The links, places and loaded files of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links and the identifier of an element."""
        found = {name: value or "" for name, value in attrs}
        self.places |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADED and LOADED[tag] in found and found.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.append(found[LOADED[tag]])


def faults(html: Path) -> list[str]:
    """A line for each dead link and each file that is loaded from another host."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(html.rglob("*.html"))}
    found = [f"{path.relative_to(html)}: {fault}" for path, page in pages.items() for fault in _of(path, page, pages)]
    for style in sorted(html.rglob("*.css")):
        found += [
            f"{style.relative_to(html)}: loads {address} from another host"
            for address in IN_STYLES.findall(style.read_text(encoding="utf-8"))
        ]
    return found


def _of(path: Path, page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    for address in page.loaded:
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") or parts.netloc:
            yield f"loads {address} from another host"
        elif not parts.scheme and not _target(path, parts.path).exists():
            yield f"loads {address}, which is no file"
    for address in page.links:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = _target(path, parts.path)
        if not target.exists():
            yield f"links to {address}, which is no file"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
            yield f"links to {address}, a place that is not on that page"


def _target(path: Path, address: str) -> Path:
    return (path.parent / unquote(address)).resolve() if address else path
