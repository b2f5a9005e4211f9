"""Files of earlier versions are loaded, and continue with the same bits. They are never made again."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from tests.fixtures.make_keyed import LEARNED, ROWS, answers, made
from tests.support.fixture_answers import arithmetic

FOLDER = Path(__file__).parents[1] / "fixtures" / "keyed-1"
NOTED: dict[str, Any] = json.loads((FOLDER / "answers.json").read_text())
pytestmark = pytest.mark.skipif(sys.byteorder == "big", reason="the files are those of a little-endian machine")


def assert_noted(found: dict[str, Any], name: str) -> None:
    noted = dict(NOTED[name])
    if NOTED["arithmetic"] != arithmetic():  # another processor may round in another way
        for scores in ("tested", "learned"):
            values = [float.fromhex(value) for value in found.pop(scores)]
            assert values == pytest.approx([float.fromhex(value) for value in noted.pop(scores)], rel=1e-9)
    assert found == noted


@pytest.mark.parametrize("name", ["saved", "checkpoint"])
@pytest.mark.parametrize("spilled", [False, True])
def test_it_continues_with_the_same_bits(name: str, spilled: bool, tmp_path: Path) -> None:
    memory: dict[str, Any] = {"max_keys_in_memory": 1, "spill": tmp_path} if spilled else {}
    with dl.Keyed.load(FOLDER / f"{name}.dl", **memory) as keyed:
        new, rows = made(name)
        assert (keyed.key, keyed.prior, repr(keyed.template)) == (new.key, new.prior, repr(new.template))
        assert_noted(answers(keyed, rows), name)


def test_the_next_checkpoint_goes_to_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.dl"
    shutil.copy(FOLDER / "checkpoint.dl", path)
    keyed, rows = dl.Keyed.load(path), made("checkpoint")[1]
    assert keyed.next == LEARNED
    X, y, keys = rows(LEARNED, ROWS)
    keyed.learn_many(X[:1], y[:1], keys=keys[:1])
    assert keyed.checkpoint(path, ROWS) == 1
    again = dl.Keyed.load(path)
    assert (again.next, again.totals.rows) == (ROWS, LEARNED + 1)
    assert dict(again.states()) == dict(keyed.states())
