"""Examples in the help of each command."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "run": (
        "driftline run shop.csv --target sold --save model.dl --report run.html",
        "driftline run mails.jsonl --target kind --text body --learner pa1 --C 0.1",
        "driftline run 'day-*.svm' --learner 'onevsrest(pa1(C=0.5))'",
        "driftline run homes.csv --target price --save prices.dl",
        "driftline run shop.csv --model model.dl --save model.dl",
    ),
    "compare": (
        "driftline compare shop.csv --target sold --learners tracker,pa1:C=0.1,arow",
        "driftline compare 'day-*.svm' --learners 'pa1,averaged(pa1(C=0.1))' --json",
    ),
    "sweep": (
        "driftline sweep shop.csv --target sold --learner pa1 --C 0.1,1 --save best.dl",
        "driftline sweep 'day-*.svm' --learner norma --alpha 0.1,1 --lam 0,0.001",
        "driftline sweep homes.csv --target price --learner pa1regressor --C 0.1,1",
    ),
    "labels": (
        "driftline labels shop.csv --target sold --b 0.1,1,10",
        "driftline labels 'day-*.svm' --learner 'pa1(C=0.5)' --report labels.html",
    ),
    "predict": (
        "driftline predict model.dl new.csv",
        "driftline predict model.dl shop.csv --truth --proba --output jsonl",
    ),
    "evaluate": (
        "driftline evaluate model.dl shop.csv",
        "driftline evaluate model.dl shop.csv --learn --save newer.dl --json",
    ),
    "inspect": ("driftline inspect model.dl", "driftline inspect model.dl --top 0 --json"),
    "export": ("driftline export linear.dl --to weights.json", "driftline export linear.dl --to model.onnx"),
    "learners": ("driftline learners", "driftline learners pa1"),
    "bounds": ("driftline bounds", "driftline bounds pa", "driftline bounds norma --X 1 --B 5 --T 1000 --mu 1"),
    "margins": ("driftline margins shop.csv --target sold", "driftline margins 'day-*.svm' --scale unit --json"),
    "reproduce": ("driftline reproduce winnow --quick", "driftline reproduce all --data data --fetch"),
    "serve": (
        "driftline serve --demo",
        "driftline serve service.db --model spam=tracker --port 8080",
        "driftline serve service.db --host 0.0.0.0 --tls-cert c.pem --tls-key k.pem",
    ),
    "token": (
        "driftline token add shop --scopes predict,learn --days 90 --db service.db",
        "driftline token rotate shop --db service.db",
        "driftline token list --db service.db",
        "driftline token revoke shop --db service.db",
    ),
    "backup": ("driftline backup service.db copy.db",),
    "replay": (
        "driftline replay service.db --model mails --to mails.dl",
        "driftline replay service.db --model mails --verify --json",
    ),
    "feed": (
        "driftline feed kafka://127.0.0.1:9092/orders --model orders --label late",
        "driftline feed kafka://one,two/orders --model orders --dead-letters bad.jsonl",
    ),
    "follow": (
        "driftline follow kafka://127.0.0.1:9092/orders --states orders --key customer",
        "driftline follow kafka://one,two/orders --states orders --learner arow",
    ),
    "stress": (
        "driftline stress http://127.0.0.1:8000",
        "driftline stress http://127.0.0.1:8000 --requests 1000 --batch 100 --json",
    ),
    "demo": ("driftline demo --quick", "driftline demo --out demo --seed 2"),
    "data": ("driftline data payments", "driftline data mails sample.jsonl"),
    "info": ("driftline info", "driftline info --json"),
    "warm": ("driftline warm", "driftline warm tracker pa1"),
    "bench": ("driftline bench --rows 2000 --repeats 1",),
}
"""Command to examples. A test runs all of them except those that are slow or need a server."""


def epilogue(command: str) -> str:
    """Return the examples of a command as the last part of its help."""
    return "\n".join(["Examples:", *(f"  {line}" for line in EXAMPLES[command])])
