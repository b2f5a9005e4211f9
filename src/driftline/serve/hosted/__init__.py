"""A hosted model: a state machine without a clock, files or threads."""
