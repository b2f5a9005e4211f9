"""The peak of the resident memory of this process while a call runs (Linux)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STATUS = Path("/proc/self/status")
RESET = Path("/proc/self/clear_refs")


class Peak:
    """The number of bytes by which the resident memory has grown, at its highest."""

    grown = 0


@contextmanager
def peak_memory() -> Iterator[Peak]:
    """Measure the peak while the body runs."""
    found = Peak()
    RESET.write_text("5")
    before = _bytes("VmRSS")
    try:
        yield found
    finally:
        found.grown = _bytes("VmHWM") - before


def _bytes(name: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])
