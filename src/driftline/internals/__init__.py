"""What every other room stands on: compilation, row types, checks. Internal: nothing here knows a learner."""
