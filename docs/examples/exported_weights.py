"""Scores of a model without driftline: python exported_weights.py weights.json examples.jsonl.

``driftline export model.dl --to weights.json`` writes the weights. An example is an object of
features, or a list of numbers for a model of columns.
"""

import json
import math
import sys
import zlib
from pathlib import Path


def features_of(model, x):
    """Feature to value. A string is the feature "name=value", null is a missing value."""
    found = {}
    for name, value in enumerate(x) if isinstance(x, list) else x.items():
        if isinstance(value, str):
            name, value = f"{name}={value}", 1.0
        if value is not None:
            name = name if model["hash_bits"] is None else hashed(name, model["hash_bits"])
            found[name] = found.get(name, 0.0) + value
    return found


def hashed(name, bits):
    """The number of a feature: 64 bits are mixed, and the highest ones taken."""
    mask = 2**64 - 1
    key = (name if isinstance(name, int) else zlib.crc32(str(name).encode())) & mask
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9 & mask
    key = (key ^ (key >> 27)) * 0x94D049BB133111EB & mask
    key = (key ^ (key >> 31)) * 0x9E3779B97F4A7C15 & mask
    return key >> (64 - bits)


def scaled(model, found):
    """The values as the model sees them."""
    scale = model["scale"]
    if scale is None:
        return found
    if scale["kind"] == "unit":
        size = math.hypot(*found.values())
        return {name: value * scale["length"] / size for name, value in found.items()} if size else found
    result, n = {}, scale["examples"] + 1
    for name, mean, spread in zip(model["features"], scale["mean"], scale["spread"], strict=True):
        value = found.get(name, 0.0)
        change = value - mean
        mean += change / n
        spread += change * (value - mean)  # the example itself counts
        if spread > 0.0:
            result[name] = (value - mean if scale["centred"] else value) / math.sqrt(spread / n)
    return result


def scores(model, x):
    """The score of each output."""
    values = scaled(model, features_of(model, x))
    row = [values.get(name, 0.0) for name in model["features"]]
    return [
        output["bias"] + math.fsum(weight * value for weight, value in zip(output["weights"], row, strict=True))
        for output in model["outputs"]
    ]


def predicted(model, x):
    """The label, or the number that a regressor predicts."""
    found = scores(model, x)
    if model["task"] == "regression":
        return found[0]
    if len(found) == 1:  # two labels: the score of the second one
        return model["labels"][1 if found[0] >= 0.0 else 0]
    return model["labels"][found.index(max(found))]


if __name__ == "__main__":
    model = json.loads(Path(sys.argv[1]).read_text())
    for line in Path(sys.argv[2]).read_text().splitlines():
        print(predicted(model, json.loads(line)), *scores(model, json.loads(line)))
