"""A headless Chromium for tests of pages: what a page logs, requests and measures."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
PHONE, DESK = 390, 1400
LAUNCH = {"args": ["--no-sandbox", "--disable-gpu"]}


def chromium() -> str | None:
    """The path of a Chromium: that of DRIFTLINE_CHROMIUM, or one that is installed."""
    return os.environ.get("DRIFTLINE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def started() -> Iterator[Browser]:
    """A browser; the test is skipped if playwright or Chromium is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: make installs it")
    program = chromium()
    if program is None:
        pytest.skip("needs chromium: install Debian's package, or set DRIFTLINE_CHROMIUM")
    with playwright.sync_playwright() as play:
        process = play.chromium.launch(executable_path=program, **LAUNCH)
        yield Browser(process)
        process.close()


class Browser:
    """One page; ``complaints`` are its errors, and its requests for anything but itself."""

    def __init__(self, process: Any) -> None:
        self.complaints: list[str] = []
        self.page = process.new_context().new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("request", lambda request: self.complaints.append(request.url))

    def open(self, path: Path, width: int, scheme: str = "light", media: str = "screen") -> None:
        """Show a file in a window of this width, with all its details open."""
        self.complaints.clear()
        self.page.emulate_media(media=media, color_scheme=scheme)
        self.page.set_viewport_size({"width": width, "height": 740})
        self.page.goto(path.as_uri())
        assert self.complaints.pop(0) == path.as_uri()
        self.value("document.querySelectorAll('details').forEach(one => one.open = true)")

    def value(self, expression: str) -> Any:
        """What an expression gives in the page."""
        return self.page.evaluate(expression)
