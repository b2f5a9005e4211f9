"""Twenty million generated examples run in constant memory, and hashing bounds a vocabulary."""

from __future__ import annotations

import subprocess
import sys

import pytest

LONG_RUN = """
import driftline as dl

def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096

class Watched:
    '''Blocks of a stream, and the memory in use at 10 % and at the end.'''
    def __init__(self, stream, examples):
        self.stream, self.examples = stream, examples
    def __iter__(self):
        done = 0
        for X, y in self.stream:
            yield X, y
            done += len(y)
            if done == self.examples // 10:
                self.early = resident()
        self.late = resident()

watched = Watched(dl.streams.SEA({n}, seed=1, block=10_000), {n})
run = dl.run(dl.PA1(scale="unit"), watched)
assert run.examples == {n}
assert len(run.curve["examples"]) <= 2002
print(watched.late - watched.early)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_twenty_million_examples_in_constant_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LONG_RUN.replace("{n}", "20_000_000")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 8 * 2**20


def test_hashing_bounds_the_weights() -> None:
    import driftline as dl

    learner = dl.PA1(hashing=dl.Hashing(bits=10))
    size = learner._engine.v.size
    for i in range(5000):
        learner.learn_one({f"word{i}": 1.0, f"other{i}": 2.0}, i % 2 == 0)
    assert learner._engine.v.size == size
    assert learner.n_features == 1024
