"""Rules in the space of a kernel or of products of features."""
