"""A driftline model in MLflow: python mlflow_model.py payments.csv fraud.

It runs a learner over the file, logs its metrics, and logs the model file as an artifact of a
``pyfunc`` model, which predicts raw records. It then loads the logged model, as a server would.
MLFLOW_TRACKING_URI says where the runs are stored.
"""

import sys
import tempfile
from pathlib import Path

import mlflow
import pandas as pd

import driftline as dl


class DriftlineModel(mlflow.pyfunc.PythonModel):
    """Predicts the label and the probability of each label of raw records."""

    def load_context(self, context):
        """Load the model file, which is an artifact of the run. Loading it executes no code."""
        self.learner = dl.load(context.artifacts["model"])

    def predict(self, context, model_input, params=None):
        """A row for each record: its label, and a column ``probability_LABEL`` for each label."""
        rows = []
        for record in model_input.to_dict("records"):
            example = self.learner.recipe.features(record)
            probabilities = self.learner.predict_proba_one(example)
            columns = {f"probability_{label}": share for label, share in sorted(probabilities.items())}
            rows.append({"label": self.learner.predict_one(example), **columns})
        return pd.DataFrame(rows)


mlflow.models.set_model(DriftlineModel())  # MLflow stores this file, and no pickle


def main(table, target):
    """Learn a file, log the model, and predict the first records with the logged model."""
    mlflow.set_experiment("streams")
    with mlflow.start_run(), tempfile.TemporaryDirectory() as folder:
        run = dl.run(dl.AROW(), dl.streams.read(table, target=target), progress=False)
        mlflow.log_params({"learner": run.learner.kind, **run.learner.parameters})
        mlflow.log_metrics({"error": run.error, "mistakes": run.mistakes, "examples": run.examples})
        file = Path(folder) / "model.dl"
        run.learner.save(file)
        logged = mlflow.pyfunc.log_model(
            name="model", python_model=__file__, artifacts={"model": str(file)}, pip_requirements=["driftline"]
        )
    records = pd.read_csv(table, nrows=5).drop(columns=target)
    print(mlflow.pyfunc.load_model(logged.model_uri).predict(records).to_string())


if __name__ == "__main__":
    main(*sys.argv[1:])
