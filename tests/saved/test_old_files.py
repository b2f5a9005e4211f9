"""Files of released versions load in this version, or the error says what to do.

A loaded learner scores and learns on to the last bit. ``fixtures/README.md`` describes the files.
Where a version must break with one, add it here, and never change the file.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from tests.support.fixture_answers import (
    answers,
    arithmetic,
    decoded,
    learned,
    made,
    rows_of,
    run_answers,
    same,
    target,
    versions,
)

HOME = Path(__file__).parents[1] / "fixtures"
VERSIONS = sorted(path.name for path in HOME.glob("v*"))

REFUSED: dict[str, str] = {}
"""Models and checkpoints that this version cannot load: "v0.1/models/NAME" to a part of the message that says why."""
REBUILT = {f"v0.1/caches/small.{kind}" for kind in ("vw", "svm", "csv", "tsv", "jsonl", "arff")}
"""Caches that this version parses again: "v0.1/caches/FILE". They do not say which cells and labels are missing."""

NOW_READ = {"v0.1/caches/small.arff": 10}
"""Files with a line that the version skipped. This one takes its malformed cell as missing."""

WITHOUT_BASELINES = {"v0.1"}
"""Versions whose checkpoints have no baselines: a resumed run has none either."""
NOW_MADE = {"dl.Tracker()": 'dl.Tracker("light")'}
"""Learners of the fixtures whose defaults have changed."""


@cache
def stored(version: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HOME / version / f"{name}.json").read_text(encoding="utf-8"))
    return found


def fixtures(kind: str) -> list[tuple[str, str]]:
    return [(version, name) for version in VERSIONS for name in stored(version, kind)]


def close(version: str, entry: dict[str, Any]) -> float | None:
    """None where floats must be equal to the bit, else the relative difference that is allowed.

    Bits depend on the host: on fused multiply-add and on the C library; where sums may be reordered, also on the
    processor and on LLVM. What BatchOnline fits depends on scikit-learn and BLAS.
    """
    about = stored(version, "about")
    here = target() == about["target"]
    if "BatchOnline" in entry["made"]:
        return None if here and versions() == about["versions"] else 1e-3
    exact = arithmetic() == about["arithmetic"] and (here or not entry["reordered"])
    return None if exact else entry["close"]


# models ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("version", "name"), fixtures("models"))
def test_a_model_scores_and_learns_on(version: str, name: str, tmp_path: Path) -> None:
    entry, path = stored(version, "models")[name], HOME / version / "models" / f"{name}.dl"
    why = REFUSED.get(f"{version}/models/{name}")
    if why is not None:
        with pytest.raises(dl.ModelError, match=re.escape(why)):
            dl.load(path)
        return
    given, allowed = stored(version, "examples")[entry["examples"]], close(version, entry)
    probes, X = (decoded(given["kind"], given[part], given["width"]) for part in ("probes", "X"))
    learner = dl.load(path)
    assert learner.kind.lower() == entry["learner"]
    same(answers(learner, probes), entry["saved"], allowed)
    learner.save(tmp_path / "again.dl")
    for one in (learner, dl.load(tmp_path / "again.dl")):
        same(answers(one, probes), entry["saved"], allowed)
        same(learned(one, X, given["y"], given["w"]), entry["learned"], allowed)
        same(answers(one, probes), entry["after"], allowed)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_learner_of_a_version_has_a_model(version: str) -> None:
    """A learner that is not in the version's own list is newer, and needs none there."""
    entries = stored(version, "models")
    assert {entry["learner"] for entry in entries.values()} == set(stored(version, "about")["learners"])
    assert {path.stem for path in (HOME / version / "models").iterdir()} == set(entries)


# checkpoints ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("version", "name"), fixtures("checkpoints"))
def test_a_run_is_resumed(version: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = stored(version, "checkpoints")[name]
    for path in (HOME / version / "checkpoints").glob("small.*"):
        shutil.copy(path, tmp_path)
    shutil.copytree(HOME / version / "checkpoints" / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    learner, stream = made(NOW_MADE.get(entry["made"], entry["made"])), made(entry["stream"])
    checkpoint = dl.Checkpoint(name, entry["every"], resume=True)

    def resumed() -> dl.Run:
        return dl.run(learner, stream, history=entry["history"], points=entry["points"], checkpoint=checkpoint)

    why = REFUSED.get(f"{version}/checkpoints/{name}")
    if why is not None:
        with pytest.raises(dl.ModelError, match=re.escape(why)):
            resumed()
        return
    done = resumed()
    assert learner.n_seen == 0  # the run went on with the saved learner, and did not begin again with this one
    assert done.examples > entry["done"]
    assert (done.no_change_error is None) == (done.majority_error is None) == (version in WITHOUT_BASELINES)
    found = run_answers(done, stream, decoded(entry["kind"], entry["probes"]))
    same(found, entry["answers"], close(version, entry))


# caches ---------------------------------------------------------------------------------------------------------------
def copied(version: str, name: str, folder: Path) -> tuple[Path, Path]:
    """The file and its cache, in a folder of their own."""
    for one in (name, f"{name}.dlcache"):
        shutil.copyfile(HOME / version / "caches" / one, folder / one)
    return folder / name, folder / f"{name}.dlcache"


def rows_as(version: str, name: str, stream: Any) -> dict[str, Any]:
    """The rows of a stream as the version read them."""
    found = rows_of(stream)
    line = NOW_READ.get(f"{version}/caches/{name}")
    if line is None:
        return found
    (cell,) = stream.bad_cells.listed
    rows = [row for row in found["rows"] if row[0] != line]
    assert len(rows) == len(found["rows"]) - 1 and f"line {line}, " in cell
    return {"rows": rows, "skipped": found["skipped"] + 1, "reasons": [*found["reasons"], cell]}


@pytest.mark.parametrize(("version", "name"), fixtures("caches"))
def test_a_cache_is_read(version: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache is valid for a file of the same size and time of change; so what it hides may as well be blank."""
    entry = stored(version, "caches")[name]
    file, cache_file = copied(version, name, tmp_path)
    read = f"{version}/caches/{name}" not in REBUILT
    if read:
        file.write_bytes(b"\n" * file.stat().st_size)
    os.utime(file, (entry["changed"], entry["changed"]))
    before, where = cache_file.read_bytes(), cache_file.stat().st_ino
    monkeypatch.chdir(tmp_path)
    same(rows_as(version, name, made(entry["stream"])), entry["answers"], None)
    if read:
        assert cache_file.read_bytes() == before and cache_file.stat().st_ino == where


@pytest.mark.parametrize(("version", "name"), fixtures("caches"))
def test_a_stale_cache_is_made_again(version: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = stored(version, "caches")[name]
    file, cache_file = copied(version, name, tmp_path)
    os.utime(file, (entry["changed"] + 10, entry["changed"] + 10))
    before = cache_file.read_bytes()
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        same(rows_as(version, name, made(entry["stream"])), entry["answers"], None)
    assert cache_file.read_bytes() != before


# the comparison -------------------------------------------------------------------------------------------------------
def test_the_comparison_notices_a_bit_and_a_type() -> None:
    due = {"scores": [["a", (0.1).hex()]], "n": 1}
    same({"scores": [["a", (0.1).hex()]], "n": 1}, due, None)
    off = {"scores": [["a", (0.1 + 2e-17).hex()]], "n": 1}
    same(off, due, 1e-9)
    for found, allowed in ((off, None), ({**due, "n": True}, None), ({**due, "n": 2}, 1e-9), ({"n": 1}, None)):
        with pytest.raises(AssertionError):
            same(found, due, allowed)
    with pytest.raises(AssertionError):
        same({"scores": [["a", (0.1 + 1e-8).hex()]], "n": 1}, due, 1e-9)
