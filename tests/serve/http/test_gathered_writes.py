"""Replies that are written in the next iteration of the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("uvicorn")
from driftline.serve.http.gathered_writes import MOST_BYTES, GatheringTransport, Outbox


class Transport:
    """Records in which order it is used."""

    def __init__(self, name: str, calls: list[tuple[str, Any]]) -> None:
        self.name, self.calls, self.closing = name, calls, False

    def write(self, data: bytes) -> None:
        self.calls.append((self.name, data))

    def close(self) -> None:
        self.calls.append((self.name, "close"))
        self.closing = True

    def abort(self) -> None:
        self.calls.append((self.name, "abort"))

    def is_closing(self) -> bool:
        return self.closing

    def get_extra_info(self, what: str) -> str:
        return f"{what} of {self.name}"


def calls(use: Callable[[GatheringTransport, GatheringTransport], None]) -> tuple[list[Any], list[Any]]:
    """Use two connections in one turn; return what was called during the turn, and after it."""

    async def run() -> tuple[list[Any], list[Any]]:
        found: list[tuple[str, Any]] = []
        outbox = Outbox()
        first, second = (GatheringTransport(Transport(name, found), outbox) for name in "ab")  # type: ignore[arg-type]
        use(first, second)
        before = found.copy()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return before, found[len(before) :]

    return asyncio.run(run())


def test_each_connection_is_written_once_after_the_turn() -> None:
    def use(a: GatheringTransport, b: GatheringTransport) -> None:
        a.write(b"1")
        b.write(b"2")
        a.write(b"3")

    assert calls(use) == ([], [("a", b"13"), ("b", b"2")])


def test_closing_writes_first() -> None:
    def use(a: GatheringTransport, b: GatheringTransport) -> None:
        a.write(b"1")
        b.write(b"2")
        a.close()

    assert calls(use) == ([("a", b"1"), ("a", "close")], [("b", b"2")])


def test_much_is_written_at_once() -> None:
    large = bytes(MOST_BYTES + 1)

    def use(a: GatheringTransport, b: GatheringTransport) -> None:
        a.write(b"1")
        a.write(large)
        a.write(b"2")

    assert calls(use) == ([("a", b"1" + large)], [("a", b"2")])


def test_nothing_is_written_to_a_closed_connection() -> None:
    def use(a: GatheringTransport, b: GatheringTransport) -> None:
        a.write(b"1")
        a._transport.close()
        assert a.is_closing() and not b.is_closing()

    assert calls(use) == ([("a", "close")], [])


def test_an_error_of_one_connection_is_not_one_of_the_others(caplog: pytest.LogCaptureFixture) -> None:
    def use(a: GatheringTransport, b: GatheringTransport) -> None:
        a._transport.write = None  # type: ignore[assignment,method-assign]
        a.write(b"1")
        b.write(b"2")

    assert calls(use) == ([], [("a", "abort"), ("b", b"2")])
    assert "could not be written" in caplog.text


def test_the_rest_is_that_of_the_transport() -> None:
    def use(a: GatheringTransport, b: GatheringTransport) -> None:
        assert a.get_extra_info("peername") == "peername of a"

    assert calls(use) == ([], [])
