"""Progress messages on a terminal."""

from __future__ import annotations

import sys


def tell(message: str) -> None:
    """Show a progress message in place if stderr is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{message[:100]}")
        sys.stderr.flush()
