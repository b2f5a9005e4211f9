"""A second process compiles nothing, and importing driftline loads no heavy packages."""

from __future__ import annotations

import json
from pathlib import Path

import driftline
from tests.support.processes import printed

EVERY_RULE = """
import hashlib, json, numba
import numpy as np
import driftline as dl
from driftline.engines.linear import compact, euclidean as linear, pnorm
from driftline.learners import LINEAR
rng = np.random.default_rng(0)
X = rng.normal(size=(50, 5))
y = np.sign(X[:, 0])
for make in LINEAR.values():
    learner = make()
    learner.learn_many(X, y)
    learner.score_many(X)
    named = make()
    for x, label in zip(X, y):
        named.learn_one(dict(enumerate(x.tolist())), label)
        named.score_one(dict(enumerate(x.tolist())))
digest = hashlib.sha256()
advice = np.where(X > 0.0, 1.0, -1.0)
for make in (*LINEAR.values(), dl.FixedShare, dl.AdaHedge):
    learner = make()
    digest.update(learner.learn_many(X if make in LINEAR.values() else advice, y).tobytes())
    digest.update(b"".join(array.tobytes() for array in learner._engine.arrays().values()))
kernels = {
    "linear": linear.learn, "linear score": linear.score,
    "linear, one dict": linear.learn_row, "linear score, one dict": linear.score_row,
    "pnorm": pnorm.learn_dense, "pnorm sparse": pnorm.learn_sparse,
    "compact": compact.learn_dense, "compact sparse": compact.learn_sparse,
}
def count(counter):
    return sum(counter.values())
found = {name: [count(k.stats.cache_hits), count(k.stats.cache_misses)] for name, k in kernels.items()}
print(json.dumps([found, digest.hexdigest()]))
"""


def test_a_second_process_compiles_nothing_and_leaves_the_same_bits(tmp_path: Path) -> None:
    first, bits = json.loads(printed(EVERY_RULE, NUMBA_CACHE_DIR=str(tmp_path)))
    assert all(hits == 0 and misses > 0 for hits, misses in first.values()), first
    second, again = json.loads(printed(EVERY_RULE, NUMBA_CACHE_DIR=str(tmp_path)))
    assert all(hits > 0 and misses == 0 for hits, misses in second.values()), second
    assert bits == again


def test_the_cache_notices_a_change_in_a_rule(tmp_path: Path) -> None:
    """The engines' own files are untouched: only the stamp over all files can tell."""
    import shutil

    home = Path(driftline.__file__).parent
    shutil.copytree(home, tmp_path / "driftline", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import driftline as dl\n"
        "learner = dl.PA1(bias=False)\n"
        "learner.learn_one({'a': 2.0}, True)\n"
        "print(learner.weights())"
    )
    cache = str(tmp_path / "cache")
    assert printed(code, NUMBA_CACHE_DIR=cache) == "{'a': 0.5}\n"
    rule = tmp_path / "driftline" / "rules" / "linear" / "pa1.py"
    rule.write_text(rule.read_text().replace("(1.0 - m) / x_sq)", "(2.0 - m) / x_sq)"))
    assert printed(code, NUMBA_CACHE_DIR=cache) == "{'a': 1.0}\n"


def test_import_loads_neither_scikit_learn_nor_pandas_nor_matplotlib() -> None:
    heavy = ("sklearn", "pandas", "matplotlib", "polars", "pyarrow", "river", "scipy.sparse")
    code = f"import sys, driftline; print([name for name in {heavy} if name in sys.modules])"
    assert printed(code) == "[]\n"
