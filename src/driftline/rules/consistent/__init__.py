"""Rules that keep all classifiers consistent with the labels so far."""
