"""The Tracker against every peer, over the examples that the peer has seen."""

from __future__ import annotations

from collections.abc import Sequence

from error.results import Result
from error.verdict import Verdict, not_run

AUC_GAP = 0.005


def best(stream: str, ours: Result | None, peers: Sequence[Result]) -> Verdict:
    """Compare the errors.

    The peer with the smallest lead of ours, in standard deviations of the paired difference, is
    named. A miss is close if no peer is better by more than one standard deviation.
    """
    aim = "error below every peer's"
    if ours is None or not peers:
        return not_run(stream, aim)
    leads = {peer.learner: ours.lead(peer) for peer in peers}
    nearest = min(peers, key=lambda peer: leads[peer.learner][0] / (leads[peer.learner][1] or 1.0))
    lost = [lead for lead, _ in leads.values() if lead <= 0]
    lead, deviation = leads[nearest.learner]
    got = (
        f"{ours.error_over(nearest.outcomes):.4f} against {nearest.error:.4f} of {nearest.learner}, "
        f"{lead:+,} mistakes, sd {deviation:.0f}"
    )
    if len(lost) > 1:
        got += f", {len(lost)} peers not beaten"
    return Verdict(stream, aim, got, not lost, all(lead >= -deviation for lead, deviation in leads.values()))


def sure(stream: str, ours: Result | None, peers: Sequence[Result]) -> Verdict:
    """Compare the log losses."""
    aim = "log loss below every peer's"
    leads = _leads("log_loss", ours, peers, -1.0)
    if not leads:
        return not_run(stream, aim)
    lead, got, theirs, name = min(leads)
    return Verdict(stream, aim, f"{got:.4f} against {theirs:.4f} of {name}", lead > 0.0)


def ranked(stream: str, ours: Result | None, peers: Sequence[Result]) -> Verdict:
    """Compare the areas under the ROC curve."""
    aim = f"AUC at most {AUC_GAP:g} below the best"
    leads = _leads("auc", ours, peers, 1.0)
    if not leads:
        return not_run(stream, aim)
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
