"""Vowpal Wabbit through its Python package: one line of text at a time, logistic loss, otherwise
defaults.

It predicts before it learns. A prediction above 0 is positive, as with `--binary`. It scales
features itself. Several classes use `--oaa`, one against all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from vowpalwabbit import Workspace

from error.play import Guess, Step
from error.stored import Stream

OPTIONS = {"default": "", "coin": " --coin"}
LARGE_BITS = 22
"""Bits of the weights' index with several classes and sparse rows; the default of 18 bits is too
few for an index for each word and class.
"""


def examples(stream: Stream) -> list[str]:
    """Return the features as text.

    Their names are numbers, which it uses as indices without hashing.
    """
    if not stream.sparse:
        return [_text(enumerate(row)) for row in stream.X.tolist()]
    X = stream.X
    cuts = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return [_text(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)) for a, b in cuts]


def learner(model: str, stream: Stream) -> Step:
    """Return a new learner as a step."""
    options = f"--quiet --loss_function logistic{OPTIONS[model]} --random_seed {stream.seed}"
    return _of_classes(options, stream) if stream.several else _of_two(options)


def _of_two(options: str) -> Step:
    made = Workspace(options)

    def step(x: str, positive: bool) -> Guess:
        example = made.example(f"{1 if positive else -1} |{x}")
        made.learn(example)
        score = example.get_simplelabel_prediction()
        made.finish_example(example)
        return Guess(score > 0.0, score, 0.5 + 0.5 * math.tanh(0.5 * score))

    return step


def _of_classes(options: str, stream: Stream) -> Step:
    """Return a step for labels that it numbers from 1."""
    bits = f" -b {LARGE_BITS}" if stream.sparse else ""
    made = Workspace(f"{options} --oaa {len(stream.classes)}{bits}")
    numbers = {label: k + 1 for k, label in enumerate(stream.classes)}

    def step(x: str, label: int) -> Guess:
        example = made.example(f"{numbers[label]} |{x}")
        made.learn(example)
        predicted = example.get_multiclass_prediction()
        made.finish_example(example)
        return Guess(stream.classes[predicted - 1])

    return step


def _text(pairs: Iterable[tuple[int, float]]) -> str:
    return "".join(f" {index}:{value:.9g}" for index, value in pairs if value != 0.0)
