"""The shards of a stationary stream: whole files, or blocks of arrays, dealt in turn."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from driftline.evaluate.blocks import ROWS, Block, blocks, total
from driftline.internals.record_stream import RecordStream
from driftline.streams import read

MOST = 8
"""The number of shards if none is given and there are as many parts."""


@dataclass(frozen=True)
class Shard:
    """A part of the stream; it can be read several times, in any process.

    Attributes
    ----------
    files
        The paths of the shard; empty for blocks.
    reading
        The options of ``dl.streams.read``.
    blocks
        Blocks ``(X, y, w)``; empty for files.
    """

    files: tuple[str, ...]
    reading: Mapping[str, Any]
    blocks: tuple[Block, ...]

    def stream(self) -> Any:
        """The examples of the shard, from the start."""
        return read(*self.files, **self.reading) if self.files else [_writable(block) for block in self.blocks]


def shards_of(data: Any, shards: int | None, rows: int | None, reading: Mapping[str, Any]) -> list[Shard]:
    """Deal files or blocks to shards: part k goes to the shard k modulo their number.

    Parameters
    ----------
    data, shards, rows, reading
        As for ``mix``.
    """
    paths = _paths(data)
    if reading and not paths:
        raise ValueError(
            f"mix: options of dl.streams.read must come with paths, got {', '.join(reading)} with "
            f"{type(data).__name__}. Leave them out, or pass paths"
        )
    if isinstance(data, RecordStream):
        raise ValueError(
            "mix: data must be paths, or arrays or blocks, got a stream of files. Pass the paths, and the options of "
            "dl.streams.read to mix"
        )
    if rows is None:
        known = total(data) if isinstance(data, tuple) else None
        rows = ROWS if known is None else max(1, min(ROWS, known // (shards or MOST)))
    found: Iterable[Any] = [] if paths else blocks(data, rows)
    if not isinstance(data, tuple | list):
        found = map(deepcopy, found)  # a generator may use the arrays of a block again for the next one
    parts: Sequence[Any] = paths or list(found)
    what = "files" if paths else "blocks"
    if not parts:
        raise ValueError("mix: data must have an example, got none. Pass files or blocks")
    count = min(MOST, len(parts)) if shards is None else shards
    if count > len(parts):
        raise ValueError(
            f"mix: shards must be at most the number of {what}, {len(parts)}, got {count}. "
            f"Choose fewer shards, or {'split the files' if paths else 'make the blocks smaller'}"
        )
    dealt = [tuple(parts[k::count]) for k in range(count)]
    return [Shard(some if paths else (), reading, () if paths else some) for some in dealt]


def _paths(data: Any) -> list[str]:
    """The files of a path, a pattern or a list of them; an empty list if data are something else."""
    given = [data] if isinstance(data, str | os.PathLike) else data
    if not isinstance(given, list | tuple) or not all(isinstance(one, str | os.PathLike) for one in given):
        return []
    found: list[str] = []
    for one in map(os.fspath, given):
        if one == "-":
            raise ValueError("mix: files must be read several times, got '-' for stdin. Pass paths")
        matching = [] if Path(one).exists() else sorted(glob.glob(one))  # noqa: PTH207
        found += matching or [one]
    return [str(Path(one).resolve()) for one in found]


def _writable(block: Iterable[Any]) -> Any:
    """The block; arrays of Ray's object store are copied: they are read-only, and code would be compiled anew."""
    X, y, w = (deepcopy(part) if _is_read_only(part) else part for part in block)
    return (X, y) if w is None else (X, y, w)


def _is_read_only(part: Any) -> bool:
    arrays = [part, *(vars(part).values() if hasattr(part, "__dict__") else ())]
    return any(isinstance(one, np.ndarray) and not one.flags.writeable for one in arrays)
