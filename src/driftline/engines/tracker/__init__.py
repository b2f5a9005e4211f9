"""The loops of the Tracker."""
