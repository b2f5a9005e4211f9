"""A sweep: many settings over one pass of a stream, ranked by their mistakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from driftline.evaluate.bank_run import BankRun
from driftline.evaluate.blocks import ROWS
from driftline.evaluate.by_task import check_one_task, new_setting, sweep_of
from driftline.evaluate.interrupted import Interrupted
from driftline.evaluate.learner_names import named
from driftline.evaluate.learner_run import LearnerRun
from driftline.evaluate.run import feed, whole_at_least
from driftline.evaluate.sweep_result import LEARNER, Setting, Sweep
from driftline.learners import Bank, Learner
from driftline.rules.composed.bank import fits

BASE = "base"


def sweep(
    learners: Sequence[Learner] | Mapping[str, Learner],
    stream: Any,
    *,
    rows: int = ROWS,
    points: int = 200,
    progress: bool | None = None,
) -> Sweep:
    """Run many settings over one pass of the stream, and rank them by their mistakes.

    Regressors are ranked by their mean absolute errors.

    Each setting gives the same bits as a separate run. Linear and second-order learners with the
    same options learn together in one ``Bank``. All other learners, and those that may refuse an
    example, learn one by one. Ctrl-C raises ``dl.Interrupted`` with the ``result`` so far.

    Parameters
    ----------
    learners
        A list of learners such as ``dl.grid`` returns, or a dict of learners by name. They are
        copied and do not change; ``best.learner`` is a trained copy.
    stream, rows, points, progress
        As for ``run``.

    Returns
    -------
    Sweep
        The settings, fewest mistakes first; regressors by mean absolute error.

    >>> import driftline as dl
    >>> stream = dl.streams.RotatingHyperplane(2000, 5, seed=1)
    >>> found = dl.sweep(dl.grid("norma", alpha=[0.1, 1.0], lam=[0.0, 0.01]), stream)
    >>> found.best.name, found.best.mistakes
    ('NORMA(alpha=1.0, lam=0.0, rho=1.0, p=2.0)', 104)
    """
    each = named("sweep", learners)
    check_one_task("sweep", each.values())
    whole_at_least("sweep", "rows", rows, 1)
    whole_at_least("sweep", "points", points, 2)
    runs: list[LearnerRun] = []
    settings: dict[str, Setting] = {}
    for names in groups(each):
        together, some = run_of({name: each[name] for name in names}, stream, points)
        runs.append(together)
        settings |= {one.name: one for one in some}
    interrupted = feed(runs, stream, rows, progress)
    result = sweep_of([settings[name] for name in each])
    if interrupted:
        raise Interrupted(result, result.examples)
    return result


def groups(named: Mapping[str, Learner]) -> list[list[str]]:
    """The names of the learners in groups; each group fits into one bank.

    Parameters
    ----------
    named
        The learners by name.
    """
    found: list[list[str]] = []
    for name, learner in named.items():
        same = [group for group in found if _shares(learner) and _alike(named[group[0]], learner)]
        if same:
            same[0].append(name)
        else:
            found.append([name])
    return found


def run_of(group: Mapping[str, Learner], stream: Any, points: int) -> tuple[LearnerRun, list[Setting]]:
    """A run of the copies of one group of learners, and the setting of each.

    Parameters
    ----------
    group
        The learners of a group by name.
    stream, points
        As for ``run``.
    """
    names = list(group)
    first = group[names[0]]
    if len(names) > 1:
        bank = Bank([one.rule for one in group.values()], **first.options)
        together = BankRun(bank, stream, points)
        learned = [partial(bank.__getitem__, k) for k in range(len(names))]
        ledgers = together.ledgers
        return together, [
            new_setting(name, parameters_of(group[name]), ledger, made)
            for name, ledger, made in zip(names, ledgers, learned, strict=True)
        ]
    alone = LearnerRun(names[0], deepcopy(first), stream, points)
    return alone, [new_setting(names[0], parameters_of(first), alone.ledger, partial(_learner_of, alone))]


def _alike(first: Learner, learner: Learner) -> bool:
    """Whether both learners can be in one bank."""
    return _shares(first) and first.options == learner.options


def _shares(learner: Learner) -> bool:
    """Whether a learner can be in a bank with others."""
    rule = learner.rule
    return fits(rule) and not rule.refuses and learner.n_seen == 0


def _learner_of(run: LearnerRun) -> Learner:
    return run.learner


def parameters_of(learner: Learner) -> dict[str, Any]:
    """The kind, parameters and options of a learner by name.

    The parameter "learner" of a composed learner is renamed to "base".

    Parameters
    ----------
    learner
        The learner.
    """
    own = {BASE if name == LEARNER else name: value for name, value in learner.parameters.items()}
    options = {name: value for name, value in learner.options.items() if name != "labels"}
    return {LEARNER: learner.kind, **own, **options}
