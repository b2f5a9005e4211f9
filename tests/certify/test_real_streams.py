"""Certificates on real streams: at least the observed mistakes, at most the number of examples."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.streams import FourPhase

DATA = Path(os.environ.get("DRIFTLINE_DATA", "/nonexistent"))
STREAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "elec2": ("elec2/elecNormNew.arff.zip", {}),
    "spam": ("spam/katakis_spam_9324x39916.svm.xz", {}),
    "usenet1": ("usenet/usenet1.arff.xz", {}),
    "a9a": ("svmlight/a9a.xz", {"format": "svmlight"}),
}
LEARNERS = {
    "perceptron": lambda: dl.Perceptron(scale="unit"),
    "pnorm": lambda: dl.PNormPerceptron(3.0, scale="unit"),
    "norma": lambda: dl.NORMA(0.3, 0.001, 0.1, scale="unit"),
    "norma, short memory": lambda: dl.NORMA(0.1, 0.1, scale="unit"),
    "alma": lambda: dl.ALMA(0.1, 2.0, 0.1, scale="unit"),
    "l2pa": lambda: dl.L2PA(10.0, scale="unit"),
    "balancedwinnow": lambda: dl.BalancedWinnow(0.02),
    "projection": lambda: dl.ProjectionPerceptron(0.05, scale="unit"),
    "pa1": lambda: dl.PA1(scale="unit"),
    "pa2": lambda: dl.PA2(scale="unit"),
}
NARROW = {
    "arow": lambda: dl.AROW(scale="unit"),
    "second order": lambda: dl.SecondOrderPerceptron(scale="unit"),
    "kernel": lambda: dl.Kernelized(dl.NORMA(0.3, 0.001, 0.1), "rbf(gamma=5)", most=50_000),
    "kernel, second order": lambda: dl.KernelSecondOrder(1.0, "rbf(gamma=5)", most=1000),
    "waves": lambda: dl.ALMA(0.1, 5.0, 0.1, scale=dl.RandomFourier(100, 5.0)),
}
"""For streams of few features, and the last one for few examples."""
ALWAYS = ("perceptron", "pnorm", "norma", "alma", "projection")
"""Rules that were certified with less than the number of examples on every one of these streams."""
MOVES = {
    "elec2": ("perceptron", "pnorm", "norma", "alma", "projection"),
    "usenet1": ("perceptron", "norma, short memory", "alma", "projection"),
}
"""Where a comparator that moves gave the smaller bound: prices drift, interests change every 300 e-mails."""


def stream_of(name: str) -> Any:
    if name == "usps":
        h5py = pytest.importorskip("h5py")
        with h5py.File(found("usps/usps.h5")) as file:
            parts = [(file[f"{part}/data"][:], file[f"{part}/target"][:]) for part in ("train", "test")]
        X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return FourPhase(X, y, classes=(3, 7, 8, 9), phase=500)
    path, options = STREAMS[name]
    return dl.streams.read(found(path), **options)


def found(path: str) -> Path:
    if not (DATA / path).exists():
        pytest.skip(f"DRIFTLINE_DATA has no {path}")
    return DATA / path


@pytest.mark.skipif(not DATA.is_dir(), reason="DRIFTLINE_DATA names no folder of data sets")
@pytest.mark.parametrize("stream", [*STREAMS, "usps"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_certificates_on_real_streams(stream: str, learner: str) -> None:
    run = dl.run(LEARNERS[learner](), stream_of(stream), certify=True)
    certificate = run.certificate()
    for one in certificate.bounds:
        assert certificate.observed(one) <= one.value
    assert certificate.best is not None or certificate.why
    if learner in ALWAYS:
        assert certificate.best is not None and certificate.best.value < run.examples
    if learner in MOVES.get(stream, ()):
        assert certificate.best is not None and certificate.best.moves


@pytest.mark.skipif(not DATA.is_dir(), reason="DRIFTLINE_DATA names no folder of data sets")
@pytest.mark.parametrize("stream", ["elec2", "usenet1"])
@pytest.mark.parametrize("learner", NARROW)
def test_certificates_of_other_learners(stream: str, learner: str) -> None:
    if (stream, learner) == ("elec2", "kernel, second order"):
        pytest.skip("it takes a minute")
    run = dl.run(NARROW[learner](), stream_of(stream), certify=True)
    certificate = run.certificate()
    for one in certificate.bounds:
        assert certificate.observed(one) <= one.value
    assert certificate.best is not None
    assert certificate.best.value < run.examples or learner == "waves"
