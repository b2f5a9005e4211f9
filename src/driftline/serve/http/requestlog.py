"""The log on stderr: one JSON object a line, with the id of the request.

Lines of requests are written a few times a second, so that a request does not wait for the
terminal. Errors are written at once.
"""

from __future__ import annotations

import logging
import sys
import time
from typing import IO

import msgspec

FLUSH_SECONDS = 0.1
FLUSH_LINES = 500


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
    """Writes JSON lines.

    Parameters
    ----------
    requests : bool, default=True
        Whether every request is logged. Errors always are.
    out : text file, optional
        Where to write. Default: stderr.
    """

    def __init__(self, *, requests: bool = True, out: IO[str] | None = None) -> None:
        self.requests = requests
        self.out = out
        self._lines: list[bytes] = []
        self._due = 0.0
        self._encode = msgspec.json.Encoder().encode

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
        """Write the lines that wait."""
        if not self._lines:
            return
        text = b"\n".join(self._lines).decode("utf-8", "replace") + "\n"
        self._lines.clear()
        try:
            out = self.out or sys.stderr
            out.write(text)
            out.flush()
        except (OSError, ValueError):  # nobody reads the log: the service goes on
            return


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
