"""The peers, every one at its defaults: nothing is tuned, neither theirs nor ours."""

from __future__ import annotations

from dataclasses import dataclass

MODULES = {
    "river": "error.peers.river_models",
    "scikit-learn": "error.peers.sklearn_models",
    "vowpalwabbit": "error.peers.vw_models",
}
"""Where a package's learners are made; only a process of the peers' own environment imports it."""


@dataclass(frozen=True)
class Rival:
    """`model` of `package`. Slow ones take about a millisecond an example and run two at a time."""

    name: str
    package: str
    model: str
    slow: bool = False


ARF = Rival("river ARF, 10 trees", "river", "ARFClassifier", slow=True)
RIVER_PA = Rival("river PA", "river", "PAClassifier")

RIVALS = (
    ARF,
    Rival("river SRP, 10 trees", "river", "SRPClassifier", slow=True),
    Rival("river Hoeffding adaptive tree", "river", "HoeffdingAdaptiveTreeClassifier", slow=True),
    Rival("river 5 nearest neighbours", "river", "KNNClassifier", slow=True),
    Rival("river logistic regression", "river", "LogisticRegression"),
    RIVER_PA,
    Rival("scikit-learn SGD, hinge", "scikit-learn", "SGDClassifier", slow=True),
    Rival("scikit-learn Perceptron", "scikit-learn", "Perceptron", slow=True),
    Rival("Vowpal Wabbit", "vowpalwabbit", "default"),
    Rival("Vowpal Wabbit --coin", "vowpalwabbit", "coin"),
)
