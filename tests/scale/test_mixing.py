"""Parameter mixing in one process: the mean of the shards, and what it refuses. No engine is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import scale


def stationary(rows: int, seed: int = 0) -> tuple[Any, Any]:
    """Labels of a fixed vector, a tenth of them wrong."""
    rng, w = np.random.default_rng(seed), np.random.default_rng(99).normal(size=10)
    X = rng.normal(size=(rows, 10))
    return X, ((X @ w > 0.0) != (rng.random(rows) < 0.1)).astype(int)


def error(learner: dl.Learner) -> float:
    X, y = stationary(5000, seed=1)
    return float(np.mean(learner.predict_many(X) != y))


def test_a_round_is_the_weighted_mean_of_the_shards() -> None:
    X, y = stationary(50)
    mixed = scale.mix(dl.PA1(), (X, y), assume="stationary", rounds=2, shards=2, rows=20)
    w: dict[Any, float] = {}
    for _ in range(2):
        each = []
        for rows in (np.r_[0:20, 40:50], np.r_[20:40]):  # blocks 0 and 2; block 1
            learner = dl.PA1()
            learner.set_weights(w)
            learner.learn_many(X[rows], y[rows])
            each.append(learner.weights())
        w = {name: each[0][name] * 0.6 + each[1][name] * 0.4 for name in each[0]}
    assert mixed.learner.weights() == pytest.approx(w, rel=1e-12)
    assert mixed.examples == 50
    assert mixed.learner.n_seen == 60  # two rounds of the first shard


def test_on_stationary_data_mixing_is_better_than_one_pass_and_averaging_is_not_worse() -> None:
    train = stationary(40_000)
    one, averaged = dl.PA1(C=0.01), dl.Averaged(dl.PA1(C=0.01))
    for learner in (one, averaged):
        learner.learn_many(*train)
    mixed = error(scale.mix(dl.PA1(C=0.01), train, assume="stationary").learner)
    assert 0.09 < error(averaged) <= mixed < error(one)
    assert mixed < error(averaged) + 0.03


@pytest.mark.parametrize(
    "learner", [dl.SelfTuningALMA(), dl.L2PA(beta=9.0), dl.NORMA(p=3.0), dl.PA1(scale="unit")], ids=repr
)
def test_every_learner_whose_weights_can_be_set(learner: dl.Learner) -> None:
    before = learner.to_bytes()
    mixed = scale.mix(learner, stationary(3000), assume="stationary", rows=100)
    assert error(mixed.learner) < 0.25
    assert learner.to_bytes() == before
    assert mixed.learner.n_seen == 3 * 400


def test_regressors() -> None:
    X, _ = stationary(3000)
    mixed = scale.mix(dl.PA1Regressor(), (X, X @ np.arange(10.0)), assume="stationary", rows=100)
    assert mixed.errors[-1] < mixed.errors[0]
    assert mixed.learner.weights()[9] == pytest.approx(9.0, abs=0.5)


def test_shards_agree_on_names_and_labels() -> None:
    """Each shard meets other names first, and the other label first."""
    halves = [
        ([{"a": 1.0}, {"b": 1.0}] * 30, ["yes", "no"] * 30),
        ([{"b": 1.0}, {"c": 1.0}, {"a": 1.0}] * 20, ["no", "no", "yes"] * 20),
    ]
    mixed = scale.mix(dl.PA1(), halves, assume="stationary", shards=2).learner
    assert [mixed.predict_one({name: 1.0}) for name in "abc"] == ["yes", "no", "no"]
    assert mixed.labels == ("yes", "no")


def test_files(tmp_path: Path) -> None:
    """The kinds of the columns are those of the first file, also where another file would suggest others."""
    for k in range(4):
        codes = ("7", "8") if k % 2 else ("x", "y")
        rows = [f"{codes[n % 2]},{n % 3},{'no' if n % 2 else 'yes'}" for n in range(k, k + 60)]
        (tmp_path / f"day-{k}.csv").write_text("\n".join(["code,number,label", *rows]) + "\n")
    found = scale.mix(dl.PA1(), tmp_path / "day-*.csv", assume="stationary", shards=2, target="label")
    again = scale.mix(dl.PA1(), sorted(tmp_path.iterdir()), assume="stationary", shards=2, target="label")
    assert found.learner.to_bytes() == again.learner.to_bytes()
    assert found.examples == 240
    assert set(found.learner.weights()) == {"code=x", "code=y", "code=7", "code=8", "number", "(bias)"}
    assert found.learner.predict_one({"code=x": 1.0}) == "yes"
    assert found.learner.recipe is not None
    (tmp_path / "day-1.csv").write_text("code,number,label\nx,1,yes\nx,often,no\n")
    kept = scale.mix(dl.PA1(), tmp_path / "day-*.csv", assume="stationary", target="label", on_error="skip")
    assert kept.examples + kept.skipped >= 182
    with pytest.raises(ValueError, match=r"mix: shard 1: .*day-1.csv, line 3"):
        scale.mix(dl.PA1(), tmp_path / "day-*.csv", assume="stationary", target="label")


@pytest.mark.parametrize(
    ("learner", "options", "said"),
    [
        (dl.PA1(), {"assume": None}, r'assume must be "stationary", got None. .*\.43, one pass in order \.035'),
        (dl.PA1(), {"assume": "drift"}, "got 'drift'"),
        (dl.AROW(), {}, "the weights must be all that the learner learns. AROW.set_weights: .*second-order"),
        (dl.Averaged("pa1"), {}, "got Averaged"),
        (dl.Tracker(), {}, "got Tracker"),
        (dl.BalancedWinnow(), {}, "got BalancedWinnow"),
        (dl.OneVsRest("pa1"), {}, "got OneVsRest"),
        (dl.PA1(scale="standard"), {}, "scale must be None or 'unit', got 'standard'"),
        ("pa1", {}, "learner must be a driftline learner, got 'pa1'"),
        (dl.PA1(), {"rounds": 0}, "rounds must be"),
        (dl.PA1(), {"shards": 51}, "shards must be at most the number of blocks, 50, got 51"),
        (dl.PA1(), {"engine": "spark"}, "engine must be 'local' or 'ray', got 'spark'"),
        (dl.PA1(), {"target": "label"}, "options of dl.streams.read must come with paths, got target with tuple"),
    ],
    ids=str,
)
def test_what_is_refused(learner: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^mix: .*{said}"):
        scale.mix(learner, stationary(50), **{"assume": "stationary", **options})


def test_data_that_cannot_be_read_twice_or_have_no_example() -> None:
    for data, said in (
        ([], "data must have an example"),
        ("-", "files must be read several times"),
        (dl.streams.read([{"a": 1, "label": 0}], target="label"), "got a stream of files"),
    ):
        with pytest.raises(ValueError, match=said):
            scale.mix(dl.PA1(), data, assume="stationary")


def test_a_generator_may_use_its_arrays_again() -> None:
    X, y = stationary(400)

    def again() -> Any:
        own, labels = np.empty((100, 10)), np.empty(100, int)
        for k in range(4):
            own[:], labels[:] = X[100 * k : 100 * k + 100], y[100 * k : 100 * k + 100]
            yield own, labels

    found = [scale.mix(dl.PA1(), data, assume="stationary", rows=100) for data in (again(), (X, y))]
    assert found[0].learner.to_bytes() == found[1].learner.to_bytes()


WITHOUT_RAY = """
import sys
sys.modules["ray"] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "ray" else find(name, *rest)
import driftline as dl
from driftline import scale
print(scale.mix(dl.PA1(), ([[1.0], [-1.0]], [1, 0]), assume="stationary").examples)
for use in (
    lambda: scale.sweep,
    lambda: scale.Keyed,
    lambda: scale.mix(dl.PA1(), ([[1.0], [-1.0]], [1, 0]), assume="stationary", engine="ray"),
):
    try:
        use()
    except ImportError as error:
        print(str(error).partition(" (")[0])
"""


def test_without_ray_the_others_say_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_RAY], capture_output=True, text=True, check=False)
    said = 'driftline.scale needs Ray: pip install "driftline[ray]"\n'
    assert done.stdout == "2\n" + 3 * said, done.stderr
