"""Metrics agree with scikit-learn on random streams."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from sklearn import metrics as sk

from driftline.evaluate.metrics import Figures
from tests.evaluate.metrics.streams import Drawn, drawn, measured

SEEDS = range(100)
TIGHT = 1e-12


def quietly(function: Callable[..., float], *arguments: object, **options: object) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*arguments, **options))


def check(found: Figures, stream: Drawn) -> None:
    """Compare everything that is exact."""
    labels, predicted, shares = stream.labels, stream.predicted, stream.probabilities
    classes = shares.shape[1]
    several = np.arange(classes)
    undefined = {"average": "macro", "zero_division": np.nan}
    wanted = {
        "accuracy": sk.accuracy_score(labels, predicted),
        "balanced_accuracy": quietly(sk.balanced_accuracy_score, labels, predicted),
        "kappa": quietly(sk.cohen_kappa_score, labels, predicted),
        "precision": quietly(sk.precision_score, labels, predicted, **undefined),
        "recall": quietly(sk.recall_score, labels, predicted, **undefined),
        "f1": quietly(sk.f1_score, labels, predicted, **undefined),
        "log_loss": quietly(sk.log_loss, labels, shares, labels=several),
        "brier": quietly(sk.brier_score_loss, labels, shares, labels=several),
    }
    for name, value in wanted.items():
        assert getattr(found, name) == pytest.approx(value, rel=TIGHT, abs=TIGHT, nan_ok=True), name
    assert found.confusion is not None
    assert np.array_equal(found.confusion, sk.confusion_matrix(labels, predicted, labels=several))
    precision, recall, f1, support = sk.precision_recall_fscore_support(
        labels, predicted, labels=several, zero_division=np.nan
    )
    for k, one in enumerate(found.per_class):
        assert (one.label, one.examples) == (k, support[k])
        ours, theirs = (one.precision, one.recall, one.f1), (precision[k], recall[k], f1[k])
        assert ours == pytest.approx(theirs, rel=TIGHT, nan_ok=True)


def area(stream: Drawn) -> float:
    """The AUC of the probabilities by scikit-learn, over the classes for which it is defined."""
    labels, shares = stream.labels, stream.probabilities
    columns = [1] if stream.two else range(shares.shape[1])
    found = [sk.roc_auc_score(labels == k, shares[:, k]) for k in columns if 0 < (labels == k).sum() < len(labels)]
    return float(np.mean(found)) if found else math.nan


@pytest.mark.parametrize("seed", SEEDS)
def test_the_whole_stream(seed: int) -> None:
    stream = drawn(seed)
    found = measured(stream)
    check(found, stream)
    auc = area(stream)
    if math.isnan(auc):
        assert math.isnan(found.auc) and found.why["auc"]
    else:
        assert abs(found.auc - auc) <= found.auc_bound + TIGHT
        assert abs(found.auc - auc) < 0.02


@pytest.mark.parametrize("seed", SEEDS)
def test_the_window(seed: int) -> None:
    stream = drawn(seed)
    last = Drawn(*(part[-100:] for part in stream[:4]), stream.two)
    found = measured(stream).window
    check(found, last)
    assert found.auc == pytest.approx(area(last), rel=TIGHT, nan_ok=True)
    if stream.two and not math.isnan(found.auc):
        assert found.score_auc == pytest.approx(sk.roc_auc_score(last.labels, last.scores), rel=TIGHT)


@pytest.mark.parametrize("seed", range(0, 100, 5))
def test_calibration_bins(seed: int) -> None:
    stream = drawn(seed)
    shares = stream.probabilities
    p = shares[:, 1] if stream.two else shares.max(1)
    hit = stream.labels == (1 if stream.two else shares.argmax(1))
    found = measured(stream)
    bins = found.calibration
    assert bins is not None and bins.examples.sum() == len(p)
    place = np.minimum((p * 15).astype(int), 14)
    error = 0.0
    for k in range(15):
        here = place == k
        assert bins.examples[k] == here.sum()
        if here.any():
            assert bins.probability[k] == pytest.approx(p[here].mean(), rel=TIGHT)
            assert bins.share[k] == pytest.approx(hit[here].mean(), rel=TIGHT)
            error += here.mean() * abs(p[here].mean() - hit[here].mean())
    assert found.calibration_error == pytest.approx(error, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e6, 1e30])
@pytest.mark.parametrize("rare", [0.5, 0.01])
def test_the_sketch_of_scores_on_many_examples(scale: float, rare: float) -> None:
    rng = np.random.default_rng(7)
    labels = (rng.random(50_000) < rare).astype(int)
    scores = scale * (rng.normal(size=50_000) + 1.2 * labels)
    none = np.empty((50_000, 2))
    found = measured(Drawn(labels, labels, scores, none, True), 8192, probabilities=False)
    exact = sk.roc_auc_score(labels, scores)
    assert abs(found.auc - exact) <= found.auc_bound
    resolved = 1e-19 < scale < 1e18
    assert found.auc_bound <= (0.01 if resolved else 0.5)
    assert abs(found.auc - exact) < (2e-4 if resolved else 0.5)


@pytest.mark.parametrize("seed", range(30))
def test_the_series_are_the_metrics_of_windows(seed: int) -> None:
    stream = drawn(seed)
    for block in (1, 50, 1000):
        series = measured(stream, block, window=60).series
        assert series["examples"].tolist() == [256.0 * k for k in range(1, len(stream.labels) // 256 + 1)]
        for k, stop in enumerate(series["examples"].astype(int)):
            start = max(0, stop - 60)
            part = Drawn(*(one[start:stop] for one in stream[:4]), stream.two)
            assert series["error"][k] == pytest.approx(1.0 - sk.accuracy_score(part.labels, part.predicted))
            balanced = quietly(sk.balanced_accuracy_score, part.labels, part.predicted)
            assert series["balanced_accuracy"][k] == pytest.approx(balanced)
            kappa = quietly(sk.cohen_kappa_score, part.labels, part.predicted)
            assert series["kappa"][k] == pytest.approx(kappa, nan_ok=True, abs=1e-12)
            loss = sk.log_loss(part.labels, part.probabilities, labels=np.arange(part.probabilities.shape[1]))
            assert series["log_loss"][k] == pytest.approx(loss)
            assert series["auc"][k] == pytest.approx(area(part), abs=0.05, nan_ok=True)
            assert series["shares"][k].tolist() == pytest.approx(
                [float(np.mean(part.labels == c)) for c in range(part.probabilities.shape[1])]
            )
