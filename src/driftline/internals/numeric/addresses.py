"""Pass many arrays to compiled code as one address.

A call from Python to compiled code has a cost for every array argument. Here the arrays are listed
in one address table, and the call passes only the address of that table.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import carray, types

from driftline.internals.compiled import inlined, native


def _plain_pointer(address: Any, like: Any) -> Any:
    """``_pointer`` in Python."""
    return ctypes.cast(int(address), ctypes.POINTER(np.ctypeslib.as_ctypes_type(np.asarray(like).dtype)))


@native(_plain_pointer)
def _pointer(typing_context: Any, address: Any, like: Any) -> Any:
    """Convert an address to a pointer to elements of the type of ``like``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(like)(address, like), generate


@inlined
def array_at(addresses: int, k: int, like: Any) -> Any:
    """Array number k of the address table, flat; ``like`` is a number of its element type."""
    entries = carray(_pointer(addresses, np.uint64(0)), 2 * k + 2)
    return carray(_pointer(entries[2 * k], like), entries[2 * k + 1])


def by_address(function: Callable[..., float], first: tuple[Any, ...], arrays: tuple[np.ndarray, ...]) -> Any:
    """Bind the arguments ``first`` and the address of a table of ``arrays`` to ``function``.

    The addresses are valid only while the arrays exist, so the result holds references to them.
    """
    table = np.array([(array.ctypes.data, array.size) for array in arrays], np.uint64)
    bound = partial(function, *first, table.ctypes.data)
    bound.__dict__["held"] = table, arrays
    return bound
