"""The specification of a model: its learner, its labels, and when it asks for labels."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

Whole = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A whole number that the log can hold."""
Label = str | Whole | float | bool
"""A label, or the target of a regressor."""
Value = float | Whole | str | bool | None
"""The value of a feature. None is a missing value."""
Example = dict[str, Value] | list[float]
"""An example, as requests and the log have it."""


class Efficient(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="efficient"):
    """The learner decides with ``LabelEfficient`` whether it wants a label.

    Attributes
    ----------
    b
        How often it asks, > 0: with probability ``b / (b + |score|)``.
    variant
        How the probability is computed: "constant", "adaptive" or "second".
    seed
        Seed of the random decisions.
    """

    b: float = 1.0
    variant: str = "constant"
    seed: int = 0


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="budget"):
    """The most uncertain share of the examples is wanted.

    Attributes
    ----------
    share
        The share of examples whose labels are wanted, above 0 and at most 1.
    """

    share: float = 0.1


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The specification of a model.

    Attributes
    ----------
    learner
        The name of a learner in ``driftline.REGISTRY``.
    options
        Its parameters and options, by name.
    labels
        The negative and the positive label, or the classes; None takes them as they appear.
    asking
        None wants the label of every example.
    expire_after
        Seconds after which open tickets and unmatched labels close; None keeps them.
    retention
        Seconds for which the examples stay in the log; None keeps them.
    """

    learner: str = "tracker"
    options: dict[str, Any] = {}
    labels: list[Label] | None = None
    asking: Efficient | Budget | None = None
    expire_after: float | None = None
    retention: float | None = None
