"""The identity of a stream in a checkpoint: what must be the same when a run is resumed.

Files have names, formats and options; a synthetic stream has its class and its parameters. Other
iterables have no identity, so a resumed run cannot tell whether it is given the same one.
"""

from __future__ import annotations

from typing import Any

from driftline.encode.faults import shortened
from driftline.internals.record_stream import RecordStream
from driftline.streams import Stream


def identity_of(stream: Any) -> dict[str, Any] | None:
    """Return the identity as plain values; None if the stream has none.

    Raise ReadError if the stream cannot be read again.
    """
    return stream.identity if isinstance(stream, RecordStream | Stream) else None


def difference(stream: Any, saved: Any) -> str:
    """Return in which way the saved stream differs from this one; nothing if it is the same.

    Version 0.1.0 saved no identity of synthetic streams.
    """
    now = stream.identity_like(saved) if isinstance(stream, RecordStream) else identity_of(stream)
    if saved == now or (saved is None and isinstance(stream, Stream)):
        return ""
    if not isinstance(saved, dict) or now is None:
        return f"of {shortened(saved)}"
    for name in {**now, **saved}:
        if saved.get(name) != now.get(name):
            return f"with {name} {shortened(saved.get(name))} instead of {shortened(now.get(name))}"
    return ""
