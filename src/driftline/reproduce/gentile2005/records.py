"""The measurements of the tasks: one record per learner, parameter, stream and seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from driftline.reproduce.experiment import Answer


@dataclass(frozen=True)
class Record:
    """One run and its measurements."""

    where: str
    """The stream."""
    learner: str
    parameter: float | None
    """The varied parameter, such as b or p."""
    seed: int
    found: Mapping[str, float]
    """The measurements by name."""


@dataclass(frozen=True)
class Records:
    """All records of a part."""

    all: tuple[Record, ...]

    @staticmethod
    def of(answers: Iterable[Answer]) -> Records:
        """Collect the records from answers."""
        return Records(tuple(Record(**one) for answer in answers for one in answer["records"]))

    def values(self, measure: str, where: str, learner: str, parameter: float | None = None) -> list[float]:
        """Return one measurement per seed, ordered by seed."""
        those = [one for one in self.all if (one.where, one.learner, one.parameter) == (where, learner, parameter)]
        return [float(one.found[measure]) for one in sorted(those, key=lambda one: one.seed)]

    def wheres(self) -> list[str]:
        """Return the streams in order of first appearance."""
        return list(dict.fromkeys(one.where for one in self.all))

    def parameters(self, where: str, learner: str) -> list[float]:
        """Return the values of a learner's parameter in increasing order."""
        found = {one.parameter for one in self.all if (one.where, one.learner) == (where, learner)}
        return sorted(value for value in found if value is not None)

    def rows(self) -> list[dict[str, Any]]:
        """Return one dict per measurement, all with the same keys."""
        return [
            {
                "where": one.where,
                "learner": one.learner,
                "parameter": "" if one.parameter is None else one.parameter,
                "seed": one.seed,
                "measure": measure,
                "value": value,
            }
            for one in self.all
            for measure, value in one.found.items()
        ]


def answer(records: Iterable[Record], **more: Any) -> Answer:
    """Return an answer that holds these records."""
    return {"records": [asdict(one) for one in records], **more}
