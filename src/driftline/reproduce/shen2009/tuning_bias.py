"""Verdicts for parameters tuned on the judged half.

A result that the tuning itself may have caused is not judged.
"""

from __future__ import annotations

from dataclasses import replace

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.grids import HALVES


def only_failure_counts(found: Verdict, tuned: str, why: str) -> Verdict:
    """Keep the verdict only if the claim fails.

    Tuning on the judged half favours this claim, so its success proves nothing.
    """
    return _unless(found, False, tuned, why)


def only_success_counts(found: Verdict, tuned: str, why: str) -> Verdict:
    """Keep the verdict only if the claim holds.

    Tuning on the judged half works against this claim, so its failure proves nothing.
    """
    return _unless(found, True, tuned, why)


def _unless(found: Verdict, even_so: bool, tuned: str, why: str) -> Verdict:
    if tuned != HALVES[1] or found.holds is None or found.holds is even_so:
        return found
    return replace(found, holds=None, judged=False, says=f"{found.says} {why}: not judged.")
