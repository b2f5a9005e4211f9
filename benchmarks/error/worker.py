"""A process of a peer: it runs one learner over each stream, and prints a line of JSON for each.

python -m error.worker PACKAGE MODEL LIMIT STREAM_FILE...
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from error import stored
from error.play import Outcome, play
from error.rivals import MODULES


def main(package: str, model: str, limit: float, files: list[Path]) -> None:
    """Run the learner over the streams, one after the other."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries goes to standard error
    peer: Any = importlib.import_module(MODULES[package])
    for outcome in outcomes(peer, model, limit, files):
        print(json.dumps(asdict(outcome)), file=answers, flush=True)


def outcomes(peer: Any, model: str, limit: float, files: list[Path]) -> Iterator[Outcome]:
    """Yield the outcome of a new learner on each stream, with `limit` seconds for all."""
    for file in files:
        stream = stored.load(file)
        if limit <= 0.0:
            yield Outcome.of(np.zeros(0, bool), 0.0)
            continue
        outcome = play(peer.learner(model, stream), peer.examples(stream), stream.labels, limit)
        limit -= outcome.seconds
        yield outcome


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), [Path(name) for name in sys.argv[4:]])
