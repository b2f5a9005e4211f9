"""The answers of a contender with two labels, in columns, as a scoreboard counts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from driftline.internals.compiled import Floats
from driftline.serve.log.events import Answer, TwoLabelAnswers, encode
from driftline.serve.spec import Label

NUMBERS = 3
"""The numbers in an answer. In msgpack they are big-endian float64, each after the byte 0xcb."""
UNKNOWN = 2
decode_answers = msgspec.msgpack.Decoder(list[Answer]).decode


class AnswerColumns(NamedTuple):
    """What a contender with two labels answered to some examples.

    Attributes
    ----------
    labels
        Its labels.
    said
        The predicted labels: 0 for the first one, 1 for the second one.
    shares
        The probabilities of the first label, and those of the second one.
    """

    labels: tuple[Label, Label]
    said: NDArray[np.uint8]
    shares: tuple[Floats, Floats]

    def part(self, start: int, stop: int) -> AnswerColumns:
        """The answers to some of the examples."""
        first, second = self.shares
        return AnswerColumns(self.labels, self.said[start:stop], (first[start:stop], second[start:stop]))


def columns_of_batch(answers: TwoLabelAnswers) -> AnswerColumns:
    """The answers to the examples of a batch."""
    scores, shares = (np.frombuffer(column, "<f8") for column in (answers.scores, answers.shares))
    return AnswerColumns((answers.negative, answers.positive), (scores >= 0.0).view(np.uint8), (1.0 - shares, shares))


def columns_of_examples(encoded: Sequence[Any]) -> AnswerColumns | None:
    """The answers to single examples; None if they must be decoded.

    The answers of a contender with two labels have four forms, by the predicted label and the
    likeliest one. Answers of one form differ in their numbers only.

    Parameters
    ----------
    encoded
        The answers to each example, at least one, as they are in the log.
    """
    answers: list[Answer] = decode_answers(encoded[0])
    shares = answers[0].shares if len(answers) == 1 else None
    if shares is None or len(shares) != 2:
        return None
    low, high = shares
    by, labels = answers[0].by, (low, high)
    whole = _of_one_size(b"".join(encoded), len(encoded), by, labels)
    if whole is not None:
        return whole
    sizes = np.fromiter(map(len, encoded), np.intp, len(encoded))
    said, first, second = np.empty(len(encoded), np.uint8), np.empty(len(encoded)), np.empty(len(encoded))
    for size in {sizes.min().item(), sizes.max().item()}:  # labels may have two sizes
        places = (sizes == size).nonzero()[0]
        sizes[places] = 0
        part = _of_one_size(b"".join([encoded[k] for k in places.tolist()]), len(places), by, labels)
        if part is None:
            return None
        said[places], first[places], second[places] = part.said, *part.shares
    return None if sizes.any() else AnswerColumns(labels, said, (first, second))


def _of_one_size(joined: bytes, count: int, by: int, labels: tuple[Label, Label]) -> AnswerColumns | None:
    """Answers of one size; None if there are others, or answers of another form.

    The bytes between the numbers are compared with those of a form. As msgpack can be split in one
    way only, answers of several sizes never have this form after each multiple of a size.
    """
    said, swapped = np.full(count, UNKNOWN, np.uint8), np.zeros(count, bool)
    larger = np.empty(count)
    for predicted, leader in ((0, 0), (1, 1), (0, 1), (1, 0)):
        before, between, last, end = _form(by, labels[predicted], (labels[leader], labels[1 - leader]))
        if (len(before) + len(between) + len(last) + len(end) + 8 * NUMBERS) * count != len(joined):
            continue
        formats = (f"S{len(before)}", ">f8", f"S{len(between)}", ">f8", f"S{len(last)}", ">f8", f"S{len(end)}")
        rows = np.frombuffer(joined, [*zip("apbqcsd", formats, strict=True)])
        fits = (rows["a"] == before) & (rows["b"] == between)
        said[fits] = predicted
        swapped[fits] = leader
        np.copyto(larger, rows["p"], where=fits)
        if UNKNOWN not in said:
            if not ((rows["c"] == last) & (rows["d"] == end)).all():
                return None
            smaller = rows["q"]
            return AnswerColumns(labels, said, (np.where(swapped, smaller, larger), np.where(swapped, larger, smaller)))
    return None


def _form(by: int, predicted: Label, order: tuple[Label, Label]) -> tuple[bytes, bytes, bytes, bytes]:
    r"""The bytes of an answer before, between and after its numbers.

    >>> _form(0, "no", ("yes", "no"))
    (b'\x91\x96\x00\xa2no\x82\xa3yes\xcb', b'\xa2no\xcb', b'\xcb', b'\xc0\xc3')
    """
    whole = encode([Answer(by, predicted, dict.fromkeys(order, 0.0), 0.0)])
    key = len(whole) - 20 - len(encode(order[1]))
    return whole[: key - 8], whole[key:-19], whole[-11:-10], whole[-2:]
