"""Verdicts on the claims of section 4, by reading, data set and tuning half."""

from __future__ import annotations

from collections.abc import Sequence

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.claims_features import features
from driftline.reproduce.shen2009.claims_images import images
from driftline.reproduce.shen2009.claims_online import online
from driftline.reproduce.shen2009.results import Results


def verdicts(found: Sequence[Results]) -> list[Verdict]:
    """Return the verdicts on all data sets, grouped by claim."""
    made = [
        verdict
        for one in found
        for some in (*map(online, one.by_passes()), features(one), images(one))
        for verdict in some
    ]
    place = {claim: k for k, claim in enumerate(dict.fromkeys(verdict.claim for verdict in made))}
    return sorted(made, key=lambda verdict: place[verdict.claim])
