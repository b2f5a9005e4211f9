"""Whole reports and their sections."""
