"""Dense inner loops in explicit vectors of eight: w.x with or without |x|^2, and w += factor x.

The loops are written in LLVM's vector instructions rather than left to the vectoriser, for two
reasons. The order of the sums is fixed, so a row gives the same bits in every loop that inlines
this code. And the eight lanes are added up once, at the end; the vectoriser adds them up several
times in a short row, and each time the next operation has to wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from driftline.internals.compiled import Floats, Weights, fused, native

LANES = 8
UNROLLED = 4
DOUBLE = ir.DoubleType()
DOUBLES = ir.VectorType(DOUBLE, LANES)
INDEX = ir.IntType(64)
LANE = ir.IntType(32)


def data(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Pointer to the first element of an array."""
    return context.make_array(array_type)(context, builder, array).data


def load(builder: Any, pointer: Any, at: Any, lanes: int) -> Any:
    """Load ``lanes`` elements from ``at`` on as doubles."""
    element = pointer.type.pointee
    kind, wide = (element, DOUBLE) if lanes == 1 else (ir.VectorType(element, lanes), DOUBLES)
    loaded = builder.load(builder.bitcast(builder.gep(pointer, [at]), kind.as_pointer()))
    loaded.align = 4 if element == ir.FloatType() else 8
    return loaded if element == DOUBLE else builder.fpext(loaded, wide)


def store(builder: Any, value: Any, pointer: Any, at: Any, lanes: int) -> None:
    """Store ``lanes`` doubles to the elements from ``at`` on."""
    element = pointer.type.pointee
    kind = element if lanes == 1 else ir.VectorType(element, lanes)
    if element != DOUBLE:
        value = builder.fptrunc(value, kind)
    stored = builder.store(value, builder.bitcast(builder.gep(pointer, [at]), kind.as_pointer()))
    stored.align = 4 if element == ir.FloatType() else 8


def splat(builder: Any, value: Any) -> Any:
    """A vector of eight lanes with the same value."""
    nothing = ir.Constant(DOUBLES, ir.Undefined)
    first = builder.insert_element(nothing, value, LANE(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(LANE, LANES), [0] * LANES))


def multiply_add(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, fused if the processor has such an instruction."""
    name = "llvm.fmuladd.f64" if a.type == DOUBLE else f"llvm.fmuladd.v{LANES}f64"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(a.type, [a.type] * 3), name)
    return builder.call(function, [a, b, c])


def strides(builder: Any, at: Any, size: Any, stride: int, body: Callable[[Any], None]) -> None:
    """``while at + stride <= size: body(at); at += stride``."""
    test, inside, after = (builder.append_basic_block(name) for name in ("test", "inside", "after"))
    builder.branch(test)
    builder.position_at_end(test)
    here = builder.load(at)
    following = builder.add(here, INDEX(stride))
    builder.cbranch(builder.icmp_unsigned("<=", following, size), inside, after)
    builder.position_at_end(inside)
    body(here)
    builder.store(following, at)
    builder.branch(test)
    builder.position_at_end(after)


def joined(builder: Any, vectors: list[Any]) -> Any:
    """The sum of all lanes, in a fixed order."""
    while len(vectors) > 1:
        vectors = [builder.fadd(a, b) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
    vector, lanes = vectors[0], LANES
    while lanes > 1:
        lanes //= 2
        nothing = ir.Constant(vector.type, ir.Undefined)
        kind = ir.VectorType(LANE, lanes)
        low = builder.shuffle_vector(vector, nothing, ir.Constant(kind, list(range(lanes))))
        high = builder.shuffle_vector(vector, nothing, ir.Constant(kind, list(range(lanes, 2 * lanes))))
        vector = builder.fadd(low, high)
    return builder.extract_element(vector, LANE(0))


@fused
def plain_dot_dense(w: Weights, values: Floats, start: int, size: int) -> tuple[float, float]:
    """``dot_dense`` in Python."""
    dot = square = 0.0
    for j in range(size):
        x = values[start + j]
        dot += w[j] * x
        square += x * x
    return dot, square


@fused
def plain_add_dense(w: Weights, values: Floats, start: int, size: int, factor: float) -> None:
    """``add_dense`` in Python."""
    for j in range(size):
        w[j] += factor * values[start + j]


@fused
def plain_dot_eights(w: Weights, values: Floats, start: int, size: int) -> float:
    """``dot_eights`` in Python."""
    dot = 0.0
    for j in range(size):
        dot += w[j] * values[start + j]
    return dot


@native(plain_dot_dense)
def dot_dense(typingctx: Any, w: Any, values: Any, start: Any, size: Any) -> Any:
    """(w.x, |x|^2), where x is ``values[start:start + size]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights = data(context, builder, signature.args[0], args[0])
        x = builder.gep(data(context, builder, signature.args[1], args[1]), [args[2]])
        zeros = ir.Constant(DOUBLES, [0.0] * LANES)
        dots = [cgutils.alloca_once_value(builder, zeros) for _ in range(UNROLLED)]
        squares = [cgutils.alloca_once_value(builder, zeros) for _ in range(UNROLLED)]
        tail_dot = cgutils.alloca_once_value(builder, DOUBLE(0.0))
        tail_square = cgutils.alloca_once_value(builder, DOUBLE(0.0))

        def add(at: Any, lanes: int, dot: Any, square: Any) -> None:
            a, b = load(builder, weights, at, lanes), load(builder, x, at, lanes)
            builder.store(multiply_add(builder, a, b, builder.load(dot)), dot)
            builder.store(multiply_add(builder, b, b, builder.load(square)), square)

        def add_four(at: Any) -> None:
            for k in range(UNROLLED):
                add(builder.add(at, INDEX(k * LANES)), LANES, dots[k], squares[k])

        at = cgutils.alloca_once_value(builder, INDEX(0))
        strides(builder, at, args[3], UNROLLED * LANES, add_four)
        strides(builder, at, args[3], LANES, lambda here: add(here, LANES, dots[0], squares[0]))
        strides(builder, at, args[3], 1, lambda here: add(here, 1, tail_dot, tail_square))
        sums = [
            builder.fadd(joined(builder, [builder.load(one) for one in vectors]), builder.load(tail))
            for vectors, tail in ((dots, tail_dot), (squares, tail_square))
        ]
        return context.make_tuple(builder, signature.return_type, sums)

    return types.UniTuple(types.float64, 2)(w, values, start, size), codegen


@native(plain_add_dense)
def add_dense(typingctx: Any, w: Any, values: Any, start: Any, size: Any, factor: Any) -> Any:
    """w += factor x, where x is ``values[start:start + size]``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights = data(context, builder, signature.args[0], args[0])
        x = builder.gep(data(context, builder, signature.args[1], args[1]), [args[2]])
        first = builder.insert_element(ir.Constant(DOUBLES, ir.Undefined), args[4], LANE(0))
        lanes_of_first = ir.Constant(ir.VectorType(LANE, LANES), [0] * LANES)
        factors = builder.shuffle_vector(first, ir.Constant(DOUBLES, ir.Undefined), lanes_of_first)

        def add(at: Any, lanes: int, by: Any) -> None:
            moved = multiply_add(builder, by, load(builder, x, at, lanes), load(builder, weights, at, lanes))
            store(builder, moved, weights, at, lanes)

        at = cgutils.alloca_once_value(builder, INDEX(0))
        strides(builder, at, args[3], LANES, lambda here: add(here, LANES, factors))
        strides(builder, at, args[3], 1, lambda here: add(here, 1, args[4]))
        return context.get_dummy_value()

    return types.void(w, values, start, size, factor), codegen


@native(plain_dot_eights)
def dot_eights(typingctx: Any, w: Any, values: Any, start: Any, size: Any) -> Any:
    """w.x, where x is ``values[start:start + size]`` and size is a multiple of eight."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights = data(context, builder, signature.args[0], args[0])
        x = builder.gep(data(context, builder, signature.args[1], args[1]), [args[2]])
        zeros = ir.Constant(DOUBLES, [0.0] * LANES)
        dots = [cgutils.alloca_once_value(builder, zeros) for _ in range(UNROLLED)]

        def add(at: Any, dot: Any) -> None:
            a, b = load(builder, weights, at, LANES), load(builder, x, at, LANES)
            builder.store(multiply_add(builder, a, b, builder.load(dot)), dot)

        def add_four(at: Any) -> None:
            for k in range(UNROLLED):
                add(builder.add(at, INDEX(k * LANES)), dots[k])

        at = cgutils.alloca_once_value(builder, INDEX(0))
        strides(builder, at, args[3], UNROLLED * LANES, add_four)
        strides(builder, at, args[3], LANES, lambda here: add(here, dots[0]))
        return joined(builder, [builder.load(one) for one in dots])

    return types.float64(w, values, start, size), codegen
