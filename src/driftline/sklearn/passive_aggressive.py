"""A drop-in replacement for scikit-learn's ``PassiveAggressiveClassifier``."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils.parallel import Parallel, delayed

from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import at_least, number, one_of, require
from driftline.learners import PA1, PA2
from driftline.sklearn.averaged_weights import AveragedLearner
from driftline.sklearn.class_learner import ClassLearner
from driftline.sklearn.linear_classifier import LinearClassifier
from driftline.sklearn.one_vs_rest import ClassLearners, rounds
from driftline.sklearn.stopping import Stopping


@dataclass(repr=False, eq=False)
class PassiveAggressiveClassifier(LinearClassifier):
    """Passive-aggressive with scikit-learn's parameters, names, defaults and attributes.

    Differences from scikit-learn:

    * The bias is a feature of value 1. It counts in the length of a row, so that a step repairs
      the margin exactly. In scikit-learn it does not count, and for sparse rows its rate is a
      hundred times smaller.
    * All classes see the rows of a pass in the same order. In scikit-learn each class has a
      different seed. The order itself also differs.
    * A row of zeros counts as a round in averages.
    * ``fit`` and ``partial_fit`` take sample weights, and ``partial_fit`` takes classes that were
      not declared.
    * It has ``predict_proba``.
    * ``coef_`` and ``intercept_`` are read-only copies. Set them to change the weights.
    * ``verbose`` prints one line for each pass and learner.

    Parameters
    ----------
    C : float, default=1.0
        Largest step (PA-I), or weight of the squared slack (PA-II), > 0.
    fit_intercept : bool, default=True
        Whether there is a bias feature.
    max_iter : int, default=1000
        Largest number of passes of ``fit``.
    tol : float or None, default=1e-3
        ``fit`` stops after ``n_iter_no_change`` passes in a row that did not lower the mean loss
        by at least this much. None makes all passes.
    early_stopping : bool, default=False
        Whether to stop by the accuracy on a hold-out set instead of the loss. Not for
        ``partial_fit``.
    validation_fraction : float, default=0.1
        Part of the rows in the hold-out set.
    n_iter_no_change : int, default=5
        Number of passes without improvement before it stops.
    shuffle : bool, default=True
        Whether each pass, also that of ``partial_fit``, takes the rows in random order.
    verbose : int, default=0
        Whether to print a line for each pass and learner.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        "hinge" is PA-I, "squared_hinge" PA-II.
    n_jobs : int or None, default=None
        Threads for the learners of several classes. None is 1, -1 all processors.
    random_state : int, RandomState or None, default=None
        Seed or generator of the order of rows and of the hold-out set.
    warm_start : bool, default=False
        Whether ``fit`` starts from the present ``coef_`` and ``intercept_``, learned or set.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which the steps on their rows are multiplied. "balanced", for
        ``fit``, is inverse to their numbers of rows. Of more than two classes, each is weighted in
        its own learner only. A weight of an unknown class is an error, unless every known class
        has a weight.
    average : bool or int, default=False
        True averages the weights over all rounds; a number, from that round on.
    """

    _: KW_ONLY
    C: float = 1.0
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 1e-3
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    shuffle: bool = True
    verbose: int = 0
    loss: Literal["hinge", "squared_hinge"] = "hinge"
    n_jobs: int | None = None
    random_state: Any = None
    warm_start: bool = False
    class_weight: dict[Any, float] | Literal["balanced"] | None = None
    average: bool | int = False

    @whole_call
    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Learn the rows of X in passes, until the loss stops improving.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        y : array of shape (rows,)
            The class of each row.
        coef_init : array of shape (scores, columns) or None, default=None
            Initial weights; None starts from 0.
        intercept_init : array of shape (scores,) or None, default=None
            Initial intercepts; None starts from 0.
        sample_weight : array of shape (rows,) or None, default=None
            Weights of the rows, as in ``partial_fit``. A class of ``y`` is known even if all its
            rows have weight 0.

        Returns
        -------
        self
            The classifier.
        """
        self._check()
        if self.warm_start and (self._is_learned() or self._given_coef is not None):
            coef_init = self._coef() if coef_init is None else coef_init
            intercept_init = self._intercept() if intercept_init is None else intercept_init
        with self._columns_kept():
            class_learners, X, y, weights = self._fit_rows(X, y, sample_weight)
            self._give_first(class_learners, X.shape[1], "coef_init", coef_init, "intercept_init", intercept_init)
            passes = self._passes(
                class_learners,
                X,
                np.searchsorted(class_learners.classes, y),
                weights,
                self._class_weights(class_learners.classes, y),
            )
        self._reset(class_learners, passes, 1 + passes * len(y))
        if self.tol is not None and passes == self.max_iter:
            warnings.warn(
                f"{type(self).__name__}: fit must converge within max_iter passes, got {passes} without convergence. "
                "Increase max_iter or tol",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        require(
            self.early_stopping is False,
            type(self).__name__,
            "early_stopping must be False for partial_fit, which has no hold-out set",
            self.early_stopping,
        )
        return super()._partial_fit(X, y, classes, sample_weight)

    def _passes(
        self,
        class_learners: ClassLearners,
        X: Any,
        codes: np.ndarray,
        sample_weight: Floats | None,
        of_class: Floats | None,
    ) -> int:
        """Learn until every learner has stopped; return the number of passes."""
        train, held_out = self._split(codes)
        held_out_rows = X[held_out]
        random = self._random()
        stoppings = [Stopping(self.tol, self.n_iter_no_change) for _ in class_learners.learners]
        active = list(range(len(class_learners.learners)))

        def learn(k: int, rows: Any, order: np.ndarray) -> bool:
            each = sample_weight if sample_weight is None else sample_weight[order]
            labels, weights = rounds(class_learners, k, codes[order], each, of_class)
            scores = class_learners.learners[k].learn(rows, labels, weights)
            loss = float(np.mean(np.maximum(0.0, 1.0 - labels * scores)))
            if self.early_stopping:
                truth = rounds(class_learners, k, codes[held_out], None, None)[0] > 0.0
                loss = float(np.mean((class_learners.learners[k].learner.score_many(held_out_rows) > 0.0) != truth))
            if self.verbose:
                label = class_learners.classes[class_learners.positive(k)]
                name = "validation error" if self.early_stopping else "loss"
                print(f"pass {done}, {label} against the rest: {name} {loss:.6f}")
            return stoppings[k].after(loss)

        done = 0
        order, rows = train, X[train]
        with Parallel(n_jobs=self.n_jobs, require="sharedmem") as parallel:
            while active and done < self.max_iter:
                done += 1
                if self.shuffle:
                    order = random.permutation(train)
                    rows = X[order]
                stopped = parallel(delayed(learn)(k, rows, order) for k in active)
                active = [k for k, stop in zip(active, stopped, strict=True) if not stop]
        return done

    def _split(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows to learn, and the stratified hold-out set."""
        if not self.early_stopping:
            return np.arange(len(codes)), np.arange(0)
        split = StratifiedShuffleSplit(1, test_size=self.validation_fraction, random_state=self.random_state)
        train, held_out = next(split.split(codes, codes))
        return np.sort(train), held_out

    def _calibrated(self, X: Any) -> Floats | None:
        """None: rows are learned in several passes."""
        return None

    def _new_learner(self) -> ClassLearner:
        """A new learner of one class against the rest."""
        rule = PA1 if self.loss == "hinge" else PA2
        learner = rule(self.C, bias=self.fit_intercept, labels=(-1.0, 1.0))
        return AveragedLearner(learner, int(self.average)) if self.average else ClassLearner(learner)

    def _check(self) -> None:
        """Raise ValueError unless every parameter is valid; the learner checks C."""
        super()._check()
        where = type(self).__name__
        for name in ("fit_intercept", "early_stopping", "warm_start"):
            value = getattr(self, name)
            require(isinstance(value, bool), where, f"{name} must be True or False", value)
        for name in ("max_iter", "n_iter_no_change"):
            value = getattr(self, name)
            require(_whole(value) and value >= 1, where, f"{name} must be a whole number >= 1", value)
        if self.tol is not None:
            at_least(where, "tol", self.tol, 0.0)
        share = number(where, "validation_fraction", self.validation_fraction)
        require(0.0 < share < 1.0, where, "validation_fraction must be in (0, 1)", self.validation_fraction)
        one_of(where, "loss", self.loss, ("hinge", "squared_hinge"))
        averages = isinstance(self.average, bool) or (_whole(self.average) and self.average >= 1)
        require(averages, where, "average must be True, False or a whole number >= 1", self.average)
        at_least(where, "verbose", float(self.verbose) if isinstance(self.verbose, bool) else self.verbose, 0.0)
        require(self.n_jobs is None or _whole(self.n_jobs), where, "n_jobs must be None or a whole number", self.n_jobs)


def _whole(value: object) -> bool:
    """Whether a value is a whole number; bools are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)
