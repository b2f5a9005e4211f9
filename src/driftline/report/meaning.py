"""What the columns of the tables mean, in one sentence each."""

from __future__ import annotations

MEANING = (
    "Error = wrong labels / examples: the share of examples whose predicted label was wrong. Mistakes are wrong labels "
    "and scores of exactly 0."
)
