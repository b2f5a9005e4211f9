"""Options of decisions: costs, or a target of precision or recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from driftline import Decision

EXAMPLE = "Example: fraud:ok=20,ok:fraud=1"


@Parameter(name="*")
@dataclass
class DecisionOptions:
    """Options that turn probabilities into decisions.

    Parameters
    ----------
    costs
        Costs of wrong decisions as TRUTH:DECIDED=COST,TRUTH:DECIDED=COST.
        The label with the least expected cost is decided. Default: no decisions.
    precision
        Decide the positive label so that this share of the decisions for it is right.
        The positive label is that of --positive, or the second of --labels.
    recall
        Decide the positive label so that this share of its examples is found.
    """

    costs: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    precision: float | None = None
    recall: float | None = None

    def decision(self, positive: str | None, labels: str | None) -> Decision | None:
        """Return the decision; None if none of the options is given.

        ``positive`` and ``labels`` are the texts of the options of the same names.
        """
        import driftline as dl
        from driftline.cli.learner import labels_of

        given = [name for name in ("costs", "precision", "recall") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"--{given[0]} must come without --{given[1]}, got both. Choose one of them")
        if not given:
            return None
        if labels is not None and labels.count(",") == 1:
            label: Any = labels_of(labels.split(","))[1]
        else:
            label = positive
        if self.costs is not None:
            costs = _costs(self.costs)
            return dl.Decision(costs, positive=label if label in costs else None)
        if label is None:
            raise ValueError(
                f"--{given[0]} must come with the positive label, got none. "
                "Add --positive LABEL, or --labels NEGATIVE,POSITIVE"
            )
        return dl.Decision(positive=label, precision=self.precision, recall=self.recall)


def _costs(text: str) -> dict[Any, dict[Any, float]]:
    """Parse TRUTH:DECIDED=COST,TRUTH:DECIDED=COST.

    >>> _costs("fraud:ok=20,ok:fraud=1")
    {'fraud': {'ok': 20.0}, 'ok': {'fraud': 1.0}}
    """
    from driftline.cli.learner import labels_of

    names: list[str] = []
    values: list[float] = []
    for part in text.split(","):
        pair, sign, cost = part.rpartition("=")
        truth, colon, decided = pair.partition(":")
        try:
            values.append(float(cost))
        except ValueError:
            sign = ""
        if not (sign and colon and truth and decided) or ":" in decided:
            raise ValueError(f"--costs must be TRUTH:DECIDED=COST, separated by commas, got {text!r}. {EXAMPLE}")
        names += [truth, decided]
    labels = labels_of(names)
    costs: dict[Any, dict[Any, float]] = {}
    for truth, decided, value in zip(labels[::2], labels[1::2], values, strict=True):
        if decided in costs.setdefault(truth, {}):
            raise ValueError(f"--costs must have one cost of {truth}:{decided}, got two in {text!r}. Leave one out")
        costs[truth][decided] = value
    return costs
