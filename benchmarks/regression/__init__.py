"""Mean absolute errors of driftline's regressors and of other libraries' regressors."""
