"""Generates lists of learners, and classes derived from rules, from the registry of rules."""
