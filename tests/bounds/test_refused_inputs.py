"""Invalid inputs of theorems are refused with the condition and the value."""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, fields
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import bounds
from driftline.bounds.input_names import example
from driftline.cli.main import main
from tests.support.theorem_inputs import drawn

INPUTS = [(name, one.name) for name, kind in bounds.CATALOGUE.items() for one in fields(kind)]
every_input = pytest.mark.parametrize(("theorem", "name"), INPUTS, ids=lambda text: str(text))
NO_NUMBERS = (math.nan, math.inf, -math.inf, "1", "", b"1", [1.0], True, 1j, 10**400)
every_theorem = pytest.mark.parametrize("theorem", bounds.CATALOGUE)


def good(theorem: str) -> dict[str, Any]:
    """Inputs that meet all conditions."""
    kind, random = bounds.CATALOGUE[theorem], np.random.default_rng(sum(map(ord, theorem)))
    for _ in range(5000):
        inputs = {one.name: 1 for one in fields(kind) if one.default is None} | drawn(kind, random)
        try:
            kind(**inputs)
        except ValueError:
            continue
        return inputs
    raise AssertionError(theorem)


def words(inputs: dict[str, Any]) -> list[str]:
    return [word for name, value in inputs.items() for word in (f"--{name}", repr(value))]


@every_input
def test_no_number_comes_of_what_is_none(theorem: str, name: str) -> None:
    kind, inputs = bounds.CATALOGUE[theorem], good(theorem)
    optional = next(one.default is None for one in fields(kind) if one.name == name)
    for value in (
        math.nan,
        math.inf,
        -math.inf,
        "1",
        "",
        b"1",
        [1.0],
        True,
        1j,
        10**400,
        *(() if optional else (None,)),
    ):
        with pytest.raises(ValueError) as caught:
            kind(**{**inputs, name: value})
        said = str(caught.value)
        assert said.startswith(f"{kind.__name__}: {name} must be ") and ", got " in said


@every_input
def test_ranges(theorem: str, name: str) -> None:
    """Just outside of each end of its range."""
    kind, inputs = bounds.CATALOGUE[theorem], good(theorem)
    limits = next(one.metadata for one in fields(kind) if one.name == name)
    outside = [limits[end] for end in ("above", "below") if limits[end] is not None]
    outside += [limits["least"] - 1e-9] if limits["least"] is not None else []
    outside += [limits["most"] + 1e-9] if limits["most"] is not None else []
    outside += [limits["least"] + 0.5] if limits["whole"] else []
    assert outside
    for value in outside:
        with pytest.raises(ValueError, match=rf"^{kind.__name__}: {name} must be .*, got {value!r}$"):
            kind(**{**inputs, name: value})


MOVING = {"X": 1.0, "B": 1.0, "mu": 0.5}
TARGET = {"R": 1.0, "D": 2.0}


@pytest.mark.parametrize(
    ("theorem", "inputs", "says"),
    [
        ("perceptron-separable", {"R": 1.0, "gamma": -0.1}, "gamma must be > 0, got -0.1"),
        ("perceptron-separable", {"R": 1.0, "gamma": 1.5}, "gamma <= R must hold, got 1.5"),
        ("pnorm", {"p": 1.5, "S": 1.0, "gamma": 0.1, "D": 0.0}, "p must be >= 2, got 1.5"),
        ("projection", {"R": 1.0, "gamma": 0.1, "eta": 0.2}, "eta < 2 gamma / R^2 must hold, got 0.2"),
        ("alma-margin", {**MOVING, "rho": 0.5}, "rho < mu must hold, got 0.5"),
        ("norma-margin", {**MOVING, "T": 10, "rho": 0.7}, "rho < mu must hold, got 0.7"),
        ("alma-untuned", {**MOVING, "alpha": 1.0}, "alpha (p - 1) X^2 / 2 < mu must hold, got 0.5"),
        (
            "alma-untuned-margin",
            {**MOVING, "alpha": 0.5, "rho": 0.25},
            "rho < mu - alpha (p - 1) X^2 / 2 must hold, got 0.25",
        ),
        ("norma", {**MOVING, "T": 10, "D1": 3.0}, "D1 > 0 and D2 > 0, or both 0, must hold, got 0.0"),
        ("norma", {**MOVING, "T": 0}, "T must be >= 1, got 0"),
        ("norma-untuned", {**MOVING, "T": 10, "alpha": 1.0, "lam": 1.0}, "alpha lam < 1 must hold, got 1.0"),
        (
            "norma-untuned",
            {**MOVING, "T": 10, "alpha": 0.1, "lam": 0.0, "D1": 1.0, "D2": 0.5},
            "lam > 0 unless D2 = 0 must hold, got 0.5",
        ),
        ("shrunkpa", {**TARGET, "alpha": 0.5, "beta": 1.0}, "g > 0 must hold, got -0.05"),
        ("shrunkpa", {**TARGET, "alpha": 0.0, "beta": 1.0, "mu": 0.5}, "g > 0 must hold, got 0.0"),
        (
            "shrunkpa-path",
            {**TARGET, "alpha": 0.9, "beta": 1.0},
            "(1 - alpha^2)/R^2 - alpha D^2/(2 + alpha) > 0 must hold, got -1.0513793",
        ),
        ("l2pa", {**TARGET, "beta": 1.0}, "D <= beta must hold, got 2.0"),
        ("l1pa-path", {**TARGET, "beta": 1.9}, "D <= beta must hold, got 2.0"),
        ("l2pa", {**TARGET, "beta": 2.0, "mu": 0.25}, "1/R^2 - 2 mu beta - 2 sqrt(sigma) D > 0 must hold, got 0.0"),
        ("winnow-binary", {"n": 9, "theta": 0.5, "delta": 1.0, "U": 1.0}, "theta >= 1 must hold, got 0.5"),
        ("winnow-best", {"n": 9, "delta": 0.5, "U": 1.0, "beta": 2.0}, "beta (1 - delta) < 1 must hold, got 1.0"),
        ("winnow", {"n": 9, "theta": 1.0, "delta": 0.5, "U": 1.0, "H": 3.0}, "H <= ln n must hold, got 3.0"),
        (
            "trackingwinnow",
            {"n": 9, "N": 9.0, "delta": 1.0, "U": 1.0, "theta": 1.0, "floor": 0.2},
            "beta (1 - delta) < 1 - floor N / theta must hold, got 1.8",
        ),
        (
            "trackingwinnow",
            {"n": 9, "N": 9.0, "delta": 1.0, "U": 1.0, "up": 2.0},
            "up <= U + down must hold, got 2.0",
        ),
        ("balancedwinnow-separable", {"n": 9, "X": 1.0, "gamma": 1.0}, "gamma < X must hold, got 1.0"),
        ("winnow-or-perceptron", {"n": 9, "margin_2": 1.1, "margin_1": 0.5}, "margin_2 must be <= 1, got 1.1"),
        (
            "forgetron",
            {"B": 100, "length": 3.0, "hinge": 0.0},
            "|g| <= sqrt((B + 1) / ln(B + 1)) / 4 = 1.16952 must hold, got 3.0",
        ),
        ("halving", {"n": 4, "k": 5}, "k <= n must hold, got 5"),
        ("halving-sphere", {"d": 1, "gamma": 0.5}, "d >= 2 must hold, got 1"),
        ("fixedshare", {"n": 2, "L": 0.0, "k": 0, "alpha": 0.1, "eta": 1.0, "T": 1}, "T must be >= 2, got 1"),
        (
            "fixedshare-vote",
            {"n": 2, "L": 0.0, "k": 9, "alpha": 0.1, "eta": 1.0, "T": 9},
            "k <= T - 1 must hold, got 9",
        ),
        ("variableshare", {"n": 1, "L": 0.0, "k": 0, "alpha": 0.1, "eta": 1.0}, "n >= 2 must hold, got 1"),
        ("labelefficient-labels", {"T": 9, "m": 1.0, "close": 10.0, "b": 1.0}, "close <= T must hold, got 10.0"),
        ("mean-risk", {"k": 5, "T": 4}, "k <= T must hold, got 5"),
        ("bernstein-suffix-risk", {"k": 0, "T": 1, "t": 0}, "T must be >= 2, got 1"),
        ("hoeffding-suffix-risk", {"k": 0, "T": 9, "t": 9}, "t < T must hold, got 9"),
        ("kl-certificate", {"errors": 3, "rest": 2, "T": 9}, "errors <= rest must hold, got 3"),
        *(
            (f"{kind}-certificate", {"errors": 1, "rest": 30, "T": 10}, "rest <= T must hold, got 30")
            for kind in ("hoeffding", "chernoff", "kl", "clopper-pearson")
        ),
        ("exponentialweights-known", {"n": 2, "L": 11.0, "T": 10}, "L <= T must hold, got 11.0"),
        ("exponentialweights-anytime", {"n": 2, "L": 11.0, "T": 10}, "L <= T must hold, got 11.0"),
        ("exponentialweights-doubling", {"n": 2, "L": 11.0, "T": 10}, "L <= T must hold, got 11.0"),
        (
            "fixedshare",
            {"n": 2, "L": 9.5, "k": 0, "alpha": 0.1, "eta": 1.0, "T": 9},
            "L <= T must hold, got 9.5",
        ),
        ("tracker", {"L": 11, "T": 10}, "L <= T must hold, got 11"),
        ("tracker-stacker", {"L": 11, "T": 10}, "L <= T must hold, got 11"),
        ("pa", {"R": 0.5, "D": 1.5}, "R D >= 1 must hold, got 0.75"),
        ("romma", {"R": 0.5, "D": 1.5}, "R D >= 1 must hold, got 0.75"),
        ("l2pa", {"R": 0.5, "D": 1.5, "beta": 2.0}, "R D >= 1 must hold, got 0.75"),
        ("shrunkpa", {"R": 0.5, "D": 1.5, "alpha": 0.0, "beta": 1.0}, "R D >= 1 must hold, got 0.75"),
        ("perceptron-hinge", {"R": 1.0, "gamma": 2.0, "D": 0.4}, "D >= 1 - R / gamma must hold, got 0.4"),
        ("perceptron-quadratic", {"R": 1.0, "gamma": 2.0, "D": 0.4}, "D >= 1 - R / gamma must hold, got 0.4"),
        ("projection", {"R": 1.0, "gamma": 2.0}, "D >= 1 - R / gamma must hold, got 0.0"),
        ("labelefficient", {"b": 1.0, "R": 1.0, "gamma": 2.0}, "D >= 1 - R / gamma must hold, got 0.0"),
        ("labelefficient-adaptive", {"b": 1.0, "R": 1.0, "gamma": 2.0}, "D >= 1 - R / gamma must hold, got 0.0"),
        ("alma", {**MOVING, "mu": 3.0, "K": 1.5}, "K >= mu - B X must hold, got 1.5"),
        ("norma", {**MOVING, "mu": 3.0, "T": 10}, "K >= mu - B X must hold, got 0.0"),
        ("forgetron", {"B": 100, "length": 0.5, "hinge": 0.4}, "hinge >= 1 - |g| must hold, got 0.4"),
        ("kl-certificate", {"errors": 1, "rest": 2, "T": 9, "delta": 1.0}, "delta must be < 1, got 1.0"),
        ("average-risk", {"loss": 0.1, "T": 9, "delta": 0.0}, "delta must be > 0, got 0.0"),
        ("average-risk", {"loss": 2.0, "T": 9}, "loss <= scale must hold, got 2.0"),
    ],
)
def test_conditions(theorem: str, inputs: dict[str, Any], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind = bounds.CATALOGUE[theorem]
    with pytest.raises(ValueError) as caught:
        kind(**inputs)
    start = f"{kind.__name__}: {says}"
    assert str(caught.value).startswith(start)
    assert main(["bounds", theorem, *words(inputs)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("driftline: " + start.split(", got ")[0] + ", got ") and err.count("\n") == 1


@every_theorem
def test_every_theorem_on_the_command_line(theorem: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind, inputs = bounds.CATALOGUE[theorem], good(theorem)
    due = kind(**inputs)
    assert main(["bounds", theorem, *words(inputs), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["value"] == due.value and facts["tuning"] == due.tuning()
    assert facts["conditions"] == list(kind.conditions) and facts["tight"]["share"] == kind.tight.share
    assert main(["bounds", theorem, *words(inputs)]) == 0
    text = capsys.readouterr().out
    said = f"value: {due.value:.6g}\n" if due.useful else f"value: no useful bound: the formula gives {due.value:.6g}, "
    assert facts["useful"] is due.useful and said in text and all(one in text for one in kind.conditions)
    assert all(f"prescribes: {name} = {value:.6g}\n" in text for name, value in due.tuning().items())
    assert main(["bounds", theorem, "--json"]) == 0
    assert "value" not in json.loads(capsys.readouterr().out)


@every_theorem
def test_what_the_command_line_refuses(theorem: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and exit 2: text, NaN, infinity, an input that is missing, one that is unknown."""
    kind, inputs = bounds.CATALOGUE[theorem], good(theorem)
    first = next(one.name for one in fields(kind) if one.default is MISSING)
    wrong = [{**inputs, first: value} for value in ("x", "", "1,5", "nan", "inf", "-inf", "1e999", "1e-400")]
    wrong += [{name: value for name, value in inputs.items() if name != first}, {**inputs, "unknown": 1.0}]
    for given in wrong:
        tokens = [word for name, value in given.items() for word in (f"--{name}={value}",)]
        if given == wrong[7] and next(one.metadata["least"] == 0.0 for one in fields(kind) if one.name == first):
            continue  # 1e-400 is 0, which is in its range
        assert main(["bounds", theorem, *tokens]) == 2, tokens
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and ", got " in err, err


# names of inputs --------------------------------------------------------------------------------------------------
@every_theorem
def test_a_call_with_wrong_names_says_which_inputs_are_needed(theorem: str) -> None:
    kind = bounds.CATALOGUE[theorem]
    needed = [one.name for one in fields(kind) if one.default is MISSING]
    optional = [one.name for one in fields(kind) if one.default is not MISSING]
    for given in ({}, {"unknown": 1.0}, {needed[0]: 1.0, "unknown": 1.0}, {**good(theorem), "unknown": 1.0}):
        with pytest.raises(TypeError) as caught:
            kind(**given)
        said = str(caught.value)
        assert said.startswith(f"{kind.__name__}: inputs {', '.join(needed)} of {theorem} must be given")
        assert (f"(optional: {', '.join(optional)})" in said) == bool(optional)
        missing = [name for name in needed if name not in given]
        assert (f"; missing: {', '.join(missing)}" in said) == bool(missing)
        assert ("; unknown: unknown" in said) == ("unknown" in given)
        assert f"got {', '.join(given) or 'none'};" in said and "\n" not in said
    made = eval(said.split("Example: ")[1], {kind.__name__: kind})
    assert type(made) is kind and made == kind(**example(kind))


def test_inputs_without_a_name_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^PAMistakes: inputs must be given by name, got 2 without\. Example: PAM"):
        bounds.PAMistakes(1.0, 2.0)  # type: ignore[misc]


@pytest.mark.parametrize("name", [name for name in dl.REGISTRY if dl.rules.PARTS[name].theorem])
def test_a_learner_says_what_its_tuning_needs(name: str) -> None:
    learner = dl.REGISTRY[name]()
    with pytest.raises(ValueError) as caught:
        learner.tune()
    said = str(caught.value)
    assert said.startswith(f"{type(learner).__name__}.tune: inputs ") and "got none; missing: " in said
    tuned = eval(said.split("Example: ")[1], {"learner": learner})
    assert type(tuned) is type(learner)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--X", "1"], "got --X; missing: --B, --mu, --T."),
        (["--Q", "1"], "got --Q; missing: --X, --B, --mu, --T; unknown: --Q."),
        (["--X", "1", "--B", "1", "--mu", "1", "--T", "9", "--Q", "1"], "got --X, --B, --mu, --T, --Q; unknown: --Q."),
    ],
)
def test_the_command_says_what_it_needs(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", "norma", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    needed = "inputs --X, --B, --mu, --T of norma must be given (optional: --K, --p, --D1, --D2)"
    assert err.startswith(f"driftline: bounds: {needed}, {says} Example: driftline bounds norma --X 1 --B 1 ")
    assert main(err.strip().split("Example: driftline ")[1].split()) == 0
    assert "value: 4" in capsys.readouterr().out


# comparators that are known ---------------------------------------------------------------------------------------
X, Y = np.array([[3.0, 4.0], [-1.0, 0.0]]), np.array([1.0, -1.0])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: bounds.Comparators([2.0, 0.0], X, Y).perceptron(1.0), "|u|_2 = 1 must hold, got 2. Divide u by"),
        (lambda: bounds.Comparators([0.5, 0.0], X, Y).perceptron(1.0), "|u|_2 = 1 must hold, got 0.5. Divide u by"),
        (lambda: bounds.Comparators(np.eye(2), X, Y).perceptron(1.0), "U must be one vector: the Perceptron's"),
        (lambda: bounds.Comparators([1.0, 0.0], X, Y).perceptron(-1.0), "gamma must be > 0, got -1.0"),
        (lambda: bounds.Comparators([1.1, 0.0], X, Y).projection(1.0), "|u_t|_2 <= 1 must hold, got 1.1. Divide u by"),
        (lambda: bounds.Comparators([1.0, 0.0], X, Y).projection(math.nan), "gamma must be a number, got nan"),
        (lambda: bounds.Comparators([2.0, 0.0], X, Y).alma(1.0, B=1.5), "|u_t|_q <= B = 1.5 must hold, got 2. Divide"),
        (lambda: bounds.Comparators([2.0, 0.0], X, Y).norma(1.0, B=1.5), "|u_t|_q <= B = 1.5 must hold, got 2. Divide"),
        (lambda: bounds.Comparators([2.0, 0.0], X, Y).norma(1.0, p=1.5), "p must be >= 2 and finite, got 1.5"),
        (lambda: bounds.Comparators([1.0, math.inf], X, Y), "U must be finite, got"),
        (lambda: bounds.Comparators([1.0, 0.0], [[math.nan, 1.0]], [1.0]), "X must be finite, got"),
        (lambda: bounds.Comparators([1.0, 0.0], "ab", Y), "X must be numbers, got 'ab'"),
        (lambda: bounds.Comparators([1.0], X, Y), "U must have 2 features, as X has, got 1"),
        (lambda: bounds.Comparators(np.ones((3, 2)), X, Y), "U must have one row, or one for each of 2, got 3"),
        (lambda: bounds.Comparators([1.0, 0.0], X, [1.0, 0.0]), "labels must be -1 or +1, got [0.0, 1.0]"),
        (lambda: bounds.Comparators([1.0, 0.0], X, [1.0]), "y must have a label for each of 2 rows, got 1"),
        (lambda: bounds.Comparators([1.0, 0.0], np.zeros((0, 2)), []), "X must have a row, got 0"),
    ],
)
def test_comparators_that_are_none(call: Any, says: str) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value).startswith(f"Comparators: {says}")


def test_what_is_measured_of_comparators() -> None:
    standing = bounds.Comparators([0.6, 0.8], X, Y)
    assert standing.margins.tolist() == [5.0, 0.6] and standing.margin == 0.6 and standing.path() == (0.0, 0.0)
    assert standing.perceptron(1.0) == {"R": 5.0, "gamma": 1.0, "D": pytest.approx(0.4)}
    U = np.array([[1.0, 0.0], [0.0, -1.0]])
    moving = bounds.Comparators(U, X, Y)
    assert moving.margins.tolist() == [3.0, 0.0]
    assert moving.projection(0.5) == {"R": 5.0, "gamma": 0.5, "V": math.sqrt(2.0), "D": 1.0}
    assert moving.alma(2.0, B=1.5) == {"X": 5.0, "B": 1.5, "mu": 2.0, "K": 2.0, "p": 2.0, "D": math.sqrt(2.0)}
    norma = moving.norma(2.0, p=4.0)
    step = 2.0 ** (3.0 / 4.0)  # in the norm of q = 4/3
    assert norma["X"] == pytest.approx((81.0 + 256.0) ** 0.25) and norma["B"] == 1.0 and norma["T"] == 2
    assert (norma["D1"], norma["D2"]) == (pytest.approx(step), pytest.approx(step**2))


# certificates -----------------------------------------------------------------------------------------------------
def test_an_empty_run_certifies_nothing_and_says_so() -> None:
    for assume in (None, "iid"):
        run = dl.run(dl.Perceptron(bias=False), (np.zeros((0, 3)), np.zeros(0)), certify=True)
        certificate = run.certificate(assume=assume)
        assert certificate.bounds == () and certificate.risk is None and certificate.best is None
        assert "nothing is certified: the run had no examples" in str(certificate)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, math.nan, math.inf, "0.1", None, True])
def test_a_confidence_that_is_none(delta: Any) -> None:
    run = dl.run(dl.Perceptron(bias=False), (np.eye(2), [1, -1]), certify=True)
    with pytest.raises(ValueError, match=r"^certificate: delta must be .*, got"):
        run.certificate(delta)
