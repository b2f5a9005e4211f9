"""What is guaranteed about a finished run: observed mistakes beside the tightest bounds, and the risk of one hypothesis."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from driftline.bounds import Bound
from driftline.certify.tightest import Certified

DRIFT = (
    "no risk is certified: a risk is that of the next example, which only speaks of the past if all examples are "
    "independent and from one source. Pass assume='iid' where they are"
)


@dataclass(frozen=True)
class Certificate:
    """The bounds that hold for one run, and why there is none where there is none."""

    learner: str
    examples: int
    mistakes: int
    updates: int
    bounds: tuple[Certified, ...]
    """The tightest with a comparator that stands still, and the tightest with one that moves."""
    risk: Bound | None
    """Of the hypothesis that was selected, where examples are said to be independent and from one source."""
    why: tuple[str, ...]
    """What is not said, and the reason."""

    @property
    def best(self) -> Certified | None:
        """The tightest bound of all."""
        return min(self.bounds, key=lambda one: one.value, default=None)

    def observed(self, certified: Certified) -> int:
        """What the bound is on, as it was observed."""
        return self.updates if "updates" in certified.bound.limits else self.mistakes

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "learner": self.learner,
            "examples": self.examples,
            "mistakes": self.mistakes,
            "updates": self.updates,
            "bounds": [
                {
                    "theorem": one.bound.name,
                    "on": one.bound.limits,
                    "observed": self.observed(one),
                    "bound": one.value,
                    "ratio": self.observed(one) / one.value,
                    "comparator": "moves" if one.moves else "stands still",
                    "pieces": one.segments,
                    "path": one.length,
                    "inputs": _inputs(one.bound),
                }
                for one in self.bounds
            ],
            "risk": None
            if self.risk is None
            else {"theorem": self.risk.name, "value": self.risk.value, "inputs": _inputs(self.risk)},
            "why": list(self.why),
        }

    def __str__(self) -> str:
        lines = [
            f"{self.learner}: {self.mistakes:,} mistakes and {self.updates:,} updates in {self.examples:,} examples"
        ]
        for one in self.bounds:
            how = f"moves in {one.segments} pieces, path {one.length:.3g}" if one.moves else "stands still"
            lines.append(
                f"  at most {one.value:,.1f} {one.bound.limits} ({self.observed(one) / one.value:.2f} of it observed): "
                f"{one.bound.name}, the comparator {how}"
            )
        if self.risk is not None:
            lines.append(
                f"  risk at most {self.risk.value:.4f} with confidence {1.0 - self.risk.delta:g}: {self.risk.name}"
            )
        return "\n".join([*lines, *(f"  {one}" for one in self.why)])


def _inputs(bound: Bound) -> dict[str, Any]:
    return {one.name: getattr(bound, one.name) for one in fields(bound)}
