"""Notes: choices made here."""

from __future__ import annotations

from collections.abc import Mapping

from driftline.reproduce.experiment import Answer
from driftline.reproduce.forgetron.methods import ALPHAS, BUDGETS, WIDTHS

CHOICES = (
    "Streams. The images are the four phases of Shen and Dietterich over the digits 3, 7, 8 and 9. The mixtures are "
    "those of Kivinen, Smola and Williamson (2002): two classes of points in the plane, each a mixture of Gaussians "
    "that drifts or switches.",
    "Forgetron. The self-tuned Forgetron of Dekel, Shalev-Shwartz and Singer (2008). It updates on mistakes with step "
    "1. The Gaussian kernel has k(x, x) = 1, as its bound requires. It has no parameter but the kernel width.",
    "ShrunkPA. The rule of section 3.1 over the same kernel. With a full budget the oldest support vector is dropped, "
    "as section 5 suggests, and nothing else changes.",
    f"Tuning. Every method chooses its kernel width among {', '.join(f'{one:g}' for one in WIDTHS)} times the inverse "
    "median squared distance, and ShrunkPA also its alpha among "
    f"{', '.join(f'{one:g}' for one in ALPHAS)}, for the fewest mistakes on the first half, separately for each budget "
    f"({', '.join('none' if one is None else str(one) for one in BUDGETS)}). Ties go to the strongest shrinkage. The "
    "larger grid of ShrunkPA is an advantage over the Forgetron, which PA does not have.",
    "Verdicts. A claim holds if the 95 % interval of the paired difference over trials lies on the claimed side of the "
    "limit, does not hold if it lies on the other side, and is undecided otherwise. A claim holds in a reading only "
    "if it holds on every stream with every budget.",
)


def notes(answers: Mapping[str, Answer]) -> list[str]:
    """Return paragraphs on the trials and the choices."""
    trials: dict[str, set[int]] = {}
    for answer in answers.values():
        trials.setdefault(answer["stream"], set()).update(run["trial"] for run in answer["runs"])
    said = "; ".join(f"{stream}: {len(some)} trials" for stream, some in sorted(trials.items()))
    return [f"{said}.", *CHOICES]
