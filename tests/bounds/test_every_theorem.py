"""Every theorem of the catalogue on sequences with a known comparator.

It is never exceeded, as tight as its page says, and false without one of its conditions.
"""

from __future__ import annotations

import numpy as np
import pytest

from driftline import bounds
from tests.bounds.observations import constrained as seen_constrained
from tests.bounds.observations import experts as seen_experts
from tests.bounds.observations import halving as seen_halving
from tests.bounds.observations import label_efficient as seen_labels
from tests.bounds.observations import linear as seen_linear
from tests.bounds.observations import regions as seen_regions
from tests.bounds.observations import regression as seen_regression
from tests.bounds.observations import risk as seen_risk
from tests.bounds.observations import tracker as seen_tracker
from tests.bounds.observations import tracking_winnow as seen_tracking
from tests.bounds.observations import winnow as seen_winnow
from tests.bounds.observations.observation import CONTROLS, SEQUENCES

FAMILIES = (
    seen_constrained,
    seen_experts,
    seen_halving,
    seen_labels,
    seen_linear,
    seen_regression,
    seen_regions,
    seen_risk,
    seen_tracker,
    seen_tracking,
    seen_winnow,
)
every_theorem = pytest.mark.parametrize("name", bounds.CATALOGUE)
ROUNDING = 1e-9


def test_none_is_forgotten() -> None:
    assert FAMILIES
    assert SEQUENCES.keys() == CONTROLS.keys() == bounds.CATALOGUE.keys()
    assert all("tight" in vars(kind) for kind in bounds.CATALOGUE.values())


@every_theorem
def test_it_holds_and_is_as_tight_as_its_page_says(name: str) -> None:
    """What holds with confidence 1 - delta may be exceeded in a share delta of all cases, which is left out here."""
    kind = bounds.CATALOGUE[name]
    found = list(SEQUENCES[name]())
    assert all(type(one.bound) is kind and one.observed >= 0.0 for one in found)
    shares = np.array([one.share for one in found])
    left_out = float(getattr(found[0].bound, "delta", 0.0)) if kind.limits == "risk" else 0.0
    reached = float(np.quantile(shares, 1.0 - left_out, method="inverted_cdf"))
    assert reached <= 1.0 + ROUNDING
    assert reached == pytest.approx(kind.tight.share, abs=0.006)
    assert np.mean(shares > reached - 0.01) > left_out  # so that the bound times this would be wrong too often


@every_theorem
def test_it_is_false_without_a_condition(name: str) -> None:
    broken = CONTROLS[name]()
    assert broken.observed > broken.allowed
