"""Access to the internals of a learner: encoded rows, weights, labels and saved state.

Only ``learners/`` reads the private attributes of a learner. Other packages call these functions.
Those that read or change what a learner has learned run while no other call runs, except
``learned_state``, which is part of a larger call, and ``restore_*``, which fill a new learner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftline.encode import Classes, ExpertLabels, Hashing, Labels, Standard, Vocabulary
from driftline.encode.faults import shortened
from driftline.engines import LinearEngine, PNormEngine
from driftline.engines.multiclass.class_engine import ClassesEngine
from driftline.engines.state import BIAS, FIRST
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.rows import Rows
from driftline.learners.learner import Learner
from driftline.learners.several_classes import SeveralClasses
from driftline.learners.tracker import Tracker
from driftline.rules.kernel.random_fourier import Waves


# examples and weights -------------------------------------------------------------------------
@whole_call
def encoded_rows(learner: Learner, X: Any) -> Rows:
    """The rows of X as the engine would score them: encoded and scaled.

    Unknown features share the next free index.
    """
    rows = learner._encoder.many(X, False)
    return rows if learner._scaler is None else learner._scaler.scale(rows, learner._encoder.features, False)


@whole_call
def unscaled_rows(learner: Learner, X: Any) -> Rows:
    """The rows of X with the features of the learner, not scaled. The learner must have learned them."""
    return learner._encoder.many(X, False, unchecked=True)


@whole_call
def feature_text(learner: Learner, index: int) -> str:
    """A feature in words: its name in quotes, its column, or its index if features are hashed."""
    encoder = learner._encoder
    if encoder.hashed:
        return f"with hash {index}"
    return shortened(encoder.names.names()[index]) if encoder.named else f"column {index}"


@whole_call
def label_of_class(learner: Learner, k: int) -> Any:
    """The label that the learner met as number k, from 0."""
    return list(learner._labels.signs)[k]


def engine_features(learner: Learner) -> int:
    """The number of features of the engine: the known ones, or those of ``RandomFourier``."""
    return learner._width


def bias_value(learner: Learner) -> float:
    """The value of the constant feature; 0 without a bias."""
    return float(learner._engine.state[BIAS])


@whole_call
def linear_weights(learner: Learner) -> tuple[float, Floats]:
    """The weight of the constant feature, and the weights of all other features by their index."""
    return _split(learner, learner._engine.weights())


@whole_call
def class_weights(learner: SeveralClasses, k: int) -> tuple[float, Floats]:
    """``linear_weights`` of class k."""
    return _split(learner, learner._engine.weights_of(k))


def _split(learner: Learner, w: Floats) -> tuple[float, Floats]:
    return float(w[0]), w[FIRST : FIRST + learner._width]


@whole_call
def extent(learner: Learner) -> tuple[float, int]:
    """|w| and the number of non-zero weights; votes and kernels return those of their parts."""
    return learner._engine.extent()


@whole_call
def has_linear_hypotheses(learner: Learner) -> bool:
    """Whether a score is w.x, and the encoding of an example never changes.

    The weights then determine the hypothesis. With ``scale="standard"`` the encoding changes. With
    ``RandomFourier`` over named features it changes whenever a new name appears.
    """
    linear = isinstance(learner._engine, LinearEngine | PNormEngine) and not learner.rule.engine
    scaler, encoder = learner._scaler, learner._encoder
    grows = bool(encoder.named) and not encoder.hashed
    return linear and not isinstance(scaler, Standard) and not (isinstance(scaler, Waves) and grows)


@whole_call
def negate_weights(learner: Learner) -> None:
    """Negate all weights and recent scores, as if every example had been learned with the opposite label."""
    v = learner._engine.v
    np.subtract(0.0, v, out=v)
    if learner._recent is not None:
        learner._recent.negate()


# labels ---------------------------------------------------------------------------------------
@whole_call
def labels_for(learner: Learner, scores: Floats) -> np.ndarray:
    """The label that the learner predicts at each of these scores."""
    return learner._labels.of_many(scores)


@whole_call
def sign_of(learner: Learner, label: Any) -> float:
    """-1 or +1 for a label; a new label is added to those of the learner."""
    return learner._labels.sign(label)


@whole_call
def labels_in_order(learner: Learner) -> list[Any]:
    """The labels in the order in which they appeared, which is that of the counts of a run."""
    return list(learner._labels.signs)


def copy_labels(source: Learner, target: Learner) -> None:
    """Copy the known labels and their signs from the source to a new target."""
    target._labels = _copied_labels(source)


@whole_call
def _copied_labels(learner: Learner) -> Labels | Classes:
    return deepcopy(learner._labels)


@whole_call
def add_labels(learner: Learner, labels: Iterable[Any]) -> None:
    """Add these labels to the known labels of the learner.

    A Tracker switches to several classes at the third label.
    """
    for label in labels:
        if isinstance(learner, Tracker) and not learner.rule.several and len(learner._labels.known()) == 2:
            learner._to_several_classes()
        learner._labels.sign(label)
    if isinstance(learner._engine, ClassesEngine):
        learner._engine.declare_classes(len(learner._labels.known()))


# what a file stores ---------------------------------------------------------------------------
@dataclass(frozen=True)
class LearnedState:
    """Everything that a learner has learned.

    Arrays may be shared with the learner: copy them before it learns more.

    Attributes
    ----------
    labels
        The labels in the order in which they appeared.
    features
        The number of known features.
    named
        Whether features have names; None if that is still open, or if they are hashed.
    names
        Name to index, if features have names and are not hashed.
    kept
        The names stored of hashed features; None if they are not stored.
    engine
        The arrays of the engine by name.
    totals
        The state of the engine, which holds its counters.
    moments, scaled
        The running statistics of ``scale="standard"``, and the number of examples in them; else
        None.
    recent
        The recent rounds, from which probabilities are computed: arrays by name.
    class_counts
        The discounted number of examples of each label, if class weights are balanced; else None.
    """

    labels: list[Any]
    features: int
    named: bool | None
    names: Mapping[Any, int] | None
    kept: Mapping[Any, int] | None
    engine: dict[str, np.ndarray]
    totals: Floats
    moments: Floats | None
    scaled: int | None
    recent: dict[str, np.ndarray]
    class_counts: Floats | None


def learned_state(learner: Learner) -> LearnedState:
    """Everything that the learner has learned."""
    encoder, scaler = learner._encoder, learner._scaler
    moments, scaled = None, None
    if isinstance(scaler, Standard):
        scaler.reserve(encoder.features)
        moments, scaled = scaler.moments[:, : encoder.features], int(scaler.seen)
    return LearnedState(
        labels=list(learner._labels.signs),
        features=encoder.features,
        named=encoder.named,
        names=encoder.names.index if encoder.named and isinstance(encoder.names, Vocabulary) else None,
        kept=None if isinstance(encoder.names, Vocabulary) or encoder.names.kept is None else encoder.names.kept.index,
        engine=learner._engine.saved(learner._width),
        totals=learner._engine.state,
        moments=moments,
        scaled=scaled,
        recent=_recent_rounds(learner),
        class_counts=_class_counts(learner),
    )


def _recent_rounds(learner: Learner) -> dict[str, np.ndarray]:
    """The recent rounds of a learner that computes probabilities from them: arrays by name."""
    if learner._recent is not None:
        return learner._recent.arrays()
    engine = learner._engine
    return engine.recent.arrays(engine.classes) if isinstance(engine, ClassesEngine) else {}


def _class_counts(learner: Learner) -> Floats | None:
    """The counts of balanced class weights, with 0 for labels that have not appeared."""
    weights = learner._class_weights
    if weights is None or weights.given is not None:
        return None
    counts = np.zeros(len(learner._labels.signs))
    counts[: weights.counts.size] = weights.counts
    return counts


def restore_labels(learner: Learner, labels: list[Any], declared: bool) -> int:
    """Add these labels in this order to a new learner; return how many it knows then.

    The engine gets its classes from ``restore_engine``, which checks that the file has them.
    Raise ValueError for a bad label.
    """
    if isinstance(learner, Tracker) and not learner.rule.several and len(labels) > 2:
        learner._to_several_classes()
    known = learner._labels
    add = known.restore if isinstance(known, ExpertLabels) else known.sign
    for label in labels:
        add(label)
    if declared:
        learner.options["labels"] = tuple(labels)
    return len(learner._labels.signs)


def restore_names(learner: Learner, names: dict[Any, int]) -> None:
    """Give a new learner features with these names."""
    learner._encoder.named = True
    if isinstance(learner._encoder.names, Vocabulary):
        learner._encoder.names.index = names


def restore_kept_names(learner: Learner, names: Iterable[Any]) -> int:
    """Give a new learner these names of hashed features; return how many it has room for."""
    hashing, every = learner._encoder.names, list(names)
    assert isinstance(hashing, Hashing)
    hashing.remember(every, hashing.add_all(every))
    return learner._encoder.stored


def restore_columns(learner: Learner, width: int) -> None:
    """Give a new learner this number of columns."""
    learner._encoder.named = False
    learner._encoder.width = width


def restore_engine(learner: Learner, arrays: dict[str, np.ndarray]) -> int | None:
    """Restore the arrays of the engine; return its number of classes if it has several.

    Restore labels and features first. Raise ValueError if the arrays do not fit.
    """
    learner._engine.restore(learner._width, arrays)
    return learner._engine.classes if isinstance(learner._engine, ClassesEngine) else None


@whole_call
def has_recent_rounds(learner: Learner) -> bool:
    """Whether both labels are known and probabilities are calibrated by recent rounds."""
    return bool(_recent_rounds(learner)) and len(learner._labels.signs) > 1


def restore_recent(learner: Learner, arrays: dict[str, np.ndarray]) -> None:
    """Restore the recent rounds, after the engine; ValueError if no learner can have them."""
    engine = learner._engine
    if learner._recent is not None:
        learner._recent.restore(arrays)
    elif isinstance(engine, ClassesEngine) and not engine.calibrates:
        engine.recent.restore(arrays, engine.classes)
    elif arrays:
        raise ValueError("recent rounds of a learner that has none")


def restore_counters(learner: Learner, counters: Mapping[int, int]) -> None:
    """Set the counters in the state of the engine: position to value."""
    for place, value in counters.items():
        learner._engine.state[place] = value


def restore_class_counts(learner: Learner, counts: Floats) -> None:
    """Set the counts of balanced class weights."""
    assert learner._class_weights is not None
    learner._class_weights.counts = counts


def is_standardised(learner: Learner) -> bool:
    """Whether the learner keeps running statistics of its features (``scale="standard"``)."""
    return isinstance(learner._scaler, Standard)


def restore_statistics(learner: Learner, seen: int, moments: Floats) -> None:
    """Set the running statistics of ``scale="standard"``."""
    scaler, features = learner._scaler, moments.shape[1]
    assert isinstance(scaler, Standard)
    scaler.reserve(features)
    scaler.moments[:, :features] = moments
    scaler.seen = float(seen)
