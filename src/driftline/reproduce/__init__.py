"""Reproduce the experiments of the papers: one command runs an experiment and writes a report."""

from driftline.reproduce.driver import Reproduced, prepare, reproduce
from driftline.reproduce.experiment import Setting
from driftline.reproduce.registry import EXPERIMENTS
from driftline.reproduce.sources import Sources

__all__ = ["EXPERIMENTS", "Reproduced", "Setting", "Sources", "prepare", "reproduce"]
