"""All of scikit-learn's own checks pass for every classifier and regressor, except those that cannot.

A row of weight 2 must equal the same row twice, in any order of the rows. An online learner
depends on the order, so these checks fail for it. scikit-learn expects the same of its
SGDClassifier, SGDRegressor and Perceptron.

Probabilities must rank rows as the scores do. Calibrated ones need not: those of the Tracker and of
several classes are no function of the score, and the curve of a single score is bent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

import driftline.sklearn

ESTIMATORS = [getattr(driftline.sklearn, name)() for name in driftline.sklearn.__all__]
EXPECTED = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
    "an online learner depends on the order of the rows",
)
RANKS = {"check_decision_proba_consistency": "its probabilities do not rise with the score everywhere"}
NOT_BY_RANK = [
    *("ALMA", "BalancedWinnow", "L1PA", "L2PA", "NORMA", "PA"),
    *("MulticlassL1PA", "MulticlassL2PA", "MulticlassPA", "MulticlassShrunkPA"),
    *("PA1", "PA2", "Perceptron", "ProjectionPerceptron", "ROMMA", "ShrunkPA", "Tracker"),
]
"""Learners whose calibrated probability does not rise with every score of that check."""


def expected(estimator: Any) -> dict[str, str]:
    """The checks that must fail for an estimator, with the reason."""
    return EXPECTED | RANKS if type(estimator).__name__.removesuffix("Classifier") in NOT_BY_RANK else EXPECTED


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
