"""Replies with one write: uvicorn writes headers and body apart, which costs two system calls."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle


class OneWrite(RequestResponseCycle):
    """A request of uvicorn. A reply whose body comes in one piece is one write; the others are as before."""

    held: Any = None
    """The start of the reply, until its first piece of the body."""

    async def send(self, message: Any) -> None:
        """Send a part of the reply."""
        if message["type"] == "http.response.start" and not self.response_started:
            self.held = message
            return
        held, self.held = self.held, None
        if held is not None:
            if self._complete(held, message):
                return
            await super().send(held)
        await super().send(message)

    def _complete(self, held: Any, message: Any) -> bool:
        """Write the whole reply; return False if it needs the way of uvicorn."""
        if (
            message.get("more_body", False)
            or self.flow.write_paused
            or self.disconnected
            or not self.keep_alive
            or self.scope["method"] == "HEAD"
        ):
            return False
        body, length = message.get("body", b""), None
        headers = [*self.default_headers, *held["headers"]]
        pieces = [STATUS_LINE[held["status"]]]
        for name, value in headers:
            if name == b"content-length":
                length = value
            elif name == b"connection":
                return False
            pieces += (name, b": ", value, b"\r\n")
        head = b"".join(pieces)
        if length != b"%d" % len(body) or head.count(b"\n") != len(headers) + 1 or b"\0" in head:
            return False  # uvicorn raises the error, or sends chunks
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        self.transport.write(b"%b\r\n%b" % (head, body))
        self.message_event.set()
        self.on_response()
        return True
