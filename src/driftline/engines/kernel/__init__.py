"""Loops over support vectors and over products of features."""
