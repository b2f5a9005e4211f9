"""The base classes of the classifiers are private; their former names say so."""

from __future__ import annotations

import pytest

import driftline.sklearn as ds
from driftline.sklearn import multiclass, online


@pytest.mark.parametrize(("module", "name"), [(online, "OnlineClassifier"), (multiclass, "MulticlassClassifier")])
def test_a_former_name_still_works_and_warns(module: object, name: str) -> None:
    assert name not in vars(module) and not hasattr(ds, name)
    with pytest.warns(FutureWarning, match=rf"{name} is private and may change without notice\. Use a classifier"):
        former = getattr(module, name)
    assert issubclass(ds.MulticlassPAClassifier, former)
    with pytest.raises(AttributeError, match="has no attribute 'Online'"):
        _ = module.Online  # type: ignore[attr-defined]


def test_only_classifiers_are_public() -> None:
    assert all(name.endswith("Classifier") for name in ds.__all__ if name != "GainSelector")
    assert not {"OnlineClassifier", "MulticlassClassifier"} & set(ds.__all__)
