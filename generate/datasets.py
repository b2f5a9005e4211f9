"""Write the sample data sets of ``driftline.datasets``: ``python -m generate.datasets FOLDER``.

The same seed gives the same bytes: gzip files have no time stamp.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

START = datetime(2024, 1, 1, tzinfo=UTC)


def _when(minutes: float) -> str:
    return (START + timedelta(minutes=round(minutes))).strftime("%Y-%m-%dT%H:%M:%SZ")


def _words(text: str) -> list[str]:
    return text.split()


# mails ------------------------------------------------------------------------------------------
COMMON = _words(
    "the a to of and in for on is with this that you we it your our at be have from please will can are not"
)
WORK = _words(
    "meeting report budget review schedule project draft invoice team agenda notes client deadline release ticket "
    "contract summary feedback minutes planning office travel figures proposal call monday friday lunch train server"
)
HOME = _words("dinner weekend birthday photos holiday kids garden match tickets recipe concert school party flat bike")
SPAM = {
    0: _words("free prize winner cash bonus casino lottery claim pills cheap offer click"),
    1: _words("crypto wallet bitcoin invest returns profit trading token account verify bonus click"),
    2: _words("parcel delivery customs fee tracking courier reschedule address payment link verify urgent"),
}
FRIENDS = ["anna", "ben", "carla", "deniz", "eva", "farid", "greta", "hugo", "ines", "jonas"]
HOSTS = ["mail.example", "post.example", "work.example"]
SENDERS = {0: "prizes.example", 1: "coins.example", 2: "parcels.example"}


def mails(rng: Random, rows: int = 3000) -> Iterator[str]:
    minutes = 0.0
    for k in range(rows):
        minutes += rng.expovariate(1 / 45.0)
        phase = 3.0 * k / rows  # the campaigns follow one another, with some overlap
        spam = rng.random() < 0.35 + 0.1 * (int(phase) == 1)
        topic = min(2, max(0, int(phase + rng.gauss(0.0, 0.15))))
        if spam:
            own = SPAM[topic]
            trusted = rng.random() < 0.15
            sender = (
                f"{rng.choice(FRIENDS)}@{rng.choice(HOSTS)}" if trusted else f"info{rng.randrange(40)}@{SENDERS[topic]}"
            )
        else:
            own = WORK if rng.random() < 0.7 else HOME
            if rng.random() < 0.1 * phase:  # real parcels and accounts are discussed as well
                own = own + SPAM[topic][:6]
            sender = f"{rng.choice(FRIENDS)}@{rng.choice(HOSTS)}"
        subject = " ".join(rng.choice(own) for _ in range(rng.randint(2, 4)))
        body = " ".join(rng.choice(own if rng.random() < 0.35 else COMMON) for _ in range(rng.randint(12, 40)))
        label = "spam" if spam != (rng.random() < 0.01) else "ham"
        yield json.dumps({"when": _when(minutes), "from": sender, "subject": subject, "body": body, "label": label})


# payments ---------------------------------------------------------------------------------------
CURRENCIES = {"DE": "EUR", "FR": "EUR", "NL": "EUR", "GB": "GBP", "US": "USD", "CH": "CHF"}
MERCHANTS = {
    "grocery": 35.0, "fuel": 60.0, "restaurant": 45.0, "clothes": 80.0, "electronics": 240.0, "travel": 420.0,
    "games": 25.0, "pharmacy": 20.0,
}  # fmt: skip


def payments(rng: Random, rows: int = 10_000, share: float = 0.02) -> Iterator[str]:
    yield "when,amount,currency,merchant,country,card_present,fraud"
    minutes = 0.0
    for k in range(rows):
        minutes += rng.expovariate(1 / 12.0)
        late = k >= rows // 2  # the fraudsters change their method
        fraud = rng.random() < share
        if fraud:
            merchant = rng.choice(["games", "electronics"] if not late else ["travel", "clothes", "electronics"])
            country = rng.choice(["US", "GB"] if not late else ["NL", "CH", "US"])
            present = rng.random() < 0.08
            amount = MERCHANTS[merchant] * rng.lognormvariate(0.9 if not late else 0.3, 0.5)
        else:
            merchant = rng.choices(list(MERCHANTS), [30, 12, 18, 9, 4, 3, 12, 12])[0]
            country = rng.choices(list(CURRENCIES), [60, 10, 10, 8, 6, 6])[0]
            present = rng.random() < 0.7
            amount = MERCHANTS[merchant] * rng.lognormvariate(0.0, 0.5)
        cells = [f"{amount:.2f}", CURRENCIES[country], merchant, country, "yes" if present else "no"]
        cells = ["" if rng.random() < 0.02 else cell for cell in cells]
        yield ",".join([_when(minutes), *cells, "yes" if fraud else "no"])


# sensors ----------------------------------------------------------------------------------------
DEVICES = [f"pump-{k}" for k in range(1, 9)]
STATES = ("ok", "worn", "failing")


def sensors(rng: Random, rows: int = 6000) -> Iterator[str]:
    yield "when,device,temperature,vibration,current,pressure,state"
    offsets = {device: (rng.gauss(0.0, 3.0), rng.gauss(0.0, 0.1)) for device in DEVICES}
    states = dict.fromkeys(DEVICES, 0)
    for k in range(rows):
        device = DEVICES[k % len(DEVICES)]
        state = states[device]
        if rng.random() < (0.02, 0.03, 0.06)[state]:
            state = states[device] = (state + 1) % 3  # a failing device is repaired
        warm, loose = offsets[device]
        season = 8.0 * k / rows  # the hall grows warmer, and the bearings were changed at two thirds
        bearings = 0.4 if k > 2 * rows // 3 else 0.0
        values = [
            f"{55.0 + warm + season + 6.0 * (state == 2) + 2.5 * state + rng.gauss(0.0, 2.0):.1f}",
            f"{0.8 + loose - bearings + 0.45 * state + abs(rng.gauss(0.0, 0.2)):.3f}",
            f"{12.0 + 0.8 * (state == 1) + 2.0 * (state == 2) + rng.gauss(0.0, 0.6):.2f}",
            f"{4.0 - 0.5 * (state == 2) + rng.gauss(0.0, 0.15):.2f}",
        ]
        values = ["" if rng.random() < 0.03 else value for value in values]
        yield ",".join([_when(5.0 * k), device, *values, STATES[state]])


SETS: dict[str, Callable[[Random], Iterator[str]]] = {
    "mails.jsonl": mails,
    "payments.csv": payments,
    "sensors.csv": sensors,
}


def text_of(name: str) -> bytes:
    """The content of a data set before compression."""
    return ("\n".join(SETS[name](Random(20240101))) + "\n").encode()


def write(folder: Path) -> None:
    for name in SETS:
        (folder / f"{name}.gz").write_bytes(gzip.compress(text_of(name), mtime=0))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
