"""An alarm of a run: what changed, where and when."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from driftline.streams.schema.times import EPOCH, LARGEST_TIME

ERROR = "error"
MOST_EXAMPLES = 1 << 53


@dataclass(frozen=True)
class Alarm:
    """A change that a detector found during a run.

    ``str(alarm)`` tells it in a sentence.

    Attributes
    ----------
    what
        What changed: "error", "input 'amount'" or "share of label 'fraud'".
    measure
        The quantity that changed, in words: "the error", "the share of values of at least 41.2".
    detector
        The name of the detector.
    examples
        The number of examples of the run up to the alarm, including its own.
    since
        The number of examples before the change: the estimated moment at which it began.
    seconds
        The time of the example of the alarm in seconds since 1970; None if the stream has no time
        column, or no date in it.
    before, after
        The share before and after the change, from 0 to 1.
    """

    what: str
    measure: str
    detector: str
    examples: int
    since: int
    seconds: float | None
    before: float
    after: float

    @property
    def time(self) -> datetime | None:
        """The time of the example of the alarm, in UTC; None if it is not known."""
        return None if self.seconds is None else EPOCH + timedelta(seconds=self.seconds)

    def __str__(self) -> str:
        when = "" if self.time is None else f"{_shown(self.time)}, "
        about = f"{self.what}: " if self.what.startswith("input") else ""
        verb = "rose" if self.after > self.before else "fell"
        shares = f"from {percent(self.before)} to {percent(self.after)}"
        return f"{when}example {self.examples:,}: {about}{self.measure} {verb} {shares}"

    def to_dict(self) -> dict[str, Any]:
        """The alarm as plain values for JSON; the time is an ISO 8601 text."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return values | {"time": None if self.time is None else self.time.isoformat(), "text": str(self)}

    @classmethod
    def from_state(cls, values: Any) -> Alarm:
        """Rebuild an alarm from its ``state``; ValueError if no alarm can have these values."""
        names = [one.name for one in fields(cls)]
        if not isinstance(values, list) or len(values) != len(names):
            raise ValueError(f"an alarm must have {len(names)} values")
        alarm = cls(*values)
        texts = all(type(one) is str for one in (alarm.what, alarm.measure, alarm.detector))
        whole = type(alarm.examples) is int and type(alarm.since) is int
        counts = whole and 0 <= alarm.since < alarm.examples <= MOST_EXAMPLES
        shares = all(type(one) is float and 0.0 <= one <= 1.0 for one in (alarm.before, alarm.after))
        timed = alarm.seconds is None or (type(alarm.seconds) is float and abs(alarm.seconds) <= LARGEST_TIME)
        if not (texts and counts and shares and timed):
            raise ValueError("an alarm must have texts, counts, a time and shares")
        return alarm

    def state(self) -> list[Any]:
        """The values for ``from_state``."""
        return [getattr(self, one.name) for one in fields(self)]


def percent(share: float) -> str:
    """A share as text: one decimal, or two digits below one percent."""
    value = 100.0 * share
    return f"{value:.1f} %" if value == 0.0 or value >= 0.95 else f"{value:.2g} %"


def _shown(time: datetime) -> str:
    """A time as text, without seconds that are 0."""
    return f"{time:%Y-%m-%d %H:%M:%S}" if time.second else f"{time:%Y-%m-%d %H:%M}"
