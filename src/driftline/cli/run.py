"""``driftline run``: evaluate and train a learner on files; write a report, save it, resume it."""

from __future__ import annotations

from dataclasses import fields
from time import perf_counter
from typing import TYPE_CHECKING

from driftline.cli.deciding import DecisionOptions
from driftline.cli.keyed import KeyOptions, run_keyed
from driftline.cli.options import FileOptions, LearnerOptions
from driftline.cli.suggestion import did_you_mean, option_names

if TYPE_CHECKING:
    from driftline import Learner


DEFAULT = "tracker"
"""The learner of labels that is taken if none is named."""
BASELINES = ("perceptron", "pa1")
"""Learners that a report shows for comparison if no learner was named."""


def run(
    *files: str,
    learner: str | None = None,
    model: str | None = None,
    save: str | None = None,
    report: str | None = None,
    checkpoint: str | None = None,
    every: int = 100_000,
    resume: bool = False,
    certify: bool = False,
    iid: bool = False,
    delta: float = 0.05,
    delay: str = "0",
    slice: str | None = None,  # noqa: A002
    probabilities: bool = False,
    window: int = 1000,
    alarms: bool = False,
    json: bool = False,
    reading: FileOptions = FileOptions(),  # noqa: B008
    making: LearnerOptions = LearnerOptions(),  # noqa: B008
    deciding: DecisionOptions = DecisionOptions(),  # noqa: B008
    keyed: KeyOptions = KeyOptions(),  # noqa: B008
    **parameters: str,
) -> int:
    """Test, then train a learner on every example of the files, and print its metrics.

    If the target is continuous, such as a price, the task is a regression: the learner predicts
    numbers, and its errors are printed.

    Parameters
    ----------
    files
        Files or patterns such as 'day-*.csv', read as one stream. - is stdin.
    learner
        Name of the learner, such as pa1, arow or norma, or a call such as 'onevsrest(pa1)'.
        driftline learners lists them; add --help to see the parameters of this one.
        Default: tracker, which has no parameters to tune.
        For a continuous target: trackerregressor, which also has none.
    model
        Continue training this saved model (.dl file) instead of a new learner.
        The recipe in the model says how to read the files.
    save
        Save the trained model to this .dl file. Default: the model is not saved.
    report
        Write an HTML report to this file. Default: no report.
        Without --learner, the report also shows two baselines, a Perceptron and PA-I,
        if the target holds labels.
        A baseline stops at the first example that it cannot take.
        There are no baselines with --model, --checkpoint, --certify or decisions.
    checkpoint
        Folder to which the state of the run is saved regularly. Default: no checkpoints.
    every
        Number of examples between checkpoints.
    resume
        Resume from the checkpoint in the folder of --checkpoint.
    certify
        Print an upper bound on the mistakes on these examples, from the learner's theorem.
    iid
        State that the examples are independent draws from one distribution.
        --certify then also prints an upper bound on the risk.
    delta
        Probability with which the risk may exceed its bound, between 0 and 1.
    delay
        How late labels come: a number of rows, or the column of their arrival times.
        Each row is predicted at its turn, and learned when its label has come.
        Arrival times need --time. Their column is not a feature.
    slice
        Column. The metrics are also printed for each of its values: at most 50, the rest together.
        Default: no slices.
    probabilities
        Measure log loss, Brier score and calibration too. Always on for the tracker.
    window
        Number of last examples for which the metrics are printed separately.
    alarms
        Watch the error, the inputs and the shares of the labels for drift, and print the alarms,
        with their times if --time names a column of dates. Without drift there is at most one
        alarm in a million examples.
    json
        Print the result as JSON.
    parameters
        Parameters of the learner, for example --C 0.1 or --beta 3.
    """
    import driftline as dl
    from driftline.cli import output
    from driftline.cli.late import late_stream
    from driftline.cli.model import notes_of
    from driftline.cli.partial_result import PartialResult
    from driftline.cli.tally import Tally
    from driftline.cli.task import default_learner
    from driftline.evaluate.by_task import comparison_of
    from driftline.report import write_run_report

    _check(files, checkpoint, resume, model, learner, making, parameters)
    if iid and not certify:
        raise ValueError("--iid must come with --certify, got it alone. Add --certify")
    if not 0.0 < delta < 1.0:
        raise ValueError(f"--delta must be between 0 and 1, got {delta:g}. Give 0.05 for a confidence of 95 %")
    if keyed.key is not None:
        given = {
            "model": model, "report": report, "certify": certify, "delay": delay != "0", "slice": slice,
            "probabilities": probabilities, "alarms": alarms, "decisions": deciding != DecisionOptions(),
            "window": window != 1000,
        }  # fmt: skip
        _check_keyed([name for name, value in given.items() if value])
        return run_keyed(
            files, learner, parameters, keyed, reading, making, save, checkpoint, every, resume, json, option_names(run)
        )
    if keyed != KeyOptions():
        raise ValueError(
            "--max-keys, --spill, --worst and --engine must come with --key, got one alone. Add --key COLUMN"
        )
    decision = deciding.decision(reading.positive, making.labels)
    output.check_writable(save, report)
    started = perf_counter()
    stream, late = late_stream(files, reading, delay, model)
    chosen = learner or DEFAULT
    if learner is None and model is None:
        chosen, making = default_learner(stream, reading, making, DEFAULT, slice)
    made = _made(chosen, model, reading.labelled_by(making), parameters, reading.words)
    notes = [] if model is None else notes_of(model, made, stream)
    alone = learner or model or checkpoint or certify or decision or report is None or made.rule.regresses
    names = [] if alone else list(BASELINES)
    baselines = [_made(one, None, reading.labelled_by(making), {}, reading.words) for one in names]
    saving = None if checkpoint is None else dl.Checkpoint(checkpoint, every, resume)
    counted = Tally(stream)
    source = counted if report else stream
    partial = PartialResult()
    measured = {
        "slice": slice,
        "probabilities": probabilities or None,
        "window": window,
        "delay": late,
        "alarms": alarms,
    }
    if baselines:
        named = {one.kind: one for one in (made, *baselines)}
        found = partial.of(dl.compare, named, source, history=True, beside=list(named)[1:], **measured)
    else:
        history = report is not None
        only = partial.of(
            dl.run,
            made,
            source,
            history=history,
            checkpoint=saving,
            certify=certify,
            decision=decision,
            **measured,
        )
        found = comparison_of([only])
    done = found.runs[0]
    if not partial.interrupted:
        output.check_run(stream, done)
    if save is not None:
        done.learner.save(save)
    certificate, refused = None, None
    if certify and not partial.interrupted:
        try:
            certificate = done.certificate(delta, "iid" if iid else None)
        except ValueError as error:  # print the results of the run first
            refused = error
    if report is not None:
        summary = counted.summary(done.learner.n_features, perf_counter() - started).with_targets(done)
        write_run_report(report, f"{done.name} on {stream.title}{partial.note}", found, summary)
    output.results(found.runs, stream, json, perf_counter() - started, certificate, notes, partial.interrupted)
    if refused is not None:
        raise refused
    return partial.exit_code()


def _check(
    files: tuple[str, ...],
    checkpoint: str | None,
    resume: bool,
    model: str | None,
    learner: str | None,
    making: LearnerOptions,
    parameters: dict[str, str],
) -> None:
    if not files:
        raise ValueError("run must be given a file, got none. Give a path, or - for stdin")
    if resume and checkpoint is None:
        raise ValueError("--resume must come with --checkpoint, got it alone. Add --checkpoint DIR")
    shared = [one.name for one in fields(making) if getattr(making, one.name) != one.default]
    given = [name.replace("_", "-") for name in ["learner"] * (learner is not None) + shared + list(parameters)]
    if model is not None and given:
        typed = option_names(run) if given[0] in parameters else []
        hint = did_you_mean(f"--{given[0]}", typed, "A saved model has its own parameters")
        raise ValueError(f"--model must come without --{given[0]}, got both. {hint}")


def _check_keyed(given: list[str]) -> None:
    """Refuse the options that a run of keyed learners does not have."""
    if given:
        raise ValueError(f"--key must come without {given[0]}, got both. Leave it out, or run one learner for all rows")


def _made(learner: str, model: str | None, making: LearnerOptions, parameters: dict[str, str], text: bool) -> Learner:
    """Load the saved learner, or create a new one."""
    import driftline as dl
    from driftline.cli.learner import learner_of

    if model is not None:
        return dl.load(model)
    return learner_of(learner, parameters, making, text, option_names(run))
