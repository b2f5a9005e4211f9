"""Bounds on runs of PA, PA1, PA2 and L2PA from the steps that were made, with any comparators.

The loss of a comparator counts on every round, with the weight max(c, tau): c is the smallest step
of a mistake. The theorem needs it on updates only, but then the comparator 0 would give a bound.

Margins and lengths determine every step, and the length of w:

    |w'|^2 = s^2 |w|^2 + 2 s tau m + tau^2 |x|^2    where w' = s w + tau y x,   m = y w.x

Weights in float32 are w' + e with a rounding error |e| <= ``evidence.rounding`` |w'|. In the proof u.e
is added to (1 - s) u.w, so F includes |e|.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from driftline import bounds, rules
from driftline.certify.comparators.candidates import Comparator, moving, standing
from driftline.certify.comparators.scale_search import best_scale
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers, made
from driftline.certify.refusal import UnmetError
from driftline.internals.compiled import Floats, Params, jit
from driftline.rules.linear.step_table import step

NO_PARAMS = (0.0,) * 4
"""The compiled step takes this many parameters."""
ROUNDING = 1e-9
"""Lengths are increased by this share, because margins are rounded, also in float64."""


@dataclass(frozen=True)
class Steps:
    """The steps of a run: the smallest one of a mistake, and sums up to each round.

    Attributes
    ----------
    least
        The smallest step of a mistake.
    weights
        The weight of a comparator's loss in each round.
    W, F, other
        The inputs of the theorem after each round.
    """

    least: float
    weights: Floats
    W: Floats
    F: Floats
    other: Floats

    @classmethod
    def of(cls, rule: rules.Rule, evidence: Evidence) -> Steps:
        """Compute the steps of a run; raise UnmetError if a mistake has none."""
        squares, wrong = evidence.lengths() ** 2, evidence.margins <= 0.0
        taus, removed, lengths = (np.zeros(len(evidence)) for _ in range(3))
        params = (*rule.params(), *NO_PARAMS)[: len(NO_PARAMS)]
        seen = evidence.margins, squares, evidence.updated, evidence.rounding
        replay(rule.code, params, *seen, taus, removed, lengths)
        # a step along x = 0 of any size changes nothing
        missing = wrong & (taus <= 0.0) & (squares > 0.0)
        if missing.any():
            raise UnmetError("an update on every mistake", f"{int(missing.sum()):,} mistakes without one")
        least = float(taus[wrong & (squares > 0.0)].min(initial=np.inf))
        least = least if np.isfinite(least) else 1.0
        return cls(
            least,
            np.maximum(least, taus),
            np.maximum.accumulate(lengths) * (1.0 + ROUNDING),
            np.cumsum(removed) * (1.0 + ROUNDING),
            np.cumsum(np.where(wrong, 0.0, taus)) * (1.0 - ROUNDING),
        )


@jit
def replay(
    code: int,
    params: Params,
    margins: Floats,
    squares: Floats,
    updated: np.ndarray,
    rounding: float,
    taus: Floats,
    removed: Floats,
    lengths: Floats,
) -> None:
    """Write the step, the length removed by shrinking and rounding, and the length of w after each round."""
    w_sq = 0.0
    for t in range(margins.size):
        m, x_sq = margins[t], squares[t]
        if updated[t]:
            shrink, tau = step(code, m, x_sq, w_sq, 0.0, params)
            taus[t] = tau
            removed[t] = (1.0 - shrink) * np.sqrt(w_sq)
            w_sq = max(0.0, shrink * shrink * w_sq + 2.0 * shrink * tau * m + tau * tau * x_sq)
            removed[t] += rounding * np.sqrt(w_sq)
            w_sq *= (1.0 + rounding) ** 2
        lengths[t] = np.sqrt(w_sq)


def steps(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield bounds on mistakes, against fixed comparators and against paths."""
    if getattr(rule, "sigma", 0.0) > 0.0:
        return  # removed weights are neither a step nor a shrink
    made_steps = Steps.of(rule, evidence)
    for one in standing(evidence):
        yield from _offer(made_steps, one)
    for one in moving(evidence):
        yield from _offer(made_steps, one)


def _offer(run: Steps, one: Comparator) -> Offers:
    """Yield the bound at the best scale of this comparator."""
    W, F, other = (float(column[-1]) for column in (run.W, run.F, run.other))
    longest, way = one.path.longest(), one.path.moved()[0]
    if longest <= 0.0:
        return
    s, _ = best_scale(one.path.margins, longest * (W + F) + way * W, run.weights)
    lost = np.cumsum(run.weights * np.maximum(0.0, 1.0 - s * one.path.margins))
    inputs = {"W": W, "F": F, "other": other, "lost": float(lost[-1])}
    found = made(bounds.StepMistakes, c=run.least, D=s * longest, V=s * way, **inputs)
    if s > 0.0 and found is not None:
        growth = {"W": run.W, "F": run.F, "other": run.other, "lost": lost}
        trivial = (float(run.weights.sum()) - other) / run.least
        yield found, replace(one, scale=s, growth=growth, trivial=trivial)
