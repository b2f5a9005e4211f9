"""The tracker keeps its error whatever is done to the features, and knows when labels are wrong or rare.

What it may lose is what its recipe was once found to lose on real streams, here as the mean over several draws of the
damage: of elec2 and SEA ten, of USPS twenty draws of the stream itself. Synthetic streams are shorter, and so
the damage is larger there. What bad rows at the start may cost is what they were found to cost here.
"""

from __future__ import annotations

import io
import lzma
import os
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import driftline as dl

Change = Callable[[np.ndarray, np.random.Generator], np.ndarray]
Stream = tuple[Any, np.ndarray]


def joined(stream: dl.streams.SEA | dl.streams.SwitchingHyperplane | dl.streams.FourPhase) -> Stream:
    blocks = list(stream)
    return np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks])


def found(*path: str) -> Path:
    folder = os.environ.get("DRIFTLINE_DATA")
    if not folder or not Path(folder, *path).exists():
        pytest.skip(f"DRIFTLINE_DATA names no folder with {'/'.join(path)}")
    return Path(folder, *path)


def signs(y: np.ndarray) -> np.ndarray:
    return np.where(y > y.min(), 1.0, -1.0)


def of_arff(text: str) -> Stream:
    rows = np.loadtxt(io.StringIO(text.split("@data")[1]), delimiter=",")
    return np.ascontiguousarray(rows[:, :-1]), signs(rows[:, -1])


@cache
def elec2() -> Stream:
    with zipfile.ZipFile(found("elec2", "elecNormNew.arff.zip")) as archive:
        return of_arff(archive.read(archive.namelist()[0]).decode().replace("UP", "1").replace("DOWN", "0"))


@cache
def sea() -> Stream:
    X, y = (np.loadtxt(found("sea", f"SEA_training_{part}.csv.xz"), delimiter=",") for part in ("data", "class"))
    return X, signs(y)


@cache
def spam() -> Stream:
    datasets = pytest.importorskip("sklearn.datasets")
    with lzma.open(found("spam", "katakis_spam_9324x39916.svm.xz")) as file:
        X, y = datasets.load_svmlight_file(io.BytesIO(file.read()))
    return X, signs(y)


@cache
def usenet1() -> Stream:
    with lzma.open(found("usenet", "usenet1.arff.xz"), "rt") as file:
        return of_arff(file.read())


@cache
def digits() -> Stream:
    h5py = pytest.importorskip("h5py")
    with h5py.File(found("usps", "usps.h5")) as file:
        parts = [(np.asarray(file[f"{part}/data"]), np.asarray(file[f"{part}/target"])) for part in ("train", "test")]
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


# each stream by the number of its draw; real ones but USPS are always the same
STREAMS: dict[str, Callable[[int], Stream]] = {
    "switching": lambda draw: joined(dl.streams.SwitchingHyperplane(6000, d=6, seed=draw)),
    "thresholds": lambda draw: joined(dl.streams.SEA(6000, seed=draw)),
    "elec2": lambda _: elec2(),
    "sea": lambda _: sea(),
    "usps": lambda draw: joined(dl.streams.FourPhase(*digits(), classes=(3, 7, 8, 9), phase=500, seed=draw)),
    "spam": lambda _: spam(),
    "usenet1": lambda _: usenet1(),
}
SYNTHETIC = ("switching", "thresholds")
DRAWS = {"switching": 5, "thresholds": 5, "elec2": 10, "sea": 10, "usps": 20}


@cache
def stream(name: str, draw: int) -> Stream:
    return STREAMS[name](draw)


def errors(X: Any, y: np.ndarray, bank: Literal["extended", "recipe"] = "extended") -> tuple[float, float]:
    """The error of the vote, and that of the best single expert."""
    learner = dl.Tracker(bank)
    votes = learner.learn_many(X, y)
    assert np.isfinite(votes).all() and np.abs(votes).max() <= 1.0
    assert learner.n_guarded == 0
    best = min(one.mistakes for one in learner.experts() if one.view not in ("stacker", "constant"))
    return float(np.mean((votes >= 0.0) != (y > 0.0))), best / len(y)


@cache
def clean(name: str, draw: int) -> float:
    same = draw if name in (*SYNTHETIC, "usps") else 0
    return errors(*stream(name, same))[0] if same == draw else clean(name, same)


def losses(name: str, change: Change, draws: int) -> np.ndarray:
    """What the change adds to the error, in each draw."""
    added = []
    for draw in range(draws):
        X, y = stream(name, draw)
        changed = np.ascontiguousarray(change(X, np.random.default_rng(100 + draw)))
        added.append(errors(changed, y)[0] - clean(name, draw))
    return np.array(added)


# features -------------------------------------------------------------------------------------------------------------
def one_huge(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return X * np.where(np.arange(X.shape[1]) == rng.integers(X.shape[1]), 1e6, 1.0)


SAME: dict[str, Change] = {
    "one feature times 1e6": one_huge,
    "scales from 1e-6 to 1e6": lambda X, rng: X * 10.0 ** rng.integers(-6, 7, X.shape[1]),
    "another order": lambda X, rng: X[:, rng.permutation(X.shape[1])],
}


@pytest.mark.parametrize("change", SAME)
@pytest.mark.parametrize("name", DRAWS)
def test_neither_scale_nor_order_matters(name: str, change: str) -> None:
    """To four decimals, in each of three draws."""
    assert np.abs(losses(name, SAME[change], 3)).max() < 5e-5


def sprinkled(share: float, value: float) -> Change:
    return lambda X, rng: np.where(rng.random(X.shape) < share, value, X)


def with_constants(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.column_stack([X, np.full(len(X), 3.0), np.zeros(len(X))])


def with_noise(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.column_stack([X, 1e6 * rng.normal(size=len(X))])


def with_offsets(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return X + 1e4 * X.std(axis=0) * rng.choice([-1.0, 1.0], X.shape[1])


def bad_row(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where((np.arange(len(X)) == rng.integers(len(X)))[:, None], 1e15, X)


# what is done, and how much error it may add: to real streams as the recipe was found to, to synthetic ones
CHANGES: dict[str, tuple[Change, float, float]] = {
    "constants": (with_constants, 1e-4, 0.001),
    "a huge noise feature": (with_noise, 0.0020, 0.0035),
    "offsets of 1e4 deviations": (with_offsets, 0.0025, 0.0025),
    "outliers of 1e12": (sprinkled(0.001, 1e12), 0.0085, 0.012),
    "one row of 1e15": (bad_row, 0.0007, 0.001),
    "infinities": (sprinkled(0.001, np.inf), 0.0011, 0.002),
    "a tenth missing": (sprinkled(0.1, np.nan), 0.009, 0.07),
}
MORE = {
    ("a tenth missing", "elec2"): 0.028,
    ("a tenth missing", "sea"): 0.036,
    ("a tenth missing", "thresholds"): 0.036,
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", DRAWS)
def test_an_error_stays_what_it_was(name: str, change: str) -> None:
    """On the mean over all draws; constants cost USPS so little that it takes sixty to tell."""
    change_by, real, synthetic = CHANGES[change]
    most = MORE.get((change, name), synthetic if name in SYNTHETIC else real)
    draws = {"elec2": 1, "sea": 1, "usps": 60}.get(name, DRAWS[name]) if change == "constants" else DRAWS[name]
    assert losses(name, change_by, draws).mean() <= most


@pytest.mark.parametrize(("rows", "most"), [((0,), 0.005), ((3,), 0.005), ((9,), 0.005), ((0, 15), 0.008)])
@pytest.mark.parametrize("name", DRAWS)
def test_bad_rows_at_the_start_are_forgotten(name: str, rows: tuple[int, ...], most: float) -> None:
    """On the mean over five draws; what was learned until they are found out costs USPS, the shortest, the most."""

    def spoilt(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.where(np.isin(np.arange(len(X)), rows)[:, None], 1e15, X)

    draws = 1 if name in ("elec2", "sea") else 5
    assert losses(name, spoilt, draws).mean() <= (2.0 * most if name == "usps" else most)


# labels ---------------------------------------------------------------------------------------------------------------
FLIPPED = {"switching": (5, 0.003), "thresholds": (5, 0.003), "elec2": (5, 0.0), "sea": (5, 0.0), "spam": (5, 0.0)}
FLIPPED |= {"usps": (10, 0.008), "usenet1": (10, 0.018)}
"""How many draws, and how much more than the best single expert the vote may err."""


def above_the_best(name: str, share: float) -> float:
    """How much more often than its best expert the vote was wrong where a share of labels is, on the mean."""
    above = []
    for draw in range(FLIPPED[name][0]):
        X, y = stream(name, draw)
        wrong = np.random.default_rng(200 + draw).random(len(y)) < share
        error, best = errors(X, np.where(wrong, -y, y))
        above.append(error - best)
    return float(np.mean(above))


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("name", FLIPPED)
def test_wrong_labels_cost_what_they_cost_the_best_expert(name: str, share: float) -> None:
    assert above_the_best(name, share) <= FLIPPED[name][1]


@pytest.mark.parametrize("name", FLIPPED)
def test_where_four_labels_in_ten_are_wrong_the_best_expert_is_better(name: str) -> None:
    assert 0.0 < above_the_best(name, 0.4) <= (0.018 if name in SYNTHETIC else 0.025)


RARE = {"switching": (5, 0.001, 0.003), "thresholds": (5, 0.001, 0.008), "elec2": (5, 1e-4, 0.001)}
RARE |= {"sea": (5, 1e-4, 0.001), "spam": (5, 1e-4, 0.001), "usps": (10, 0.003, 0.006), "usenet1": (10, 0.003, 0.006)}
"""How many draws, how much more than the rarer label the vote may err, and how much more than the better of that and
the best expert."""


def where_rare(name: str, draw: int, share: float, sign: float) -> tuple[Any, np.ndarray, float]:
    """The stream with just this share of one label; and the share."""
    X, y = stream(name, draw)
    some, others = np.flatnonzero(y == sign), np.flatnonzero(y != sign)
    rare = np.random.default_rng(300 + draw).choice(some, round(len(others) * share / (1.0 - share)), replace=False)
    kept = np.sort(np.concatenate([rare, others]))
    return X[kept], y[kept], len(rare) / len(kept)


def with_rare(name: str, draw: int, share: float, sign: float) -> tuple[float, float, float]:
    """The error of the vote, and of its best expert, where one label has just this share; and the share."""
    X, y, rare = where_rare(name, draw, share, sign)
    return *errors(X, y), rare


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("name", RARE)
def test_a_label_of_one_in_a_hundred_costs_no_more_than_it_is_rare(name: str, sign: float) -> None:
    """To a hundredth of a point on streams of ten thousands; one mistake of a thousand is a tenth of a point."""
    draws, most, _ = RARE[name]
    seen = [with_rare(name, draw, 0.01, sign) for draw in range(draws)]
    assert np.mean([error - share for error, _, share in seen]) <= most


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
