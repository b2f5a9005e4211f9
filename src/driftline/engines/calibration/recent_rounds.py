"""The recent rounds of a learner of two labels, from which its probabilities are computed.

A learner only remembers the score before learning and the sign of each round: that costs next to
nothing. The calibrator runs over them when a probability is asked for. It starts at a round that
depends only on the number of rounds so far, so that the probability does not depend on what was
asked before. The numbers of the calibrator are kept between two questions, and only the rounds
since then are learned.

``ring`` is an array of floats: the number of rounds so far, the examples that the engine had seen
when a block was last added, then score and sign of each round. Round n is at place n % room. The
room grows up to ROOM rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from driftline.engines.array_checks import MOST, of_shape, only
from driftline.engines.calibration.score_calibrator import FIRST, NEXT, learn, new_numbers, probability, restart
from driftline.engines.state import SEEN, UNASKED
from driftline.internals.compiled import Floats, brief, direct, inlined, jit
from driftline.internals.numeric.addresses import array_at, by_address
from driftline.internals.writable import writable

if TYPE_CHECKING:
    from driftline.engines.engine import Engine

STRIDE = 1024
"""The calibrator starts at a multiple of STRIDE, at least STRIDE rounds ago."""
ROOM = 2 * STRIDE
FIRST_ROOM = 16
COUNT, SETTLED, PAIRS = 0, 1, 2  # places in the ring


@inlined
def start_of(rounds: int) -> int:
    """The first round that the calibrator learns, after this number of rounds."""
    return max(0, rounds // STRIDE - 1) * STRIDE


@inlined
def put(ring: Floats, score: float, sign: float) -> None:
    """Remember one round; the ring must have room."""
    at = PAIRS + 2 * (int(ring[COUNT]) % (ring.size // 2 - 1))
    ring[at], ring[at + 1] = score, sign
    ring[COUNT] += 1.0


@inlined
def is_full(ring: Floats) -> bool:
    """Whether the ring must grow before the next round."""
    room = ring.size // 2 - 1
    return room < ROOM and int(ring[COUNT]) >= room


@brief
def put_row(addresses: int, score: float, sign: float) -> bool:
    """Remember one round, and return True; return False if the ring must grow before."""
    ring = array_at(addresses, 0, 0.0)
    if is_full(ring):
        return False
    put(ring, score, sign)
    return True


@jit
def put_all(ring: Floats, scores: Floats, signs: Floats, due: float) -> None:
    """Remember the rounds of a block, after which the engine has seen ``due`` examples.

    The ring must have room. An interrupt cannot come between the rounds and ``due``.
    """
    ring[SETTLED] = due
    skipped = max(0, scores.size - ROOM)
    ring[COUNT] += skipped
    for i in range(skipped, scores.size):
        put(ring, scores[i], signs[i])


@jit
def catch_up(c: Floats, ring: Floats) -> None:
    """Let the calibrator learn all rounds of the ring that it has to learn."""
    rounds, room = int(ring[COUNT]), ring.size // 2 - 1
    first = start_of(rounds)
    if c[FIRST] != first or c[NEXT] > rounds:
        restart(c)
        c[FIRST] = c[NEXT] = first
    for n in range(int(c[NEXT]), rounds):
        at = PAIRS + 2 * (n % room)
        learn(c, ring[at], ring[at + 1] > 0.0)
    c[NEXT] = rounds


@brief
def probability_row(addresses: int, score: float) -> float:
    """The probability of the positive label at this score; NaN before the first round."""
    ring, c = array_at(addresses, 0, 0.0), array_at(addresses, 1, 0.0)
    if ring[COUNT] == 0.0:
        return np.nan
    catch_up(c, ring)
    return probability(c, score)


@jit
def probability_rows(c: Floats, ring: Floats, scores: Floats, found: Floats) -> None:
    """``probability_row`` of each score."""
    catch_up(c, ring)
    for i in range(scores.size):
        found[i] = probability(c, scores[i])


@jit
def probabilities_before(
    c: Floats, ring: Floats, scores: Floats, signs: Floats, learned: np.ndarray, found: Floats
) -> None:
    """The probability of each round of a block before it is learned.

    ``ring`` has the rounds before the block, and ``c`` has learned some of them; both are changed.
    ``learned`` says which rounds of the block are learned.
    """
    for i in range(scores.size):
        catch_up(c, ring)
        found[i] = probability(c, scores[i])
        if learned[i]:
            put(ring, scores[i], signs[i])


class Learned(NamedTuple):
    """Rounds that an engine is learning; they are remembered once it has seen ``due`` examples.

    ``weights`` is None if all weights are 1, ``events`` if every label is learned.
    """

    engine: Engine
    due: float
    signs: Floats
    scores: Floats
    weights: Floats | None
    events: Floats | None

    def kept(self) -> np.ndarray:
        """Which rounds are learned: the weight is not 0, and the label was asked for."""
        kept = self.signs == self.signs  # all: a sign is a number
        if self.weights is not None:
            kept &= self.weights != 0.0
        if self.events is not None:
            kept &= (self.events.astype(np.int64) & int(UNASKED)) == 0
        return kept


class RecentRounds:
    """The recent rounds, and the calibrator that has learned them.

    Copies, pickles and files do not hold the calibrator, which is a function of the rounds.
    """

    def __init__(self) -> None:
        self._start(np.zeros(PAIRS + 2 * FIRST_ROOM))

    def _start(self, ring: Floats) -> None:
        self._learned: Learned | None = None
        self._numbers = NO_NUMBERS
        self._place(ring)

    def _place(self, ring: Floats) -> None:
        self._ring = ring
        self._put_one: Callable[[float, float], bool] | None = None
        self._probability: Callable[[float], float] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_ring": self.ring}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._start(writable(state)["_ring"])

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = type(self).__new__(type(self))
        twin._start(self.ring.copy())
        return twin

    @property
    def ring(self) -> Floats:
        """The ring, with all rounds that were learned."""
        self.settle()
        return self._ring

    @property
    def rounds(self) -> int:
        """The number of rounds so far."""
        return int(self.ring[COUNT])

    # learning ---------------------------------------------------------------------------------------------------
    def add_one(self, score: float, sign: float) -> None:
        """Remember one round."""
        put_one = self._put_one or self.expect_one()
        if not put_one(score, sign):
            self.make_room(1)
            self.expect_one()(score, sign)

    def expect_one(self) -> Callable[[float, float], bool]:
        """Compile what ``add_one`` calls.

        Call this before a round is learned, so that no interrupt can come from a compilation between
        learning and remembering.
        """
        if self._put_one is None:
            self._put_one = by_address(direct(put_row, 0, 0.0, 0.0), (), (self._ring,))
        return self._put_one

    def expect(self, learned: Learned) -> None:
        """Announce the rounds of a block before an engine learns them.

        None is lost if an interrupt comes between learning and ``settle``. There is room for them
        after this call, because they cannot be taken back once they are learned.
        """
        self.settle()
        self.make_room(learned.signs.size)
        self._ring[SETTLED] = -1.0
        self._learned = learned

    def settle(self) -> None:
        """Remember the announced rounds if the engine has learned them; after an error it has not."""
        learned = self._learned
        if learned is None:
            return
        if learned.engine.state[SEEN] >= learned.due != self._ring[SETTLED]:
            signs, scores = learned.signs, learned.scores
            kept = learned.kept()
            if not kept.all():
                signs, scores = signs[kept], scores[kept]
            self.make_room(scores.size)
            put_all(self._ring, scores, signs, learned.due)
        self._learned = None

    def make_room(self, more: int) -> None:
        """Make room for more rounds, up to ROOM."""
        ring = self._ring
        room = ring.size // 2 - 1
        needed = int(ring[COUNT]) + more
        if room < ROOM and needed > room:
            self._place(_with_room(ring, min(ROOM, max(needed, 2 * room))))

    def negate(self) -> None:
        """Turn every score and sign, as if every round had had the opposite label."""
        self._start(self.ring.copy())
        np.subtract(0.0, self._ring[PAIRS:], out=self._ring[PAIRS:])

    # probabilities ----------------------------------------------------------------------------------------------
    def probability(self, score: float) -> float:
        """The probability of the positive label at this score; NaN before the first round."""
        if self._learned is not None or self._probability is None:
            arrays = self.ring, self._calibrator()
            self._probability = by_address(direct(probability_row, 0, 0.0), (), arrays)
        return self._probability(score)

    def probabilities(self, scores: Floats) -> Floats:
        """``probability`` of each score, after at least one round."""
        found = np.empty(scores.size)
        probability_rows(self._calibrator(), self.ring, scores, found)
        return found

    def probabilities_before(self, learned: Learned, found: Floats) -> None:
        """Write the probability of each of these rounds before it is learned.

        Parameters
        ----------
        learned
            The rounds, which were learned after those in the ring.
        found
            One number for each round. Those before the first round that was ever learned are NaN.
        """
        ring, kept, c = _with_room(self._ring, ROOM), learned.kept(), self._calibrator().copy()
        first = 0
        if ring[COUNT] == 0.0:
            first = min(found.size, int(np.argmax(kept)) + 1) if kept.any() else found.size
            found[:first] = np.nan
            if first:
                ring = _with_room(ring, ROOM)
                put_all(ring, learned.scores[first - 1 : first], learned.signs[first - 1 : first], 0.0)
        if first < found.size:
            rest = slice(first, None)
            probabilities_before(c, ring, learned.scores[rest], learned.signs[rest], kept[rest], found[rest])
            if learned is self._learned and learned.engine.state[SEEN] >= learned.due:
                self._numbers[:] = c  # it has learned rounds that are certain to come into the ring

    def _calibrator(self) -> Floats:
        """The numbers of the calibrator, made when the first probability is asked for."""
        if self._numbers.size == 0:
            self._numbers = new_numbers()
        return self._numbers

    # saving and restoring ---------------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """The rounds from which the probabilities follow; none before the first round."""
        ring = self.ring
        count = int(ring[COUNT])
        if count == 0:
            return {}
        places = np.arange(start_of(count), count) % (ring.size // 2 - 1)
        pairs = ring[PAIRS:].reshape(-1, 2)[places]
        return {
            "recent_rounds": np.array([count]),
            "recent_scores": pairs[:, 0].copy(),
            "recent_positive": (pairs[:, 1] > 0.0).astype(np.uint8),
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Take over the rounds of ``arrays``; ValueError if no learner can have them."""
        if not arrays:
            return
        count, scores, signs = self._checked(arrays)
        ring = np.zeros(PAIRS + 2 * (ROOM if count >= ROOM else min(ROOM, max(FIRST_ROOM, 2 * count))))
        ring[COUNT] = count - scores.size
        put_all(ring, scores, signs, 0.0)
        self._start(ring)

    def refill(self, arrays: dict[str, np.ndarray]) -> bool:
        """Replace all rounds by those of ``arrays``; return whether the ring is still the same array."""
        count, scores, signs = self._checked(arrays) if arrays else (0, np.zeros(0), np.zeros(0))
        ring = self._ring
        if min(count, ROOM) > ring.size // 2 - 1:
            self.restore(arrays)
            return False
        self._learned, self._numbers, self._probability = None, NO_NUMBERS, None
        ring[:] = 0.0
        ring[COUNT] = count - scores.size
        put_all(ring, scores, signs, 0.0)
        return True

    def _checked(self, arrays: dict[str, np.ndarray]) -> tuple[int, Floats, Floats]:
        """The number of rounds, and scores and signs of the last ones; ValueError if no learner can have them."""
        only(arrays, "recent_rounds", "recent_scores", "recent_positive")
        count = int(of_shape(arrays, "recent_rounds", "int64", (1,))[0])
        if not 0 < count <= MOST:
            raise ValueError(f"recent_rounds {count}")
        size = count - start_of(count)
        scores = of_shape(arrays, "recent_scores", "float64", (size,))
        positive = of_shape(arrays, "recent_positive", "uint8", (size,))
        if (positive > 1).any():
            raise ValueError("recent_positive other than 0 and 1")
        return count, scores, np.where(positive > 0, 1.0, -1.0)


def _with_room(ring: Floats, room: int) -> Floats:
    """A copy with room for this number of rounds; not fewer than the ring has."""
    longer = np.zeros(PAIRS + 2 * room)
    longer[: ring.size] = ring
    return longer


NO_NUMBERS = np.zeros(0)
