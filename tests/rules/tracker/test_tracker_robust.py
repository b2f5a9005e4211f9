"""The tracker keeps its error whatever is done to the features, and knows when labels are wrong or rare.

What it may lose is what its recipe was once found to lose on real streams, here as the mean over several draws of the
damage: of elec2 and SEA three, of USPS ten draws of the stream itself. Synthetic streams are shorter, and so
the damage is larger there. What bad rows at the start may cost is what they were found to cost here. The strong bank
has the limits of the light one, on fewer streams and draws.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
import tracker_damage  # noqa: E402
from tracker_damage import CHANGES, DRAWN, DRAWS, Bank, Change, draws_of, error, votes  # noqa: E402


def stream(name: str, draw: int) -> tuple[Any, np.ndarray]:
    try:
        return tracker_damage.stream(name, draw)
    except FileNotFoundError as absent:
        pytest.skip(str(absent))


def losses(name: str, change: Change, draws: int, bank: Bank = "light") -> np.ndarray:
    stream(name, 0)
    return tracker_damage.losses(name, change, draws, bank)


def errors(X: Any, y: np.ndarray, bank: Bank = "light") -> tuple[float, float]:
    """The error of the vote, and that of the best single expert."""
    said, learner = votes(X, y, bank)
    assert np.isfinite(said).all() and np.abs(said).max() <= 1.0 and learner.n_guarded == 0
    others = ("stacker", "constant", "read-out", "label")
    best = min(one.mistakes for one in learner.experts() if one.view not in others)
    return error(said, y), best / len(y)


# features -------------------------------------------------------------------------------------------------------------
def one_huge(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return X * np.where(np.arange(X.shape[1]) == rng.integers(X.shape[1]), 1e6, 1.0)


SAME: dict[str, Change] = {
    "one feature times 1e6": one_huge,
    "scales from 1e-6 to 1e6": lambda X, rng: X * 10.0 ** rng.integers(-6, 7, X.shape[1]),
    "another order": lambda X, rng: X[:, rng.permutation(X.shape[1])],
}


FEWER = {"elec2": 3, "sea": 3, "usps": 10}
"""The number of draws of real streams here, where the benchmark has more."""
STRONG = {"switching": 3, "thresholds": 2, "usps": 2}
"""The streams of the strong bank and the number of draws."""


@pytest.mark.parametrize("change", SAME)
@pytest.mark.parametrize("name", DRAWS)
def test_neither_scale_nor_order_matters(name: str, change: str) -> None:
    """To four decimals, in each of three draws; in one draw of long streams."""
    assert np.abs(losses(name, SAME[change], 1 if name in FEWER else 3)).max() < 5e-5


@pytest.mark.parametrize("change", SAME)
@pytest.mark.parametrize("name", STRONG)
def test_nor_do_they_for_the_strong_bank(name: str, change: str) -> None:
    """Scales to four decimals. Random trees choose features by their number, so the order matters a little."""
    most = 0.004 if change == "another order" else 5e-5
    assert np.abs(losses(name, SAME[change], 1, "strong")).max() < most


# how much error a change may add: to real streams as the recipe was found to, to drawn ones
MOST: dict[str, tuple[float, float]] = {
    "constants": (1e-4, 0.001),
    "a huge noise feature": (0.0020, 0.0035),
    "offsets of 1e4 deviations": (0.0025, 0.0025),
    "outliers of 1e12": (0.0085, 0.012),
    "one row of 1e15": (0.0007, 0.001),
    "infinities": (0.0011, 0.002),
    "a tenth missing": (0.009, 0.07),
    "row 0 of 1e15": (0.005, 0.005),
    "row 3 of 1e15": (0.005, 0.005),
    "row 9 of 1e15": (0.005, 0.005),
    "rows 0 and 15 of 1e15": (0.005, 0.008),
}
MORE = {
    ("a tenth missing", "elec2"): 0.028,
    ("a tenth missing", "sea"): 0.036,
    ("a tenth missing", "thresholds"): 0.036,
    ("row 0 of 1e15", "usps"): 0.010,  # the shortest stream: what was learned until it is found out
    ("rows 0 and 15 of 1e15", "usps"): 0.016,
}


def allowed(name: str, change: str) -> float:
    """The most that a change may add to the error."""
    return MORE.get((change, name), MOST[change][name in DRAWN])


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", DRAWS)
def test_an_error_stays_what_it_was(name: str, change: str) -> None:
    """On the mean over all draws."""
    draws = draws_of(name, change) if change == "constants" else min(draws_of(name, change), FEWER.get(name, 99))
    assert losses(name, CHANGES[change], draws).mean() <= allowed(name, change)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", STRONG)
def test_an_error_of_the_strong_bank_stays_what_it_was(name: str, change: str) -> None:
    """Within the limits of the light bank, and what one or two mistakes of a few draws are worth."""
    few = 0.001 if name in DRAWN else 0.002
    assert losses(name, CHANGES[change], STRONG[name], "strong").mean() <= allowed(name, change) + few


# labels ---------------------------------------------------------------------------------------------------------------
FLIPPED = {"switching": (5, 0.003), "thresholds": (5, 0.003), "elec2": (2, 0.0), "sea": (2, 0.0), "spam": (2, 0.0)}
FLIPPED |= {"usps": (10, 0.008), "usenet1": (10, 0.018)}
"""How many draws, and how much more than the best single expert the vote may err."""


def above_the_best(name: str, share: float, bank: Bank = "light", draws: int = 99) -> float:
    """How much more often than its best expert the vote was wrong where a share of labels is, on the mean."""
    above = []
    for draw in range(min(draws, FLIPPED[name][0])):
        X, y = stream(name, draw)
        wrong = np.random.default_rng(200 + draw).random(len(y)) < share
        error, best = errors(X, np.where(wrong, -y, y), bank)
        above.append(error - best)
    return float(np.mean(above))


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("name", FLIPPED)
def test_wrong_labels_cost_what_they_cost_the_best_expert(name: str, share: float) -> None:
    assert above_the_best(name, share) <= FLIPPED[name][1]


@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("name", STRONG)
def test_wrong_labels_cost_the_strong_bank_what_they_cost_its_best_expert(name: str, share: float) -> None:
    assert above_the_best(name, share, "strong", 2) <= FLIPPED[name][1] + 0.002


@pytest.mark.parametrize("name", FLIPPED)
def test_where_four_labels_in_ten_are_wrong_the_best_expert_is_better(name: str) -> None:
    assert 0.0 < above_the_best(name, 0.4) <= (0.018 if name in DRAWN else 0.025)


RARE = {"switching": (5, 0.001, 0.003), "thresholds": (5, 0.001, 0.008), "elec2": (2, 1e-4, 0.001)}
RARE |= {"sea": (2, 1e-4, 0.001), "spam": (2, 1e-4, 0.001), "usps": (10, 0.003, 0.006), "usenet1": (10, 0.003, 0.006)}
"""How many draws, how much more than the rarer label the vote may err, and how much more than the better of that and
the best expert."""


def where_rare(name: str, draw: int, share: float, sign: float) -> tuple[Any, np.ndarray, float]:
    """The stream with just this share of one label; and the share."""
    X, y = stream(name, draw)
    some, others = np.flatnonzero(y == sign), np.flatnonzero(y != sign)
    rare = np.random.default_rng(300 + draw).choice(some, round(len(others) * share / (1.0 - share)), replace=False)
    kept = np.sort(np.concatenate([rare, others]))
    return X[kept], y[kept], len(rare) / len(kept)


def with_rare(name: str, draw: int, share: float, sign: float, bank: Bank = "light") -> tuple[float, float, float]:
    """The error of the vote, and of its best expert, where one label has just this share; and the share."""
    X, y, rare = where_rare(name, draw, share, sign)
    return *errors(X, y, bank), rare


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("name", RARE)
def test_a_label_of_one_in_a_hundred_costs_no_more_than_it_is_rare(name: str, sign: float) -> None:
    """To a hundredth of a point on streams of ten thousands; one mistake of a thousand is a tenth of a point."""
    draws, most, _ = RARE[name]
    seen = [with_rare(name, draw, 0.01, sign) for draw in range(draws)]
    assert np.mean([error - share for error, _, share in seen]) <= most


@pytest.mark.parametrize("share", [0.01, 0.1])
@pytest.mark.parametrize("name", STRONG)
def test_a_rare_label_costs_the_strong_bank_little_more_than_its_best_expert(name: str, share: float) -> None:
    seen = [with_rare(name, draw, share, 1.0, "strong") for draw in range(2)]
    assert np.mean([error - min(best, rare) for error, best, rare in seen]) <= RARE[name][2] + 0.002


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("name", RARE)
def test_a_rare_label_costs_little_more_than_the_best_expert_or_the_other_label(
    name: str, sign: float, share: float
) -> None:
    """A tenth of a point on elec2, SEA and spam. Of a thousand examples, which are left of USPS and usenet1, that would
    be one mistake, and no vote finds the best of two dozen experts at that price: 0.6 points are allowed there.
    """
    draws, _, most = RARE[name]
    seen = [with_rare(name, draw, share, sign) for draw in range(draws)]
    assert np.mean([error - min(best, rare) for error, best, rare in seen]) <= most


@pytest.mark.parametrize("name", ["switching", "thresholds", "usps", "usenet1"])
def test_rare_labels_of_short_streams_cost_what_they_cost_the_recipe(name: str) -> None:
    """On the mean over all shares and both labels, to a twentieth of a point."""
    more = []
    for draw in range(RARE[name][0]):
        for share in (0.05, 0.1, 0.2):
            for sign in (1.0, -1.0):
                X, y, _ = where_rare(name, draw, share, sign)
                more.append(errors(X, y)[0] - errors(X, y, "recipe")[0])
    assert np.mean(more) <= 0.0005


def test_labels_may_be_exchanged() -> None:
    """But for what happens at a score of exactly 0: the first round."""
    X, y = stream("switching", 2)
    assert errors(X, -y)[0] == pytest.approx(errors(X, y)[0], abs=0.003)
