"""The metrics of runs as parts of a report: tables, the confusion matrix, curves and slices."""
