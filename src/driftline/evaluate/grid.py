"""A grid of learners: one for every combination of parameters."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from driftline.internals.require import require
from driftline.learners import REGISTRY, Learner
from driftline.learners.options import Options


def grid(learner: str, /, **parameters: Any) -> list[Learner]:
    """A learner for every combination of parameter values.

    Parameters
    ----------
    learner
        The name of the learner, as in ``dl.REGISTRY``.
    parameters
        Its parameters, and options such as ``scale="unit"``. A list of values is varied, the last
        list fastest. Any other value is the same in every learner.

    Returns
    -------
    list of Learner
        New learners, for ``dl.sweep`` or ``dl.compare``.

    >>> grid("pa1", C=[0.1, 1.0], when="mistake")
    [PA1(C=0.1, when='mistake'), PA1(C=1.0, when='mistake')]
    """
    known = isinstance(learner, str) and learner.lower() in REGISTRY
    require(known, "grid", f"learner must be one of {', '.join(REGISTRY)}", learner)
    choices = {name: _values(name, given) for name, given in parameters.items()}
    for name, values in choices.items():
        require(len(values) > 0, "grid", f"{name} must have at least one value", parameters[name])
    make = REGISTRY[learner.lower()]
    try:
        return [make(**dict(zip(choices, values, strict=True))) for values in product(*choices.values())]
    except TypeError as error:
        raise ValueError(
            f"grid: parameters must be those of {make.__name__}, got {sorted(parameters)} ({error}). Correct them"
        ) from None


def _values(name: str, given: Any) -> list[Any]:
    """The values of a parameter; a tuple given for an option, such as ``labels``, is one value."""
    many = isinstance(given, Iterable) and not isinstance(given, str | bytes)
    whole = not many or (name in Options.__annotations__ and isinstance(given, tuple))
    return [given] if whole else [one.item() if hasattr(one, "item") else one for one in given]
