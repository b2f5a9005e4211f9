"""A batch classifier run online: fitted again and again to the examples so far.

    part    ``estimator``, any classifier with fit and predict
    input   an example x_t; then its label y_t = -1 or +1 and its sample weight c_t

    score_t = H(x_t)                             H is the latest fit, which has not seen x_t
    H = fit((x_i, y_i, c_i) : t - n < i <= t)    after round t, where a fit is due;
                                                 n = min(t, most) examples are kept

    "every"       a fit is due in every round
    "mistake"     a fit is due in each round whose displayed label was wrong
    "geometric"   a fit is due from round t' = t + max(1, ceil(rho n)) on, t being the round of the
                  last fit; that is ceil((1 + rho) t) while all examples are kept

No fit is due before round ``first``. H(x) is the decision function of the fitted estimator, or
2 q - 1 for its probability q of +1, or its prediction. Without a fit, H(x) is the more frequent
label of the examples kept, +1 where both are equally frequent. If all examples kept have the same
label when a fit is due, there is no fit, and H(x) becomes that label. Rounds of sample weight 0
are scored and otherwise not counted. The random seed of a fit follows from ``seed`` and the
number of the fit.

Fitted at geometrically growing times, all fits together cost about 1 / rho times the last one.
H has seen only earlier examples. So its mistakes can be counted like those of any online learner,
and ``dl.select`` can be applied to it.

Gentile. Online learning: a tutorial (2005), "batch algorithms in the online setting".
Differs from the paper: only the last ``most`` examples are kept, and with a full window the next
fit is due when a share rho of it is new.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from driftline.internals.require import one_of, positive, require, whole
from driftline.rules.rule import Rule

Schedule = Literal["geometric", "every", "mistake"]
SCHEDULES = ("geometric", "every", "mistake")
ESTIMATOR = "LogisticRegression()"
MOST = 1 << 52  # more examples than any stream has


@dataclass(frozen=True)
class BatchOnline(Rule):
    """Fit ``estimator`` by a ``schedule``; ``rho`` > 0 is the parameter of "geometric".

    ``first`` is the number of examples at the first fit. ``most`` is the size of the sliding
    window; None keeps all examples.
    """

    estimator: Any = ESTIMATOR
    schedule: Schedule = "geometric"
    rho: float = 0.1
    first: int = 2
    most: int | None = 10_000
    seed: int = 0
    engine: ClassVar[str] = "composed.batch_online:BatchEngine"
    paper: ClassVar[str] = "Gentile 2005"
    single: ClassVar[bool] = False
    biased: ClassVar[bool] = False
    no_bound: ClassVar[str] = (
        "no theorem bounds the mistakes of a batch classifier that is refitted; "
        "on independent examples from one source dl.select bounds its risk"
    )

    def check(self) -> None:
        """A text or an object with fit and predict; a known schedule; rho > 0; valid integers."""
        where = "BatchOnline"
        able = not isinstance(self.estimator, type) and all(hasattr(self.estimator, one) for one in ("fit", "predict"))
        if not able and not isinstance(self.estimator, str):
            raise ValueError(
                f"{where}: estimator must be a text, or an object with fit and predict, got {self.estimator!r}. "
                f"Pass {ESTIMATOR!r}"
            )
        one_of(where, "schedule", self.schedule, SCHEDULES)
        positive(where, "rho", self.rho)
        whole(where, "first", self.first, 1)
        object.__setattr__(self, "first", int(self.first))
        if self.most is not None:
            whole(where, "most", self.most, max(2, self.first))
            object.__setattr__(self, "most", int(self.most))
        for name in ("first", "most"):
            value = getattr(self, name)
            require(value is None or value <= MOST, where, f"{name} must be at most 2^52", value)
        whole(where, "seed", self.seed, 0)
        object.__setattr__(self, "seed", int(self.seed))

    @property
    def refuses(self) -> bool:
        """True: an example is refused if the fit fails or the estimator cannot score it."""
        return True
