"""The kernel engine: any two-number rule over a sum of support vectors, O(support vectors * features) a round.

Kernels with a code run in compiled loops. One that is a Python function, or a matrix, is asked for its values, and what
a round does with them is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, sqrt

import numpy as np

from driftline.engines.engine import LEARNED, Engine, of_shape, only
from driftline.engines.kernel.expansion import (
    FINE,
    FORGETRON,
    FULL,
    KEPT,
    MORE_ROOM,
    NO_SOLUTION,
    NOT_FINITE,
    NOT_UNIT,
    OVERFLOWN,
    PROJECTRON,
    SQUARE,
    TOO_LONG,
    C,
    Expansion,
    Plan,
    measured,
    spans,
    test,
    train,
)
from driftline.engines.kernel.expansion_state import CLOCK, DAMAGE, DROPPED, HEAD, LIVE, MISTAKES, PAGES, ROOM
from driftline.engines.kernel.kernel_columns import GAUSSIAN, LAPLACIAN, MULTILINEAR, TILE, column, square
from driftline.engines.state import BIAS, DUE, FIRST, LONGEST_SQ, NORM, SCALE, SEEN, SINCE, tally
from driftline.internals.compiled import Floats, Indices, Offsets, Params, inlined, jit
from driftline.internals.numeric.borrowed import borrowed
from driftline.internals.rows import DenseRows, Rows, length
from driftline.rules.kernel.kernelized import EVICT, Kernelized
from driftline.rules.kernel.kernels import NONE, Kernel, Linear, same
from driftline.rules.linear.shrunk_pa import ShrunkPA

NO_INDPTR = np.zeros(1, np.uint64)
NO_INDICES = np.zeros(1, np.uint32)
LARGEST = 1 << 31
"""Bytes that the support vectors may take."""
NO_SCORE = "must have a finite score, got weights that have overflowed. Take smaller parameters"
START = 16
"""Support vectors for which there is room at first."""


@inlined
def first_of(kernel: int, bias: float) -> float:
    """What the constant feature adds to (or multiplies) the sum over features."""
    if kernel == MULTILINEAR:
        return 1.0 + bias * bias
    return 0.0 if kernel in (GAUSSIAN, LAPLACIAN) else bias * bias


@inlined
def fill(kernel: int, x: Floats, n: int, width: int, indptr: Offsets, indices: Indices, values: Floats, i: int) -> None:
    """Row i as x. Dense rows have ``width`` values each, one after the other; sparse ones have width 0.

    An index comes twice only if it stands for features that are unknown: these are one, as far from 0 as all of them.
    """
    if width > 0:
        for j in range(width):
            x[j] = values[i * width + j]
        return
    for j in range(n):
        x[j] = 0.0
    for j in range(indptr[i], indptr[i + 1]):
        k = indices[j]
        if x[k] == 0.0:
            x[k] = values[j]
        elif kernel == LAPLACIAN:
            x[k] = abs(x[k]) + abs(values[j])
        else:
            x[k] = sqrt(x[k] * x[k] + values[j] * values[j])


@inlined
def weighed(
    kernel: int,
    params: Params,
    book: Floats,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    x: Floats,
    n: int,
    first: float,
) -> float:
    """Write k(x, z) for all support vectors z into ``k``; return sum c_z k(x, z)."""
    wrapped, start, stop = spans(book)
    dot = column(kernel, params, tiles, slots, k, start, stop, x, n, first)
    if wrapped > 0:
        dot += column(kernel, params, tiles, slots, k, 0, wrapped, x, n, first)
    return dot


@jit
def weighed_slot(
    kernel: int,
    params: Params,
    book: Floats,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    slot: int,
    z: Floats,
    n: int,
    first: float,
) -> float:
    """sum c_z k(x, z) where x is the support vector of a slot."""
    for i in range(n):
        z[i] = tiles[slot // TILE, i, slot % TILE]
    return weighed(kernel, params, book, tiles, slots, k, z, n, first)


@jit
def square_of_all(
    kernel: int,
    params: Params,
    book: Floats,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    z: Floats,
    n: int,
    first: float,
) -> float:
    """|sum c_z phi(z)|^2."""
    total = 0.0
    for slot in range(int(book[ROOM])):
        if slots[C, slot] != 0.0:
            dot = weighed_slot(kernel, params, book, tiles, slots, k, slot, z, n, first)
            total += slots[C, slot] * dot
    return total


@jit
def learn(
    kernel: int,
    params: Params,
    plan: Plan,
    state: Floats,
    E: Expansion,
    x: Floats,
    z: Floats,
    n: int,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    start: int,
) -> tuple[int, int]:
    """Test, then train on each row from ``start`` on; return where it stopped, and why.

    The rounds are counted here, unless it is going to be called again: whoever is interrupted has learned them or not.
    """
    book, tiles, slots = borrowed(E.book), borrowed(E.tiles), borrowed(E.slots)
    lower, k, other = borrowed(E.lower), borrowed(E.k), borrowed(E.other)
    state, trials, x, z, values = borrowed(state), borrowed(trials), borrowed(x), borrowed(z), borrowed(values)
    indptr, indices = borrowed(indptr), borrowed(indices)
    first = first_of(kernel, state[BIAS])
    done, status = trials.shape[1], FINE
    for i in range(start, trials.shape[1]):
        fill(kernel, x, n, width, indptr, indices, values, i)
        dot = weighed(kernel, params, book, tiles, slots, k, x, n, first)
        x_sq = square(kernel, params, x, n, first)
        status, due = OVERFLOWN if x_sq <= LONGEST_SQ else TOO_LONG, False
        if x_sq <= LONGEST_SQ and abs(state[SCALE] * dot) < np.inf:
            status, x_sq, shrink, tau, goes = test(plan, state, book, slots, trials, i, dot, x_sq)
            score = 0.0
            if status == FINE and goes >= 0 and plan.tracks:
                score = state[SCALE] * weighed_slot(kernel, params, book, tiles, slots, other, goes, z, n, first)
            if status == FINE:
                status, due = train(
                    plan,
                    state,
                    book,
                    tiles,
                    slots,
                    lower,
                    k,
                    other,
                    x,
                    n,
                    trials,
                    i,
                    dot,
                    x_sq,
                    shrink,
                    tau,
                    goes,
                    score,
                )
        if status != FINE:
            done = i
            break
        if due:
            w_sq = state[SCALE] ** 2 * square_of_all(kernel, params, book, tiles, slots, other, z, n, first)
            measured(state, book, slots, w_sq)
    if status != MORE_ROOM:
        tally(state, trials, done)
    return done, status


@jit
def score(
    kernel: int,
    params: Params,
    state: Floats,
    E: Expansion,
    x: Floats,
    n: int,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row."""
    book, tiles, slots, _, k, _ = E
    first = first_of(kernel, state[BIAS])
    for i in range(scores.size):
        fill(kernel, x, n, width, indptr, indices, values, i)
        dot = weighed(kernel, params, book, tiles, slots, k, x, width if width > 0 else n, first)
        scores[i] = state[SCALE] * dot


@jit
def in_order(c: Floats, k: Floats) -> float:
    """c.k, one after the other."""
    total = 0.0
    for j in range(c.size):
        total += c[j] * k[j]
    return total


class RefusedError(ValueError):
    """What a kernel answered cannot be used; the message says what must hold, and the remedy."""


def check_symmetry(there: Floats, back: Floats, x_sq: float, squares: Floats) -> None:
    """RefusedError unless k(x, z) is k(z, x) for all z, whose k(z, z) are ``squares``."""
    wrong = ~same(there, back, x_sq, squares)
    if wrong.any():
        z = int(np.argmax(wrong))
        raise RefusedError(f"must have k(x, z) = k(z, x), got {there[z]} and {back[z]}. Make it symmetric")


class KernelEngine(Engine):
    """A rule over support vectors: see ``expansion``."""

    def __init__(self, rule: Kernelized, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule.learner, bias, dtype)
        self.rule = rule
        self.kernel = rule.kernel
        self.params: Params = rule.kernel.params()
        evict = EVICT.index(rule.evict)
        never = rule.budget is None and rule.oldest is None
        self.plan = Plan(
            rule.learner.code,
            evict,
            int(rule.limit),
            rule.budget is not None,
            rule.oldest or 0,
            isinstance(rule.learner, ShrunkPA),
            rule.eta,
            np.uint64(rule.seed),
            rule.learner.tracks_norm or never or evict in (FORGETRON, PROJECTRON),
            rule.learner.tracks_norm,
        )
        self.features = 0
        self.all = _empty(0, 1, self.plan.evict == PROJECTRON)
        self.x, self.z = np.zeros(1), np.zeros(1)
        self.why = ""

    # room ---------------------------------------------------------------------------------------------------
    def reserve(self, features: int) -> None:
        """Have room for so many features, and for one more that is unknown; they may be fewer than before.

        Where there is no memory for them all is as before.
        """
        tiles = self.all.tiles
        if features >= tiles.shape[1]:
            size = max(features + 1, min(2 * tiles.shape[1], features + 1024))
            if 8 * len(tiles) * size * TILE > LARGEST:
                raise MemoryError
            wider, x, z = np.zeros((len(tiles), size, TILE)), np.zeros(size), np.zeros(size)
            wider[:, : tiles.shape[1]] = tiles
            self.all, self.x, self.z = self.all._replace(tiles=wider), x, z
        self.features = features

    def _more_room(self) -> bool:
        """Room for twice as many support vectors, the oldest first; False where they would take too much memory."""
        old = self.all
        room = min(self.plan.limit, max(START, 2 * int(old.book[ROOM])))
        projects = self.plan.evict == PROJECTRON
        if 8 * room * (old.tiles.shape[1] + (room if projects else 0)) > LARGEST:
            return False
        new = _empty(room, old.tiles.shape[1], projects)
        new.book[:] = old.book
        slots = self._slots()
        new.slots[:, : slots.size] = old.slots[:, slots]
        at = np.arange(slots.size)
        new.tiles[at // TILE, :, at % TILE] = old.tiles[slots // TILE, :, slots % TILE]
        new.lower[: len(old.lower), : len(old.lower)] = old.lower
        new.book[HEAD], new.book[ROOM] = 0.0, room
        self.all = new
        return True

    def _slots(self) -> np.ndarray:
        """The slots that are taken, from the oldest support vector to the newest."""
        head, live, room = (int(self.all.book[place]) for place in (HEAD, LIVE, ROOM))
        return np.asarray((head + np.arange(live)) % max(1, room))

    def vectors(self) -> Floats:
        """The features of each slot: zeros where it is free."""
        room = int(self.all.book[ROOM])
        tiles = self.all.tiles
        by_slot = tiles.transpose(0, 2, 1).reshape(-1, tiles.shape[1])
        return by_slot[:room, : self.features]

    @property
    def support(self) -> int:
        """How many support vectors there are."""
        return int(self.all.book[LIVE])

    # rounds -------------------------------------------------------------------------------------------------
    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; return how many were done."""
        done, status = 0, MORE_ROOM
        arrays = arrays_of(rows)
        while status == MORE_ROOM:
            if self.kernel.code != NONE:
                done, status = learn(
                    self.kernel.code, self.params, self.plan, self.state, self.all, self.x, self.z, self.features,
                    *arrays, trials, done,
                )  # fmt: skip
            else:
                done, status = self._learn_asked(rows, trials, done)
            if status == MORE_ROOM and not self._more_room():
                break
        if status != FINE:
            self._explain(status, rows, done)
        return done

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        if self.kernel.code == NONE:
            self._score_asked(rows, scores)
        else:
            score(
                self.kernel.code, self.params, self.state, self.all, self.x, self.features + 1, *arrays_of(rows), scores
            )

    def _row(self, rows: Rows, i: int) -> Floats:
        """Row i with all the features that are known."""
        fill(self.kernel.code, self.x, self.features + 1, *arrays_of(rows), i)
        return self.x[: self.features].copy()

    # kernels that are asked ---------------------------------------------------------------------------------
    def _learn_asked(self, rows: Rows, trials: Floats, start: int) -> tuple[int, int]:
        """``learn`` with a kernel that has no code."""
        E, state = self.all, self.state
        for i in range(start, trials.shape[1]):
            x = self._row(rows, i)
            try:
                check_number(self.kernel, rows, i)
                x_sq = float(self._asked(x, x[None, :])[0])
                if not 0.0 <= x_sq <= LONGEST_SQ:
                    raise RefusedError(f"must have k(x, x) >= 0 and <= 1e120, got {x_sq}. Use a kernel that is one")
                dot = self._weighed_asked(x, E.k)
                self._check_symmetry(x, x_sq)
            except RefusedError as error:
                self.why = str(error)
                return i, NOT_FINITE
            if not isfinite(float(state[SCALE]) * dot):
                return i, OVERFLOWN
            status, x_sq, shrink, tau, goes = test(self.plan, state, E.book, E.slots, trials, i, dot, x_sq)
            if status != FINE:
                return i, status
            score = 0.0
            if goes >= 0 and self.plan.tracks:
                score = state[SCALE] * self._weighed_asked(self.vectors()[goes], E.other)
            status, due = train(self.plan, state, *E, x, x.size, trials, i, dot, x_sq, shrink, tau, goes, score)
            if status != FINE:
                return i, status
            if due:
                measured(state, E.book, E.slots, self._square_of_all())
        tally(state, trials, trials.shape[1])
        return trials.shape[1], FINE

    def _score_asked(self, rows: Rows, scores: Floats) -> None:
        scores[:] = 0.0
        for i in range(length(rows) if self.support > 0 else 0):
            try:
                check_number(self.kernel, rows, i)
                scores[i] = self.state[SCALE] * self._weighed_asked(self._row(rows, i), self.all.k)
            except RefusedError as error:
                raise ValueError(f"Kernelized: x {error}") from None

    def _weighed_asked(self, x: Floats, k: Floats) -> float:
        """Write k(x, z) for all support vectors z into ``k``; return sum c_z k(x, z)."""
        slots = self._slots()
        k[:] = 0.0
        k[slots] = self._asked(x, self.vectors()[slots])
        return in_order(self.all.slots[C], k)

    def _check_symmetry(self, x: Floats, x_sq: float) -> None:
        """k(z, x) of all support vectors z must be what ``k`` has of k(x, z)."""
        slots, vectors = self._slots(), self.vectors()
        back = np.array([self._asked(vectors[slot], x[None, :])[0] for slot in slots])
        check_symmetry(self.all.k[slots], back, x_sq, self.all.slots[SQUARE, slots])

    def _asked(self, x: Floats, Z: Floats) -> Floats:
        """The kernel's own answer, which must be finite."""
        found = self.kernel.column(x, Z)
        if not np.isfinite(found).all():
            wrong = found[~np.isfinite(found)][0]
            raise RefusedError(f"must have finite values with {self.kernel!r}, got {wrong}. Correct the kernel, or x")
        return found

    # what it stopped at -------------------------------------------------------------------------------------
    def _explain(self, status: int, rows: Rows, i: int) -> None:
        """Say why row i was refused."""
        if status == FULL:
            self.why = (
                f"must find room, got one that would be support vector {self.support + 1} of at most "
                f"{self.plan.limit}. Set budget, or raise most"
            )
        elif status == MORE_ROOM:
            self.why = (
                f"must find memory, got one beside {self.support} support vectors of {self.features} features. "
                "Set a smaller budget, or hash features to fewer bits"
            )
        elif status == NO_SOLUTION:
            self.why = (
                "must be feasible, got one on which no weights within beta reach margin 1. "
                "Raise beta, or choose infeasible='skip', 'relax' or 'best'"
            )
        elif status == OVERFLOWN:
            self.why = NO_SCORE
        elif status in (TOO_LONG, NOT_UNIT):
            x = self._row(rows, i)
            bias = first_of(self.kernel.code, self.state[BIAS])
            x_sq = square(self.kernel.code, self.params, x, x.size, bias) if self.kernel.code != NONE else np.nan
            most = "1, as the Forgetron demands" if status == NOT_UNIT else "1e120"
            self.why = f"must have k(x, x) <= {most}, got {x_sq:g}. Scale the features, or set scale='unit'"

    def refusal(self) -> str:
        """What the example at which it stopped must be."""
        return self.why

    def snapshot(self, size: int) -> Callable[[], None]:
        """A function that takes back what learning the next ``size`` rows changes: they may need more room."""
        if size <= 1 and self.kernel.code != NONE:
            return lambda: None
        state, before = self.state.copy(), self._copy()

        def undo() -> None:
            self.state[:] = state
            self.all = before
            self.x, self.z = (np.zeros(before.tiles.shape[1]) for _ in range(2))

        return undo

    def _copy(self) -> Expansion:
        return Expansion(*(array.copy() for array in self.all))

    # what it knows ------------------------------------------------------------------------------------------
    def weights(self) -> Floats:
        """The weights w where the kernel is linear, else zeros; the constant feature first."""
        w = np.zeros(FIRST + self.features)
        if isinstance(self.kernel, Linear):
            c = self.state[SCALE] * self.all.slots[C, : int(self.all.book[ROOM])]
            w[0] = self.state[BIAS] * c.sum()
            w[FIRST:] = c @ self.vectors()
        return w

    def extent(self) -> tuple[float, int]:
        """|w|, and the number of support vectors."""
        w_sq = float(self.state[NORM]) if self.plan.tracks else self._square_of_all()
        return sqrt(max(0.0, w_sq)), self.support

    def _square_of_all(self) -> float:
        """|w|^2, computed from the support vectors."""
        E, scale_sq = self.all, float(self.state[SCALE]) ** 2
        if self.kernel.code != NONE:
            first = first_of(self.kernel.code, self.state[BIAS])
            found = square_of_all(
                self.kernel.code, self.params, E.book, E.tiles, E.slots, E.other, self.z, self.features, first
            )
            return scale_sq * float(found)
        Z, c = self.vectors(), E.slots[C]
        return scale_sq * sum(c[slot] * self._weighed_asked(Z[slot], E.other) for slot in self._slots().tolist())

    # keeping ------------------------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned: the slots, and for the Projectron the factor of the kernel matrix."""
        E, room, live = self.all, int(self.all.book[ROOM]), self.support
        found = {"state": self.state, "book": E.book, "slots": E.slots[:, :room], "vectors": self.vectors()}
        if self.plan.evict == PROJECTRON:
            found["lower"] = E.lower[:live, :live]
        return found

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """All that was learned, counters apart."""
        arrays = self.arrays()
        return arrays | {"state": self.state[LEARNED], "vectors": self.vectors()[:, :features].copy()}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Be as the engine that ``saved`` these."""
        projects = self.plan.evict == PROJECTRON
        only(arrays, "state", "book", "slots", "vectors", *(["lower"] if projects else []))
        state = of_shape(arrays, "state", "float64", (SEEN,))
        book = of_shape(arrays, "book", "float64", (PAGES,))
        if not all(0.0 <= state[place] < np.inf for place in (SINCE, DUE)) or not np.isfinite(state).all():
            raise ValueError(f"state {state.tolist()}")
        whole = [HEAD, LIVE, ROOM, CLOCK, DROPPED, MISTAKES]
        numbers = [float(book[place]) for place in whole]
        if not all(0.0 <= one < 2.0**53 and one == int(one) for one in numbers) or not isfinite(book[DAMAGE]):
            raise ValueError(f"book {book.tolist()}")
        head, live, room = (int(one) for one in numbers[:3])
        if live > room or room > self.plan.limit or head >= max(1, room):
            raise ValueError(f"slots {head}, {live}, {room} of at most {self.plan.limit}")
        if 8 * room * (features + 1) > LARGEST:
            raise ValueError(f"{room} support vectors of {features} features")
        slots = of_shape(arrays, "slots", "float64", (KEPT, room))
        vectors = of_shape(arrays, "vectors", "float64", (room, features))
        if not all(np.isfinite(one).all() for one in (slots, vectors)):
            raise ValueError("support vectors that are not finite")
        self.reserve(features)
        fresh = _empty(room, self.all.tiles.shape[1], projects)
        fresh.book[:] = book
        fresh.slots[:, :room] = slots
        at = np.arange(room)
        fresh.tiles[at // TILE, :features, at % TILE] = vectors
        if projects:
            lower = of_shape(arrays, "lower", "float64", (live, live))
            if not np.isfinite(lower).all() or not (np.diagonal(lower) > 0.0).all():
                raise ValueError("a kernel matrix that is not positive")
            fresh.lower[:live, :live] = lower
        self.all = fresh
        self.state[LEARNED] = state


def _empty(room: int, features: int, projects: bool) -> Expansion:
    """No support vectors, and room for so many."""
    slots = -(-room // TILE) * TILE
    side = room if projects else 0
    book = np.zeros(PAGES)
    book[ROOM] = room
    return Expansion(
        book,
        np.zeros((slots // TILE, features, TILE)),
        np.zeros((KEPT, slots)),
        np.zeros((side, side)),
        np.zeros(slots),
        np.zeros(slots),
    )


def arrays_of(rows: Rows) -> tuple[int, Offsets, Indices, Floats]:
    """Width, indptr, indices and values of rows: see ``fill``."""
    if isinstance(rows, DenseRows):
        return rows.X.shape[1], NO_INDPTR, NO_INDICES, rows.X.reshape(-1)
    return 0, *rows


def check_number(kernel: Kernel, rows: Rows, i: int) -> None:
    """RefusedError unless row i is the first feature and no other, where the kernel knows examples by their number."""
    if not kernel.numbered:
        return
    width, indptr, indices, _ = arrays_of(rows)
    size = width or int(indptr[i + 1] - indptr[i])
    if size != 1 or (width == 0 and indices[indptr[i]] != 0):
        what = f"{size} features" if size != 1 else "another feature than before"
        raise RefusedError(
            f"must be one feature, always the same: the number of its row with {kernel!r}, got {what}. Pass only that"
        )
