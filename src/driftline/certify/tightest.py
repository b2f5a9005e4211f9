"""The tightest bound on a run over a set of comparators, for each rule with a theorem.

The losses of comparators are summed over all rounds, also if the theorem needs the losses on
updates only. The latter sum is smaller but says nothing: the comparator 0 has loss 1 on every
update, so the "bound" is the number of updates itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from driftline import bounds, rules
from driftline.bounds.experts.expert_bound import AverageLoss
from driftline.certify.comparators.candidates import Comparator, moving, standing
from driftline.certify.comparators.expert_sequences import Succession
from driftline.certify.comparators.scale_search import SCALES, Shortfall, best_scale
from driftline.certify.comparators.separated import separated
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Finder, Offers, made
from driftline.certify.over_time import over_time
from driftline.certify.refusal import NoTheoremError, VacuousError
from driftline.certify.rules import consistent, experts
from driftline.certify.rules.balanced_winnow import balanced_winnow
from driftline.certify.rules.forgetron import forgetron
from driftline.certify.rules.label_efficient import label_efficient
from driftline.certify.rules.second_order_perceptron import second_order
from driftline.certify.rules.self_tuning_alma import self_tuning
from driftline.certify.rules.shrunk_pa import shrunk
from driftline.certify.rules.tracking_winnow import tracking_winnow
from driftline.certify.rules.winnow import winnow
from driftline.certify.spaces.inner_rule import inside
from driftline.internals.compiled import Floats


@dataclass(frozen=True)
class Certified:
    """A bound that holds for a run, and the comparator that gives it."""

    bound: bounds.Bound
    moves: bool
    segments: int
    length: float
    """The length of the comparator's path, in units of its longest vector."""
    over_time: tuple[Floats, Floats]
    """Rounds, and the value of the bound after each of them with the same comparator."""

    @property
    def value(self) -> float:
        """The bound."""
        return self.bound.value

    @property
    def mistakes(self) -> float | None:
        """For a bound on a loss, the number of mistakes that it allows; else None."""
        return self.bound.vote if isinstance(self.bound, AverageLoss) else None

    @property
    def expected(self) -> bool:
        """Whether the bound is on an expectation, so that a single run may exceed it."""
        return self.bound.limits.startswith("expected")


def certified(rule: rules.Rule, evidence: Evidence) -> list[Certified]:
    """Return the tightest bound with a fixed comparator and the tightest one with a moving
    comparator.

    Either may be missing. Raises NoTheoremError if the rule has no theorem or one of its
    conditions fails, and VacuousError if its theorem holds for every comparator but none is of
    use.
    """
    if not len(evidence):
        return []
    rule, evidence = inside(rule, evidence)
    find = FINDERS.get(type(rule))
    if find is None:
        raise NoTheoremError(f"no search for comparators is implemented for {type(rule).__name__}")
    best: dict[bool, tuple[bounds.Bound, Comparator | Succession]] = {}
    for bound, comparator in find(rule, evidence):
        known = best.get(comparator.moves)
        if np.isfinite(bound.value) and (known is None or bound.value < known[0].value):
            best[comparator.moves] = bound, comparator
    if not best and isinstance(rule, ANY_COMPARATOR):
        raise VacuousError
    return [_certified(*best[moves], evidence) for moves in (False, True) if moves in best]


def _certified(bound: bounds.Bound, one: Comparator | Succession, evidence: Evidence) -> Certified:
    return Certified(bound, one.moves, one.segments, one.length, over_time(bound, one, evidence))


def _perceptron(rule: rules.Rule, evidence: Evidence) -> Offers:
    S = float(np.sum(evidence.lengths()[evidence.updated] ** 2))
    for one in standing(evidence):
        length = one.path.longest()
        if length > 0.0:
            s, D = best_scale(one.path.margins, np.sqrt(S) * length)
            if s > 0.0:
                yield bounds.PerceptronTightest(S=S, gamma=1.0 / (s * length), D=D), replace(one, scale=s)
    yield from _shifting(2.0, S, evidence)


def _pnorm(rule: rules.Rule, evidence: Evidence) -> Offers:
    p = rule.norm
    S = float(np.sum(evidence.lengths(p)[evidence.updated] ** 2))
    for one in standing(evidence):
        length = one.path.longest(p / (p - 1.0))
        if length > 0.0:
            s, D = best_scale(one.path.margins, np.sqrt((p - 1.0) * S) * length)
            if s > 0.0:
                yield bounds.PNorm(p=p, S=S, gamma=1.0 / (s * length), D=D), replace(one, scale=s)
    yield from _shifting(p, S, evidence)


def _shifting(p: float, S: float, evidence: Evidence) -> Offers:
    """Bounds of Perceptrons of any norm against moving comparators."""
    q = p / (p - 1.0)
    for one in moving(evidence):
        longest, way = one.path.longest(q), one.path.moved(q)[0]
        if longest > 0.0:
            s, D = best_scale(one.path.margins, np.sqrt((p - 1.0) * S) * (longest + way))
            if s > 0.0:
                bound = bounds.PNormMoving(p=p, S=S, gamma=1.0 / (s * longest), D=D, V=way / longest)
                yield bound, replace(one, scale=1.0 / longest)


def _alma(rule: rules.Rule, evidence: Evidence) -> Offers:
    assert isinstance(rule, rules.ALMA)
    if not np.isfinite(rule.B):
        return
    p, X = rule.norm, float(evidence.lengths(rule.norm).max())
    q = p / (p - 1.0)
    z = rule.alpha * (p - 1.0) * X * X / 2.0
    for one in _all(evidence):
        longest, length = one.path.longest(q), one.path.moved(q)[0]
        if longest <= 0.0:
            continue
        s = SCALES[SCALES * longest <= rule.B]

        def cost(s: Floats, length: float = length) -> Floats:
            return (rule.B**2 / 2.0 + rule.B * s * length) / rule.alpha

        found = _best_margin(one, np.append(s, rule.B / longest), z, rule.rho, cost)
        if found is not None:
            s1, mu, K = found
            bound = made(
                bounds.ALMAUntuned, X=X, B=rule.B, mu=mu, alpha=rule.alpha, rho=rule.rho, D=s1 * length, K=K, p=p
            )
            if bound is not None:
                yield bound, replace(one, scale=s1)


def _norma(rule: rules.Rule, evidence: Evidence) -> Offers:
    assert isinstance(rule, rules.NORMA)
    p, X, T = rule.norm, float(evidence.lengths(rule.norm).max()), len(evidence)
    q = p / (p - 1.0)
    rate = rule.alpha / (1.0 - rule.alpha * rule.lam)
    decay = rate * rule.lam
    z = rate * (p - 1.0) * X * X / 2.0
    for one in _all(evidence):
        longest, (D1, D2) = one.path.longest(q), one.path.moved(q)
        if longest <= 0.0 or (D2 > 0.0 and decay == 0.0):
            continue
        moved = D2 / decay if D2 else 0.0
        fixed = (longest**2 / 2.0 + (moved + 2.0 * longest * D1 + T * decay * longest**2) / 4.0) / rate

        def cost(s: Floats, fixed: float = fixed) -> Floats:
            return s * s * fixed

        found = _best_margin(one, SCALES, z, rule.rho, cost)
        if found is not None:
            s1, mu, K = found
            bound = made(
                bounds.NORMAUntuned,
                X=X,
                B=s1 * longest,
                mu=mu,
                T=T,
                alpha=rule.alpha,
                lam=rule.lam,
                rho=rule.rho,
                D1=s1 * D1,
                D2=s1 * s1 * D2,
                K=K,
                p=p,
            )
            if bound is not None:
                yield bound, replace(one, scale=s1)


def _projection(rule: rules.Rule, evidence: Evidence) -> Offers:
    assert isinstance(rule, rules.ProjectionPerceptron)
    if rule.region is not None:
        raise NoTheoremError("the search for comparators covers the ball only; see driftline bounds projection-region")
    if not np.isfinite(rule.radius):
        return
    eta = rule.eta / rule.radius  # the equivalent step in the ball of radius 1
    R = float(evidence.lengths()[evidence.updated].max(initial=0.0))
    if R == 0.0:
        return
    for one in _all(evidence):
        longest = one.path.longest()
        if longest <= 0.0:
            continue
        lacking, V = Shortfall(one.path.margins / longest), one.path.moved()[0] / longest
        gammas = lacking.levels()
        gammas = np.concatenate([gammas, eta * R * R * np.geomspace(0.51, 50.0, 40)])
        gammas = gammas[(2.0 * gammas > eta * R * R * (1.0 + 1e-9)) & (gammas > 0.0)]
        if not gammas.size:
            continue
        D = lacking(gammas) / gammas
        values = (1.0 + 2.0 * V + 2.0 * eta * gammas * D) / (2.0 * eta * gammas - (eta * R) ** 2)
        k = int(np.argmin(values))
        bound = made(bounds.Projection, R=R, gamma=float(gammas[k]), V=V, D=float(D[k]), eta=eta)
        if bound is not None:
            yield bound, replace(one, scale=1.0 / longest)


def _separated(
    make: Callable[[rules.Rule, float, Comparator, float], bounds.Bound | None], moving: bool = True
) -> Finder:
    """Return a finder for bounds that need margin 1 on every update."""

    def find(rule: rules.Rule, evidence: Evidence) -> Offers:
        for R, one in separated(evidence, moving):
            bound = make(rule, R, one, one.scale)
            if bound is not None:
                yield bound, one

    return find


def _pa(rule: rules.Rule, R: float, one: Comparator, s: float) -> bounds.Bound | None:
    return made(bounds.PAMistakes, R=R, D=s * one.path.longest())


def _romma(rule: rules.Rule, R: float, one: Comparator, s: float) -> bounds.Bound | None:
    return made(bounds.ROMMAMistakes, R=R, D=s * one.path.longest())


def _l2pa(rule: rules.Rule, R: float, one: Comparator, s: float) -> bounds.Bound | None:
    assert isinstance(rule, rules.L2PA)
    D, V = s * one.path.longest(), s * one.path.moved()[0]
    if rule.sigma > 0.0 or not rule.beta >= D:
        return None
    beta = rule.beta if np.isfinite(rule.beta) else D
    return None if V > 0.0 and not np.isfinite(rule.beta) else made(bounds.L2PAPath, R=R, D=D, beta=beta, V=V)


def _l1pa(rule: rules.Rule, R: float, one: Comparator, s: float) -> bounds.Bound | None:
    assert isinstance(rule, rules.L1PA)
    D, V = s * one.path.longest(1.0), s * one.path.moved(np.inf)[0]
    if rule.sigma > 0.0 or not rule.beta >= D:
        return None
    beta = rule.beta if np.isfinite(rule.beta) else D
    return None if V > 0.0 and not np.isfinite(rule.beta) else made(bounds.L1PAPath, R=R, D=D, beta=beta, V=V)


def _all(rounds: Evidence) -> Iterable[Comparator]:
    yield from standing(rounds)
    yield from moving(rounds)


def _best_margin(
    one: Comparator, scales: Floats, z: float, rho: float, cost: Callable[[Floats], Floats]
) -> tuple[float, float, float] | None:
    """Return the scale s, margin mu and loss K that minimise (K + cost(s)) / (mu - z), subject to
    mu >= z + rho and mu > z.
    """
    lacking = Shortfall(one.path.margins)
    levels = lacking.levels()
    s, r = scales[:, None], levels[None, :]
    if not s.size or not r.size:
        return None
    mu = s * r
    K = s * lacking(levels)[None, :]
    good = (mu >= (z + rho) * (1.0 + 1e-9)) & (mu > z * (1.0 + 1e-9))
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(good, (K + cost(s)) / (mu - z), np.inf)
    i, j = np.unravel_index(int(np.argmin(values)), values.shape)
    if not np.isfinite(values[i, j]):
        return None
    return float(scales[i]), float(mu[i, j]), float(K[i, j])


FINDERS: dict[type[rules.Rule], Finder] = {
    rules.Perceptron: _perceptron,
    rules.PNormPerceptron: _pnorm,
    rules.ALMA: _alma,
    rules.NORMA: _norma,
    rules.ProjectionPerceptron: _projection,
    rules.PA: _separated(_pa, moving=False),
    rules.ROMMA: _separated(_romma, moving=False),
    rules.L2PA: _separated(_l2pa),
    rules.L1PA: _separated(_l1pa),
    rules.Halving: experts.halving,
    rules.WeightedMajority: experts.weighted_majority,
    rules.ExponentialWeights: experts.exponential_weights,
    rules.AdaHedge: experts.ada_hedge,
    rules.FixedShare: experts.fixed_share,
    rules.VariableShare: experts.variable_share,
    rules.GridHalving: consistent.grid_halving,
    rules.EllipsoidLearner: consistent.ellipsoid,
    rules.VersionSpace: consistent.version_space,
    rules.Winnow: winnow,
    rules.TrackingWinnow: tracking_winnow,
    rules.BalancedWinnow: balanced_winnow,
    rules.ShrunkPA: shrunk,
    rules.SelfTuningALMA: self_tuning,
    rules.SecondOrderPerceptron: second_order,
    rules.Kernelized: forgetron,
    rules.LabelEfficient: label_efficient,
}
"""The search for bounds of each rule; ``inside`` reduces other rules to these."""
ANY_COMPARATOR = rules.Perceptron, rules.PNormPerceptron, rules.SecondOrderPerceptron
"""Rules with a theorem that holds for every comparator."""
