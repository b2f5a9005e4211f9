"""A process of a peer: it runs one learner over a stream with one delay, and prints its wrong predictions.

python -m delay.worker PACKAGE MODEL DELAY STREAM_FILE
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

from error import stored
from error.rivals import MODULES

from delay import peers
from delay.loop import errors

MAKE = {"river": peers.river, "scikit-learn": peers.scikit_learn}


def main(package: str, model: str, delay: int, file: Path) -> None:
    """Run the learner over the stream."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries goes to standard error
    module: Any = importlib.import_module(MODULES[package])
    stream = stored.load(file)
    predict, learn = MAKE[package](model, stream.seed)
    wrong, _ = errors(predict, learn, module.examples(stream), (stream.y > 0.0).tolist(), delay)
    print(wrong, file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
