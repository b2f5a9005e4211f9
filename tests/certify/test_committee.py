"""Certificates of committees: the bound of the combining rule on the advice of the members."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.certify.refusal import NoTheoremError
from driftline.certify.spaces.advice import in_advice

T = 300


def changing(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows with some zeros; the rule of the labels changes in the middle, and some labels are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, 5)) * (rng.random((T, 5)) < 0.7)
    U = np.where(np.arange(T)[:, None] < T // 2, rng.normal(size=5), rng.normal(size=5))
    y = np.where(np.sum(X * U, axis=1) >= 0.0, 1.0, -1.0) * np.where(rng.random(T) < 0.05, -1.0, 1.0)
    return X, y


@pytest.mark.parametrize("options", [{}, {"bias": False}, {"scale": "unit"}, {"scale": "standard"}], ids=str)
@pytest.mark.parametrize("advice", ["sign", "score"])
@pytest.mark.parametrize(
    ("combine", "theorem"),
    [
        ("fixedshare", "fixedshare"),
        ("weightedmajority", "weightedmajority"),
        ("exponentialweights", "exponentialweights"),
        ("adahedge", "adahedge"),
    ],
)
def test_no_committee_exceeds_its_bound(combine: str, theorem: str, advice: Any, options: dict[str, Any]) -> None:
    members = ["perceptron", "pa1(C=0.1)", "norma(lam=0.01)", "arow"]
    learner = dl.Committee(members, combine, advice=advice, **options)
    run = dl.run(learner, changing(len(combine)), certify=True, rows=70)
    certificate = run.certificate()
    assert certificate.useful, certificate
    for one in certificate.bounds:
        assert one.bound.name.startswith(theorem) and one.bound.n == len(members)  # type: ignore[attr-defined]
        assert certificate.observed(one) <= one.value
        assert one.mistakes is None or run.mistakes <= one.mistakes


def test_the_losses_are_the_mistakes_of_the_members() -> None:
    X, y = changing(3)
    run = dl.run(dl.Committee(["perceptron", "pa1"], "weightedmajority"), (X, y), certify=True)
    [one] = run.certificate().bounds
    alone = [dl.run(learner, (X, y)).learner.label_errors for learner in (dl.Perceptron(), dl.PA1())]
    assert min(alone) == one.bound.L  # type: ignore[attr-defined]


def test_advice_that_differs_is_refused() -> None:
    X, y = changing(4)
    run = dl.run(dl.Committee(["perceptron", "pa1"]), (X, y), certify=True)
    evidence = run.evidence
    assert in_advice(run.learner.rule, evidence)[1].width == 3  # type: ignore[arg-type]
    evidence.margins[17] += 0.5
    with pytest.raises(NoTheoremError, match="the members gave other advice when they learned the recorded examples"):
        in_advice(run.learner.rule, evidence)  # type: ignore[arg-type]
