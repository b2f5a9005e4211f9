"""``driftline evaluate``: count the errors of a saved model on labelled files."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from driftline.cli.options import FileOptions

if TYPE_CHECKING:
    from driftline import Learner, Metrics
    from driftline.streams import FileStream


def evaluate(
    model: str,
    *files: str,
    learn: bool = False,
    save: str | None = None,
    slice: str | None = None,  # noqa: A002
    window: int = 1000,
    json: bool = False,
    reading: FileOptions = FileOptions(),  # noqa: B008
) -> int:
    """Print the errors and other metrics of a saved model on labelled files.

    The model does not learn from the files, unless --learn is given. The recipe in the model says
    how to read them, so the options for reading can be left out. Rows without a label are not
    evaluated.

    Two baselines are printed for comparison. no change predicts the label of the previous row,
    majority the most frequent label so far.

    Parameters
    ----------
    model
        A saved model (.dl file).
    files
        Files or patterns such as 'day-*.csv', read as one stream. - is stdin.
    learn
        Learn each example after it was predicted.
    save
        With --learn, save the trained model to this .dl file. Default: it is not saved.
    slice
        Column by whose values the metrics are printed: at most 50 values, the rest together.
        Default: no slices.
    window
        Number of examples at the end for which the metrics are printed too.
    json
        Print the result as JSON.
    """
    import json as as_json

    from driftline.cli import output
    from driftline.cli.model import opened
    from driftline.cli.notes import print_notes, reading_facts
    from driftline.evaluate.metrics.settings import keep_slice
    from driftline.evaluate.metrics.shown import shown
    from driftline.internals.text_table import aligned

    if not files:
        raise ValueError("evaluate must be given a file, got none. Give a path, or - for stdin")
    if save is not None and not learn:
        raise ValueError("--save must come with --learn, got it alone. Add --learn, or leave it out")
    output.check_writable(save)
    started = perf_counter()
    learner, stream, notes = opened(model, files, reading, labelled=True)
    keep_slice(stream, slice)
    if not learner.labels:
        raise ValueError(f"{model}: a model must know its labels, got none. Train it first")
    metrics = (_learned if learn else _frozen)(learner, stream, notes, slice, window)
    facts = {"learner": learner.kind, "examples": metrics.examples, "errors": metrics.errors}
    shares = (metrics.error, metrics.no_change_error, metrics.majority_error)
    facts |= dict(zip(("error", "no_change_error", "majority_error"), shares, strict=True))
    output.check_learned(stream, metrics.examples)
    if save is not None:
        learner.save(save)
    if json:
        source = {"model": model, "learned": learn, "source": stream.name, "format": stream.format}
        rest = {"metrics": metrics.to_dict(), "labels": list(learner.labels), "seconds": perf_counter() - started}
        print(as_json.dumps({**source, **facts, **rest, **reading_facts(stream, notes=notes)}))
        return 0
    head = ("learner", "examples", "errors", "error", "no change", "majority")
    cells = [f"{value:,}" if isinstance(value, int) else f"{value:.4f}" for value in list(facts.values())[1:]]
    print(aligned([head, (learner.kind, *cells)]))
    print(f"\n{shown(metrics)}")
    print_notes(stream, notes=notes)
    output.skipped(stream)
    return 0


def _frozen(learner: Learner, stream: FileStream, notes: list[str], column: str | None, window: int) -> Metrics:
    """Return the metrics of a model that does not learn.

    Labels that the model does not know are added to the notes.
    """
    from driftline.cli.counted import counted, listed_labels
    from driftline.cli.scored import scored
    from driftline.evaluate.metrics.frozen import FrozenMetrics

    found = FrozenMetrics(learner, column, window)
    for some in scored(learner, stream):
        found.add(some.rows, some.truth, some.labels, some.scores)
    unknown = found.unknown
    if unknown:
        notes.append(
            f"{counted(sum(unknown.values()), 'example')} with labels that the model does not know: "
            f"{listed_labels([repr(label) for label in unknown])}. They count as errors. "
            f"The model knows {listed_labels(list(map(repr, learner.labels)))}"
        )
    return found.metrics


def _learned(learner: Learner, stream: FileStream, notes: list[str], column: str | None, window: int) -> Metrics:
    """Return the metrics of a model that learns each example after predicting it."""
    import driftline as dl

    metrics = dl.run(learner, stream, slice=column, window=window).metrics
    assert metrics is not None
    return metrics
