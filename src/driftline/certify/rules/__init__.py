"""Certificates of runs, one file per rule family."""
