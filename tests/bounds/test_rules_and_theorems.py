"""Rules name their theorems, and theorems live in a file with the name of their rule."""

from __future__ import annotations

import pytest

import driftline as dl
from driftline import bounds, rules

GENERAL = {
    "mean-risk": "online to batch: holds for the hypotheses of every learner",
    "hoeffding-certificate": "online to batch: holds for the hypotheses of every learner",
    "chernoff-certificate": "online to batch: holds for the hypotheses of every learner",
    "kl-certificate": "online to batch: holds for the hypotheses of every learner",
    "clopper-pearson-certificate": "online to batch: holds for the hypotheses of every learner",
    "hoeffding-risk": "online to batch: holds for the hypotheses of every learner",
    "hoeffding-suffix-risk": "online to batch: holds for the hypotheses of every learner",
    "bernstein-risk": "online to batch: holds for the hypotheses of every learner",
    "bernstein-suffix-risk": "online to batch: holds for the hypotheses of every learner",
    "halving-sphere": "Halving over all linear classifiers, which no learner computes",
}
"""Theorems that are not about one learner, with the reason."""
ELSEWHERE = {
    "average-risk": "an online-to-batch theorem, in bounds/online_to_batch.py with the others",
    "forgetron": "the Forgetron is Kernelized with evict='forgetron'; its theorem has a file of its own",
    "winnow-or-perceptron": "compares two rules, and has a file of its own",
    "halving": "a weighted majority with beta = 0 is Halving",
    "pnorm": "the multilinear Perceptron is a p-norm Perceptron over products of features",
    "pnorm-separable": "the multilinear Perceptron is a p-norm Perceptron over products of features",
    "least-squares": "AROWRegressor with drift = 0 is RecursiveLeastSquares with a = r",
    "pnorm-moving": "the Perceptron is the p-norm Perceptron with p = 2",
}
"""Theorems that some rule names although their file has the name of another one, with the reason."""
every_rule = pytest.mark.parametrize("name", dl.REGISTRY)


@every_rule
def test_a_rule_names_its_theorems_or_says_why_there_are_none(name: str) -> None:
    rule = rules.PARTS[name]
    assert bool(rule.bounds) != bool(rule.no_bound)
    assert set(rule.bounds) <= bounds.CATALOGUE.keys() and len(set(rule.bounds)) == len(rule.bounds)
    assert not rule.no_bound.endswith(".") and "\n" not in rule.no_bound


@every_rule
def test_the_theorem_that_tunes_a_rule_is_one_of_its_own(name: str) -> None:
    rule = rules.PARTS[name]
    if rule.theorem:
        assert rule.theorem in rule.bounds
        assert bounds.CATALOGUE[rule.theorem].tuning is not bounds.Bound.tuning


def test_every_theorem_is_named_by_a_rule_or_general() -> None:
    named = {theorem for name in dl.REGISTRY for theorem in rules.PARTS[name].bounds}
    assert named | GENERAL.keys() == bounds.CATALOGUE.keys()
    assert not named & GENERAL.keys()


@every_rule
def test_theorems_are_in_a_file_with_the_name_of_the_rule(name: str) -> None:
    rule = rules.PARTS[name]
    home = rule.__module__.replace("driftline.rules.", "driftline.bounds.")
    away = {theorem for theorem in rule.bounds if bounds.CATALOGUE[theorem].__module__ != home}
    assert away <= ELSEWHERE.keys()


def test_a_file_of_theorems_has_the_name_of_a_rule_or_is_known_to_be_shared() -> None:
    homes = {rules.PARTS[name].__module__.replace("driftline.rules.", "driftline.bounds.") for name in dl.REGISTRY}
    files = {kind.__module__ for kind in bounds.CATALOGUE.values()}
    assert files - homes == {
        "driftline.bounds.consistent.sphere",
        "driftline.bounds.kernel.forgetron",
        "driftline.bounds.multiplicative.winnow_or_perceptron",
        "driftline.bounds.online_to_batch",
    }
