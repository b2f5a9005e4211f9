"""Names of inputs: which a theorem needs, which are missing or unknown, and an example call."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import MISSING, fields
from typing import Any

EXAMPLES: dict[str, float] = {
    "B": 1,
    "C": 1,
    "D": 1,
    "L": 10,
    "M": 1,
    "N": 20,
    "R": 1,
    "S": 100,
    "T": 1000,
    "U": 3,
    "V": 1,
    "X": 1,
    "a": 1,
    "alpha": 0.1,
    "b": 1,
    "beta": 2,
    "close": 50,
    "d": 10,
    "delta": 0.5,
    "errors": 5,
    "eta": 0.1,
    "gamma": 0.1,
    "hinge": 5,
    "k": 2,
    "lam": 0.01,
    "lambda_u": 1,
    "length": 1,
    "logdet": 10,
    "loss": 0.1,
    "m": 0.5,
    "margin_1": 0.1,
    "margin_2": 0.1,
    "mu": 0.5,
    "n": 10,
    "p": 2,
    "rest": 500,
    "t": 100,
    "theta": 10,
    "updates": 50,
}
"""A value for each input, to be shown in an example; within the limits of most theorems."""


def example(theorem: type[Any], known: Collection[str] = ()) -> dict[str, float]:
    """Return values for the inputs that must be given.

    Parameters
    ----------
    theorem
        A class of the catalogue.
    known
        Inputs that need not be given because their values are known.
    """
    found: dict[str, float] = {}
    for one in fields(theorem):
        if one.default is MISSING and one.name not in known:
            value, below = EXAMPLES[one.name], one.metadata["below"]
            found[one.name] = max(value if below is None or value < below else below / 2, one.metadata["least"] or 0)
    return found


def wrong_names(theorem: type[Any], names: Collection[str], known: Collection[str] = (), prefix: str = "") -> str:
    """Return what is wrong with the names of the inputs in a call; empty if nothing is.

    Parameters
    ----------
    theorem
        A class of the catalogue.
    names
        Inputs of the call.
    known
        Inputs that need not be given because their values are known.
    prefix
        Text before each name: ``--`` on the command line.
    """
    all_names = [one.name for one in fields(theorem)]
    needed = [one.name for one in fields(theorem) if one.default is MISSING and one.name not in known]
    missing = [name for name in needed if name not in names]
    unknown = [name for name in names if name not in all_names]
    if not missing and not unknown:
        return ""

    def listed(some: Collection[str]) -> str:
        return ", ".join(prefix + name for name in some)

    optional = [name for name in all_names if name not in needed]
    also = f" (optional: {listed(optional)})" if optional else ""
    faults = [f"{what}: {listed(some)}" for what, some in (("missing", missing), ("unknown", unknown)) if some]
    must = f"inputs {listed(needed)} of {theorem.name} must be given{also}"
    return f"{must}, got {listed(names) or 'none'}; {'; '.join(faults)}"


def shown(inputs: dict[str, float]) -> str:
    """Return the inputs as arguments of a call in Python."""
    return ", ".join(f"{name}={value:g}" for name, value in inputs.items())
