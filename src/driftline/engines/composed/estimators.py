"""Convert scikit-learn classifiers to text and back, fit them and score with them.

The text is a call with parameters, as in Python. It is parsed, and only names of classifiers and
literals are evaluated. scikit-learn is imported on first use.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats

NUMBERS = {"inf": math.inf, "nan": math.nan}


@cache
def classifiers() -> dict[str, type[Any]]:
    """Every classifier of scikit-learn by name."""
    try:
        from sklearn.utils import all_estimators
    except ImportError:
        raise ImportError('BatchOnline needs scikit-learn: pip install "driftline[sklearn]"') from None
    return dict(all_estimators(type_filter="classifier"))


def named(text: str) -> Any:
    """The classifier that a text describes.

    >>> named("LogisticRegression(C=0.1)")
    LogisticRegression(C=0.1)
    """
    try:
        return _made(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, TypeError, KeyError, ValueError, RecursionError, MemoryError) as error:
        why = f"no {error} is known" if isinstance(error, KeyError) else str(error)
        raise ValueError(
            "BatchOnline: estimator must be a classifier of scikit-learn with parameters, such as "
            f"'LogisticRegression(C=0.1)', got {text!r} ({why}). Correct it, or pass an object with fit and predict"
        ) from None


def _made(tree: ast.expr) -> Any:
    if isinstance(tree, ast.Name):
        return classifiers()[tree.id]()
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and all(one.arg for one in tree.keywords):
        given = {one.arg: _value(one.value) for one in tree.keywords if one.arg}
        return classifiers()[tree.func.id](*map(_value, tree.args), **given)
    raise ValueError("neither a name nor a call")


def _value(tree: ast.expr) -> Any:
    """A literal, ``inf``, ``nan``, another classifier, or a list, tuple or dict of these."""
    match tree:
        case ast.Name(id) if id in NUMBERS:
            return NUMBERS[id]
        case ast.Name() | ast.Call():
            return _made(tree)
        case ast.List(inner):
            return [_value(one) for one in inner]
        case ast.Tuple(inner):
            return tuple(_value(one) for one in inner)
        case ast.Dict(keys, values) if None not in keys:
            return {_value(key): _value(one) for key, one in zip(keys, values, strict=True) if key is not None}
        case ast.UnaryOp(ast.USub(), ast.Name("inf")):
            return -math.inf
    return ast.literal_eval(tree)


def text_of(estimator: Any) -> str | None:
    """The text of a classifier, with parameters that are not the defaults; None if it has none.

    >>> text_of(named("KNeighborsClassifier(n_neighbors=3)"))
    'KNeighborsClassifier(n_neighbors=3)'
    """
    kind = type(estimator)
    if classifiers().get(kind.__name__) is not kind:
        return None
    parameters = estimator.get_params(deep=False)
    try:
        usual = {name: _said(value) for name, value in kind().get_params(deep=False).items()}
    except TypeError:  # it has required parameters
        usual = {}
    said = {name: _said(value) for name, value in parameters.items()}
    if None in said.values():
        return None
    return f"{kind.__name__}({', '.join(f'{name}={one}' for name, one in said.items() if one != usual.get(name))})"


def _said(value: Any) -> str | None:
    """A parameter as Python source; None if it is not a literal or a classifier."""
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if type(value) in (list, tuple):
        inner = _said_each(value)
        return None if inner is None else f"[{', '.join(inner)}]" if type(value) is list else _tuple(inner)
    if type(value) is dict:
        keys, values = _said_each(value), _said_each(value.values())
        if keys is None or values is None:
            return None
        return f"{{{', '.join(f'{key}: {one}' for key, one in zip(keys, values, strict=True))}}}"
    return text_of(value) if hasattr(value, "get_params") and not isinstance(value, type) else None


def _said_each(values: Iterable[Any]) -> list[str] | None:
    said = [_said(one) for one in values]
    plain = [one for one in said if one is not None]
    return plain if len(plain) == len(said) else None


def _tuple(inner: list[str]) -> str:
    return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"


def weighs(estimator: Any) -> bool:
    """Whether ``estimator.fit`` takes sample weights."""
    from sklearn.utils.validation import has_fit_parameter

    return bool(has_fit_parameter(estimator, "sample_weight"))


def takes_sparse(estimator: Any) -> bool:
    """Whether the estimator accepts a sparse matrix; False before scikit-learn 1.6."""
    try:
        from sklearn.utils import get_tags

        return bool(get_tags(estimator).input_tags.sparse)
    except (ImportError, AttributeError, TypeError, ValueError):
        return False


def fitted(template: Any, X: Any, y: Floats, w: Floats, seed: int) -> Any:
    """Fit a clone of the template; parameters ``random_state`` that are None are set to the seed.

    It is fitted with one thread, because sums over several threads are not reproducible.
    """
    if hasattr(template, "get_params"):
        from sklearn.base import clone

        estimator = clone(template)
        drawing = [
            name
            for name, value in estimator.get_params().items()
            if value is None and (name == "random_state" or name.endswith("__random_state"))
        ]
        if drawing:
            estimator.set_params(**dict.fromkeys(drawing, seed))
    else:
        estimator = deepcopy(template)
    weighted = {} if (w == 1.0).all() else {"sample_weight": w}
    with _threads().limit(limits=1):
        estimator.fit(X, y.astype(np.int64), **weighted)
    return estimator


@cache
def _threads() -> Any:
    """The controller of the linear algebra threads; threadpoolctl comes with scikit-learn."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def asked(estimator: Any) -> Callable[[Any], Floats]:
    """Return the score function of an estimator.

    It is its decision function, or 2 p - 1 for the probability p of +1, or its predicted label.
    """
    if hasattr(estimator, "decision_function"):
        return lambda X: np.asarray(estimator.decision_function(X), np.float64)
    if hasattr(estimator, "predict_proba"):
        return lambda X: 2.0 * np.asarray(estimator.predict_proba(X), np.float64)[:, -1] - 1.0
    return lambda X: np.asarray(estimator.predict(X), np.float64)
