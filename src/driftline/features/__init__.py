"""Feature selection: information gain of data sets and streams, and games against an environment.

>>> import numpy as np
>>> X, y = np.array([[1, 0], [1, 1], [0, 0], [0, 1]]), ["spam", "spam", "ham", "ham"]
>>> information_gain(X, y).tolist()
[1.0, 0.0]
>>> game(pair_gain(X, y), k=1).features.tolist()
[0]
"""

from driftline.features.game import Game, game
from driftline.features.information_gain import information_gain
from driftline.features.pair_rewards import agreement, pair_gain
from driftline.features.running_gain import RunningGain

__all__ = ["Game", "RunningGain", "agreement", "game", "information_gain", "pair_gain"]
