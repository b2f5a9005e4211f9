"""Loops for two-number rules: Euclidean, p-norm, and compact weights."""
