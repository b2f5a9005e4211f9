"""Every parameter and option of every learner is checked in the constructor, with one wording."""

from __future__ import annotations

import inspect
import math
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import driftline as dl
from tests.support.bitwise import REGISTRY
from tests.support.linear_cases import (
    AT_LEAST_2,
    INFEASIBLE,
    INSIDE_0_1,
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_OR_INFINITE,
    RANGES,
    REGION,
    UP_TO_1,
    WHEN_FIRED,
)

WORDS = {
    WHEN_FIRED: "must be 'margin' or 'mistake'",
    INFEASIBLE: "must be 'skip' or 'relax' or 'best' or 'raise'",
    REGION: "must be None or box, simplex, l1ball or ellipsoid",
    INSIDE_0_1: "must be in (0, 1)",
    UP_TO_1: "must be in (0, 1]",
    POSITIVE: "must be > 0",
    POSITIVE_OR_INFINITE: "must be > 0",
    NOT_NEGATIVE: "must be >= 0 and finite",
    AT_LEAST_2: "must be >= 2 and finite",
}
OUTSIDE: dict[str, list[Any]] = {
    WHEN_FIRED: ["", "Margin", "always", None, 1, True, ["margin"], b"margin"],
    INFEASIBLE: ["", "ignore", None, 0, ("skip",)],
    REGION: [
        "",
        "ball",
        "box(",
        "box(1, 2, 3)",
        "box(high=one)",
        "os.remove",
        1,
        1.0,
        True,
        b"box",
        ["box"],
        dl.Learner,
    ],
    INSIDE_0_1: [0, 1, -0.5, 1.5, math.inf, -math.inf, 0.0, 1.0],
    UP_TO_1: [0, -0.5, 1.5, math.inf, -math.inf],
    POSITIVE: [0, 0.0, -0.0, -1, -1e-300, -math.inf],
    POSITIVE_OR_INFINITE: [0, 0.0, -0.0, -1, -1e-300, -math.inf],
    NOT_NEGATIVE: [-1, -1e-300, math.inf, -math.inf],
    AT_LEAST_2: [1, 1.9999, 0, -3, math.inf, -math.inf],
}
NOT_NUMBERS = [math.nan, np.nan, "1", "", None, True, False, 1j, [1], (1.0,), np.array([1.0]), Decimal("1"), object, {}]
CHOICES = (WHEN_FIRED, INFEASIBLE, REGION)


def all_of(kind: Any = None) -> list[tuple[str, str]]:
    return [(n, p) for n in REGISTRY for p, k in RANGES[n].items() if kind is None or kind(k)]


def wording(name: str, parameter: str, what: str, value: Any) -> str:
    return "^" + re.escape(f"{dl.REGISTRY[name].__name__}: {parameter} {what}, got {value!r}") + "$"


def test_no_parameter_is_forgotten() -> None:
    for name in REGISTRY:
        given = inspect.signature(dl.REGISTRY[name].__init__).parameters
        assert set(given) - {"self", "options"} == set(RANGES[name])


@pytest.mark.parametrize("name, parameter", all_of())
def test_a_parameter_out_of_range(name: str, parameter: str) -> None:
    kind = RANGES[name][parameter]
    for value in OUTSIDE[kind]:
        with pytest.raises(ValueError, match=wording(name, parameter, WORDS[kind], value)):
            dl.REGISTRY[name](**{parameter: value})


@pytest.mark.parametrize("name, parameter", all_of(lambda kind: kind not in CHOICES))
def test_a_parameter_that_is_no_number(name: str, parameter: str) -> None:
    for value in NOT_NUMBERS:
        if value is None and name == "selftuningalma" and parameter in "BC":
            continue
        with pytest.raises(ValueError, match=wording(name, parameter, "must be a number", value)):
            dl.REGISTRY[name](**{parameter: value})


@pytest.mark.parametrize("name, parameter", all_of(lambda kind: kind in (POSITIVE, POSITIVE_OR_INFINITE)))
def test_infinity_where_it_has_a_meaning(name: str, parameter: str) -> None:
    if RANGES[name][parameter] == POSITIVE_OR_INFINITE:
        learner = dl.REGISTRY[name](**{parameter: math.inf})
        assert np.isfinite(learner.learn_many(np.eye(3), [0, 1, 0])).all()
        return
    with pytest.raises(ValueError, match=wording(name, parameter, "must be finite", math.inf)):
        dl.REGISTRY[name](**{parameter: math.inf})


@pytest.mark.parametrize("name, parameter", all_of(lambda kind: kind not in CHOICES))
def test_any_kind_of_number_is_a_parameter(name: str, parameter: str) -> None:
    kind = RANGES[name][parameter]
    value = {AT_LEAST_2: 3, INSIDE_0_1: 0.5, UP_TO_1: 1}.get(kind, 1 if parameter != "lam" else 0.5)
    plain = dl.REGISTRY[name](**{parameter: float(value)})
    scores = plain.learn_many(np.eye(3), [0, 1, 0])
    for other in (value, np.float64(value), *([np.int8(value)] if isinstance(value, int) else [])):
        learner = dl.REGISTRY[name](**{parameter: other})
        assert np.array_equal(learner.learn_many(np.eye(3), [0, 1, 0]), scores)
        assert np.array_equal(learner._engine.state, plain._engine.state)


def test_norma_forgets_less_than_everything() -> None:
    for alpha, lam in ((1.0, 1.0), (2.0, 0.5), (0.1, 10.0), (1e300, 0.001)):
        what = f"must be < 1/alpha = {1 / alpha:g}"
        with pytest.raises(ValueError, match=wording("norma", "lam", what, lam)):
            dl.NORMA(alpha=alpha, lam=lam)


BAD_OPTIONS: list[tuple[str, list[Any], str]] = [
    ("bias", ["yes", 1, 0, None, 1.0, [], np.bool_(True)], "bias must be True or False"),
    (
        "scale",
        ["foo", "", "Unit", 1, True, ["unit"], np.ones(2), b"unit"],
        "scale must be None, 'unit', 'standard' or a RandomFourier",
    ),
    ("hashing", [18, True, "18", dl.Hashing, {}], "hashing must be None or a Hashing"),
    ("dtype", ["float16", "int64", "", None, float, np.float32, 32], "dtype must be 'float64' or 'float32'"),
    ("labels", ["ab", 5, (), (1,), (1, 2, 3), (1, 1), (1, True), (0, 0.0), {1, 2}, {1: 2}, np.arange(2), iter("ab")],
     "labels must be two different values (negative, positive)"),
]  # fmt: skip


@pytest.mark.parametrize("option, values, what", BAD_OPTIONS, ids=[option for option, _, _ in BAD_OPTIONS])
def test_a_bad_option(option: str, values: list[Any], what: str) -> None:
    for name in ("pa1", "alma", "l1pa"):
        for value in values:
            with pytest.raises(ValueError, match=f"^{dl.REGISTRY[name].__name__}: {re.escape(what)}, got "):
                dl.REGISTRY[name](**{option: value})


@pytest.mark.parametrize("labels", [(None, 1), (0, math.nan), ([1], [2]), (1, {}), (np.ones(2), 1)])
def test_labels_that_are_no_values(labels: Any) -> None:
    with pytest.raises(ValueError, match=r"^PA1: a label must be (a|a single) value, got .+\. [A-Z]"):
        dl.PA1(labels=labels)


@pytest.mark.parametrize("name", dl.REGISTRY)
def test_an_unknown_parameter_is_an_error_that_names_the_known_ones(name: str) -> None:
    make = dl.REGISTRY[name]
    with pytest.raises(
        TypeError, match=rf"^{make.__name__}\(\) got an unexpected keyword argument 'biass'\. It has .*bias, "
    ):
        make(biass=True)


def test_the_known_parameters_are_in_the_order_of_the_signature() -> None:
    with pytest.raises(TypeError, match=r"'c'\. It has C, when, bias, scale, labels, hashing, dtype, class_weight$"):
        dl.PA1(c=1.0)  # type: ignore[call-arg]


def test_options_of_other_types_that_say_the_same() -> None:
    assert dl.PA1(dtype=np.dtype("float32"))._engine.v.dtype == np.float32  # type: ignore[arg-type]
    assert dl.PA1(labels=["no", "yes"]).labels == ("no", "yes")  # type: ignore[arg-type]
    assert dl.PA1(labels=(np.int64(0), np.int64(1))).labels == (0, 1)


def test_any_real_number_is_a_parameter() -> None:
    from fractions import Fraction

    exact = dl.NORMA(alpha=Fraction(1, 2), lam=np.float32(0.25), rho=1)
    assert exact.rule == dl.NORMA(alpha=0.5, lam=0.25, rho=1.0).rule
    assert repr(exact) == "NORMA(alpha=0.5, lam=0.25, rho=1.0, p=2.0)"
