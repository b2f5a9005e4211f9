"""What an experiment is: pieces of work that know nothing of one another, and what is made of their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from driftline.reproduce.sources import Sources

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Answer = dict[str, Any]
"""What a piece of work found: numbers, texts, lists and dicts of them, as JSON has them."""


@dataclass(frozen=True)
class Setting:
    """What the user chose."""

    quick: bool = False
    """Fewer seeds, shorter streams, smaller grids: minutes become seconds, and verdicts become weak."""
    seed: int = 0
    sources: Sources = field(default_factory=Sources)


@dataclass(frozen=True)
class Task:
    """A piece of work, done in a process of its own and kept in the folder under its key."""

    key: str
    """Letters, digits and ``-_.``; no two tasks of an experiment have the same."""
    what: Mapping[str, Any]
    """What ``solve`` is given, as JSON has it."""


@dataclass(frozen=True)
class Verdict:
    """A claim of the paper, and whether the numbers carry it."""

    claim: str
    where: str
    """The data set, policy or stream that it was judged on."""
    holds: bool | None
    """None: the numbers do not decide."""
    numbers: Mapping[str, float]
    """What it was judged by, such as the difference and its standard error."""
    says: str
    """One sentence with these numbers."""


@dataclass(frozen=True)
class Drawing:
    """A figure of the report: one pair of axes, or a few small ones."""

    name: str
    """Of its files, without an ending."""
    title: str
    caption: str
    """What is seen, in words: it is the text for those who cannot see it, too."""
    figure: Figure


class Experiment(Protocol):
    """One that ``driftline reproduce`` can run."""

    name: str
    title: str
    citation: str
    lead: str
    """What the paper did and what is done here, in a few sentences."""

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """All pieces of work, long ones first."""
        ...

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Do one of them: the same answer for the same piece, in any process and order."""
        ...

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """The rows of results.csv, all with the same names."""
        ...

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """What holds, and what does not."""
        ...

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """The figures."""
        ...

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """Paragraphs on what the paper leaves open and was chosen here, and on data that others stand in for."""
        ...
