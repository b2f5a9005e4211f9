"""The strong bank of the Tracker: linear and nonlinear experts, combined jointly for all classes."""
