"""What people see of a model: counts, metrics, series, questions, weights and leaders."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

import driftline as dl
from driftline.serve.hosted.contender import Contender
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.scoreboard import BUCKET_SECONDS, OLDER_SECONDS, Scoreboard, Tally
from driftline.serve.results import Bucket, ContenderInfo, Counts, Question, Series

NEWEST = 5_000
"""The number of open tickets among which questions are chosen."""


def counts_of(board: Scoreboard) -> Counts:
    """The counts of a scoreboard."""
    total = board.total
    lost = total.loss if board.regresses else total.errors
    return Counts(
        total.asked,
        total.labelled,
        total.errors,
        _mean(lost, total.labelled),
        _mean(total.log_loss, total.judged),
        _mean(total.latency, total.waited),
        total.refused,
    )


def _mean(total: float, n: int) -> float | None:
    return total / n if n else None


def contender_infos(model: HostedModel) -> list[ContenderInfo]:
    """The contenders, the champion first."""
    return [
        ContenderInfo(
            one.name,
            "champion" if one is model.champion else "challenger",
            one.spec,
            list(one.learner.labels),
            one.learner.n_features,
            one.learner.n_seen,
            counts_of(one.board),
        )
        for one in model.contenders
    ]


def metrics_of(one: Contender) -> dict[str, Any]:
    """Counts and confusion since the beginning, and the full metrics and label latencies of the last rounds."""
    board = one.board
    confusion = [[y, predicted, n] for (y, predicted), n in board.confusion.items()]
    return {
        "contender": one.name,
        "counts": counts_of(board),
        "confusion": confusion,
        "window": window_metrics(one).to_dict() if board.window else None,
        "latency": latency_of(board),
    }


def latency_of(board: Scoreboard) -> dict[str, float] | None:
    """Quantiles of the seconds from a prediction to its label, over the last labels of tickets.

    Parameters
    ----------
    board
        The scoreboard.
    """
    if not board.latencies:
        return None
    seconds = sorted(board.latencies)
    size = len(seconds)
    quantiles = {f"p{percent}": seconds[(percent * size - 1) // 100] for percent in (50, 90, 99)}
    return {"labels": size} | quantiles


def window_metrics(one: Contender) -> dl.Metrics | dl.RegressionMetrics:
    """The metrics of the last rounds of a contender.

    Parameters
    ----------
    one
        The contender.
    """
    rounds = list(one.board.window)
    ys, said, scores, shares = (list(column) for column in zip(*rounds, strict=True)) if rounds else ([], [], [], [])
    size = max(1, min(1000, len(rounds)))
    if one.board.regresses:
        numbers = dl.RegressionMetrics(window=size)
        numbers.add(ys, scores)
        return numbers
    labels = list(dict.fromkeys([*one.learner.labels, *ys, *(label for label in said if label is not None)]))
    if len(labels) < 2:
        few = dl.Metrics(window=size)
        few.add(ys, said)
        return few
    metrics = dl.Metrics(labels=labels, window=size, probabilities=True)
    unknown = [1.0 / len(labels)] * len(labels)
    rows = [[each.get(label, 0.0) for label in labels] if each else unknown for each in shares]
    metrics.add(ys, said, score=scores if len(labels) == 2 else None, probability=np.array(rows))
    return metrics


def series_of(model: HostedModel) -> list[Series]:
    """Counts over time, for each contender."""
    return [
        Series(
            one.name,
            BUCKET_SECONDS,
            [
                *(_bucket(tally, classes, OLDER_SECONDS) for tally, classes in one.board.older),
                *(_bucket(tally, classes, BUCKET_SECONDS) for tally, classes in one.board.recent),
            ],
        )
        for one in model.contenders
    ]


def _bucket(tally: Tally, classes: dict[Any, int], seconds: float) -> Bucket:
    return Bucket(
        tally.start,
        seconds,
        tally.asked,
        tally.labelled,
        tally.errors,
        tally.loss,
        tally.log_loss,
        tally.judged,
        tally.latency,
        tally.waited,
        list(classes.items()),
    )


def questions_of(model: HostedModel, limit: int) -> list[Question]:
    """The worthiest of the newest open tickets."""
    newest = sorted(model.tickets.newest(NEWEST), key=lambda asked: -asked.worth)[:limit]
    found = []
    for asked in newest:
        answer = next((one for one in asked.answers if one.by == model.champion.number), asked.answers[0])
        found.append(Question(asked.ticket, asked.x, answer.label, answer.shares, answer.score, asked.worth, asked.at))
    return found


def largest_weights_of(one: Contender, k: int) -> list[tuple[str, float]]:
    """The largest weights of a contender; none for learners without weights."""
    return [(str(name), weight) for name, weight in one.learner.largest(k)]


def leaders_of(one: Contender, k: int) -> list[dict[str, Any]]:
    """The experts of a Tracker with the largest weights; none for other learners."""
    experts = getattr(one.learner, "experts", None)
    if not callable(experts):
        return []
    return [{"name": voter.name, **asdict(voter)} for voter in experts()[:k]]
