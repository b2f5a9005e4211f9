"""Drift detectors: alarms when the mean of a stream of numbers changes.

They know no learner and no run. Each states its rate of false alarms.
"""

from driftline.drift.adwin import ADWIN
from driftline.drift.change import Change
from driftline.drift.cusum import CUSUM
from driftline.drift.detector import Detector
from driftline.drift.input_monitor import InputChange, InputMonitor
from driftline.drift.label_shares import LabelShares

__all__ = ["ADWIN", "CUSUM", "Change", "Detector", "InputChange", "InputMonitor", "LabelShares"]
