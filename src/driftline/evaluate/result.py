"""What a run leaves: its learner, its counts and its curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from driftline.certify.evidence import Evidence, EvidenceRecorder
from driftline.evaluate.comparison import Comparison
from driftline.evaluate.history import History
from driftline.evaluate.ledger import COLUMNS, Ledger
from driftline.internals.compiled import Floats
from driftline.internals.require import require
from driftline.learners import Learner

if TYPE_CHECKING:
    from driftline.evaluate.certificate import Certificate


class Run:
    """A finished run: its learner, its ledger and, if it was recorded, its history."""

    def __init__(
        self,
        name: str,
        learner: Learner,
        ledger: Ledger,
        history: History | None = None,
        recorder: EvidenceRecorder | None = None,
        stopped: str = "",
    ) -> None:
        self._recorder = recorder
        self.stopped = stopped
        """Why it ended before the stream did, at an example that it refused; empty where it did not."""
        self.certified: Certificate | None = None
        """The last certificate that was asked for: reports show it."""
        self.name = name
        self.history = history
        self.learner = learner
        self.ledger = ledger
        self.examples = ledger.examples
        self.mistakes = ledger.mistakes
        self.label_errors = ledger.label_errors
        self.margin_errors = ledger.margin_errors
        self.updates = ledger.updates
        self.infeasible = ledger.infeasible
        self.asked = ledger.asked
        self.hinge = ledger.hinge
        self.seconds = ledger.seconds

    @property
    def error(self) -> float:
        """Share of examples whose displayed label was wrong."""
        return self.label_errors / self.examples if self.examples else float("nan")

    @property
    def curve(self) -> dict[str, Floats]:
        """Cumulative counts along the stream, by name; at most a few thousand points."""
        table = self.ledger.curve.table(self.ledger.last())
        return dict(zip(COLUMNS, table.T, strict=True))

    def windowed(self, window: int = 1000) -> tuple[Floats, Floats]:
        """Position, and share of label errors over the last ``window`` examples up to there (fewer at the start)."""
        whole = isinstance(window, int | np.integer) and not isinstance(window, bool) and window >= 1
        require(whole, "Run.windowed", "window must be a whole number >= 1", window)
        at, errors = self.curve["examples"], self.curve["label_errors"]
        since = np.maximum(0.0, at[1:] - window)
        known = np.interp(since, at, errors)
        return at[1:], (errors[1:] - known) / (at[1:] - since)

    @property
    def leaders(self) -> list[tuple[int, str, float]]:
        """Of a vote: after how many examples which voter led, and with what weight. Empty for other learners.

        >>> import driftline as dl
        >>> run = dl.run(dl.Tracker(), dl.streams.SEA(1000, seed=1))
        >>> run.leaders[0][0], run.leaders[-1][0]
        (0, 1000)
        """
        if self.history is None or not self.learner.rule.elects:
            return []
        return [(r.examples, str(r.largest[0][0]), r.largest[0][1]) for r in self.history.records]

    @property
    def evidence(self) -> Evidence:
        """All examples as the engine saw them, and what came of each; the run must have been made with certify=True."""
        return self._seen().evidence()

    def certificate(self, delta: float = 0.05, assume: Literal["iid"] | None = None) -> Certificate:
        """What is guaranteed about this run, which must have been made with ``certify=True``.

        The tightest mistake bounds that comparators found in hindsight give hold whatever the examples are. The risk of
        one hypothesis, with confidence 1 - ``delta``, is added only where you say, by ``assume="iid"``, that the
        examples are independent and from one source.

        >>> import driftline as dl
        >>> run = dl.run(dl.Perceptron(), dl.streams.SEA(2000, seed=1), certify=True)
        >>> run.mistakes <= run.certificate().best.value
        True
        """
        from driftline.evaluate.certificate import certificate_of

        self.certified = certificate_of(self.name, self.learner, self._seen(), delta, assume)
        return self.certified

    def _seen(self) -> EvidenceRecorder:
        if self.learner.rule.several:
            raise ValueError(
                f"{self.name}: a run that is certified must be of two labels, got {len(self.learner.labels)}. "
                "Run it on two of them, or on one against the rest"
            )
        if self._recorder is None:
            raise ValueError(
                f"{self.name}: a run that is certified must have been made with certify=True, got one without. "
                "Run it again with it"
            )
        return self._recorder

    def to_frame(self) -> Any:
        """The curve as a pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame: pandas must be installed, got none. Use run.curve instead") from None
        return pd.DataFrame(self.curve)

    def plot(self, window: int = 1000) -> Any:
        """Draw cumulative mistakes, windowed error and, of a vote, who leads; return the matplotlib figure."""
        return Comparison([self]).plot(window)

    def __repr__(self) -> str:
        return (
            f"<Run {self.name}: {self.examples:,} examples, {self.mistakes:,} mistakes, error {self.error:.4f}, "
            f"{self.updates:,} updates, {self.seconds:.3g} s>"
        )
