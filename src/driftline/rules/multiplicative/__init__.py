"""Rules that multiply their weights: Winnow, Winnow that tracks, and Balanced Winnow."""
