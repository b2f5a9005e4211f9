"""Options shared by several commands: how files are read, and how learners are created."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

if TYPE_CHECKING:
    from driftline.streams import FileStream

KINDS = ("number", "category", "text", "time", "ignore")


@Parameter(name="*")
@dataclass
class LearnerOptions:
    """Options that all learners share.

    Parameters
    ----------
    bias
        Add a constant feature.
    scale
        How to scale the features: unit, standard or randomfourier(n=256, gamma=1.0).
        unit scales each example to length 1.
        standard divides each feature by its running standard deviation.
        randomfourier maps each example to n random Fourier features.
        Default: no scaling.
    labels
        The two labels as NEGATIVE,POSITIVE. Multiclass learners take more than two.
        Default: the labels in the files. Of two, the one that sorts first is negative.
    hash_bits
        Hash feature names into 2^N weights. 0 stores every name.
        Default: 20 with --text, otherwise 0.
    keep_names
        Store the names behind hashed features, for inspect and predict --explain.
    dtype
        Floating-point type of the weights.
    class_weight
        Weights of the labels as LABEL=WEIGHT,LABEL=WEIGHT, which multiply the sample weights.
        Labels that are not named have the weight 1.
        balanced gives recently rare labels larger weights.
        Default: all labels have the weight 1.
    """

    bias: bool = True
    scale: str | None = None
    labels: str | None = None
    hash_bits: int | None = None
    keep_names: bool = False
    dtype: Literal["float64", "float32"] = "float64"
    class_weight: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None


@Parameter(name="*")
@dataclass
class FileOptions:
    """Options for reading files.

    Parameters
    ----------
    target
        Column or JSON key of the label, or of the number to predict.
        svmlight and VW files need no target.
        Default for ARFF files: the attribute named class, or else the last one.
    positive
        Reduce the labels to two: this one, and "other" for all others.
        A pattern such as spam* stands for every label that matches it.
        Default: keep the labels of the files.
    drop
        Column to leave out. Repeat the option for several columns.
    time
        Column of the time. It is not a feature, and must never decrease.
    text
        Column of text. Each word becomes a feature.
        Repeat the option for several columns.
    ngrams
        Longest sequence of adjacent words of text that becomes a feature, in words.
        Default: 1.
    kind
        COLUMN=KIND: read the column as number, category, text, time or ignore.
        Repeat the option for several columns.
        Default: the kind that the first 1,000 rows show.
    na
        Text that means a missing cell in CSV, TSV and ARFF files, besides an empty cell.
        Repeat the option for several texts.
        Default: NA, N/A, nan, NaN, null, NULL, None and ?.
    weight
        Column of the sample weight. It is not a feature.
    header
        Whether CSV and TSV files begin with the names of their columns.
        Without a header they are named c1, c2 and so on.
    task
        classification takes every different number of the target as a class.
        regression predicts the numbers of the target.
        Default: regression if the target has fractions or more than 100 different numbers.
    format
        svmlight, vw, jsonl, csv, tsv, parquet, arrow or arff.
        Default: recognised by the name or the content of the file.
    on_error
        stop ends at the first malformed example.
        skip leaves out malformed examples and counts them.
    threads
        Number of threads for text formats. One reads and learns, the others parse.
        Default: 2.
    cache
        Store the parsed data next to each file, as FILE.dlcache, and use it the next time.
    """

    target: str | None = None
    positive: str | None = None
    drop: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = ()
    time: str | None = None
    text: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = ()
    ngrams: int | None = None
    kind: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = ()
    na: Annotated[tuple[str, ...], Parameter(negative="", show_default=False, allow_leading_hyphen=True)] = ()
    weight: str | None = None
    header: bool = True
    task: Literal["classification", "regression"] | None = None
    format: str | None = None
    on_error: Literal["stop", "skip"] = "stop"
    threads: int | None = None
    cache: bool = False

    def stream(self, files: tuple[str, ...], labelled: bool, keep: tuple[str, ...] = ()) -> FileStream:
        """Return the files as a stream; the cells of the columns ``keep`` are passed through."""
        from driftline.streams import read

        given = {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}
        if "kind" in given:
            given["kinds"] = _kinds(given.pop("kind"))
        if "na" in given:
            given["na_values"] = given.pop("na")
        return read(*files, **given, labelled=labelled, keep=keep)

    @property
    def words(self) -> bool:
        """Whether a column is text by the options, so that its words are features."""
        return bool(self.text) or "text" in _kinds(self.kind).values()

    def labelled_by(self, making: LearnerOptions) -> LearnerOptions:
        """Return the options, with the two labels declared if ``positive`` creates them."""
        if self.positive is None or making.labels is not None:
            return making
        return replace(making, labels=f"other,{self.positive}")


def _kinds(given: tuple[str, ...]) -> dict[str, str]:
    """Return a dict from columns to kinds, given texts COLUMN=KIND."""
    kinds: dict[str, str] = {}
    for text in given:
        column, sign, kind = text.rpartition("=")
        if not sign or not column or kind not in KINDS:
            raise ValueError(
                f"--kind must be COLUMN=KIND with a kind among {', '.join(KINDS)}, got {text!r}. "
                "Example: --kind zip=category"
            )
        if kinds.setdefault(column, kind) != kind:
            raise ValueError(f"--kind must give a column one kind, got {kinds[column]} and {kind} for {column!r}")
    return kinds
