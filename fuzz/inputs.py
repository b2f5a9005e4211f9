"""One input of the fuzzer: bytes and read options, determined by the seed and its number."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from mutations import COMPRESSORS, FORMAT_AWARE, FORMAT_BLIND, TOKENS, cut, mutated, spliced
from valid import MAKERS, file_of

from driftline.streams.files.source import MAGIC

KINDS = tuple(MAKERS)
SUFFIX = {"svmlight": "svm"}
COLUMNS = ("csv", "tsv", "jsonl", "parquet", "arrow")
BINARY = ("parquet", "arrow")
WARM = 2 * len(KINDS)
"""The number of inputs that warm up a worker."""


class Input(NamedTuple):
    """An input; ``countable`` says whether its examples can be counted independently."""

    kind: str
    data: bytes
    options: dict[str, Any]
    on_disk: bool
    countable: bool = True

    @property
    def name(self) -> str:
        return f"fuzz.{SUFFIX.get(self.kind, self.kind)}"


def input_of(seed: int, number: int) -> Input:
    """Return the input with this number."""
    rng = Random(f"{seed} {number}")
    kind = KINDS[number % len(KINDS)]
    source = rng.choices((_changed, _random, _damaged), (8, 1, 1))[0]
    data, countable = source(kind, rng)
    return Input(
        kind, data, _options(kind, rng), rng.random() < 0.1 or (kind in BINARY and rng.random() < 0.5), countable
    )


def _changed(kind: str, rng: Random) -> tuple[bytes, bool]:
    """Return a mutated valid file, sometimes spliced from two files."""
    data = file_of(kind, rng)
    if rng.random() < 0.15:
        data = spliced(data, file_of(rng.choice(KINDS) if rng.random() < 0.2 else kind, rng), rng)
    return mutated(data, rng, FORMAT_BLIND if kind in BINARY else FORMAT_AWARE), True


def _random(kind: str, rng: Random) -> tuple[bytes, bool]:
    """Return random bytes or random tokens, sometimes after the magic bytes of a format."""
    if rng.random() < 0.5:
        data = rng.randbytes(rng.randint(0, 300))
    else:
        data = b"".join(rng.choice(TOKENS) for _ in range(rng.randint(0, 40)))
    head = rng.choice((b"", b"", *MAGIC, b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff", b"y,n\n", b"@relation x\n"))
    return head + data, not head.startswith(tuple(MAGIC))


def _damaged(kind: str, rng: Random) -> tuple[bytes, bool]:
    """Return a damaged compressed file. zstd has no checksum here: only cuts are detected."""
    how = rng.choice(tuple(COMPRESSORS))
    whole = COMPRESSORS[how](file_of(kind, rng))
    if rng.random() < 0.5:
        return cut(whole, rng), True
    return mutated(whole, rng, FORMAT_BLIND), how != "zstd"


def _options(kind: str, rng: Random) -> dict[str, Any]:
    options: dict[str, Any] = {"target": "y"} if kind in COLUMNS else {}
    if rng.random() < 0.1:
        options["labelled"] = False
    if kind in ("csv", "tsv") and rng.random() < 0.3:
        options |= {"text": "text", "ngrams": rng.randint(1, 3)}
    if kind == "jsonl" and rng.random() < 0.2:
        options["time"] = "t"
    if rng.random() < 0.05:
        options["threads"] = 2
    return {"threads": 1} | options
