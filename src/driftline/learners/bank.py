"""A bank of learners: a grid of parameters in one pass over the data."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from driftline import rules
from driftline.engines.engine import Engine
from driftline.engines.state import INFEASIBLES, LABEL, LABEL_ERRORS, MARGIN_ERRORS, MISTAKES, UPDATES
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.rows import Rows, cut, length
from driftline.learners.inner_learners import rules_of
from driftline.learners.learned_block import LearnedBlock, RoundRecorder
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules import Rule
from driftline.rules.kernel.random_fourier import Waves

if TYPE_CHECKING:
    from driftline.engines.composed.bank import BankEngine

COUNTS = {
    "mistakes": MISTAKES,
    "label_errors": LABEL_ERRORS,
    "margin_errors": MARGIN_ERRORS,
    "updates": UPDATES,
    "infeasible": INFEASIBLES,
}
"""Name of each count of a column to its position in the state of an engine."""


@dataclass(frozen=True)
class Column:
    """A rule of a bank and its counts so far.

    Attributes
    ----------
    rule
        The rule.
    mistakes, label_errors, margin_errors, updates, infeasible
        The counts, as in ``Learner``.
    hinge
        The sum of max(0, 1 - y * score); for a regressor, of |y - prediction|.
    """

    rule: Rule
    mistakes: int
    label_errors: int
    margin_errors: int
    updates: int
    infeasible: int
    hinge: float


class Bank(Learner):
    """Many settings in one pass over the data; the one with the fewest mistakes predicts.

    A column is one setting. It gives the same bits as a separate learner: ``bank[k]`` is a copy of
    column k as such a learner. The score and the label of the bank are those of ``best``, the
    column with the fewest mistakes so far. A bank of regressors follows the smallest sum of
    errors; it has no classifiers. ``updates`` counts the rounds in which at least one column was
    updated.
    The rule is in ``driftline.rules.composed.bank``.

    Parameters
    ----------
    learners : sequence or str, default=("pa1(C=0.01)", "pa1(C=0.1)", "pa1(C=1.0)")
        New learners of two-number rules with p = 2 and sigma = 0, or of second order; their
        rules, or texts such as "pa1(C=0.5)". Options of learners must agree, and become those of
        the bank.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing``, ``dtype`` and ``class_weight``, as in
        ``driftline.Learner``.
        ``dtype="float32"`` halves memory and time where all rules are of two numbers.

    Examples
    --------
    >>> bank = Bank(["perceptron", "pa1(C=0.1)", "norma(lam=0.1)"])
    >>> for x, y in [({"a": 1, "b": 1}, True), ({"b": 1}, False), ({"a": 1}, True)] * 5:
    ...     score = bank.learn_one(x, y)
    >>> [column.mistakes for column in bank.columns], bank.best
    ([4, 6, 5], 0)
    >>> bank.column_scores_one({"a": 1}).round(2).tolist()
    [2.0, 1.0, 2.43]
    >>> bank[0].predict_one({"b": 1})
    False
    """

    _engine: BankEngine
    rule: rules.Bank

    def __init__(
        self,
        learners: Sequence[Any] | str = ("pa1(C=0.01)", "pa1(C=0.1)", "pa1(C=1.0)"),
        **options: Unpack[Options],
    ) -> None:
        parts, chosen = rules_of("Bank", learners, options)
        super().__init__(rules.Bank(parts), **chosen)

    def __len__(self) -> int:
        return len(self.rule.learners)

    @whole_call
    def __getitem__(self, k: int) -> Learner:
        """Column k as a separate learner, with everything that it has learned.

        The learner is a copy: if it learns more, the bank does not change.
        """
        return self._column(k)

    def _column(self, k: int) -> Learner:
        from driftline.learners import REGISTRY  # imported late, because it contains Bank

        rule = self.rule.learners[k]
        parameters = {field.name: getattr(rule, field.name) for field in fields(rule)}
        learner = REGISTRY[type(rule).__name__.lower()](**parameters, **self.options)
        learner._encoder, learner._labels, learner._scaler = deepcopy((self._encoder, self._labels, self._scaler))
        learner._class_weights = deepcopy(self._class_weights)
        learner._encoder.where = learner._labels.where = type(learner).__name__
        learner._engine = self._engine.lone(range(len(self))[k])
        learner._engine.reserve(learner._width)
        learner.recipe = self.recipe
        return learner

    @property
    @whole_call
    def learners(self) -> list[Learner]:
        """Every column as a separate learner."""
        return [self._column(k) for k in range(len(self))]

    @property
    @whole_call
    def columns(self) -> list[Column]:
        """Every rule and its counts so far."""
        found = []
        for k, rule in enumerate(self.rule.learners):
            state, hinge = self._engine.state_of(k), float(self._engine.hinges[k])
            counts = {name: int(state[place]) for name, place in COUNTS.items()}
            found.append(Column(rule=rule, hinge=hinge, **counts))
        return found

    @property
    @whole_call
    def best(self) -> int:
        """The index of the column with the fewest mistakes so far; the first of equal ones."""
        return self._engine.best

    @whole_call
    def column_scores_one(self, x: Any) -> Floats:
        """The score of one example in every column.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        numpy.ndarray of shape (columns,)
            The scores; NaN where weights have overflowed.
        """
        scores: Floats = self._scores(self._encoder.one(x, False))[0]
        return scores

    @whole_call
    def column_scores_many(self, X: Any) -> Floats:
        """The score of each row in every column.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows, columns)
            The scores; NaN where weights have overflowed.
        """
        return self._scores(self._encoder.many(X, False))

    def _scores(self, rows: Rows) -> Floats:
        """The score of each row in every column."""
        scaler, size = self._scaler, length(rows)
        scores = np.zeros((size, len(self)))
        step = scaler.step if isinstance(scaler, Waves) else size
        for start in range(0, size, step):
            part = slice(start, min(size, start + step))
            some = cut(rows, part)
            if scaler is not None:
                some = scaler.scale(some, self._encoder.features, False)
            self._engine.each(some, scores[part])
        return scores

    @whole_call
    def test_then_train_each(self, X: Any, y: Any, w: Any = None) -> list[LearnedBlock]:
        """Learn the rows of X in order, and record every round of every column.

        Parameters
        ----------
        X, y, w
            Rows, labels and sample weights, as for ``learn_many``.

        Returns
        -------
        list of LearnedBlock
            The record of each column.
        """
        recorder, start = ColumnRecorder(), self._seen
        signs = self._learn(X, y, w, one=False, recorder=recorder)[LABEL]
        if not recorder.pieces:
            empty = LearnedBlock(signs, signs, signs.astype(np.uint8), start=start, regression=self.rule.regresses)
            return [empty for _ in range(len(self))]
        scores, events = recorder.columns()
        first, real = self._labels.first_sign, self.rule.regresses
        each = zip(scores, events, strict=True)
        return [LearnedBlock(signs, *one, start=start, first_sign=first, regression=real) for one in each]


class ColumnRecorder(RoundRecorder):
    """Records the scores and the events of every column of a bank."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[tuple[Floats, np.ndarray]] = []

    def learn(self, engine: Engine, rows: Rows, trials: Floats) -> int:
        """Let the bank learn the rows; return how many were learned."""
        done, scores, events = cast("BankEngine", engine).learn_columns(rows, trials)
        self.pieces.append((scores, events))
        return done

    def columns(self) -> tuple[Floats, np.ndarray]:
        """The scores and the events of all rounds, as arrays of columns by rounds."""
        if len(self.pieces) == 1:  # large blocks are in one piece: joining it would copy it
            return self.pieces[0]
        scores, events = zip(*self.pieces, strict=True)
        return np.concatenate(scores, axis=1), np.concatenate(events, axis=1)
