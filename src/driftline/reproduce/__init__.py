"""The experiments of the papers, each as one command that ends in a report and its verdicts."""

from driftline.reproduce.driver import Reproduced, prepare, reproduce
from driftline.reproduce.experiment import Setting
from driftline.reproduce.listed import EXPERIMENTS
from driftline.reproduce.sources import Sources

__all__ = ["EXPERIMENTS", "Reproduced", "Setting", "Sources", "prepare", "reproduce"]
