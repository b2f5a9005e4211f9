"""The Tracker, a learner without parameters to tune, and the experts that vote in it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from driftline import rules
from driftline.encode import Classes
from driftline.engines import engine_for
from driftline.engines.state import BIAS, EVENT, LABEL, PREDICTED, SCORE, WRONG, trial_rows
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import require, whole
from driftline.internals.rows import cut
from driftline.internals.text_table import aligned
from driftline.learners.learned_block import LearnedBlock, RoundRecorder
from driftline.learners.options import Options
from driftline.learners.probability_trace import hide_unknown
from driftline.learners.tracker_probabilities import CalibratedVote

if TYPE_CHECKING:
    from driftline.engines.tracker.tracker_engine import TrackerEngine


@dataclass(frozen=True)
class Voter:
    """A voter: an expert on a view of the examples, a constant, or a stacker."""

    view: str
    """The view of the examples that it learns from; with several classes "label: view"."""
    rule: str
    """Its rule, with parameters."""
    weight: float
    """Its share of the vote; the shares sum to 1, with several classes for each label."""
    mistakes: int
    """Rounds so far in which it was wrong."""

    @property
    def name(self) -> str:
        """View and rule as one text."""
        return f"{self.view} {self.rule}"


class Voters(list[Voter]):
    """Voters in order of decreasing weight; printing it shows a table."""

    def __str__(self) -> str:
        cells = [("view", "rule", "weight", "mistakes")]
        cells += [(one.view, one.rule, f"{one.weight:.4f}", f"{one.mistakes:,}") for one in self]
        return aligned(cells, words=2)

    __repr__ = __str__


def voters_of(engine: TrackerEngine, prefix: str = "") -> list[Voter]:
    """The voters of an engine, in the order of the bank; ``prefix`` precedes their views."""
    shares, errors, names = engine.shares().tolist(), engine.errors().tolist(), engine.voter_names()
    return [
        Voter(prefix + view, rule, share, int(wrong))
        for (view, rule), share, wrong in zip(names, shares, errors, strict=True)
    ]


class Tracker(CalibratedVote):
    """Nothing to tune: a vote over some forty experts on several scalings of the data.

    Use it if the best scaling, rate and rule are unknown, or change, and if boundaries may be
    curved. The experts are linear rules, trees, nearest neighbours and random features. The vote
    follows the best of them under any drift. The score is the vote, from -1 to 1. The Tracker
    adapts to scales, offsets and outliers, so leave ``scale`` at None. A sample weight multiplies
    the loss of its round. Random predictions with the share of the vote, (1 + score) / 2, have a
    better bound than the vote (``driftline.bounds.TrackerExpected``).

    ``predict_proba_one`` is calibrated, and follows drift. Regressions on the scores of all
    experts learn it along with the vote. It is finer than the vote but not a function of it: in
    doubtful cases the most probable label may differ from ``predict_one``. Sample weights do not
    change what it means, except that a round of weight 0 is not learned. Before the first label
    it is 1/2; for a model of an earlier version, until it learns more, the share of the vote.

    Values that are NaN, infinite, or 1e60 or more are missing: nothing is learned from them. In
    dicts, Series, frames and Arrow tables None, NA and null are missing too. A missing value of a
    name that has had no value so far adds no feature, unless names are hashed. A value absent from
    a dict or a sparse row is also missing if its feature had varying values in at least half of
    the rounds since it appeared, and at most 128 features have appeared; otherwise it is 0.

    There may be more than two labels, declared or as they appear. All labels share the views, the
    trees and the neighbours, and one vote decides between them; in the light bank there is one
    Tracker for each label against the others. ``scores_one`` returns the vote on each label.
    ``score_one`` is always a float: with two labels it is the vote, with more it is the lead of
    the highest vote over the second highest. ``learn_one`` then returns the margin of the right
    label. If two labels are declared, a third is refused.

    If labels come late, use ``driftline.Pending``, or ``delay`` in a run: the strong bank then
    judges its experts by what they said when they were asked.

    ``weights`` and ``largest`` are about the voters, ``feature_weights`` is about the features.
    The rule and its papers are in ``driftline.rules.tracker.tracker``.

    Parameters
    ----------
    bank : {"strong", "light", "recipe"}, default="strong"
        The experts. "light" has linear experts only and takes less time; "extended", its former
        name, means the same. "recipe" is the Tracker as first published, with one learning rate
        and fewer experts for sparse rows.
    **options
        ``labels``, ``hashing`` and ``class_weight``, as in ``driftline.Learner``. With ``scale``
        set, missing and infinite values are handled as by every other learner. There is no bias.

    Examples
    --------
    >>> tracker = Tracker()
    >>> for i in range(200):
    ...     score = tracker.learn_one({"a": i % 7, "b": 1e6 * (i % 3)}, i % 7 > 3)
    >>> tracker.predict_one({"a": 6, "b": 0}), tracker.predict_one({"a": 1})
    (True, False)
    >>> tracker.experts()[0].weight > 0.05
    True
    """

    rule: rules.Tracker | rules.TrackerOfClasses
    _engine: Any  # a TrackerEngine; from the third label on a TrackerClassesEngine
    _seen_of_two = 0
    """The number of examples learned before the third label appeared."""
    _first_sign_of_two = -1.0
    """The sign that the first label had before the third label appeared."""

    def __init__(
        self, bank: Literal["strong", "light", "extended", "recipe"] = "strong", **options: Unpack[Options]
    ) -> None:
        rule, labels = rules.Tracker(bank), options.get("labels")
        several = isinstance(labels, tuple | list) and len(labels) > 2
        super().__init__(rules.TrackerOfClasses(rule) if several else rule, **options)
        self._labels.remedy = "Correct it, leave labels out, or declare all of them"

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name; with several classes those of the Tracker of each class."""
        rule = self.rule.learner if isinstance(self.rule, rules.TrackerOfClasses) else self.rule
        return {one.name: getattr(rule, one.name) for one in fields(rule)}

    # the third label ---------------------------------------------------------------------------
    def _learn(self, x: Any, y: Any, w: Any, *, one: bool, recorder: RoundRecorder | None = None) -> Floats:
        """As every learner; a third label is an error only if two labels were declared."""
        known = [*self._labels.signs.values()]
        try:
            trials = super()._learn(x, y, w, one=one, recorder=recorder)
            if recorder is not None and recorder.probabilities is not None and not self.rule.several:
                hide_unknown(recorder.probabilities, trials[LABEL], known)
            return trials
        except ValueError:
            if self.rule.several or self.options["labels"] is not None:
                raise
            labels = [y] if one else self._labels.listed(y)
            third = self._labels.third(labels)
            if third is None:
                raise
        before = self._copied_state({})
        try:
            return self._learn_third(x, labels, w, third, one, recorder)
        except BaseException:
            self.__dict__ = before | {"_busy": True, "_torn": self._torn}  # this call is still running
            raise

    def _learn_block(self, X: Any, y: Any, w: Any, recorder: RoundRecorder | None) -> LearnedBlock:
        """As every learner; if a third label appears, the scores of all rounds are margins."""
        several, seen = self.rule.several, self._seen
        trials = self._learn(X, y, w, one=False, recorder=recorder)
        if self.rule.several and not several:  # turn scores before the third label into margins
            two = trials[:, : self._seen_of_two - seen]
            two[EVENT] += np.where((two[SCORE] >= 0.0) != (two[LABEL] > 0.0), WRONG, 0.0)
            two[PREDICTED] = np.where(two[SCORE] >= 0.0, 1.0, -1.0) != self._first_sign_of_two
            two[SCORE] *= two[LABEL]
            two[LABEL] = two[LABEL] != self._first_sign_of_two  # signs become class numbers
            if recorder is not None:
                recorder = recorder.only_probabilities()  # no certificate is given for several classes
        return LearnedBlock.of_trials(
            trials, self.rule.several, self._is_weighted(w), recorder, self._labels.first_sign
        )

    def _learn_third(
        self, x: Any, labels: list[Any], w: Any, third: int, one: bool, recorder: RoundRecorder | None
    ) -> Floats:
        """Learn the rows before row ``third`` with one engine, then switch to one per label."""
        rows = self._encoder.one(x, True) if one else self._encoder.many(x, True)
        size, known = len(labels), [*self._labels.signs.values()]
        self._check_length(rows, size)
        weights = np.broadcast_to(1.0 if w is None else self._sample_weights(w, size), size)
        self._reserve()
        first = np.zeros((trial_rows(True), third))
        keeps = recorder is not None and recorder.keeps_probabilities
        before, after = RoundRecorder(probabilities=keeps), RoundRecorder(probabilities=keeps)
        if third > 0:
            two = self._trials(labels[:third], weights[:third], False)
            self._learn_rows(cut(rows, slice(0, third)), two, before)
            first[: len(two)] = two
        self._to_several_classes()
        several = self._trials(labels[third:], weights[third:], False)
        self._learn_rows(cut(rows, slice(third, size)), several, after)
        if recorder is not None and after.probabilities is not None:
            each = np.zeros((size, after.probabilities.shape[1]))
            each[third:] = after.probabilities
            if before.probabilities is not None:
                hide_unknown(before.probabilities, first[LABEL], known)
                each[:third, :2] = before.probabilities[:, :: -int(self._first_sign_of_two)]
            recorder.probabilities = each
        return np.concatenate([first, several], axis=1)

    def _to_several_classes(self) -> None:
        """Replace the engine and the label encoding by those for several classes."""
        self._seen_of_two, self._first_sign_of_two = self._seen, self._labels.first_sign
        two, signs = self._engine, self._labels.signs
        self.rule = rules.TrackerOfClasses(self.rule)
        engine: Any = engine_for(self.rule, float(two.state[BIAS]), np.dtype(self.options["dtype"]))
        engine.take_over(two, list(signs.values()), self._width)
        self._engine, self._labels = engine, Classes(self._encoder.where)
        for label in signs:
            self._labels.sign(label)
        self._single_round = np.ones((trial_rows(True), 1))
        self._skips_checks, self._row_buffer = self._may_skip_checks(engine), None

    # voters ------------------------------------------------------------------------------------
    @property
    def _trackers(self) -> list[TrackerEngine]:
        """The engine of each label; one engine if there are two labels, or all labels share it."""
        return self._engine.trackers if self._has_trackers else [self._engine]

    @property
    def _has_trackers(self) -> bool:
        """Whether each label has an engine, as in the light bank with several classes."""
        return self.rule.several and hasattr(self._engine, "trackers")

    @whole_call
    def experts(self, label: Any = None) -> Voters:
        """The voters with their weights and mistakes.

        Parameters
        ----------
        label
            With more than two labels, the label whose voters are returned; None returns the voters
            of all labels. With at most two labels it must be None.

        Returns
        -------
        Voters
            The voters in order of decreasing weight.
        """
        return self._experts(label)

    def _experts(self, label: Any = None) -> Voters:
        labels = self._labels.known()
        if not self.rule.several:
            require(label is None, "Tracker.experts", "label must be None with at most two labels", label)
            return _ranked(voters_of(self._engine))
        require(label is None or label in labels, "Tracker.experts", f"label must be one of {labels}", label)
        if not self._has_trackers:
            return _ranked(voters_of(self._engine))
        if label is not None:
            return _ranked(voters_of(self._trackers[labels.index(label)]))
        each = zip(labels, self._trackers, strict=True)
        return _ranked([one for known, engine in each for one in voters_of(engine, f"{known}: ")])

    @whole_call
    def feature_weights(self, k: int | None = None, label: Any = None) -> list[tuple[Any, float]]:
        """The weights of features in the vote, over all experts and read-outs.

        The weight of a feature says how much one standard deviation of its values changes the
        smooth counterpart of the vote (see ``explain_one``), near the mean of all features. The
        experts count by their shares. Products of features have no effect there and are left out.
        Nonlinear experts of the strong bank count by half of the difference between their scores
        one standard deviation above and below the mean. If more than 128 features have appeared in
        sparse rows, the weight is the change if the feature is added with its largest value so far
        to a row of average length.

        Parameters
        ----------
        k
            The number of weights, at least 1; None returns all that are not 0.
        label
            With more than two labels, the label whose weights are returned; None returns those of
            all labels, named "label: feature". With at most two labels it must be None.

        Returns
        -------
        list of (feature, float)
            Features and weights, the largest absolute value first. A positive weight speaks for
            the positive label, or for ``label``.
        """
        if k is not None:
            whole("Tracker.feature_weights", "k", k, 1)
        found = sorted(self._feature_weights(label), key=lambda one: -abs(one[1]))
        return found if k is None else found[:k]

    def _feature_weights(self, label: Any) -> list[tuple[Any, float]]:
        labels, names = self._labels.known(), self._names()
        if not self.rule.several:
            require(label is None, "Tracker.feature_weights", "label must be None with at most two labels", label)
            return [(names[index], weight) for index, weight in self._engine.feature_weights().items()]
        what = f"label must be one of {labels}"
        require(label is None or label in labels, "Tracker.feature_weights", what, label)
        found: list[tuple[Any, float]] = []
        for k, known in enumerate(labels):
            if label is None or known == label:
                each = self._engine.feature_weights_of(k).items()
                found += [(names[j] if label is not None else f"{known}: {names[j]}", w) for j, w in each]
        return found

    @property
    @whole_call
    def n_missing(self) -> int:
        """The number of missing values in the examples learned."""
        return max((engine.missing() for engine in self._trackers), default=0)

    @property
    @whole_call
    def n_guarded(self) -> int:
        """The number of expert scores that were not finite and counted as 0.

        It is 0 unless an expert is broken.
        """
        return sum(engine.guarded() for engine in self._trackers)

    def _weights(self) -> dict[Any, Any]:
        if not self.rule.several:
            return _weights_by_name(self._experts())
        return {label: _weights_by_name(self._experts(label)) for label in self._labels.known()}

    def _largest(self, k: int) -> list[tuple[Any, float]]:
        return [(one.name, one.weight) for one in self._experts()[:k] if one.weight > 0.0]


def _ranked(voters: list[Voter]) -> Voters:
    """The voters in order of decreasing weight; ties stay in the given order."""
    return Voters(sorted(voters, key=lambda one: -one.weight))


def _weights_by_name(voters: Voters) -> dict[Any, float]:
    """The non-zero weights of the voters by name."""
    return {one.name: one.weight for one in voters if one.weight > 0.0}
