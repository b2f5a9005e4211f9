"""The base class of all scikit-learn estimators: checks of rows, sample weights and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.one_call import Shared
from driftline.internals.require import require
from driftline.sklearn.class_weights import sample_weights

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted
except ModuleNotFoundError as error:
    if error.name != "sklearn":
        raise
    raise ImportError('driftline.sklearn needs scikit-learn: pip install "driftline[sklearn]"') from None

try:
    from sklearn.utils.validation import validate_data as validate_data

    FINITE = "ensure_all_finite"
except ImportError:  # scikit-learn before 1.6: a method, with another parameter name
    FINITE = "force_all_finite"

    def validate_data(estimator: Any, *args: Any, **options: Any) -> Any:
        """Check and convert X, or X and y."""
        return estimator._validate_data(*args, **options)


class SklearnEstimator(Shared, BaseEstimator):  # type: ignore[misc]
    """Base class of the classifiers and regressors.

    A call that raises does not change the estimator. Any number of threads may use one estimator:
    its calls run one at a time.
    """

    takes_missing: ClassVar[bool] = False
    """Whether NaN is a missing value; otherwise it is refused."""

    shuffle: bool
    random_state: Any

    def _check(self) -> None:
        """Raise ValueError unless every parameter is valid; the learner checks its parameters."""
        require(isinstance(self.shuffle, bool), type(self).__name__, "shuffle must be True or False", self.shuffle)

    def _rows(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        """X as a dense array or CSR matrix of float64, and y as scikit-learn checks it."""
        X, y = validate_data(self, X, y, reset=reset, **self._form())
        return _sorted(X), y

    def _form(self) -> dict[str, Any]:
        """The options of ``validate_data``."""
        finite = "allow-nan" if self.takes_missing else True
        return {"accept_sparse": "csr", "dtype": np.float64, "order": "C", FINITE: finite}

    @contextmanager
    def _columns_kept(self) -> Iterator[None]:
        """Restore the number and the names of the columns if an error is raised."""
        names = ("n_features_in_", "feature_names_in_")
        before = {name: getattr(self, name) for name in names if hasattr(self, name)}
        try:
            yield
        except BaseException:
            for name in names:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise

    def _used(self, X: Any, y: np.ndarray, sample_weight: Any) -> tuple[Any, np.ndarray, Floats | None]:
        """The rows of weight > 0, and their weights; None if there are no weights."""
        if sample_weight is None:
            return X, y, None
        weights = sample_weights(type(self).__name__, sample_weight, len(y))
        used = np.flatnonzero(weights)
        return X[used], y[used], weights[used]

    def _used_in_fit(self, X: Any, y: np.ndarray, sample_weight: Any) -> tuple[Any, np.ndarray, Floats | None]:
        """``_used``; raise ValueError if there is no row of weight > 0."""
        X, y, weights = self._used(X, y, sample_weight)
        if not len(y):
            raise ValueError(
                f"{type(self).__name__}: a sample weight must be > 0, got weights of zero only. Leave sample_weight out"
            )
        return X, y, weights

    def _random(self) -> np.random.RandomState:
        """The random generator for the order of rows."""
        generator: np.random.RandomState = check_random_state(self.random_state)
        return generator

    def _in_passes(
        self, X: Any, y: np.ndarray, weights: Floats | None, passes: int
    ) -> Iterator[tuple[Any, np.ndarray, Floats | None]]:
        """The rows, targets and weights of each pass, in random order if ``shuffle`` is set."""
        random = self._random() if self.shuffle else None
        for _ in range(passes):
            if random is None:
                yield X, y, weights
            else:
                order = random.permutation(len(y))
                yield X[order], y[order], weights if weights is None else weights[order]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.takes_missing
        return tags


def checked_fit(estimator: SklearnEstimator, X: Any = None) -> Any:
    """The checked rows of X; raise an error unless the estimator is fitted."""
    check_is_fitted(estimator)
    if X is None:
        return None
    return _sorted(validate_data(estimator, X, reset=False, **estimator._form()))


def _sorted(X: Any) -> Any:
    """X with sorted, unique columns in sparse rows, so that not every learner has to sort them."""
    if isinstance(X, np.ndarray) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
