"""Theorems about regressors."""
