"""The engine of the TrackerRegressor."""
