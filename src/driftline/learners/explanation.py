"""The explanation of one score: contributions by feature that add up to it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from driftline.engines.attribution import Method
from driftline.internals.require import whole
from driftline.internals.text_table import aligned
from driftline.internals.visible_text import visible

REST_NAME = "(not additive)"
"""The name of the part of a score that belongs to no single feature."""
MISSING = " (missing)"
"""Appended to the name of a feature whose value is missing."""
SHOWN = 20
"""Number of contributions in a table."""


@dataclass(frozen=True, repr=False)
class Explanation:
    """Contributions of features to one score of a learner, as ``explain_one`` returns them.

    Printing it shows a table, and a notebook shows bars.

    Attributes
    ----------
    score
        The explained score: ``math.fsum`` of all contributions. It is the score of the learner up
        to rounding. If ``vote`` is not None, it is the smooth counterpart of the vote.
    label
        The label that the score speaks for: a positive contribution speaks for it, a negative one
        against it. None if this label is not known yet.
    predicted
        The label that the learner predicts; None if it knows no label.
    contributions
        Feature to contribution, the largest absolute value first. Contributions of exactly 0 are
        left out. "(bias)" is the constant part, "(not additive)" the part that belongs to no
        single feature, and "name (missing)" is a feature whose value is missing. "(waves)" and
        "(neighbours)" are the experts of a ``Tracker`` that mix all features.
    vote
        The vote of a ``Tracker``, as ``scores_one`` returns it for ``label``; None for other
        learners.
    method
        "linear": contributions are the terms of w.x. "proportional": the score is a function of
        such sums, distributed in proportion to their terms. "occlusion": a contribution is the
        score less the score without the feature.
    learner
        The kind of learner.
    """

    score: float
    label: Any
    predicted: Any
    contributions: dict[Any, float]
    vote: float | None
    method: Method
    learner: str

    def largest(self, k: int) -> list[tuple[Any, float]]:
        """The k contributions with the largest absolute values.

        Parameters
        ----------
        k
            The number of contributions, at least 1.

        Returns
        -------
        list of (feature, float)
            Features and contributions, the largest absolute value first.
        """
        whole("Explanation.largest", "k", k, 1)
        return list(self.contributions.items())[:k]

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values, for JSON.

        Returns
        -------
        dict
            Attribute to value; the contributions are a list of [feature, contribution].
        """
        return {
            "learner": self.learner,
            "label": self.label,
            "predicted": self.predicted,
            "score": self.score,
            "vote": self.vote,
            "method": self.method,
            "contributions": [[name, value] for name, value in self.contributions.items()],
        }

    # views -------------------------------------------------------------------------------------
    def _headline(self) -> str:
        of = "" if self.label is None else f" of {self.label}"
        vote = "" if self.vote is None else f", vote {self.vote:+.4g}"
        return f"{self.learner}: score {self.score:+.4g}{of}{vote}, predicted {self.predicted}"

    def _shown(self) -> list[tuple[str, float]]:
        """The rows of a table: the largest contributions, and the sum of all others."""
        rows = [(str(name), value) for name, value in self.contributions.items()]
        if len(rows) > SHOWN:
            others = math.fsum(value for _, value in rows[SHOWN:])
            rows = [*rows[:SHOWN], (f"({len(rows) - SHOWN:,} others)", others)]
        return rows

    def __str__(self) -> str:
        cells = [("feature", "contribution"), *((name, f"{value:+.4g}") for name, value in self._shown())]
        return f"{visible(self._headline())}\n{aligned([*cells, ('sum', f'{self.score:+.4g}')])}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        shown = self._shown()
        most = max((abs(value) for _, value in shown), default=1.0)
        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(visible(name))}</td>"
            f"<td style='text-align:right'>{value:+.4g}</td><td style='text-align:left'>{_bar(value / most)}</td></tr>"
            for name, value in shown
        )
        total = (
            f"<tr><th style='text-align:left'>sum</th><th style='text-align:right'>{self.score:+.4g}</th><td></td></tr>"
        )
        return f"<table><caption>{escape(visible(self._headline()))}</caption>{rows}{total}</table>"


def _bar(size: float) -> str:
    """A bar from the middle to the right for positive sizes, to the left for negative ones."""
    width, colour = 60.0 * abs(size), "#2f7ed8" if size > 0.0 else "#d8572f"
    left = 60.0 if size > 0.0 else 60.0 - width
    return (
        "<div style='width:120px;height:0.8em'>"
        f"<div style='margin-left:{left:.1f}px;width:{width:.1f}px;height:100%;background:{colour}'></div></div>"
    )


def explanation(
    terms: Iterable[tuple[Any, float]], label: Any, predicted: Any, vote: float | None, method: Method, learner: str
) -> Explanation:
    """The explanation that consists of these terms: features, which may repeat, and contributions."""
    by_name: dict[Any, list[float]] = {}
    for name, value in terms:
        by_name.setdefault(name, []).append(value)
    sums = {name: math.fsum(values) for name, values in by_name.items()}
    ranked = sorted(((name, value) for name, value in sums.items() if value != 0.0), key=lambda one: -abs(one[1]))
    score = math.fsum(value for _, value in ranked)
    return Explanation(score, label, predicted, dict(ranked), vote, method, learner)
