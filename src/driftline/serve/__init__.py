"""The label loop as a service: predict now, learn when the label comes."""
