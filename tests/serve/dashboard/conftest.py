"""A browser, and the services that a test starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.serve.dashboard.fake_service import FakeService
from tests.support.browser import started

STATUS_LINE = "Failed to load resource"
"""Chromium logs each response with status 4xx or 5xx."""


class Visitor:
    """A page of the dashboard. ``complaints`` are errors of the page, ``requests`` their addresses."""

    def __init__(self, process: Any, service: FakeService, width: int, scheme: str) -> None:
        self.service = service
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.context = process.new_context(
            viewport={"width": width, "height": 844}, color_scheme=scheme, reduced_motion="reduce"
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._heard)
        self.page.on("dialog", lambda dialog: (self.complaints.append("dialog"), dialog.accept()))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _heard(self, message: Any) -> None:
        if message.type == "error" and STATUS_LINE not in message.text and "ERR_" not in message.text:
            self.complaints.append(message.text)

    def open(self, route: str = "#/") -> Any:
        """Show a page and wait for its heading."""
        self.page.goto(f"{self.service.url}/{route}")
        self.page.wait_for_selector("main h1")
        return self.page


@pytest.fixture(scope="package")
def process() -> Iterator[Any]:
    """A browser. It ends with these tests: as long as it runs, other tests cannot call ``asyncio.run``."""
    with started() as browser:
        yield browser.page.context.browser


@pytest.fixture
def serve() -> Iterator[Callable[..., FakeService]]:
    """Start services; they end with the test."""
    services: list[FakeService] = []

    def start(*args: Any, **options: Any) -> FakeService:
        services.append(FakeService(*args, **options))
        return services[-1]

    yield start
    for service in services:
        service.stop()


@pytest.fixture
def visit(process: Any) -> Iterator[Callable[..., Visitor]]:
    """Open pages. After the test no page may have complained or asked another host."""
    visitors: list[Visitor] = []

    def start(service: FakeService, width: int = 1280, scheme: str = "light") -> Visitor:
        visitors.append(Visitor(process, service, width, scheme))
        return visitors[-1]

    yield start
    for one in visitors:
        one.context.close()
        assert one.complaints == []
        assert {url for url in one.requests if not url.startswith(one.service.url + "/")} == set()
