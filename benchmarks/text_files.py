"""The sparse stream as svmlight and Vowpal Wabbit text files, written once for all contestants.

The file name contains a checksum of the rows, so a new stream gets new files.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import data
from data import Data

FOLDER = Path(__file__).resolve().parent / ".cache" / "text"
LAYOUT = 1  # increase it when the lines below change; the files are then written again
KINDS = {"svm": "{label:.0f} {pairs}\n", "vw": "{label:.0f} | {pairs}\n"}
PIECE = 1 << 22


def path(rows: Data, kind: str) -> Path:
    """Return the file of these rows as `kind` ("svm" or "vw")."""
    mark = LAYOUT
    for array in (rows.indptr, rows.indices, rows.values, rows.sparse_y):
        mark = zlib.crc32(array, mark)
    return FOLDER / f"{rows.sizes.sparse_rows}-{mark:08x}.{kind}"


def ensure(folder: Path, few: int) -> None:
    """Write the sparse rows of `folder`, and the first `few` for the warm-up, unless the files
    exist.
    """
    rows = data.load(folder)
    for some in (rows, rows.first(few)):
        paths = {kind: path(some, kind) for kind in KINDS}
        if not all(file.exists() for file in paths.values()):
            _write(some, paths)


def into_memory(file: Path) -> None:
    """Read the file once, so that disk access is not timed."""
    with file.open("rb") as opened:
        while opened.read(PIECE):
            pass


def _write(rows: Data, paths: dict[str, Path]) -> None:
    """Write all formats to temporary files, and rename these when they are complete."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    parts = {kind: file.with_suffix(f".{kind}.part") for kind, file in paths.items()}
    opened = {kind: part.open("w") for kind, part in parts.items()}
    for row in range(rows.sizes.sparse_rows):
        start, end = rows.indptr[row], rows.indptr[row + 1]
        numbered = zip(rows.indices[start:end].tolist(), rows.values[start:end].tolist(), strict=True)
        pairs = " ".join([f"{index}:{value:.6g}" for index, value in numbered])
        for kind, file in opened.items():
            file.write(KINDS[kind].format(label=rows.sparse_y[row], pairs=pairs))
    for kind, file in opened.items():
        file.close()
        parts[kind].replace(paths[kind])
