"""Certificates on real streams: never below what was observed; below the number of examples where they say anything."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import driftline as dl

DATA = Path(os.environ.get("DRIFTLINE_DATA", "/nonexistent"))
STREAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "elec2": ("elec2/elecNormNew.arff.zip", {}),
    "spam": ("spam/katakis_spam_9324x39916.svm.xz", {}),
    "usenet1": ("usenet/usenet1.arff.xz", {}),
    "a9a": ("svmlight/a9a.xz", {"format": "svmlight"}),
}
LEARNERS = {
    "perceptron": lambda: dl.Perceptron(scale="unit"),
    "pnorm": lambda: dl.PNormPerceptron(4.0, scale="unit"),
    "norma": lambda: dl.NORMA(0.3, 0.001, 0.1, scale="unit"),
    "alma": lambda: dl.ALMA(0.1, 5.0, 0.1, scale="unit"),
    "l2pa": lambda: dl.L2PA(10.0, scale="unit"),
    "balancedwinnow": lambda: dl.BalancedWinnow(0.02),
    "projection": lambda: dl.ProjectionPerceptron(0.02, scale="unit"),
}
ALWAYS = ("perceptron", "norma", "alma", "balancedwinnow")
"""Rules that were certified with less than the number of examples on every one of these streams."""


@pytest.mark.skipif(not DATA.is_dir(), reason="DRIFTLINE_DATA names no folder of data sets")
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_certificates_on_real_streams(stream: str, learner: str) -> None:
    path, options = STREAMS[stream]
    if not (DATA / path).exists():
        pytest.skip(f"DRIFTLINE_DATA has no {path}")
    run = dl.run(LEARNERS[learner](), dl.streams.read(DATA / path, **options), certify=True)
    certificate = run.certificate()
    for one in certificate.bounds:
        assert certificate.observed(one) <= one.value
    assert certificate.best is not None or certificate.why
    if learner in ALWAYS:
        assert certificate.best is not None and certificate.best.value < run.examples
