"""The stream of ``driftline serve --demo``: parcels that may come late, and mails that people sort.

The reason why parcels are late changes every few minutes. The label of a parcel comes seconds after
its prediction, and some never come. The model of the mails asks for a tenth of the labels, and the
feeder answers half of these questions; the others are for the labelling page.
"""

from __future__ import annotations

import asyncio
import heapq
import random
import time
from dataclasses import dataclass, field

from driftline.serve.errors import Conflict, ServeError
from driftline.serve.hub import Hub
from driftline.serve.log.events import TicketId
from driftline.serve.spec import Budget, Example, Spec

WHO = "demo"
PARCELS, MAILS = "parcels", "mails"
CARRIERS = ("north", "swift", "anchor", "meteor")
WORDS = {
    "spam": ("prize", "winner", "loan", "click", "cheap", "crypto", "urgent"),
    "work": ("meeting", "invoice", "review", "deadline", "minutes", "budget", "offer"),
    "both": ("today", "please", "new", "account", "team", "week", "free", "update"),
}
PER_SECOND, FIRST_PER_SECOND, FIRST_SECONDS = 40.0, 150.0, 10.0
"""The rate of each stream, and that of the first seconds, so that charts have a beginning."""
CONCEPT_SECONDS = 90.0
DELAY_SECONDS = 4.0
LOST = 0.05
PAUSE = 0.1


async def prepare(hub: Hub) -> None:
    """Create the models of the demo, unless they exist."""
    specs = {
        PARCELS: Spec(learner="pa1", options={"C": 0.1, "scale": "standard"}, labels=["on time", "late"]),
        MAILS: Spec(learner="pa1", options={"C": 0.5}, labels=["work", "spam"], asking=Budget(0.1), expire_after=600.0),
    }
    for name, spec in specs.items():
        try:
            await hub.create(name, spec, WHO)
        except Conflict:
            continue


async def feed(hub: Hub, *, seed: int = 1, challengers: tuple[str, ...] = ("arow", "tracker")) -> None:
    """Send examples and late labels to the models, until cancelled.

    Parameters
    ----------
    hub : Hub
        Has the models of `prepare`.
    seed : int, default=1
        Seed of the examples.
    challengers : tuple of str
        Learners to add to the model of the parcels. The Tracker may take a while to compile.
    """
    stream = _Stream(hub, random.Random(seed))
    await asyncio.gather(stream.run(), _challenge(hub, challengers))


async def _challenge(hub: Hub, learners: tuple[str, ...]) -> None:
    """Add challengers; those of an earlier start are kept."""
    for learner in learners:
        try:
            spec = Spec(learner=learner, labels=["on time", "late"])
            await hub.model(PARCELS).add_challenger(learner, spec, WHO)
        except ServeError:
            continue


@dataclass
class _Stream:
    hub: Hub
    random: random.Random
    due: list[tuple[float, int, str, TicketId, str]] = field(default_factory=list)
    """Labels that come later: time, number, model, ticket and label."""
    count: int = 0

    async def run(self) -> None:
        began = time.monotonic()
        owed = 0.0
        while True:
            await asyncio.sleep(PAUSE)
            now = time.monotonic()
            owed += PAUSE * (FIRST_PER_SECOND if now - began < FIRST_SECONDS else PER_SECOND)
            try:
                while owed >= 1.0:
                    owed -= 1.0
                    self.ask(PARCELS, *self.parcel((now - began) / CONCEPT_SECONDS), now)
                    self.ask(MAILS, *self.mail(), now)
                await self.tell(now)
            except ServeError:  # busy or not ready: go on when it works again
                await asyncio.sleep(1.0)

    def ask(self, name: str, x: Example, y: str, now: float) -> None:
        """Predict an example, and plan when its label comes."""
        found = self.hub.model(name).predict(x)
        answered = self.random.random() > (LOST if name == PARCELS else 0.5)
        if found.wanted and answered:
            self.count += 1
            later = now + self.random.expovariate(1.0 / DELAY_SECONDS)
            heapq.heappush(self.due, (later, self.count, name, found.ticket, y))

    async def tell(self, now: float) -> None:
        """Send the labels that are due."""
        ready: dict[str, list[tuple[TicketId, str, None]]] = {}
        while self.due and self.due[0][0] <= now:
            _, _, name, ticket, y = heapq.heappop(self.due)
            ready.setdefault(name, []).append((ticket, y, None))
        for name, labels in ready.items():
            await self.hub.model(name).label_many(labels, WHO)

    def parcel(self, phase: float) -> tuple[Example, str]:
        """A parcel. ``phase`` grows by 1 from one reason for delays to the next."""
        draw = self.random
        carrier = draw.choice(CARRIERS)
        distance, weight, rain = draw.uniform(5, 900), draw.expovariate(0.2), draw.random() ** 3 * 30
        x: Example = {
            "distance_km": round(distance, 1),
            "weight_kg": round(weight, 2),
            "rain_mm": round(rain, 1),
            "carrier": carrier,
            "express": draw.random() < 0.3,
        }
        trouble = CARRIERS[int(phase) % len(CARRIERS)]
        risk = 1.6 * (carrier == trouble) + (0.12 * rain - 0.6 if int(phase) % 2 else distance / 300 - 1.6)
        return x, "late" if risk + draw.gauss(0.0, 0.3) > 0.4 else "on time"

    def mail(self) -> tuple[Example, str]:
        """A mail as counts of words."""
        y = "spam" if self.random.random() < 0.4 else "work"
        words = [self.random.choice(WORDS[y if self.random.random() < 0.55 else "both"]) for _ in range(6)]
        return {word: words.count(word) for word in sorted(set(words))}, y
