"""Caches of data files and checkpoints of runs, mutated with right checksums.

A mutant of a cache is read, or the file is parsed again: its rows keep all promises in any case,
and learners learn them. A mutant of a checkpoint is refused, or the run is resumed.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from judge import READ, REFUSED, WrongError, check_message, check_rows
from judge_models import CONSTANT, MULTIPLE, attempt, use
from model_mutants import NUMBERS, mutant_of, number_for, places
from mutations import FORMAT_BLIND, mutated
from peak_memory import peak_memory
from seed_models import Seed
from valid import file_of

import driftline as dl
from driftline.saved.container import read as read_container
from driftline.streams import ReadError, read
from driftline.streams.files.cache import ALIGNED, MAGIC
from driftline.streams.files.scan.fingerprint import fingerprint
from driftline.streams.files.stream import WITHOUT_COLUMNS

KINDS = ("svmlight", "vw", "csv", "jsonl", "checkpoint")
WARM = 3 * len(KINDS)
"""The number of inputs that warm up a worker."""
EVERY = 8
SAME = 1_700_000_000
"""The time of change of every data file: it is part of the key of a cache."""
LEARNERS = ("pa1", "tracker", "l1pa", "onevsrest", "committee", "arow", "kernelized")


class Input(NamedTuple):
    """A cache with its data file, or a checkpoint with the learner of its run."""

    kind: str
    data: bytes
    file: bytes
    learner: str
    name: str = "mutant"


def input_of(seed: int, number: int) -> Input:
    """Return the input with this number; with a seed below 0 an unchanged one."""
    rng = Random(f"stored {seed} {number}")
    kind = KINDS[number % len(KINDS)]
    if kind == "checkpoint":
        learner, history = rng.choice(LEARNERS), rng.random() < 0.5
        meta, arrays = _checkpoint(learner, history)
        whole = Seed(learner, "dense", "signed", meta, arrays)
        return Input(kind, mutant_of(whole, rng, "checkpoint")[0], b"", f"{learner} {history:d}")
    text = file_of(kind, Random(f"{kind} {rng.randrange(20)}"))
    data = _cache(kind, text)
    # columns go up to 10^7: a learner with one weight for each
    learner = "pa1" if kind == "svmlight" else rng.choice(LEARNERS[:4])
    return Input(kind, data if seed < 0 else _mutated_cache(data, rng), text, learner)


def judged(given: Input) -> tuple[str | None, str | None]:
    """Return the outcome, READ or REFUSED, and the violation; one of them is None."""
    with tempfile.TemporaryDirectory(prefix="driftline-fuzz-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with np.errstate(all="ignore"):
                return (_resumed if given.kind == "checkpoint" else _read)(given, Path(folder)), None
        except WrongError as wrong:
            return None, str(wrong)
        except Exception as error:
            return None, f"{type(error).__name__}: {' '.join(str(error).split())}"


# caches -------------------------------------------------------------------------------------------
def _stream(path: Path, kind: str) -> Any:
    target = {"target": "y"} if kind in ("csv", "jsonl") else {}
    return read(path, format=kind, cache=True, on_error="skip", threads=1, **target)


def _written(folder: Path, kind: str, text: bytes) -> Path:
    path = folder / f"data.{kind}"
    path.write_bytes(text)
    os.utime(path, (SAME, SAME))
    return path


@cache
def _cache(kind: str, text: bytes) -> bytes:
    with tempfile.TemporaryDirectory(prefix="driftline-fuzz-") as folder:
        path = _written(Path(folder), kind, text)
        for _ in _stream(path, kind):
            pass
        return path.with_name(f"{path.name}.dlcache").read_bytes()


def _read(given: Input, folder: Path) -> str:
    path = _written(folder, given.kind, given.file)
    cached = path.with_name(f"{path.name}.dlcache")
    cached.write_bytes(given.data)
    learner, blocks = dl.REGISTRY[given.learner](), []
    try:
        with peak_memory() as peak:
            blocks += _stream(path, given.kind)
    except ReadError as error:
        check_message(str(error))
    for X, y, *w in blocks:
        check_rows(X, y, w, given.kind in WITHOUT_COLUMNS)
        attempt(learner.learn_many, X, y, *w)
        attempt(learner.score_many, X)
    if peak.grown > MULTIPLE * (len(given.data) + len(given.file)) + CONSTANT:
        raise WrongError(f"reading {len(given.data):,} bytes took {peak.grown:,} bytes")
    return READ if cached.read_bytes() == given.data else REFUSED


def _mutated_cache(data: bytes, rng: Random) -> bytes:
    """The records of a cache, some of them changed; checksums are right, but for rare raw damage."""
    records = _records(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(records))
        records[at] = _changed_record(*records[at], rng)
    if rng.random() < 0.1:
        records.insert(rng.randrange(len(records)), rng.choice(records))
    if rng.random() < 0.1:
        del records[rng.randrange(len(records))]
    whole = MAGIC + b"".join(_record(head, body) for head, body in records)
    return mutated(whole, rng, FORMAT_BLIND) if rng.random() < 0.05 else whole


def _records(data: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], len(MAGIC)
    while at < len(data):
        text, body = np.frombuffer(data[at : at + 16], np.uint64).tolist()
        at += ALIGNED
        found.append((data[at : at + text], data[at + text : at + text + body]))
        at += text + body
    return found


def _record(head: bytes, body: bytes) -> bytes:
    head += b" " * (-len(head) % ALIGNED)
    body += bytes(-len(body) % ALIGNED)
    sums = [fingerprint(np.frombuffer(part, np.uint8)) for part in (head, body)]
    return np.array([len(head), len(body), *sums, 0, 0, 0, 0], np.uint64).tobytes() + head + body


def _changed_record(head: bytes, body: bytes, rng: Random) -> tuple[bytes, bytes]:
    try:
        about = json.loads(head)
        arrays = [(np.dtype(dtype), int(size)) for dtype, size in about["arrays"].values()]
    except (ValueError, KeyError, TypeError, AttributeError):
        return head, body  # it was changed before
    kind = rng.random()
    if kind < 0.6 and arrays:
        at, changed = 0, bytearray(body)
        chosen = rng.randrange(len(arrays))
        for k, (dtype, size) in enumerate(arrays):
            length = size * dtype.itemsize
            if k == chosen and 0 < length <= len(body) - at:
                place = at + rng.randrange(size) * dtype.itemsize
                old = np.frombuffer(bytes(changed[place : place + dtype.itemsize]), dtype, 1)[0]
                changed[place : place + old.itemsize] = np.array([number_for(old, rng)], dtype).tobytes()
            at += length + -length % ALIGNED
        return head, bytes(changed)
    if kind < 0.9:
        inside, key, _ = rng.choice(places(about))
        other = rng.choice(("x", None, [], {}, True, "uint8", "int64", inside[key]))
        inside[key] = rng.choice([one for one in NUMBERS if type(one) is int]) if rng.random() < 0.6 else other
        return json.dumps(about).encode(), body
    if kind < 0.95:
        return mutated(head, rng, FORMAT_BLIND), body
    return head, mutated(body, rng, FORMAT_BLIND) if body else body


# checkpoints --------------------------------------------------------------------------------------
def _examples() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(40, 4))
    return X, np.where(X[:, 0] > 0.0, 1.0, -1.0)


class Enough(Exception):  # noqa: N818
    """Ends a run in the middle."""


@cache
def _checkpoint(learner: str, history: bool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    X, y = _examples()

    def blocks() -> Any:
        for start in range(0, 24, 8):
            yield X[start : start + 8], y[start : start + 8]
        raise Enough

    with tempfile.TemporaryDirectory(prefix="driftline-fuzz-") as folder:
        with suppress(Enough):
            _run(learner, blocks(), Path(folder), history, resume=False)
        return read_container(Path(folder) / "checkpoint.dl", "checkpoint")


def _run(learner: str, stream: Any, folder: Path, history: bool, resume: bool = True) -> dl.Run:
    checkpoint = dl.Checkpoint(folder, EVERY, resume)
    return dl.run(dl.REGISTRY[learner](), stream, history=history, checkpoint=checkpoint, progress=False)


def _resumed(given: Input, folder: Path) -> str:
    (folder / "checkpoint.dl").write_bytes(given.data)
    learner, history = given.learner.split()
    try:
        done = _run(learner, _examples(), folder, history == "1")
    except ValueError as error:  # a ModelError, or an example that the changed learner refuses
        check_message(str(error))
        return REFUSED
    if done.examples != 40 or len(done.curve) == 0:
        raise WrongError(f"a run of {done.examples} examples")
    use(done.learner, "dense", "signed")
    return READ
