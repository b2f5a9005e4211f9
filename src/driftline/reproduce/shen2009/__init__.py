"""Shen and Dietterich (2009): regularised passive-aggressive rules where the classes behind two labels change."""

from driftline.reproduce.shen2009.paper import ShenDietterich

EXPERIMENT = ShenDietterich()
