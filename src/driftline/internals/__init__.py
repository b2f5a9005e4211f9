"""Internal modules that all other packages use: compilation, row types and parameter checks.

No module here depends on a learner.
"""
