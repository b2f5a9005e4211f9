"""Waves: the expert on random Fourier features, whose rule and loops are in ``wave_arow.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from driftline.engines.array_checks import Arrays, finite, of_shape, only, within
from driftline.engines.nonlinear.nearest import Integers
from driftline.engines.nonlinear.wave_arow import (
    FIRST,
    PLACES,
    SIZE,
    WAVES,
    WIDTH,
    Bank,
    fill_phases,
    learn_rows,
    score_rows,
)
from driftline.internals.compiled import Floats
from driftline.internals.numeric.triangular import column


def below_diagonal() -> np.ndarray:
    """Which places of P are on or below the diagonal, and which of them are on it."""
    kinds = np.zeros(PLACES, np.int64)
    for i in range(SIZE):
        kinds[column(i) : column(i) + i] = 1
        kinds[column(i) + i] = 2
    return kinds


ENTRIES = below_diagonal()


def new_bank(features: int, classes: int) -> Bank:
    """The arrays before the first row, with room for these features and classes."""
    return Bank(
        frequencies=np.zeros((features, WIDTH)),
        weights=np.zeros((FIRST + classes, WIDTH)),
        variances=np.where(ENTRIES == 2, 1.0, 0.0),
        seen=np.zeros(classes, np.int64),
        drawn=np.zeros(1, np.int64),
    )


class Waves:
    """One expert that writes a score per class: full AROW on 100 random cosines.

    Memory: 0.15 MB and 832 bytes per class, for any number of rows. Features beyond the first 128
    are ignored.

    Examples
    --------
    >>> family = Waves()
    >>> family.make_room(features=1, classes=2)()
    >>> Z, known, y = np.array([[1.0], [-1.0], [0.9]]), np.ones(3, np.int64), np.array([1, 0, 1])
    >>> scores = np.empty((3, 1, 2))
    >>> family.learn(Z, known, y, np.ones(3), scores)
    >>> bool(scores[2, 0, 1] > 0.0), bool(scores[2, 0, 0] == -scores[2, 0, 1])
    (True, True)
    """

    experts: ClassVar[int] = 1
    names: ClassVar[tuple[str, ...]] = ("waves",)
    limit: ClassVar[int] = 128

    def __init__(self) -> None:
        self.bank = new_bank(0, 0)
        self.phases = np.zeros(WIDTH)
        fill_phases(self.phases)

    def make_room(self, features: int, classes: int) -> Callable[[], None]:
        """Allocate arrays for at least these; the returned function puts them in place."""
        bank, asked = self.bank, min(features, self.limit)
        room, known = bank.frequencies.shape[0], bank.seen.size
        if asked > room or classes > known:
            made = new_bank(max(asked, room), max(classes, known))
            made.frequencies[:room], made.weights[: FIRST + known], made.seen[:known] = bank[0], bank[1], bank.seen
            bank = made._replace(variances=bank.variances, drawn=bank.drawn)

        def put() -> None:
            self.bank = bank

        return put

    def learn(self, Z: Floats, known: Integers, y: Integers, w: Floats, scores: Floats) -> None:
        """Write the scores of each row before the row is learned."""
        learn_rows(self.bank, self.phases, self.limit, Z, known, y, w, scores)

    def score(self, Z: Floats, known: Integers, scores: Floats) -> None:
        """Write the scores of each row."""
        score_rows(self.bank, self.phases, Z, known, scores)

    def attribute(self, z: Floats, known: int) -> tuple[np.ndarray, ...]:
        """An empty tuple: a cosine mixes all features, so the expert is one term."""
        return ()

    def arrays(self) -> Arrays:
        """All arrays, with spare room."""
        return dict(self.bank._asdict())

    def saved(self) -> Arrays:
        """All arrays without spare room."""
        bank = self.bank
        top = int(np.flatnonzero(bank.seen).max(initial=-1)) + 1
        return {
            "frequencies": bank.frequencies[: bank.drawn[0], :WAVES].copy(),
            "weights": bank.weights[: FIRST + top, :SIZE].copy(),
            "variances": bank.variances.copy(),
            "seen": bank.seen[:top].copy(),
            "drawn": bank.drawn.copy(),
        }

    def restore(self, features: int, classes: int, arrays: Arrays) -> None:
        """Take over arrays from ``saved``; ValueError if no learner can have them."""
        only(arrays, *Bank._fields)
        room = min(features, self.limit)
        drawn = within("drawn", of_shape(arrays, "drawn", "int64", (1,)), 0, room)
        top = arrays["seen"].size
        seen = within("seen", of_shape(arrays, "seen", "int64", (top,)), 0, 1)
        if top > classes or (top > 0 and seen[-1] == 0):
            raise ValueError(f"{top} of {classes} classes")
        frequencies = finite("frequencies", of_shape(arrays, "frequencies", "float64", (int(drawn[0]), WAVES)))
        weights = finite("weights", of_shape(arrays, "weights", "float64", (FIRST + top, SIZE)))
        variances = finite("variances", of_shape(arrays, "variances", "float64", (PLACES,)))
        if variances[ENTRIES == 0].any():
            raise ValueError("variances above the diagonal")
        bank = new_bank(room, classes)
        bank.frequencies[: drawn[0], :WAVES], bank.weights[: FIRST + top, :SIZE] = frequencies, weights
        bank.variances[:], bank.seen[:top], bank.drawn[:] = variances, seen, drawn
        self.bank = bank
