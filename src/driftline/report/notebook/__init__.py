"""Views of runs, comparisons, sweeps and learners in notebooks: HTML fragments with their own style."""
