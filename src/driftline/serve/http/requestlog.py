"""The log on stderr: one JSON object a line, with the id of the request.

Lines of requests are passed on a few times a second, other lines at once. A thread writes them.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import time
from queue import SimpleQueue
from typing import IO

import msgspec

FLUSH_SECONDS = 0.1
FLUSH_LINES = 500
MOST_WAITING = 200
"""Most pieces that wait for a reader of stderr that is slow; later ones are dropped and counted."""
END_SECONDS = 2.0
STDERR = 2
OTHERS = re.compile("[^\x00-\x7f]")


def in_ascii(content: bytes) -> bytes:
    """Escape all other characters of JSON text.

    A path may contain any character. Some readers take U+2028 as the end of a line, and a terminal
    shows text after U+202E from right to left.
    """
    if content.isascii():
        return content
    return OTHERS.sub(lambda found: json.dumps(found[0])[1:-1], content.decode("utf-8", "replace")).encode()


class RequestLine(msgspec.Struct, omit_defaults=True):
    """One request."""

    at: float
    level: str
    event: str
    request: str
    method: str
    path: str
    status: int
    ms: float
    caller: str = ""


class RequestLog:
    """Writes JSON lines, from a thread: a reader that is stuck does not stop the server.

    Parameters
    ----------
    requests : bool, default=True
        Whether every request is logged. Errors always are.
    out : text file, optional
        Where to write, at once and without a thread. Default: stderr.
    """

    def __init__(self, *, requests: bool = True, out: IO[str] | None = None) -> None:
        self.requests = requests
        self.out = out
        self.dropped = 0
        self._lines: list[bytes] = []
        self._encode = msgspec.json.Encoder().encode
        self._waiting: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write_waiting, name="log", daemon=True)

    def request(self, line: RequestLine) -> None:
        """Log a request. The line is written with the next flush."""
        self._lines.append(self._encode(line))
        if len(self._lines) >= FLUSH_LINES:
            self.flush()

    def event(self, level: str, event: str, **fields: object) -> None:
        """Log anything else, at once."""
        record = {"at": round(time.time(), 3), "level": level, "event": event} | fields
        self._lines.append(msgspec.json.encode(record, enc_hook=str))
        self.flush()

    def flush(self) -> None:
        """Pass on the lines that wait."""
        if not self._lines:
            return
        lines, self._lines = self._lines, []
        content = in_ascii(b"\n".join(lines) + b"\n")
        if self.out is not None:
            self.out.write(content.decode())
            return
        if not self._thread.ident:
            self._thread.start()
        if self._waiting.qsize() >= MOST_WAITING:
            self.dropped += len(lines)
            return
        if self.dropped:
            content = (
                self._encode({"event": "lines dropped", "level": "warning", "count": self.dropped}) + b"\n" + content
            )
            self.dropped = 0
        self._waiting.put(content)

    def close(self) -> None:
        """Write what waits, if somebody reads it, and end the thread."""
        self.flush()
        if self._thread.ident:
            self._waiting.put(None)
            self._thread.join(END_SECONDS)

    def _write_waiting(self) -> None:
        while (content := self._waiting.get()) is not None:
            try:
                while content:
                    content = content[os.write(STDERR, content) :]
            except OSError:  # nobody reads the log: the service goes on
                continue


class LogHandler(logging.Handler):
    """Sends the records of other packages, such as uvicorn, to a `RequestLog`."""

    def __init__(self, log: RequestLog, level: int = logging.WARNING) -> None:
        super().__init__(level)
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record, with the traceback if there is one."""
        fields: dict[str, object] = {"logger": record.name, "message": record.getMessage()}
        if record.exc_info and record.exc_info[0] is not None:
            fields["traceback"] = logging.Formatter().formatException(record.exc_info)
        self.log.event(record.levelname.lower(), "message", **fields)
