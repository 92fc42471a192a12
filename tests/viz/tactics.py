"""A reader's game that drops stones and has nothing beyond what a board needs."""

from azlearn.games import ConnectFour

METHODS = (
    "initial_state", "play", "next_state", "legal_mask", "legal_actions", "outcome", "to_play",
    "cells", "cell",
)  # fmt: skip


class Tactics:
    """Connect Four under a name that contains "tic", without highlights, to_text, labels."""

    name, rows, cols, num_actions = "tactics", 6, 7, 7

    def __init__(self):
        for method in METHODS:
            setattr(self, method, getattr(ConnectFour(), method))
