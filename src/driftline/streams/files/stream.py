"""Streams of examples from files: blocks ``(X, y)``, or ``(X, y, w)`` with sample weights."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from driftline.internals.record_stream import RecordStream
from driftline.internals.rows import FileRows
from driftline.internals.visible_text import visible
from driftline.streams.files.cache import cached
from driftline.streams.files.faults import EndlessFault, Fault, ReadError
from driftline.streams.files.formats.choose import FORMATS, format_of, pieces_of
from driftline.streams.files.identity import identity_as_saved, identity_of
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.source import Source
from driftline.streams.schema.recipe import Recipe
from driftline.streams.synthetic.parameters import whole

LISTED = 20
"""Maximum number of messages kept for skipped examples."""
OTHER = "other"

Given = str | os.PathLike[str] | BinaryIO


@dataclass
class Reasons:
    """The number of skipped examples, and the messages of the first ones."""

    count: int = 0
    listed: list[str] = field(default_factory=list)

    def add(self, reason: str) -> None:
        """Count one more skipped example."""
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(reason)


class FileStream(RecordStream):
    """Files, read again from the start at every iteration. Make one with ``read``.

    ``skipped`` is the number of examples skipped so far. ``reasons`` are the messages of the first
    ones.
    """

    def __init__(
        self,
        sources: list[Source],
        options: ReadOptions,
        *,
        kind: str | None,
        positive: str | None,
        on_error: Literal["stop", "skip"],
        threads: int,
        cache: bool,
    ) -> None:
        self.sources = sources
        self.options = options
        self.positive = positive
        self.on_error = on_error
        self.threads = threads
        self.cache = cache
        self.formats = [kind or format_of(source) for source in sources]
        self.faults = Reasons()
        """The malformed rows and their faults."""
        self.refused_rows = Reasons()
        """The rows that a learner refused, and the reasons."""
        self._resumed = Reasons()
        self._left_out_here: set[str] = set()
        """Places of the rows left out since the latest block was read; others may refuse them too."""

        self.unlabelled = 0
        self.missing: dict[str, int] = {}
        self.notes: list[str] = []
        self._first_labels: list[Any] = []

    @property
    def recipe(self) -> Recipe | None:
        """How the records become examples; None for formats without columns."""
        o = self.options
        if set(self.formats) <= {"svmlight", "vw"}:
            return None
        kinds = dict.fromkeys(o.text, "text") | dict.fromkeys(o.drop, "ignore")
        return Recipe(o.target, self.positive, o.time, None, o.ngrams, (), "classification", kinds, True)

    @property
    def first_labels(self) -> list[Any]:
        """The different labels of the first rows."""
        return self._first_labels

    def use(self, recipe: Recipe) -> None:
        """Read the files by this recipe."""
        o = self.options
        for name, given in (("target", o.target), ("positive", self.positive), ("time", o.time)):
            due = getattr(recipe, name)
            if given is not None and given != due:
                raise ReadError(f"--{name} must be {due!r} as in the model, got {given!r}. Leave it out")
        text = tuple(c for c, kind in recipe.kinds.items() if kind == "text")
        drop = tuple(c for c, kind in recipe.kinds.items() if kind == "ignore")
        for name, given, due in (("text", o.text, text), ("drop", o.drop, drop)):
            if given and set(given) != set(due):
                raise ReadError(f"--{name} must be {due!r} as in the model, got {given!r}. Leave it out")
        if o.ngrams not in (1, recipe.ngrams):
            raise ReadError(f"--ngrams must be {recipe.ngrams} as in the model, got {o.ngrams}. Leave it out")
        self.options = ReadOptions(recipe.target, drop, recipe.time, text, recipe.ngrams, o.labelled)
        self.positive = recipe.positive

    def __repr__(self) -> str:
        return f"<FileStream {visible(self.name)}>"

    @property
    def name(self) -> str:
        """Return a short description of the files."""
        names = [source.name for source in self.sources]
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @property
    def title(self) -> str:
        """Return a short description of the files, without folders."""
        return self.name.replace(self.sources[0].name, Path(self.sources[0].name).name, 1)

    @property
    def format(self) -> str:
        """Return the format or formats of the files."""
        return ", ".join(sorted(set(self.formats)))

    @property
    def fraction(self) -> float | None:
        """Return the fraction of bytes read so far; None if a file size is unknown."""
        sizes = [source.size for source in self.sources]
        if any(size is None for size in sizes):
            return None
        return sum(source.read for source in self.sources) / max(1, sum(size or 0 for size in sizes))

    def __iter__(self) -> Iterator[Any]:
        self.faults = Reasons()
        self.refused_rows, self._resumed = self._resumed, Reasons()
        some = False
        for source in self.sources:
            source.read = 0
        for source, kind in zip(self.sources, self.formats, strict=True):
            for parsed in self._pieces(source, kind):
                for fault in parsed.faults:
                    if isinstance(fault, EndlessFault):
                        raise fault.error()
                    self._skip(fault.error(), self.faults)
                if len(parsed.rows):
                    some = True
                    self._left_out_here.clear()
                    if not self._first_labels and parsed.y is not None:
                        self._first_labels = list(dict.fromkeys(self._block(parsed)[1][:1000].tolist()))
                    yield self._block(parsed)
        if not some and self.faults.count:
            raise self.nothing_left()
        if not some:
            raise ReadError(f"{self.name}: must have at least one example, got none. Check that it is the right file")

    def _pieces(self, source: Source, kind: str) -> Iterator[Parsed]:
        fresh = partial(pieces_of, source, kind, self.options, self.threads)
        return cached(source, kind, self.options, fresh) if self.cache else fresh()

    def _block(self, parsed: Parsed) -> Any:
        rows, y, w, *_ = parsed
        if self.options.labelled and y is None:
            line = int(rows.lines[0])
            remedy = "Name the label column with --target" if self.options.target is None else "Correct it"
            raise Fault(rows.source, line, None, "every example must have a label", "none", remedy).error()
        if y is not None and self.positive is not None:
            y = _two(y, self.positive)
        return (rows, y) if w is None else (rows, y, w)

    def leave_out(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out a row that a learner refuses, and count it; raise with ``on_error="stop"``."""
        place = rows.place(row)
        if place not in self._left_out_here:
            self._left_out_here.add(place)
            self._skip(ReadError(f"{place}: {what}"), self.refused_rows)

    def leave_out_of_baseline(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out a row that a baseline refuses; ``ReadError`` if the main learner took it."""
        place = rows.place(row)
        if place not in self._left_out_here:
            raise ReadError(f"{place}: {what}")

    def _skip(self, error: ReadError, reasons: Reasons) -> None:
        if self.on_error == "stop":
            raise error
        reasons.add(str(error))

    def nothing_left(self) -> ReadError:
        """The error for a stream without a valid example: how many were skipped, and why the first."""
        return ReadError(
            f"{self.name}: must have at least one valid example, got none of {self.skipped:,}. "
            f"The first was skipped because {self.reasons[0]}"
        )

    @property
    def skipped(self) -> int:
        """Return the number of examples skipped so far."""
        return self.faults.count + self.refused_rows.count

    @property
    def reasons(self) -> list[str]:
        """Return the messages of the first skipped examples."""
        return [*self.faults.listed, *self.refused_rows.listed][:LISTED]

    def refusals(self) -> dict[str, Any]:
        """The rows that learners refused so far, as plain values; ``resume_refusals`` takes them."""
        return {"count": self.refused_rows.count, "listed": list(self.refused_rows.listed)}

    def resume_refusals(self, refusals: dict[str, Any]) -> None:
        """Start the next iteration with these rows counted as refused."""
        self._resumed = Reasons(refusals["count"], list(refusals["listed"]))

    @property
    def identity(self) -> dict[str, Any]:
        """Names, formats and options: they must be the same when a run is resumed."""
        return identity_of(self.sources, self.formats, self.options, self.positive, self.on_error)

    def identity_like(self, saved: Any) -> dict[str, Any]:
        """The identity, in the form of version 0.1.0 if ``saved`` has that form."""
        return identity_as_saved(saved, self.identity, self.sources)


def read(
    *paths: Given,
    format: str | None = None,  # noqa: A002
    target: str | None = None,
    positive: str | None = None,
    drop: Iterable[str] = (),
    time: str | None = None,
    text: Iterable[str] = (),
    ngrams: int = 1,
    labelled: bool = True,
    on_error: Literal["stop", "skip"] = "stop",
    threads: int | None = None,
    cache: bool = False,
    recipe: Recipe | None = None,
    kinds: Any = None,
    na_values: Any = None,
    weight: str | None = None,
    header: bool = True,
    task: str | None = None,
) -> FileStream:
    """Open files as a stream: svmlight, VW text, JSON lines, CSV, TSV, Parquet, Arrow or ARFF.

    Parameters
    ----------
    *paths : str, os.PathLike or binary file
        Files, patterns such as ``"day-*.csv"``, open binary files, or "-" for stdin. Files
        compressed with gzip, xz, bzip2, zstd or zip are decompressed. Several files form one
        stream, in the given order; the files of a pattern are sorted by name.
    format : str or None, default=None
        "svmlight", "vw", "jsonl", "csv", "tsv", "parquet", "arrow" or "arff". None detects the
        format by the file name or content.
    target : str or None, default=None
        The label column. CSV, TSV, JSON lines, Parquet and Arrow require it if ``labelled``.
    positive : str or None, default=None
        A label, or a pattern such as ``"spam*"``. Labels that match it become this string, all
        others become "other".
    drop : iterable of str, default=()
        Columns to ignore.
    time : str or None, default=None
        A column whose values must not decrease. It is not a feature.
    text : iterable of str, default=()
        Columns of text. Each word is a feature.
    ngrams : int, default=1
        The maximum number of consecutive words that form a feature.
    labelled : bool, default=True
        Whether every example must have a label.
    on_error : {"stop", "skip"}, default="stop"
        "stop" raises at the first malformed example, "skip" skips and counts such examples.
    threads : int or None, default=None
        Number of threads for text files; None means 2. One thread reads and learns, and parses
        instead of waiting; the others parse. The examples do not depend on it.
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
    columns = {"drop": _names("drop", drop), "text": _names("text", text)}
    options = ReadOptions(target, columns["drop"], time, columns["text"], whole("read", "ngrams", ngrams, 1), labelled)
    count = 2 if threads is None else whole("read", "threads", threads, 1)
    return FileStream(sources, options, kind=format, positive=positive, on_error=on_error, threads=count, cache=cache)


def _two(y: np.ndarray, positive: str) -> np.ndarray:
    """Return two labels: the pattern for labels that match it, "other" for the rest."""
    different, codes = np.unique(y, return_inverse=True)
    return np.array([positive if fnmatchcase(str(one), positive) else OTHER for one in different.tolist()])[codes]


def _names(what: str, given: Iterable[str]) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise ReadError(f"read: {what} must be names of columns, got {given!r}")
    return names


def _sources(given: Given) -> list[Source]:
    """Return the file, or the files that match a pattern."""
    if not isinstance(given, str | os.PathLike):
        return [Source(given)]
    path = os.fspath(given)
    if "://" in path:
        raise ReadError(f"{path}: must be a local file, got a URL. Download it first")
    if path == "-" or Path(path).exists() or not glob.has_magic(path):
        return [Source(path)]
    found = sorted(name for name in glob.iglob(path) if Path(name).is_file())  # noqa: PTH207
    if not found:
        raise ReadError(f"{path}: a pattern must match a file, got none. Check the path")
    return [Source(name) for name in found]
