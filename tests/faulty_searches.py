"""Searches with a mistake in their backup, which records and pictures must show as it is."""

from azlearn.search import MCTS


class WrongSign(MCTS):
    """Forgets to change the sign on the way up."""

    def backup(self, path, leaf, value):
        for node, action in path:
            node.visit_counts[action] += 1
            node.value_sum[action] += value


class CountsTwice(MCTS):
    """Counts the edge next to the root twice."""

    def backup(self, path, leaf, value):
        super().backup(path, leaf, value)
        node, action = path[0]
        node.visit_counts[action] += 1
