"""``driftline inspect``: describe a saved model."""

from __future__ import annotations

from typing import Any


def inspect(model: str, *, top: int = 20, json: bool = False) -> int:
    """Print a model's parameters, counters and largest weights.

    Parameters
    ----------
    model
        A saved model (.dl file).
    top
        Number of weights to print, largest absolute values first. 0 prints none.
    json
        Print the result as JSON.
    """
    import json as as_json

    import driftline as dl
    from driftline.cli.output import parameters

    if top < 0:
        raise ValueError(f"--top must be >= 0, got {top}")
    learner = dl.load(model)
    facts: dict[str, Any] = {
        "learner": learner.kind,
        "parameters": parameters(learner),
        "labels": list(learner.labels),
        "counters": {
            name: getattr(learner, name)
            for name in ("n_seen", "mistakes", "label_errors", "margin_errors", "updates", "infeasible", "asked")
            if hasattr(learner, name)
        },
        "features": learner.n_features,
        "weights": [[name, value] for name, value in learner.largest(top)] if top else [],
    }
    print(as_json.dumps(facts) if json else _text(facts))
    return 0


def _text(facts: dict[str, Any]) -> str:
    from driftline.internals.visible_text import visible

    lines = [facts["learner"]]
    lines += [f"  {name} = {visible(value)}" for name, value in facts["parameters"].items()]
    lines += [
        f"labels: {' and '.join(map(visible, facts['labels'])) or 'none yet'}",
        f"features: {facts['features']:,}",
    ]
    lines += [f"{name}: {value:,}" for name, value in facts["counters"].items()]
    if facts["weights"]:
        lines.append("largest weights:")
        lines += [f"  {value:+.6g}  {visible(name)}" for name, value in facts["weights"]]
    return "\n".join(lines)
