"""Decisions from probabilities: the least expected cost, or a target of precision or recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftline.encode.labels import array_of
from driftline.evaluate.decision import decision_state, decision_text
from driftline.evaluate.decision.achieved import Achieved
from driftline.evaluate.decision.cost_matrix import CostMatrix
from driftline.evaluate.decision.curve import PrecisionRecallCurve
from driftline.evaluate.decision.given_probabilities import block_of, checked, codes_of, row_of
from driftline.evaluate.decision.probability_bins import THRESHOLDS, bins_of
from driftline.evaluate.decision.tally import Tally
from driftline.evaluate.decision.target_threshold import LEAST, STEP, TargetThreshold
from driftline.internals.compiled import Floats
from driftline.internals.one_call import Shared, whole_call
from driftline.internals.require import number, require
from driftline.learners import LearnedBlock, Learner
from driftline.saved.fault import Place

WHERE = "Decision"


class Decision(Shared):
    """A rule that turns probabilities into decisions, and counts what they achieve.

    With ``costs`` it decides the label with the least expected cost. With ``precision`` or
    ``recall`` it decides ``positive`` if the probability of that label reaches a threshold, which is
    chosen again after every 50 labels, so that the target holds over the recent past while the other
    quantity is as good as possible. ``driftline.evaluate.decision.target_threshold`` says how.
    Otherwise the most likely of the other labels is decided.

    ``decide`` changes nothing. Call ``learn`` when the label is known, even if that is much later.
    Every example counts once, whatever its sample weight. Memory is constant. Any number of threads
    may use one decision.

    Parameters
    ----------
    costs : dict, array or None, default=None
        ``costs[truth][decided]``: what it costs to decide a label, given the truth; numbers >= 0. The
        costs of right decisions are 0 if they are left out. Or a square array, with ``labels``.
    labels : tuple or None, default=None
        The labels of the rows and columns of an array of costs.
    positive : label or None, default=None
        The label that precision and recall are about. With costs of two labels, None means the label
        that is more costly to miss.
    precision : float or None, default=None
        The precision that decisions for ``positive`` must have, between 0 and 1.
    recall : float or None, default=None
        The share of the examples of ``positive`` that must be found, between 0 and 1.
    default : float, default=0.5
        The threshold before 20 positives and 20 negatives are known.
    memory : float, default=250
        The number of positives in the recent past, >= 50. Without ``positive``, of examples.

    Examples
    --------
    >>> decision = Decision(costs={"fraud": {"ok": 20.0}, "ok": {"fraud": 1.0}})
    >>> decision.decide({"fraud": 0.1, "ok": 0.9}), decision.decide({"fraud": 0.01, "ok": 0.99})
    ('fraud', 'ok')
    >>> decision.learn({"fraud": 0.1, "ok": 0.9}, "ok")
    >>> decision.achieved.cost
    1.0
    """

    name = "decision"
    wants_probabilities = True

    def __init__(
        self,
        costs: Any = None,
        *,
        labels: Sequence[Any] | None = None,
        positive: Any = None,
        precision: float | None = None,
        recall: float | None = None,
        default: float = 0.5,
        memory: float = 250.0,
    ) -> None:
        given = [
            name for name, one in (("costs", costs), ("precision", precision), ("recall", recall)) if one is not None
        ]
        remedy = "Pass Decision(positive='fraud', recall=0.8), or costs"
        require(len(given) == 1, WHERE, "one of costs, precision and recall must be given", given, remedy)
        require(0.0 <= number(WHERE, "default", default) <= 1.0, WHERE, "default must be from 0 to 1", default)
        require(STEP <= number(WHERE, "memory", memory) <= 1e9, WHERE, f"memory must be from {STEP} to 1e9", memory)
        place: int | None = None
        self.costs: CostMatrix | None = None
        self.target: TargetThreshold | None = None
        if costs is not None:
            self.costs = CostMatrix(costs, labels)
            if positive is None and len(self.costs.labels) == 2:
                positive = self.costs.dearest()
            known = positive is None or positive in self.costs.index
            require(known, WHERE, f"positive must be one of the labels of costs, {self.costs.labels}", positive)
            place = None if positive is None else self.costs.index[positive]
        else:
            require(labels is None, WHERE, "labels must be None without costs", labels, "Leave it out")
            require(positive is not None, WHERE, f"positive must be the label that {given[0]} is about", positive)
            value = number(WHERE, given[0], recall if precision is None else precision)
            require(0.0 < value < 1.0, WHERE, f"{given[0]} must be between 0 and 1", value)
            self.target = TargetThreshold("recall" if precision is None else "precision", value)
            place = 1
        self.positive = positive
        self.default = float(default)
        self.memory = float(memory)
        self._tally = Tally(2 if self.costs is None else len(self.costs.labels), place)
        self._ready = self.target is None
        self._lowest = 0  # bin that is decided positive, once the threshold is ready

    # deciding ----------------------------------------------------------------------------------
    @property
    @whole_call
    def ready(self) -> bool:
        """Whether the threshold is one that was learned. It is always so with costs."""
        return self._ready

    @property
    @whole_call
    def threshold(self) -> float | None:
        """The least probability of ``positive`` at which it is decided.

        It is ``default`` until the decision is ready, and infinite while no threshold reaches the
        precision. With costs it is None if there are more than two labels, as all probabilities
        count then, or if right decisions cost more than wrong ones.
        """
        return self._threshold()

    def _threshold(self) -> float | None:
        if self.costs is not None:
            return self.costs.threshold(self.positive) if len(self.costs.labels) == 2 else None
        return float(THRESHOLDS[self._lowest]) if self._ready else self.default

    @whole_call
    def decide(self, probabilities: Mapping[Any, float]) -> Any:
        """Decide for one example.

        Parameters
        ----------
        probabilities
            Label to probability, as from ``learner.predict_proba_one(x)``.

        Returns
        -------
        label
            The label with the least expected cost; or ``positive`` if its probability reaches the
            threshold, else the most likely other label. None if there is no such label.
        """
        row, labels = row_of(probabilities)
        return self._decide(row, labels)[0]

    @whole_call
    def decide_many(self, probabilities: Any, labels: Sequence[Any]) -> np.ndarray:
        """Decide for each row.

        Parameters
        ----------
        probabilities
            A row for each example and a column for each label, as from
            ``learner.predict_proba_many(X)``.
        labels
            The labels of the columns, as ``learner.labels``.

        Returns
        -------
        numpy.ndarray
            The decided label of each row.
        """
        return array_of(self._decide(*block_of(probabilities, labels)))

    def _decide(self, rows: Floats, labels: tuple[Any, ...]) -> list[Any]:
        if self.costs is not None:
            costs = self.costs
            return [costs.labels[k] for k in np.argmin(costs.expected(self._by_cost(rows, labels)), axis=1).tolist()]
        flagged = self._flagged(self._of_positive(rows, labels))
        others = [k for k, label in enumerate(labels) if label != self.positive]
        if not others:
            return [self.positive if one else None for one in flagged.tolist()]
        likely = np.argmax(rows[:, others], axis=1).tolist()
        return [self.positive if one else labels[others[k]] for one, k in zip(flagged.tolist(), likely, strict=True)]

    def _flagged(self, positive: Floats) -> np.ndarray:
        """Whether each probability reaches the threshold."""
        return positive >= (THRESHOLDS[self._lowest] if self._ready else self.default)

    def _of_positive(self, rows: Floats, labels: tuple[Any, ...]) -> Floats:
        """The probability of the positive label in each row; 0 if the label is not known."""
        return rows[:, labels.index(self.positive)] if self.positive in labels else np.zeros(len(rows))

    def _by_cost(self, rows: Floats, labels: tuple[Any, ...]) -> Floats:
        """The probabilities with a column for each label of the costs."""
        assert self.costs is not None
        found = np.zeros((len(rows), len(self.costs.labels)))
        for k, label in enumerate(labels):
            if label in self.costs.index:
                found[:, self.costs.index[label]] = rows[:, k]
            else:
                require(not rows[:, k].any(), WHERE, f"costs must have the labels {self.costs.labels} only", label)
        return found

    # learning ----------------------------------------------------------------------------------
    @whole_call
    def learn(self, probabilities: Mapping[Any, float], y: Any, decided: Any = None) -> None:
        """Learn the label of one example.

        Parameters
        ----------
        probabilities
            Label to probability, as it was when the example was decided.
        y
            The label.
        decided
            What was decided. None means what the rule decides now.
        """
        row, labels = row_of(probabilities)
        self._learn(row, labels, [y], None if decided is None else [decided])

    @whole_call
    def learn_many(self, probabilities: Any, y: Any, labels: Sequence[Any], decided: Any = None) -> None:
        """Learn the labels of many examples, in order: the same as ``learn`` for each.

        Parameters
        ----------
        probabilities
            A row for each example and a column for each label, as they were when the examples were
            decided.
        y
            The label of each example.
        labels
            The labels of the columns.
        decided
            What was decided for each example. None means what the rule decides before it learns the
            label of the example.
        """
        rows, columns = block_of(probabilities, labels)
        self._learn(
            rows,
            columns,
            checked("y", y, len(rows)),
            None if decided is None else checked("decided", decided, len(rows)),
        )

    def add(self, learned: LearnedBlock, X: Any, learner: Learner) -> None:
        """Learn from a block of a run, which must have probabilities; the run calls it.

        Parameters
        ----------
        learned, X, learner
            The record of the block, its rows, and the learner.
        """
        if learned.probabilities is None:
            raise ValueError(
                f"{WHERE}: a learned block must have probabilities, got none. Learn it with keep_probabilities=True"
            )
        labels, asked = learner.labels, learned.asked
        truth = (learned.y > 0.0) if learned.classes is None else learned.classes
        if learned.classes is None and len(labels) == 1:  # the column of the other label has no name yet
            labels = (None, *labels) if truth.any() else (*labels, None)
        rows, columns = block_of(learned.probabilities[asked], labels)
        self._add(rows, columns, [labels[k] for k in truth[asked].astype(np.intp).tolist()])

    @whole_call
    def _add(self, rows: Floats, labels: tuple[Any, ...], y: list[Any]) -> None:
        self._learn(rows, labels, y, None)

    def _learn(self, rows: Floats, labels: tuple[Any, ...], y: list[Any], decided: list[Any] | None) -> None:
        """Learn rows in pieces that end where a threshold is chosen; everything is checked first."""
        costs, tally = self.costs, self._tally
        if costs is None:
            positive = self._of_positive(rows, labels)
            truth = np.array([label == self.positive for label in y], np.intp)
            chosen = None if decided is None else np.array([one == self.positive for one in decided], np.intp)
        else:
            by_cost = self._by_cost(rows, labels)
            expected = costs.expected(by_cost)
            positive = by_cost[:, tally.place or 0]
            truth = codes_of("y", y, costs.index)
            chosen = np.argmin(expected, axis=1) if decided is None else codes_of("decided", decided, costs.index)
            own = expected[np.arange(len(y)), chosen]
            tally.expected = float(np.cumsum(np.concatenate([[tally.expected], own]))[-1])  # adds in order
        bins = bins_of(positive)
        at = 0
        while at < len(y):
            part = slice(at, min(len(y), at + STEP - tally.since))
            own = self._flagged(positive[part]).astype(np.intp) if chosen is None else chosen[part]
            tally.count(truth[part], own, bins[part])
            if tally.since == STEP:
                self._step()
            at = part.stop

    def _step(self) -> None:
        """Discount the past, move the goal and choose the threshold."""
        if self.target is not None and self._ready:
            (_, false), (missed, true) = self._tally.confusion.pending.tolist()
            errors = false if self.target.quantity == "precision" else missed
            self.target.correct(true + errors, errors)
        self._tally.discount(self.memory)
        before = self._ready
        self._choose()
        if self._ready and not before:  # decisions by the default threshold are not recent ones
            self._tally.confusion.past[:] = 0.0

    def _choose(self) -> None:
        """Choose the threshold for the labels up to the last step."""
        if self.target is not None:
            bins = self._tally.bins
            self._ready = bool((bins.total - bins.pending).sum(axis=1).min() >= LEAST)
            self._lowest = self.target.chosen(bins.past) if self._ready else 0

    # results -----------------------------------------------------------------------------------
    @property
    @whole_call
    def achieved(self) -> Achieved:
        """What the decisions have achieved: precision, recall and cost, so far and recently."""
        return self._tally.achieved(self.costs, self.positive)

    @whole_call
    def curve(self, *, recent: bool = False) -> PrecisionRecallCurve:
        """Precision and recall at every threshold on the probability of ``positive``.

        Parameters
        ----------
        recent
            Whether the curve is about the recent past, not about all labels so far.

        Returns
        -------
        PrecisionRecallCurve
            The curve, exact at 2,048 thresholds of equal distance in the log-odds.
        """
        what = "positive must be a label for a curve"
        known = self._tally.place is not None
        require(known, f"{WHERE}.curve", what, self.positive, "Pass Decision(costs, positive=...)")
        bins = self._tally.bins
        return PrecisionRecallCurve.of_counts(bins.recent if recent else bins.total)

    def to_dict(self) -> dict[str, Any]:
        """The settings, the threshold and what was achieved.

        Returns
        -------
        dict
            Values for JSON; undefined ones, and an infinite threshold, are None.
        """
        return decision_text.to_dict(self)

    @whole_call
    def __repr__(self) -> str:
        rule, found = decision_text.rule_text(self), self._tally.achieved(self.costs, self.positive)
        return f"<Decision {decision_text.one_line(rule, self._threshold(), self._ready, found)}>"

    # saving ------------------------------------------------------------------------------------
    @whole_call
    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The settings and the state: plain values for JSON, and arrays."""
        return decision_state.state_of(self)

    @whole_call
    def restore(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over a state of a decision with the same settings.

        Parameters
        ----------
        meta, arrays
            What ``state`` returned. Content that no such decision can have raises a ValueError, and
            changes nothing.
        """
        decision_state.restore(self, meta, arrays)

    def save(self, path: Place) -> None:
        """Save the decision to a file; ``Decision.load`` reads it.

        Parameters
        ----------
        path
            The file to write.
        """
        decision_state.save(self, path)

    @classmethod
    def load(cls, path: Place) -> Decision:
        """Read a decision from a file.

        Parameters
        ----------
        path
            A file that ``save`` has written. A file from a stranger may be refused, but loading it
            never executes code from it.

        Returns
        -------
        Decision
            A decision that continues with the same bits.
        """
        return decision_state.load(cls, path)
