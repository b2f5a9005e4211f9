"""``read``: open files, frames and lists of dicts as a stream of examples."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal

from driftline.streams.files.faults import ReadError
from driftline.streams.files.formats.choose import FORMATS
from driftline.streams.files.given_options import (
    GivenOptions,
    checked_kinds,
    checked_na,
    checked_names,
    checked_ngrams,
    checked_task,
)
from driftline.streams.files.memory_source import MemorySource, memory_source
from driftline.streams.files.source import Source
from driftline.streams.files.stream import FileStream
from driftline.streams.schema.recipe import Recipe
from driftline.streams.synthetic.parameters import whole

Given = str | os.PathLike[str] | BinaryIO | Sequence[Mapping[str, Any]] | Any


def read(
    *paths: Given,
    format: str | None = None,  # noqa: A002
    target: str | None = None,
    positive: str | None = None,
    drop: Iterable[str] = (),
    time: str | None = None,
    text: Iterable[str] = (),
    ngrams: int | None = None,
    weight: str | None = None,
    kinds: Mapping[str, str] | None = None,
    na_values: Iterable[str] | None = None,
    header: bool | None = None,
    task: str | None = None,
    recipe: Recipe | None = None,
    keep: Iterable[str] = (),
    labelled: bool = True,
    on_error: Literal["stop", "skip"] = "stop",
    threads: int | None = None,
    cache: bool = False,
) -> FileStream:
    """Open files as a stream: svmlight, VW text, JSON, CSV, TSV, Parquet, Arrow or ARFF.

    Parameters
    ----------
    *paths : str, os.PathLike, binary file, frame, Arrow table or list of dicts
        Files, patterns such as ``"day-*.csv"``, open binary files, or "-" for stdin. Files
        compressed with gzip, xz, bzip2, zstd or zip are decompressed. Several files form one
        stream, in the given order; the files of a pattern are sorted by name. pandas and polars
        frames, Arrow tables and lists of dicts are read like files with the same content.
    format : str or None, default=None
        "svmlight", "vw", "jsonl", "csv", "tsv", "parquet", "arrow" or "arff". None detects the
        format by the file name or content.
    target : str or None, default=None
        The column of the labels, or of the numbers that a regressor predicts. CSV, TSV, JSON,
        Parquet and Arrow require it if ``labelled``.
    positive : str or None, default=None
        A label, or a pattern such as ``"spam*"``. Labels that match it become this string, all
        others become "other".
    drop : iterable of str, default=()
        Columns to ignore.
    time : str or None, default=None
        The column that orders the rows: numbers, or ISO dates and times, which must not decrease.
        It is not a feature.
    text : iterable of str, default=()
        Columns of text. Each word is a feature.
    ngrams : int or None, default=None
        The maximum number of consecutive words that form a feature. None means 1.
    weight : str or None, default=None
        The column of sample weights, numbers >= 0. It is not a feature.
    kinds : mapping of str to str or None, default=None
        Columns and their kinds: "number", "category", "text", "time" (hour, weekday and month are
        features) or "ignore". The kinds of all other columns are found from the first 1,000 rows
        and then held. A column without a value there has the kind of its first value.
    na_values : iterable of str or None, default=None
        Texts that mean a missing cell in CSV, TSV and ARFF. None means NA, N/A, nan, NaN, null,
        NULL, None and ?; an empty cell is always missing. Text columns have no missing texts.
    header : bool or None, default=None
        Whether CSV and TSV files begin with the names of their columns. Without a header they are
        named c1, c2 and so on. None means True, or what the recipe says.
    task : str or None, default=None
        "classification" accepts any labels for a classifier. "regression" is for regressors. None
        follows the learner, but refuses labels that look like the targets of a regression for a
        classifier: fractions, or more than 100 different numbers in the first 1,000 rows.
    recipe : Recipe or None, default=None
        The recipe of a model (``learner.recipe``), which says how to read the files.
    keep : iterable of str, default=()
        Columns of which the cells are passed through: ``X.kept`` of a block maps each to a list.
        Cells of CSV, TSV and ARFF are strings, None if they are empty.
    labelled : bool, default=True
        Whether only rows with a label are wanted; others are counted in ``unlabelled``. If False,
        y is None, or has None in rows without a label.
    on_error : {"stop", "skip"}, default="stop"
        "stop" raises at the first malformed row or cell. "skip" skips and counts malformed rows,
        and takes malformed cells as missing.
    threads : int or None, default=None
        Number of threads for svmlight and VW text; None means 2. One thread reads and learns, and
        parses instead of waiting; the others parse. The examples do not depend on it.
    cache : bool, default=False
        Store the parsed examples next to each file, as ``FILE.dlcache``, and read them the next
        time.

    Returns
    -------
    FileStream
        A stream that yields blocks ``(X, y)``, or ``(X, y, w)`` if the examples have weights.

    Examples
    --------
    >>> import io, driftline as dl
    >>> stream = dl.streams.read(io.BytesIO(b"+1 3:0.5 7:1\\n-1 7:2\\n"), format="svmlight")
    >>> dl.run(dl.PA1(), stream).examples
    2
    """
    sources = [source for path in paths for source in _sources(path)]
    if not sources:
        raise ReadError("read: at least one file must be given, got none. Pass a path")
    if format is not None and format not in FORMATS:
        raise ReadError(f"read: format must be one of {', '.join(FORMATS)}, got {format!r}")
    if on_error not in ("stop", "skip"):
        raise ReadError(f"read: on_error must be 'stop' or 'skip', got {on_error!r}")
    given = GivenOptions(
        target=target,
        positive=positive,
        time=time,
        weight=weight,
        drop=checked_names("drop", drop),
        text=checked_names("text", text),
        kinds=checked_kinds(kinds or {}),
        ngrams=checked_ngrams(ngrams),
        na=checked_na(na_values),
        task=checked_task(task),
        keep=checked_names("keep", keep),
        labelled=labelled,
        header=header,
        lenient=on_error == "skip",
    )
    count = 2 if threads is None else whole("read", "threads", threads, 1)
    stream = FileStream(sources, given, kind=format, on_error=on_error, threads=count, cache=cache)
    if recipe is not None:
        stream.use(recipe)
    return stream


def _sources(given: Given) -> Sequence[Source | MemorySource]:
    """Return the file, the frame or the dicts, or the files that match a pattern."""
    if not isinstance(given, str | os.PathLike):
        found = memory_source(given)
        return [Source(given) if found is None else found]
    path = os.fspath(given)
    if "://" in path:
        raise ReadError(f"{path}: must be a local file, got a URL. Download it first")
    if path == "-" or Path(path).exists() or not glob.has_magic(path):
        return [Source(path)]
    files = sorted(name for name in glob.iglob(path) if Path(name).is_file())  # noqa: PTH207
    if not files:
        raise ReadError(f"{path}: a pattern must match a file, got none. Check the path")
    return [Source(name) for name in files]
