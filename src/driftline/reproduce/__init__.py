"""The experiments of the papers, each as one command that ends in a report and its verdicts."""
