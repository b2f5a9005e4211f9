"""Engines that run other engines or estimators."""
