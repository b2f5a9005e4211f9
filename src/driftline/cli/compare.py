"""``driftline compare``: run several learners over the same files."""

from __future__ import annotations

from time import perf_counter

from driftline.cli.commas import between_commas
from driftline.cli.options import FileOptions, LearnerOptions


def compare(
    *files: str,
    learners: str,
    report: str | None = None,
    delay: str = "0",
    slice: str | None = None,  # noqa: A002
    probabilities: bool = False,
    json: bool = False,
    reading: FileOptions = FileOptions(),  # noqa: B008
    making: LearnerOptions = LearnerOptions(),  # noqa: B008
) -> int:
    """Run several learners in one pass over the files, and rank them by mistakes.

    Regressors are ranked by their mean absolute errors.

    Parameters
    ----------
    files
        Files or patterns such as 'day-*.csv', read as one stream. - is stdin.
    learners
        Comma-separated names. Parameters follow after colons.
        Example: pa1,l2pa:beta=3,averaged:base=pa1(C=0.1)
    report
        Write an HTML report to this file. Default: no report.
    delay
        How late labels come: a number of rows, or the column of their arrival times.
        Each row is predicted at its turn, and learned when its label has come.
        Arrival times need --time. Their column is not a feature.
    slice
        Column. The metrics are also printed for each of its values: at most 50, the rest together.
        Default: no slices.
    probabilities
        Measure log loss, Brier score and calibration too, for --json. Always on for the tracker.
    json
        Print the result as JSON.
    """
    import driftline as dl
    from driftline.cli import output
    from driftline.cli.late import late_stream
    from driftline.cli.learner import learner_of
    from driftline.cli.partial_result import PartialResult
    from driftline.cli.tally import Tally
    from driftline.report import write_run_report

    if not files:
        raise ValueError("compare must be given a file, got none. Give a path, or - for stdin")
    output.check_writable(report)
    started = perf_counter()
    named = {}
    for spec in filter(None, between_commas(learners)):
        name, *settings = spec.split(":")
        parameters = dict(_setting(spec, one) for one in settings)
        named[spec] = learner_of(name, parameters, reading.labelled_by(making), reading.words)
    if not named:
        raise ValueError(f"--learners must be comma-separated names, got {learners!r}. Example: pa1,l2pa:beta=3")
    stream, late = late_stream(files, reading, delay)
    counted = Tally(stream)
    partial = PartialResult()
    measured = {"slice": slice, "probabilities": probabilities or None, "delay": late}
    found = partial.of(dl.compare, named, counted if report else stream, history=report is not None, **measured)
    if not partial.interrupted:
        output.check_run(stream, max(found.runs, key=lambda run: run.examples))
    if report is not None:
        features = max(run.learner.n_features for run in found.runs)
        summary = counted.summary(features, perf_counter() - started).with_targets(found.runs[0])
        write_run_report(report, f"{len(named)} learners on {stream.title}{partial.note}", found, summary)
    output.results(found.runs, stream, json, perf_counter() - started, interrupted=partial.interrupted, detailed=False)
    return partial.exit_code()


def _setting(spec: str, text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise ValueError(f"--learners: parameters of {spec} must be NAME=VALUE, got {text!r}. Example: l2pa:beta=3")
    return name, value
