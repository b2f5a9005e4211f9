"""The base class of the scikit-learn classifiers: checks, learning and prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, ClassVar, Self

import numpy as np

from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats
from driftline.internals.one_call import Shared, whole_call
from driftline.internals.require import require
from driftline.sklearn.class_learner import ClassLearner
from driftline.sklearn.class_weights import (
    NUMBERS,
    check_class_weight,
    check_heaviest,
    check_weighted_classes,
    sample_weights,
    weights_of_classes,
)
from driftline.sklearn.one_vs_rest import ClassLearners, fresh, joined, rounds
from driftline.sklearn.probabilities import agreeing, probabilities

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
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


class SklearnClassifier(Shared, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the classifiers.

    Two classes have one driftline learner. More classes have one learner each, against the rest.
    Subclasses may do otherwise. A call that raises does not change the classifier. Any number of
    threads may use one classifier: its calls run one at a time.
    """

    takes_missing: ClassVar[bool] = False
    """Whether NaN is a missing value; otherwise it is refused."""

    class_weight: Any
    shuffle: bool
    random_state: Any

    @abstractmethod
    def _new_learner(self) -> ClassLearner:
        """A new learner of one class against the rest."""

    def _check(self) -> None:
        """Raise ValueError unless every parameter is valid; the learner checks its parameters."""
        where = type(self).__name__
        require(isinstance(self.shuffle, bool), where, "shuffle must be True or False", self.shuffle)
        check_class_weight(where, self.class_weight)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_class_learners")

    # learning ----------------------------------------------------------------------------------
    @whole_call
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows, in order unless ``shuffle`` is set.

        Classes need not be declared: a class that appears for the first time is added. The
        learners of the first two classes see every row. The learner of a later class that was not
        declared starts with the first row of that class.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        y : array of shape (rows,)
            The class of each row.
        classes : array or None, default=None
            Classes to declare. They may be declared in any call.
        sample_weight : array of shape (rows,) or None, default=None
            Weights of the rows, which multiply the steps of the rule. This is not the same as
            learning a row several times. A row of weight 0 is left out.

        Returns
        -------
        self
            The classifier.
        """
        return self._partial_fit(X, y, classes, sample_weight)

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        self._check()
        where = type(self).__name__
        require(
            not isinstance(self.class_weight, str),
            where,
            "class_weight must be None or a dict for partial_fit, which does not know all rows",
            self.class_weight,
        )
        before = self._known()
        first = not hasattr(self, "n_features_in_")
        with self._columns_kept():
            X, y = self._rows(X, y, first)
            X, y, weights = self._used(X, y, sample_weight)
            if not len(y):
                require(before is not None, where, "the first block must have rows of weight > 0", sample_weight)
                return self
            if self.shuffle:
                order = self._random().permutation(len(y))
                X, y, weights = X[order], y[order], weights if weights is None else weights[order]
            declared = _unknown(where, before, np.unique([] if classes is None else classes))
            found = _unknown(where, before, _in_order(y))
            if len(declared):
                found = _unknown(where, ClassLearners(declared, []), found)
            class_learners = self._joined(before, declared, found)
            complete = classes is not None
            check_weighted_classes(where, self.class_weight, class_learners.classes, complete=complete)
            if before is None:
                self._start(class_learners, X.shape[1])
            late = found[max(0, 2 - len(declared) - (0 if before is None else len(before.classes))) :]
            if any(class_learner.learner.rule.refuses for class_learner in class_learners.learners):
                class_learners = deepcopy(class_learners)
            starts = np.zeros(len(class_learners.classes), np.intp)
            starts[np.isin(class_learners.classes, late)] = [np.argmax(y == label) for label in np.sort(late)]
            self._learn(class_learners, X, y, weights, starts)
        self._keep(class_learners, 1, getattr(self, "t_", 1) + len(y))
        return self

    def _known(self) -> ClassLearners | None:
        """The learners; None if the classifier is not fitted."""
        return getattr(self, "_class_learners", None)

    def _start(self, class_learners: ClassLearners, columns: int) -> None:
        """Prepare new learners for their first rows."""

    def _used(self, X: Any, y: np.ndarray, sample_weight: Any) -> tuple[Any, np.ndarray, Floats | None]:
        """The rows of weight > 0, and their weights; None if there are no weights."""
        if sample_weight is None:
            return X, y, None
        weights = sample_weights(type(self).__name__, sample_weight, len(y))
        used = np.flatnonzero(weights)
        return X[used], y[used], weights[used]

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[ClassLearners, Any, np.ndarray, Floats | None]:
        """New learners of the classes of y, and the rows of weight > 0 with their weights."""
        X, y = self._rows(X, y, True)
        class_learners = self._new_class_learners(y)
        check_weighted_classes(type(self).__name__, self.class_weight, class_learners.classes, complete=True)
        X, y, weights = self._used(X, y, sample_weight)
        if not len(y):
            raise ValueError(
                f"{type(self).__name__}: a sample weight must be > 0, got weights of zero only. Leave sample_weight out"
            )
        return class_learners, X, y, weights

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

    def _joined(self, class_learners: ClassLearners | None, declared: np.ndarray, found: np.ndarray) -> ClassLearners:
        """The learners, including new ones for declared classes and classes found in the rows."""
        return joined(class_learners, np.concatenate([declared, found]) if len(declared) else found, self._new_learner)

    def _rows(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        """X as a dense array or CSR matrix of float64, and y as class labels."""
        X, y = validate_data(self, X, y, reset=reset, **self._form())
        check_classification_targets(y)
        return _sorted(X), y

    def _form(self) -> dict[str, Any]:
        """The options of ``validate_data``."""
        finite = "allow-nan" if self.takes_missing else True
        return {"accept_sparse": "csr", "dtype": np.float64, "order": "C", FINITE: finite}

    def _random(self) -> np.random.RandomState:
        """The random generator for the order of rows."""
        generator: np.random.RandomState = check_random_state(self.random_state)
        return generator

    def _new_class_learners(self, y: np.ndarray) -> ClassLearners:
        """New learners for all classes in y."""
        classes = np.unique(y)
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__}: y must have two classes or more, got one class. "
                "Use partial_fit if more classes appear later"
            )
        return fresh(classes, self._new_learner)

    def _class_weights(self, classes: np.ndarray, y: np.ndarray) -> Floats | None:
        """The weight of each class, and last that of the rest; None if all are 1."""
        return weights_of_classes(self.class_weight, classes, y)

    def _learn(
        self, class_learners: ClassLearners, X: Any, y: np.ndarray, weights: Floats | None, starts: np.ndarray
    ) -> None:
        """Make one pass over the rows; ``starts`` is the first row of each class."""
        codes = np.searchsorted(class_learners.classes, y)
        of_class = self._class_weights(class_learners.classes, y)
        heaviest = (1.0 if weights is None else weights.max()) * (1.0 if of_class is None else of_class.max())
        check_heaviest(type(self).__name__, float(heaviest))
        for k, class_learner in enumerate(class_learners.learners):
            labels, each = rounds(class_learners, k, codes, weights, of_class)
            start = starts[class_learners.positive(k)]
            if start:
                class_learner.learn(X[start:], labels[start:], None if each is None else each[start:])
            else:
                class_learner.learn(X, labels, each)

    def _keep(self, class_learners: ClassLearners, passes: int, t: int) -> None:
        """Store the learners after ``passes`` passes; t is the next round, counted from 1."""
        self._class_learners = class_learners
        self.classes_ = class_learners.classes
        self.n_iter_ = passes
        self.t_ = t

    def _reset(self, class_learners: ClassLearners, passes: int, t: int) -> None:
        """Store the learners of ``fit``."""
        self._keep(class_learners, passes, t)

    # prediction --------------------------------------------------------------------------------
    @whole_call
    def decision_function(self, X: Any) -> Floats:
        """The score of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.

        Returns
        -------
        numpy.ndarray of shape (rows,) or (rows, classes)
            With two classes one score, which is positive for the second class. With more classes
            one score for each class.
        """
        return self._decisions(X)

    def _decisions(self, X: Any) -> Floats:
        X = checked_fit(self, X)
        scores = [class_learner.score(X) for class_learner in self._learned().learners]
        return scores[0] if len(scores) == 1 else np.stack(scores, axis=1)

    def _learned(self) -> ClassLearners:
        """The learners of a fitted classifier."""
        known = self._known()
        assert known is not None
        return known

    @whole_call
    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The classes.
        """
        scores = self._decisions(X)
        last = len(self.classes_) - 1
        chosen: np.ndarray = self.classes_[
            np.argmax(scores, axis=1) if scores.ndim == 2 else np.where(scores > 0.0, last, 0)
        ]
        return chosen

    @whole_call
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, calibrated on the rows that were learned last.

        Each row counts with its score before it was learned, so a single pass over the rows gives
        calibrated probabilities. After several passes they are too sure: use
        ``CalibratedClassifierCV``. With more than two classes and a learner for each class, its
        probabilities are normalised to sum to 1. The probability of the predicted class is raised
        to the largest one of the row, as scikit-learn expects.

        It is 1 / (1 + exp(-score)), or the softmax of the scores, for weights that were set and not
        learned, and for ``PassiveAggressiveClassifier``.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.

        Returns
        -------
        numpy.ndarray of shape (rows, classes)
            The probabilities, with columns in the order of ``classes_``. The largest one of a row
            is that of its predicted class.
        """
        scores, classes = self._decisions(X), len(self.classes_)
        calibrated = self._calibrated(checked_fit(self, X)) if classes > 1 else None
        if calibrated is None:
            return probabilities(scores, classes, self._learned().learners[0].learner.rule.voting)
        return agreeing(calibrated, scores)

    def _calibrated(self, X: Any) -> Floats | None:
        """The calibrated probability of each class; None if a learner has none."""
        found = [class_learner.probability(X) for class_learner in self._learned().learners]
        each = [p for p in found if p is not None]
        if len(each) < len(found):
            return None
        if len(each) == 1:
            return np.stack([1.0 - each[0], each[0]], axis=1)
        shares = np.stack(each, axis=1)
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.takes_missing
        return tags


def checked_fit(classifier: SklearnClassifier, X: Any = None) -> Any:
    """The checked rows of X; raise an error unless the classifier is fitted."""
    check_is_fitted(classifier)
    if X is None:
        return None
    return _sorted(validate_data(classifier, X, reset=False, **classifier._form()))


def _sorted(X: Any) -> Any:
    """X with sorted, unique columns in sparse rows, so that not every learner has to sort them."""
    if isinstance(X, np.ndarray) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def _in_order(y: np.ndarray) -> np.ndarray:
    """The classes in order of appearance."""
    classes, rows = np.unique(y, return_index=True)
    return classes[np.argsort(rows)]


def _unknown(where: str, class_learners: ClassLearners | None, classes: np.ndarray) -> np.ndarray:
    """The classes that have no learner yet."""
    if class_learners is None or not len(classes):
        return classes
    if (classes.dtype.kind in NUMBERS) != (class_learners.classes.dtype.kind in NUMBERS):
        raise ValueError(
            f"{where}: classes must be numbers or strings throughout, got {shortened(classes.tolist())} "
            f"after {shortened(class_learners.classes.tolist())}. Convert y"
        )
    return classes[~np.isin(classes, class_learners.classes)]
