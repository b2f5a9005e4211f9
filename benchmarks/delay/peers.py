"""The other libraries at their defaults, with predicting and learning apart.

Scaling and conversion of examples are those of the error benchmark. Only processes of the peers'
environment import this module.
"""

from __future__ import annotations

from typing import Any

from delay.loop import Learn, Predict


def river(model: str, seed: int) -> tuple[Predict, Learn]:
    """Return a learner of river; linear learners get its running StandardScaler."""
    from error.peers.river_models import PLAIN, SCALED
    from river import preprocessing

    made = PLAIN[model](seed) if model in PLAIN else preprocessing.StandardScaler() | SCALED[model](seed)
    return lambda x: bool(made.predict_one(x)), made.learn_one


def scikit_learn(model: str, seed: int) -> tuple[Predict, Learn]:
    """Return a learner of scikit-learn, after a StandardScaler that is fitted to the rows learned."""
    from error.peers.sklearn_models import CLASSES, LABELS, MODELS
    from sklearn.preprocessing import StandardScaler

    made, scaler = MODELS[model]().set_params(random_state=seed), StandardScaler()
    fitted = False

    def predict(x: Any) -> bool:
        return bool(made.predict(scaler.transform(x))[0]) if fitted else False

    def learn(x: Any, positive: bool) -> None:
        nonlocal fitted
        made.partial_fit(scaler.partial_fit(x).transform(x), LABELS[positive], classes=CLASSES)
        fitted = True

    return predict, learn
