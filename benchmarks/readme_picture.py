"""The picture of the README: a stream that drifts, with the Tracker and a learner that stops learning."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import driftline as dl

ROWS, LEARNED, WINDOW = 40_000, 5_000, 1_000
INKS = {"light": ("#24292f", "#1f6fb2", "#c2571a"), "dark": ("#e6edf3", "#6cb6ff", "#f0883e")}


def errors() -> tuple[np.ndarray, np.ndarray]:
    """The windowed errors of the Tracker, and of a logistic regression fitted on the first rows only."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    stream = dl.streams.RotatingHyperplane(ROWS, d=10, angle=0.0005, noise=0.05, seed=1)
    blocks = list(stream)
    X, y = np.concatenate([one[0] for one in blocks]), np.concatenate([one[1] for one in blocks])
    tracker = dl.Tracker()
    wrong = tracker.learn_many(X, y) * y <= 0
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:LEARNED], y[:LEARNED])
    static = fitted.predict(X) != y
    return _windowed(wrong), _windowed(static)


def _windowed(wrong: np.ndarray) -> np.ndarray:
    sums = np.cumsum(np.concatenate([[0.0], wrong]))
    return (sums[WINDOW:] - sums[:-WINDOW]) / WINDOW


def draw(folder: Path) -> None:
    """Write the picture for light and for dark pages."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    tracked, static = errors()
    at = np.arange(WINDOW, WINDOW + len(tracked))[::100]
    for name, (ink, first, second) in INKS.items():
        settings = {
            "text.color": ink, "axes.edgecolor": ink, "axes.labelcolor": ink, "xtick.color": ink, "ytick.color": ink,
            "svg.hashsalt": "driftline", "svg.fonttype": "path", "font.size": 10,
        }  # fmt: skip
        with plt.rc_context(settings):
            figure, axes = plt.subplots(figsize=(7.2, 2.6))
            axes.plot(at, 100 * static[::100], color=second, linewidth=1.6)
            axes.plot(at, 100 * tracked[::100], color=first, linewidth=1.6)
            axes.axvspan(0, LEARNED, color=ink, alpha=0.07, linewidth=0)
            axes.text(0.98, 1.04, "fitted on the first 5,000 rows", color=second, ha="right", transform=axes.transAxes)
            axes.text(0.98, 0.2, "Tracker", color=first, ha="right", transform=axes.transAxes)
            axes.set(xlabel="rows", ylabel="error of the last 1,000, %", xlim=(0, ROWS), ylim=(0, None))
            axes.spines[["top", "right"]].set_visible(False)
            figure.savefig(folder / f"drift_{name}.svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
            plt.close(figure)
