"""Rules for more than two classes."""
