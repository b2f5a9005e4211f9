"""driftline's compiled PA-I pass without the public call. Only this file uses internal names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from contest import Attempt
from data import Data

from driftline.engines.linear.euclidean import LinearEngine
from driftline.rules import PA1


def driftline_kernel(kind: str) -> Callable[[Data], Attempt]:
    """Return a function that prepares one pass over `kind` ("sparse" or "dense") rows: C = 1, no
    bias.
    """
    return _sparse if kind == "sparse" else _dense


def _engine(features: int) -> LinearEngine:
    engine = LinearEngine(PA1(C=1.0), 0.0, np.dtype(np.float64))
    engine.reserve(features)
    engine.v.fill(0.0)
    return engine


def _trials(y: np.ndarray) -> np.ndarray:
    trials = np.ones((4, len(y)))
    trials[0] = y
    return trials


def _sparse(data: Data) -> Attempt:
    engine, trials = _engine(data.sizes.features), _trials(data.sparse_y)
    indptr, indices = data.indptr.astype(np.uint64), data.indices.view(np.uint32)

    def run() -> int:
        return engine.learn_sparse(indptr, indices, data.values, trials)

    return Attempt(run, lambda: float(engine.weights() @ engine.weights()))


def _dense(data: Data) -> Attempt:
    engine, trials = _engine(data.X.shape[1]), _trials(data.dense_y)
    return Attempt(lambda: engine.learn_dense(data.X, trials), lambda: float(engine.weights() @ engine.weights()))
