"""The linear function of a learner: what a program needs to compute its scores.

    score = constant + w . s(x)

``s`` is the scaling of examples. The weights of several classes are columns of one matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from driftline.encode import Hashing, Standard
from driftline.encode.scaling import Unit
from driftline.engines.multiclass.class_engine import ClassesEngine
from driftline.engines.state import BIAS, FIRST
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.learners.learner import Learner
from driftline.rules.kernel.random_fourier import Waves

Input = Literal["names", "columns", "hashes"]


@dataclass(frozen=True)
class Moments:
    """The running statistics of ``scale="standard"``.

    Attributes
    ----------
    examples
        The number of examples in them.
    mean, spread
        The mean, and the sum of squared deviations from it, of each feature.
    """

    examples: int
    mean: Floats
    spread: Floats


@dataclass(frozen=True)
class LinearForm:
    """A linear learner as plain values.

    Attributes
    ----------
    kind
        The name of the class of the learner.
    regresses
        Whether it predicts numbers.
    input
        Whether features are names, columns, or hashes of either.
    bits
        The number of bits of a hash; None if features are not hashed.
    features
        The features in the order of the weights: names, or numbers of columns or hashes. Of hashes
        only those with a weight other than 0.
    labels
        The known labels. Of two labels, the first one is negative. A regressor has none.
    outputs
        The label of each score: the positive one, or every label of several classes. A regressor
        has one score, with the label None.
    constants
        The constant term of each score.
    weights
        A row for each feature, a column for each score.
    length
        The length to which examples are scaled; None without ``scale="unit"``.
    moments
        The statistics of ``scale="standard"``, else None.
    """

    kind: str
    regresses: bool
    input: Input
    bits: int | None
    features: list[Any]
    labels: list[Any]
    outputs: list[Any]
    constants: Floats
    weights: Floats
    length: float | None
    moments: Moments | None


@whole_call
def linear_form(learner: Learner, where: str) -> LinearForm:
    """The linear form of a learner; ValueError if its scores have none. ``where`` begins the message."""
    engine, encoder, labels = learner._engine, learner._encoder, learner._labels
    if isinstance(learner._scaler, Waves):
        raise ValueError(
            f"{where}: scale must be None, 'unit' or 'standard', got {learner.options['scale']!r}. "
            "Save the learner with save(path)"
        )
    if not engine.is_linear:
        raise ValueError(
            f"{where}: the learner must be linear, got {learner.kind}. Save it with save(path), "
            "or train a linear learner such as PA1 or AROW"
        )
    known, regresses = labels.known(), learner.rule.regresses
    if not regresses and len(known) < 2:
        raise ValueError(
            f"{where}: the learner must know two labels or more, got {len(known)}. "
            "Learn examples of each label, or declare them with labels="
        )
    if isinstance(engine, ClassesEngine):
        outputs, columns = list(known), [engine.weights_of(k) for k in range(len(known))]
    else:
        outputs, columns = [None if regresses else known[1]], [engine.weights()]
    end = FIRST + encoder.features
    W = np.array([column[:end] for column in columns], np.float64).T
    constants = W[0] * float(engine.state[BIAS])
    kept = np.arange(encoder.features)
    if isinstance(encoder.names, Hashing):
        kept = np.flatnonzero(W[FIRST:].any(axis=1))
    scaler = learner._scaler
    return LinearForm(
        kind=learner.kind,
        regresses=regresses,
        input="hashes" if encoder.hashed else "names" if encoder.named else "columns",
        bits=encoder.names.bits if isinstance(encoder.names, Hashing) else None,
        features=list(encoder.names.names()) if encoder.named and not encoder.hashed else kept.tolist(),
        labels=list(known),
        outputs=outputs,
        constants=constants,
        weights=W[FIRST:][kept],
        length=scaler.factor if isinstance(scaler, Unit) else None,
        moments=_moments(scaler, encoder.features, kept) if isinstance(scaler, Standard) else None,
    )


def _moments(scaler: Standard, features: int, kept: np.ndarray) -> Moments:
    """The statistics in which examples without a feature are counted; they have the value 0."""
    scaler.reserve(features)
    number, mean, spread = scaler.moments[:, kept]
    seen = scaler.seen
    if seen > 0.0:
        absent = number < seen
        spread = np.where(absent, spread + mean * mean * number * (seen - number) / seen, spread)
        mean = np.where(absent, mean * number / seen, mean)
    return Moments(int(seen), mean, spread)
