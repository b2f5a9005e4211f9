"""Shen and Dietterich (2009): regularised passive-aggressive rules on drifting classes."""

from driftline.reproduce.shen2009.experiment import ShenDietterich

EXPERIMENT = ShenDietterich()
