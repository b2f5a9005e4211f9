"""A driftline learner as river's classifier, one example at a time or a frame of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from math import nextafter
from typing import Any, Literal

import numpy as np

from driftline.encode import Hashing
from driftline.encode.frames import is_frame
from driftline.learners import Learner, SeveralClasses
from driftline.learners.learner import Scale as Scale

try:
    from river import base
    from river.utils import dataframe
except ModuleNotFoundError as error:
    if error.name != "river":
        raise
    raise ImportError("driftline.river: river must be installed, got none. Install driftline[river]") from None

Pair = tuple[Any, Any] | None
Several = tuple[Any, ...] | None
Dtype = Literal["float64", "float32"]
BOOLS = (False, True)
BELOW_HALF = nextafter(0.5, 0.0)


class RiverClassifier(base.MiniBatchClassifier):
    """What the classifiers in ``driftline.river`` share; ``learner`` is the driftline learner inside.

    As long as no label is known the prediction is None, which river's metrics leave out. A
    frame's rows are learned in order, to the same bits as by ``learn_one``. Names that are
    tuples, as n-grams have them, are spelled ``str(name)``. A call that raises changes nothing.

    Parameters
    ----------
    learner : Learner
        The driftline learner.
    bias : bool, default=True
        Whether a constant feature is added.
    scale : {"unit", "standard"}, RandomFourier or None, default=None
        None uses examples as they are, as the papers do. "unit" scales each to length 1.
        "standard" divides by the running standard deviation. ``RandomFourier(n, gamma)`` replaces
        an example by n random features.
    labels : tuple or None, default=(False, True)
        (negative, positive). None takes labels as they appear.
    hashing : Hashing or None, default=None
        Hashes feature names into a fixed number of weights. None keeps all names.
    dtype : {"float64", "float32"}, default="float64"
        Type of the weights.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._y_name: Any = None
        for field in fields(learner.rule):
            if field.name != "learner":  # which is the learner of each class
                setattr(self, field.name, getattr(learner.rule, field.name))
        for name, value in learner.options.items():
            setattr(self, name, value)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """A setting for every way that examples take through a learner."""
        yield {}
        yield {"scale": "unit"}
        yield {"scale": "standard"}
        yield {"hashing": Hashing(12)}
        yield {"dtype": "float32"}

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of its own: not of the compiled code, which all learners share."""
        own = base.Base()
        own.__dict__.update(self.__dict__, learner=self.learner.__getstate__())
        return own._raw_memory_usage

    # one example -------------------------------------------------------------------------------
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example with label y and sample weight w, which multiplies the step."""
        _spelled(self.learner.learn_one, x, y, w)

    def predict_one(self, x: Any) -> Any:  # type: ignore[override]  # river's classifiers take nothing else either
        """The label of one example; None as long as no label is known."""
        return _spelled(self.learner.predict_one, x)

    def predict_proba_one(self, x: Any) -> dict[Any, float]:  # type: ignore[override]
        """Label to share, positive label first.

        A margin is no probability. The score s is mapped to 1 - 1 / (2 + 2s) for the positive label where s >= 0, and
        to 1 / (2 - 2s) where s < 0: as the score grows, so does the share, slowly enough that classes stay apart in
        ``OneVsRestClassifier``. The first label with the largest share is that of ``predict_one``. A label that is the
        only one known has it all.
        """
        score = _spelled(self.learner.score_one, x)
        labels = self.learner.labels
        if len(labels) < 2:
            return dict.fromkeys(labels, 1.0)
        return dict(zip(reversed(labels), _shares(score), strict=True))

    # many --------------------------------------------------------------------------------------
    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn the rows of a frame with labels y and sample weights w, one for all or one for each."""
        self.learner.learn_many(self._frame(X), y, w)
        self._y_name = getattr(y, "name", None)

    def predict_many(self, X: Any) -> Any:
        """The label of each row, as a series with the frame's index and the name of the last y."""
        rows = self._frame(X)
        labels = self.learner.predict_many(rows) if self.learner.labels else [None] * len(self.learner.score_many(rows))
        return dataframe.to_native_series(labels, name=self._y_name, like=dataframe.into_frame(X))

    def predict_proba_many(self, X: Any) -> Any:
        """``predict_proba_one`` of each row, as a frame with a column for each label."""
        scores = self.learner.score_many(self._frame(X))
        labels = self.learner.labels
        shares = np.ones((len(scores), len(labels)))
        if len(labels) == 2:
            shares[:] = np.reshape([_shares(score) for score in scores.tolist()], shares.shape)
        columns = dict(zip(reversed(labels), shares.T, strict=True))
        return dataframe.to_native_frame(columns, like=dataframe.into_frame(X))

    def _frame(self, X: Any) -> Any:
        """A frame whose columns have names that the learner takes."""
        if not is_frame(X):
            raise ValueError(
                f"{type(self.learner).__name__}: X must be a pandas or polars frame or an Arrow table, "
                f"got {type(X).__name__}. Pass one example to learn_one or predict_one"
            )
        if hasattr(type(X), "set_axis") and tuple in map(type, X.columns):
            return X.set_axis([_spelling(name) for name in X.columns], axis="columns")
        return X


class RiverMulticlass(RiverClassifier):
    """What the classifiers of several classes in ``driftline.river`` share.

    Parameters
    ----------
    labels : tuple or None, default=None
        Labels that are known from the start, in the order in which ties are decided. Others are
        taken as they appear.
    """

    learner: SeveralClasses

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """A setting for every way that examples take through a learner."""
        yield {}
        yield {"scale": "standard"}
        yield {"hashing": Hashing(12)}

    @property
    def _multiclass(self) -> bool:
        return True

    def predict_proba_one(self, x: Any) -> dict[Any, float]:  # type: ignore[override]
        """Label to share, the largest first: exp(score), divided by the sum over all labels."""
        shares: dict[Any, float] = _spelled(self.learner.predict_proba_one, x)
        return shares

    def predict_proba_many(self, X: Any) -> Any:
        """``predict_proba_one`` of each row, as a frame with a column for each label."""
        shares = self.learner._probabilities(self.learner.scores_many(self._frame(X)))
        columns = dict(zip(self.learner.labels, shares.T, strict=True))
        return dataframe.to_native_frame(columns, like=dataframe.into_frame(X))


def _shares(score: float) -> tuple[float, float]:
    """The shares of the positive and the negative label; the negative one is larger exactly where the score is < 0."""
    less = 0.5 / (1.0 + abs(score))
    if score >= 0.0:
        return 1.0 - less, less
    less = min(less, BELOW_HALF)
    return less, 1.0 - less


def _spelled(method: Callable[..., Any], x: Any, *rest: Any) -> Any:
    """``method(x, *rest)``, and where the learner refuses names that are tuples, with those spelled out."""
    try:
        return method(x, *rest)
    except ValueError:
        if not isinstance(x, Mapping) or tuple not in map(type, x):
            raise
    return method({_spelling(name): value for name, value in x.items()}, *rest)


def _spelling(name: Any) -> Any:
    return str(name) if type(name) is tuple else name
