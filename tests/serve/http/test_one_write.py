"""Replies with one write: the bytes are those of uvicorn, and all other replies are left to it."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("uvicorn")
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from driftline.serve.http.exchange import encoded
from driftline.serve.http.one_write import OneWrite
from driftline.serve.results import Prediction

LENGTH = (b"content-length", b"2")
BODY = {"type": "http.response.body", "body": b"ok"}


def start(*headers: tuple[bytes, bytes], status: int = 200) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


class Transport:
    def __init__(self) -> None:
        self.writes: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        self.writes.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def sent(kind: type[RequestResponseCycle], messages: list[Any], method: str = "POST", keep_alive: bool = True) -> Any:
    """Send a reply; return what was written, and the state after it."""

    async def run() -> Any:
        transport, done = Transport(), []
        cycle = RequestResponseCycle(
            scope={"method": method, "http_version": "1.1"},  # type: ignore[arg-type, typeddict-item]
            transport=transport,  # type: ignore[arg-type]
            flow=SimpleNamespace(write_paused=False),  # type: ignore[arg-type]
            logger=logging.getLogger("none"),
            access_logger=logging.getLogger("none"),
            access_log=False,
            default_headers=[(b"date", b"today")],
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=keep_alive,
            on_response=lambda: done.append(True),
        )
        cycle.__class__ = kind
        for message in messages:
            await cycle.send(message)
        state = cycle.response_started, cycle.response_complete, cycle.message_event.is_set(), done, transport.closed
        return transport.writes, state

    return asyncio.run(run())


REPLIES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "complete": ([start(LENGTH, (b"x-request-id", b"a1"), status=201), BODY], {}),
    "last of a connection": ([start(LENGTH), BODY], {"keep_alive": False}),
    "connection: close": ([start(LENGTH, (b"connection", b"close")), BODY], {}),
    "head": ([start(LENGTH), {"type": "http.response.body", "body": b""}], {"method": "HEAD"}),
    "no length": ([start(), BODY], {}),
    "no content": ([start(status=204), {"type": "http.response.body", "body": b""}], {}),
    "pieces": ([start(), BODY | {"more_body": True}, BODY], {}),
}


@pytest.mark.parametrize("name", REPLIES)
def test_the_bytes_are_those_of_uvicorn(name: str) -> None:
    messages, how = REPLIES[name]
    (ours, state), (theirs, expected) = (sent(kind, messages, **how) for kind in (OneWrite, RequestResponseCycle))
    assert b"".join(ours) == b"".join(theirs) and state == expected
    assert len(ours) == (1 if name == "complete" else len(theirs))


@pytest.mark.parametrize(
    "messages",
    [
        [start((b"content-length", b"3")), BODY],
        [start((b"content-length", b"1")), BODY],
        [start(LENGTH, (b"x", b"a\r\nb: c")), BODY],
        [start(LENGTH), BODY, BODY],
    ],
)
def test_a_wrong_reply_is_an_error(messages: list[Any]) -> None:
    for kind in (OneWrite, RequestResponseCycle):
        with pytest.raises(RuntimeError):
            sent(kind, messages)


@pytest.mark.parametrize("shares", [{True: 0.75, False: 0.25}, {"a": 0.75, True: 0.25}, {1: 0.75, 0: 0.25}, {}, None])
def test_labels_that_are_true_or_false_are_written_as_texts(shares: Any) -> None:
    found = Prediction(3, None, shares, 0.5, 7, False, True)
    assert encoded(found.with_text_keys()) == encoded(found)
