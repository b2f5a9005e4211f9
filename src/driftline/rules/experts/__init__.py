"""Rules over the advice of experts."""
