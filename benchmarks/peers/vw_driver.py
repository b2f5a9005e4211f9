"""The driver of Vowpal Wabbit over a file, as on its command line: from opening the file to the
saved model.

It reads only VW text or its cache, and parses in a second thread. It runs plain gradient descent
on the hinge loss, its fastest mode. Its step sizes differ from the other learners', so its
weights are not comparable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import text_files
from contest import CACHE_HEAT, SVMLIGHT_HEAT, VW_HEAT, Attempt, Task
from data import Data
from vowpalwabbit import Workspace

from peers.vw_text import OPTIONS

MODEL = text_files.FOLDER / "vw.model"


def versions() -> dict[str, str]:
    """Return nothing: other tasks of this process report the versions."""
    return {}


def tasks(data: Data) -> Iterator[Task]:
    """Yield the driver over VW text, in the heats of both text formats, and over its cache."""
    file, rows = text_files.path(data, "vw"), data.sizes.sparse_rows
    for heat in (SVMLIGHT_HEAT, VW_HEAT):
        yield Task(heat, "Vowpal Wabbit, VW text", rows, _driven(f"-d {file}", file, rows))
    cache = file.with_name(f"{file.name}.cache")
    _drive(f"-d {file} -k --cache_file {cache}")
    yield Task(CACHE_HEAT, "Vowpal Wabbit, its cache", rows, _driven(f"--cache_file {cache}", cache, rows))


def _driven(source: str, file: Path, rows: int) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        text_files.into_memory(file)
        written = file.stat().st_mtime_ns
        MODEL.unlink(missing_ok=True)
        seen: list[float] = []

        def after() -> None:
            if seen != [rows] or not MODEL.stat().st_size or file.stat().st_mtime_ns != written:
                raise RuntimeError(f"{file.name}: the driver must have read its {rows} rows, got {seen}")

        return Attempt(lambda: seen.append(_drive(source)), after)

    return prepare


def _drive(source: str) -> float:
    """Learn from the source and save the model. Return the number of examples seen."""
    workspace = Workspace(f"{OPTIONS} {source} -f {MODEL}")
    if not workspace.parser_ran:  # with a text file, the package has already run the driver
        workspace.run_parser()
    seen = workspace.get_weighted_examples()
    workspace.finish()
    return float(seen)
