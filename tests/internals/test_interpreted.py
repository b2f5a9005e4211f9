"""NUMBA_DISABLE_JIT=1: everything runs as plain Python, so that it can be debugged, with the same results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.support.every_learner import scores
from tests.support.processes import printed, python

FILES = """
import driftline as dl
for name in ("rows.svm", "rows.vw", "rows.csv", "rows.jsonl"):
    options = {} if name.endswith(("svm", "vw")) else {"target": "y"}
    run = dl.run(dl.PA1(), dl.streams.read(name, **options))
    print(name, run.mistakes, round(float(sum(run.learner.weights().values())), 9))
"""
# AdaHedge starts as follow-the-leader, and here two losses are equal up to rounding
TIED = "committee(learners=l1pa(beta=2.0), shrunkpa,combine=adahedge,advice=score) dense"
ROWS = [(1 if i % 3 else -1, 1 + i % 5, 0.1 * i, f"{i}.25e-{i % 4}") for i in range(24)]


def test_every_learner_has_the_same_scores() -> None:
    """Sums are in another order, so the last bits differ."""
    code = "import json; from tests.support.every_learner import scores; print(json.dumps(scores()))"
    interpreted, compiled = json.loads(printed(code, NUMBA_DISABLE_JIT="1")), scores()
    assert interpreted.keys() == compiled.keys()
    for name, own in compiled.items():
        if name == TIED:
            continue
        np.testing.assert_allclose(interpreted[name], own, rtol=1e-9, atol=1e-9, err_msg=name)


def test_files_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_text("".join(f"{y} {k}:{x:.3g} 9:{z}\n" for y, k, x, z in ROWS))
    (tmp_path / "rows.vw").write_text("".join(f"{y} |ns name{k}:{x:.3g} longer_name:{z}\n" for y, k, x, z in ROWS))
    (tmp_path / "rows.csv").write_text("y,k,x,z\n" + "".join(f"{y},{k},{x:.3g},{z}\n" for y, k, x, z in ROWS))
    (tmp_path / "rows.jsonl").write_text(
        "".join(json.dumps({"y": y, "k": f"name{k}", "x": x, "z": float(z)}) + "\n" for y, k, x, z in ROWS)
    )
    code = f"import os; os.chdir({str(tmp_path)!r})\n{FILES}"
    assert printed(code, NUMBA_DISABLE_JIT="1") == printed(code)


def test_the_command_line_works(tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_text("".join(f"{y} {k}:{x:.3g}\n" for y, k, x, _ in ROWS))
    done = python("-m", "driftline.cli", "run", str(tmp_path / "rows.svm"), NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stderr) == (0, "")
