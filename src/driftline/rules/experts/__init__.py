"""Rules that combine the advice of experts."""
