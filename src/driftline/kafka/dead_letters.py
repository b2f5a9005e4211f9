"""Messages that could not be learned: counted, and written to a file before their offset is stored."""

from __future__ import annotations

import base64
import os
import sys
from typing import Any

import orjson


class DeadLetters:
    """Bad messages, as JSON lines with topic, partition, offset, reason and value.

    A message may be in the file twice if the process was killed before the offset was stored.

    Parameters
    ----------
    path : str or None
        The file, to which lines are added. None only counts.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.count = 0
        self._file = None if path is None else open(path, "ab")  # noqa: SIM115, PTH123

    def add(self, message: Any, reason: str) -> None:
        """Add a message. The first one is reported at once."""
        self.count += 1
        where = f"{message.topic()}/{message.partition()}/{message.offset()}"
        if self.count == 1:
            print(f"driftline: bad message {where}: {reason}", file=sys.stderr, flush=True)
        if self._file is not None:
            value = message.value()
            line: dict[str, Any] = {
                "topic": message.topic(),
                "partition": message.partition(),
                "offset": message.offset(),
                "reason": reason,
            }
            try:
                line["value"] = None if value is None else value.decode()
            except UnicodeDecodeError:
                line["value_base64"] = base64.b64encode(value).decode()
            self._file.write(orjson.dumps(line) + b"\n")

    def sync(self) -> None:
        """Return when the file is on disk."""
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
