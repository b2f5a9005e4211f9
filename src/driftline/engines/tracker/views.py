"""The views of an example: x scaled by statistics of earlier rounds, with a constant 1, to norm 1.

Computing a view changes no statistics; ``keep_maxima`` and ``keep_moments`` update them. Running
maxima include the example itself, means and deviations only earlier examples.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.tracker.state import (
    FORGET,
    HIGH,
    LATER,
    LOW,
    MAX_VIEW,
    MEMBERS,
    PEAK,
    PLAIN,
    PRESENT,
    ROUNDS,
    SINCE,
    SLOTS,
    STD,
    STD_VIEW,
    VALUE,
    VARIED,
    Views,
    Workspace,
    X,
    Z,
    block_of,
)
from driftline.internals.compiled import Floats, Indices, inlined, jit
from driftline.rules.tracker.tracker import (
    AGAIN,
    BEYOND,
    CLIP,
    DENSE_BANK,
    DENSE_FEATURES,
    FALSE,
    FAR,
    FULL_BANK,
    FULL_FEATURES,
    GROWTH,
    PLAIN_GROWTH,
    QUAD_FEATURES,
    STAYS,
    SURE,
    WARM,
    WIDE_BANK,
    WINSOR,
    YOUNG,
)


@jit
def count_new(slots: Indices, indices: Indices) -> int:
    """Count the features of a row that have no slot yet."""
    count = 0
    for j in range(indices.size):
        k = indices[j]
        if k >= slots.size or slots[k] == 0:
            count += 1
    return count


@jit
def members_of(members: int, features: int, dense: bool, sparse: int) -> int:
    """The number of experts left after ``features`` features were seen.

    ``members`` is the number before the row, ``dense`` says whether the row is dense, and
    ``sparse`` is the number of experts for sparse rows of many features.
    """
    if members < WIDE_BANK or (not dense and features > DENSE_FEATURES):
        return sparse
    if features > FULL_FEATURES:
        return WIDE_BANK
    return DENSE_BANK if features > QUAD_FEATURES else FULL_BANK


@inlined
def known(value: float) -> bool:
    """Whether a value is neither missing nor infinite."""
    return abs(value) < BEYOND


@inlined
def risen(highest: float, size: float, growth: float) -> float:
    """The new running maximum; an outlier raises it by a factor of at most ``growth``."""
    return size if highest == 0.0 else max(highest, min(size, growth * highest))


@inlined
def range_of(moments: Floats, i: int, x: float) -> tuple[float, float]:
    """The least and the greatest value of a feature, including x.

    If they differed before, each moves by at most their distance.
    """
    if moments[STD + 2, i] == 0.0:
        return x, x
    low, high = moments[LOW, i], moments[HIGH, i]
    reach = high - low if high > low else np.inf
    return min(low, max(x, low - reach)), max(high, min(x, high + reach))


@jit
def spread_out(own: Floats, views: Views, x: Floats, dense: bool, indices: Indices, values: Floats) -> tuple[int, int]:
    """Write a row into x by slot, with NaN for missing values.

    Return the number of missing values and the number of new features that are not 0. A feature
    without an entry in a sparse row is 0, or missing if it had an entry in most rounds and not
    always the same value.
    """
    t, moments = own[ROUNDS], views.course
    d = np.uint64(own[SLOTS])
    missing = 0
    new = 0
    if not dense:
        for s in range(d):
            mostly = moments[VARIED, s] != 0.0 and 2.0 * moments[PRESENT, s] >= t - moments[SINCE, s]
            x[s] = np.nan if mostly else 0.0
    for j in range(indices.size):
        k = indices[j]
        value = values[j]
        if k < views.slots.size and views.slots[k] > 0:
            x[views.slots[k] - 1] = value
        elif known(value):
            new += value != 0.0
        else:
            missing += 1
    for s in range(d):
        if not known(x[s]):
            x[s] = np.nan
            missing += 1
    return missing, new


@jit
def standardised(x: Floats, moments: Floats, at: int, z: Floats, size: int) -> float:
    """Write (x - mean) / deviation into z from place 1 on; return |z|^2."""
    total = 0.0
    for i in range(np.uint64(size)):
        mean, variance = moments[at, i], moments[at + 1, i]
        v = 0.0
        if moments[at + 2, i] > 1.0 and variance > 1e-20 * (1e-200 + mean * mean) and not np.isnan(x[i]):
            v = min(CLIP, max(-CLIP, (x[i] - mean) / np.sqrt(variance)))
        z[i + np.uint64(1)] = v
        total += v * v
    return total


@jit
def unit(z: Floats, size: int, square: float) -> None:
    """Put the constant 1 at place 0, then scale z to norm 1; ``square`` is |z|^2 without it."""
    scale = 1.0 / np.sqrt(1.0 + square)
    z[0] = scale
    for i in range(np.uint64(size)):
        z[i + np.uint64(1)] *= scale


@jit
def of_maxima(x: Floats, highest: Floats, peak: Floats, z: Floats, size: int) -> float:
    """Write x / running maximum into z from place 1 on, 0 for missing values; return |z|^2."""
    total = 0.0
    for i in range(np.uint64(size)):
        value = 0.0 if np.isnan(x[i]) else x[i]
        peak[i] = risen(highest[i], abs(value), PLAIN_GROWTH)
        v = min(1.0, max(-1.0, value / peak[i])) if peak[i] > 0.0 else 0.0
        z[i + np.uint64(1)] = v
        total += v * v
    return total


@jit
def of_ranges(x: Floats, moments: Floats, highest: Floats, peak: Floats, z: Floats, size: int) -> float:
    """``of_maxima`` with the mean for missing values, and with the range of features far from 0.

    A feature is far from 0 if its range is below FAR times its smallest distance from 0. Its value
    is then (x - low) / (high - low).
    """
    total = 0.0
    for i in range(np.uint64(size)):
        if np.isnan(x[i]):
            value, low, high = moments[STD, i], moments[LOW, i], moments[HIGH, i]
            peak[i] = highest[i]
        else:
            value = x[i]
            low, high = range_of(moments, i, value)
            peak[i] = risen(highest[i], abs(value), GROWTH)
        if 0.0 < high - low < FAR * min(abs(low), abs(high)):
            v = min(1.0, max(0.0, (value - low) / (high - low)))
        else:
            v = min(1.0, max(-1.0, value / peak[i])) if peak[i] > 0.0 else 0.0
        z[i + np.uint64(1)] = v
        total += v * v
    return total


@jit
def products(z: Floats, pair: Floats, size: int) -> int:
    """Write each standardised feature and its products with the features up to it.

    Return how many numbers were written.
    """
    n = 0
    for j in range(size):
        pair[n] = z[j + 1]
        n += 1
        for i in range(j + 1):
            pair[n] = z[i + 1] * z[j + 1]
            n += 1
    return n


@jit
def look_dense(
    own: Floats, views: Views, workspace: Workspace, members: int, dense: bool, indices: Indices, values: Floats
) -> int:
    """Write all views of a row into the workspace; return the number of missing values."""
    rows = workspace.rows
    x = rows[X]
    d = int(own[SLOTS])
    missing, new = spread_out(own, views, x, dense, indices, values)
    std, forget = rows[Z + STD_VIEW], rows[Z + STD_VIEW + 1]
    square = standardised(x, views.course, STD, std, d)
    if members == FULL_BANK:
        n = products(std, workspace.pair[0], d)
        unit(workspace.pair[1], n, standardised(workspace.pair[0], views.pairs, 0, workspace.pair[1], n))
    unit(std, d, square)
    unit(forget, d, standardised(x, views.course, FORGET, forget, d))
    z = rows[Z + MAX_VIEW]
    if own[PLAIN] != 0.0:
        square = of_maxima(x, views.highest, rows[PEAK], z, d)
    else:
        square = of_ranges(x, views.course, views.highest, rows[PEAK], z, d)
    unit(z, d, square + new)
    return missing


@jit
def look_sparse(own: Floats, views: Views, workspace: Workspace, indices: Indices, values: Floats) -> tuple[int, int]:
    """Write places and values of the view "max" into the workspace.

    Return the number of entries and the number of missing values. The constant has the same norm
    as the rest of the view.
    """
    places, z, peak = workspace.places, workspace.entries[0], workspace.entries[1]
    growth = PLAIN_GROWTH if own[PLAIN] != 0.0 else GROWTH
    n = np.uint64(1)
    missing = 0
    new = 0
    square = 0.0
    for j in range(indices.size):
        k, value = indices[j], values[j]
        if not known(value):
            missing += 1
        elif value != 0.0:
            if k < views.slots.size and views.slots[k] > 0:
                slot = views.slots[k] - np.uint32(1)
                peak[n] = risen(views.highest[slot], abs(value), growth)
                v = min(1.0, max(-1.0, value / peak[n]))
                z[n] = v
                places[n] = slot + np.uint32(1)
                square += v * v
                n += np.uint64(1)
            else:
                new += 1
    square += new
    scale = 1.0 / np.sqrt(2.0 * square) if square > 0.0 else 0.0
    for i in range(np.uint64(1), n):
        z[i] *= scale
    places[0] = 0
    z[0] = np.sqrt(0.5) if square > 0.0 else 1.0
    return np.int64(n), missing


# update of the statistics ---------------------------------------------------------------------------------------------
@inlined
def take_in(moments: Floats, at: int, i: int, x: float, stays: float) -> None:
    """Add a value to mean and variance; an outlier counts as WINSOR deviations from the mean."""
    count = stays * moments[at + 2, i] + 1.0
    moments[at + 2, i] = count
    share = 1.0 / count
    move = x - moments[at, i]
    variance = moments[at + 1, i]
    if count > WARM and variance > 0.0:
        most = WINSOR * np.sqrt(variance)
        move = min(most, max(-most, move))
    moments[at, i] += share * move
    moments[at + 1, i] = (1.0 - share) * (variance + share * move * move)


@jit
def absorb(x: Floats, moments: Floats, at: int, size: int, stays: float) -> None:
    """Add the values of x that are not missing to means and variances."""
    for i in range(np.uint64(size)):
        if not np.isnan(x[i]):
            take_in(moments, at, i, x[i], stays)


@jit
def reconsider(moments: Floats, highest: Floats, x: Floats, size: int) -> None:
    """Drop the first WARM values of a feature if one of them was an outlier.

    That is so if the variance without them is smaller by a factor of FALSE. The test is repeated
    without the first AGAIN[0] and AGAIN[1] values, which may contain an outlier too.
    """
    for i in range(np.uint64(size)):
        if np.isnan(x[i]) or not WARM <= moments[STD + 2, i] < YOUNG:
            continue
        mean, variance, count = moments[LATER, i], moments[LATER + 1, i], moments[LATER + 2, i]
        if count >= SURE and 0.0 < FALSE * variance < moments[STD + 1, i]:
            for at in (STD, FORGET):
                moments[at, i], moments[at + 1, i] = mean, variance
                moments[at + 2, i] = min(count, moments[at + 2, i])
            moments[LOW, i] = moments[HIGH, i] = x[i]
            highest[i] = abs(x[i])
        elif moments[STD + 2, i] == AGAIN[0] or moments[STD + 2, i] == AGAIN[1]:
            moments[LATER, i] = moments[LATER + 1, i] = moments[LATER + 2, i] = 0.0
        take_in(moments, LATER, i, x[i], 1.0)


@jit
def keep_maxima(own: Floats, views: Views, workspace: Workspace, entries: int) -> None:
    """Store the running maxima of all slots, or of the ``entries`` of a sparse row."""
    if own[MEMBERS] < WIDE_BANK:
        for i in range(np.uint64(1), np.uint64(entries)):
            views.highest[workspace.places[i] - np.uint32(1)] = workspace.entries[1, i]
    else:
        peak = workspace.rows[PEAK]
        for s in range(np.uint64(own[SLOTS])):
            views.highest[s] = peak[s]


@jit
def keep_moments(own: Floats, views: Views, workspace: Workspace, indices: Indices, values: Floats) -> None:
    """Update ranges, means and deviations, and which features had a value."""
    moments, x = views.course, workspace.rows[X]
    d = int(own[SLOTS])
    if own[PLAIN] == 0.0:
        reconsider(moments, views.highest, x, d)
        for s in range(np.uint64(d)):
            if not np.isnan(x[s]):
                moments[LOW, s], moments[HIGH, s] = range_of(moments, s, x[s])
    absorb(x, moments, STD, d, 1.0)
    absorb(x, moments, FORGET, d, STAYS)
    if own[MEMBERS] == FULL_BANK:
        absorb(workspace.pair[0], views.pairs, 0, block_of(d), 1.0)
    for j in range(indices.size):
        value = values[j]
        if known(value):
            s = views.slots[indices[j]] - np.uint32(1)
            if moments[PRESENT, s] == 0.0:
                moments[VALUE, s] = value
            elif value != moments[VALUE, s]:
                moments[VARIED, s] = 1.0
            moments[PRESENT, s] += 1.0
