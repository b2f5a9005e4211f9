"""``driftline evaluate``: count the errors of a saved model on labelled files."""

from __future__ import annotations

from time import perf_counter

from driftline.cli.options import FileOptions


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
    majority the most frequent label so far. Of a regressor the errors are printed, and the mean of
    the targets so far takes the place of majority.

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
        Column. The metrics are also printed for each of its values: at most 50, the rest together.
        Default: no slices.
    window
        Number of last examples for which the metrics are printed separately.
    json
        Print the result as JSON.
    """
    import json as as_json

    from driftline.cli import output
    from driftline.cli.evaluated import classified, regressed
    from driftline.cli.model import opened
    from driftline.cli.notes import print_notes, reading_facts
    from driftline.evaluate.metrics.settings import keep_slice
    from driftline.internals.text_table import aligned

    if not files:
        raise ValueError("evaluate must be given a file, got none. Give a path, or - for stdin")
    if save is not None and not learn:
        raise ValueError("--save must come with --learn, got it alone. Add --learn, or leave it out")
    output.check_writable(save)
    started = perf_counter()
    learner, stream, notes = opened(model, files, reading, labelled=True)
    keep_slice(stream, slice)
    stream.expect(output.task_of(learner), learner.kind)
    if learner.rule.regresses:
        found = regressed(learner, stream, learn, slice, window)
    elif not learner.labels:
        raise ValueError(f"{model}: a model must know its labels, got none. Train it first")
    else:
        found = classified(learner, stream, notes, learn, slice, window)
    output.check_learned(stream, found.examples)
    if save is not None:
        learner.save(save)
    if json:
        source = {"model": model, "learned": learn, "source": stream.name, "format": stream.format}
        about = {"learner": learner.kind, "task": output.task_of(learner), **found.facts}
        rest = {"metrics": found.metrics, "labels": list(learner.labels), "seconds": perf_counter() - started}
        print(as_json.dumps({**source, **about, **rest, **reading_facts(stream, notes=notes)}))
        return 0
    heads, cells = found.row()
    print(aligned([("learner", *heads), (learner.kind, *cells)]))
    print(f"\n{found.text}")
    print_notes(stream, notes=notes)
    output.skipped(stream)
    return 0
