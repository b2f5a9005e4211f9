"""All of scikit-learn's own estimator checks pass for every classifier, except one that cannot.

A row of weight 2 must equal the same row twice, in any order of the rows. An online learner
depends on the order, so these checks fail for it. scikit-learn expects the same of its
SGDClassifier and Perceptron.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

import driftline.sklearn

CLASSIFIERS = [getattr(driftline.sklearn, name)() for name in driftline.sklearn.__all__]
EXPECTED = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
    "an online learner depends on the order of the rows",
)


@parametrize_with_checks(CLASSIFIERS, expected_failed_checks=lambda estimator: EXPECTED)
def test_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
