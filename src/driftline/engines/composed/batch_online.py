"""The engine of batch classifiers: it keeps examples, and fits an estimator to them when due.

Rows are scored one by one. Scoring many at once is faster, but most estimators then give different
last bits. A model is saved as its examples. A loaded engine fits the estimator again when it is
first needed, to the same examples with the same seed, which gives the same bits. Loading itself
fits nothing, as a small file can describe a fit that takes days.
"""

from __future__ import annotations

import math
import reprlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from driftline.engines.array_checks import constant_state, of_shape, only
from driftline.engines.attribution import Attribution, occluded
from driftline.engines.composed.estimators import asked, fitted, named, takes_sparse, weighs
from driftline.engines.composed.stored_examples import ARRAYS, Example, each, matrix, packed, unpacked
from driftline.engines.engine import LEARNED, Engine
from driftline.engines.state import EVENT, FIRST, LABEL, SCORE, UPDATED, UPDATES, WEIGHT, tally
from driftline.internals.compiled import Floats
from driftline.internals.rows import Rows
from driftline.rules.composed.batch_online import MOST, BatchOnline

ROUNDING = 1e-12


class Model:
    """An estimator, the examples of its fit, and the fit, made when it is first needed."""

    def __init__(self, template: Any, examples: Sequence[Example], at: int, number: int, seed: int) -> None:
        self.examples = examples
        self.at = at
        """The number of examples learned before the fit."""
        self.template, self.number, self.seed = template, number, seed
        self.width = max(1, *(one.width for one in examples))

    @cached_property
    def sparse(self) -> bool:
        """Whether the estimator is fitted to a sparse matrix."""
        return any(one.indices is not None for one in self.examples) and takes_sparse(self.template)

    @cached_property
    def estimator(self) -> Any:
        """The fitted estimator."""
        X = matrix(self.examples, self.sparse, self.width)
        y, w = (np.array([getattr(one, name) for one in self.examples]) for name in ("label", "weight"))
        drawn = np.random.SeedSequence((self.seed, self.number)).generate_state(1)
        return fitted(self.template, X, y, w, int(drawn[0] >> 1))

    def score(self, example: Example) -> float:
        """The score of one example; columns that are new since the fit are ignored."""
        scores = asked(self.estimator)(matrix([example], self.sparse, self.width))
        if scores.shape != (1,) or not np.isfinite(scores).all():
            raise ValueError(f"scores {scores.tolist()}, expected one finite number")
        return scores.item()


class BatchEngine(Engine):
    """Examples in a sliding window, and the model of the last fit."""

    hides_bad_values = True  # an estimator may do anything with them

    def __init__(self, rule: BatchOnline, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.rule = rule
        self.features = 0
        self.kept: deque[Example] = deque(maxlen=rule.most)
        self.balance = 0  # positive minus negative labels in the window
        self.taken = 0  # examples learned; an example with weight 0 is only tested
        self.due = rule.first
        self.fits = 0
        self.model: Model | None = None
        self.why = ""

    def wider(self, features: int) -> dict[str, Any]:
        """The number of features; examples are stored one by one."""
        return {"features": features}

    @property
    def hypothesis(self) -> Model | float:
        """The model, or the more frequent class if there is no model; +1 for a tie."""
        if self.model is not None:
            return self.model
        return 1.0 if self.balance >= 0 else -1.0

    @cached_property
    def template(self) -> Any:
        """The unfitted estimator, which is cloned for each fit."""
        given = self.rule.estimator
        return named(given) if isinstance(given, str) else given

    @property
    def name(self) -> str:
        """The estimator as text, for messages."""
        given = self.rule.estimator
        return given if isinstance(given, str) else reprlib.repr(given)

    # learning -----------------------------------------------------------------------------------------------
    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; return the number of rows done, up to a refused one."""
        done = trials.shape[1]
        for i, row in enumerate(each(rows)):
            label, weight, before = trials[LABEL, i].item(), trials[WEIGHT, i].item(), self.hypothesis
            try:
                trials[SCORE, i], trials[EVENT, i] = self._score(row), 0.0
            except ValueError as error:
                self.why = str(error)
                done = i
                break
            if weight == 0.0:
                continue
            columns = None if row.indices is None else row.indices.copy()
            wrong = (trials[SCORE, i] >= 0.0) != (label > 0.0)
            if not self._take(Example(columns, row.values.copy(), label, weight), bool(wrong)):
                done = i
                break
            if self.hypothesis != before:
                trials[EVENT, i] = UPDATED
                self.state[UPDATES] += 1.0
        tally(self.state, trials, done)
        return done

    def _take(self, example: Example, wrong: bool) -> bool:
        """Store an example and fit if due; return False and change nothing if it is refused."""
        rule, taken = self.rule, self.taken + 1
        if example.weight != 1.0 and not weighs(self.template):
            self.why = (
                f"must have a sample weight of 0 or 1, as {self.name} takes no sample weights, got {example.weight}. "
                "Leave the weights out"
            )
            return False
        dropped = self.kept[0].label if len(self.kept) == rule.most else 0.0
        balance = self.balance + int(example.label - dropped)
        size = len(self.kept) + (dropped == 0.0)
        model, fits, due = self.model, self.fits, self.due
        scheduled = {"every": True, "mistake": wrong, "geometric": taken >= due}[rule.schedule]
        if scheduled and taken >= rule.first:
            if abs(balance) == size:
                model = None
            else:
                window = [*self.kept, example][-size:]
                fits += 1
                due = min(MOST, taken + max(1, math.ceil(rule.rho * size * (1.0 - ROUNDING))))
                model = Model(self.template, window, taken, fits, rule.seed)
                if self.fit(model) is None:
                    return False
        self.kept.append(example)
        self.balance, self.taken, self.model, self.fits, self.due = balance, taken, model, fits, due
        return True

    def fit(self, model: Model) -> Any:
        """The fitted estimator; None if it cannot be fitted: ``why`` says why."""
        try:
            return model.estimator
        except Exception as error:
            self.why = (
                f"must allow {self.name} to be fitted, got {_short(error)}. Correct the estimator, or raise first"
            )
            return None

    def _score(self, row: Example) -> float:
        """The score of a row; ValueError in the form of ``refusal`` if the estimator fails."""
        hypothesis = self.hypothesis
        if not isinstance(hypothesis, Model):
            return hypothesis
        try:
            return hypothesis.score(row)
        except Exception as error:
            raise ValueError(
                f"must have a score from {self.name}, got {_short(error)}. Choose another estimator, or raise first"
            ) from None

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        for i, row in enumerate(each(rows)):
            try:
                scores[i] = self._score(row)
            except ValueError as error:
                raise ValueError(f"BatchOnline: x {error}") from None

    def refusal(self) -> str:
        """Why the last example was refused."""
        return self.why

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows; one row is never half learned."""
        if size <= 1:
            return lambda: None
        kept, state = self.kept.copy(), self.state.copy()
        others = self.balance, self.taken, self.model, self.fits, self.due

        def undo() -> None:
            self.kept = kept
            self.state[:] = state
            self.balance, self.taken, self.model, self.fits, self.due = others

        return undo

    # learned state ------------------------------------------------------------------------------------------
    def attribute(self, row: Rows) -> Attribution:
        """The contributions of the entries of one row to its score, by leaving out each of them."""
        return occluded(self.score_of, row)

    def weights(self) -> Floats:
        """The weights of a linear estimator, with the intercept as the bias.

        Other estimators have none: a file may claim more columns than memory could hold.
        """
        estimator = None if self.model is None else self.fit(self.model)
        coef = getattr(estimator, "coef_", None)
        if self.model is None or not isinstance(coef, np.ndarray) or coef.shape != (1, self.model.width):
            return np.zeros(FIRST)
        w = np.zeros(FIRST + self.features)
        w[FIRST : FIRST + coef.size] = coef[0, : self.features]
        w[0] = np.ravel(getattr(estimator, "intercept_", 0.0))[0]
        return w

    def _past(self) -> int:
        """The number of examples of the last fit that have left the window."""
        if self.model is None:
            return 0
        size = len(self.model.examples)
        return max(0, min(size, self.taken - len(self.kept) - (self.model.at - size)))

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name.

        The examples are those of the last fit that have left the window, then the window.
        """
        at, size = (0, 0) if self.model is None else (self.model.at, len(self.model.examples))
        examples = [*(self.model.examples[: self._past()] if self.model is not None else ()), *self.kept]
        counts = np.array([self.taken, self.due, self.fits, at, size], np.int64)
        return {"state": self.state, "counts": counts, **packed(examples)}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays for a model file; the model is fitted again from the examples."""
        return {**self.arrays(), "state": self.state[LEARNED]}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Restore the examples; the last fit is repeated when it is needed."""
        only(arrays, "state", "counts", *ARRAYS)
        constant_state(arrays, self.state[LEARNED])
        counts = of_shape(arrays, "counts", "int64", (5,))
        examples = unpacked(arrays, features)
        taken, due, fits, at, size = counts.tolist()
        most = self.rule.most or taken
        first = taken - min(taken, most)  # of the window; the first example of the last fit is at - size
        past = max(0, min(size, first - (at - size)))
        fit = 0 <= size <= at <= taken and size == (min(at, most) if at else 0)
        fit = fit and 0 < due <= MOST and (size > 0) <= fits <= taken <= MOST
        if not fit or len(examples) != past + taken - first:
            raise ValueError(f"counts {counts.tolist()} with {len(examples)} examples")
        self.features = features
        self.kept.extend(examples[past:])
        self.balance = int(sum(one.label for one in self.kept))
        self.taken, self.due, self.fits = taken, due, fits
        if size:
            start = max(0, at - size - first)
            basis = [*examples[:past], *examples[past + start : past + max(0, at - first)]]
            if len({one.label for one in basis}) < 2:
                raise ValueError(f"examples of one label, to which {self.name} cannot be fitted")
            self.model = Model(self.template, basis, at, fits, self.rule.seed)


def _short(error: Exception) -> str:
    """Type and first line of an error."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__} ({lines[0].rstrip('.')})"
