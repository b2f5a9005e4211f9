"""How often the smooth score that explains a Tracker has the sign of its vote, on real streams.

    DRIFTLINE_DATA=FOLDER python benchmarks/explained_votes.py

Every STEP-th row is explained before it is learned.
"""

from __future__ import annotations

import os
from pathlib import Path

from error.streams import catalogue

import driftline as dl

STEPS = {"elec2": 15, "sea": 15, "usenet1": 1}


def main() -> None:
    folder = os.environ.get("DRIFTLINE_DATA")
    if not folder:
        raise SystemExit("DRIFTLINE_DATA must be the folder of real streams, got nothing")
    print(f"{'stream':8}  explained  agreement")
    for stream, *_ in catalogue.read(Path(folder), STEPS, {}):
        learner, agree, count = dl.Tracker(), 0, 0
        for k, (x, y) in enumerate(zip(stream.X, stream.y, strict=True)):
            if k % STEPS[stream.name] == 0:
                found = learner.explain_one(x)
                agree += (found.score >= 0.0) == (found.vote >= 0.0)
                count += 1
            learner.learn_one(x, y)
        print(f"{stream.name:8}  {count:9,}  {100.0 * agree / count:8.1f}%", flush=True)


if __name__ == "__main__":
    main()
