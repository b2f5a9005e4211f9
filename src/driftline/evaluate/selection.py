"""From a run to one classifier with a certificate: which of its hypotheses to keep, and how good it is.

An online learner goes through hypotheses H_0, ..., H_{T-1}, and H_t has not seen the examples from t+1 on: on
independent examples of one distribution they are a fair test of it. So the risk of H_t is bounded by its error on them,
for all t at once, at the price of ln(T) (``driftline.internals.risk_limits``). No bound speaks of the learner's
capacity: it may be any learner.

Cesa-Bianchi, Conconi, Gentile. On the generalization ability of on-line learning algorithms. IEEE Trans. Information
Theory 50 (2004). Cesa-Bianchi, Gentile. Improved risk tail bounds for on-line algorithms. NIPS 2005.
Differs from the papers: the certificate is chosen and reported by the same expression, and is tighter; the constants of
the averages are smaller.
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
FEWEST = 256  # rows that are tried at a time
LOOKS = 32  # at which hypotheses are dropped

Criterion = Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False)
class Selected:
    """The hypothesis that was selected, and what is known of it."""

    rule: str
    learner: Learner | Vote
    """The hypothesis: a learner that has seen the examples before its round, or a vote."""
    round: int | None
    """How many examples it has seen; None for what is made of several hypotheses."""
    rest: int
    """The examples after that."""
    errors: int | None
    """Its errors on these."""
    certificate: float | None
    """Its risk is at most this, with probability ``1 - delta``; None where nothing can be said."""
    promise: float | None
    """A bound on its risk that could be told before it was tried; only of a linear learner's, drawn at random."""
    delta: float
    examples: int
    mistakes: int
    """Wrong labels of the run."""
    candidates: int
    """How many hypotheses it was selected from, or made of."""

    @property
    def error(self) -> float | None:
        """Its share of errors on the rest."""
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
    """Run a new learner over the examples ``(X, y)`` in their order and make one classifier of the run.

    "last" is the learner in the end; of its risk nothing can be said. "average" is the mean of the weights
    (``Averaged``): its certificate bounds the expected hinge loss at margin 1, and so the risk, and needs ``largest``,
    which no hinge loss of the learner can ever exceed, and a learner that is not of scale="standard". "vote" is the
    majority of all hypotheses. "penalised" is the hypothesis with the smallest certificate: "kl" is the tightest of
    those that hold for any loss, "clopper-pearson" of all. The learner itself is left as it is.

    **All that is said of the risk is true only if the examples are independent draws from one distribution**, which
    also makes the examples to come: no drift, no sorting, no repetition, no example that was used to choose parameters.
    Say ``assume="iid"`` if they are; shuffle them first if all that is missing is their order.

    Every hypothesis is tried on all the examples after it: time grows with their number. With ``most`` at most so many
    are tried or vote, those in force in rounds drawn at random by ``seed``.

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
    """risk <= M + largest sqrt(ln(1/delta) / 2T), M the mean hinge loss of the run.

    By convexity, which takes the mean of the weights to score by the mean of the scores: of one x, not of one that is
    scaled anew in each round.
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
    """Places of hypotheses among the starts: all, or those in force in rounds drawn at random, and these rounds."""
    if most is None or len(course.starts) <= most:
        return np.arange(len(course.starts)), None
    rounds = np.sort(np.random.default_rng(seed).choice(len(course), most, replace=False))
    return np.unique(np.searchsorted(course.starts, rounds, side="right") - 1), rounds


def _vote(course: Course, delta: float, those: np.ndarray, rounds: np.ndarray | None) -> Selected:
    """The vote is wrong only where half the votes are: risk <= 2 mean risk."""
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
    """The smallest certificate. Of rounds drawn at random, Hoeffding's is larger, so that it keeps a promise too.

    The promise is of the hypotheses in force in these rounds: those tried are these only where the learner is linear.
    All are tried by one product, which may round otherwise than the learner: the certificate is of the learner's own
    errors.
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
    """The errors of each hypothesis on the examples from its start on, and whether they were counted to the end.

    With a criterion, which grows with the errors, those are dropped that cannot be the best any more: even without a
    further error they would be worse than another one that errs on all that is left.
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
