"""Rules that multiply their weights: Winnow, TrackingWinnow and BalancedWinnow."""
