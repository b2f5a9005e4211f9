"""``driftline evaluate``: count the errors of a saved model on labelled files."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from driftline.cli.options import FileOptions

if TYPE_CHECKING:
    from driftline import Learner
    from driftline.streams import FileStream


def evaluate(
    model: str,
    *files: str,
    learn: bool = False,
    save: str | None = None,
    json: bool = False,
    reading: FileOptions = FileOptions(),  # noqa: B008
) -> int:
    """Print the errors of a saved model on labelled files.

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
    json
        Print the result as JSON.
    """
    import json as as_json

    from driftline.cli import output
    from driftline.cli.model import opened
    from driftline.cli.notes import print_notes, reading_facts
    from driftline.internals.text_table import aligned

    if not files:
        raise ValueError("evaluate must be given a file, got none. Give a path, or - for stdin")
    if save is not None and not learn:
        raise ValueError("--save must come with --learn, got it alone. Add --learn, or leave it out")
    output.check_writable(save)
    started = perf_counter()
    learner, stream, notes = opened(model, files, reading, labelled=True)
    if not learner.labels:
        raise ValueError(f"{model}: a model must know its labels, got none. Train it first")
    facts = {"learner": learner.kind, **(_learned if learn else _frozen)(learner, stream, notes)}
    output.check_learned(stream, facts["examples"])
    if save is not None:
        learner.save(save)
    if json:
        source = {"model": model, "learned": learn, "source": stream.name, "format": stream.format}
        rest = {"labels": list(learner.labels), "seconds": perf_counter() - started}
        print(as_json.dumps({**source, **facts, **rest, **reading_facts(stream, notes=notes)}))
        return 0
    head = ("learner", "examples", "errors", "error", "no change", "majority")
    cells = [f"{value:,}" if isinstance(value, int) else f"{value:.4f}" for value in list(facts.values())[1:]]
    print(aligned([head, (learner.kind, *cells)]))
    print_notes(stream, notes=notes)
    output.skipped(stream)
    return 0


def _frozen(learner: Learner, stream: FileStream, notes: list[str]) -> dict[str, Any]:
    """Return the results of a model that does not learn, and of the baselines.

    Labels that the model does not know are added to the notes.
    """
    import numpy as np

    from driftline.cli.counted import counted, listed_labels
    from driftline.cli.scored import scored
    from driftline.evaluate.baselines import Baselines

    examples, errors, baselines = 0, 0, Baselines()
    classes: dict[Any, int] = {}
    known = frozenset(learner.labels)
    unknown = 0
    for some in scored(learner, stream):
        truth = some.truth.tolist()
        examples += len(truth)
        errors += sum(said != true for said, true in zip(some.labels.tolist(), truth, strict=True))
        unknown += sum(label not in known for label in truth)
        baselines.add_classes(np.array([classes.setdefault(label, len(classes)) for label in truth], float))
    if unknown:
        notes.append(
            f"{counted(unknown, 'example')} with labels that the model does not know: "
            f"{listed_labels([repr(label) for label in classes if label not in known])}. They count as errors. "
            f"The model knows {listed_labels(list(map(repr, learner.labels)))}"
        )
    return {
        "examples": examples,
        "errors": errors,
        "error": errors / max(1, examples),
        "no_change_error": baselines.no_change / max(1, examples),
        "majority_error": baselines.majority / max(1, examples),
    }


def _learned(learner: Learner, stream: FileStream, notes: list[str]) -> dict[str, Any]:
    """Return the results of a model that learns each example after predicting it."""
    import driftline as dl

    run = dl.run(learner, stream)
    return {
        "examples": run.examples,
        "errors": run.label_errors,
        "error": run.error,
        "no_change_error": run.no_change_error,
        "majority_error": run.majority_error,
    }
