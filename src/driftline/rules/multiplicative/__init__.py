"""Rules that multiply their weights: Winnow and Balanced Winnow."""
