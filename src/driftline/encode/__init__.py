"""Encoding of input: features to indices, labels to -1 and +1, and scaling.

This package checks all indices. Values are checked here, or by the engine as it reads them.
"""

from driftline.encode.class_labels import Classes
from driftline.encode.encoder import Encoder
from driftline.encode.labels import ExpertLabels, Labels
from driftline.encode.scaling import Standard, Unit
from driftline.encode.targets import Targets
from driftline.encode.vocabulary import Hashing, Vocabulary

__all__ = ["Classes", "Encoder", "ExpertLabels", "Hashing", "Labels", "Standard", "Targets", "Unit", "Vocabulary"]
