"""Progress, for those who watch."""

from __future__ import annotations

import sys


def tell(message: str) -> None:
    """Show progress in place on a terminal; say nothing in a pipe."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{message[:100]}")
        sys.stderr.flush()
