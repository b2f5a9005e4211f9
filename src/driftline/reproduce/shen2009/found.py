"""All answers of an experiment by data set, so that what shares a stream can be told from one another by pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Answer
from driftline.reproduce.shen2009.data import many
from driftline.reproduce.shen2009.narrowing import between
from driftline.reproduce.shen2009.removing import Point
from driftline.reproduce.shen2009.solve import GAIN, curve_at


@dataclass
class Found:
    """What is known of one data set; every list is over trials, in their order."""

    key: str
    name: str
    stands_in: str
    phase: int
    features: int
    few: int
    side: int
    reused: int = 0
    runs: dict[tuple[str, str, str], list[Answer]] = field(default_factory=dict)
    """Policy, half of tuning and method: the chosen runs."""
    models: dict[tuple[str, str, str], list[Answer]] = field(default_factory=dict)
    """The same: where the weights lie."""
    points: dict[tuple[str, str, str, str], list[list[Point]]] = field(default_factory=dict)
    """Policy, half of tuning, method and reading: the same thresholds in every trial, with features and errors."""
    added: dict[tuple[str, str, str, str], list[list[Point]]] = field(default_factory=dict)
    """The same: further thresholds about the numbers of features that are judged, in every trial its own."""
    selected: dict[tuple[str, str, int], list[float]] = field(default_factory=dict)
    """Policy, method and number of features: errors."""
    alike: list[float] = field(default_factory=list)
    """The part of few features on which game and gain agree."""

    @property
    def at(self) -> list[int]:
        """Where curves have their points."""
        return curve_at(self.phase)

    @property
    def settings(self) -> list[tuple[str, str]]:
        """The policies and halves that were run."""
        return list(dict.fromkeys((policy, tuned) for policy, tuned, _ in self.runs))

    @property
    def policies(self) -> list[str]:
        """The policies that were run."""
        return list(dict.fromkeys(policy for policy, _ in self.settings))

    @property
    def trials(self) -> int:
        """How many streams were drawn."""
        return max((len(some) for some in self.runs.values()), default=0)

    @property
    def fewest(self) -> int:
        """The smallest number of features that information gain was given."""
        return min(self._gained)

    @property
    def many(self) -> int:
        """A number of features that is large and yet far from all."""
        return many(self._gained, self.features)

    @property
    def _gained(self) -> set[int]:
        return {size for _, method, size in self.selected if method == GAIN}

    def curves(self, policy: str, tuned: str, method: str) -> Floats:
        """The cumulative error rate of every trial, a row each."""
        counts = np.array([run["mistakes"] for run in self.runs[policy, tuned, method]], float)
        found: Floats = counts / np.array(self.at, float)
        return found

    def errors_at(self, policy: str, tuned: str, method: str, reading: str, features: float) -> Floats:
        """The error of every trial with so many features, the least and the most it may be: a row each."""
        points = self.thresholds(policy, tuned, method, reading)
        return np.array([between(some, features) for some in points]).T

    def thresholds(self, policy: str, tuned: str, method: str, reading: str) -> list[list[Point]]:
        """All thresholds of every trial, rising."""
        place = policy, tuned, method, reading
        added = self.added.get(place) or [[] for _ in self.points[place]]
        return [
            sorted([*points, *more], key=lambda one: one.threshold)
            for points, more in zip(self.points[place], added, strict=True)
        ]


def collected(answers: Mapping[str, Answer]) -> list[Found]:
    """The answers by data set, trials in order."""
    found: dict[str, Found] = {}
    trials: list[tuple[str, int, Answer]] = []
    for answer in answers.values():
        facts = {name: answer[name] for name in ("name", "stands_in", "phase", "features", "few", "side")}
        found.setdefault(answer["data"], Found(answer["data"], **facts))
        trials += [(answer["data"], one["trial"], one) for one in answer["trials"]]
    for key, _, trial in sorted(trials, key=lambda one: one[:2]):
        _add(found[key], trial)
    return sorted(found.values(), key=lambda one: ("usps", "news", "sraa").index(one.key))


def _add(one: Found, trial: Mapping[str, Any]) -> None:
    """Put a trial behind the others."""
    for run in trial.get("runs", ()):
        one.runs.setdefault((run["policy"], run["tuned"], run["method"]), []).append(run)
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
