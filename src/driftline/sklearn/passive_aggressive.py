"""A drop-in for scikit-learn's ``PassiveAggressiveClassifier``: passes until nothing improves, PA-I or PA-II."""

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
from driftline.internals.require import at_least, number, one_of, require
from driftline.learners import PA1, PA2
from driftline.sklearn.averaged_weights import Averaged
from driftline.sklearn.linear_weights import LinearClassifier
from driftline.sklearn.one_vs_rest import Sides, rounds
from driftline.sklearn.stopping import Stopping
from driftline.sklearn.versus import Versus


@dataclass(repr=False, eq=False)
class PassiveAggressiveClassifier(LinearClassifier):
    """Passive-aggressive with scikit-learn's parameters, names, defaults and attributes.

    What differs from scikit-learn's:

    * The bias is a feature of value 1, so that it counts in the length of a row and a step
      repairs the margin exactly. There it does not count, and for sparse rows it learns at a
      hundredth of the rate.
    * Several classes see each pass in the same order, which other seeds give them there; the
      order itself differs.
    * A row of zeros counts as a round in averages.
    * ``partial_fit`` takes sample weights, and classes that were not declared.
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
        ``fit`` stops when a pass has not lowered the mean loss by this much, ``n_iter_no_change``
        times in a row. None makes all passes.
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
        Whether ``fit`` starts from the present ``coef_`` and ``intercept_``.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which the steps on their rows are multiplied. "balanced", for
        ``fit``, is inverse to their numbers of rows. Of more than two classes, each is weighted in
        its own learner only.
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

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> Self:
        """Learn the rows of X in passes, from the weights given, or from nothing."""
        self._check()
        if self.warm_start and hasattr(self, "classes_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        X, y = self._rows(X, y, True)
        sides = self._first_sides(y)
        self._start(sides, X.shape[1], coef_init, intercept_init)
        passes = self._passes(sides, X, np.searchsorted(sides.classes, y), self._class_weights(sides.classes, y))
        self._keep(sides, passes, 1 + passes * len(y))
        if self.tol is not None and passes == self.max_iter:
            warnings.warn(
                f"{type(self).__name__}: fit must settle within max_iter passes, got {passes} that still improved. "
                "Raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over the rows of X, going on from what was learned before; see ``PA1Classifier.partial_fit``."""
        require(
            self.early_stopping is False,
            type(self).__name__,
            "early_stopping must be False for partial_fit, which sets no rows aside",
            self.early_stopping,
        )
        return super().partial_fit(X, y, classes, sample_weight)

    def _passes(self, sides: Sides, X: Any, codes: np.ndarray, of_class: Floats | None) -> int:
        """Learn until every learner has stopped; return the number of passes."""
        train, aside = self._split(codes)
        held = X[aside]
        random = self._random()
        stoppings = [Stopping(self.tol, self.n_iter_no_change) for _ in sides.learners]
        active = list(range(len(sides.learners)))

        def learn(k: int, rows: Any, order: np.ndarray) -> bool:
            labels, weights = rounds(sides, k, codes[order], None, of_class)
            scores = sides.learners[k].learn(rows, labels, weights)
            loss = float(np.mean(np.maximum(0.0, 1.0 - labels * scores)))
            if self.early_stopping:
                truth = rounds(sides, k, codes[aside], None, None)[0] > 0.0
                loss = float(np.mean((sides.learners[k].learner.score_many(held) > 0.0) != truth))
            if self.verbose:
                label, name = sides.classes[sides.positive(k)], "validation error" if self.early_stopping else "loss"
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
        """Rows to learn, and rows set aside: the same share of every class."""
        if not self.early_stopping:
            return np.arange(len(codes)), np.arange(0)
        split = StratifiedShuffleSplit(1, test_size=self.validation_fraction, random_state=self.random_state)
        train, aside = next(split.split(codes, codes))
        return np.sort(train), aside

    def _start(self, sides: Sides, features: int, coef: Any, intercept: Any) -> None:
        """Let the learners begin with these weights, where there are any."""
        if coef is None and intercept is None:
            return
        where, size = type(self).__name__, len(sides.learners)
        given = np.zeros((size, features)) if coef is None else np.atleast_2d(np.asarray(coef, np.float64))
        bias = np.zeros(size) if intercept is None else np.atleast_1d(np.asarray(intercept, np.float64))
        require(given.shape == (size, features), where, f"coef_init must have shape {(size, features)}", given.shape)
        require(bias.shape == (size,), where, f"intercept_init must have shape {(size,)}", bias.shape)
        for side, row, constant in zip(sides.learners, given, bias, strict=True):
            side.start(row, float(constant))

    def _side(self) -> Versus:
        """A learner of one class against the rest that knows nothing."""
        rule = PA1 if self.loss == "hinge" else PA2
        learner = rule(self.C, bias=self.fit_intercept, labels=(-1.0, 1.0))
        return Averaged(learner, int(self.average)) if self.average else Versus(learner)

    def _check(self) -> None:
        """Raise ValueError unless every parameter is in its range; the learner checks C."""
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
