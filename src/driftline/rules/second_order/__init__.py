"""Rules that keep a confidence for every direction of the weights."""
