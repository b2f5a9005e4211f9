"""Arrays handed to compiled code by one address: a call from Python pays for every array that it passes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from driftline.internals.compiled import inlined


@intrinsic
def _pointer(typing_context: Any, address: Any, like: Any) -> Any:
    """The address of elements of the type of ``like`` as a pointer."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(like)(address, like), generate


@inlined
def array_at(book: int, k: int, like: Any) -> Any:
    """Array number k of a book, flat; ``like`` is a number of its type."""
    entries = carray(_pointer(book, np.uint64(0)), 2 * k + 2)
    return carray(_pointer(entries[2 * k], like), entries[2 * k + 1])


def by_address(function: Callable[..., float], first: tuple[Any, ...], arrays: tuple[np.ndarray, ...]) -> Any:
    """``function`` with its first arguments given: these, then the address of a book of the arrays.

    The addresses are good as long as the arrays live, so what is returned holds on to them.
    """
    book = np.array([(array.ctypes.data, array.size) for array in arrays], np.uint64)
    given = partial(function, *first, book.ctypes.data)
    given.__dict__["held"] = book, arrays
    return given
