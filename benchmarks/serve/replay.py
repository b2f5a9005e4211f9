"""Recovery of a model from its log, against reading, decoding and ``learn_many`` of the same examples.

``python -m serve.replay [EVENTS]`` runs it alone, with ``benchmarks`` on the path. The log is made
once: `EVENTS` examples of ten features with their labels, in pages of `PAGE` events. Recovery also
verifies the hash chain and rebuilds the scoreboard.
"""

from __future__ import annotations

import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from columns import align

import driftline as dl

EVENTS, PAGE, CHUNK, FEATURES = 1_000_000, 200, 4_096, 10
MOST = 1.5
"""The most by which recovery may multiply the time of reading, decoding and learning."""
LEARNERS: dict[str, Callable[[], dl.Learner]] = {"pa1": dl.PA1, "tracker": dl.Tracker}
RECOVER, LEARN = "recovery", "read, decode, learn_many"


def write_log(storage: Any, events: int) -> dict[str, int]:
    """Write a log for each learner; return the numbers of the models.

    The answers in both logs are those of PA-I: a replay reads them, it does not check them.
    """
    import msgspec

    from driftline.serve.chain import START, next_page
    from driftline.serve.hosted.model import HostedModel
    from driftline.serve.log.events import Created, Limits, encode
    from driftline.serve.settings import Settings
    from driftline.serve.spec import Spec
    from driftline.serve.storage.storage import Batch

    settings = Settings()
    limits = Limits(settings.max_open, settings.remember, settings.window)
    heads, numbers = {}, {}
    for name in LEARNERS:
        spec = Spec(learner=name)
        number = numbers[name] = storage.create_model(name, msgspec.json.encode(spec).decode(), 0.0)
        created = Created(0.0, spec, "", None, limits)
        page = next_page(number, (0, START), [encode(created)])
        storage.commit(Batch([page]))
        heads[number] = page.last, page.chain
        if name == "pa1":
            source = HostedModel.created(created)
    rng = random.Random(1)
    for start in range(0, events, PAGE):
        new = []
        for k in range(start, min(start + PAGE, events)):
            x = {f"feature_{i}": round(rng.gauss(0.0, 1.0), 6) for i in range(FEATURES)}
            y = (x["feature_0"] + x["feature_1"] > 0.0) != (rng.random() < 0.1)
            _, data = source.learn(x, y, None, "bench", 1e-3 * k)
            assert data is not None
            new.append(data)
        pages = [next_page(number, heads[number], new) for number in numbers.values()]
        storage.commit(Batch(pages))
        heads = {page.model: (page.last, page.chain) for page in pages}
    return numbers


def recover(storage: Any, name: str, number: int) -> int:
    """Recover the model without snapshots; return the number of events."""
    from driftline.serve.recovery import state_at

    return state_at(storage, number, use_snapshots=False).model.position - 1


def read_and_learn(storage: Any, name: str, number: int) -> int:
    """Read and decode the log, and learn its examples in lists; return their number."""
    from driftline.serve.log.events import Learned, decode

    learner, learned = LEARNERS[name](), 0
    X: list[Any] = []
    y: list[Any] = []
    gc.disable()  # as recovery does
    try:
        for page in storage.pages(number):
            for data in page.events:
                event = decode(data)
                if isinstance(event, Learned):
                    X.append(event.x)
                    y.append(event.y)
            if len(X) >= CHUNK:
                learner.learn_many(X, y)
                learned += len(X)
                X, y = [], []
        if X:
            learner.learn_many(X, y)
        return learned + len(X)
    finally:
        gc.enable()


def measure(repeats: int, events: int, scratch: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return the seconds of both tasks for each learner, in turn, after a short log that warms up."""
    from driftline.serve.storage.opening import open_storage

    scratch.mkdir(parents=True, exist_ok=True)
    times: dict[tuple[str, str], list[float]] = {(name, task): [] for name in LEARNERS for task in (RECOVER, LEARN)}
    with tempfile.TemporaryDirectory(dir=scratch, prefix="serve-replay-") as folder:
        for size, rounds in ((2 * PAGE, 1), (events, repeats)):
            tell(f"writing a log of {size:,} events")
            storage = open_storage(str(Path(folder) / f"{size}-{rounds}.db"))
            try:
                numbers = write_log(storage, size)
                for turn in range(rounds):
                    for name, number in numbers.items():
                        tasks = [(RECOVER, recover), (LEARN, read_and_learn)]
                        for task, run in tasks[:: 1 if turn % 2 else -1]:
                            tell(f"replay {turn + 1} of {rounds}: {name}, {task}")
                            start = time.perf_counter()
                            done = run(storage, name, number)
                            times[name, task].append(time.perf_counter() - start)
                            if done != size:
                                raise ValueError(f"replay: must have {size} examples, got {done}")
            finally:
                storage.close()
            if size != events:
                times = {key: [] for key in times}
    return {"events": events, "seconds": [{"learner": n, "task": t, "seconds": v} for (n, t), v in times.items()]}


def lines(told: dict[str, Any]) -> list[str]:
    """Return the times, the ratios of medians, and the verdicts."""
    rows = [["  learner", "task", "median", "min - max", "per event", "ratio", "median of ratios", "target", ""]]
    times = {(one["learner"], one["task"]): one["seconds"] for one in told["seconds"]}
    for (learner, task), seconds in times.items():
        median, other = statistics.median(seconds), times[learner, LEARN]
        ratio = median / statistics.median(other)
        paired = statistics.median(mine / theirs for mine, theirs in zip(seconds, other, strict=True))
        judged = task == RECOVER
        rows.append(
            [
                f"  {learner}",
                task,
                f"{median:.2f} s",
                f"{min(seconds):.2f} - {max(seconds):.2f}",
                f"{1e6 * median / told['events']:.2f} us",
                f"{ratio:.2f}" if judged else "",
                f"{paired:.2f}" if judged else "",
                f"<= {MOST:g}" if judged else "",
                "" if not judged else "met" if ratio <= MOST else "missed",
            ]
        )
    head = f"replay of {told['events']:,} learned events of {FEATURES} features from SQLite, in turn:"
    return [head, *align(rows, words=2)]


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    cache = Path(__file__).resolve().parents[1] / ".cache"
    print("\n".join(lines(measure(3, count, cache, lambda text: None))))
