"""The answers collected by data set, with trials in order, for paired comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Answer
from driftline.reproduce.shen2009.data import many
from driftline.reproduce.shen2009.feature_removal import Point
from driftline.reproduce.shen2009.grids import HALVES, MIXED, PA, POLICIES
from driftline.reproduce.shen2009.solve import GAIN
from driftline.reproduce.shen2009.threshold_refinement import interpolate
from driftline.reproduce.shen2009.tuned_runs import curve_at

Runs = dict[tuple[str, str, str], list[Answer]]


@dataclass
class Results:
    """The results on one data set. Every list has one entry per trial, in order."""

    key: str
    name: str
    stands_in: str
    phase: int
    features: int
    few: int
    side: int
    reused: int = 0
    passes: int = 1
    """The number of passes over the first half."""
    runs: Runs = field(default_factory=dict)
    """Policy, tuning half and method: the runs with the chosen parameter."""
    repeated: dict[int, Runs] = field(default_factory=dict)
    """Number of passes over the first half, if more than one: the runs."""
    once: Runs = field(default_factory=dict)
    """If ``passes`` is more than one: the runs with one pass."""
    models: dict[tuple[str, str, str], list[Answer]] = field(default_factory=dict)
    """Policy, tuning half and method: the distribution of the final weights over pixels."""
    points: dict[tuple[str, str, str, str], list[list[Point]]] = field(default_factory=dict)
    """Policy, tuning half, method and reading: points at the thresholds that all trials share."""
    added: dict[tuple[str, str, str, str], list[list[Point]]] = field(default_factory=dict)
    """The same keys: points at additional thresholds, which differ between trials."""
    selected: dict[tuple[str, str, int], list[float]] = field(default_factory=dict)
    """Policy, method and number of features: error rates."""
    alike: list[float] = field(default_factory=list)
    """The fraction of features on which the game and information gain agree, with few features."""

    @property
    def at(self) -> list[int]:
        """The numbers of examples at which the curves have their points."""
        return curve_at(self.phase)

    @property
    def settings(self) -> list[tuple[str, str]]:
        """The pairs of policy and tuning half that were run."""
        return list(dict.fromkeys((policy, tuned) for policy, tuned, _ in self.runs))

    @property
    def policies(self) -> list[str]:
        """The policies that were run."""
        return list(dict.fromkeys(policy for policy, _ in self.settings))

    @property
    def trials(self) -> int:
        """The number of trials."""
        return max((len(some) for some in self.runs.values()), default=0)

    @property
    def fewest(self) -> int:
        """The smallest number of features selected by information gain."""
        return min(self._gained)

    @property
    def many(self) -> int:
        """The number of features that counts as many."""
        return many(self._gained, self.features)

    @property
    def _gained(self) -> set[int]:
        return {size for _, method, size in self.selected if method == GAIN}

    @property
    def mixed(self) -> list[str]:
        """The tuning halves with both policies, so that learners with different ones compare."""
        return [tuned for tuned in HALVES if {(policy, tuned) for policy in POLICIES} <= set(self.settings)]

    def curves(self, policy: str, tuned: str, method: str) -> Floats:
        """Return the cumulative error rates, one row per trial.

        With the mixed policy PA updates on mistakes and the other learners on small margins.
        """
        return self._curves(self.runs, policy, tuned, method)

    def curves_once(self, policy: str, tuned: str, method: str) -> Floats:
        """Return the cumulative error rates after one pass over the first half."""
        return self._curves(self.once or self.runs, policy, tuned, method)

    def _curves(self, runs: Runs, policy: str, tuned: str, method: str) -> Floats:
        own = policy if policy != MIXED else POLICIES[method != PA]
        counts = np.array([run["mistakes"] for run in runs[own, tuned, method]], float)
        found: Floats = counts / np.array(self.at, float)
        return found

    def by_passes(self) -> list[Results]:
        """Return the error curves for each number of passes over the first half."""
        runs = {1: self.runs, **self.repeated}
        return [replace(self, passes=passes, runs=runs[passes], once=self.runs) for passes in sorted(runs)]

    def errors_at(self, policy: str, tuned: str, method: str, reading: str, features: float) -> Floats:
        """Return the errors at a number of features: estimates, lower bounds and upper bounds.

        There is one row for each of the three and one column per trial.
        """
        points = self.thresholds(policy, tuned, method, reading)
        return np.array([interpolate(some, features) for some in points]).T

    def thresholds(self, policy: str, tuned: str, method: str, reading: str) -> list[list[Point]]:
        """Return the points at all thresholds of every trial, by increasing threshold."""
        place = policy, tuned, method, reading
        added = self.added.get(place) or [[] for _ in self.points[place]]
        return [
            sorted([*points, *more], key=lambda one: one.threshold)
            for points, more in zip(self.points[place], added, strict=True)
        ]


def collected(answers: Mapping[str, Answer]) -> list[Results]:
    """Return the results by data set, with trials in order."""
    found: dict[str, Results] = {}
    trials: list[tuple[str, int, Answer]] = []
    for answer in answers.values():
        facts = {name: answer[name] for name in ("name", "stands_in", "phase", "features", "few", "side")}
        found.setdefault(answer["data"], Results(answer["data"], **facts))
        trials += [(answer["data"], one["trial"], one) for one in answer["trials"]]
    for key, _, trial in sorted(trials, key=lambda one: one[:2]):
        _add(found[key], trial)
    return sorted(found.values(), key=lambda one: ("usps", "news", "sraa").index(one.key))


def _add(one: Results, trial: Mapping[str, Any]) -> None:
    """Append a trial to the results."""
    for run in trial.get("runs", ()):
        one.runs.setdefault((run["policy"], run["tuned"], run["method"]), []).append(run)
    for run in trial.get("repeated", ()):
        runs = one.repeated.setdefault(run["passes"], {})
        runs.setdefault((run["policy"], run["tuned"], run["method"]), []).append(run)
    for model in trial.get("models", ()):
        one.models.setdefault((model["policy"], model["tuned"], model["method"]), []).append(model)
    kinds: dict[tuple[str, str, str, str], tuple[list[Point], list[Point]]] = {}
    for point in trial.get("points", ()):
        place = kinds.setdefault((point["policy"], point["tuned"], point["method"], point["reading"]), ([], []))
        place[point["added"]].append(Point(point["threshold"], point["features"], point["error"]))
    for kind, (points, added) in kinds.items():
        one.points.setdefault(kind, []).append(points)
        one.added.setdefault(kind, []).append(added)
    for run in trial.get("selected", ()):
        one.selected.setdefault((run["policy"], run["method"], run["features"]), []).append(run["error"])
    if "alike" in trial:
        one.alike.append(trial["alike"])
    one.reused += trial["reused"] if "runs" in trial else 0
