"""Engines of rules that learn real targets."""
