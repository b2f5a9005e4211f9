"""The targets of the Tracker on every stream. A missed target is reported and is not an error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from error.results import Result
from error.rivals import ARF, RIVER_PA

MOST = {"elec2": 0.053, "sea": 0.110, "usenet1": 0.211, "spam": 0.0110, "usps": 0.044}
"""Upper limit of the error."""
LOG_LOSS = tuple(MOST)
"""The streams on which log loss and AUC are compared with those of the peers."""
AUC_GAP = 0.005
CALIBRATION = {**dict.fromkeys(MOST, 0.06), "plane-15": 0.02, "plane-1": 0.02}
"""Upper limit of the calibration error; the planes do not drift."""
TIMES_ARF, TIMES_RIVER_PA = 100.0, 1.0
"""Lower limits of the processor time of these peers divided by the Tracker's."""


@dataclass(frozen=True)
class Verdict:
    """A target on a stream, the result, and whether the target was met. None: not run."""

    stream: str
    aim: str
    got: str
    met: bool | None

    def told(self) -> dict[str, Any]:
        """Return the verdict as JSON values."""
        return asdict(self)


def judge(stream: str, results: Sequence[Result], tracker: str) -> Iterator[Verdict]:
    """Yield the verdicts about `tracker` on one stream.

    Only the real streams have an error limit.
    """
    by_name = {result.learner: result for result in results}
    ours = by_name.get(tracker)
    if stream in MOST:
        yield _error(stream, ours)
    peers = [result for result in results if not result.ours]
    yield _best(stream, ours, peers)
    if stream in LOG_LOSS:
        yield _sure(stream, ours, peers)
        yield _ranked(stream, ours, peers)
    if stream in CALIBRATION:
        yield _calibrated(stream, ours)
    yield _cheaper(stream, ours, by_name.get(ARF.name), ARF.name, TIMES_ARF)
    yield _cheaper(stream, ours, by_name.get(RIVER_PA.name), RIVER_PA.name, TIMES_RIVER_PA)


def _error(stream: str, ours: Result | None) -> Verdict:
    aim = f"error <= {MOST[stream]:.4f}"
    if ours is None:
        return Verdict(stream, aim, "not run", None)
    return Verdict(stream, aim, f"{ours.error:.4f}", ours.error <= MOST[stream])


def _best(stream: str, ours: Result | None, peers: Sequence[Result]) -> Verdict:
    """Compare the error with every peer's, over the examples that the peer has seen."""
    aim = "error below every peer's"
    if ours is None or not peers:
        return Verdict(stream, aim, "not run", None)
    lead = {peer.learner: peer.error - ours.error_over(peer.outcomes) for peer in peers}
    nearest = min(peers, key=lambda peer: lead[peer.learner])
    got = f"{ours.error_over(nearest.outcomes):.4f} against {nearest.error:.4f} of {nearest.learner}"
    return Verdict(stream, aim, got, lead[nearest.learner] > 0.0)


def _sure(stream: str, ours: Result | None, peers: Sequence[Result]) -> Verdict:
    """Compare the log loss with every peer's, over the examples that the peer has seen."""
    aim = "log loss below every peer's"
    leads = _leads("log_loss", ours, peers, -1.0)
    if not leads:
        return Verdict(stream, aim, "not run", None)
    lead, got, theirs, name = min(leads)
    return Verdict(stream, aim, f"{got:.4f} against {theirs:.4f} of {name}", lead > 0.0)


def _ranked(stream: str, ours: Result | None, peers: Sequence[Result]) -> Verdict:
    """Compare the area under the ROC curve with the best peer's."""
    aim = f"AUC at most {AUC_GAP:g} below the best"
    leads = _leads("auc", ours, peers, 1.0)
    if not leads:
        return Verdict(stream, aim, "not run", None)
    lead, got, theirs, name = min(leads)
    return Verdict(stream, aim, f"{got:.4f} against {theirs:.4f} of {name}", lead >= -AUC_GAP)


def _leads(
    measure: str, ours: Result | None, peers: Sequence[Result], sign: float
) -> list[tuple[float, float, float, str]]:
    """Return lead, our value, the peer's value and name for each peer that has the measure."""
    found = []
    for peer in peers:
        theirs = peer.measure(measure)
        got = None if ours is None or theirs is None else ours.measure_over(measure, peer.outcomes)
        if got is not None and theirs is not None:
            found.append((sign * (got - theirs), got, theirs, peer.learner))
    return found


def _calibrated(stream: str, ours: Result | None) -> Verdict:
    aim = f"calibration error < {CALIBRATION[stream]:g}"
    got = None if ours is None else ours.measure("calibration")
    if got is None:
        return Verdict(stream, aim, "not run", None)
    return Verdict(stream, aim, f"{got:.4f}", got < CALIBRATION[stream])


def _cheaper(stream: str, ours: Result | None, peer: Result | None, name: str, least: float) -> Verdict:
    """Compare the time of one call, which no peer supports.

    The ratio one at a time is also reported.
    """
    aim = f"time of {name} >= {least:g}x"
    if ours is None or peer is None:
        return Verdict(stream, aim, "not run", None)
    one_by_one = peer.microseconds / ours.microseconds
    if not ours.microseconds_in_one_call:
        return Verdict(stream, aim, f"{one_by_one:.1f}x", one_by_one >= least)
    times = peer.microseconds / ours.microseconds_in_one_call
    return Verdict(stream, aim, f"{times:.1f}x ({one_by_one:.1f}x one at a time)", times >= least)
