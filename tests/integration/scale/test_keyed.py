"""Keyed learners on Ray have the states of one process, also after workers were killed."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import ray

import driftline as dl
from driftline import scale
from driftline.cli.main import main
from driftline.saved import ModelError

pytestmark = pytest.mark.usefixtures("two_workers")
KEYS, FEATURES, BLOCK = 1000, 10, 20_000


def block(number: int, rows: int = BLOCK) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(number)
    keys = rng.integers(KEYS, size=rows)
    X = rng.normal(size=(rows, FEATURES))
    y = (X[:, 0] * np.where(keys % 2, 1.0, -1.0) + 0.3 * rng.normal(size=rows) > 0.0).astype(int)
    return X, y, keys


def in_one_process(blocks: int, rows: int = BLOCK) -> dict[Any, bytes]:
    keyed = dl.Keyed(dl.PA1())
    for number in range(blocks):
        X, y, keys = block(number, rows)
        keyed.learn_many(X, y, keys=keys)
    return dict(keyed.states())


def kill_a_worker(keyed: scale.Keyed, number: int) -> None:
    os.kill(ray.get(keyed._senders[number].worker.process.remote()), signal.SIGKILL)


def test_a_million_rows_and_three_killed_workers(tmp_path: Path) -> None:
    blocks, random = 50, Random(7)
    killed = dict(zip(sorted(random.sample(range(5, blocks), 3)), (0, 1, random.randrange(2)), strict=True))
    with scale.Keyed(dl.PA1(), folder=tmp_path, shards=2, every=100_000) as keyed:
        for number in range(blocks):
            X, y, keys = block(number)
            keyed.learn_many(X, y, keys=keys)
            if number in killed:
                kill_a_worker(keyed, killed[number])
        found = keyed.collect()
        assert sum(found.counts(key).rows for key in found) == blocks * BLOCK
        assert dict(found.states()) == in_one_process(blocks)


def test_a_program_that_starts_again_skips_what_is_saved(tmp_path: Path) -> None:
    """The first program ends without a last checkpoint; the checkpoints of the shards are at different rows."""
    first = scale.Keyed(dl.PA1(), folder=tmp_path, shards=3, every=1500)
    for number in range(3):
        X, y, keys = block(number, 2000)
        first.learn_many(X, y, keys=keys)
    first.wait()
    first.close()
    with scale.Keyed(dl.PA1(), folder=tmp_path, every=1500) as keyed:
        assert keyed.shards == 3
        for start in range(0, 10_000, 1000):  # other blocks than before
            X, y, keys = (part[start % 2000 : start % 2000 + 1000] for part in block(start // 2000, 2000))
            keyed.learn_many(X, y, keys=keys)
        assert dict(keyed.collect().states()) == in_one_process(5, 2000)


def test_dicts_with_a_prior_and_weights(tmp_path: Path) -> None:
    rows = [{"customer": f"c{k % 7}", "price": float(k % 5), "day": "mon" if k % 2 else "tue"} for k in range(400)]
    labels, weights = [k % 3 == 0 for k in range(400)], [1.0 + k % 2 for k in range(400)]
    prior = dl.AROW()
    prior.learn_many([{"price": 1.0}, {"price": -1.0}], [True, False])
    alone = dl.Keyed(dl.AROW(), "customer", prior=prior)
    alone.learn_many(rows, labels, weights)
    with scale.Keyed(dl.AROW(), "customer", folder=tmp_path, shards=2, prior=prior) as keyed:
        keyed.learn_many(rows[:150], labels[:150], weights[:150])
        keyed.learn_many(rows[150:], labels[150:], weights[150:])
        found = keyed.collect()
    assert dict(found.states()) == dict(alone.states())
    assert found.predict_one(rows[0]) == alone.predict_one(rows[0])


def test_a_refused_row_is_an_error_that_names_its_key(tmp_path: Path) -> None:
    keyed = scale.Keyed(dl.PA1(), "k", folder=tmp_path, shards=2)
    with pytest.raises(ValueError, match="key 'b', feature 'x' must be finite, got inf"):
        keyed.learn_many([{"k": "a", "x": 1.0}, {"k": "b", "x": float("inf")}], [1, 0])
        keyed.wait()
    keyed.close()


def test_what_does_not_fit_the_folder_is_refused(tmp_path: Path) -> None:
    with scale.Keyed(dl.PA1(), folder=tmp_path, shards=2) as keyed:
        keyed.learn_many(np.eye(3), [1, 0, 1], keys=[1, 2, 3])
    with pytest.raises(ModelError, match="must have 3 shards, got checkpoints of 2"):
        scale.Keyed(dl.PA1(), folder=tmp_path, shards=3)
    with pytest.raises(ModelError, match="must be a checkpoint of the same learner"):
        scale.Keyed(dl.PA1(C=0.5), folder=tmp_path)
    with pytest.raises(ValueError, match="prior must be None or a learner, got 'global'"):
        scale.Keyed(dl.PA1(), folder=tmp_path, prior="global")  # type: ignore[arg-type]


def table(folder: Path) -> str:
    path = folder / "rows.csv"
    lines = ["who,colour,a,b,label,price"]
    for n in range(6000):
        label = "" if n % 50 == 7 else "no" if n % 4 < 2 else "yes"
        lines.append(f"c{n % 37},colour{n * n % 3 + n // 1000},{(n * 7) % 5},{n % 3},{label},{n * 0.37:.2f}")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def printed(capsys: Any) -> dict[str, Any]:
    """The result, with a rounded sum of absolute errors: they are added in another order."""
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found | {"mae": round(found.get("mae", 0.0), 6)}


@pytest.mark.parametrize("target", ["label", "price"])
def test_the_command_line(target: str, tmp_path: Path, capsys: Any) -> None:
    found, options = {}, [table(tmp_path), "--target", target, "--drop", "label" if target == "price" else "price"]
    options += ["--key", "who", "--json", *(["--labels", "no,yes"] if target == "label" else [])]
    for engine in ("local", "ray"):
        saved = ["--engine", engine, "--save", str(tmp_path / engine), "--checkpoint", str(tmp_path / f"{engine}-run")]
        assert main(["run", *options, *saved, "--every", "1000"]) == 0
        found[engine] = printed(capsys)
        assert main(["run", *options, *saved]) == 2
        assert "Resume it with --resume" in capsys.readouterr().err
    assert found["ray"] == found["local"]
    with dl.Keyed.load(tmp_path / "ray") as ours, dl.Keyed.load(tmp_path / "local") as theirs:
        assert dict(ours.states()) == dict(theirs.states())
        assert (ours.recipe, ours.key, ours.totals[:2]) == (theirs.recipe, theirs.key, theirs.totals[:2])
    assert main(["run", *options, *saved, "--resume", "--drop", "a"]) == 2
    assert "must be those of the checkpoints" in capsys.readouterr().err
    assert main(["run", *options, *saved, "--resume"]) == 0
    assert printed(capsys) == found["ray"]
    Path(options[0]).write_text("who,colour,a,b,label,price\nc1,red,1,1,yes,2.5\n")
    assert main(["run", *options, *saved, "--resume"]) == 2
    assert "must have the rows of the checkpoints" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--engine ray must come with --checkpoint"),
        (["--checkpoint", "{folder}/run", "--max-keys", "3", "--spill", "{folder}"], "must come without --max-keys"),
        (["--checkpoint", "{folder}"], "must not contain a checkpoint, got of --engine local"),
    ],
)
def test_what_does_not_go_together(options: list[str], words: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "keyed.dl").write_bytes(b"")
    given = [one.format(folder=tmp_path) for one in options]
    file = table(tmp_path)
    assert main(["run", file, "--target", "label", "--drop", "price", "--key", "who", "--engine", "ray", *given]) == 2
    assert words in capsys.readouterr().err
