"""Families of experts for curved boundaries: forests, neighbours, random paths and random waves."""
