"""The other libraries at their defaults.

`examples` converts a stream, `learner` creates a step.
"""
