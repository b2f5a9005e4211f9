"""Payments in; decisions, alarms, an explanation and a report out: python fraud.py payments.csv report.html."""

import sys

import driftline as dl

payments, report = sys.argv[1:3]

# Strings, dates and missing values are read as they are.
stream = dl.streams.read(payments, target="fraud", time="when")

# A missed fraud costs as much as 50 needless checks.
decision = dl.Decision(costs={"yes": {"no": 50.0}, "no": {"yes": 1.0}})
run = dl.run(dl.Tracker(), stream, decision=decision, alarms=True, slice="country", history=True)

print(run.metrics, decision, sep="\n")
for alarm in run.alarms:
    print(alarm)

# The next payment: what to do, and why.
payment = {"when": "2025-01-02T03:04:05Z", "amount": 950.0, "merchant": "electronics", "country": "US"}
example = run.learner.recipe.features(payment)
probabilities = run.learner.predict_proba_one(example)
print(f"P(fraud) = {probabilities['yes']:.3f}: {'check' if decision.decide(probabilities) == 'yes' else 'let pass'}")
print(run.learner.explain_one(example))

run.report(report)
