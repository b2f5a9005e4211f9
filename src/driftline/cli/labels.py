"""``driftline labels``: measure the mistakes of a learner that asks for part of the labels."""

from __future__ import annotations

import math
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from driftline.cli.options import FileOptions, LearnerOptions

if TYPE_CHECKING:
    from driftline.rules import Variant


def labels(
    *files: str,
    learner: str = "perceptron",
    second: str | None = None,
    b: Annotated[str, Parameter(show_default=False)] = "",
    seeds: int = 5,
    report: str | None = None,
    json: bool = False,
    reading: FileOptions = FileOptions(),  # noqa: B008
    making: LearnerOptions = LearnerOptions(),  # noqa: B008
) -> int:
    """Train a learner on part of the labels, and print its mistakes against the share of labels.

    All examples are kept in memory.

    Parameters
    ----------
    files
        Files or patterns such as 'day-*.csv', read as one stream. - is stdin.
    learner
        Learner that is trained on the labels asked for, for example 'pa1(C=0.5)'.
        It is run with the variants constant and adaptive; kernel learners only with constant.
    second
        Second-order learner for the variant second, such as 'secondorderperceptron(a=1)'.
        Default: the variant second is not run.
    b
        Comma-separated numbers > 0. A larger b asks for more labels.
        Default: 0.01,0.03,0.1,0.3,1,3,10,30,100
    seeds
        Number of runs for each b. The mean over the runs is printed.
    report
        Write an HTML report to this file. Default: no report.
    json
        Print the result as JSON.
    """
    import json as as_json

    import driftline as dl
    from driftline.cli import output
    from driftline.cli.kept import Kept
    from driftline.cli.learner import options_of
    from driftline.cli.notes import print_notes, reading_facts
    from driftline.cli.tally import Tally
    from driftline.evaluate.label_tradeoff import GRID
    from driftline.learners.inner_learners import base_of
    from driftline.report import write_label_report
    from driftline.rules.composed.label_efficient import OVER_A_KERNEL
    from driftline.streams.schema.recipe import CLASSIFICATION

    if not files:
        raise ValueError("labels must be given a file, got none. Give a path, or - for stdin")
    output.check_writable(report)
    started = perf_counter()
    source = reading.stream(files, labelled=True)
    counted = Tally(source)
    source.expect(CLASSIFICATION, "labels")
    stream = Kept(counted)
    pairs: list[tuple[str, Variant]] = [(learner, "constant")]
    if not isinstance(base_of("LabelEfficient", learner, {})[0], OVER_A_KERNEL):
        pairs.append((learner, "adaptive"))
    if second is not None:
        pairs.append((second, "second"))
    grid = _numbers(b) if b else GRID
    options = options_of(reading.labelled_by(making), reading.words)
    output.check_labels(source, options["labels"] or list(counted.labels), counted.examples)
    found = dl.tradeoff(stream, pairs, b=grid, seeds=seeds, **options)
    output.check_learned(source, found.examples)
    if report is not None:
        summary = counted.summary(found.features, perf_counter() - started)
        write_label_report(report, f"Labels of {source.title}", found, summary)
    if json:
        points = [{name: _plain(value) for name, value in row.items()} for row in found.table()]
        facts = {"source": source.name, "examples": found.examples, "seeds": seeds, "points": points}
        print(as_json.dumps({**facts, **reading_facts(source)}))
        return 0
    print(found)
    print(f"{found.examples:,} examples, means of {seeds} seeds, {perf_counter() - started:.2f} s in all")
    print_notes(source)
    output.skipped(source)
    return 0


def _plain(value: str | float) -> str | float | None:
    """Return the value, or None if JSON has no number for it.

    b is infinite for a learner with all labels. The ratio to a learner without mistakes is NaN.
    """
    return value if isinstance(value, str) or math.isfinite(value) else None


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--b must be comma-separated numbers, got {text!r}. Example: 0.1,1,10") from None
