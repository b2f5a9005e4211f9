"""``driftline labels``: what labels are worth, as mistakes against the share of them that is asked for."""

from __future__ import annotations

import math
from time import perf_counter
from typing import TYPE_CHECKING

from driftline.cli.options import FileOptions, LearnerOptions

if TYPE_CHECKING:
    from driftline.rules import Variant


def labels(
    *files: str,
    learner: str = "perceptron",
    second: str | None = None,
    b: str = "",
    seeds: int = 5,
    report: str | None = None,
    json: bool = False,
    reading: FileOptions = FileOptions(),  # noqa: B008
    making: LearnerOptions = LearnerOptions(),  # noqa: B008
) -> int:
    """Run a learner on a part of the labels of the files; say how many mistakes each part costs.

    All examples are kept in memory.

    Parameters
    ----------
    files
        Files or patterns, read as one stream; - is stdin.
    learner
        What learns from the labels asked for, with parameters as in 'pa1(C=0.5)'; asked by "constant" and, unless it
        is over a kernel, by "adaptive".
    second
        A learner of second order such as 'secondorderperceptron(a=1)', asked by "second".
    b
        Numbers with commas between them: the larger, the more labels.
    seeds
        Runs for each b, over which is averaged.
    report
        Write a report here, as one HTML file.
    json
        Print the result as JSON.
    """
    import json as as_json

    import driftline as dl
    from driftline.cli import output
    from driftline.cli.kept import Kept
    from driftline.cli.learner import options_of
    from driftline.cli.tally import Tally
    from driftline.evaluate.label_tradeoff import GRID
    from driftline.learners.base import base_of
    from driftline.report import write_label_report
    from driftline.rules.composed.label_efficient import OVER_A_KERNEL

    if not files:
        raise ValueError("labels must have a file, got none. Give one, or - for stdin")
    output.check_writable(report)
    started = perf_counter()
    source = reading.stream(files, labelled=True)
    counted = Tally(source)
    stream = Kept(counted)
    pairs: list[tuple[str, Variant]] = [(learner, "constant")]
    if not isinstance(base_of("LabelEfficient", learner, {})[0], OVER_A_KERNEL):
        pairs.append((learner, "adaptive"))
    if second is not None:
        pairs.append((second, "second"))
    grid = _numbers(b) if b else GRID
    options = options_of(reading.labelled_by(making), bool(reading.text))
    output.check_labels(source.name, options["labels"] or list(counted.labels), counted.examples)
    found = dl.tradeoff(stream, pairs, b=grid, seeds=seeds, **options)
    if report is not None:
        summary = counted.summary(found.features, perf_counter() - started)
        write_label_report(report, f"Labels of {source.title}", found, summary)
    if json:
        points = [{name: _plain(value) for name, value in row.items()} for row in found.table()]
        facts = {"source": source.name, "examples": found.examples, "seeds": seeds, "points": points}
        print(as_json.dumps(facts))
        return 0
    print(found)
    print(f"{found.examples:,} examples, means of {seeds} seeds, {perf_counter() - started:.2f} s in all")
    output.skipped(source)
    return 0


def _plain(value: str | float) -> str | float | None:
    """What JSON can hold: the infinite b of a learner with all labels, and a ratio to no mistakes, are null."""
    return value if isinstance(value, str) or math.isfinite(value) else None


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--b must be numbers with commas between them, got {text!r}. Give 0.1,1,10") from None
