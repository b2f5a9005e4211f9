"""The number of set bits of a word, in one machine instruction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from driftline.internals.compiled import native


def _plain_bit_count(word: Any) -> Any:
    """``bit_count`` in Python."""
    return np.uint64(int(word).bit_count())


@native(_plain_bit_count)
def bit_count(typing_context: Any, word: Any) -> Any:
    """Return the number of set bits of a uint64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate
