"""The base class of the river estimators, for single examples and for frames."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Literal

from driftline.encode import Hashing
from driftline.encode.frames import is_frame
from driftline.internals.one_call import Shared, whole_call
from driftline.learners import Learner
from driftline.learners.options import Scale as Scale

try:
    from river import base
    from river.utils import dataframe
except ModuleNotFoundError as error:
    if error.name != "river":
        raise
    raise ImportError('driftline.river needs river: pip install "driftline[river]"') from None

Dtype = Literal["float64", "float32"]
OF_LABELS = ("labels", "class_weight")  # options that regressors do not have


class RiverLearner(Shared, base.Estimator):
    """Base class of the classifiers and regressors in ``driftline.river``.

    ``learner`` is the driftline learner inside. The rows of a frame are learned in order, with the
    same bits as ``learn_one``. Feature names that are tuples, such as n-grams, are converted to
    ``str(name)``. A call that raises changes nothing. Any number of threads may use one estimator.

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
    hashing : Hashing or None, default=None
        Hashes feature names into a fixed number of weights. None keeps all names.
    dtype : {"float64", "float32"}, default="float64"
        Type of the weights.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._y_name: Any = None
        for field in fields(learner.rule):
            if field.name != "learner":  # the learner of each class in OneVsRest
                setattr(self, field.name, getattr(learner.rule, field.name))
        for name, value in learner.options.items():
            if not learner.rule.regresses or name not in OF_LABELS:
                setattr(self, name, value)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Parameters for river's checks, to cover all paths of examples through a learner."""
        yield {}
        yield {"scale": "unit"}
        yield {"scale": "standard"}
        yield {"hashing": Hashing(12)}
        yield {"dtype": "float32"}

    @property
    def _raw_memory_usage(self) -> int:
        """The memory of the estimator in bytes, without the shared compiled code."""
        own = base.Base()
        state = dict(self.learner.__getstate__())
        if state.get("_recent") is not None:
            state["_recent"] = state["_recent"].__getstate__()
        own.__dict__.update(self.__dict__, learner=state)
        return own._raw_memory_usage

    @whole_call
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x
            The example: feature to value.
        y
            Its label or target.
        w
            Its sample weight, which multiplies the step.
        """
        with_text_names(self.learner.learn_one, x, y, w)

    @whole_call
    def predict_one(self, x: Any) -> Any:
        """Predict the label or target of one example.

        Parameters
        ----------
        x
            The example: feature to value.

        Returns
        -------
        prediction
            The label, or the target as a float; None while no label is known.
        """
        return with_text_names(self.learner.predict_one, x)

    @whole_call
    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn the rows of a frame in order.

        Parameters
        ----------
        X
            A pandas or polars frame, or an Arrow table.
        y
            A label or target for each row.
        w
            A sample weight for each row, or one for all rows.
        """
        self.learner.learn_many(self._frame(X), y, w)
        self._y_name = getattr(y, "name", None)

    @whole_call
    def predict_many(self, X: Any) -> Any:
        """Predict the label or target of each row.

        Parameters
        ----------
        X
            A pandas or polars frame, or an Arrow table.

        Returns
        -------
        series
            The predictions, with the index of the frame and the name of the last y.
        """
        predictions = self._predictions(self._frame(X))
        return dataframe.to_native_series(predictions, name=self._y_name, like=dataframe.into_frame(X))

    @abstractmethod
    def _predictions(self, rows: Any) -> Any:
        """The label or target of each row of a checked frame."""

    def _frame(self, X: Any) -> Any:
        """The frame with column names that the learner accepts."""
        if not is_frame(X):
            raise ValueError(
                f"{type(self.learner).__name__}: X must be a pandas or polars frame or an Arrow table, "
                f"got {type(X).__name__}. Pass one example to learn_one or predict_one"
            )
        if hasattr(type(X), "set_axis") and tuple in map(type, X.columns):
            return X.set_axis([_text_name(name) for name in X.columns], axis="columns")
        return X


def with_text_names(method: Callable[..., Any], x: Any, *rest: Any) -> Any:
    """``method(x, *rest)``; if the learner refuses names that are tuples, convert them to text."""
    try:
        return method(x, *rest)
    except ValueError:
        if not isinstance(x, Mapping) or tuple not in map(type, x):
            raise
    return method({_text_name(name): value for name, value in x.items()}, *rest)


def _text_name(name: Any) -> Any:
    return str(name) if type(name) is tuple else name
