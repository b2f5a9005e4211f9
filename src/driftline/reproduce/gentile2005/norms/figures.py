"""Figures of mistakes over p, and of p = 2 and p = 2 ln n over the number of relevant features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.reproduce.experiment import Answer, Drawing
from driftline.reproduce.gentile2005.norms.claims import NAMES, crossing
from driftline.reproduce.gentile2005.norms.runs import DENSE, LEARNER, sparse_name
from driftline.reproduce.gentile2005.norms.stream import PRESENT, RELEVANT
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.plotting import axes, band, legend

SHOWN = (3, 9, 101)


def drawings(answers: Mapping[str, Answer]) -> Iterator[Drawing]:
    """Yield the two figures."""
    records = Records.of(answers.values())
    if records.all:
        yield _over_p(records)
        yield _over_relevant(records)


def _over_p(records: Records) -> Drawing:
    figure, ax = axes("p", "mistakes (% of rounds)")
    streams = {f"{k} relevant, dense x": sparse_name(k) for k in SHOWN} | {f"all relevant, {PRESENT} in x": DENSE}
    for k, (label, where) in enumerate(streams.items()):
        ps = records.parameters(where, LEARNER)
        made, rounds = ([records.values(one, where, LEARNER, p) for p in ps] for one in ("mistakes", "rounds"))
        band(ax, ps, (100.0 * np.divide(made, rounds).T).tolist(), label, k)
    ax.set_ylim(bottom=0.0)
    legend(ax)
    return Drawing(
        "norms-p",
        "The best p for each target",
        "Mistakes over p, from p = 2 (the Perceptron) to p = 2 ln n, for targets with few relevant features and dense "
        "examples, and for a target of all features with sparse examples. Means over seeds with 95 % bands. A falling "
        "line favours a large p, a rising one p = 2.",
        figure,
    )


def _over_relevant(records: Records) -> Drawing:
    figure, ax = axes("relevant features", "mistakes")
    rounds = records.values("rounds", sparse_name(RELEVANT[0]), LEARNER, 2.0)[0]
    for k, (p, label) in enumerate(NAMES.items()):
        found = [records.values("mistakes", sparse_name(one), LEARNER, p) for one in RELEVANT]
        band(ax, RELEVANT, list(zip(*found, strict=True)), label, k)
    ax.axvline(crossing(), color="#59616e", linestyle=":", label="bounds cross")
    ax.set(xscale="log")
    ax.set_xticks(RELEVANT, [str(one) for one in RELEVANT], minor=False)
    ax.minorticks_off()
    ax.set_ylim(bottom=0.0)
    legend(ax, 3)
    return Drawing(
        "norms-relevant",
        "Crossing of p = 2 and p = 2 ln n",
        "Mistakes of p = 2 and of p = 2 ln n over the number of relevant features (logarithmic axis), on dense "
        f"examples, in the first {rounds:,.0f} rounds. Means over seeds with 95 % bands. The dotted line shows where "
        "their bounds cross.",
        figure,
    )
