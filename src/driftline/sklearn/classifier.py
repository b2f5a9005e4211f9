"""The base class of the scikit-learn classifiers: checks, learning and prediction."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import Any, ClassVar, Self

import numpy as np

from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats
from driftline.internals.one_call import Shared, whole_call
from driftline.internals.require import at_least, require
from driftline.learners.learner import LARGEST_WEIGHT
from driftline.sklearn.class_learner import ClassLearner
from driftline.sklearn.one_vs_rest import ClassLearners, fresh, joined, rounds

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.class_weight import compute_class_weight
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ModuleNotFoundError as error:
    if error.name != "sklearn":
        raise
    raise ImportError('driftline.sklearn needs scikit-learn: pip install "driftline[sklearn]"') from None

try:
    from sklearn.utils.validation import validate_data

    FINITE = "ensure_all_finite"
except ImportError:  # scikit-learn before 1.6: a method, with another parameter name
    FINITE = "force_all_finite"

    def validate_data(estimator: Any, *args: Any, **options: Any) -> Any:
        """Check and convert X, or X and y."""
        return estimator._validate_data(*args, **options)


NUMBERS = "biuf"


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
        where, weight = type(self).__name__, self.class_weight
        require(isinstance(self.shuffle, bool), where, "shuffle must be True or False", self.shuffle)
        known = weight is None or isinstance(weight, dict) or (isinstance(weight, str) and weight == "balanced")
        require(known, where, "class_weight must be None, a dict or 'balanced'", weight)
        for label, value in weight.items() if isinstance(weight, dict) else ():
            at_least(where, f"class_weight of {label!r}", value, 0.0)

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
        first = not hasattr(self, "classes_")
        self._check()
        where = type(self).__name__
        require(
            not isinstance(self.class_weight, str),
            where,
            "class_weight must be None or a dict for partial_fit, which does not know all rows",
            self.class_weight,
        )
        X, y = self._rows(X, y, first)
        weights = None
        if sample_weight is not None:
            weights = _sample_weights(where, sample_weight, len(y))
            used = np.flatnonzero(weights)
            X, y, weights = X[used], y[used], weights[used]
        if not len(y):
            require(not first, where, "the first block must have rows of weight > 0", sample_weight)
            return self
        if self.shuffle:
            order = self._random().permutation(len(y))
            X, y, weights = X[order], y[order], weights if weights is None else weights[order]
        before: ClassLearners | None = None if first else self._class_learners
        declared = _unknown(where, before, np.unique([] if classes is None else classes))
        found = _unknown(where, before, _in_order(y))
        if len(declared):
            found = _unknown(where, ClassLearners(declared, []), found)
        class_learners = self._joined(before, declared, found)
        late = found[max(0, 2 - len(declared) - (0 if before is None else len(before.classes))) :]
        if any(class_learner.learner.rule.refuses for class_learner in class_learners.learners):
            class_learners = deepcopy(class_learners)
        starts = np.zeros(len(class_learners.classes), np.intp)
        starts[np.isin(class_learners.classes, late)] = [np.argmax(y == label) for label in np.sort(late)]
        self._learn(class_learners, X, y, weights, starts)
        self._keep(class_learners, 1, (1 if first else self.t_) + len(y))
        return self

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
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, str):
            return np.append(compute_class_weight(self.class_weight, classes=classes, y=y), 1.0)
        return np.array([float(self.class_weight.get(label, 1.0)) for label in classes.tolist()] + [1.0])

    def _learn(
        self, class_learners: ClassLearners, X: Any, y: np.ndarray, weights: Floats | None, starts: np.ndarray
    ) -> None:
        """Make one pass over the rows; ``starts`` is the first row of each class."""
        codes = np.searchsorted(class_learners.classes, y)
        of_class = self._class_weights(class_learners.classes, y)
        heaviest = (1.0 if weights is None else weights.max()) * (1.0 if of_class is None else of_class.max())
        what = f"a weight must be at most {LARGEST_WEIGHT:g}"
        require(heaviest <= LARGEST_WEIGHT, type(self).__name__, what, float(heaviest))
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
        scores = [class_learner.score(X) for class_learner in self._class_learners.learners]
        return scores[0] if len(scores) == 1 else np.stack(scores, axis=1)

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


def _sample_weights(where: str, sample_weight: Any, rows: int) -> Floats:
    """The checked weights: one for each row, >= 0."""
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in NUMBERS or weights.shape != (rows,):
        raise ValueError(
            f"{where}: sample_weight must be an array of {rows} numbers, got {shortened(sample_weight)}. "
            "Leave it out for weights of 1"
        )
    wrong = ~((weights >= 0.0) & (weights <= LARGEST_WEIGHT))
    if wrong.any():
        raise ValueError(
            f"{where}: row {np.argmax(wrong)}, a sample weight must be >= 0 and at most {LARGEST_WEIGHT:g}, "
            f"got {weights[wrong][0]}. Rescale the weights, or drop the row"
        )
    return weights.astype(np.float64)


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
