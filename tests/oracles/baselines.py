"""The baselines of a run, from their definitions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def mistakes_of_baselines(labels: Sequence[Hashable]) -> tuple[int, int]:
    """The mistakes of the previous label, and of the most frequent label so far.

    Of equally frequent labels, the one that reached the count first is predicted.
    """
    no_change, majority = 0, 0
    for n, label in enumerate(labels):
        before = labels[:n]
        no_change += not before or before[-1] != label
        reached = {one: _reached(before, one) for one in before}
        majority += not before or min(reached, key=reached.__getitem__) != label
    return no_change, majority


def _reached(before: Sequence[Hashable], label: Hashable) -> tuple[int, int]:
    """Smaller is better: a higher count, or the same count reached earlier."""
    places = [place for place, one in enumerate(before) if one == label]
    return -len(places), places[-1]
