"""All of scikit-learn's own estimator checks pass for every classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

import driftline.sklearn

CLASSIFIERS = [getattr(driftline.sklearn, name)() for name in driftline.sklearn.__all__]


@parametrize_with_checks(CLASSIFIERS)
def test_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
