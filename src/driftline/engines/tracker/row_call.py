"""Learn or score one row with the loops of the tracker: one address table replaces all arrays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.engines.calibration.mixture import STAYS, Mixture
from driftline.engines.calibration.regressions import Regressions
from driftline.engines.state import LABEL, SCORE, WEIGHT
from driftline.engines.tracker.calibration import Calibration, probability
from driftline.engines.tracker.rounds import learn, test
from driftline.engines.tracker.state import (
    MEMBERS,
    MOMENTS,
    ROUNDS,
    VOTERS,
    WORKSPACE_ROWS,
    Bank,
    Views,
    Voting,
    Workspace,
)
from driftline.internals.compiled import Floats, brief, direct, inlined
from driftline.internals.numeric.addresses import array_at, by_address
from driftline.internals.rows import Rows

if TYPE_CHECKING:
    from driftline.engines.tracker.tracker_engine import TrackerEngine

ONE = np.uint64(1)


@inlined
def floats_at(addresses: int, k: int) -> Any:
    """Array number k, flat."""
    return array_at(addresses, k, 0.0)


@inlined
def table_at(addresses: int, k: int, rows: int) -> Any:
    """Array number k, reshaped to ``rows`` rows."""
    flat = array_at(addresses, k, 0.0)
    return flat.reshape(rows, flat.size // rows)


@inlined
def shares_at(addresses: int, k: int) -> Any:
    """Array number k, with a row for each pair of rates."""
    flat = array_at(addresses, k, 0.0)
    return flat.reshape(flat.size // VOTERS, VOTERS)


@inlined
def views_at(addresses: int) -> Any:
    """Arrays 1 to 4."""
    return Views(
        array_at(addresses, 1, np.uint32(0)),
        floats_at(addresses, 2),
        table_at(addresses, 3, MOMENTS),
        table_at(addresses, 4, 3),
    )


@inlined
def bank_at(addresses: int) -> Any:
    """Arrays 5 to 13."""
    return Bank(
        floats_at(addresses, 5),
        floats_at(addresses, 6),
        floats_at(addresses, 7),
        floats_at(addresses, 8),
        table_at(addresses, 9, 4),
        table_at(addresses, 10, 4),
        table_at(addresses, 11, 2),
        table_at(addresses, 12, 2),
        floats_at(addresses, 13),
    )


@inlined
def voting_at(addresses: int) -> Any:
    """Arrays 14 to 18."""
    return Voting(
        shares_at(addresses, 14),
        table_at(addresses, 15, 3),
        floats_at(addresses, 16),
        floats_at(addresses, 17),
        floats_at(addresses, 18),
    )


@inlined
def workspace_at(addresses: int) -> Any:
    """Arrays 19 to 30."""
    return Workspace(
        table_at(addresses, 19, WORKSPACE_ROWS),
        table_at(addresses, 20, 2),
        array_at(addresses, 21, np.uint32(0)),
        table_at(addresses, 22, 2),
        floats_at(addresses, 23),
        floats_at(addresses, 24),
        floats_at(addresses, 25),
        floats_at(addresses, 26),
        floats_at(addresses, 27),
        floats_at(addresses, 28),
        floats_at(addresses, 29),
        shares_at(addresses, 30),
    )


@inlined
def regressions_at(addresses: int, k: int) -> Any:
    """Arrays k to k + 3."""
    return Regressions(
        floats_at(addresses, k),
        floats_at(addresses, k + 1),
        floats_at(addresses, k + 2),
        floats_at(addresses, k + 3),
    )


@inlined
def calibration_at(addresses: int) -> Any:
    """Arrays 37 to 48."""
    return Calibration(
        regressions_at(addresses, 37),
        regressions_at(addresses, 41),
        Mixture(
            table_at(addresses, 45, len(STAYS)),
            floats_at(addresses, 46),
            floats_at(addresses, 47),
            floats_at(addresses, 48),
        ),
    )


@inlined
def width_at(addresses: int) -> int:
    """Array 36: the width of a dense row, 0 for a sparse row."""
    return int(array_at(addresses, 36, 0.0)[0])


@brief
def learn_row(addresses: int, y: float) -> float:
    """``learn`` of one row with label y and weight 1; return its score."""
    flat = array_at(addresses, 35, 0.0)
    trial = flat.reshape(flat.size, 1)
    trial[LABEL, 0] = y
    trial[WEIGHT, 0] = 1.0
    learn(
        array_at(addresses, 31, 0.0),
        array_at(addresses, 0, 0.0),
        views_at(addresses),
        bank_at(addresses),
        voting_at(addresses),
        calibration_at(addresses),
        workspace_at(addresses),
        width_at(addresses),
        array_at(addresses, 32, ONE),
        array_at(addresses, 33, np.uint32(0)),
        array_at(addresses, 34, 0.0),
        trial,
        np.zeros((0, 0), np.int8),
    )
    return trial[SCORE, 0]


@inlined
def tested(addresses: int) -> tuple[float, int]:
    """``test`` of one row."""
    indptr, here, there = (
        array_at(addresses, 32, ONE),
        array_at(addresses, 33, np.uint32(0)),
        array_at(addresses, 34, 0.0),
    )
    own, dense = array_at(addresses, 0, 0.0), width_at(addresses) > 0
    if not dense:
        here, there = here[indptr[0] : indptr[1]], there[indptr[0] : indptr[1]]
    return test(
        own, views_at(addresses), bank_at(addresses), voting_at(addresses), workspace_at(addresses), dense, here, there
    )


@brief
def score_row(addresses: int) -> float:
    """``score`` of one row."""
    return tested(addresses)[0]


@brief
def estimate_row(addresses: int) -> float:
    """``estimate`` of one row."""
    score, left = tested(addresses)
    return probability(
        calibration_at(addresses), workspace_at(addresses), left, score, array_at(addresses, 0, 0.0)[ROUNDS]
    )


class RowCall:
    """Learn and score a row in arrays that the caller overwrites before each call.

    The addresses of the arrays of the tracker are looked up again only if the engine has replaced
    one of them.
    """

    def __init__(self, engine: TrackerEngine, row: Rows, trial: Floats) -> None:
        self.engine, self.row, self.trial = engine, row, trial
        self.parts: tuple[Any, ...] = ()
        self.estimate_at: Callable[[], float] | None = None  # compiled when it is first asked for

    def _same(self) -> bool:
        """Whether the engine still has the arrays of the last lookup."""
        engine, parts = self.engine, self.parts
        return (
            bool(parts)
            and parts[0] is engine.own
            and parts[1] is engine.views
            and parts[2] is engine.bank
            and parts[3] is engine.voting
            and parts[4] is engine.calibration
            and parts[5] is engine.workspace
            and parts[6] is engine.state
        )

    def _look_up(self) -> None:
        """Make room for any row that these arrays can hold, and look up all addresses."""
        engine = self.engine
        width, *row = engine.given(self.row, reused=True)
        calibration = engine.calibration
        self.parts = engine.own, engine.views, engine.bank, engine.voting, calibration, engine.workspace, engine.state
        arrays = (engine.own, *engine.views, *engine.bank, *engine.voting, *engine.workspace, engine.state)
        given = (*arrays, *row, self.trial, np.array([float(width)]), *chain.from_iterable(calibration))
        self.learn_at: Callable[[float], float] = by_address(direct(learn_row, 0, 1.0), (), given)
        self.score_at: Callable[[], float] = by_address(direct(score_row, 0), (), given)
        self.given, self.estimate_at = given, None
        self.members = engine.own.item(MEMBERS)

    def learn(self, y: float) -> float:
        """Learn the current content of the row; return its score before the update."""
        if not self._same():
            self._look_up()
        score = self.learn_at(y)
        if self.engine.own.item(MEMBERS) != self.members:
            self.engine.drop_unused()
        return score

    def score(self) -> float:
        """Score the current content of the row."""
        if not self._same():
            self._look_up()
        return self.score_at()

    def probability(self) -> float:
        """The probability of +1 for the current content of the row."""
        if not self._same():
            self._look_up()
        if self.estimate_at is None:
            self.estimate_at = by_address(direct(estimate_row, 0), (), self.given)
        return self.estimate_at()
