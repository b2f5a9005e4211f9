"""``driftline sweep``: run many parameter settings in one pass over the files."""

from __future__ import annotations

from itertools import product
from time import perf_counter

from driftline.cli.commas import between_commas
from driftline.cli.options import FileOptions, LearnerOptions

DEFAULT = "pa1"
"""The learner of labels that is taken if none is named."""


def sweep(
    *files: str,
    learner: str | None = None,
    save: str | None = None,
    report: str | None = None,
    json: bool = False,
    top: int = 20,
    reading: FileOptions = FileOptions(),  # noqa: B008
    making: LearnerOptions = LearnerOptions(),  # noqa: B008
    **parameters: str,
) -> int:
    """Run a learner with many parameter settings in one pass, and rank them by mistakes.

    Regressors are ranked by their mean absolute errors. Every combination of the parameter values is a setting.

    Parameters
    ----------
    files
        Files or patterns such as 'day-*.csv', read as one stream. - is stdin.
    learner
        Name of the learner, or comma-separated names. All get the same parameters.
        Default: pa1. For a continuous target: arowregressor with --scale standard.
    save
        Save the best model to this .dl file. Default: no model is saved.
    report
        Write an HTML report with heat maps to this file. Default: no report.
    json
        Print the result as JSON.
    top
        Number of settings to print, the best first.
    parameters
        Comma-separated values of a parameter, for example --alpha 0.1,1 --lam 0,0.001,0.01
    """
    import driftline as dl
    from driftline.cli import output
    from driftline.cli.learner import learner_of
    from driftline.cli.partial_result import PartialResult
    from driftline.cli.suggestion import option_names
    from driftline.cli.tally import Tally
    from driftline.cli.task import default_learner
    from driftline.report import write_sweep_report

    if not files:
        raise ValueError("sweep must be given a file, got none. Give a path, or - for stdin")
    if top < 1:
        raise ValueError(f"--top must be >= 1, got {top}. Give 20")
    output.check_writable(save, report)
    started = perf_counter()
    stream = reading.stream(files, labelled=True)
    if learner is None:
        learner, making = default_learner(stream, reading, making, DEFAULT, tuned=True)
    names = _listed("learner", learner)
    choices = {name: _listed(name, text) for name, text in parameters.items()}
    options, hashed = reading.labelled_by(making), reading.words
    made = [
        learner_of(name, dict(zip(choices, values, strict=True)), options, hashed, option_names(sweep))
        for name in names
        for values in product(*choices.values())
    ]
    named = {repr(one): one for one in made}
    counted = Tally(stream)
    partial = PartialResult()
    found = partial.of(dl.sweep, named, counted if report else stream)
    best = found.best
    if not partial.interrupted:
        output.check_run(stream, best)
    if save is not None:
        best.learner.save(save)
    if report is not None:
        summary = counted.summary(best.learner.n_features, perf_counter() - started).with_targets(best)
        write_sweep_report(report, f"{len(found)} settings on {stream.title}{partial.note}", found, summary)
    output.swept(found, stream, json, top, perf_counter() - started, partial.interrupted)
    return partial.exit_code()


def _listed(name: str, text: str) -> list[str]:
    """Return the comma-separated values without duplicates."""
    values = between_commas(text)
    if not all(values):
        raise ValueError(f"--{name} must be comma-separated values, got {text!r}. Remove the empty value")
    return list(dict.fromkeys(values))
