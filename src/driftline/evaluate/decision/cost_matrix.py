"""The costs of decisions: what it costs to decide one label where another one is true."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats
from driftline.internals.require import number, require

WHERE = "Decision"


class CostMatrix:
    """The cost of each decision, given the truth.

    Parameters
    ----------
    costs
        A dict from true labels to dicts from decided labels to costs; or a square array, whose rows
        are true labels and whose columns are decided labels.
    labels
        The labels of the rows and columns of an array. None for a dict.
    """

    def __init__(self, costs: Any, labels: Sequence[Any] | None) -> None:
        if isinstance(costs, Mapping):
            require(labels is None, WHERE, "labels must be None if costs is a dict", labels, "Leave it out")
            self.labels, self.values = _of_dict(costs)
        else:
            self.labels, self.values = _of_array(costs, labels)
        self.index = {label: k for k, label in enumerate(self.labels)}

    def expected(self, probabilities: Floats) -> Floats:
        """The expected cost of each decision: a row for each row of probabilities.

        The sum over the true labels has a fixed order, so that one row and many give the same bits.
        """
        found = np.zeros(probabilities.shape)
        for k in range(len(self.labels)):
            found += probabilities[:, k, None] * self.values[k]
        return found

    def listed(self) -> list[dict[str, Any]]:
        """The truth, the decision and the cost of each entry, for JSON."""
        names = self.labels
        return [
            {"truth": truth, "decided": decided, "cost": float(self.values[i, j])}
            for i, truth in enumerate(names)
            for j, decided in enumerate(names)
        ]

    def dearest(self) -> Any:
        """Of two labels, the one that is more costly to miss; the second if both cost the same."""
        return self.labels[0] if self.values[0, 1] > self.values[1, 0] else self.labels[1]

    def threshold(self, positive: Any) -> float | None:
        """The least probability of the positive label, of two, at which it is decided.

        It is 0 or infinite if the same label is always decided. It is None if no threshold says what
        is decided, because right decisions cost more than wrong ones.
        """
        p, n = self.index[positive], 1 - self.index[positive]
        missed = self.values[p, n] - self.values[p, p]
        false = self.values[n, p] - self.values[n, n]
        if missed + false <= 0.0:
            return None
        found = false / (missed + false)
        return math.inf if found > 1.0 else float(max(found, 0.0))


def _of_dict(costs: Mapping[Any, Any]) -> tuple[tuple[Any, ...], Floats]:
    rows = all(isinstance(row, Mapping) for row in costs.values())
    require(rows, WHERE, "costs must be a dict from true labels to dicts from decided labels to costs", costs)
    labels = tuple(dict.fromkeys([*costs, *(decided for row in costs.values() for decided in row)]))
    require(len(labels) >= 2, WHERE, "costs must have two labels or more", costs)
    values = np.zeros((len(labels), len(labels)))
    for i, truth in enumerate(labels):
        row = costs.get(truth, {})
        for j, decided in enumerate(labels):
            if decided in row:
                values[i, j] = _cost(truth, decided, row[decided])
            elif i != j:
                raise ValueError(
                    f"{WHERE}: costs must have the cost of every wrong decision, got none of deciding {decided!r} "
                    f"where {truth!r} is true. Add costs[{truth!r}][{decided!r}]"
                )
    return labels, values


def _of_array(costs: Any, labels: Sequence[Any] | None) -> tuple[tuple[Any, ...], Floats]:
    try:
        given = np.asarray(costs)
    except Exception:
        given = np.empty(0, object)
    if given.dtype.kind not in "biuf" or given.ndim != 2:
        raise ValueError(f"{WHERE}: costs must be a dict or a square array of numbers, got {shortened(costs)}")
    listed = isinstance(labels, tuple | list | np.ndarray)
    what = "labels must name the rows and columns of costs"
    require(listed, WHERE, what, labels, "Pass labels=('ok', 'fraud'), or costs as a dict")
    assert labels is not None
    named = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)
    require(len(named) >= 2, WHERE, "labels must be two or more", named)
    require(len(set(named)) == len(named), WHERE, "labels must be different", named)
    what = f"costs must have {len(named)} rows and columns, one of each for each label"
    require(given.shape == (len(named), len(named)), WHERE, what, given.shape)
    values = np.empty(given.shape)
    for i, truth in enumerate(named):
        for j, decided in enumerate(named):
            values[i, j] = _cost(truth, decided, given[i, j].item())
    return named, values


def _cost(truth: Any, decided: Any, cost: Any) -> float:
    name = f"the cost of deciding {decided!r} where {truth!r} is true"
    value = number(WHERE, name, cost)
    require(0.0 <= value < math.inf, WHERE, f"{name} must be >= 0 and finite", cost)
    return value
