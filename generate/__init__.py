"""Writes every list of learners, and every class that follows from a rule, from the registry of rules."""
