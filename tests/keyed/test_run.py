"""Runs of a ``Keyed`` over arrays, dicts and files, with checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.saved import ModelError
from tests.keyed.oracle import DictOfLearners
from tests.support.learner_cases import examples, rows_of

KEYS = [f"k{n % 5}" for n in range(60)]


def table(path: Path, rows: int = 60) -> Path:
    X, y = examples("signed")
    lines = ["who,a,b,label"]
    lines += [f"{k},{x[0]!r},{x[1]!r},{int(s > 0)}" for k, x, s in zip(KEYS, X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join(lines[: rows + 1]) + "\n")
    return path


def read(path: Path, **options: Any) -> Any:
    return dl.streams.read(path, target="label", keep=["who"], drop=["who"], **options)


def new() -> dl.Keyed:
    return dl.Keyed(dl.PA1(labels=(0, 1)), key="who")


@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
def test_the_errors_are_those_of_all_learners(kind: str) -> None:
    X, y = examples("signed")
    rows = rows_of(kind, X)
    oracle = DictOfLearners(dl.PA1())
    oracle.learn([rows[i] for i in range(60)], y.tolist(), KEYS)
    run = dl.Keyed(dl.PA1()).run((rows, y), keys=KEYS, rows=7)
    errors = {key: learner.label_errors for key, learner in oracle.learners.items()}
    assert (run.examples, run.errors, run.keys) == (60, sum(errors.values()), 5)
    assert run.error == run.errors / 60
    assert {key: found.errors for key, found in run.worst(5)} == errors
    assert run.worst(1)[0][1].errors == max(errors.values())


def test_a_regressor_has_a_mean_absolute_error() -> None:
    X, y = examples("targets")
    oracle = DictOfLearners(dl.PARegressor())
    scores = oracle.learn(X, y.tolist(), KEYS)
    run = dl.Keyed(dl.PARegressor()).run((X, y), keys=KEYS)
    assert run.mae == pytest.approx(np.abs(scores - y).mean(), rel=1e-12)


def test_a_file_gives_the_bits_of_its_rows(tmp_path: Path) -> None:
    X, y = examples("signed")
    keyed = new()
    run = keyed.run(read(table(tmp_path / "rows.csv")))
    by_hand = new()
    dicts = [{"who": k, "a": x[0], "b": x[1]} for k, x in zip(KEYS, X.tolist(), strict=True)]
    by_hand.learn_many(dicts, (y > 0).astype(int))
    assert dict(keyed.states()) == dict(by_hand.states())
    assert run.errors == by_hand.totals.errors
    assert keyed.recipe is not None


def test_a_resumed_run_passes_over_what_it_has_learned(tmp_path: Path) -> None:
    file, path = table(tmp_path / "rows.csv"), tmp_path / "run"
    once = new().run(read(file))
    half = new()
    half.learn_many([], [], keys=[])
    blocks = [(X[:25], y[:25]) for X, y in read(file)]
    half.learn_many(*blocks[0])
    stream = read(file)
    half.run(stream, checkpoint=tmp_path / "whole")
    assert dl.Keyed.load(tmp_path / "whole").next == 60
    first = new()
    first.learn_many(*blocks[0])
    from driftline.evaluate.keyed_run import _about

    first._checkpoint(path, 25, _about(read(file)))
    again = dl.Keyed.load(path).run(read(file), checkpoint=path)
    assert (again.examples, again.errors) == (once.examples, once.errors)
    assert dict(again.keyed.states()) == dict(once.keyed.states())
    other = table(tmp_path / "other.csv", 30)
    with pytest.raises(ModelError, match="must"):
        dl.Keyed.load(path).run(read(other), checkpoint=path)


def test_rows_without_a_key_stop_the_run_or_are_skipped(tmp_path: Path) -> None:
    file = table(tmp_path / "rows.csv")
    lines = file.read_text().splitlines()
    lines[3] = "," + lines[3].split(",", 1)[1]
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match="a key must be a value, got None"):
        new().run(read(file))
    assert new().run(read(file, on_error="skip")).examples == 59


def test_run_of_the_library_points_to_the_method() -> None:
    with pytest.raises(ValueError, match="Call its method run"):
        dl.run(new(), [])  # type: ignore[arg-type]
