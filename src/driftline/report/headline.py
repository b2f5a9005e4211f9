"""The result of a run or comparison in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from driftline.evaluate import Comparison, Run
from driftline.report.data import DataSummary
from driftline.report.safe_text import brief, isolated

NAMED = 2


def headline(comparison: Comparison, data: DataSummary, stopped: Sequence[Run] = ()) -> str:
    """Return the wrong labels of the learners and of the baselines, and what was left out.

    Learners that stopped early and lines that could not be read are left out.
    """
    runs = comparison.runs
    if not any(run.examples for run in runs):
        return "There were no examples." + skipped_text(data)
    result = _single(runs[0]) if len(runs) == 1 else _ranked(runs)
    trivial = _constant(data) + _baselines(comparison) + warnings_of(runs[0])
    return result + trivial + skipped_text(data) + stopped_text(stopped)


def _single(run: Run) -> str:
    return f"{name_text(run)} gave {_share(run)} of {examples_text(run)} the wrong label ({run.error:.2%})."


def _ranked(runs: Sequence[Run]) -> str:
    least, most = (pick(run.label_errors for run in runs) for pick in (min, max))
    best = [run for run in runs if run.label_errors == least]
    worst = [run for run in runs if run.label_errors == most]
    examples = examples_text(best[0])
    if least == most:
        return f"All {len(runs)} learners gave the same number of wrong labels: {_share(best[0])} of {examples}."
    return (
        f"Of {len(runs)} learners, {names_text(best)} gave the fewest wrong labels: {_share(best[0])} of {examples} "
        f"({best[0].error:.2%}). {names_text(worst)} gave the most: {_share(worst[0])} ({worst[0].error:.2%})."
    )


def _share(run: Run) -> str:
    return f"{run.label_errors:,}" if run.label_errors else "none"


def examples_text(run: Run) -> str:
    """Return the number of examples as text."""
    return f"{run.examples:,} examples" if run.examples != 1 else "1 example"


def name_text(run: Run) -> str:
    """Return the name of a run."""
    return isolated(brief(run.name))


def names_text(runs: Sequence[Run]) -> str:
    """Return one name, two names, or the first name and the number of the others."""
    if len(runs) <= NAMED:
        return " and ".join(map(name_text, runs))
    return f"{name_text(runs[0])} and {len(runs) - 1} others"


def stopped_text(runs: Sequence[Run]) -> str:
    """Return which runs stopped early, those with the same reason in one sentence."""
    reasons: dict[tuple[int, str], list[Run]] = {}
    for run in runs:
        reasons.setdefault((run.examples, run.stopped), []).append(run)
    return "".join(
        f" {names_text(some)} {'is left out: it' if len(some) == 1 else 'are left out: they'} stopped after "
        f"{examples_text(some[0])}. {isolated(reason)}."
        for (_, reason), some in reasons.items()
    )


def _constant(data: DataSummary) -> str:
    total = sum(count for _, count in data.labels)
    if total == 0:
        return ""
    label, count = max(data.labels, key=lambda item: item[1])
    return f" Always answering {isolated(brief(label))} would have been wrong on {(total - count) / total:.2%}."


def _baselines(comparison: Comparison) -> str:
    run = comparison.with_baselines
    if run is None:
        return ""
    return (
        f" Predicting the label of the previous example would have been wrong on {run.no_change_error:.2%}, "
        f"predicting the most frequent label so far on {run.majority_error:.2%}."
    )


def warnings_of(run: Run) -> str:
    """Return the warnings of a run as sentences, each after a space."""
    return "".join(f" Warning: {one}." for one in run.warnings)


def skipped_text(data: DataSummary) -> str:
    """Return how many lines were left out, after a space; empty if none were."""
    if not data.skipped:
        return ""
    lines = (
        "1 line could not be read and was"
        if data.skipped == 1
        else f"{data.skipped:,} lines could not be read and were"
    )
    return f" {lines} left out."
