"""Builds wheels with compiled code. Only ``make wheel`` needs this folder."""
