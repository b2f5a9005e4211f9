"""The largest contributions to the scores of rows of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.internals.rows import FileRows

if TYPE_CHECKING:
    from driftline import Learner


def explained(learner: Learner, rows: FileRows, k: int) -> list[list[list[Any]]]:
    """Return the k largest contributions to the score of each row, as [feature, contribution]."""
    examples = (example_of(learner, rows, i) for i in range(len(rows)))
    return [[list(one) for one in learner.explain_one(x).largest(k)] for x in examples]


def example_of(learner: Learner, rows: FileRows, i: int) -> Any:
    """Return row i as a dict of its names, or as a sparse row of its columns."""
    part = slice(int(rows.indptr[i]), int(rows.indptr[i + 1]))
    indices, values = rows.indices[part], rows.values[part]
    if rows.names is not None:
        return {rows.names[k]: value for k, value in zip(indices.tolist(), values.tolist(), strict=True)}
    from scipy.sparse import csr_matrix

    if not learner.rule.takes_missing:
        indices, values = indices[~np.isnan(values)], values[~np.isnan(values)]
    width = max(rows.width, learner.n_features)
    return csr_matrix((values, indices.astype(np.int64), [0, values.size]), shape=(1, width))


def as_text(contributions: list[list[Any]]) -> str:
    """Return contributions as one cell: name and signed number, separated by semicolons."""
    return "; ".join(f"{name} {value:+.6g}" for name, value in contributions)
