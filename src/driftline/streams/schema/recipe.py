"""The recipe of a model: how its examples were made from the records of a table or JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from driftline.streams.schema.kinds import IGNORE, KINDS
from driftline.streams.schema.missing import NA_VALUES

CLASSIFICATION, REGRESSION = "classification", "regression"
TASKS = (CLASSIFICATION, REGRESSION)
MOST_KINDS = 10_000
"""Number of columns above which a recipe no longer lists new ones."""
MOST_NGRAMS = 1000


@dataclass(frozen=True)
class Recipe:
    """How examples were made from records, so that other records give the same features.

    A stream of files finds its recipe while it is read. ``dl.run`` gives it to the learner, and
    model files store it.

    Parameters
    ----------
    target : str or None
        The label column.
    positive : str or None
        The label, or pattern of labels, that was made positive; all others became "other".
    time : str or None
        The column of the time, by which the rows are ordered.
    weight : str or None
        The column of sample weights.
    ngrams : int
        The maximum number of consecutive words of a text that form a feature.
    na : tuple of str
        Texts that mean a missing cell in delimited text and ARFF.
    task : str
        "classification" if the target holds labels, "regression" if it holds numbers.
    kinds : mapping of str to str
        Column to "number", "category", "text", "time" or "ignore". Roles are included.
    header : bool
        Whether delimited text begins with the names of its columns.
    open : bool
        Whether columns that are not listed give features too, by the type of their values: JSON
        objects with very many keys.
    """

    target: str | None = None
    positive: str | None = None
    time: str | None = None
    weight: str | None = None
    ngrams: int = 1
    na: tuple[str, ...] = NA_VALUES
    task: str = CLASSIFICATION
    kinds: Mapping[str, str] = field(default_factory=dict)
    header: bool = True
    open: bool = False

    @property
    def features_from(self) -> dict[str, str]:
        """Column to kind, for the columns that give features."""
        roles = (self.target, self.time, self.weight)
        return {name: kind for name, kind in self.kinds.items() if name not in roles and kind != IGNORE}

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain values for JSON."""
        return {
            "target": self.target,
            "positive": self.positive,
            "time": self.time,
            "weight": self.weight,
            "ngrams": self.ngrams,
            "na": list(self.na),
            "task": self.task,
            "kinds": dict(self.kinds),
            "header": self.header,
            "open": self.open,
        }

    @classmethod
    def from_dict(cls, values: Any) -> Recipe:
        """Return the recipe that ``to_dict`` described.

        Parameters
        ----------
        values : dict
            The plain values.

        Raises
        ------
        ValueError
            If a value is missing, unknown or of the wrong type.
        """
        expected = cls().to_dict().keys()
        if not isinstance(values, dict) or values.keys() != expected:
            raise _wrong("it", f"a dict with the keys {', '.join(expected)}", values)
        for name in ("target", "positive", "time", "weight"):
            if values[name] is not None and type(values[name]) is not str:
                raise _wrong(name, "a string or null", values[name])
        if type(values["ngrams"]) is not int or not 1 <= values["ngrams"] <= MOST_NGRAMS:
            raise _wrong("ngrams", f"a whole number from 1 to {MOST_NGRAMS}", values["ngrams"])
        for name in ("header", "open"):
            if type(values[name]) is not bool:
                raise _wrong(name, "true or false", values[name])
        if type(values["task"]) is not str or values["task"] not in TASKS:
            raise _wrong("task", f"one of {', '.join(TASKS)}", values["task"])
        na, kinds = values["na"], values["kinds"]
        if not isinstance(na, list) or not all(type(one) is str for one in na):
            raise _wrong("na", "a list of strings", na)
        if not isinstance(kinds, dict) or not all(type(one) is str and one in KINDS for one in kinds.values()):
            raise _wrong("kinds", f"a dict of names to {', '.join(KINDS)}", kinds)
        return cls(**{**values, "na": tuple(na), "kinds": dict(kinds)})

    def features(self, record: Mapping[str, Any]) -> dict[str, float]:
        """Return one raw record as the dict of features that ``learn_one`` and ``predict_one`` take.

        Parameters
        ----------
        record : mapping of str to value
            The cells by column: numbers, strings, bools, dates, nested dicts and lists. None and
            NaN are missing; so are the ``na`` texts where a number or a time is expected. The
            label need not be there.

        Returns
        -------
        dict
            Feature name to number. A missing number is NaN.

        Raises
        ------
        ValueError
            If a cell does not have its column's kind.

        Examples
        --------
        >>> Recipe(kinds={"amount": "number", "country": "category"}).features({"amount": "3.5", "country": "FR"})
        {'amount': 3.5, 'country=FR': 1.0}
        """
        from driftline.streams.files.record_features import record_features

        return record_features(self, record)


def _wrong(name: str, must: str, got: Any) -> ValueError:
    shown = repr(got)
    return ValueError(f"recipe: {name} must be {must}, got {shown if len(shown) <= 80 else shown[:77] + '...'}")
