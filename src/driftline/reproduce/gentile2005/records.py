"""What tasks measure: one record for each learner, setting of it, stream and seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from driftline.reproduce.experiment import Answer


@dataclass(frozen=True)
class Record:
    """One run, and the numbers found in it by name."""

    where: str
    """The stream."""
    learner: str
    parameter: float | None
    """The one that varies, such as b or p."""
    seed: int
    found: Mapping[str, float]


@dataclass(frozen=True)
class Records:
    """Those of all answers of a part."""

    all: tuple[Record, ...]

    @staticmethod
    def of(answers: Iterable[Answer]) -> Records:
        """Take them out of answers."""
        return Records(tuple(Record(**one) for answer in answers for one in answer["records"]))

    def values(self, measure: str, where: str, learner: str, parameter: float | None = None) -> list[float]:
        """One number a seed, in the order of the seeds."""
        those = [one for one in self.all if (one.where, one.learner, one.parameter) == (where, learner, parameter)]
        return [float(one.found[measure]) for one in sorted(those, key=lambda one: one.seed)]

    def wheres(self) -> list[str]:
        """The streams, in the order in which they came."""
        return list(dict.fromkeys(one.where for one in self.all))

    def parameters(self, where: str, learner: str) -> list[float]:
        """The values of a learner's parameter, from the least on."""
        found = {one.parameter for one in self.all if (one.where, one.learner) == (where, learner)}
        return sorted(value for value in found if value is not None)

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each number, all with the same names."""
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
    """Records as an answer holds them."""
    return {"records": [asdict(one) for one in records], **more}
