"""The website: the pages of docs/ and generated references, built by Sphinx."""
