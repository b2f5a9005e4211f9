"""The peer: river behind FastAPI, with uvicorn, uvloop and httptools. Nothing is stored on disk.

``python river_app.py`` prints its URL. It runs in the environment of the peers. A ticket is the
key of a dict in memory that holds the example until its label comes.
"""

from __future__ import annotations

import asyncio
import itertools
import socket

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from river import linear_model


class Example(BaseModel):
    """An example."""

    x: dict[str, float]


class Label(BaseModel):
    """The label of a ticket."""

    ticket: int
    y: bool


class Labelled(BaseModel):
    """An example with its label."""

    x: dict[str, float]
    y: bool


class Answer(BaseModel):
    """A prediction."""

    ticket: int
    label: bool
    probability: float


class Outcome(BaseModel):
    """What became of a label."""

    kind: str


class Examples(BaseModel):
    """A batch of examples."""

    items: list[Example]


class LabelledExamples(BaseModel):
    """A batch of examples with their labels."""

    items: list[Labelled]


class Answers(BaseModel):
    """The predictions of a batch."""

    items: list[Answer]


class Outcomes(BaseModel):
    """What became of the labels of a batch."""

    items: list[Outcome]


app = FastAPI()
LEARNED = Outcome(kind="learned")


class State:
    """The model, and the examples of open tickets."""

    def __init__(self) -> None:
        self.model = linear_model.PAClassifier(C=1.0, mode=1, learn_intercept=False)
        self.open: dict[int, dict[str, float]] = {}
        self.tickets = itertools.count(1)

    def answer(self, x: dict[str, float]) -> Answer:
        """Predict an example, and keep it until its label comes."""
        ticket, probability = next(self.tickets), self.model.predict_proba_one(x)[True]
        self.open[ticket] = x
        return Answer(ticket=ticket, label=probability >= 0.5, probability=probability)


state = State()


@app.post("/reset")
async def reset() -> Outcome:
    """Begin with a new model."""
    global state
    state = State()
    return Outcome(kind="reset")


@app.post("/predict")
async def predict(given: Example) -> Answer:
    """Predict an example."""
    return state.answer(given.x)


@app.post("/label")
async def label(given: Label) -> Outcome:
    """Learn the label of a ticket."""
    state.model.learn_one(state.open.pop(given.ticket), given.y)
    return LEARNED


@app.post("/learn")
async def learn(given: Labelled) -> Outcome:
    """Learn an example and its label."""
    state.model.learn_one(given.x, given.y)
    return LEARNED


@app.post("/predict/batch")
async def predict_batch(given: Examples) -> Answers:
    """Predict the examples of a batch."""
    return Answers(items=[state.answer(one.x) for one in given.items])


@app.post("/learn/batch")
async def learn_batch(given: LabelledExamples) -> Outcomes:
    """Learn the examples of a batch."""
    for one in given.items:
        state.model.learn_one(one.x, one.y)
    return Outcomes(items=[LEARNED] * len(given.items))


def main() -> None:
    """Listen on a free port, print the URL, and serve."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print(f"serving http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(app, loop="uvloop", http="httptools", access_log=False, log_level="warning")
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(uvicorn.Server(config).serve(sockets=[listener]))


if __name__ == "__main__":
    main()
