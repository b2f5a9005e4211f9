"""Paths: diagonal AROW on the nodes that a row visits in 20 random trees of depth 8.

    x      indicators of the 160 nodes on the paths of z, each 1 / sqrt(160)
    s_c    w_c.x for each class c;  m_c = s_c if c is the label, else -s_c

    w_c'   w_c +- (1 - m_c) b P x    where m_c < 1, plus for the label, minus for other classes
    P'     min(1000, (P - b P^2 x^2) / gamma)    if any class moved
    b      1 / (sum P x^2 + r / w)

P has one variance per node, shared by all classes, at first 1; w is the sample weight. Two experts
share the trees: r = 0.1 with gamma = 1, and r = 1 with gamma = 0.998, which forgets. A node splits
when a learned row first visits it, on a feature drawn from those known then, at a normal threshold
of deviation 0.8. Each split is a function of the tree and the node, so the trees are the same for
every stream with the same features.

A class that was never seen has the weights of a class that was never the label of any row so far:
these are learned in a column of their own, in every round in which a class moved. A new class
starts with them. Two classes are therefore a single binary AROW: w_0 = -w_1 in every bit.

Crammer, Kulesza, Dredze. Adaptive regularization of weight vectors. NIPS 22 (2009), figure 1.
Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63 (2006), section 2.2.
Differs from the papers: P is diagonal, shared by one-vs-rest classes and divided by gamma. The
trees are drawn without labels, and r / w below 1e-9 counts as 1e-9.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.engines.nonlinear.nearest import Integers
from driftline.internals.compiled import Floats, jit
from driftline.internals.numeric.borrowed import borrowed
from driftline.rules.kernel.fourier_waves import TURN, uniform

TREES, DEPTH = 20, 8
INNER = 2**DEPTH  # places of a tree in ``features`` and ``thresholds``; node 1 is the root, place 0 is free
NODES = 2 * INNER  # places of a tree in ``lines``; the children of node j are 2 j and 2 j + 1
ON_PATHS = TREES * DEPTH
X = 1.0 / math.sqrt(ON_PATHS)
DEVIATION = 0.8
SEED = np.uint64(1)
EXPERTS = 2
R = (0.1, 1.0)
GROWTH = (1.0, 1.0 / 0.998)  # 1 / gamma
MOST_VARIANCE = 1e3
LEAST_NOISE = 1e-9
# a line: the variances of both experts, the weights of a class never seen, those of class 0, 1, ...
NEVER, FIRST = 2, 4
TILE = 8
ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN = (np.uint64(k) for k in range(1, 8))


class Trees(NamedTuple):
    """Splits of the nodes (feature -1: none yet), a line per node, and the classes seen."""

    features: npt.NDArray[np.int32]
    thresholds: Floats
    lines: Floats
    seen: Integers


class Workspace(NamedTuple):
    """The node of each tree, the lines on all paths, and one number per column of a line."""

    at: Integers
    path: npt.NDArray[np.uint64]
    sums: Floats
    steps: Floats


@jit
def new_workspace(width: int) -> Workspace:
    """A workspace for lines of this width."""
    return Workspace(np.empty(TREES, np.int64), np.empty(ON_PATHS, np.uint64), np.zeros(width), np.zeros(width))


@jit
def split(trees: Trees, tree: int, node: int, known: int) -> int:
    """Draw feature and threshold of a node; return the feature."""
    counter = np.uint64(tree * INNER + node)
    feature = min(int(uniform(SEED, counter, np.uint64(0)) * known), known - 1)
    length = math.sqrt(-2.0 * math.log(1.0 - uniform(SEED, counter, np.uint64(1))))
    trees.features[tree, node] = feature
    trees.thresholds[tree, node] = DEVIATION * (length * math.cos(TURN * uniform(SEED, counter, np.uint64(2))))
    return feature


@jit
def walk(trees: Trees, z: Floats, known: int, splits: bool, work: Workspace) -> int:
    """Write the lines on the paths of z to ``work.path``; return their number.

    A path ends at a node without a split, unless ``splits``: then the node gets one. All trees go
    down one level at a time, because the steps of one tree wait for each other.
    """
    count = 0
    for tree in range(TREES):
        work.at[tree] = 1
    for _ in range(DEPTH if known > 0 else 0):
        for tree in range(TREES):
            node = work.at[tree]
            if node == 0:
                continue
            feature = np.int64(trees.features[tree, node])
            if feature < 0:
                if not splits:
                    work.at[tree] = 0
                    continue
                feature = split(trees, tree, node, known)
            value = z[feature] if feature < known else 0.0
            node = 2 * node + (1 if value > trees.thresholds[tree, node] else 0)
            work.at[tree] = node
            work.path[count] = np.uint64(tree * NODES + node)
            count += 1
    return count


@jit
def columns_of(seen: Integers) -> int:
    """The number of columns of a line that are in use: up to those of the last class seen."""
    top = seen.size
    while top > 0 and seen[top - 1] == 0:
        top -= 1
    return FIRST + EXPERTS * top


@jit
def add_lines(lines: Floats, columns: int, count: int, work: Workspace) -> None:
    """Write the sum of the lines on the paths, column by column."""
    flat, width, path = lines.reshape(-1), np.uint64(lines.shape[1]), work.path
    for tile in range(np.uint64(0), np.uint64(columns), np.uint64(TILE)):
        a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for n in range(np.uint64(count)):
            k = path[n] * width + tile
            a += flat[k]
            b += flat[k + ONE]
            c += flat[k + TWO]
            d += flat[k + THREE]
            e += flat[k + FOUR]
            f += flat[k + FIVE]
            g += flat[k + SIX]
            h += flat[k + SEVEN]
        sums = work.sums
        sums[tile], sums[tile + ONE], sums[tile + TWO], sums[tile + THREE] = a, b, c, d
        sums[tile + FOUR], sums[tile + FIVE], sums[tile + SIX], sums[tile + SEVEN] = e, f, g, h


@jit
def move_lines(lines: Floats, columns: int, count: int, work: Workspace) -> None:
    """Add the variance of its expert times its step to each weight on the paths."""
    flat, width, path = lines.reshape(-1), np.uint64(lines.shape[1]), work.path
    steps = work.steps
    for tile in range(np.uint64(0), np.uint64(columns), np.uint64(TILE)):
        a, b, c, d = steps[tile], steps[tile + ONE], steps[tile + TWO], steps[tile + THREE]
        e, f, g, h = steps[tile + FOUR], steps[tile + FIVE], steps[tile + SIX], steps[tile + SEVEN]
        for n in range(np.uint64(count)):
            start = path[n] * width
            p, q = flat[start], flat[start + ONE]
            k = start + tile
            flat[k] += a * p
            flat[k + ONE] += b * q
            flat[k + TWO] += c * p
            flat[k + THREE] += d * q
            flat[k + FOUR] += e * p
            flat[k + FIVE] += f * q
            flat[k + SIX] += g * p
            flat[k + SEVEN] += h * q


@jit
def shrink_variances(lines: Floats, count: int, first: float, second: float, work: Workspace) -> None:
    """P = min(1000, (P - b P^2 x^2) / gamma) on the paths, unless the b of an expert is 0."""
    for n in range(np.uint64(count)):
        k = work.path[n]
        p, q = lines[k, 0], lines[k, 1]
        if first > 0.0:
            lines[k, 0] = min(MOST_VARIANCE, (p - first * (X * X) * (p * p)) * GROWTH[0])
        if second > 0.0:
            lines[k, 1] = min(MOST_VARIANCE, (q - second * (X * X) * (q * q)) * GROWTH[1])


@jit
def write_scores(seen: Integers, sums: Floats, scores: Floats, i: int) -> None:
    """Write the scores of row i; a class never seen has at most the lowest score of the others."""
    for expert in range(EXPERTS):
        lowest = X * sums[NEVER + expert]
        for c in range(min(seen.size, scores.shape[2])):
            if seen[c] != 0:
                lowest = min(lowest, X * sums[FIRST + EXPERTS * c + expert])
        for c in range(scores.shape[2]):
            known = c < seen.size and seen[c] != 0
            scores[i, expert, c] = X * sums[FIRST + EXPERTS * c + expert] if known else lowest


@jit
def start_class(trees: Trees, label: int, sums: Floats) -> None:
    """Give a new class the weights of a class never seen."""
    place = FIRST + EXPERTS * label
    for expert in range(EXPERTS):
        for k in range(trees.lines.shape[0]):
            trees.lines[k, place + expert] = trees.lines[k, NEVER + expert]
        sums[place + expert] = sums[NEVER + expert]
    trees.seen[label] = 1


@jit
def set_steps(seen: Integers, expert: int, label: int, weight: float, work: Workspace) -> float:
    """Write the steps +- (1 - m) b x of an expert; return b, or 0 if no class moves."""
    sums, steps, moved = work.sums, work.steps, False
    b = 1.0 / (X * X * sums[expert] + max(R[expert] / weight, LEAST_NOISE))
    for c in range(-1, seen.size):
        if c >= 0 and seen[c] == 0:
            continue
        place = FIRST + EXPERTS * c + expert  # NEVER + expert for c = -1
        sign = 1.0 if c == label else -1.0
        margin = sign * (X * sums[place])
        steps[place] = (1.0 - margin) * b * sign * X if margin < 1.0 else 0.0
        moved = moved or (c >= 0 and margin < 1.0)
    if not moved:
        for place in range(expert, steps.size, EXPERTS):
            steps[place] = 0.0
        return 0.0
    return b


@jit
def train(trees: Trees, label: int, weight: float, count: int, work: Workspace) -> None:
    """One step of both experts; ``work`` has the paths and the sums over their lines."""
    if trees.seen[label] == 0:
        start_class(trees, label, work.sums)
    first = set_steps(trees.seen, 0, label, weight, work)
    second = set_steps(trees.seen, 1, label, weight, work)
    if first > 0.0 or second > 0.0:
        move_lines(trees.lines, columns_of(trees.seen), count, work)
        shrink_variances(trees.lines, count, first, second, work)


@jit
def score_rows(trees: Trees, limit: int, Z: Floats, known: Integers, scores: Floats) -> None:
    """Write the scores of each row."""
    work = new_workspace(trees.lines.shape[1])
    for i in range(Z.shape[0]):
        count = walk(trees, Z[i], min(known[i], limit), False, work)
        add_lines(trees.lines, columns_of(trees.seen), count, work)
        write_scores(trees.seen, work.sums, scores, i)


@jit
def learn_rows(trees: Trees, limit: int, Z: Floats, known: Integers, y: Integers, w: Floats, scores: Floats) -> None:
    """Write the scores of each row, then learn it unless its weight is 0."""
    learn_with(trees, limit, Z, known, y, w, scores, new_workspace(trees.lines.shape[1]))


@jit
def learn_with(
    trees: Trees, limit: int, Z: Floats, known: Integers, y: Integers, w: Floats, scores: Floats, work: Workspace
) -> None:
    """``learn_rows`` in a given workspace."""
    trees, Z, scores, work = borrowed(trees), borrowed(Z), borrowed(scores), borrowed(work)
    for i in range(Z.shape[0]):
        count = walk(trees, Z[i], min(known[i], limit), w[i] > 0.0, work)
        add_lines(trees.lines, columns_of(trees.seen), count, work)
        write_scores(trees.seen, work.sums, scores, i)
        if w[i] > 0.0:
            train(trees, y[i], w[i], count, work)
