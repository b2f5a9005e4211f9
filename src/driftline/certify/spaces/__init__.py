"""Runs in the coordinates of the rule inside a learner: kernels, products, scaled features."""
