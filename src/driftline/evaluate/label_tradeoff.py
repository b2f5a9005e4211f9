"""What labels are worth: mistakes against the share of labels asked for, beside a learner that is given all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import numpy as np

from driftline.evaluate.progress import Progress
from driftline.evaluate.result import Run
from driftline.evaluate.run import run
from driftline.evaluate.text_table import aligned
from driftline.internals.require import positive, require, whole
from driftline.learners import LabelEfficient
from driftline.learners.learner import Options
from driftline.rules import Variant

GRID = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
PAIRS: tuple[tuple[str, Variant], ...] = (("perceptron", "constant"), ("perceptron", "adaptive"))
WORDS = 2  # columns of words; the others are numbers
HEADER = ("learner", "variant", "b", "labels", "mistakes", "±", "relative")


@dataclass(frozen=True)
class Point:
    """Means over the seeds at one b, and the standard errors of these means (0 for a single seed)."""

    b: float
    share: float
    """Of the labels, asked for."""
    share_se: float
    mistakes: float
    mistakes_se: float


@dataclass(frozen=True)
class Curve:
    """A learner that asks for labels, at every b; ``full`` are the mistakes of its twin, which is given all of them."""

    learner: str
    variant: Variant
    full: int
    points: Sequence[Point]

    @property
    def name(self) -> str:
        """The variant and the learner."""
        return f"{self.variant}: {self.learner}"

    def relative(self, mistakes: float) -> float:
        """Mistakes as a multiple of the twin's; NaN if that makes none."""
        return mistakes / self.full if self.full else math.nan


@dataclass(frozen=True, repr=False)
class Tradeoff:
    """Curves over the same stream. Printing it shows its table."""

    examples: int
    features: int
    seeds: int
    curves: Sequence[Curve]

    def table(self) -> list[dict[str, Any]]:
        """One dict for each point, and one for each twin, whose b is infinite."""
        rows = []
        for curve in self.curves:
            full = Point(math.inf, 1.0, 0.0, float(curve.full), 0.0)
            rows += [
                {
                    "learner": curve.learner,
                    "variant": curve.variant,
                    **asdict(point),
                    "relative": curve.relative(point.mistakes),
                }
                for point in (*curve.points, full)
            ]
        return rows

    def __str__(self) -> str:
        cells = [HEADER] + [
            (
                row["learner"],
                row["variant"],
                f"{row['b']:g}",
                f"{row['share']:.1%}",
                f"{row['mistakes']:,.1f}",
                f"{row['mistakes_se']:,.1f}",
                f"{row['relative']:.3f}",
            )
            for row in self.table()
        ]
        return aligned(cells, WORDS)

    __repr__ = __str__


def tradeoff(
    stream: Any,
    pairs: Sequence[tuple[Any, Variant]] = PAIRS,
    *,
    b: float | Iterable[float] = GRID,
    seeds: int = 5,
    progress: bool | None = None,
    **options: Unpack[Options],
) -> Tradeoff:
    """Run ``LabelEfficient`` at every b with every seed from 0 on, and beside it the learner that is given all labels.

    ``stream`` is one of those that ``run`` takes and that can be read again: arrays, a list, a stream of
    ``dl.streams``. ``pairs`` are learners, by name or rule, and variants of asking; ``b`` are
    numbers, or one.

    >>> import driftline as dl
    >>> found = tradeoff(dl.streams.RotatingHyperplane(2000, 5, seed=1), b=[0.1, 10.0], seeds=3, bias=False)
    >>> [f"{point.share:.0%}" for point in found.curves[0].points]
    ['12%', '84%']
    """
    grid = _checked(stream, pairs, b, seeds)
    # one that always asks is the learner that is given all labels, bit for bit
    twins = [LabelEfficient(learner, math.inf, variant, **options) for learner, variant in pairs]
    examples = max(run(twin, stream, progress=False).examples for twin in twins)
    line = Progress(examples * len(pairs) * len(grid) * seeds, progress)
    curves, done = [], 0
    with line.lasting():
        for twin in twins:
            rule, points = twin.rule, []
            for one in grid:
                runs = []
                for seed in range(seeds):
                    runs.append(
                        run(
                            LabelEfficient(rule.learner, one, rule.variant, seed, **twin.options),
                            stream,
                            progress=False,
                        )
                    )
                    done += examples
                    line.update(done)
                points.append(_point(one, runs))
            curves.append(Curve(repr(rule.learner), rule.variant, twin.mistakes, points))
    return Tradeoff(examples, twins[0].n_features, seeds, curves)


def _checked(stream: Any, pairs: Sequence[Any], b: float | Iterable[float], seeds: int) -> list[float]:
    """The values of b, from the least on."""
    where = "tradeoff"
    if isinstance(stream, Iterator):
        raise ValueError(f"{where}: stream must be one that can be read again, got an iterator. Pass a list of it")
    require(len(pairs) > 0, where, "pairs must hold a learner and a variant", pairs)
    values = list(b) if isinstance(b, Iterable) else [b]
    require(len(values) > 0, where, "b must hold a number", b)
    for one in values:
        positive(where, "b", one)
    whole(where, "seeds", seeds, 1)
    return sorted({float(one) for one in values})


def _point(b: float, runs: Sequence[Run]) -> Point:
    share, share_se = _mean([one.asked / max(1, one.examples) for one in runs])
    mistakes, mistakes_se = _mean([one.mistakes for one in runs])
    return Point(b, share, share_se, mistakes, mistakes_se)


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Mean and its standard error."""
    if len(values) < 2:
        return float(values[0]), 0.0
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))
