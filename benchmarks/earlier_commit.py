"""Compare the time of single calls with that of an earlier commit.

    python benchmarks/earlier_commit.py COMMIT [--repeats N]

The earlier sources are checked out below ``.cache``. One process runs the present sources, another
one the earlier ones. They take turns: each repeat times both, in alternating order, so that the
clock of the machine affects both alike. The printed ratio is the median over all repeats.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

HOME = Path(__file__).resolve().parents[1]
CACHE = HOME / "benchmarks" / ".cache"
WORKER = """
import json, sys, time
import numpy as np
import driftline as dl

rng = np.random.default_rng(1)
names = [f"f{i}" for i in range(10)]
X = [dict(zip(names, row)) for row in rng.normal(size=(1000, 10)).tolist()]
y = [x["f0"] + 0.3 * x["f1"] > 0.1 for x in X]
A = rng.normal(size=(1000, 10))
learners = {"PA1": dl.PA1(), "Tracker": dl.Tracker()}
columns = dl.PA1()
columns.learn_many(A, y)
for learner in learners.values():
    for _ in range(3):
        for one, label in zip(X, y):
            learner.learn_one(one, label)

def learn(learner):
    for one, label in zip(X, y):
        learner.learn_one(one, label)

def predict(learner):
    for one in X:
        learner.predict_one(one)

def blocks():
    for k in range(1000):
        columns.learn_many(A[k : k + 1], y[k : k + 1])

tasks = {}
for name, learner in learners.items():
    tasks[f"{name}.learn_one, dicts of 10"] = lambda learner=learner: learn(learner)
    tasks[f"{name}.predict_one, dicts of 10"] = lambda learner=learner: predict(learner)
tasks["PA1.learn_many, blocks of 1"] = blocks
for line in sys.stdin:
    found = {}
    for name, task in tasks.items():
        start = time.process_time_ns()
        task()
        found[name] = time.process_time_ns() - start
    print(json.dumps(found), flush=True)
"""


class Worker:
    """A process that times all tasks with the sources of one folder."""

    def __init__(self, sources: Path) -> None:
        environment = os.environ | {"PYTHONPATH": str(sources)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def measure(self) -> dict[str, int]:
        """Time every task once; return nanoseconds for 1,000 calls."""
        pipes: tuple[IO[str], IO[str]] = (self.process.stdin, self.process.stdout)  # type: ignore[assignment]
        pipes[0].write("go\n")
        pipes[0].flush()
        found: dict[str, int] = json.loads(pipes[1].readline())
        return found

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def sources_of(commit: str) -> Path:
    """Check out a commit, if that was not done before; return its sources."""
    name = subprocess.check_output(["git", "rev-parse", "--verify", commit + "^{commit}"], cwd=HOME, text=True).strip()
    folder = CACHE / f"commit-{name[:12]}"
    if not folder.exists():
        subprocess.run(["git", "worktree", "prune"], cwd=HOME, check=True)
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", str(folder), name], cwd=HOME, check=True)
    return folder / "src"


def main(arguments: list[str]) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="earlier_commit", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commit")
    parser.add_argument("--repeats", type=int, default=100)
    options: Any = parser.parse_args(arguments)
    earlier, present = Worker(sources_of(options.commit)), Worker(HOME / "src")
    times: dict[str, list[tuple[int, int]]] = {}
    for k in range(-3, options.repeats):
        if k % 2:
            before, now = earlier.measure(), present.measure()
        else:
            now, before = present.measure(), earlier.measure()
        if k >= 0:
            for name in now:
                times.setdefault(name, []).append((before[name], now[name]))
    earlier.close()
    present.close()
    print(f"{'':32} {'earlier us':>10} {'now us':>8} {'ratio':>6}  quartiles")
    for name, pairs in times.items():
        ratios = [now / before for before, now in pairs]
        low, middle, high = statistics.quantiles(ratios, n=4)
        before, now = (statistics.median(pair[k] for pair in pairs) / 1e6 for k in (0, 1))
        print(f"{name:32} {before:10.3f} {now:8.3f} {middle:6.3f}  {low:.3f} to {high:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
