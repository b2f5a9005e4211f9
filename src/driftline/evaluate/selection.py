"""Online to batch: select one hypothesis of a run, and certify its risk.

An online learner passes through hypotheses H_0, ..., H_{T-1}, and H_t has not seen the examples
from t+1 on. If all examples are independent draws from one distribution, the later examples are a
hold-out set for H_t: its error on them bounds its risk. The bounds hold for all t at once, at a
cost of ln(T) (``driftline.internals.risk_limits``). They do not depend on the capacity of the
learner, and hold for any learner.

Cesa-Bianchi, Conconi, Gentile. On the generalization ability of on-line learning algorithms. IEEE
Trans. Information Theory 50 (2004). Cesa-Bianchi, Gentile. Improved risk tail bounds for on-line
algorithms. NIPS 2005.
Differs from the papers: the hypothesis is selected by the reported certificate, which is tighter;
the constants of the averages are smaller.
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
FEWEST = 256  # the fewest rows that are scored at a time
LOOKS = 32  # how often hypotheses that cannot be the best are dropped

Criterion = Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Selected:
    """The selected hypothesis and its certificate.

    Attributes
    ----------
    rule
        How it was selected: "last", "average", "vote" or "penalised".
    learner
        The hypothesis: the learner before round ``round``, or a vote.
    round
        The number of examples that it has seen; None if it combines several hypotheses.
    rest
        The number of examples after those.
    errors
        Its errors on the ``rest``; None if it was not tested.
    certificate
        An upper bound on its risk that holds with probability ``1 - delta``; None if there is no
        certificate.
    promise
        A bound on its risk that was known before it was tested; only for hypotheses of a linear
        learner that were drawn at random.
    delta
        The probability with which the risk may be larger than certified.
    examples, mistakes
        The number of examples of the run, and of wrong labels.
    candidates
        The number of hypotheses that it was selected from, or that it combines.
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

    def __repr__(self) -> str:
        what = self.rule if self.round is None else f"{self.rule}, the hypothesis after {self.round:,} examples"
        tested = "" if self.errors is None else f", {self.errors:,} errors on the {self.rest:,} after them"
        run = f"a run of {self.examples:,} examples with {self.mistakes:,} mistakes"
        return f"Selected from {run}: {what}{tested}\n  {self._risk()}"

    def _risk(self) -> str:
        if self.certificate is None:
            return "no risk is certified"
        if round(self.certificate, 4) >= 1.0:
            return "no useful bound on the risk: the certificate is 1"
        return f"risk at most {self.certificate:.4f} with confidence {1.0 - self.delta:g}"

    @property
    def error(self) -> float | None:
        """Its error rate on the examples after its round; None if it was not tested."""
        return self.errors / self.rest if self.errors is not None else None

    def score_many(self, X: Any) -> Floats:
        """The score of each row of X.

        Parameters
        ----------
        X
            The examples, as for ``Learner.score_many``.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The scores.
        """
        return self.learner.score_many(X)

    def predict_many(self, X: Any) -> np.ndarray:
        """Predict the label of each row of X.

        Parameters
        ----------
        X
            The examples, as for ``Learner.predict_many``.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The labels.
        """
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
    """Run a learner over the examples in their order, and turn the run into one classifier.

    **The certificate holds only if past and future examples are independent draws from one
    distribution**: no drift, no sorting, no duplicates, and no example that was used to choose
    parameters. If only the order is wrong, shuffle the examples first.

    Parameters
    ----------
    learner
        A new learner of two labels. It does not change: a copy learns.
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
        The most hypotheses that are tested, or that vote: those used in rounds drawn at random.
        None takes all hypotheses. Each is tested on all later examples, so the time grows with
        their number.
    seed
        The seed of the random rounds.

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
    require(not learner.rule.several, "select", "learner must have two labels", learner)
    require(not learner.rule.regresses, "select", "learner must be a classifier", learner)
    one_of("select", "rule", rule, RULES)
    one_of("select", "certificate", certificate, tuple(CERTIFICATES))
    require(0.0 < number("select", "delta", delta) < 1.0, "select", "delta must be in (0, 1)", delta)
    whole("select", "most", 1 if most is None else most, 1)
    whole("select", "seed", seed, 0)
    if assume != "iid":
        raise ValueError(
            f"select: assume must be 'iid', got {assume!r}. The certificate holds only for independent draws from one "
            "distribution: pass assume='iid' if your examples are, and shuffle them if only the order is wrong"
        )
    if not isinstance(data, tuple) or len(data) != 2:
        raise ValueError(f"select: data must be a pair (X, y), got {shortened(data)}. Pass arrays, or lists")
    course = Course.of(learner, *data)
    require(len(course) > 0, "select", "data must have at least one example", 0)
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

    This follows by convexity: the score of the mean weights is the mean of the scores. It does not
    hold if the scaling of x changes from round to round.
    """
    average = Averaged(course.fresh)
    average.learn_many(course.X, course.y)
    limit = None
    if largest is not None:
        if not course.linear:
            raise ValueError(
                "select: scale must not be 'standard', nor RandomFourier over names, for the certificate of an "
                f"average, which needs a fixed encoding, got {course.fresh!r}. "
                "Leave out largest, or set rule='penalised'"
            )
        hinge = np.maximum(0.0, 1.0 - course.signs * course.scores)
        seen, bound = float(hinge.max()), number("select", "largest", largest)
        require(seen <= bound, "select", f"largest must be at least the hinge loss {seen:g} of the run", largest)
        limit = float(hinge.mean()) + bound * math.sqrt(math.log(1.0 / delta) / (2.0 * len(course)))
    return _selected(course, "average", average, delta, certificate=limit, candidates=len(course.starts))


def _drawn(course: Course, most: int | None, seed: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Positions of hypotheses in ``starts``, and the random rounds that chose them.

    If there are at most ``most`` hypotheses, these are all positions, and None.
    """
    if most is None or len(course.starts) <= most:
        return np.arange(len(course.starts)), None
    rounds = np.sort(np.random.default_rng(seed).choice(len(course), most, replace=False))
    return np.unique(np.searchsorted(course.starts, rounds, side="right") - 1), rounds


def _vote(course: Course, delta: float, those: np.ndarray, rounds: np.ndarray | None) -> Selected:
    """risk <= 2 mean risk: the vote is wrong only if at least half of the votes are wrong."""
    if not course.linear:
        raise ValueError(
            "select: for rule='vote' the learner must be linear, without scale='standard' or RandomFourier over names, "
            f"got {course.fresh!r}. Set rule='penalised'"
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
    well. The promise is about the hypotheses used in these rounds. They are the tested hypotheses
    only if the learner is linear.

    All hypotheses are scored by one matrix product, which may round differently from the learner.
    The certificate is therefore computed from the errors of the learner itself.
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

    Parameters
    ----------
    course
        The run.
    hypotheses, starts
        The hypotheses, and the round in which each was used first.
    criterion
        A function of errors and examples that increases with the errors; None counts all errors.
        It drops a hypothesis that can no longer be the best: without any further error it would
        still be worse than another that is wrong on all remaining examples.

    Returns
    -------
    tuple of arrays
        The errors of each hypothesis, and whether all its errors were counted.
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
