"""Steps of L1-constrained PA on a stream of documents with 8,000 words, for ours and for a general QP solver.

    min 1/2 |w - v|^2    s.t.  a.w >= 1,  |w|_1 <= beta

`draw` runs the stream once and keeps some of its updates; both sides then make these very steps.
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
    """A learner just before an update, and the example that makes it update."""

    learner: Any
    x: csr_matrix
    y: float


def documents() -> tuple[csr_matrix, np.ndarray]:
    """Two classes of 0/1 documents, Zipf-distributed words, some words more frequent in one class."""
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
    """Some of the updates of one pass, evenly spaced after a warm-up."""
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
    """The learner's weights as a vector of all words."""
    w = np.zeros(WORDS)
    for word, weight in learner.weights().items():
        w[word] = weight
    return w


def ensure() -> None:
    """Write v and a of each step for the peers, unless they are there."""
    if FILE.exists():
        return
    steps = draw()
    v = np.array([dense_weights(step.learner) for step in steps])
    a = np.array([step.y * step.x.toarray()[0] for step in steps])
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, v=v, a=a)


def load() -> tuple[np.ndarray, np.ndarray]:
    """v and a of each step."""
    with np.load(FILE) as found:
        return found["v"], found["a"]
