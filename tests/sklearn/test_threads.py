"""Any number of threads may use one scikit-learn classifier."""

from __future__ import annotations

import pickle
import threading
from functools import partial
from typing import Any

import numpy as np
import pytest

from driftline import sklearn as dls
from tests.support.threads import in_threads

rng = np.random.default_rng(1)
X = rng.normal(size=(400, 5))
Y = {2: (X[:, 0] > 0.1).astype(int), 3: np.argmax(X[:, :3], axis=1)}
CLASSIFIERS = [dls.PA1Classifier, dls.MulticlassPAClassifier, dls.TrackerClassifier]
CLASSIFIERS += [partial(dls.PassiveAggressiveClassifier, random_state=0)]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", CLASSIFIERS)
def test_readers_see_whole_blocks(make: Any, classes: int) -> None:
    y = Y[classes]
    shared, replay = make(), make()
    done = threading.Event()
    seen: list[np.ndarray] = []
    copies: list[Any] = []
    shared.partial_fit(X[:20], y[:20], classes=np.arange(classes))
    replay.partial_fit(X[:20], y[:20], classes=np.arange(classes))

    def learn() -> None:
        for k in range(20, 400, 20):
            shared.partial_fit(X[k : k + 20], y[k : k + 20])
        done.set()

    def read() -> None:
        while not done.is_set():
            seen.append(shared.decision_function(X[:3]))
            assert shared.predict(X[:3]).shape == (3,)
            assert shared.predict_proba(X[:3]).shape == (3, classes)
            copies.append(pickle.loads(pickle.dumps(shared)).decision_function(X[:3]))

    in_threads(learn, read, read)
    moments = [replay.decision_function(X[:3]).tobytes()]
    for k in range(20, 400, 20):
        replay.partial_fit(X[k : k + 20], y[k : k + 20])
        moments.append(replay.decision_function(X[:3]).tobytes())
    assert shared.decision_function(X[:3]).tobytes() == moments[-1]
    assert seen and {one.tobytes() for one in [*seen, *copies]} <= set(moments)


def test_weights_are_set_between_two_calls() -> None:
    """Every score is that of one of the weights that were set, never of a mixture."""
    shared = dls.PA1Classifier().fit(X, Y[3])
    done = threading.Event()
    seen: list[np.ndarray] = []

    def write() -> None:
        for k in range(200):
            shared.coef_ = np.full((3, 5), float(k % 2))
        done.set()

    def read() -> None:
        while not done.is_set():
            seen.append(shared.decision_function(X[:50]) - shared.intercept_)

    shared.coef_ = np.zeros((3, 5))
    in_threads(write, read, read)
    sums = X[:50].sum(axis=1)[:, None]
    assert seen and all(np.allclose(one, 0.0) or np.allclose(one, sums) for one in seen)
