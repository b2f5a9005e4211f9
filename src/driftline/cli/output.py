"""Output shared by commands, and checks before and after a run."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from driftline.cli.counted import counted, listed_labels
from driftline.cli.notes import print_notes, reading_facts
from driftline.encode.faults import shortened
from driftline.evaluate import Ledger, Run, Sweep
from driftline.evaluate.by_task import comparison_of
from driftline.evaluate.decision.decision_text import in_lines
from driftline.evaluate.metrics.shown import shown, sliced
from driftline.evaluate.regression.figures import BASELINES
from driftline.evaluate.regression.loss_ledger import LossLedger
from driftline.evaluate.regression.result import RegressionRun
from driftline.evaluate.regression.shown import shown as shown_regression
from driftline.evaluate.regression.shown import sliced as sliced_regression
from driftline.internals.file_targets import is_sink, is_stdout, regular_target
from driftline.internals.visible_text import visible
from driftline.streams.schema.recipe import CLASSIFICATION, REGRESSION

if TYPE_CHECKING:
    from driftline import Learner
    from driftline.evaluate.certificate import Certificate
    from driftline.streams import FileStream

OF_LABELS = ("labels", "class_weight")
SHOWN = 5
"""Number of skipped examples that are listed."""
SHOWN_ALARMS = 20
"""Number of alarms that are printed."""


def check_writable(*paths: str | None) -> None:
    """Check before the run that the files can be written."""
    for path in filter(None, paths):
        problem = _problem(path)
        if problem:
            raise ValueError(f"{path}: must be a file that can be written, got {problem}. Choose another path")


def _problem(path: str) -> str:
    """Return why a path cannot be written, or nothing."""
    if is_stdout(path):
        return "standard output, where the results are printed"
    if is_sink(path):
        return ""
    try:
        folder = regular_target(path).parent
    except OSError as error:
        return error.strerror or type(error).__name__
    if not folder.is_dir():
        return "a folder that does not exist"
    return "" if os.access(folder, os.W_OK) else "a folder without write permission"


def check_learned(stream: FileStream, examples: int) -> None:
    """Check that the learner took at least one example of the stream: to skip all is no success."""
    if not examples and stream.skipped:
        raise stream.nothing_left()


def check_labels(stream: FileStream, labels: Sequence[Any], examples: int) -> None:
    """Check that the learner took some examples of the stream, and that they had two labels."""
    check_learned(stream, examples)
    if len(labels) < 2:
        raise ValueError(
            f"{stream.name}: examples must have two different labels, got only {shortened(labels[0])} in {examples:,} "
            "examples. Check --target, or declare both labels with --labels NEGATIVE,POSITIVE"
        )


def check_run(stream: FileStream, run: Run) -> None:
    """Check that the learner took some examples of the stream, and a classifier two labels."""
    if run.learner.rule.regresses:
        check_learned(stream, run.examples)
    else:
        check_labels(stream, run.learner.labels, run.examples)


def results(
    runs: Sequence[Run],
    stream: FileStream,
    as_json: bool,
    seconds: float,
    certificate: Certificate | None = None,
    notes: Sequence[str] = (),
    interrupted: bool = False,
    detailed: bool = True,
) -> None:
    """Print the results, the certificate if there is one, and the skipped examples.

    If the run was interrupted, the results are from before Ctrl-C. ``detailed`` prints all metrics
    of the first run.
    """
    if as_json:
        certified = {} if certificate is None else {"certificate": certificate.to_dict()}
        print(json.dumps({"interrupted": interrupted} | _facts(runs, stream, seconds, notes) | certified))
        return
    ranked = sorted(runs, key=lambda run: (bool(run.stopped), run.ledger.overflowed, run.ledger.rank))
    print(comparison_of(ranked))
    first = runs[0]
    print(_extent(first.examples, first.learner, seconds))
    if first.decision is not None:
        print("\n".join(in_lines(first.decision)))
    if detailed:
        _print_metrics(first)
    else:
        _print_slices(runs)
    if certificate is not None:
        print(certificate)
    for alarm in first.alarms[:SHOWN_ALARMS]:
        print(f"alarm: {visible(str(alarm))}")
    if len(first.alarms) > SHOWN_ALARMS:
        print(f"and {len(first.alarms) - SHOWN_ALARMS:,} more alarms; --json lists them")
    print_notes(stream, first, notes)
    skipped(stream)
    _warn(first)


def swept(found: Sweep, stream: FileStream, as_json: bool, top: int, seconds: float, interrupted: bool = False) -> None:
    """Print the ``top`` settings of a sweep, or all of them as JSON, and the skipped examples."""
    best = found.best.learner
    if as_json:
        facts = {
            "interrupted": interrupted,
            "source": stream.name,
            "format": stream.format,
            "seconds": seconds,
            **reading_facts(stream, found.best),
            "task": task_of(best),
            "labels": list(best.labels),
            "features": best.n_features,
            "examples": found.examples,
            **_baselines(found.best),
            "warnings": found.best.warnings,
            "varied": list(found.varied),
            "settings": [
                {
                    **{name: _known(value) for name, value in row.items()},
                    **_of_labels(one.ledger),
                    "parameters": {name: _plain(value) for name, value in one.parameters.items()},
                }
                for one, row in zip(found.settings, found.table(), strict=True)
            ],
        }
        print(json.dumps(facts))
        return
    print(type(found)(found.settings[:top]))
    if len(found) > top:
        print(f"and {len(found) - top:,} more")
    if found.best.baselines:
        print(found.best.baselines)
    print(_extent(found.examples, best, seconds))
    print_notes(stream, found.best)
    skipped(stream)
    _warn(found.best)


def _extent(examples: int, learner: Learner, seconds: float) -> str:
    """Return the number of examples and features, the labels and the time."""
    features = counted(learner.n_features, "feature")
    about = "regression" if learner.rule.regresses else f"labels {listed_labels(learner.labels)}"
    return f"{counted(examples, 'example')}, {features}, {about}, {seconds:.2f} s in all"


def skipped(stream: FileStream) -> None:
    """Print the number of skipped examples and the first reasons to stderr."""
    if stream.skipped:
        print(f"{skipped_count(stream)}:", file=sys.stderr)
        for reason in stream.reasons[:SHOWN]:
            print(f"  {visible(reason)}", file=sys.stderr)
        if stream.skipped > SHOWN:
            print(f"  and {stream.skipped - min(SHOWN, len(stream.reasons)):,} more", file=sys.stderr)


def skipped_count(stream: FileStream) -> str:
    """Return the number of skipped examples as text."""
    return f"{counted(stream.skipped, 'example')} {'was' if stream.skipped == 1 else 'were'} skipped"


def _warn(run: Run) -> None:
    """Print the warnings of a run to stderr."""
    for warning in run.warnings:
        print(f"warning: {warning}", file=sys.stderr)


def _facts(runs: Sequence[Run], stream: FileStream, seconds: float, notes: Sequence[str]) -> dict[str, Any]:
    """Return the results as JSON values."""
    return {
        "source": stream.name,
        "format": stream.format,
        "seconds": seconds,
        **reading_facts(stream, runs[0], notes),
        "runs": [
            {
                "learner": run.name,
                "task": task_of(run.learner),
                "parameters": parameters(run.learner),
                "labels": list(run.learner.labels),
                "features": run.learner.n_features,
                "examples": run.examples,
                **_errors(run),
                **_baselines(run),
                "updates": run.updates,
                "infeasible": run.infeasible,
                "asked": run.asked,
                "seconds": run.seconds,
                "decision": None if run.decision is None else run.decision.to_dict(),
                "stopped": run.stopped or None,
                "warnings": run.warnings,
                "metrics": None if run.metrics is None else run.metrics.to_dict(),
                "alarms": [alarm.to_dict() for alarm in run.alarms],
            }
            for run in runs
        ],
    }


def _print_metrics(run: Run) -> None:
    """Print the metrics of a run."""
    if isinstance(run, RegressionRun):
        measured = 0 if run.metrics is None else run.metrics.n
        text = "" if run.metrics is None or not measured else shown_regression(run.metrics)
    else:
        measured = 0 if run.metrics is None else run.metrics.examples
        text = "" if run.metrics is None or not measured else shown(run.metrics)
    if not text:
        return
    if measured < run.examples:
        print(f"metrics: only of the last {counted(measured, 'example')}, since the checkpoint had none")
    print(f"\n{text}")


def _print_slices(runs: Sequence[Run]) -> None:
    """Print the slices of each run."""
    for run in runs:
        text = ""
        if isinstance(run, RegressionRun):
            text = "" if run.metrics is None or not run.metrics.slices else sliced_regression(run.metrics)
        elif run.metrics is not None and run.metrics.slices:
            text = sliced(run.metrics)
        if text:
            print(f"\n{visible(run.name)}\n{text}")


def task_of(learner: Learner) -> str:
    """Return "regression" or "classification"."""
    return REGRESSION if learner.rule.regresses else CLASSIFICATION


def _errors(run: Run) -> dict[str, Any]:
    """Return the mistakes of a classifier, or the errors of a regressor, as JSON values."""
    if isinstance(run, RegressionRun):
        return {name: _known(getattr(run, name)) for name in ("mae", "mse", "rmse", "r2", "bias")}
    return {
        "mistakes": run.mistakes,
        "label_errors": run.label_errors,
        "error": run.error,
        "margin_errors": run.margin_errors,
        "hinge": _known(run.hinge),
    }


def _of_labels(ledger: Ledger) -> dict[str, int]:
    """Return the further counts of a classifier; a regressor has none."""
    if isinstance(ledger, LossLedger):
        return {}
    return {"label_errors": ledger.label_errors, "margin_errors": ledger.margin_errors}


def _baselines(run: Run) -> dict[str, float | None]:
    if isinstance(run, RegressionRun):
        return {name: _known(getattr(run.figures, name)) for name in BASELINES}
    return {"no_change_error": run.no_change_error, "majority_error": run.majority_error}


def parameters(learner: Any) -> dict[str, Any]:
    """Return the parameters and options of a learner as JSON values; those of labels only for classifiers."""
    own = {name: _plain(value) for name, value in learner.parameters.items()}
    left_out = OF_LABELS if learner.rule.regresses else ()
    options = {name: value for name, value in learner.options.items() if name not in left_out}
    options["scale"] = _plain(learner.options["scale"])
    hashing = options.pop("hashing")
    names = {"keep_names": True} if hashing is not None and hashing.keep_names else {}
    return {**own, **options, "hash_bits": None if hashing is None else hashing.bits, **names}


def _known(value: Any) -> Any:
    """Return the value, or None if it is a float that is not finite: JSON has no such numbers."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> Any:
    """Return a parameter as a JSON value; an object such as a base learner becomes its repr."""
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
