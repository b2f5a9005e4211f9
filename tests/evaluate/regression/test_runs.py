"""Runs, comparisons and sweeps of regressors: errors, curves, checkpoints, late targets and alarms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

import driftline as dl
from driftline.evaluate.regression.comparison import RegressionComparison
from driftline.evaluate.regression.result import RegressionRun
from driftline.evaluate.regression.sweep import RegressionSweep
from driftline.internals.compiled import Floats
from driftline.saved import ModelError

ROWS = 1500
CLASSIFIERS_ONLY = (
    "mistakes",
    "label_errors",
    "margin_errors",
    "hinge",
    "error",
    "no_change_error",
    "majority_error",
)


def plane(seed: int = 0, rows: int = ROWS) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    return X, X @ np.array([1.0, -2.0, 0.5, 3.0]) + 0.3 * rng.normal(size=rows) + 2.0


X, Y = plane()


def ran(stream: Any = (X, Y), learner: dl.Learner | None = None, **options: Any) -> RegressionRun:
    run = dl.run(learner or dl.PA1Regressor(C=0.1), stream, **options)
    assert isinstance(run, RegressionRun)
    return run


def bits(run: RegressionRun) -> tuple[Any, ...]:
    assert run.metrics is not None
    return run.metrics.to_dict(), *(column.tobytes() for column in run.curve.values()), run.updates


def test_a_run_counts_the_errors_of_the_predictions_before_learning() -> None:
    learner = dl.PA1Regressor(C=0.1)
    predicted = learner.learn_many(X, Y)
    run = ran()
    assert run.mae == pytest.approx(sk.mean_absolute_error(Y, predicted), rel=1e-12)
    assert run.mse == pytest.approx(sk.mean_squared_error(Y, predicted), rel=1e-12)
    assert run.rmse == pytest.approx(sk.root_mean_squared_error(Y, predicted), rel=1e-12)
    assert run.r2 == pytest.approx(sk.r2_score(Y, predicted), rel=1e-12)
    assert run.bias == pytest.approx(np.mean(predicted - Y), rel=1e-9)
    assert run.metrics is not None
    assert (run.metrics.n, run.metrics.mae, run.examples) == (ROWS, run.mae, ROWS)
    assert run.metrics.inside == np.mean(np.abs(predicted - Y) <= learner.rule.tube)  # type: ignore[attr-defined]
    curve = run.curve
    assert list(curve) == ["examples", "absolute_error", "squared_error", "updates"]
    assert curve["absolute_error"][-1] == pytest.approx(np.abs(predicted - Y).sum(), rel=1e-12)
    at, error = run.windowed(200)
    assert error[-1] == pytest.approx(np.abs(predicted - Y)[-200:].mean(), rel=1e-9) and at[-1] == ROWS
    assert list(run.to_frame().columns) == list(curve)


def test_the_blocks_of_a_run_do_not_matter() -> None:
    one = bits(ran(rows=7))
    assert one == bits(ran(rows=1000)) == bits(ran(zip(X, Y, strict=True)))


def test_what_only_classifiers_have() -> None:
    run = ran()
    for name in CLASSIFIERS_ONLY:
        assert not hasattr(run, name)
        with pytest.raises(AttributeError, match=f"PA1Regressor: {name} is an attribute of runs of classifiers"):
            getattr(run, name)
    for call in (run.certificate, lambda: run.evidence):
        with pytest.raises(ValueError, match="PA1Regressor: a certificate needs a run of a classifier, got a run"):
            call()


def test_texts_say_nothing_about_labels() -> None:
    run = ran()
    found = dl.compare([dl.PA1Regressor(C=0.1), dl.PA1Regressor(C=1.0)], (X, Y))
    assert isinstance(found, RegressionComparison)
    swept = dl.sweep(dl.grid("pa1regressor", C=[0.1, 1.0]), (X, Y))
    for text in (repr(run), str(found), str(swept), run.baselines, repr(run.metrics)):
        assert not {"mistake", "label", "AUC", "majority"} & set(text.replace(",", " ").split())
    assert repr(run).startswith(f"<Run PA1Regressor: {ROWS:,} examples, MAE {run.mae:.4g}, RMSE {run.rmse:.4g}, R2 ")
    header, first, *_ = str(found).splitlines()
    assert header.split() == ["learner", "MAE", "RMSE", "R2", "bias", "updates", "examples/s"]
    assert f"{run.mae:.4g}" in first and run.baselines in str(found)
    assert run.warnings == []


def test_compare_gives_the_bits_of_single_runs() -> None:
    found = dl.compare({"a": dl.PA1Regressor(C=0.1), "b": dl.RecursiveLeastSquares()}, (X, Y))
    assert bits(found["a"])[:-1] == bits(ran())[:-1]  # type: ignore[arg-type]
    assert found.table()[1]["MAE"] == ran(learner=dl.RecursiveLeastSquares()).mae
    found.plot(100)


def test_a_sweep_ranks_by_absolute_error() -> None:
    found = dl.sweep(dl.grid("pa1regressor", C=[0.001, 0.1, 1.0], epsilon=[0.0, 0.1]), (X, Y))
    assert isinstance(found, RegressionSweep)
    errors = [row["MAE"] for row in found.table()]
    assert errors == sorted(errors) and len(errors) == 6
    best = found.best
    assert isinstance(best, RegressionRun)
    assert best.mae == errors[0] == ran(learner=dl.PA1Regressor(**best.learner.parameters)).mae
    heat = found.heat("C", "epsilon")
    assert heat.what == "mean absolute error" and np.nanmin(heat.values) == best.mae
    with pytest.raises(AttributeError, match="a regressor has no wrong labels"):
        found.settings[0].error  # noqa: B018
    found.plot()


@pytest.mark.parametrize("function", [dl.compare, dl.sweep])
def test_one_task_at_a_time(function: Any) -> None:
    with pytest.raises(
        ValueError, match=r"learners must all be regressors, or all be classifiers, got PA1Regressor and"
    ):
        function([dl.PA1(), dl.PA1Regressor()], (X, Y))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"probabilities": True}, "run: probabilities must be None or False for a regressor, got True"),
        ({"decision": dl.Decision({0: {1: 1.0}, 1: {0: 2.0}})}, "run: decision must be None for a regressor"),
        ({"certify": True}, "run: certify must be False for a regressor, got True"),
        ({"slice": True}, "run: slice must be the name or the number of a column"),
    ],
)
def test_what_a_run_of_a_regressor_refuses(options: Any, message: str) -> None:
    learner = dl.PA1Regressor()
    with pytest.raises(ValueError, match=message):
        dl.run(learner, (X, Y), **options)
    assert learner.n_seen == 0


def test_other_tools_of_classifiers_refuse_regressors() -> None:
    with pytest.raises(ValueError, match="select: learner must be a classifier, got PA1Regressor"):
        dl.select(dl.PA1Regressor(), (X, Y), assume="iid")
    with pytest.raises(ValueError, match=r"LabelEfficient: .*must be a classifier"):
        dl.tradeoff((X, Y), [("pa1regressor", "constant")])


def test_overflowed_predictions() -> None:
    big = np.full((60, 1), 1e40)
    run = ran((big, np.linspace(-1e15, 1e15, 60)), dl.PA1Regressor(C=math.inf))
    found = dl.compare({"big": dl.PA1Regressor(C=math.inf)}, (big, np.linspace(-1e15, 1e15, 60)))
    assert str(found) and run._repr_html_() and run.report()


# checkpoints and late targets -----------------------------------------------------------------------------------------
class StoppedError(Exception):
    """The stream breaks off."""


def broken(stop: int) -> Any:
    for k in range(0, ROWS, 50):
        if k >= stop:
            raise StoppedError
        yield X[k : k + 50], Y[k : k + 50]


@pytest.mark.parametrize("options", [{}, {"delay": 37}, {"alarms": True}, {"history": True}], ids=str)
@pytest.mark.parametrize("stop", [50, 850])
def test_a_resumed_run_has_the_same_bits(stop: int, options: Any, tmp_path: Path) -> None:
    whole = ran(**options)
    with pytest.raises(StoppedError):
        ran(broken(stop), checkpoint=dl.Checkpoint(tmp_path, every=30), **options)
    resumed = ran(checkpoint=dl.Checkpoint(tmp_path, every=500, resume=True), **options)
    assert bits(resumed) == bits(whole) and resumed.alarms == whole.alarms
    assert resumed.learner.predict_many(X[:50]).tobytes() == whole.learner.predict_many(X[:50]).tobytes()


def test_a_checkpoint_of_another_task_is_refused(tmp_path: Path) -> None:
    ran(checkpoint=dl.Checkpoint(tmp_path, every=500))
    with pytest.raises(ModelError, match="learner 'pa1regressor' instead of 'pa1'"):
        dl.run(dl.PA1(), (X, Y > 0), checkpoint=dl.Checkpoint(tmp_path, every=500, resume=True))


@pytest.mark.parametrize("delay", [1, 20])
def test_late_targets(delay: int) -> None:
    learner = dl.PA1Regressor(C=0.1)
    predicted = []
    for k in range(ROWS):
        if k > delay:
            learner.learn_one(X[k - delay - 1], Y[k - delay - 1])
        predicted.append(learner.predict_one(X[k]))
    run = ran(delay=delay)
    assert run.mae == pytest.approx(sk.mean_absolute_error(Y, predicted), rel=1e-12)
    assert run.learner.n_seen == ROWS


def test_a_target_that_is_no_number() -> None:
    rows: list[tuple[dict[str, float], Any]] = [({"a": 1.0}, 2.0), ({"a": 2.0}, "high")]
    for options in ({}, {"delay": 1}):
        with pytest.raises(ValueError, match=r"PA1Regressor: row 1.*a target must be a real number, got 'high'"):
            dl.run(dl.PA1Regressor(), rows, **options)  # type: ignore[arg-type]


# alarms ---------------------------------------------------------------------------------------------------------------
def test_alarms_on_errors_and_targets() -> None:
    A, target = plane(1, 4000)
    target[2500:] = 40.0 - target[2500:]
    calls: list[dl.Alarm] = []  # type: ignore[name-defined]
    run = ran((A, target), alarms=True, on_alarm=calls.append)
    assert [alarm.what for alarm in run.alarms] and run.alarms == calls
    error = next(alarm for alarm in run.alarms if alarm.what == "error")
    changed = next(alarm for alarm in run.alarms if alarm.what == "target")
    assert 2500 < error.examples < 2700 and 2500 < changed.examples < 2700
    assert 2400 <= changed.since <= 2600 and changed.detector == error.detector == "ADWIN"
    assert "the share of absolute errors above" in str(error) and "the share of targets above" in str(changed)
    assert ran((A, target), alarms=True, rows=33).alarms == run.alarms


def test_no_alarm_without_drift() -> None:
    assert ran(plane(2, 4000), alarms=True).alarms == []
    settings = dl.Alarms(error="cusum", inputs=False, shares=False)
    assert ran(plane(2, 4000), alarms=settings).alarms == []


# pending --------------------------------------------------------------------------------------------------------------
def test_tickets(tmp_path: Path) -> None:
    pending = dl.Pending(dl.PA1Regressor(C=math.inf))
    ticket = pending.ask({"a": 1.0})
    assert (ticket.label, ticket.score, ticket.probability) == (0.0, 0.0, {})
    pending.save(tmp_path / "open.dl")
    again = dl.Pending.load(tmp_path / "open.dl")
    again.tell(ticket.id, 3.0)
    assert again.learner.predict_one({"a": 1.0}) == pytest.approx(3.0, abs=0.1)
