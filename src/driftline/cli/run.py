"""``driftline run``: test, then train a learner on files; report it, save it, resume it."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from driftline.cli.options import FileOptions, LearnerOptions

if TYPE_CHECKING:
    from driftline import Learner


DEFAULT = "tracker"
BASELINES = ("perceptron", "pa1")
"""Learners that a report of the default learner shows for comparison."""


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
    json: bool = False,
    reading: FileOptions = FileOptions(),  # noqa: B008
    making: LearnerOptions = LearnerOptions(),  # noqa: B008
    **parameters: str,
) -> int:
    """Test, then train on every example of the files; say how many mistakes were made.

    Parameters
    ----------
    files
        Files or patterns, read as one stream; - is stdin.
    learner
        Its name; tracker without it, which has nothing to tune: perceptron, pa, pa1, l2pa, norma, alma, arow, ...
    model
        Go on with this saved model instead of a new learner.
    save
        Write the model here, as a .dl file.
    report
        Write a report here, as one HTML file; where no learner is named, beside a Perceptron and PA-I, as far as these
        take the examples, and not with --checkpoint or --certify.
    checkpoint
        Folder in which the run is saved as it goes.
    every
        Examples between checkpoints.
    resume
        Go on where the checkpoint is.
    certify
        Say how many mistakes the learner could make at most, by its theorem, on these examples.
    iid
        Say, with --certify, that examples are independent and from one source: then a risk is certified too.
    delta
        How likely that risk may be exceeded.
    json
        Print the result as JSON.
    parameters
        Parameters of the learner, such as --C 0.1 or --beta 3.
    """
    import driftline as dl
    from driftline.cli import output
    from driftline.cli.tally import Tally
    from driftline.evaluate import Comparison
    from driftline.report import write_run_report

    _check(files, checkpoint, resume, model, learner, parameters)
    if iid and not certify:
        raise ValueError("--iid must come with --certify, got it alone. Add --certify")
    if not 0.0 < delta < 1.0:
        raise ValueError(f"--delta must be between 0 and 1, got {delta:g}. Give 0.05 for a confidence of 95 %")
    output.check_writable(save, report)
    started = perf_counter()
    stream = reading.stream(files, labelled=True)
    made = _made(learner, model, reading.labelled_by(making), parameters, bool(reading.text))
    names = () if learner or model or checkpoint or certify or report is None else BASELINES
    baselines = [_made(one, None, reading.labelled_by(making), {}, bool(reading.text)) for one in names]
    saving = None if checkpoint is None else dl.Checkpoint(checkpoint, every, resume)
    counted = Tally(stream)
    source = counted if report else stream
    if baselines:
        named = {one.kind: one for one in (made, *baselines)}
        found = dl.compare(named, source, history=True, beside=list(named)[1:])
    else:
        found = Comparison([dl.run(made, source, history=report is not None, checkpoint=saving, certify=certify)])
    done = found.runs[0]
    output.check_labels(stream.name, done.learner.labels, done.examples)
    if save is not None:
        done.learner.save(save)
    certificate, refused = None, None
    if certify:
        try:
            certificate = done.certificate(delta, "iid" if iid else None)
        except ValueError as error:  # the run itself is worth telling
            refused = error
    if report is not None:
        summary = counted.summary(done.learner.n_features, perf_counter() - started)
        write_run_report(report, f"{done.name} on {stream.title}", found, summary)
    output.results(found.runs, stream, json, perf_counter() - started, certificate)
    if refused is not None:
        raise refused
    return 0


def _check(
    files: tuple[str, ...],
    checkpoint: str | None,
    resume: bool,
    model: str | None,
    learner: str | None,
    parameters: dict[str, str],
) -> None:
    if not files:
        raise ValueError("run must have a file, got none. Give one, or - for stdin")
    if resume and checkpoint is None:
        raise ValueError("--resume must have a folder to resume from, got none. Give --checkpoint DIR")
    given = ["learner"] * (learner is not None) + list(parameters)
    if model is not None and given:
        raise ValueError(f"--model must come without --{given[0]}, got both. The model has its own")


def _made(
    learner: str | None, model: str | None, making: LearnerOptions, parameters: dict[str, str], text: bool
) -> Learner:
    """A new learner, or the saved one."""
    import driftline as dl
    from driftline.cli.learner import learner_of

    if model is not None:
        return dl.load(model)
    return learner_of(learner or DEFAULT, parameters, making, text)
