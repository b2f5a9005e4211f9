"""The record of a learned block: labels, scores and events of each round."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from driftline.engines.engine import NO_VOTES, Engine
from driftline.engines.multiclass.class_engine import ClassesEngine
from driftline.engines.state import EVENT, INFEASIBLE, LABEL, PREDICTED, SCORE, UNASKED, UPDATED, WEIGHT, WRONG
from driftline.internals.compiled import Floats
from driftline.internals.rows import Rows

Events = npt.NDArray[np.uint8]
Votes = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class LearnedBlock:
    """The record of a learned block; each array has one entry per round.

    Attributes
    ----------
    y
        The label, -1 or +1. With several classes it is always 1. For a regressor, the target.
    scores
        The score before learning. With several classes it is the margin: the score of the right
        class less the highest score of another class. For a regressor it is the prediction.
    events
        The events of the round, as a sum of codes in ``driftline.engines.state``. The properties
        below decode them.
    several
        Whether the learner has several classes.
    weights
        The sample weights, or None if no weights were given.
    rows
        The examples as the engine saw them, encoded and scaled, in one or more pieces. Empty
        unless they were asked for with ``keep_rows=True``.
    votes
        The vote of every expert: -1, +1, or 0 if it took no part. Empty unless votes were asked
        for with ``keep_votes=True``, and for learners without experts.
    start
        The number of examples that the learner had learned before the block. If several threads
        learn, it gives their order.
    classes
        With several classes, the class number of each label: its position among the labels, in
        the order in which the learner met them. None with two labels.
    first_sign
        With two labels, the sign of the label that the learner met first, or -1 if both are
        declared.
    predicted
        With several classes, the class number that was predicted before learning: the first class
        with the highest score, or -1 if no class was known. If a ``Tracker`` meets its third label
        within the block, the rounds before have the class of the sign of their score. None with
        two labels, where the sign of the score tells: the positive label is predicted at 0.
    probabilities
        The probability of each label before the round was learned, as ``predict_proba_many`` gave
        it then: a row for each round. With two labels, column 0 is the negative and column 1 the
        positive label; with several classes the columns are the class numbers. A label that was
        not known before the round has 0. None unless probabilities were asked for with
        ``keep_probabilities=True``.
    regression
        Whether the learner is a regressor. It makes no mistakes: its rounds have errors.
    """

    y: Floats
    scores: Floats
    events: Events
    several: bool = False
    weights: Floats | None = None
    rows: tuple[Rows, ...] = ()
    votes: Votes = field(default_factory=lambda: NO_VOTES)
    start: int = 0
    classes: Floats | None = None
    first_sign: float = -1.0
    predicted: Floats | None = None
    probabilities: Floats | None = None
    regression: bool = False

    def __len__(self) -> int:
        return len(self.scores)

    @classmethod
    def of_trials(
        cls,
        trials: Floats,
        several: bool,
        weighted: bool,
        recorder: RoundRecorder | None = None,
        first_sign: float = -1.0,
    ) -> LearnedBlock:
        """The record of rounds that an engine has learned.

        Parameters
        ----------
        trials
            Labels, weights, scores, events and, with several classes, predictions: a column for
            each round.
        several
            Whether the learner has several classes.
        weighted
            Whether sample weights were given.
        recorder
            The recorder of rows, votes and probabilities, if there was one.
        first_sign
            With two labels, the sign of the label that the learner met first.
        """
        return cls(
            y=np.ones(trials.shape[1]) if several else trials[LABEL],
            scores=trials[SCORE],
            events=trials[EVENT].astype(np.uint8),
            several=several,
            weights=trials[WEIGHT] if weighted else None,
            rows=() if recorder is None else tuple(recorder.rows),
            votes=NO_VOTES if recorder is None else recorder.all_votes(),
            classes=trials[LABEL] if several else None,
            first_sign=first_sign,
            predicted=trials[PREDICTED] if several else None,
            probabilities=None if recorder is None else recorder.probabilities,
        )

    @property
    def mistaken(self) -> np.ndarray:
        """Rounds with y * score <= 0.

        With several classes, rounds in which another label was predicted. None for a regressor.
        """
        return self._has(WRONG) if self.several or self.regression else self.y * self.scores <= 0.0

    @property
    def wrong(self) -> np.ndarray:
        """Rounds in which the predicted label was wrong.

        Differs from ``mistaken`` at a score of exactly 0. None for a regressor.
        """
        return self._has(WRONG) if self.several or self.regression else (self.scores >= 0.0) != (self.y > 0.0)

    @property
    def updated(self) -> np.ndarray:
        """Rounds in which the example was added to the weights."""
        return self._has(UPDATED)

    @property
    def infeasible(self) -> np.ndarray:
        """Rounds in which the rule fired but its problem had no solution."""
        return self._has(INFEASIBLE)

    @property
    def asked(self) -> np.ndarray:
        """Rounds in which the learner asked for the label.

        All rounds, unless it is ``LabelEfficient``.
        """
        return ~self._has(UNASKED)

    def _has(self, event: float) -> np.ndarray:
        return (self.events & int(event)) > 0


class RoundRecorder:
    """Records the rows, the votes and the probabilities of one call, as requested.

    Parameters
    ----------
    rows
        Whether rows are recorded.
    votes
        Whether the votes of experts are recorded.
    probabilities
        Whether probabilities are recorded.
    """

    def __init__(self, *, rows: bool = False, votes: bool = False, probabilities: bool = False) -> None:
        self.keeps_rows = rows
        self.keeps_votes = votes
        self.keeps_probabilities = probabilities
        self.rows: list[Rows] = []
        self.tested: list[Floats] = []
        self.probabilities: Floats | None = None
        self._votes: list[Votes] = []

    def learn(self, engine: Engine, rows: Rows, trials: Floats) -> int:
        """Let the engine learn the rows; return how many were learned."""
        if self.keeps_probabilities and isinstance(engine, ClassesEngine) and not engine.calibrates:
            self.tested.append(np.zeros((trials.shape[1], max(engine.classes, int(trials[LABEL].max()) + 1))))
            return engine.learn_tested(rows, trials, self.tested[-1])
        if not self.keeps_votes:
            return engine.learn(rows, trials)
        done, votes = engine.learn_with_votes(rows, trials)
        self._votes.append(votes)
        return done

    def only_probabilities(self) -> RoundRecorder:
        """A recorder with the same probabilities, but without rows and votes."""
        recorder = RoundRecorder(probabilities=self.keeps_probabilities)
        recorder.probabilities = self.probabilities
        return recorder

    def all_votes(self) -> Votes:
        """The votes of all rounds so far."""
        return np.concatenate(self._votes) if self._votes else NO_VOTES
