"""The peers, all at their defaults. Neither they nor driftline's learners are tuned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from error.stored import Stream

MODULES = {
    "river": "error.peers.river_models",
    "scikit-learn": "error.peers.sklearn_models",
    "vowpalwabbit": "error.peers.vw_models",
}
"""The module that creates the learners of a package.

Only processes of the peers' environment import it.
"""


@dataclass(frozen=True)
class Rival:
    """The peer `model` of `package`.

    Slow peers take about a millisecond per example, and run two at a time. `only` limits a peer to
    dense or to sparse streams.
    """

    name: str
    package: str
    model: str
    slow: bool = False
    only: Literal["", "dense", "sparse"] = ""

    def suits(self, stream: Stream) -> bool:
        """Whether the peer takes part on a stream."""
        return self.only in ("", "sparse" if stream.sparse else "dense")


ARF = Rival("river ARF, 10 trees", "river", "ARFClassifier", slow=True)
RIVER_PA = Rival("river PA", "river", "PAClassifier")

RIVALS = (
    ARF,
    Rival("river SRP, 10 trees", "river", "SRPClassifier", slow=True),
    Rival("river Hoeffding adaptive tree", "river", "HoeffdingAdaptiveTreeClassifier", slow=True),
    Rival("river 5 nearest neighbours", "river", "KNNClassifier", slow=True, only="dense"),
    Rival("river 5 neighbours, last 500 rows", "river", "KNNClassifier-500", slow=True, only="dense"),
    Rival("river logistic regression", "river", "LogisticRegression"),
    RIVER_PA,
    Rival("river Gaussian naive Bayes", "river", "GaussianNB", only="dense"),
    Rival("river multinomial naive Bayes", "river", "MultinomialNB", only="sparse"),
    Rival("river Bernoulli naive Bayes", "river", "BernoulliNB", slow=True, only="sparse"),
    Rival("scikit-learn SGD, hinge", "scikit-learn", "SGDClassifier", slow=True),
    Rival("scikit-learn SGD, log loss", "scikit-learn", "LogisticSGD", slow=True),
    Rival("scikit-learn PA-I", "scikit-learn", "SGDClassifier-pa1", slow=True),
    Rival("scikit-learn Perceptron", "scikit-learn", "Perceptron", slow=True),
    Rival("Vowpal Wabbit", "vowpalwabbit", "default"),
    Rival("Vowpal Wabbit --coin", "vowpalwabbit", "coin"),
)
