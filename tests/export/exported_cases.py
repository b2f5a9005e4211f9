"""Learners for the tests of exports, with examples that they have learned and new ones."""

from __future__ import annotations

from typing import Any

import numpy as np

import driftline as dl
from tests.support.learner_cases import OTHERS, Other, dicts, examples
from tests.support.linear_cases import CASES, Case

LEARNED = 40
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"bias": False}, {"scale": "unit"}, {"scale": "standard"})
NOT_LINEAR = {
    "kernelized", "halving", "weightedmajority", "exponentialweights", "adahedge", "fixedshare", "variableshare",
    "committee", "winnow", "trackingwinnow", "balancedwinnow", "gridhalving", "kernelsecondorder", "batchonline",
    "multilinearperceptron", "tracker", "squarelossexperts", "aggregatingexperts", "squarelossfixedshare",
    "trackerregressor",
}  # fmt: skip
INSIDE = ("kernelized", "committee")
"""Learners that make a ``OneVsRest`` nonlinear."""


def is_linear(case: Case | Other) -> bool:
    """Whether the learner is linear, as its rule says: known to the tests alone."""
    return case.name not in NOT_LINEAR and not str(case.parameters.get("learner", "")).startswith(INSIDE)


def cases() -> list[Case | Other]:
    """Every setting of a learner that is not a two-number rule, and one setting of each of these rules.

    Rules that refuse examples are left out: some scalings make examples that they refuse.
    """
    first = {case.name: case for case in CASES}
    return [case for case in [*OTHERS, *first.values()] if "raise" not in str(case)]


def rows_of(case: Case | Other, form: str) -> tuple[Any, Any, Any]:
    """Examples to learn and their labels, and new examples, as "columns" or "names"."""
    feed = case.feed if isinstance(case, Other) else "signed"
    X, y = examples(feed)
    X = X + 0.125 if feed in ("signed", "classes", "targets") else X
    new = X[LEARNED:] * np.array([1.0, -0.5, 2.0, 0.0, 1.5])
    if form == "columns":
        return X[:LEARNED], y[:LEARNED], list(new)
    return dicts(X[:LEARNED]), y[:LEARNED], [{**x, "unknown": 0.75, "other": -0.5} for x in dicts(new)]


def trained(case: Case | Other, form: str, **options: Any) -> tuple[dl.Learner, list[Any]]:
    """A learner that has learned, and new examples."""
    X, y, new = rows_of(case, form)
    learner = case.learner(**options)
    learner.learn_many(X, y)
    return learner, new
