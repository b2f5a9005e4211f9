"""The confusion matrix as an HTML table, shaded by the share of each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftline.evaluate.metrics import Figures
from driftline.report.safe_text import brief, clipped, escaped, named, shown

LONGEST = 14  # columns of text in a heading
SHOWN = 10  # labels with a row; rarer ones share the last row
OTHERS = "others"
FAINTEST = 0.15  # tint of a cell that is not empty


def confusion_matrix(name: str, figures: Figures) -> str:
    """Return the matrix as an HTML figure; empty if there is none.

    Rows are labels, columns predicted labels. With many labels, the rarest share a row and a
    column.

    Parameters
    ----------
    name : str
        Name of the run.
    figures : Figures
        Its metrics.
    """
    counts = figures.confusion
    if counts is None or not counts.sum():
        return ""
    labels, counts = _merged(["(none yet)" if label is None else label for label in figures.labels], counts)
    head = "".join(f'<th scope="col">{_heading(label)}</th>' for label in labels)
    rows = "\n".join(_row(k, label, counts[k]) for k, label in enumerate(labels))
    note = _note(figures)
    title = f"Confusion matrix: {brief(name)}"
    return (
        f'<figure class="confusion"><figcaption>{escaped(title)}</figcaption>'
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escaped(title)}"><table class="matrix">'
        f'<thead><tr><td></td><th scope="colgroup" colspan="{len(labels)}">predicted</th></tr>'
        f'<tr><th scope="col">label</th>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>'
        f'<p class="note">{escaped(note)}</p></figure>'
    )


def _heading(label: str) -> str:
    """Return a label as the heading of a column: cut if it is long, with the whole as a tooltip."""
    return f'<span title="{escaped(label)}">{escaped(clipped(shown(label), LONGEST))}</span>'


def _merged(labels: Sequence[Any], counts: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Return the most frequent labels in their order, the others as one, and their counts."""
    names = [str(label) for label in labels]
    if len(names) <= SHOWN:
        return names, counts
    rank = np.argsort(-(counts.sum(1) + counts.sum(0)), kind="stable")
    kept = np.sort(rank[: SHOWN - 1])
    place = np.full(len(names), SHOWN - 1)
    place[kept] = np.arange(SHOWN - 1)
    merged = np.zeros((SHOWN, SHOWN), np.int64)
    np.add.at(merged, (place[:, None], place[None, :]), counts)
    return [*(names[k] for k in kept), f"{len(names) - SHOWN + 1:,} {OTHERS}"], merged


def _row(k: int, label: str, counts: np.ndarray) -> str:
    total = int(counts.sum())
    cells = []
    for j, count in enumerate(counts.tolist()):
        share = count / total if total else 0.0
        style = "right" if j == k else "wrong"
        percent = f'<span class="meaning">{share:.1%}</span>' if total else ""
        tint = max(share, FAINTEST) if count else 0.0
        cells.append(f'<td class="{style}" style="--share:{tint:.3f}">{count:,}{percent}</td>')
    return f'<tr><th scope="row"><span class="head">{named(label)}</span></th>{"".join(cells)}</tr>'


def _note(figures: Figures) -> str:
    note = "Rows are labels, columns predicted labels; percentages are shares of the row."
    if len(figures.labels) > SHOWN:
        note += f" All labels but the {SHOWN - 1} most frequent ones share a row and a column."
    if figures.unpredicted:
        note += f" {figures.unpredicted:,} examples had no prediction, because no label was known yet."
    return note
