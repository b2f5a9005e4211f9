"""Experts of the Tracker for curved boundaries."""
