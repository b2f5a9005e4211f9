"""Parameters that were chosen on the judged half: what the choice itself may have brought about is not judged."""

from __future__ import annotations

from dataclasses import replace

from driftline.reproduce.experiment import Verdict
from driftline.reproduce.shen2009.grids import HALVES


def favoured(found: Verdict, tuned: str, why: str) -> Verdict:
    """A claim that such a choice helps: only failing even so would say something."""
    return _unless(found, False, tuned, why)


def hindered(found: Verdict, tuned: str, why: str) -> Verdict:
    """A claim that such a choice works against: only holding even so would say something."""
    return _unless(found, True, tuned, why)


def _unless(found: Verdict, even_so: bool, tuned: str, why: str) -> Verdict:
    if tuned != HALVES[1] or found.holds is None or found.holds is even_so:
        return found
    return replace(found, holds=None, says=f"{found.says} {why}: not judged.")
