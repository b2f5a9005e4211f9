"""The engine of ``Kernelized``: O(support vectors * features) a round.

Kernels with a code run in compiled loops. For other kernels (a Python function, a matrix) the same
compiled update runs on values that Python computes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, sqrt
from typing import Any

import numpy as np

from driftline.engines.array_checks import counters, finite, of_shape, only, tracked_state
from driftline.engines.attribution import Attribution, occluded
from driftline.engines.engine import LEARNED, Engine
from driftline.engines.kernel.expansion_loops import (
    NO_SOLUTION,
    NOT_FINITE,
    NOT_UNIT,
    OVERFLOWED,
    TOO_LONG,
    count_rounds,
    learn,
    score,
    take_norm,
    test,
    train,
)
from driftline.engines.kernel.python_kernel import (
    RefusedError,
    check_number,
    check_symmetry,
    dot_in_order,
    kernel_square,
    kernel_values,
)
from driftline.engines.kernel.row_fill import arrays_of, fill
from driftline.engines.regression.tube import restored_tube, saved_tube, set_tube
from driftline.engines.state import BIAS, FIRST, NORM, SCALE
from driftline.internals.compiled import Floats, Params
from driftline.internals.rows import Rows, length
from driftline.rules.kernel.kernel_columns import TILE, constant_term, square
from driftline.rules.kernel.kernelized import EVICT, FORGETRON, PROJECTRON, RANDOM, SMALLEST, Kernelized, Plan, norm_sq
from driftline.rules.kernel.kernels import NONE, Linear
from driftline.rules.kernel.support_vectors import (
    CLOCK,
    FINE,
    FULL,
    HEAD,
    LIVE,
    MISTAKES,
    MORE_ROOM,
    REMOVED,
    RING_SIZE,
    ROOM,
    SLOT_ROWS,
    SQUARE,
    C,
    Expansion,
    empty_expansion,
)
from driftline.rules.linear.shrunk_pa import ShrunkPA

LARGEST = 1 << 31
"""The bytes that the support vectors may take."""
NO_SCORE = "must have a finite score, got weights that have overflowed. Take smaller parameters"
START = 16
"""The number of slots at first."""
RING = "book"
"""The name of ``Expansion.ring`` in model files."""


class KernelEngine(Engine):
    """A two-number rule over support vectors."""

    def __init__(self, rule: Kernelized, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule.learner, bias, dtype)
        self.rule = rule
        self.kernel = rule.kernel
        self.hides_bad_values = rule.kernel.code == NONE  # Python may do anything with them
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
            rule.regresses,
        )
        set_tube(self.state, rule.learner)
        self.features = 0
        self.expansion = empty_expansion(0, 1, self.plan.evict == PROJECTRON)
        self.x, self.x_r = np.zeros(1), np.zeros(1)
        self.why = ""

    # room ----------------------------------------------------------------------------------------
    def wider(self, features: int) -> dict[str, Any]:
        """The support vectors of ``features`` features (maybe fewer than before) and an unknown one."""
        tiles = self.expansion.tiles
        if features < tiles.shape[1]:
            return {"features": features}
        size = max(features + 1, min(2 * tiles.shape[1], features + 1024))
        if 8 * len(tiles) * size * TILE > LARGEST:
            raise MemoryError
        new, x, x_r = np.zeros((len(tiles), size, TILE)), np.zeros(size), np.zeros(size)
        new[:, : tiles.shape[1]] = tiles
        return {"features": features, "expansion": self.expansion._replace(tiles=new), "x": x, "x_r": x_r}

    def _more_room(self) -> bool:
        """Double the slots, the oldest support vector first; False where memory is too small."""
        old = self.expansion
        room = min(self.plan.limit, max(START, 2 * int(old.ring[ROOM])))
        projects = self.plan.evict == PROJECTRON
        if 8 * room * (old.tiles.shape[1] + (room if projects else 0)) > LARGEST:
            return False
        new = empty_expansion(room, old.tiles.shape[1], projects)
        new.ring[:] = old.ring
        slots = self._slots()
        new.slots[:, : slots.size] = old.slots[:, slots]
        at = np.arange(slots.size)
        new.tiles[at // TILE, :, at % TILE] = old.tiles[slots // TILE, :, slots % TILE]
        new.lower[: len(old.lower), : len(old.lower)] = old.lower
        new.ring[HEAD], new.ring[ROOM] = 0.0, room
        self.expansion = new
        return True

    def _slots(self) -> np.ndarray:
        """The slots in use, from the oldest support vector to the newest."""
        head, live, room = (int(self.expansion.ring[place]) for place in (HEAD, LIVE, ROOM))
        return np.asarray((head + np.arange(live)) % max(1, room))

    def vectors(self) -> Floats:
        """The features of each slot: zeros where it is empty."""
        room = int(self.expansion.ring[ROOM])
        tiles = self.expansion.tiles
        by_slot = tiles.transpose(0, 2, 1).reshape(-1, tiles.shape[1])
        return by_slot[:room, : self.features]

    @property
    def support(self) -> int:
        """The number of support vectors."""
        return int(self.expansion.ring[LIVE])

    # rounds --------------------------------------------------------------------------------------
    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; return the number of rows up to the first refused one."""
        done, status = 0, MORE_ROOM
        arrays = arrays_of(rows)
        while status == MORE_ROOM:
            if self.kernel.code != NONE:
                done, status = learn(
                    self.kernel.code, self.params, self.plan, self.state, self.expansion, self.x, self.x_r,
                    self.features, *arrays, trials, done,
                )  # fmt: skip
            else:
                done, status = self._learn_in_python(rows, trials, done)
            if status == MORE_ROOM and not self._more_room():
                break
        if status != FINE:
            self._explain(status, rows, done)
        return done

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        if self.kernel.code == NONE:
            self._score_in_python(rows, scores)
        else:
            kernel = self.kernel.code, self.params
            score(*kernel, self.state, self.expansion, self.x, self.features + 1, *arrays_of(rows), scores)

    def _row(self, rows: Rows, i: int) -> Floats:
        """Row i with all the features that are known."""
        fill(self.kernel.code, self.x, self.features + 1, *arrays_of(rows), i)
        return self.x[: self.features].copy()

    # kernels without compiled code ---------------------------------------------------------------
    def _learn_in_python(self, rows: Rows, trials: Floats, start: int) -> tuple[int, int]:
        """``learn`` for a kernel without a code."""
        E, state = self.expansion, self.state
        for i in range(start, trials.shape[1]):
            x = self._row(rows, i)
            try:
                check_number(self.kernel, rows, i)
                x_sq = kernel_square(self.kernel, x)
                dot = self._kernel_sum(x, E.k)
                slots = self._slots()
                check_symmetry(self.kernel, E.k[slots], x, self.vectors()[slots], x_sq, E.slots[SQUARE, slots])
            except RefusedError as error:
                self.why = str(error)
                return i, NOT_FINITE
            if not isfinite(float(state[SCALE]) * dot):
                return i, OVERFLOWED
            status, x_sq, shrink, tau, r = test(self.plan, state, E.ring, E.slots, trials, i, dot, x_sq)
            if status != FINE:
                return i, status
            score = 0.0
            if r >= 0 and self.plan.tracks:
                score = state[SCALE] * self._kernel_sum(self.vectors()[r], E.other)
            status, due = train(self.plan, state, *E, x, x.size, trials, i, dot, x_sq, shrink, tau, r, score)
            if status != FINE:
                return i, status
            if due:
                take_norm(state, E.ring, E.slots, self._norm_sq())
        count_rounds(self.plan, state, trials, trials.shape[1])
        return trials.shape[1], FINE

    def _score_in_python(self, rows: Rows, scores: Floats) -> None:
        """``score`` for a kernel without a code."""
        scores[:] = 0.0
        for i in range(length(rows) if self.support > 0 else 0):
            try:
                check_number(self.kernel, rows, i)
                scores[i] = self.state[SCALE] * self._kernel_sum(self._row(rows, i), self.expansion.k)
            except RefusedError as error:
                raise ValueError(f"Kernelized: x {error}") from None

    def _kernel_sum(self, x: Floats, k: Floats) -> float:
        """Write k(x_i, x) of every support vector x_i into ``k``; return sum_i c_i k(x_i, x)."""
        slots = self._slots()
        k[:] = 0.0
        k[slots] = kernel_values(self.kernel, x, self.vectors()[slots])
        return dot_in_order(self.expansion.slots[C], k)

    # refused rows --------------------------------------------------------------------------------
    def _explain(self, status: int, rows: Rows, i: int) -> None:
        """Set ``why``: the reason why row i was refused."""
        if status == FULL:
            self.why = (
                f"must find room, got one that would be support vector {self.support + 1} of at most "
                f"{self.plan.limit}. Set budget, or raise most"
            )
        elif status == MORE_ROOM:
            self.why = (
                f"must fit into memory, got one more than {self.support} support vectors of {self.features} features. "
                "Set a smaller budget, or hash features to fewer bits"
            )
        elif status == NO_SOLUTION:
            self.why = (
                "must be feasible, got one on which no weights within beta reach margin 1. "
                "Raise beta, or choose infeasible='skip', 'relax' or 'best'"
            )
        elif status == OVERFLOWED:
            self.why = NO_SCORE
        elif status in (TOO_LONG, NOT_UNIT):
            x = self._row(rows, i)
            first = constant_term(self.kernel.code, self.state[BIAS])
            x_sq = square(self.kernel.code, self.params, x, x.size, first) if self.kernel.code != NONE else np.nan
            most = "1, as the Forgetron demands" if status == NOT_UNIT else "1e120"
            self.why = f"must have k(x, x) <= {most}, got {x_sq:g}. Scale the features, or set scale='unit'"

    def refusal(self) -> str:
        """Why the row at which it stopped was refused."""
        return self.why

    def snapshot(self, size: int) -> Callable[[], None]:
        """A function that undoes the learning of the next ``size`` rows, added slots included."""
        if size <= 1 and self.kernel.code != NONE:
            return lambda: None
        state, before = self.state.copy(), self._copy()

        def undo() -> None:
            self.state[:] = state
            self.expansion = before
            self.x, self.x_r = (np.zeros(before.tiles.shape[1]) for _ in range(2))

        return undo

    def _copy(self) -> Expansion:
        return Expansion(*(array.copy() for array in self.expansion))

    # what is learned -----------------------------------------------------------------------------
    def attribute(self, row: Rows) -> Attribution:
        """The terms of w.x if the kernel is linear; otherwise the effect of leaving out an entry."""
        if self.kernel.numbered:
            raise ValueError(
                "Kernelized: x must have features to be explained, got a row number of a kernel matrix. "
                "Use a kernel of the features"
            )
        return super().attribute(row) if isinstance(self.kernel, Linear) else occluded(self.score_of, row)

    def weights(self) -> Floats:
        """The weights w where the kernel is linear, else zeros; the constant feature first."""
        w = np.zeros(FIRST + self.features)
        if isinstance(self.kernel, Linear):
            c = self.state[SCALE] * self.expansion.slots[C, : int(self.expansion.ring[ROOM])]
            w[0] = self.state[BIAS] * c.sum()
            w[FIRST:] = c @ self.vectors()
        return w

    def extent(self) -> tuple[float, int]:
        """|w|, and the number of support vectors."""
        w_sq = float(self.state[NORM]) if self.plan.tracks else self._norm_sq()
        return sqrt(max(0.0, w_sq)), self.support

    def _norm_sq(self) -> float:
        """|w|^2, computed from the support vectors."""
        E, scale_sq = self.expansion, float(self.state[SCALE]) ** 2
        if self.kernel.code != NONE:
            first = constant_term(self.kernel.code, self.state[BIAS])
            arrays = E.ring, E.tiles, E.slots, E.other, self.x_r
            return scale_sq * float(norm_sq(self.kernel.code, self.params, *arrays, self.features, first))
        Z, c = self.vectors(), E.slots[C]
        return scale_sq * sum(c[slot] * self._kernel_sum(Z[slot], E.other) for slot in self._slots().tolist())

    # model files ---------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """The ring, the slots, their vectors, and the Projectron's factor of the kernel matrix."""
        E, room, live = self.expansion, int(self.expansion.ring[ROOM]), self.support
        found = {"state": self.state, RING: E.ring, "slots": E.slots[:, :room], "vectors": self.vectors()}
        if self.plan.evict == PROJECTRON:
            found["lower"] = E.lower[:live, :live]
        return found

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """Return the learned arrays, without the counters."""
        arrays = self.arrays()
        own = {"state": self.state[LEARNED], "vectors": self.vectors()[:, :features].copy()}
        return arrays | own | saved_tube(self.state)

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Take over the arrays that ``saved`` returned."""
        arrays = restored_tube(self.state, arrays)
        projects = self.plan.evict == PROJECTRON
        only(arrays, "state", RING, "slots", "vectors", *(["lower"] if projects else []))
        state = finite("state", tracked_state(arrays))
        # the Projectron has no scale: it compares with and without it, and must find the same
        if state[SCALE] <= 0.0 or (projects and state[SCALE] != 1.0):
            raise ValueError(f"state {state.tolist()}")
        ring = finite(RING, of_shape(arrays, RING, "float64", (RING_SIZE,)))
        head, live, room = counters(RING, ring[[HEAD, LIVE, ROOM]]).astype(np.int64).tolist()
        counters(RING, ring[[CLOCK, REMOVED, MISTAKES]])
        turned = head > 0 and self.plan.evict in (SMALLEST, RANDOM, PROJECTRON)  # these fill the slots in order
        if live > room or room > self.plan.limit or head >= max(1, room) or turned:
            raise ValueError(f"slots {head}, {live}, {room} of at most {self.plan.limit}")
        if 8 * room * (features + 1 + (room if projects else 0)) > LARGEST:
            raise ValueError(f"{room} support vectors of {features} features")
        slots = finite("slots", of_shape(arrays, "slots", "float64", (SLOT_ROWS, room)))
        vectors = finite("vectors", of_shape(arrays, "vectors", "float64", (room, features)))
        if (slots[SQUARE] < 0.0).any():
            raise ValueError("support vectors with a negative norm")
        empty = (np.arange(room) - head) % max(1, room) >= live
        if slots[:, empty].any() or vectors[empty].any():
            raise ValueError("support vectors in slots that are not in use")
        self.reserve(features)
        fresh = empty_expansion(room, self.expansion.tiles.shape[1], projects)
        fresh.ring[:] = ring
        fresh.slots[:, :room] = slots
        at = np.arange(room)
        fresh.tiles[at // TILE, :features, at % TILE] = vectors
        if projects:
            lower = finite("lower", of_shape(arrays, "lower", "float64", (live, live)))
            if not (np.diagonal(lower) > 0.0).all():
                raise ValueError("a kernel matrix that is not positive")
            fresh.lower[:live, :live] = lower
        self.expansion = fresh
        self.state[LEARNED] = state
