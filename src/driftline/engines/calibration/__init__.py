"""Calibrated probabilities, learned on line from the scores of a learner."""
