"""How often the smooth score that explains a Tracker has the sign of its vote, on real streams.

    DRIFTLINE_DATA=FOLDER python benchmarks/explained_votes.py [BANK]

BANK is "strong" (the default) or "light". Every STEP-th row is explained before it is learned.
"larger" is the agreement among the rows whose votes are at least 0.2 from 0, and "named" the mean
share of the named terms in the sum of the absolute contributions.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from error.streams import catalogue

import driftline as dl

STEPS = {"elec2": 15, "sea": 15, "usenet1": 1}
NAMED = ("(waves)", "(neighbours)")
CLEAR = 0.2
"""Votes of this size are not close to 0."""


def main() -> None:
    folder = os.environ.get("DRIFTLINE_DATA")
    if not folder:
        raise SystemExit("DRIFTLINE_DATA must be the folder of real streams, got nothing")
    bank: Any = sys.argv[1] if len(sys.argv) > 1 else "strong"
    print(f"{'stream':8}  explained  agreement  larger  named")
    for stream, *_ in catalogue.read(Path(folder), STEPS, {}):
        learner, agree, votes, named = dl.Tracker(bank), [], [], []
        for k, (x, y) in enumerate(zip(stream.X, stream.y, strict=True)):
            if k % STEPS[stream.name] == 0:
                found = learner.explain_one(x)
                agree.append((found.score >= 0.0) == (found.vote >= 0.0))
                votes.append(found.vote)
                sizes = {name: abs(value) for name, value in found.contributions.items()}
                named.append(sum(sizes.get(name, 0.0) for name in NAMED) / max(sum(sizes.values()), 1e-300))
            learner.learn_one(x, y)
        larger = np.mean(np.array(agree)[np.abs(votes) >= CLEAR])
        row = f"{stream.name:8}  {len(agree):9,}  {100.0 * np.mean(agree):8.1f}%  {100.0 * larger:5.1f}%"
        print(f"{row}  {100.0 * np.mean(named):4.1f}%", flush=True)


if __name__ == "__main__":
    main()
