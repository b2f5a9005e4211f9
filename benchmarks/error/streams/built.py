"""A cache on disk for streams that are slow to build from their file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from error import stored
from error.stored import Stream

FOLDER = Path(__file__).resolve().parents[2] / ".cache" / "error-built"


def built(name: str, source: Path, build: Callable[[], Stream]) -> Stream:
    """Return the stream `name`, which `build` creates once for each content of `source` and of
    the modules of this package.
    """
    code = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    content = hashlib.sha256(code + source.read_bytes()).hexdigest()[:12]
    file = FOLDER / f"{name}-{content}.npz"
    if not file.exists():
        stream = build()
        FOLDER.mkdir(parents=True, exist_ok=True)
        stream.save(FOLDER).replace(file)
    return stored.load(file)
