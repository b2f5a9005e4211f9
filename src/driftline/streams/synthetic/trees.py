"""A random tree as the target, redrawn at regular intervals, at once or with a transition.

    y_t = the class of the leaf of x_t in tree number t // every,    x_t uniform in [0, 1]^d
    In the first ``transition`` rounds of an interval, round j = 1, 2, ... takes the previous tree
    with probability 1 - j / (transition + 1).

Domingos, Hulten. Mining High-Speed Data Streams. KDD 2000, section 4.1 (random trees as targets).
Differs from the paper: features are real, not Boolean. Trees are complete, and leaves are dealt to
the classes so that these have similar shares (`random_tree.py`). The paper has no drift.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftline.streams.synthetic import parameters
from driftline.streams.synthetic.class_labels import as_labels
from driftline.streams.synthetic.label_noise import replaced
from driftline.streams.synthetic.random_tree import random_tree
from driftline.streams.synthetic.stream import UNIT, Labels, Matrix, Stream, Vector

EXAMPLES, TARGETS = 0, 1
DEEPEST = 12


class SwitchingTrees(Stream[Matrix]):
    """Labels by a random axis-parallel tree that is redrawn every ``every`` rounds: sudden drift.

    With a ``transition``, the old and the new tree are mixed for some rounds: gradual drift. The
    shares of two classes differ by at most ``0.75**depth``. Outside of transitions, the error of
    the best rule is ``noise``, if this is at most ``1 - 1 / classes``.

    Parameters
    ----------
    n : int or None, default=10_000
        Number of examples; None for an endless stream.
    d : int, default=10
        Number of features.
    classes : int, default=4
        Number of classes, at least 2. The labels are 0 to ``classes - 1``; with two classes they
        are -1.0 and +1.0.
    depth : int, default=5
        Number of cuts between the root and a leaf, from 1 to 12. There are ``2**depth`` leaves, at
        least one per class.
    every : int, default=1000
        Number of rounds between two switches: round t has the tree number ``t // every``.
    transition : int, default=0
        Number of rounds after a switch in which some labels come from the previous tree, with a
        probability that decreases linearly from 1 to 0; at most ``every``. 0 switches at once.
    noise : float, default=0.0
        Probability that a label is replaced by another class, in [0, 1).
    seed : int, default=0
        Determines every example.
    block : int, default=1000
        Number of rows in a block.

    Examples
    --------
    >>> import numpy as np
    >>> stream = SwitchingTrees(n=2000, d=5, classes=3, seed=1)
    >>> (X, y), _ = stream
    >>> bool((y == stream.target(X, 0)).all())
    True
    >>> float(np.mean(y == stream.target(X, 1000))) < 0.6  # the next tree
    True
    """

    def __init__(
        self,
        n: int | None = 10_000,
        d: int = 10,
        *,
        classes: int = 4,
        depth: int = 5,
        every: int = 1000,
        transition: int = 0,
        noise: float = 0.0,
        seed: int = 0,
        block: int = 1000,
    ) -> None:
        super().__init__(n, seed=seed, block=block)
        self.d = parameters.whole(self._where, "d", d, 1)
        self.classes = parameters.whole(self._where, "classes", classes, 2)
        self.depth = parameters.whole(self._where, "depth", depth, 1)
        parameters.require(self.depth <= DEEPEST, self._where, f"depth must be <= {DEEPEST}", depth)
        parameters.require(
            self.classes <= 2**self.depth,
            self._where,
            f"classes must be <= {2**self.depth}, the number of leaves",
            classes,
            "Use fewer classes or a larger depth.",
        )
        self.every = parameters.whole(self._where, "every", every, 1)
        self.transition = parameters.whole(self._where, "transition", transition, 0)
        parameters.require(
            self.transition <= self.every, self._where, f"transition must be <= every = {self.every}", transition
        )
        self.noise = parameters.fraction(self._where, "noise", noise)

    def target(self, X: ArrayLike, t: ArrayLike) -> Labels:
        """Return the label of each row of X by tree number ``t // every``, without noise.

        Parameters
        ----------
        X : array of shape (rows, d)
            Examples.
        t : int or array of ints
            The round, or one round per row; the first is 0.

        Returns
        -------
        array
            One label per row.
        """
        points = parameters.examples(self._where, X, self.d)
        number = parameters.rounds_of_rows(self._where, t, len(points)) // self.every
        return as_labels(self._class_of(points, number), self.classes)

    def _class_of(self, X: Matrix, number: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the class of each row by the tree with its number; each tree has its own generator."""
        found = np.empty(len(X), dtype=np.int64)
        for k in np.unique(number):
            rows = number == k
            tree = random_tree(self._rng(TARGETS, int(k)), self.d, self.classes, self.depth)
            found[rows] = tree.class_of(X[rows])
        return found

    def _pieces(self) -> Iterator[tuple[Matrix, Labels]]:
        rng = self._rng(EXAMPLES)
        for t in count(0, UNIT):
            X = rng.random((UNIT, self.d))
            number = self._tree_numbers(np.arange(t, t + UNIT), rng.random(UNIT))
            yield X, as_labels(replaced(rng, self._class_of(X, number), self.classes, self.noise), self.classes)

    def _tree_numbers(self, t: NDArray[np.int64], u: Vector) -> NDArray[np.int64]:
        """Return the number of the tree of each round, given uniform random numbers u in [0, 1)."""
        number, j = t // self.every, t % self.every + 1
        earlier = (number > 0) & (u >= j / (self.transition + 1.0))
        return number - earlier
