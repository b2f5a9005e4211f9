"""Generated streams whose target drifts."""
