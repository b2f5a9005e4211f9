"""river: one dict at a time. Linear learners and neighbours get its running StandardScaler, as in
its docs.

Sparse streams are not scaled: the scaler does not count absent features as zeros, so a word with
the constant value 1 would become 0. Linear learners of two labels are wrapped in its
OneVsRestClassifier if there are several classes. Before the first label the prediction is None,
which counts as negative, or with several classes as a mistake.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from river import ensemble, forest, linear_model, multiclass, naive_bayes, neighbors, preprocessing, tree

from error.play import Guess, Step
from error.stored import Stream

DISTANCE = neighbors.KNNClassifier().engine.dist_func  # the default; only the seed is set
LINEAR: dict[str, Callable[[int], Any]] = {
    "LogisticRegression": lambda seed: linear_model.LogisticRegression(),
    "PAClassifier": lambda seed: linear_model.PAClassifier(),
}
SCALED: dict[str, Callable[[int], Any]] = {
    **LINEAR,
    "KNNClassifier": lambda seed: neighbors.KNNClassifier(engine=neighbors.SWINN(dist_func=DISTANCE, seed=seed)),
    "KNNClassifier-500": lambda seed: neighbors.KNNClassifier(engine=neighbors.LazySearch(window_size=500)),
}
PLAIN: dict[str, Callable[[int], Any]] = {
    "ARFClassifier": lambda seed: forest.ARFClassifier(n_models=10, seed=seed),
    "SRPClassifier": lambda seed: ensemble.SRPClassifier(n_models=10, seed=seed),
    "HoeffdingAdaptiveTreeClassifier": lambda seed: tree.HoeffdingAdaptiveTreeClassifier(seed=seed),
    "GaussianNB": lambda seed: naive_bayes.GaussianNB(),
    "MultinomialNB": lambda seed: naive_bayes.MultinomialNB(),
    "BernoulliNB": lambda seed: naive_bayes.BernoulliNB(),
}


def examples(stream: Stream) -> list[dict[str, float]]:
    """Return one dict per example. Dicts of a sparse stream have no zeros."""
    names = np.array([f"x{column}" for column in range(stream.X.shape[1])], dtype=object)
    if not stream.sparse:
        return [dict(zip(names, row, strict=True)) for row in stream.X.tolist()]
    X = stream.X
    cuts = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return [dict(zip(names[X.indices[a:b]], X.data[a:b].tolist(), strict=True)) for a, b in cuts]


def learner(model: str, stream: Stream) -> Step:
    """Return a new learner as a step."""
    made = (PLAIN | SCALED)[model](stream.seed)
    if stream.several and model in LINEAR:
        made = multiclass.OneVsRestClassifier(made)
    if model in SCALED and not stream.sparse:
        made = preprocessing.StandardScaler() | made
    return _of_classes(made) if stream.several else _of_two(made)


def _of_two(made: Any) -> Step:
    def step(x: dict[str, float], positive: bool) -> Guess:
        shares = made.predict_proba_one(x)
        made.learn_one(x, positive)
        if not shares:
            return Guess(False, 0.5, 0.5)
        probability = shares.get(True, 0.0)
        return Guess(bool(max(shares, key=shares.get)), probability, probability)

    return step


def _of_classes(made: Any) -> Step:
    def step(x: dict[str, float], label: int) -> Guess:
        guess = made.predict_one(x)
        made.learn_one(x, label)
        return Guess(guess)

    return step
