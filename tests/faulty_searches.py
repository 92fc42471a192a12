"""Searches with one fault each, because viewers must show even a wrong search as it is."""

from azlearn.search import MCTS


class WrongSign(MCTS):
    """Forgets to change the sign on the way up."""

    def backup(self, path, leaf, value):
        for node, action in reversed(path):
            node.visit_counts[action] += 1
            node.value_sum[action] += value


class ForgetsEndings(MCTS):
    """Does not back up anything if the game is over at the leaf."""

    def backup(self, path, leaf, value):
        if leaf.outcome is None:
            super().backup(path, leaf, value)


class CountsTwice(MCTS):
    """Counts the edge next to the root twice."""

    def backup(self, path, leaf, value):
        super().backup(path, leaf, value)
        node, action = path[0]
        node.visit_counts[action] += 1
