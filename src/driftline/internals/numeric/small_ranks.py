"""The places of at most 16 numbers in sorted order, by comparing all pairs in vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from driftline.internals.compiled import jit, native
from driftline.internals.numeric.simd import INDEX, LANE, data, strides

FEW = np.uint64(16)


@jit
def plain_rank_few(numbers: Any, start: int, size: int, places: Any) -> None:
    """``rank_few`` in Python."""
    for k in range(FEW):
        places[k] = 0
        for j in range(size):
            places[k] += numbers[start + j] < numbers[start + k]


@native(plain_rank_few)
def rank_few(typingctx: Any, numbers: Any, start: Any, size: Any, places: Any) -> Any:
    """Write to ``places`` how many of the ``size`` numbers from ``start`` on are smaller than each.

    Both arrays have integers of one type, compared as signed ones. 16 numbers are read and 16
    places are written, of which the first ``size`` count.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = builder.gep(data(context, builder, signature.args[0], args[0]), [args[1]])
        out = data(context, builder, signature.args[3], args[3])
        element = pointer.type.pointee
        vector, lanes = ir.VectorType(element, int(FEW)), ir.VectorType(LANE, int(FEW))
        nothing = ir.Constant(vector, ir.Undefined)
        row = builder.load(builder.bitcast(pointer, vector.as_pointer()))
        row.align = element.width // 8
        counts = cgutils.alloca_once_value(builder, ir.Constant(vector, [0] * int(FEW)))

        def count(at: Any) -> None:
            one = builder.insert_element(nothing, builder.load(builder.gep(pointer, [at])), LANE(0))
            each = builder.shuffle_vector(one, nothing, ir.Constant(lanes, [0] * int(FEW)))
            smaller = builder.sext(builder.icmp_signed("<", each, row), vector)  # -1 where it is
            builder.store(builder.sub(builder.load(counts), smaller), counts)

        at = cgutils.alloca_once_value(builder, INDEX(0))
        strides(builder, at, args[2], 1, count)
        stored = builder.store(builder.load(counts), builder.bitcast(out, vector.as_pointer()))
        stored.align = element.width // 8
        return context.get_dummy_value()

    return types.void(numbers, start, size, places), codegen
