"""A process of a peer: it runs one regressor over a stream, and prints its mean absolute error.

python -m regression.worker PACKAGE MODEL STREAM_FILE
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from error import stored

from regression.peers import EXAMPLES, MAKE


def main(package: str, model: str, file: Path) -> None:
    """Predict, then learn each example."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries goes to standard error
    stream = stored.load(file)
    predict, learn = MAKE[package](model)
    total = 0.0
    for x, y in zip(EXAMPLES[package](stream.X), stream.y.tolist(), strict=True):
        total += abs(y - predict(x))
        learn(x, y)
    print(repr(total / stream.rows), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
