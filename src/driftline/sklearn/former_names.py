"""Names of classes that have become private."""

from __future__ import annotations

import warnings


def former_name(module: str, name: str, former: str, private: type) -> type:
    """The class of a former name, with a warning; AttributeError for every other name."""
    if name != former:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    warnings.warn(
        f"{module}.{former} is private and may change without notice. Use a classifier of driftline.sklearn, such as "
        "PA1Classifier, and test for one with sklearn.base.is_classifier",
        FutureWarning,
        stacklevel=3,
    )
    return private
