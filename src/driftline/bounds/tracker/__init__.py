"""Theorems on the tracker."""
