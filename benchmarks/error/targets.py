"""The targets of the Tracker on every stream. A missed target is reported and is not an error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from error.against_ours import not_above
from error.against_peers import best, ranked, sure
from error.results import Result
from error.rivals import ARF, RIVER_PA
from error.stored import Stream
from error.verdict import Verdict, not_run

MOST = {
    "elec2": 0.053,
    "sea": 0.110,
    "usenet1": 0.211,
    "spam": 0.0110,
    "usps": 0.044,
    "news-20": 0.205,
    "bananas": 0.11,
    "segments": 0.09,
    "covtype-10k": 0.165,
}
"""Upper limit of the error."""
LOG_LOSS = ("elec2", "sea", "usenet1", "spam", "usps")
"""The streams on which log loss and AUC are compared with those of the peers."""
CALIBRATION = {**dict.fromkeys(LOG_LOSS, 0.06), "plane-15": 0.02, "plane-1": 0.02}
"""Upper limit of the calibration error; the planes do not drift."""
LONG = 2000
"""Rows from which the Tracker is compared with its best expert and with AROW."""
FEW_FEATURES, TIMES_OF_TWO = 10, 40.0
"""Dense streams of two classes with so many features or fewer: lower limit of ARF's time divided
by the Tracker's.
"""
CLASSES, TIMES_OF_CLASSES = range(7, 11), 30.0
"""The same for streams with so many classes."""
LIGHT_TIMES = {ARF.name: 100.0, RIVER_PA.name: 1.0}
"""The same for the light bank on every stream of two classes, by peer."""


def judge(stream: Stream, results: Sequence[Result], tracker: str, light: str, arow: str) -> Iterator[Verdict]:
    """Yield the verdicts about `tracker` on one stream.

    Parameters
    ----------
    stream
        A draw of the stream.
    results
        The results of all learners on it.
    tracker, light, arow
        The names of the Tracker, of the Tracker with the light bank and of AROW in `results`.
    """
    name, by_name = stream.name, {result.learner: result for result in results}
    ours = by_name.get(tracker)
    if name in MOST:
        yield _error(name, ours)
    peers = [result for result in results if not result.ours]
    yield best(name, ours, peers)
    if name in LOG_LOSS:
        yield sure(name, ours, peers)
        yield ranked(name, ours, peers)
    if name in CALIBRATION:
        yield _calibrated(name, ours)
    if stream.rows >= LONG:
        if not stream.several or (ours is not None and ours.best_expert is not None):
            yield not_above(name, ours, "best expert", None if ours is None else ours.best_expert)
        yield not_above(name, ours, "AROW", _mistakes(by_name.get(arow)))
    yield not_above(name, ours, "light bank", _mistakes(by_name.get(light)))
    yield from _times(stream, ours, by_name.get(light), by_name)


def _error(stream: str, ours: Result | None) -> Verdict:
    aim = f"error <= {MOST[stream]:.4f}"
    if ours is None:
        return not_run(stream, aim)
    return Verdict(stream, aim, f"{ours.error:.4f}", ours.error <= MOST[stream])


def _calibrated(stream: str, ours: Result | None) -> Verdict:
    aim = f"calibration error < {CALIBRATION[stream]:g}"
    got = None if ours is None else ours.measure("calibration")
    if got is None:
        return not_run(stream, aim)
    return Verdict(stream, aim, f"{got:.4f}", got < CALIBRATION[stream])


def _mistakes(result: Result | None) -> int | None:
    return None if result is None else result.mistakes


def _times(stream: Stream, ours: Result | None, light: Result | None, by_name: dict[str, Result]) -> Iterator[Verdict]:
    """Compare the time of one call, which no peer supports."""
    if stream.several:
        if len(stream.classes) in CLASSES:
            yield _cheaper(stream.name, ours, by_name.get(ARF.name), ARF.name, TIMES_OF_CLASSES)
        return
    if not stream.sparse and stream.X.shape[1] <= FEW_FEATURES:
        yield _cheaper(stream.name, ours, by_name.get(ARF.name), ARF.name, TIMES_OF_TWO)
    for name, least in LIGHT_TIMES.items():
        yield _cheaper(stream.name, light, by_name.get(name), name, least, " the light bank's")


def _cheaper(
    stream: str, ours: Result | None, peer: Result | None, name: str, least: float, whose: str = ""
) -> Verdict:
    """Compare the time per example. The ratio one at a time is also reported."""
    aim = f"time of {name} >= {least:g}x{whose}"
    if ours is None or peer is None or ours.microseconds_in_one_call is None:
        return not_run(stream, aim)
    times, one_by_one = (
        (peer.microseconds or 0.0) / own for own in (ours.microseconds_in_one_call, ours.microseconds or 1.0)
    )
    return Verdict(stream, aim, f"{times:.1f}x ({one_by_one:.1f}x one at a time)", times >= least)
