"""Options that several commands share: how files are read, and which learner is made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

if TYPE_CHECKING:
    from driftline.streams import FileStream


@Parameter(name="*")
@dataclass
class LearnerOptions:
    """What every learner takes."""

    bias: bool = True
    """Add a constant feature."""
    scale: str | None = None
    """unit: examples to length 1; standard: features by running mean and deviation; randomfourier(n=256, gamma=1.0)."""
    labels: str | None = None
    """The two labels as NEGATIVE,POSITIVE, or those of several classes; taken as they appear without it."""
    hash_bits: int | None = None
    """Hash feature names into 2^N weights. Text is hashed into 2^20 without it; 0 keeps all names."""
    dtype: Literal["float64", "float32"] = "float64"
    """Type of the weights."""


@Parameter(name="*")
@dataclass
class FileOptions:
    """How files are read."""

    target: str | None = None
    """Column of the label."""
    positive: str | None = None
    """A label or a pattern such as spam*: labels are then this one, for all that match, and "other"."""
    drop: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Column to leave out; may be given several times."""
    time: str | None = None
    """Column that must not go backwards; it is no feature."""
    text: Annotated[tuple[str, ...], Parameter(negative="")] = ()
    """Column of text, which becomes words; may be given several times."""
    ngrams: int = 1
    """Up to so many words that stand together are features too."""
    format: str | None = None
    """svmlight, vw, jsonl, csv, tsv, parquet, arrow or arff; told by the file without it."""
    on_error: Literal["stop", "skip"] = "stop"
    """What to do about malformed examples: stop, or leave them out and count them."""
    threads: int | None = None
    """Threads that work on a text: one reads and learns, the others parse."""
    cache: bool = False
    """Keep what was parsed beside the file, as FILE.dlcache, for the next time."""

    def stream(self, files: tuple[str, ...], labelled: bool) -> FileStream:
        """The files as a stream."""
        from driftline.streams import read

        return read(*files, **vars(self), labelled=labelled)

    def labelled_by(self, making: LearnerOptions) -> LearnerOptions:
        """The options of a learner that knows the two labels, where these options make them."""
        if self.positive is None or making.labels is not None:
            return making
        return replace(making, labels=f"other,{self.positive}")
