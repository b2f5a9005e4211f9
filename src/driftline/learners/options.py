"""The options that every learner takes, and the scaler that they choose."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, Literal, TypedDict

from driftline.encode import Hashing, Standard, Unit
from driftline.rules import RandomFourier
from driftline.rules.kernel.random_fourier import Waves

ClassWeight = dict[Any, float] | Literal["balanced"] | None
RULE_DEFAULT: Any = object()  # default of bias: the default of the rule
Scale = Literal["unit", "standard"] | RandomFourier | None


class Options(TypedDict, total=False):
    """Keyword arguments that every learner takes."""

    bias: bool
    """Whether a constant feature is added (default True, unless the rule has no bias)."""
    scale: Scale
    """How examples are scaled.

    None (default) uses them as they are, as the papers do. "unit" scales each to length 1.
    "standard" divides by the running standard deviation. It centres arrays, but not dicts, frames
    and sparse rows, in which an absent value is 0. ``RandomFourier(n, gamma)`` replaces an example
    by n random features; the weights belong to these features, named 0 to n - 1.
    """
    labels: tuple[Any, ...] | None
    """(negative, positive).

    Without it, -1/+1, 0/1 and False/True are recognised, and other labels are taken as they
    appear. Learners of several classes take any number of labels; the order breaks ties, and new
    labels may still appear.
    """
    hashing: Hashing | None
    """Hashes feature names into a fixed number of weights; without it the vocabulary grows."""
    dtype: Literal["float64", "float32"]
    """Type of the weights (default "float64")."""
    class_weight: ClassWeight
    """Weights of the labels, which multiply the sample weights.

    None (default) is 1 for every label. A dict may name some labels; others have the weight 1. With
    weight 0, examples are scored and counted, but not learned. "balanced" makes labels that have
    been rare in the last 10,000 examples heavier: see ``driftline.encode.class_weights``.
    """


OF_LABELS = ("labels", "class_weight")
"""Options that regressors do not take."""


def parameter_names(make: Callable[..., Any], regresses: bool) -> list[str]:
    """The keyword arguments of a learner: its own, then those of all learners."""
    own = [name for name, one in signature(make).parameters.items() if one.kind != one.VAR_KEYWORD]
    every = dict.fromkeys((*own, *Options.__annotations__))
    return [name for name in every if not (regresses and name in OF_LABELS)]


def scaler_of(scale: Scale, bias: bool) -> Unit | Standard | Waves | None:
    """The scaler of an option ``scale``."""
    if isinstance(scale, RandomFourier):
        return Waves(scale)
    return None if scale is None else Unit(bias) if scale == "unit" else Standard()
