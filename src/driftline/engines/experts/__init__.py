"""The loop for rules of experts."""
