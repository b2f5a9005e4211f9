"""A two-number rule in the space of a kernel: w is a sum of mapped examples, its support vectors.

    w = s sum_i c_i phi(x_i),    w.x = s sum_i c_i k(x_i, x),    |x|^2 = k(x, x),    w_sq = |w|^2

The rule answers the margin m = y w.x with (shrink, tau), as it does in a linear engine:

    w <- shrink w + tau weight y phi(x):    s <- shrink s,  a new c = tau weight y / s
    w_sq <- shrink^2 w_sq + tau weight (2 shrink m + tau weight k(x, x))

Every update adds a support vector. If no slot is free, a support vector r is removed. With
a = s c_r, its coefficient in w, this changes w as follows:

    w <- w - a phi(x_r),    w_sq <- w_sq - a (2 w.x_r - a k(x_r, x_r))

How r is chosen (``evict``):

    oldest      the first that was added (Shen, Dietterich 2009, section 5)
    smallest    the one with the smallest |c_i| sqrt(k(x_i, x_i)), the newest excepted
    random      any with equal probability, the newest excepted
                (Cavallanti, Cesa-Bianchi, Gentile 2007)
    age         the one that is ``age`` rounds old (ShrunkPA: updates), also where slots are free
                (Kivinen, Smola, Williamson 2004)
    forgetron   the oldest, after w is shrunk so that the damage is bounded: ``forgetron``
    projectron  none: an example close to the span of the others is projected: ``projectron``

Differs from the paper: ages of ShrunkPA count updates, because its coefficients shrink on updates
only. A sample weight multiplies the step; the bounds are for weights of 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from driftline.internals.compiled import Floats, Params, inlined, jit
from driftline.internals.numeric.splitmix import STEP, mixed
from driftline.internals.require import one_of, positive, require, whole
from driftline.rules.kernel.forgetron import shrinkage
from driftline.rules.kernel.kernel_columns import TILE, column
from driftline.rules.kernel.kernels import Kernel
from driftline.rules.kernel.support_vectors import (
    BIRTH,
    CLOCK,
    DAMAGE,
    FINE,
    FULL,
    HEAD,
    LIVE,
    MISTAKES,
    MORE_ROOM,
    NO_SLOT,
    REMOVED,
    ROOM,
    SQUARE,
    C,
    clear,
    multiply_out,
    place,
    used_tiles,
    vacate,
)
from driftline.rules.kernel.truncation import age_of_error
from driftline.rules.linear.l1pa import L1PA
from driftline.rules.linear.norma import NORMA
from driftline.rules.linear.perceptron import Perceptron
from driftline.rules.linear.shrunk_pa import ShrunkPA
from driftline.rules.rule import NO_CODE, Rule

Evict = Literal["oldest", "smallest", "random", "age", "forgetron", "projectron"]
EVICT = ("oldest", "smallest", "random", "age", "forgetron", "projectron")
OLDEST, SMALLEST, RANDOM, AGE, FORGETRON, PROJECTRON = range(len(EVICT))
WHERE = "Kernelized"
LARGEST_SEED = (1 << 63) - 1
LARGEST_BUDGET, LARGEST_AGE = 10**9, 10**15


class Plan(NamedTuple):
    """What the compiled code reads of the parameters."""

    code: int
    """The rule's number in the table of steps."""
    evict: int
    """The position in ``EVICT``."""
    limit: int
    """The largest number of support vectors."""
    bounded: bool
    """Whether one is evicted when there are ``limit``; else the example is refused."""
    age: int
    """The age at which a support vector is removed, for evict="age"."""
    by_update: bool
    """Whether ages count updates instead of rounds."""
    eta: float
    """The Projectron's threshold."""
    seed: np.uint64
    """For evict="random"."""
    tracks: bool
    """Whether w_sq is kept up to date."""
    measures: bool
    """Whether w_sq is recomputed from time to time, because the rule depends on it."""
    regresses: bool = False
    """Whether the rule learns real targets."""


@inlined
def kernel_sum(
    kernel: int,
    params: Params,
    ring: Floats,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    x: Floats,
    n: int,
    first: float,
) -> float:
    """Write k_i = k(x_i, x) of every support vector x_i; return w.x / s = sum_i c_i k_i."""
    wrapped, start, stop = used_tiles(ring)
    dot = column(kernel, params, tiles, slots, k, start, stop, x, n, first)
    if wrapped > 0:
        dot += column(kernel, params, tiles, slots, k, 0, wrapped, x, n, first)
    return dot


@jit
def kernel_sum_of(
    kernel: int,
    params: Params,
    ring: Floats,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    r: int,
    x_r: Floats,
    n: int,
    first: float,
) -> float:
    """w.x_r / s for the support vector in slot r, which is copied to ``x_r``."""
    for i in range(n):
        x_r[i] = tiles[r // TILE, i, r % TILE]
    return kernel_sum(kernel, params, ring, tiles, slots, k, x_r, n, first)


@jit
def norm_sq(
    kernel: int,
    params: Params,
    ring: Floats,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    x_r: Floats,
    n: int,
    first: float,
) -> float:
    """w_sq / s^2 = sum_i c_i (sum_j c_j k(x_i, x_j)), from the support vectors."""
    total = 0.0
    for r in range(int(ring[ROOM])):
        if slots[C, r] != 0.0:
            dot = kernel_sum_of(kernel, params, ring, tiles, slots, k, r, x_r, n, first)
            total += slots[C, r] * dot
    return total


@inlined
def ages(plan: Plan, weight: float, tau: float) -> bool:
    """Whether this round makes the support vectors older."""
    if plan.evict != AGE:
        return False
    return tau != 0.0 if plan.by_update else weight != 0.0


@jit
def victim(plan: Plan, ring: Floats, slots: Floats) -> int:
    """The slot r of the support vector to remove, if every slot is in use."""
    room = int(ring[ROOM])
    if plan.evict == RANDOM:
        drawn = mixed(plan.seed + (np.uint64(ring[REMOVED]) + np.uint64(1)) * STEP)
        return np.int64(drawn % np.uint64(room))
    if plan.evict == SMALLEST:
        r = 0
        for i in range(room):
            if slots[C, i] ** 2 * slots[SQUARE, i] < slots[C, r] ** 2 * slots[SQUARE, r]:
                r = i
        return r
    return int(ring[HEAD])


@inlined
def eviction(plan: Plan, ring: Floats, slots: Floats, weight: float, shrink: float, tau: float) -> tuple[int, int]:
    """Return (status, r): the slot that ``update`` must empty, or NO_SLOT. Changes nothing.

    The status is MORE_ROOM where slots must be added first, and FULL where x cannot be added.
    """
    live, room = int(ring[LIVE]), int(ring[ROOM])
    r = NO_SLOT
    if shrink != 0.0 and live > 0 and ages(plan, weight, tau):
        head = int(ring[HEAD])
        if ring[CLOCK] + 1.0 - slots[BIRTH, head] >= plan.age:
            r = head
    if tau == 0.0 or r != NO_SLOT or live < room or (shrink == 0.0 and room > 0):
        return FINE, r
    if room < plan.limit:
        return MORE_ROOM, r
    if not plan.bounded:
        return FULL, r
    return FINE, victim(plan, ring, slots)


@jit
def remove(
    plan: Plan, ring: Floats, tiles: Floats, slots: Floats, r: int, s: float, w_sq: float, score: float
) -> float:
    """w <- w - a phi(x_r), a = s c_r, where ``score`` is w.x_r; return w_sq."""
    a = s * slots[C, r]
    if plan.tracks:
        w_sq = max(0.0, w_sq - a * (2.0 * score - a * slots[SQUARE, r]))
    vacate(tiles, slots, r)
    ring[REMOVED] += 1.0
    ring[LIVE] -= 1.0
    if r == int(ring[HEAD]) and plan.evict not in (SMALLEST, RANDOM):
        ring[HEAD] = float((r + 1) % int(ring[ROOM]))
    return w_sq


@jit
def update(
    plan: Plan,
    ring: Floats,
    tiles: Floats,
    slots: Floats,
    k: Floats,
    x: Floats,
    n: int,
    s: float,
    w_sq: float,
    smallest: float,
    m: float,
    x_sq: float,
    weight: float,
    y: float,
    shrink: float,
    tau: float,
    r: int,
    score: float,
) -> tuple[float, float]:
    """w <- shrink w + tau weight y phi(x), then remove support vector r; return (s, w_sq).

    ``k`` has the kernel values of x, ``score`` is w.x_r before the step. Where s leaves
    [smallest, 1 / smallest], it is multiplied into the coefficients.
    """
    if shrink == 0.0:
        clear(ring, tiles, slots)
        s, w_sq = 1.0, 0.0
    elif shrink != 1.0:
        s *= shrink
        w_sq *= shrink * shrink
        if not smallest <= s <= 1.0 / smallest:
            multiply_out(slots, s)
            s = 1.0
    if ages(plan, weight, tau):
        ring[CLOCK] += 1.0
    score *= shrink
    if tau == 0.0:
        if r != NO_SLOT:
            w_sq = remove(plan, ring, tiles, slots, r, s, w_sq, score)
        return s, w_sq

    step = tau * weight
    c = step * y / s
    if plan.tracks:
        w_sq = max(0.0, w_sq + step * (2.0 * shrink * m + step * x_sq))
    if plan.evict == FORGETRON:
        ring[MISTAKES] += 1.0
    slot = r
    if r != NO_SLOT:
        score += step * y * k[r]
        if plan.evict == FORGETRON:
            a = s * slots[C, r]
            phi, damage = shrinkage(ring[MISTAKES], ring[DAMAGE], abs(a), score if a > 0.0 else -score)
            ring[DAMAGE] += damage
            s *= phi
            w_sq *= phi * phi
            score *= phi
        w_sq = remove(plan, ring, tiles, slots, r, s, w_sq, score)
    if r == NO_SLOT or plan.evict not in (SMALLEST, RANDOM):
        slot = int(ring[HEAD] + ring[LIVE]) % int(ring[ROOM])
    place(ring, tiles, slots, slot, x, n, c, x_sq)
    return s, w_sq


@dataclass(frozen=True)
class Kernelized(Rule):
    """A two-number rule over support vectors, with or without a budget.

    Parameters
    ----------
    learner : Rule
        A two-number rule with p = 2, such as PA1.
    kernel : Kernel
        One of ``driftline.kernels``.
    budget : int, optional
        The largest number of support vectors. Without a budget, none is evicted.
    evict : str
        How the support vector to remove is chosen: see the table in the module docstring.
    age : int, optional
        For evict="age": the age at which a support vector is removed.
    epsilon : float, optional
        For evict="age", instead of ``age``: the largest error of a score.
    eta : float
        For evict="projectron": the distance from the span up to which an example is projected.
    seed : int
        For evict="random".
    most : int
        Without a budget, an example that would be support vector ``most`` + 1 is refused.
    """

    learner: Rule
    kernel: Kernel
    budget: int | None = None
    evict: Evict = "oldest"
    age: int | None = None
    epsilon: float | None = None
    eta: float = 0.1
    seed: int = 0
    most: int = 20_000
    engine: ClassVar[str] = "kernel.expansion_engine:KernelEngine"
    paper: ClassVar[str] = "Kivinen et al. 2004; Dekel et al. 2008; Orabona et al. 2009"
    single: ClassVar[bool] = False
    bounds: ClassVar[tuple[str, ...]] = ("forgetron",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "regresses", self.learner.regresses)

    def check(self) -> None:
        """A two-number rule with p = 2, a kernel, and an eviction that fits both."""
        require(isinstance(self.learner, Rule), WHERE, "learner must be a rule", self.learner)
        require(isinstance(self.kernel, Kernel), WHERE, "kernel must be one of driftline.kernels", self.kernel)
        fits = self.learner.code != NO_CODE and not self.learner.engine and not isinstance(self.learner, L1PA)
        require(fits, WHERE, "learner must be a rule of two numbers, such as PA1", self.learner)
        require(self.learner.norm == 2.0, WHERE, "learner must have p = 2", self.learner)
        require(self.learner.removal == 0.0, WHERE, "learner must have sigma = 0: there are no weights", self.learner)
        require(not self.learner.projects, WHERE, "learner must have no region: there are no weights", self.learner)
        one_of(WHERE, "evict", self.evict, EVICT)
        if self.budget is not None:
            whole(WHERE, "budget", self.budget, 1, LARGEST_BUDGET)
        whole(WHERE, "most", self.most, 1, LARGEST_BUDGET)
        whole(WHERE, "seed", self.seed, 0)
        require(self.seed <= LARGEST_SEED, WHERE, "seed must be below 2**63", self.seed)
        positive(WHERE, "eta", self.eta)
        if self.evict in ("forgetron", "projectron"):
            require(isinstance(self.learner, Perceptron), WHERE, f"{self.evict} needs the Perceptron", self.learner)
        if self.evict in ("smallest", "random", "forgetron"):
            require(self.budget is not None, WHERE, f"evict={self.evict!r} must have a budget", self.budget)
        self._check_age()
        for name in ("budget", "age", "seed", "most"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else int(value))

    def _check_age(self) -> None:
        """Either age or epsilon for evict="age"; else neither."""
        given = [value for value in (self.age, self.epsilon) if value is not None]
        if self.evict != "age":
            require(not given, WHERE, "age and epsilon must be None unless evict='age'", given)
            return
        require(len(given) == 1, WHERE, "evict='age' must have either age or epsilon", (self.age, self.epsilon))
        if self.age is not None:
            whole(WHERE, "age", self.age, 1, LARGEST_AGE)
            return
        positive(WHERE, "epsilon", self.epsilon)
        fits = self.kernel.unit and self._forgets
        require(fits, WHERE, "epsilon needs NORMA or ShrunkPA that forget, and k(x, x) = 1; or give age", self.learner)
        soon = self._rounds <= LARGEST_AGE
        require(soon, WHERE, f"epsilon must be reached within an age of {LARGEST_AGE:g}; or give age", self.epsilon)

    @property
    def _forgets(self) -> bool:
        rule = self.learner
        return (isinstance(rule, NORMA) and rule.lam > 0.0) or (isinstance(rule, ShrunkPA) and rule.alpha > 0.0)

    @property
    def oldest(self) -> int | None:
        """The age at which a support vector is removed: ``age``, or computed from epsilon."""
        return self.age if self.epsilon is None else max(1, math.ceil(self._rounds))

    @property
    def _rounds(self) -> float:
        """The age, not rounded, at which the error of dropping a support vector is epsilon."""
        assert isinstance(self.learner, NORMA | ShrunkPA) and self.epsilon is not None
        return age_of_error(self.learner, self.epsilon)

    @property
    def limit(self) -> int:
        """The largest number of support vectors."""
        return self.most if self.budget is None else self.budget

    @property
    def margin(self) -> float:
        """As in the rule."""
        return self.learner.margin

    @property
    def passive(self) -> float:
        """As in the rule."""
        return self.learner.passive

    @property
    def ball(self) -> float:
        """As in the rule."""
        return self.learner.ball

    @property
    def refuses(self) -> bool:
        """True: where there is no room for an example, or where the kernel overflows."""
        return True
