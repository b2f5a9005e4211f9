"""The value of labels: mistakes against the share of labels asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import numpy as np

from driftline.evaluate.progress import Progress
from driftline.evaluate.result import Run
from driftline.evaluate.run import run
from driftline.internals.require import positive, require, whole
from driftline.internals.text_table import aligned
from driftline.learners import LabelEfficient
from driftline.learners.options import Options
from driftline.rules import Variant

GRID = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
PAIRS: tuple[tuple[str, Variant], ...] = (("perceptron", "constant"), ("perceptron", "adaptive"))
WORDS = 2  # the first columns of the table are text, the others numbers
HEADER = ("learner", "variant", "b", "labels", "mistakes", "±", "relative")


@dataclass(frozen=True)
class Point:
    """Means over the seeds at one b, and their standard errors, which are 0 for a single seed.

    Attributes
    ----------
    b
        The parameter of ``LabelEfficient``.
    share, share_se
        The share of labels asked for.
    mistakes, mistakes_se
        The number of mistakes.
    """

    b: float
    share: float
    share_se: float
    mistakes: float
    mistakes_se: float


@dataclass(frozen=True)
class Curve:
    """A learner that asks for labels, at every b.

    Attributes
    ----------
    learner, variant
        The learner, and the variant of ``LabelEfficient``.
    full
        The mistakes of the same learner with all labels.
    points
        One point for each b.
    """

    learner: str
    variant: Variant
    full: int
    points: Sequence[Point]

    @property
    def name(self) -> str:
        """The name of the curve: variant and learner."""
        return f"{self.variant}: {self.learner}"

    def relative(self, mistakes: float) -> float:
        """Mistakes divided by those with all labels.

        Parameters
        ----------
        mistakes
            A number of mistakes.

        Returns
        -------
        float
            The ratio; NaN if the learner with all labels makes no mistake.
        """
        return mistakes / self.full if self.full else math.nan


@dataclass(frozen=True, repr=False)
class Tradeoff:
    """Curves over the same stream; printing it shows a table.

    Attributes
    ----------
    examples, features
        The size of the stream.
    seeds
        The number of runs at each b.
    curves
        One curve for each pair of learner and variant.
    """

    examples: int
    features: int
    seeds: int
    curves: Sequence[Curve]

    def table(self) -> list[dict[str, Any]]:
        """The results as rows of a table.

        Returns
        -------
        list of dict
            One dict for each point, and one for each learner with all labels (b is infinite).
        """
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
    """Run ``LabelEfficient`` at several b and seeds, and the same learner with all labels.

    Parameters
    ----------
    stream
        A stream as for ``run`` that can be read more than once: arrays, a list, or a stream of
        ``dl.streams``.
    pairs
        Pairs of a learner, given by its name or rule, and a variant: "constant", "adaptive" or
        "second".
    b
        One or more numbers > 0. The larger b is, the more labels are asked for.
    seeds
        The number of runs at each b, with seeds from 0 on.
    progress
        As for ``run``.
    options
        Options of every learner, such as ``scale="unit"``.

    Returns
    -------
    Tradeoff
        A curve for each pair.

    >>> import driftline as dl
    >>> stream = dl.streams.RotatingHyperplane(2000, 5, seed=1)
    >>> found = tradeoff(stream, b=[0.1, 10.0], seeds=3, bias=False)
    >>> [f"{point.share:.0%}" for point in found.curves[0].points]
    ['12%', '84%']
    """
    grid = _checked(stream, pairs, b, seeds)
    # with b = inf every label is asked for: the same bits as the learner with all labels
    full = [LabelEfficient(learner, math.inf, variant, **options) for learner, variant in pairs]
    examples = max(run(one, stream, progress=False).examples for one in full)
    line = Progress(examples * len(pairs) * len(grid) * seeds, progress)
    curves, done = [], 0
    with line.lasting():
        for with_all in full:
            rule, points = with_all.rule, []
            for one in grid:
                runs = []
                for seed in range(seeds):
                    runs.append(
                        run(
                            LabelEfficient(rule.learner, one, rule.variant, seed, **with_all.options),
                            stream,
                            progress=False,
                        )
                    )
                    done += examples
                    line.update(done)
                points.append(_point(one, runs))
            curves.append(Curve(repr(rule.learner), rule.variant, with_all.mistakes, points))
    return Tradeoff(examples, full[0].n_features, seeds, curves)


def _checked(stream: Any, pairs: Sequence[Any], b: float | Iterable[float], seeds: int) -> list[float]:
    """The values of b in increasing order."""
    where = "tradeoff"
    if isinstance(stream, Iterator):
        raise ValueError(f"{where}: stream must be readable more than once, got an iterator. Pass list(stream)")
    require(len(pairs) > 0, where, "pairs must not be empty", pairs)
    values = list(b) if isinstance(b, Iterable) else [b]
    require(len(values) > 0, where, "b must not be empty", b)
    for one in values:
        positive(where, "b", one)
    whole(where, "seeds", seeds, 1)
    return sorted({float(one) for one in values})


def _point(b: float, runs: Sequence[Run]) -> Point:
    share, share_se = _mean([one.asked / max(1, one.examples) for one in runs])
    mistakes, mistakes_se = _mean([one.mistakes for one in runs])
    return Point(b, share, share_se, mistakes, mistakes_se)


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    if len(values) < 2:
        return float(values[0]), 0.0
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))
