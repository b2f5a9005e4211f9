"""Weights as JSON: plain values, from which a short program computes the scores.

The format has a version. A later version of driftline that changes it in a way that programs must
know raises this number.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from driftline.learners.learner import Learner
from driftline.learners.linear_form import LinearForm, linear_form
from driftline.saved.atomic_write import replace
from driftline.saved.fault import Place
from driftline.saved.plain import plain
from driftline.streams.schema.recipe import Recipe
from driftline.version import __version__

FORMAT, VERSION = "driftline-linear", 1


def to_dict(learner: Learner, *, sparse: bool = False) -> dict[str, Any]:
    """Return the weights of a linear learner, and all that its scores depend on, as plain values.

    Parameters
    ----------
    learner : Learner
        A linear learner that knows two labels or more, or a linear regressor. The others are
        refused with a ValueError, and so is ``scale=RandomFourier(...)``.
    sparse : bool, default=False
        Whether the rows of a learner of columns are sparse. It matters only with
        ``scale="standard"``, which centres arrays, but not sparse rows.

    Returns
    -------
    dict
        The content of the file that ``to_json`` writes.

    Examples
    --------
    >>> import driftline as dl
    >>> learner = dl.PA1(labels=("ham", "spam"))
    >>> _ = learner.learn_one({"free": 1.0}, "spam")
    >>> found = dl.export.to_dict(learner)
    >>> found["features"], found["labels"], found["outputs"]
    (['free'], ['ham', 'spam'], [{'label': 'spam', 'bias': 0.5, 'weights': [0.5]}])
    """
    return told(linear_form(learner, "to_dict"), learner.recipe, sparse, "to_dict")


def told(form: LinearForm, recipe: Recipe | None, sparse: bool, where: str) -> dict[str, Any]:
    """Return a linear form as plain values; error messages begin with ``where``."""
    if not (np.isfinite(form.weights).all() and np.isfinite(form.constants).all()):
        raise ValueError(
            f"{where}: weights must be finite, got weights that have overflowed. "
            "Take smaller parameters, or set scale='unit'"
        )
    return {
        "format": FORMAT,
        "version": VERSION,
        "driftline": __version__,
        "learner": form.kind,
        "task": "regression" if form.regresses else "classification",
        "input": form.input,
        "hash_bits": form.bits,
        "scale": _scale(form, sparse),
        "labels": [_plain(label, f"{where}: a label") for label in form.labels],
        "features": [_plain(name, f"{where}: a feature") for name in form.features],
        "outputs": [
            {"label": _plain(label, f"{where}: a label"), "bias": constant, "weights": weights}
            for label, constant, weights in zip(
                form.outputs, form.constants.tolist(), form.weights.T.tolist(), strict=True
            )
        ],
        "recipe": None if recipe is None else recipe.to_dict(),
    }


def to_json(learner: Learner, path: Place, *, sparse: bool = False) -> None:
    """Write the weights of a linear learner to a JSON file.

    The guide describes the format, with a program that computes scores from it. If writing fails,
    an existing file is left unchanged.

    Parameters
    ----------
    learner : Learner
        A linear learner, as for ``to_dict``.
    path : str or path
        The file to write.
    sparse : bool, default=False
        Whether the rows of a learner of columns are sparse, as for ``to_dict``.
    """
    found = told(linear_form(learner, "to_json"), learner.recipe, sparse, "to_json")
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in found.items())
    replace(path, [f"{{\n{lines}\n}}\n".encode()])


def _scale(form: LinearForm, sparse: bool) -> dict[str, Any] | None:
    """How examples are scaled; None if they are used as they are."""
    if form.length is not None:
        return {"kind": "unit", "length": form.length}
    if form.moments is None:
        return None
    return {
        "kind": "standard",
        "centred": form.input == "columns" and not sparse,
        "examples": form.moments.examples,
        "mean": form.moments.mean.tolist(),
        "spread": form.moments.spread.tolist(),
    }


def _plain(value: Any, what: str) -> Any:
    """A label or the name of a feature as a value of JSON."""
    try:
        return plain(value.item() if isinstance(value, np.generic) else value)
    except TypeError:
        raise ValueError(f"{what} must be a string, number or bool, got {value!r}. Use strings") from None
