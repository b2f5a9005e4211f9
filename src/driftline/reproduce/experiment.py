"""The interface of an experiment: independent tasks, and the report made from their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from driftline.reproduce.sources import Sources

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Answer = dict[str, Any]
"""The answer of a task: a JSON object of numbers, strings, lists and dicts."""
CONTROL = "Control: "
"""The first word of a claim that is not in the paper."""


@dataclass(frozen=True)
class Setting:
    """The setting of a run.

    Parameters
    ----------
    quick : bool, default=False
        Use fewer seeds, shorter streams and smaller grids. The run takes seconds instead of
        minutes, and its verdicts are weak.
    seed : int, default=0
        Seed of all random numbers.
    sources : Sources
        Where data may be read from.
    """

    quick: bool = False
    seed: int = 0
    sources: Sources = field(default_factory=Sources)


@dataclass(frozen=True)
class Task:
    """An independent unit of work. Its answer is stored in the output folder under its key."""

    key: str
    """Unique within the experiment; letters, digits and ``-_.`` only."""
    what: Mapping[str, Any]
    """The arguments of ``Experiment.solve``, as a JSON object."""


@dataclass(frozen=True)
class Verdict:
    """A claim of the paper, and whether the results support it."""

    claim: str
    where: str
    """The data set, update policy or stream on which the claim was judged."""
    holds: bool | None
    """None if the results are inconclusive."""
    numbers: Mapping[str, float]
    """The statistics behind the verdict, such as the difference and its standard error."""
    says: str
    """A sentence that states these statistics."""
    reading: str = ""
    """The reading of the paper in which the claim was judged. Empty if there is only one."""
    judged: bool = True
    """False if the result is only shown, for example because the tuning favours it."""

    @property
    def control(self) -> bool:
        """True if the paper makes no such claim, and the result only helps to interpret others."""
        return self.claim.startswith(CONTROL)


@dataclass(frozen=True)
class Drawing:
    """A figure of the report, with one plot or a few small ones."""

    name: str
    """File name without extension."""
    title: str
    caption: str
    """What the figure shows, in words. It also serves as the text alternative of the image."""
    figure: Figure


class Experiment(Protocol):
    """An experiment that ``driftline reproduce`` can run."""

    name: str
    title: str
    citation: str
    lead: str
    """A few sentences on what the paper did and what is done here."""

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """Return all tasks, the longest ones first."""
        ...

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Solve one task. The answer must not depend on the process or on the order of tasks."""
        ...

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """Return the rows of results.csv, all with the same columns."""
        ...

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Return the verdict on each claim."""
        ...

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Return the figures. The report opens with the first one."""
        ...

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """Return paragraphs on choices that the paper leaves open and on substituted data."""
        ...
