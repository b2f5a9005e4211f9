"""``driftline inspect``: describe a saved model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftline import Learner

SHOWN = 20
"""Number of columns of a kind that are listed."""


def inspect(model: str, *, top: int = 20, json: bool = False) -> int:
    """Print a model's parameters, counters, columns and largest weights.

    The weights of a Tracker are those of its voters. The weights of its features say how much one
    standard deviation of a feature changes the vote.

    Of a file of keyed learners, the number of keys, examples and errors and the worst keys are printed.

    Parameters
    ----------
    model
        A saved model (.dl file), or a file of keyed learners.
    top
        Number of weights to print, largest absolute values first. 0 prints none.
    json
        Print the result as JSON.
    """
    import json as as_json

    import driftline as dl
    from driftline.cli.keyed_model import inspect_keyed, is_keyed, text_of
    from driftline.cli.output import parameters, task_of

    if top < 0:
        raise ValueError(f"--top must be >= 0, got {top}")
    if is_keyed(model):
        found = inspect_keyed(model)
        print(as_json.dumps(found) if json else text_of(found))
        return 0
    learner = dl.load(model)
    facts: dict[str, Any] = {
        "learner": learner.kind,
        "task": task_of(learner),
        "parameters": parameters(learner),
        "labels": list(learner.labels),
        "counters": {
            words: getattr(learner, name) for name, words in _counters(learner).items() if hasattr(learner, name)
        },
        "features": learner.n_features,
        "recipe": None if learner.recipe is None else learner.recipe.to_dict(),
        "weights": [[name, value] for name, value in learner.largest(top)] if top else [],
        "feature_weights": _feature_weights(learner, top),
    }
    print(as_json.dumps(facts) if json else _text(facts))
    return 0


def _counters(learner: Learner) -> dict[str, str]:
    """Return the counters of a learner, and their names in the output."""
    if learner.rule.regresses:
        return {"n_seen": "n_seen", "margin_errors": "outside_tube", "updates": "updates", "infeasible": "infeasible"}
    names = ("n_seen", "mistakes", "label_errors", "margin_errors", "updates", "infeasible", "asked")
    return {name: name for name in names}


def _feature_weights(learner: Learner, top: int) -> list[list[Any]] | None:
    """Return the largest weights of features of a Tracker; None for other learners."""
    from driftline.learners import Tracker

    if not isinstance(learner, Tracker):
        return None
    return [[name, value] for name, value in learner.feature_weights(top)] if top else []


def _text(facts: dict[str, Any]) -> str:
    from driftline.cli.counted import listed_labels
    from driftline.internals.visible_text import visible

    lines = [facts["learner"]]
    lines += [f"  {name} = {visible(value)}" for name, value in facts["parameters"].items()]
    lines += [
        "task: regression"
        if facts["task"] == "regression"
        else f"labels: {listed_labels(facts['labels']) or 'none yet'}",
        f"features: {facts['features']:,}",
    ]
    lines += [f"{name}: {value:,}" for name, value in facts["counters"].items()]
    if facts["recipe"]:
        lines.append("files:")
        lines += [f"  {name}: {visible(text)}" for name, text in _recipe(facts["recipe"])]
    voters = facts["feature_weights"] is not None
    for title, weights in (
        ("largest weights of voters:" if voters else "largest weights:", facts["weights"]),
        ("largest weights of features, per standard deviation:", facts["feature_weights"]),
    ):
        if weights:
            lines.append(title)
            lines += [f"  {value:+.6g}  {visible(name)}" for name, value in weights]
    return "\n".join(lines)


def _recipe(recipe: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield how the model reads files, as names and texts."""
    for name in ("target", "positive", "time", "weight", "task"):
        if recipe[name] is not None:
            yield name, recipe[name]
    columns: dict[str, list[str]] = {}
    for column, kind in recipe["kinds"].items():
        if column not in (recipe["target"], recipe["time"], recipe["weight"]):
            columns.setdefault(kind, []).append(column)
    for kind, names in columns.items():
        shown = ", ".join(names[:SHOWN])
        yield kind, shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN:,} more"
    if "text" in columns:
        yield "ngrams", str(recipe["ngrams"])
    if recipe["open"]:
        yield "other columns", "read by the type of their values"
