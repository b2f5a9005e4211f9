"""``driftline export``: write the weights of a saved model for other programs."""

from __future__ import annotations

from pathlib import Path


def export(model: str, *, to: str, sparse: bool = False) -> int:
    """Write the weights of a linear model to a JSON or ONNX file.

    A program in any language computes the scores of the model from such a file. ONNX files need the
    package onnx: pip install "driftline[onnx]".

    Parameters
    ----------
    model
        A saved model (.dl file) of a linear learner.
    to
        The file to write, which ends in .json or .onnx.
    sparse
        The rows of a model of columns are sparse, as those of svmlight files. It matters only with the
        scale "standard", which centres dense rows.
    """
    import driftline as dl

    kinds = {".json": dl.export.to_json, ".onnx": dl.export.to_onnx}
    kind = Path(to).suffix.lower()
    if kind not in kinds:
        raise ValueError(f"--to must end in .json or .onnx, got {to!r}. Name such a file")
    learner = dl.load(model)
    kinds[kind](learner, to, sparse=sparse)
    print(f"{to}: {learner.kind}, {learner.n_features:,} features, {len(learner.labels)} labels")
    return 0
