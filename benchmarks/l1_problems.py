"""Steps of L1-constrained PA on documents with 8,000 words, for driftline and a general QP solver.

    min 1/2 |w - v|^2    s.t.  a.w >= 1,  |w|_1 <= beta

`draw` makes one pass over the stream and keeps some of the updates. Both sides compute these
steps.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

WORDS, DOCUMENTS, LENGTH, STEPS, BETA = 8_000, 3_200, 125, 20, 20.0
FILE = Path(__file__).resolve().parent / ".cache" / "l1_steps.npz"


@dataclass(frozen=True)
class Step:
    """A learner before an update, and the example that causes the update."""

    learner: Any
    x: csr_matrix
    y: float


def documents() -> tuple[csr_matrix, np.ndarray]:
    """Draw 0/1 documents of two classes.

    Words follow a Zipf law; some are more frequent in one class.
    """
    rng = np.random.default_rng(8)
    base = 1.0 / (np.arange(WORDS) + 10.0)
    topics = []
    for _ in range(2):
        topic = base.copy()
        topic[rng.choice(WORDS, WORDS // 10, replace=False)] *= 4.0
        topics.append(topic / topic.sum())
    y = rng.choice([-1.0, 1.0], DOCUMENTS)
    rows = [np.unique(rng.choice(WORDS, LENGTH, p=topics[int(label > 0)])) for label in y]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    indices = np.concatenate(rows)
    return csr_matrix((np.ones(len(indices)), indices, indptr), shape=(DOCUMENTS, WORDS)), y


def draw() -> list[Step]:
    """Return evenly spaced updates of one pass, after a warm-up."""
    import driftline as dl

    X, y = documents()
    learner = dl.L1PA(BETA, bias=False)
    steps = []
    for i in range(DOCUMENTS):
        x = X[i]
        if i > 200 and y[i] * learner.score_one(x) <= 0.0:
            steps.append(Step(copy.deepcopy(learner), x, float(y[i])))
        learner.learn_one(x, y[i])
    return [steps[k] for k in np.linspace(0, len(steps) - 1, STEPS).astype(int)]


def dense_weights(learner: Any) -> np.ndarray:
    """Return the learner's weights as a dense vector."""
    w = np.zeros(WORDS)
    for word, weight in learner.weights().items():
        w[word] = weight
    return w


def ensure() -> None:
    """Write v and a of each step to the file for the peers, unless it exists."""
    if FILE.exists():
        return
    steps = draw()
    v = np.array([dense_weights(step.learner) for step in steps])
    a = np.array([step.y * step.x.toarray()[0] for step in steps])
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, v=v, a=a)


def load() -> tuple[np.ndarray, np.ndarray]:
    """Return v and a of each step."""
    with np.load(FILE) as found:
        return found["v"], found["a"]
