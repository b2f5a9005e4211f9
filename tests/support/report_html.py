"""Tools for tests of reports: the elements of a page, its pictures, and forbidden content."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

EMPTY = {"meta", "br"}
"""Elements that have no end tag, of those that a report has."""
FORBIDDEN = re.compile(r"https?://|//[a-z]|<script|<link|<img|<iframe|@import|url\(", re.IGNORECASE)


class Tags(HTMLParser):
    """Elements and texts of a page; an end tag that does not match is an error."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def pictures(html: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]


def charts(html: str) -> list[ElementTree.Element]:
    return [svg for svg in pictures(html) if svg.get("class") == "chart"]


def of_class(svg: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [e for e in svg.iter() if name in (e.get("class") or "").split()]
