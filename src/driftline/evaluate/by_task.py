"""What depends on the task of a run: classification, or regression of real targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from driftline.certify.evidence import EvidenceRecorder
from driftline.evaluate.baselines import Baselines
from driftline.evaluate.comparison import Comparison
from driftline.evaluate.history import History
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.metrics import MetricsObserver
from driftline.evaluate.metrics.settings import check_slice, metrics_of
from driftline.evaluate.regression.comparison import RegressionComparison
from driftline.evaluate.regression.loss_ledger import LossLedger
from driftline.evaluate.regression.observer import RegressionObserver
from driftline.evaluate.regression.result import RegressionRun
from driftline.evaluate.regression.sweep import RegressionSetting, RegressionSweep
from driftline.evaluate.result import Run
from driftline.evaluate.sweep_result import Setting, Sweep
from driftline.learners import Learner
from driftline.rules import Rule
from driftline.rules.regression.residual_rule import Residual


def check_one_task(where: str, learners: Iterable[Learner]) -> None:
    """Raise ValueError unless all learners are regressors, or none is.

    Parameters
    ----------
    where
        The function that was called.
    learners
        The learners.
    """
    each = list(learners)
    regressors = [one for one in each if one.rule.regresses]
    if 0 < len(regressors) < len(each):
        other = next(one for one in each if not one.rule.regresses)
        raise ValueError(
            f"{where}: learners must all be regressors, or all be classifiers, got {regressors[0].kind} and "
            f"{other.kind}. Run them one at a time"
        )


def new_ledger(rule: Rule, points: int, baselines: Baselines | None = None) -> Ledger:
    """An empty ledger for a learner with this rule.

    Parameters
    ----------
    rule
        The rule.
    points
        The most points of the curve.
    baselines
        For a classifier, baselines that other ledgers share; None makes new ones.
    """
    if rule.regresses:
        return LossLedger(rule.margin, points)
    return Ledger(rule.margin, points) if baselines is None else Ledger(rule.margin, points, baselines=baselines)


def new_run(
    name: str,
    learner: Learner,
    ledger: Ledger,
    history: History | None,
    recorder: EvidenceRecorder | None,
    stopped: str,
) -> Run:
    """The result of a run.

    Parameters
    ----------
    name, learner, ledger, history, recorder, stopped
        As for ``Run``.
    """
    make = RegressionRun if isinstance(ledger, LossLedger) else Run
    return make(name, learner, ledger, history, recorder, stopped)  # type: ignore[arg-type]


def new_setting(name: str, parameters: dict[str, Any], ledger: Ledger, learned: Callable[[], Learner]) -> Setting:
    """A setting of a sweep.

    Parameters
    ----------
    name, parameters, ledger, learned
        As for ``Setting``.
    """
    make = RegressionSetting if isinstance(ledger, LossLedger) else Setting
    return make(name, parameters, ledger, learned)


def comparison_of(runs: Sequence[Run]) -> Comparison:
    """The comparison of some runs of one task.

    Parameters
    ----------
    runs
        The runs.
    """
    regressions = [run for run in runs if isinstance(run, RegressionRun)]
    return RegressionComparison(regressions) if regressions else Comparison(list(runs))


def sweep_of(settings: Sequence[Setting]) -> Sweep:
    """The sweep of some settings of one task.

    Parameters
    ----------
    settings
        The settings.
    """
    regression = any(isinstance(one, RegressionSetting) for one in settings)
    return RegressionSweep(settings) if regression else Sweep(settings)


def observer_of(
    where: str, learner: Learner, column: str | int | None, probabilities: bool | None, window: int
) -> MetricsObserver | RegressionObserver:
    """The observer that measures the metrics of a run.

    Parameters
    ----------
    where
        The function that was called.
    learner
        The learner.
    column, probabilities, window
        ``slice``, ``probabilities`` and ``window`` of the run.
    """
    if not learner.rule.regresses:
        return metrics_of(learner, column, probabilities, window)
    if probabilities:
        raise ValueError(
            f"{where}: probabilities must be None or False for a regressor, got {probabilities!r} with {learner.kind}. "
            "Leave it out"
        )
    check_slice(column)
    return RegressionObserver(window, tube_of(learner.rule), column)


def tube_of(rule: Rule) -> float | None:
    """Half the width of the tube of a regressor; None if it has none, or changes it.

    Parameters
    ----------
    rule
        The rule.
    """
    if not isinstance(rule, Residual) or rule.tube_steps != (0.0, 0.0):
        return None
    return rule.tube or None
