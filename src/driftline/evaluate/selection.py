"""Online to batch: select one hypothesis of a run, and certify its risk.

An online learner goes through hypotheses H_0, ..., H_{T-1}, and H_t has not seen the examples
from t+1 on. If all examples are independent draws from one distribution, the later examples are a
hold-out set for H_t: its error on them bounds its risk, for all t at once, at the price of ln(T)
(``driftline.internals.risk_limits``). The bounds do not depend on the capacity of the learner: it
may be any learner.

Cesa-Bianchi, Conconi, Gentile. On the generalization ability of on-line learning algorithms. IEEE
Trans. Information Theory 50 (2004). Cesa-Bianchi, Gentile. Improved risk tail bounds for on-line
algorithms. NIPS 2005.
Differs from the papers: the hypothesis is selected by the certificate that is reported, which is
tighter; the constants of the averages are smaller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from driftline.encode.faults import shortened
from driftline.evaluate.hypotheses import Course, Hypotheses
from driftline.evaluate.vote import ENTRIES, Vote
from driftline.internals.compiled import Floats
from driftline.internals.require import number, one_of, require, whole
from driftline.internals.risk_limits import CERTIFICATES, mean_risk, reservoir_risk
from driftline.learners import Averaged, Learner

RULES = ("last", "average", "vote", "penalised")
FEWEST = 256  # rows that are scored at a time, at least
LOOKS = 32  # how often hypotheses are dropped that cannot be the best

Criterion = Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False)
class Selected:
    """The selected hypothesis and its certificate.

    Attributes
    ----------
    rule
        How it was selected: "last", "average", "vote" or "penalised".
    learner
        The hypothesis: a learner that has seen the examples before its round, or a vote.
    round
        The number of examples that it has seen; None if it is made of several hypotheses.
    rest
        The number of examples after that.
    errors
        Its errors on these.
    certificate
        Its risk is at most this, with probability ``1 - delta``; None if there is no certificate.
    promise
        A bound on its risk that was known before it was tested; only for hypotheses of a linear
        learner that were drawn at random.
    delta
        The probability with which the risk may be larger than certified.
    examples, mistakes
        The examples of the run, and its wrong labels.
    candidates
        The number of hypotheses that it was selected from, or is made of.
    """

    rule: str
    learner: Learner | Vote
    round: int | None
    rest: int
    errors: int | None
    certificate: float | None
    promise: float | None
    delta: float
    examples: int
    mistakes: int
    candidates: int

    @property
    def error(self) -> float | None:
        """Its error rate on the examples after its round; None if it was not tested."""
        return self.errors / self.rest if self.errors is not None else None

    def score_many(self, X: Any) -> Floats:
        """The score of each row of X."""
        return self.learner.score_many(X)

    def predict_many(self, X: Any) -> np.ndarray:
        """The label of each row of X."""
        return self.learner.predict_many(X)


def select(
    learner: Learner,
    data: tuple[Any, Any],
    rule: Literal["last", "average", "vote", "penalised"] = "penalised",
    *,
    assume: Literal["iid"] | None = None,
    delta: float = 0.05,
    certificate: Literal["kl", "clopper-pearson", "chernoff", "hoeffding"] = "kl",
    largest: float | None = None,
    most: int | None = None,
    seed: int = 0,
) -> Selected:
    """Run a learner over the examples in their order, and make one classifier of the run.

    **The certificate holds only if the examples, and those to come, are independent draws from one
    distribution**: no drift, no sorting, no repetition, and no example that was used to choose
    parameters. Shuffle the examples first if only their order is at fault.

    Parameters
    ----------
    learner
        A new learner of two labels. It stays as it is: a copy learns.
    data
        The examples ``(X, y)``.
    rule
        "last" is the learner after the last example; it has no certificate. "average" is the mean
        of the weights (``Averaged``); its certificate needs ``largest``. "vote" is the majority
        vote of all hypotheses. "penalised" is the hypothesis with the smallest certificate.
    assume
        Must be "iid": you state that the examples are independent draws from one distribution.
    delta
        The probability with which the risk may be larger than certified.
    certificate
        The bound that "penalised" minimises. "clopper-pearson" is the tightest; "kl" is the
        tightest of those that hold for any loss.
    largest
        For "average": a number that no hinge loss of the learner can exceed. The certificate
        bounds the expected hinge loss at margin 1, and with it the risk. The learner must not
        have ``scale="standard"``.
    most
        The most hypotheses that are tested, or vote: those in force in rounds that are drawn at
        random. None: all of them. Every hypothesis is tested on all later examples, so that time
        grows with their number.
    seed
        The seed of that draw.

    Returns
    -------
    Selected
        The hypothesis and its certificate.

    >>> import numpy as np, driftline as dl
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> found = dl.select(dl.Perceptron(), (X, X[:, 0] > 0), assume="iid")
    >>> found.round, found.errors, round(found.certificate, 3)
    (217, 11, 0.109)
    """
    require(isinstance(learner, Learner), "select", "learner must be a driftline learner", learner)
    require(learner.n_seen == 0, "select", "learner must be new", learner)
    require(not learner.rule.several, "select", "learner must be one of two labels", learner)
    one_of("select", "rule", rule, RULES)
    one_of("select", "certificate", certificate, tuple(CERTIFICATES))
    require(0.0 < number("select", "delta", delta) < 1.0, "select", "delta must be in (0, 1)", delta)
    whole("select", "most", 1 if most is None else most, 1)
    whole("select", "seed", seed, 0)
    if assume != "iid":
        raise ValueError(
            f"select: assume must be 'iid', got {assume!r}. What is said of the risk is true only for independent "
            "examples of one distribution: pass assume='iid' if yours are, shuffle them if only their order is not"
        )
    if not isinstance(data, tuple) or len(data) != 2:
        raise ValueError(f"select: data must be a pair (X, y), got {shortened(data)}. Pass arrays, or lists")
    course = Course.of(learner, *data)
    require(len(course) > 0, "select", "data must have an example", 0)
    if course.last.rule.several:  # a Tracker that met a third label
        raise ValueError(
            f"select: data must have at most two labels, got {len(course.last.labels)}. "
            "Select on two of them, or on one against the rest"
        )
    if rule == "last":
        return _selected(course, rule, course.last, delta)
    if rule == "average":
        return _average(course, delta, largest)
    those, rounds = _drawn(course, most, seed)
    if rule == "vote":
        return _vote(course, delta, those, rounds)
    return _penalised(course, delta, certificate, those, rounds)


def _selected(course: Course, rule: str, hypothesis: Learner | Vote, delta: float, **known: Any) -> Selected:
    facts: dict[str, Any] = {"round": len(course) if rule == "last" else None, "rest": 0, "errors": None}
    facts |= {"certificate": None, "promise": None, "candidates": 1}
    if known.get("certificate") is not None:
        known["certificate"] = min(1.0, float(known["certificate"]))
    mistakes = course.wrong
    return Selected(rule, hypothesis, delta=delta, examples=len(course), mistakes=mistakes, **(facts | known))


def _average(course: Course, delta: float, largest: float | None) -> Selected:
    """risk <= M + largest sqrt(ln(1/delta) / 2T), where M is the mean hinge loss of the run.

    This follows by convexity: the mean of the weights scores x by the mean of the scores. It does
    not hold if x is scaled differently in each round.
    """
    average = Averaged(course.fresh)
    average.learn_many(course.X, course.y)
    limit = None
    if largest is not None:
        if not course.linear:
            raise ValueError(
                "select: the average of a learner has a certificate only where the examples stay as they are, so its "
                f"scale must not be 'standard', nor RandomFourier over names, got {course.fresh!r}. "
                "Leave out largest, or take rule='penalised'"
            )
        hinge = np.maximum(0.0, 1.0 - course.signs * course.scores)
        seen, bound = float(hinge.max()), number("select", "largest", largest)
        require(seen <= bound, "select", f"largest must be at least the hinge loss {seen:g} of the run", largest)
        limit = float(hinge.mean()) + bound * math.sqrt(math.log(1.0 / delta) / (2.0 * len(course)))
    return _selected(course, "average", average, delta, certificate=limit, candidates=len(course.starts))


def _drawn(course: Course, most: int | None, seed: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Positions of hypotheses in ``starts``, and the rounds that were drawn to choose them.

    Without a draw these are all hypotheses, and None.
    """
    if most is None or len(course.starts) <= most:
        return np.arange(len(course.starts)), None
    rounds = np.sort(np.random.default_rng(seed).choice(len(course), most, replace=False))
    return np.unique(np.searchsorted(course.starts, rounds, side="right") - 1), rounds


def _vote(course: Course, delta: float, those: np.ndarray, rounds: np.ndarray | None) -> Selected:
    """risk <= 2 mean risk: the vote is wrong only if at least half of the votes are."""
    if not course.linear:
        raise ValueError(
            "select: a learner that votes must be linear, and not of scale='standard', nor RandomFourier over names, "
            f"got {course.fresh!r}. Take rule='penalised'"
        )
    k, T = course.wrong, len(course)
    if rounds is None:
        votes, mean = course.lengths, mean_risk(k, T, delta)
    else:
        votes = np.bincount(np.searchsorted(course.starts[those], rounds, side="right") - 1)
        mean = mean_risk(k, T, delta / 2.0) + math.sqrt(math.log(2.0 / delta) / (2.0 * len(rounds)))
    vote = Vote(course, those, votes)
    return _selected(course, "vote", vote, delta, certificate=2.0 * mean, candidates=len(those))


def _penalised(
    course: Course, delta: float, certificate: str, those: np.ndarray, rounds: np.ndarray | None
) -> Selected:
    """The hypothesis with the smallest certificate.

    If rounds are drawn at random, Hoeffding's certificate is larger, so that the promise holds as
    well. The promise is about the hypotheses in force in these rounds, which are the tested ones
    only if the learner is linear.

    All hypotheses are scored by one product, which may round differently from the learner. The
    certificate is therefore computed from the learner's own errors.
    """
    T, promise, share = len(course), None, 1.0
    limit = CERTIFICATES[certificate]
    if rounds is not None and certificate == "hoeffding" and course.linear:
        promise, share = reservoir_risk(course.wrong, T, delta, T - rounds), 6.0

    def criterion(errors: Any, rest: Any) -> Any:
        return limit(errors, rest, delta / (share * T))

    starts = course.starts[those]
    errors, counted = errors_of(course, course.hypotheses(those), starts, criterion)
    best = int(np.argmin(np.where(counted, criterion(errors, T - starts), np.inf)))
    start = int(starts[best])
    (hypothesis,) = course.at(starts[best : best + 1])
    said = hypothesis.score_many(course.block(start, T)[0]) >= 0.0
    wrong = int(np.count_nonzero(said != (course.signs[start:] > 0.0)))
    return _selected(
        course,
        "penalised",
        hypothesis,
        delta,
        round=start,
        rest=T - start,
        errors=wrong,
        certificate=limit(wrong, T - start, delta / T),
        promise=promise,
        candidates=len(those),
    )


def errors_of(
    course: Course, hypotheses: Hypotheses, starts: np.ndarray, criterion: Criterion | None
) -> tuple[np.ndarray, np.ndarray]:
    """The errors of each hypothesis on later examples, and whether all of them were counted.

    A criterion, which must increase with the errors, drops hypotheses that cannot be the best any
    more: even without another error they would be worse than one that is wrong on all remaining
    examples.
    """
    T, size = len(course), len(starts)
    errors, alive = np.zeros(size, np.int64), np.ones(size, bool)
    rows = max(FEWEST, min(ENTRIES // size, T // LOOKS))
    for at in range(0, T, rows):
        stop = min(T, at + rows)
        those = np.flatnonzero(alive & (starts < stop))
        X, _ = course.block(at, stop)
        said = hypotheses.scores(X, those) >= 0.0
        wrong = said != (course.signs[at:stop] > 0.0)[:, None]
        wrong &= np.arange(at, stop)[:, None] >= starts[those]
        errors[those] += wrong.sum(axis=0)
        if criterion is not None and LOOKS * at // T < LOOKS * stop // T:
            left = T - np.maximum(stop, starts)
            worst = criterion(errors + left, T - starts)
            alive &= criterion(errors, T - starts) <= worst[alive].min()
    return errors, alive
