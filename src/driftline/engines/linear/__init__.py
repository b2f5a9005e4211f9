"""Engines of two-number rules: Euclidean, p-norm, and with a list of nonzero weights."""
