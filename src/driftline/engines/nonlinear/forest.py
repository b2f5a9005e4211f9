"""Two forests of Hoeffding trees: one that never forgets, and one whose trees are replaced.

Each tree learns every row with a weight drawn from a Poisson distribution of mean 6. A leaf has a
random subset of the features, with the mean and the variance of each of them in each class. It
predicts by its counts or by naive Bayes, whichever was right more often (``forest_tree``). It is
split if the gain of its best feature exceeds that of the second by the Hoeffding bound
(``forest_split``). The members vote with the weights (1 - running error)^4 (``forest_rows``).

The first forest has five trees of at most 255 nodes. The second has five trees of at most 127
nodes. Each of them is replaced every 4,000 rows by a tree that was started at the previous
replacement; the replacements of different trees are 800 rows apart.

Domingos, Hulten. Mining high-speed data streams. KDD 2000, section 2 (the bound, ties).
Gama, Rocha, Medas. Accurate decision trees for mining high-speed data streams. KDD 2003, sections
3.1 and 3.2 (Gaussian splits, naive Bayes in leaves).
Gomes et al. Adaptive random forests for evolving data stream classification. Machine Learning 106
(2017), section 3 (Poisson(6), subsets of features in leaves, background trees).
Differs from the papers: trees are replaced by age, not by a drift detector. A member votes with
the fourth power of its running accuracy. Children start with a fifth of the weights of their leaf.
Logarithms of naive Bayes are divided by m / 4 for m > 4 features. A failed test of a split
determines when the next one is due. A leaf that was made when fewer features were known gets a new
subset of features once leaves have more of them. The number of records of a tree is limited: a
leaf of a tree at the limit learns no row of a class that is new to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from driftline.engines.array_checks import Arrays, only
from driftline.engines.nonlinear.forest_attribution import contributions
from driftline.engines.nonlinear.forest_files import restored, roomy, saved
from driftline.engines.nonlinear.forest_rows import learn_rows
from driftline.engines.nonlinear.forest_state import (
    MOST_FEATURES,
    PLANS,
    Counts,
    Trees,
    new_trees,
    new_workspace,
)
from driftline.internals.compiled import Floats

PREFIXES = ("static", "replaced")
"""What the names of the arrays of each forest start with."""


class Forest:
    """Class shares of two forests of Hoeffding trees, for at most ``MOST_FEATURES`` features.

    Each forest needs less than 32 MB, for any number of rows and classes. The workspace of both
    needs 56 bytes per class.
    """

    experts: ClassVar[int] = 2
    names: ClassVar[tuple[str, ...]] = ("forest", "replaced forest")

    def __init__(self) -> None:
        self.features = self.classes = 0
        self.forests = tuple(new_trees(plan) for plan in PLANS)
        self.workspace = new_workspace(0, 0)

    def make_room(self, features: int, classes: int) -> Callable[[], None]:
        """Allocate arrays for at least this many features and classes.

        Parameters
        ----------
        features : int
            Number of features, at most ``MOST_FEATURES``.
        classes : int
            Number of classes.

        Returns
        -------
        callable
            Puts the arrays in place.
        """
        if features > MOST_FEATURES:
            raise ValueError(f"Forest: features must be <= {MOST_FEATURES}, got {features}")
        features, classes = max(features, self.features), max(classes, self.classes)
        if (features, classes) == (self.features, self.classes):
            return lambda: None
        forests = tuple(roomy(trees, plan, features, classes) for trees, plan in zip(self.forests, PLANS, strict=True))
        workspace = new_workspace(features, classes)

        def place() -> None:
            self.features, self.classes = features, classes
            self.forests, self.workspace = forests, workspace

        return place

    def learn(self, Z: Floats, known: Counts, y: Counts, w: Floats, scores: Floats) -> None:
        """Write the class shares of each row, then learn the row.

        Parameters
        ----------
        Z : array of shape (rows, width)
            Standardised rows in [-5, 5].
        known : array of shape (rows,)
            Number of known features at each row.
        y : array of shape (rows,)
            Class of each row, from 0.
        w : array of shape (rows,)
            Weight of each row; rows of weight 0 are not learned.
        scores : array of shape (rows, 2, classes)
            Receives the shares of both forests.
        """
        for trees, plan in zip(self.forests, PLANS, strict=True):
            learn_rows(trees, plan, Z, known, y, w, self.workspace, scores)

    def score(self, Z: Floats, known: Counts, scores: Floats) -> None:
        """Write the class shares of each row, as ``learn`` does, without learning.

        Parameters
        ----------
        Z, known, scores
            As in ``learn``.
        """
        self.learn(Z, known, np.zeros(len(Z), np.int64), np.zeros(len(Z)), scores)

    def attribute(self, z: Floats, known: int) -> Floats:
        """The contributions of the features to the class shares of one row.

        Parameters
        ----------
        z : array of shape (width,)
            A standardised row.
        known : int
            Number of known features.

        Returns
        -------
        array of shape (2, classes, 1 + known)
            The constant, then each feature. The sum over the last axis is the share.
        """
        return np.stack(
            [
                contributions(trees, plan, z, known, self.classes)
                for trees, plan in zip(self.forests, PLANS, strict=True)
            ]
        )

    def arrays(self) -> Arrays:
        """The learned arrays, with spare room."""
        return _named([trees._asdict() for trees in self.forests])

    def saved(self) -> Arrays:
        """The learned arrays without spare room, for a model file."""
        return _named([saved(trees) for trees in self.forests])

    def restore(self, features: int, classes: int, arrays: Arrays) -> None:
        """Take over arrays of ``saved``.

        Parameters
        ----------
        features, classes : int
            Number of known features and of classes.
        arrays : dict
            Arrays by name; ValueError if no forest can have them.
        """
        if features > MOST_FEATURES:
            raise ValueError(f"a forest of {features} features, expected at most {MOST_FEATURES}")
        only(arrays, *(f"{prefix}_{name}" for prefix in PREFIXES for name in Trees._fields))
        forests = []
        for prefix, plan in zip(PREFIXES, PLANS, strict=True):
            own = {name: arrays[f"{prefix}_{name}"] for name in Trees._fields}
            forests.append(roomy(restored(plan, features, classes, own), plan, features, classes))
        if forests[0].learned[0] != forests[1].learned[0]:
            raise ValueError("forests that have learned different numbers of rows")
        workspace = new_workspace(features, classes)
        self.features, self.classes = features, classes
        self.forests, self.workspace = tuple(forests), workspace


def _named(forests: list[Arrays]) -> Arrays:
    """All arrays by their names in model files."""
    pairs = zip(PREFIXES, forests, strict=True)
    return {f"{prefix}_{name}": array for prefix, own in pairs for name, array in own.items()}
