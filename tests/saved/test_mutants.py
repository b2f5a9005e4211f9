"""Mutants of models, caches and checkpoints with right checksums; ``make fuzz`` runs the long form.

They run in a process of their own, so that a crash is reported with the number of its input.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import pytest

from tests.support.paths import ROOT

FUZZ = ROOT / "fuzz"
if str(FUZZ) not in sys.path:
    sys.path.insert(0, str(FUZZ))

import hunt  # noqa: E402
from model_mutants import mutant_of  # noqa: E402
from seed_models import CASES, seed_numbered  # noqa: E402

import driftline as dl  # noqa: E402

SEED = 20


def hunted(monkeypatch: pytest.MonkeyPatch, target: str, inputs: int) -> Counter[str]:
    monkeypatch.setattr(hunt, "SECONDS", 300.0)  # an input may have to compile first
    command = [sys.executable, str(FUZZ / "hunt_worker.py"), target, str(SEED), "0"]
    found, kinds = hunt.hunt(command, 0, inputs, 1)
    assert found == []
    assert sum(kinds.values()) == inputs
    return kinds


def test_every_mutant_of_a_model_is_refused_or_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = hunted(monkeypatch, "models", 200)
    outcomes = Counter(kind.split()[1] for kind in kinds.elements())
    assert outcomes["read"] >= 20 and outcomes["refused"] >= 100


def test_every_mutant_of_a_cache_or_checkpoint_is_refused_or_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = hunted(monkeypatch, "stored", 150)
    assert {kind.split()[0] for kind in kinds} == {"svmlight", "vw", "csv", "jsonl", "checkpoint"}


def test_every_learner_has_mutants() -> None:
    assert {case.name for case in CASES} == set(dl.REGISTRY)
    for number in range(0, 300, 7):
        seed = seed_numbered(number)
        assert mutant_of(seed, Random(number)) == mutant_of(seed, Random(number))
