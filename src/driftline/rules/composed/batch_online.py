"""A batch classifier run online: fitted again and again to the examples so far.

    H_t = fit(x_1, y_1, ..., x_t, y_t),      at t = 1, 2, 3, ...  or at  t, ceil((1 + rho) t), ...  or at each error

Fitted at geometrically growing times, all fits together cost 1 / rho times the last one. As H_t has seen examples 1..t
only, all that is known of online learners (their mistakes, and ``dl.select``) holds for it.

Gentile. Online learning: a tutorial (2005), "batch algorithms in the online setting".
Differs from the tutorial: only the last ``most`` examples are kept, and with a full window the next fit comes when a
share rho of it is new. Before there are two classes, and before the first fit, it says the more frequent class; before
any example, +1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from driftline.internals.require import one_of, positive, whole
from driftline.rules.rule import Rule

Schedule = Literal["geometric", "every", "mistake"]
SCHEDULES = ("geometric", "every", "mistake")
ESTIMATOR = "LogisticRegression()"


@dataclass(frozen=True)
class BatchOnline(Rule):
    """Fit ``estimator`` by a ``schedule``, ``rho`` > 0 being that of "geometric".

    ``first`` is the number of examples at the first fit, ``most`` how many of the last are kept (None: all of them).
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
        """A text or something with fit and predict; a known schedule; rho > 0; whole numbers."""
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
        whole(where, "seed", self.seed, 0)
        object.__setattr__(self, "seed", int(self.seed))

    @property
    def refuses(self) -> bool:
        """An example with which the estimator cannot be fitted, or that it cannot score."""
        return True
