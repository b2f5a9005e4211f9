"""Regressors in a bank and over a kernel learn as they do by themselves."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.rules import Rule
from driftline.saved import load
from tests.support.linear_cases import WEIGHTS
from tests.support.regression_cases import targets

COLUMNS = (
    "paregressor, pa1regressor(C=0.1), pa2regressor, normaregressor(nu=0.3), normaregressor(lam=0.2), "
    "gradientdescent(radius=0.5), gradientdescent(loss='absolute'), arowregressor, recursiveleastsquares(diagonal=True)"
)


def alone(rule: Rule, **options: Any) -> dl.Learner:
    parameters = {one.name: getattr(rule, one.name) for one in fields(rule)}
    return dl.REGISTRY[type(rule).__name__.lower()](**parameters, **options)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_column_of_a_bank_has_the_bits_of_a_learner(sparse: bool) -> None:
    data = targets(21, rounds=700, weights=WEIGHTS)
    X = data.csr if sparse else data.X
    bank = dl.Bank(COLUMNS)
    blocks = bank.test_then_train_each(X, data.y, data.w)
    for k, rule in enumerate(bank.rule.learners):
        learner = alone(rule)
        block = learner.learn_block(X, data.y, data.w)
        assert blocks[k].scores.tolist() == block.scores.tolist(), rule
        assert blocks[k].events.tolist() == block.events.tolist()
        assert blocks[k].regression and blocks[k].y.tolist() == data.y.tolist()
        assert bank[k].weights() == learner.weights()
        assert (bank[k].margin_errors, bank[k].updates) == (learner.margin_errors, learner.updates)
        assert bank.columns[k].hinge == pytest.approx(np.abs(data.y - block.scores).sum())
        assert bank[k].learn_many(X, data.y).tolist() == learner.learn_many(X, data.y).tolist()


def test_the_leader_has_the_smallest_sum_of_errors() -> None:
    data = targets(22, rounds=400)
    bank = dl.Bank(COLUMNS)
    scores = bank.learn_many(data.X, data.y)
    each = np.array([alone(rule).learn_many(data.X, data.y) for rule in bank.rule.learners])
    errors = np.cumsum(np.abs(each - data.y), axis=1)
    leaders = np.concatenate([[0], np.argmin(errors, axis=0)[:-1]])
    assert scores.tolist() == each[leaders, np.arange(400)].tolist()
    assert bank.best == int(np.argmin(errors[:, -1]))
    assert bank.mistakes == 0 and bank.labels == ()


def test_a_bank_has_one_kind_of_rules() -> None:
    with pytest.raises(ValueError, match="must be all classifiers or all regressors"):
        dl.Bank("pa1, pa1regressor")


@pytest.mark.parametrize(
    "text",
    ["paregressor(epsilon=0.1)", "pa1regressor(C=0.1)", "pa2regressor", "normaregressor(nu=0.3)", "gradientdescent",
     "gradientdescent(radius=1.0)", "normaregressor(lam=0.1)"],
)  # fmt: skip
def test_a_linear_kernel_gives_the_linear_learner(text: str) -> None:
    data = targets(23, rounds=300, weights=WEIGHTS)
    kernelised = dl.Kernelized(text, "linear")
    linear = alone(kernelised.rule.learner)  # type: ignore[attr-defined]
    found, due = (learner.learn_many(data.X, data.y, data.w) for learner in (kernelised, linear))
    assert found == pytest.approx(due, rel=1e-9, abs=1e-9)
    assert (kernelised.margin_errors, kernelised.updates) == (linear.margin_errors, linear.updates)
    assert kernelised.mistakes == 0 and kernelised.labels == ()


def test_an_adapted_tube_is_saved(tmp_path: Path) -> None:
    data = targets(24, rounds=300)
    for learner in (
        dl.NORMARegressor(nu=0.3),
        dl.Kernelized("normaregressor(nu=0.3)"),
        dl.Bank("normaregressor(nu=0.3)"),
    ):
        learner.learn_many(data.X[:200], data.y[:200])
        learner.save(tmp_path / "m.dl")
        again = load(tmp_path / "m.dl")
        rest = data.X[200:], data.y[200:]
        assert learner.learn_many(*rest).tolist() == again.learn_many(*rest).tolist()


def test_a_gaussian_kernel_learns_what_no_plane_can() -> None:
    rng = np.random.default_rng(25)
    X = rng.uniform(-3.0, 3.0, (2000, 1))
    y = np.sin(2.0 * X[:, 0])
    kernelised = dl.Kernelized("paregressor(epsilon=0.05)", "rbf(gamma=2.0)")
    errors = np.abs(kernelised.learn_many(X, y) - y)
    assert errors[-500:].mean() < 0.06 < np.abs(dl.AROWRegressor().learn_many(X, y) - y)[-500:].mean()
