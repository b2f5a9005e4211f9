"""The whole state of a learner, compared bit for bit, and calls that must be refused."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.encode import Standard, Vocabulary
from driftline.learners import LINEAR
from driftline.learners.state import learned_state

# where: what must hold, got value. remedy
FORM = re.compile(r"^\w+: .+ must .+, got .+\. [A-Z].+", re.DOTALL)
REGISTRY = sorted(LINEAR)


def snapshot(learner: dl.Learner) -> dict[str, Any]:
    """Copies of everything that a learner knows."""
    encoder, labels, scaler = learner._encoder, learner._labels, learner._scaler
    known = {name: array.copy() for name, array in learner._engine.arrays().items()}
    known |= learned_state(learner).recent
    known |= {"named": encoder.named, "width": encoder.width, "features": learner.n_features}
    known |= {"labels": list(labels.signs.items()), "pair": (labels.negative, labels.positive)}
    if isinstance(encoder.names, Vocabulary):
        known["names"] = list(encoder.names.index.items())
    elif encoder.names.kept is not None:
        known["kept"] = list(encoder.names.kept.index.items()), sorted(encoder.names.kept.counts.items())
    if isinstance(scaler, Standard):
        known |= {"moments": scaler.moments.copy(), "scaled": scaler.seen}
    if learner._class_weights is not None:
        known["class_counts"] = learner._class_weights.counts.copy()
    return known


def loaded_for_reading(learner: dl.Learner) -> dl.Learner:
    """A copy whose arrays may only be read, as joblib maps them into memory."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(learner, 5, buffer_callback=buffers.append)
    assert buffers
    copied: dl.Learner = pickle.loads(data, buffers=[buffer.raw().tobytes() for buffer in buffers])
    return copied


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays are alike; where one has room for more, that room must be empty."""
    size = min(a.shape[-1], b.shape[-1])
    room = np.concatenate([a[..., size:].ravel(), b[..., size:].ravel()])
    return a[..., :size].tobytes() == b[..., :size].tobytes() and not room.any()


def assert_same(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert before.keys() == after.keys()
    for name, value in before.items():
        if isinstance(value, np.ndarray):
            assert same_bits(value, after[name]), name
        else:
            assert value == after[name], name


@contextmanager
def refused(learner: dl.Learner, *words: str) -> Iterator[None]:
    """The call inside must raise an error of the common form and change nothing."""
    before = snapshot(learner)
    with pytest.raises(ValueError) as caught:
        yield
    message = str(caught.value)
    assert message.startswith(f"{type(learner).__name__}: "), message
    assert FORM.match(message), message
    for word in words:
        assert word in message, f"{word!r} is not in: {message}"
    assert_same(before, snapshot(learner))


def goes_on(learner: dl.Learner, twin: dl.Learner, learn: Callable[[dl.Learner], Any]) -> None:
    """The learner, after a refused call, learns exactly as its copy that never had that call."""
    with np.errstate(all="raise"):
        assert np.array_equal(learn(learner), learn(twin))
    assert_same(snapshot(learner), snapshot(twin))


def twins(make: Callable[[], dl.Learner], learn: Callable[[dl.Learner], Any] | None) -> tuple[dl.Learner, dl.Learner]:
    """A learner, fresh or after some learning, and its copy."""
    learner = make()
    if learn is not None:
        learn(learner)
    return learner, deepcopy(learner)
