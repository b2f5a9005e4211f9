"""``driftline bench``: measure the speed of every linear learner on this machine."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter


def bench(*, rows: int = 20_000, repeats: int = 5, json: bool = False) -> int:
    """Print the speed of every linear learner on this machine, in examples per second.

    Each learner is trained on sparse rows, on dense rows, and on dicts one at a time.

    Parameters
    ----------
    rows
        Number of examples with 50 features each. A tenth of them is used for dicts.
    repeats
        Number of timed passes. The median is printed.
    json
        Print the result as JSON.
    """
    import json as as_json
    from statistics import median

    import numpy as np
    import scipy.sparse as sp

    import driftline as dl
    from driftline.learners import LINEAR

    if rows < 1 or repeats < 1:
        raise ValueError(f"--rows and --repeats must be >= 1, got {rows} and {repeats}")
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((rows, 50)) / np.sqrt(50.0)
    y = np.where(dense @ rng.standard_normal(50) > 0.0, 1, -1)
    wide = sp.csr_array((dense.reshape(-1), np.tile(np.arange(0, 5000, 100), rows), np.arange(rows + 1) * 50))
    dicts = [dict(zip([f"f{k}" for k in range(50)], x.tolist(), strict=True)) for x in dense[: max(1, rows // 10)]]
    labels = y[: len(dicts)].tolist()

    def speed(make: Callable[[], dl.Learner], kind: str) -> float:
        times = []
        for _ in range(repeats + 1):
            learner = make()
            start = perf_counter()
            if kind == "dicts":
                for x, label in zip(dicts, labels, strict=True):
                    learner.learn_one(x, label)
            else:
                learner.learn_many(wide if kind == "sparse" else dense, y)
            times.append(perf_counter() - start)
        return (len(dicts) if kind == "dicts" else rows) / median(times[1:])

    kinds = ("sparse", "dense", "dicts")
    found = {name: {kind: speed(make, kind) for kind in kinds} for name, make in LINEAR.items()}
    if json:
        print(as_json.dumps(found))
        return 0
    print(f"{'examples a second':<24}" + "".join(f"{kind:>14}" for kind in kinds))
    for name, speeds in found.items():
        print(f"{name:<24}" + "".join(f"{speeds[kind]:>14,.0f}" for kind in kinds))
    return 0
