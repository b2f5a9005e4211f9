"""Experts for curved class boundaries: families of experts for a bank."""
