"""Kernel ShrunkPA against the Forgetron: runs against their oracles, tuning, verdicts and a quick run."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest

from driftline.reproduce.conclusions import conclusions
from driftline.reproduce.experiment import Answer, Experiment, Setting
from driftline.reproduce.forgetron import COLUMNS, EXPERIMENT, methods, solve
from driftline.reproduce.forgetron.methods import BUDGETS, FORGETRON, METHODS, PA, PERCEPTRON, POLICIES, SHRUNK
from driftline.reproduce.forgetron.results import Place, collected
from driftline.reproduce.forgetron.verdicts import verdicts
from tests.oracles.kernel import Kernelized

pytest.importorskip("sklearn.datasets")
QUICK = Setting(quick=True)
BUDGET = 6


def short(stream: str, rounds: int = 120) -> tuple[np.ndarray, np.ndarray]:
    _, X, y = solve.draw(stream, 0, QUICK)
    at = np.linspace(0, len(y) - 1, rounds).astype(int)
    return X[at], y[at]


@pytest.mark.parametrize("stream", [solve.IMAGES, solve.SWITCHING])
@pytest.mark.parametrize(("method", "when"), METHODS, ids=str)
def test_every_method_is_its_oracle(method: str, when: Any, stream: str) -> None:
    X, y = short(stream)
    one = methods.Candidate(8.0, 0.1 if method == SHRUNK else None)
    unit = methods.unit_gamma(X)
    learner = methods.learner(method, when, BUDGET, one, unit)
    found = learner.test_then_train(X, y)
    G = np.exp(-8.0 * unit * ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))
    name, parameters = {
        FORGETRON: ("perceptron", {}),
        PERCEPTRON: ("perceptron", {}),
        PA: ("pa", {"when": when}),
        SHRUNK: ("shrunkpa", {"alpha": 0.1, "when": when}),
    }[method]
    oracle = Kernelized(G, name, parameters, BUDGET, "forgetron" if method == FORGETRON else "oldest")
    scores = [oracle.learn(t, label) for t, label in enumerate(y)]
    np.testing.assert_allclose(found.scores, scores, rtol=1e-8, atol=1e-10)
    assert learner.support() == len(oracle.live) == BUDGET
    assert oracle.dropped > 3


def test_both_have_the_same_budget() -> None:
    X, y = short(solve.SWITCHING)
    for (method, when), budget in product(METHODS, BUDGETS):
        if budget is not None:
            learner = methods.learner(method, when, budget, methods.grid(method, True)[0], 1.0)
            learner.learn_many(X, y)
            assert learner.support() <= budget


def test_the_unit_of_gamma_is_the_median_distance() -> None:
    X = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])  # squares 9, 16, 25
    assert methods.unit_gamma(X) == 1.0 / 16.0


def test_only_the_first_half_is_tuned_on() -> None:
    X, y = short(solve.IMAGES, 240)
    ours = solve.compared(X, y, True)
    theirs = solve.compared(X, np.concatenate([y[:120], -y[120:]]), True)
    chosen = [[(run["width"], run["alpha"]) for run in runs] for runs in (ours, theirs)]
    assert chosen[0] == chosen[1]
    assert [run["error"] for run in ours] != [run["error"] for run in theirs]
    places = [(run["method"], run["policy"], run["budget"]) for run in ours]
    assert places == [(method, when, budget) for budget in BUDGETS for method, when in METHODS]
    for run in ours[:6]:
        grid = methods.grid(run["method"], True)
        mistaken = [
            methods.learner(run["method"], run["policy"], run["budget"], one, methods.unit_gamma(X[:120]))
            .test_then_train(X, y)
            .mistaken
            for one in grid
        ]
        best = int(np.argmin([wrong[:120].sum() for wrong in mistaken]))
        assert (run["width"], run["alpha"]) == grid[best]
        assert run["error"] == mistaken[best][120:].mean()


def made_up(**errors: float) -> dict[Place, np.ndarray]:
    """Error rates by method, the same for every policy and budget."""
    noise = {FORGETRON: 0.0, PERCEPTRON: 0.001, PA: 0.002, SHRUNK: 0.003}
    return {
        (method, when, budget): errors.get(method, 0.1) + noise[method] * np.array([0.1, -0.1, 0.0, 0.05])
        for (method, when), budget in product(METHODS, BUDGETS)
    }


def test_verdicts_follow_the_numbers() -> None:
    better = {one.claim: one for one in verdicts({"a": made_up(ShrunkPA=0.08, PA=0.09)})}
    assert [one.holds for one in better.values()] == [True, True, True, True, None]
    worse = {one.claim: one for one in verdicts({"a": made_up(ShrunkPA=0.12, Perceptron=0.2)})}
    assert [one.holds for one in worse.values()] == [False, True, None, False, True]
    hurt = made_up()
    hurt[SHRUNK, "mistake", 10] += 0.02
    found = conclusions(verdicts({"a": hurt}))
    (unhurt,) = (one for one in found if "does not hurt" in one.claim)
    assert unhurt.cases == {"updates on mistakes": False, "updates on small margins": True}
    first = next(iter(better.values()))
    assert first.says.startswith("Error rates 8.00 % and 10.00 %: +2.00 points")
    assert first.where == "a, budget 80, updates on small margins"


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    """A quick run with fewer trials, as the driver keeps it."""
    return {
        f"{stream}-{trial}": json.loads(json.dumps(solve.solve(stream, [trial], QUICK), allow_nan=False))
        for stream, trial in product(solve.STREAMS, (0, 1))
    }


def test_the_quick_run_ends_in_rows_verdicts_and_a_figure(answers: dict[str, Answer]) -> None:
    from driftline.reproduce.plotting import style

    experiment: Experiment = EXPERIMENT
    rows = experiment.rows(answers)
    assert {tuple(row) for row in rows} == {COLUMNS}
    assert len(rows) == 3 * 2 * len(METHODS) * len(BUDGETS)
    found = experiment.verdicts(answers)
    assert len(found) == 3 * (len(BUDGETS) - 1) * (len(POLICIES) * 4 + 1)
    assert len({(one.claim, one.where) for one in found}) == len(found)
    with style():
        (drawing,) = experiment.drawings(answers)
        drawing.figure.draw_without_rendering()
    assert [ax.get_title() for ax in drawing.figure.axes] == ["digits", "drifting mixtures", "switching mixtures"]
    assert drawing.figure.get_size_inches()[0] <= 5.5 and "nan" not in drawing.caption
    assert (
        experiment.notes(answers)[0] == "digits: 2 trials; drifting mixtures: 2 trials; switching mixtures: 2 trials."
    )
    turned = dict(reversed(answers.items()))
    assert experiment.verdicts(turned) == found
    assert collected(turned).keys() == collected(answers).keys()


def test_tasks_are_of_every_trial_once() -> None:
    tasks = EXPERIMENT.tasks(Setting())
    for stream in solve.STREAMS:
        some = [trial for task in tasks if task.what["stream"] == stream for trial in task.what["trials"]]
        assert sorted(some) == list(range(solve.TRIALS))
