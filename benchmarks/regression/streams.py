"""Five streams with a real target, standardised alike for all learners.

A feature is standardised by the mean and standard deviation of the rows up to its own, the target
by those of the whole stream. So an error of 1 is one standard deviation of the target.
"""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from pathlib import Path

import numpy as np
from error.stored import Stream

ROWS = 20_000
NSWPRICE = 3  # of the columns of Elec2


def every(folder: Path | None, absent: dict[str, str]) -> list[Stream]:
    """Return the streams; Elec2 needs the folder of the real data."""
    found = [trump_approval(), water_flow()]
    if folder is None:
        absent["elec2-price"] = "DRIFTLINE_DATA is not set"
    else:
        found.append(elec2_price(folder))
    return [*found, friedman(), plane()]


def trump_approval() -> Stream:
    """The approval of a president, from five polls and the date (river's TrumpApproval)."""
    from river import datasets

    rows = list(datasets.TrumpApproval())
    return _stream("trump-approval", np.array([list(x.values()) for x, _ in rows]), np.array([y for _, y in rows]))


def water_flow() -> Stream:
    """Water flow by the hour (river's WaterFlow): from the number of the hour and the hour of the day."""
    from river import datasets

    rows = list(datasets.WaterFlow())
    times: list[datetime] = [x["Time"] for x, _ in rows]
    since = [(time - times[0]).total_seconds() / 3600.0 for time in times]
    hours = np.eye(24)[[time.hour for time in times]]
    return _stream("water-flow", np.column_stack([since, hours]), np.array([y for _, y in rows]))


def elec2_price(folder: Path) -> Stream:
    """The price of electricity in New South Wales, from the columns before it: date, day, period."""
    with zipfile.ZipFile(folder / "elec2" / "elecNormNew.arff.zip") as packed:
        text = packed.read(packed.namelist()[0]).decode()
    data = text.lower().split("@data", 1)[1].strip()
    table = np.loadtxt(io.StringIO(data), delimiter=",", usecols=range(NSWPRICE + 1))
    return _stream("elec2-price", table[:, :NSWPRICE], table[:, NSWPRICE])


def friedman(rows: int = ROWS) -> Stream:
    """Friedman's function of five of ten features; at each third of the stream other features count."""
    rng = np.random.default_rng(0)
    X = rng.random((rows, 10))
    y = np.empty(rows)
    for part in np.array_split(np.arange(rows), 3):
        a, b, c, d, e = X[part][:, rng.permutation(10)[:5]].T
        y[part] = 10.0 * np.sin(np.pi * a * b) + 20.0 * (c - 0.5) ** 2 + 10.0 * d + 5.0 * e
    return _stream("friedman", X, y + rng.normal(size=rows))


def plane(rows: int = ROWS) -> Stream:
    """A plane over ten features whose slopes walk at random, with noise."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 10))
    slopes = rng.normal(size=10) + np.cumsum(0.02 * rng.normal(size=(rows, 10)), axis=0)
    return _stream("plane", X, np.einsum("ij,ij->i", X, slopes) + 0.5 * rng.normal(size=rows))


def _stream(name: str, X: np.ndarray, y: np.ndarray) -> Stream:
    count = np.arange(1.0, len(X) + 1.0)[:, None]
    shifted = X - X[0]  # small numbers, so that the variances are precise
    mean = np.cumsum(shifted, axis=0) / count
    variance = np.maximum(0.0, np.cumsum(shifted**2, axis=0) / count - mean**2)
    deviation = np.where(variance > 1e-12, np.sqrt(variance), 1.0)
    return Stream(f"regression-{name}", 0, (shifted - mean) / deviation, (y - y.mean()) / y.std())
