"""One row at a time for the tracker, whose thirty arrays go to the compiled loops by one address."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.engines.state import LABEL, SCORE, WEIGHT
from driftline.engines.tracker.state import DESK, MEMBERS, MOMENTS, VOTERS, Bank, Council, Desk, Views
from driftline.engines.tracker.tracker_engine import learn, test
from driftline.internals.compiled import Floats, brief, direct, inlined
from driftline.internals.numeric.addresses import array_at, by_address
from driftline.internals.rows import Rows

if TYPE_CHECKING:
    from driftline.engines.tracker.tracker_engine import TrackerEngine

ONE = np.uint64(1)


@inlined
def floats_at(book: int, k: int) -> Any:
    """Array number k, flat."""
    return array_at(book, k, 0.0)


@inlined
def table_at(book: int, k: int, rows: int) -> Any:
    """Array number k, of so many rows."""
    flat = array_at(book, k, 0.0)
    return flat.reshape(rows, flat.size // rows)


@inlined
def shares_at(book: int, k: int) -> Any:
    """Array number k, a row for each pair of rates."""
    flat = array_at(book, k, 0.0)
    return flat.reshape(flat.size // VOTERS, VOTERS)


@inlined
def views_at(book: int) -> Any:
    """Arrays 1 to 4."""
    return Views(array_at(book, 1, np.uint32(0)), floats_at(book, 2), table_at(book, 3, MOMENTS), table_at(book, 4, 3))


@inlined
def bank_at(book: int) -> Any:
    """Arrays 5 to 13."""
    return Bank(
        floats_at(book, 5),
        floats_at(book, 6),
        floats_at(book, 7),
        floats_at(book, 8),
        table_at(book, 9, 4),
        table_at(book, 10, 4),
        table_at(book, 11, 2),
        table_at(book, 12, 2),
        floats_at(book, 13),
    )


@inlined
def council_at(book: int) -> Any:
    """Arrays 14 to 18."""
    return Council(
        shares_at(book, 14), table_at(book, 15, 3), floats_at(book, 16), floats_at(book, 17), floats_at(book, 18)
    )


@inlined
def desk_at(book: int) -> Any:
    """Arrays 19 to 29."""
    return Desk(
        table_at(book, 19, DESK),
        table_at(book, 20, 2),
        array_at(book, 21, np.uint32(0)),
        table_at(book, 22, 2),
        floats_at(book, 23),
        floats_at(book, 24),
        floats_at(book, 25),
        floats_at(book, 26),
        floats_at(book, 27),
        floats_at(book, 28),
        shares_at(book, 29),
    )


@inlined
def width_at(book: int) -> int:
    """Array 35: the width of a dense row, 0 of a sparse one."""
    return int(array_at(book, 35, 0.0)[0])


@brief
def learn_row(book: int, y: float) -> float:
    """``learn`` of one row with label y and weight 1; return its score."""
    trial = array_at(book, 34, 0.0).reshape(4, 1)
    trial[LABEL, 0] = y
    trial[WEIGHT, 0] = 1.0
    learn(
        array_at(book, 30, 0.0),
        array_at(book, 0, 0.0),
        views_at(book),
        bank_at(book),
        council_at(book),
        desk_at(book),
        width_at(book),
        array_at(book, 31, ONE),
        array_at(book, 32, np.uint32(0)),
        array_at(book, 33, 0.0),
        trial,
        np.zeros((0, 0), np.int8),
    )
    return trial[SCORE, 0]


@brief
def score_row(book: int) -> float:
    """``score`` of one row."""
    indptr, here, there = array_at(book, 31, ONE), array_at(book, 32, np.uint32(0)), array_at(book, 33, 0.0)
    own, dense = array_at(book, 0, 0.0), width_at(book) > 0
    if not dense:
        here, there = here[indptr[0] : indptr[1]], there[indptr[0] : indptr[1]]
    return test(own, views_at(book), bank_at(book), council_at(book), desk_at(book), dense, here, there)


class Slate:
    """A row that is written over again and again, and the tracker's arrays as long as they are the same ones."""

    def __init__(self, engine: TrackerEngine, row: Rows, trial: Floats) -> None:
        self.engine, self.row, self.trial = engine, row, trial
        self.parts: tuple[Any, ...] = ()

    def _same(self) -> bool:
        """Whether the arrays are those whose addresses are known."""
        engine, parts = self.engine, self.parts
        return (
            bool(parts)
            and parts[0] is engine.own
            and parts[1] is engine.views
            and parts[2] is engine.bank
            and parts[3] is engine.council
            and parts[4] is engine.desk
            and parts[5] is engine.state
        )

    def _address(self) -> None:
        """Make room for any row that may be written here, and take the addresses of all arrays."""
        engine = self.engine
        width, *row = engine.given(self.row, slate=True)
        self.parts = engine.own, engine.views, engine.bank, engine.council, engine.desk, engine.state
        arrays = (engine.own, *engine.views, *engine.bank, *engine.council, *engine.desk, engine.state)
        given = (*arrays, *row, self.trial, np.array([float(width)]))
        self.learn_at: Callable[[float], float] = by_address(direct(learn_row, 0, 1.0), (), given)
        self.score_at: Callable[[], float] = by_address(direct(score_row, 0), (), given)
        self.members = engine.own.item(MEMBERS)

    def learn(self, y: float) -> float:
        """Learn the row that is written here now; return its score before that."""
        if not self._same():
            self._address()
        score = self.learn_at(y)
        if self.engine.own.item(MEMBERS) != self.members:
            self.engine.let_go()
        return score

    def score(self) -> float:
        """Score the row that is written here now."""
        if not self._same():
            self._address()
        return self.score_at()
