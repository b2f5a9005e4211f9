"""Oracles: slow versions of every learner, written from the papers.

For every learner of ``dl.REGISTRY`` the module of its family has a class of exactly its name: the
oracle of ``driftline.rules.second_order.arow.AROW`` is ``tests.oracles.second_order.AROW``.
``learn(x, y, weight)`` returns the score from before the example is learned. Rows are dense
vectors that contain the constant feature, if there is one; labels are -1.0 and +1.0 unless a class
says otherwise.
"""
