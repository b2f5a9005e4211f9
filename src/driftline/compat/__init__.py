"""Learners in the clothes of other libraries, which are imported only when asked for."""
