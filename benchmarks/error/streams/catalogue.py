"""The streams by name: real ones from the folder DRIFTLINE_DATA, packaged and synthetic ones.

All learners get the same unscaled numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from error.stored import Stream
from error.streams import digits, generated, mails, news, packaged, tables, texts

BLOCK = 50
"""Rows of a block of the control, in which rows are shuffled."""

REAL: dict[str, Callable[[Path], list[Stream]]] = {
    "elec2": tables.elec2,
    "sea": tables.sea,
    "usenet1": tables.usenet1,
    "spam": texts.spam,
    "spamassassin": mails.spamassassin,
    "a9a": texts.a9a,
    "rcv1": texts.rcv1,
    "news": news.pairs,
    "news-20": news.twenty,
    "usps": digits.usps,
    "usps-10": digits.usps_ten,
    "covtype": tables.covtype,
    "covtype-10k": tables.covtype_first,
    "keystroke": tables.keystroke,
}
"""Readers of streams in a folder."""

STAND_INS: dict[str, Callable[[], list[Stream]]] = {
    "drawn-sea": generated.sea,
    "drawn-hyperplane": generated.hyperplane,
    "digits": digits.small,
}
"""Streams that are used if there is no folder."""

ALWAYS: dict[str, Callable[[], list[Stream]]] = {
    "digits-10": digits.small_ten,
    "bananas": packaged.bananas,
    "segments": packaged.segments,
    **{name: partial(generated.curved, name) for name in generated.CURVED},
    "plane-15": lambda: generated.plane("plane-15", 0, -4.0),  # 15 % positive labels
    "plane-1": lambda: generated.plane("plane-1", 1, -9.5),  # 1 % positive labels
}
"""Streams that need no folder."""


def names(folder: Path | None) -> list[str]:
    """Return the names of all streams, with or without a folder of real ones."""
    return [*(STAND_INS if folder is None else REAL), *ALWAYS]


def read(folder: Path | None, wanted: Collection[str], absent: dict[str, str]) -> list[list[Stream]]:
    """Return the draws of each wanted stream. Streams that cannot be read go to `absent`."""
    found = []
    for name in names(folder):
        if name not in wanted:
            continue
        try:
            if name in REAL and folder is not None:
                found.append(REAL[name](folder))
            else:
                found.append((ALWAYS | STAND_INS)[name]())
        except Exception as why:  # an error in one stream must not stop the others
            absent[name] = f"{type(why).__name__}: {why}"
    return found


def shuffled(stream: Stream) -> Stream:
    """Return the stream with the rows of each block in a random order.

    Drift remains, but what a row tells about the next one does not.
    """
    rng, order = np.random.default_rng(stream.seed), np.arange(stream.rows)
    for start in range(0, stream.rows, BLOCK):
        rng.shuffle(order[start : start + BLOCK])
    return replace(stream, X=stream.X[order], y=stream.y[order])
